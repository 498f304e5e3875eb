"""Which observations a batch of facts is held against, how much of them is shown, and which answers about them stand."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW

from affidavit.domain.candidates import Observation, Relation, Settled, Speaks, batch, pool, settle, shortlist, within
from affidavit.domain.tokens import Estimate

COUNT = Estimate().count
TEA, SEA = "1f" * 12, "1f" * 4 + "2e" * 8
FACT, OTHER = "aa" * 12, "bb" * 12
TEXTS = st.text(st.sampled_from("ab tea, 用户茶。 \n"), max_size=60)


def seen(number: int, text: str = "User likes tea.", **fields: Any) -> Observation:
    known: dict[str, Any] = {"form": "fact", "status": "active", "score": 0.0, **fields}
    return Observation(claim=bytes([number]) * 16, text=text, **known)


def numbers(observations: list[Observation]) -> list[int]:
    return [one.claim[0] for one in observations]


def relation(fact: str = FACT, target: str = TEA, signal: Speaks = "reinforces", reason: str = "") -> Relation:
    return Relation(fact=fact, target=target, signal=signal, reason=reason)


def settled(*relations: Relation) -> Settled:
    return settle(relations, [FACT, OTHER], [TEA, SEA])


# The pool


@pytest.mark.parametrize(("form", "status"), [("fact", "active"), ("persona", "active"), ("reflection", "confirmed")])
def test_live_facts_persona_claims_and_confirmed_reflections_are_in_the_pool(form: str, status: str) -> None:
    one = seen(1, form=form, status=status)
    assert pool([one]) == [one]


@pytest.mark.parametrize(
    "fields",
    [
        {"form": "reflection", "status": "pending"},
        {"form": "reflection", "status": "promote_blocked"},
        {"form": "reflection", "status": "promoted"},
        {"form": "reflection", "status": "merged"},
        {"form": "reflection", "status": "denied"},
        {"form": "reflection", "status": "archived"},
        {"form": "fact", "status": "quarantined"},
        {"form": "fact", "status": "absorbed"},
        {"form": "persona", "status": "superseded"},
        {"form": "narrative"},
        {"live": False},
        {"protected": True, "form": "persona"},
        {"suppressed": True, "form": "persona"},
        {"score": -0.001},
        {"text": " \n"},
    ],
)
def test_what_no_fact_may_move_is_not_in_the_pool(fields: dict[str, Any]) -> None:
    assert pool([seen(1, **fields)]) == []


def test_the_pool_keeps_the_order_given() -> None:
    assert numbers(pool([seen(3), seen(1, score=-1.0), seen(2)])) == [3, 2]


# The shortlist


def test_the_words_shared_with_one_fact_decide() -> None:
    close, apart = seen(2, "User drinks green tea daily."), seen(1, "User drinks coffee.", score=9.0)
    assert numbers(shortlist(["User drinks green tea."], [apart, close], 1)) == [2]


def test_words_shared_with_several_facts_are_not_added_up() -> None:
    both, one = seen(1, "tea and rain"), seen(2, "green tea in Lisbon")
    assert numbers(shortlist(["green tea", "rain"], [both, one], 2)) == [2, 1]


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    assert numbers(shortlist(["用户喜欢绿茶"], [seen(1, "用户住在里斯本"), seen(2, "用户爱喝绿茶。")], 1)) == [2]


def test_equal_overlap_goes_by_score_then_importance_then_id() -> None:
    ranked = [seen(5, score=1.0), seen(4, importance=9), seen(3, importance=1), seen(1), seen(2)]
    assert numbers(shortlist(["tea"], ranked[::-1], 5)) == [5, 4, 3, 1, 2]


def test_what_shares_no_word_fills_what_is_left_of_the_budget() -> None:
    rest = [seen(1, "rain"), seen(2, "tea"), seen(3, "sun", score=1.0)]
    assert numbers(shortlist(["tea"], rest, 2)) == [2, 3]


def test_a_budget_of_none_lists_none() -> None:
    assert shortlist(["tea"], [seen(1)], 0) == []


@given(st.lists(TEXTS, max_size=4), st.lists(st.tuples(TEXTS, st.integers(-2, 2)), max_size=12), st.integers(0, 6))
def test_the_shortlist_is_the_front_of_the_coarse_one_in_any_order(
    facts: list[str], drawn: list[tuple[str, int]], budget: int
) -> None:
    observations = [seen(n, text, score=float(score)) for n, (text, score) in enumerate(drawn)]
    shuffled = random.Random(budget).sample(observations, len(observations))
    listed = shortlist(facts, observations, budget)
    assert shortlist(facts[::-1], shuffled, budget * 3)[:budget] == listed
    assert len(listed) == min(budget, len(observations))


# Token budgets


@pytest.mark.parametrize(
    ("text", "each", "shown"),
    [
        ("User likes tea.", 200, "User likes tea."),
        ("User likes green tea.", 4, "User likes"),
        ("User likes green tea.", 3, "User likes"),
        ("User likes green tea.", 2, "User"),
        ("用户喜欢喝绿茶", 5, "用户喜欢喝"),
        ("用户用React写程序", 4, "用户用"),
        ("用户用React写程序", 5, "用户用React"),
        ("incomprehensible", 2, "incompre"),
    ],
)
def test_a_long_text_ends_after_a_word_or_a_chinese_character(text: str, each: int, shown: str) -> None:
    assert within([seen(1, text)], Estimate(), each=each, total=100) == [(seen(1, text), shown)]


def test_what_does_not_fit_is_skipped_and_a_smaller_one_taken() -> None:
    kept = within([seen(1, "tea " * 6), seen(2, "tea " * 5), seen(3, "tea " * 4)], Estimate(), each=200, total=10)
    assert [one.claim[0] for one, _ in kept] == [1, 3]


def test_at_least_one_is_kept_cut_to_the_total() -> None:
    assert within([seen(1, "green tea daily")], Estimate(), each=200, total=2) == [(seen(1, "green tea daily"), "green")]


class Merging:
    """Counts a whole text as less than its beginnings, as merges of byte pairs may."""

    identity = "merging:1"

    def count(self, text: str) -> int:
        return 1 if text.endswith("tea") else len(text)


def test_what_is_shown_fits_by_its_own_count_whatever_merges_do() -> None:
    for each in range(1, 12):
        (kept,) = within([seen(1, "green tea daily")], Merging(), each=each, total=100)
        assert Merging().count(kept[1]) <= each


@given(st.lists(TEXTS, max_size=8), st.integers(1, 12), st.integers(1, 40))
def test_no_text_and_no_sum_is_over_its_budget_and_something_is_kept(texts: list[str], each: int, total: int) -> None:
    given_ = pool(seen(n, text) for n, text in enumerate(texts))
    kept = within(given_, Estimate(), each=each, total=total)
    assert bool(kept) == bool(given_)
    assert sum(COUNT(text) for _, text in kept) <= total
    assert all(COUNT(text) <= each and one.text.startswith(text) for one, text in kept)


# The batch


def test_the_most_important_facts_go_first_then_the_oldest_then_by_id() -> None:
    facts = [(b"e", 1, NOW), (b"d", None, NOW), (b"c", 5, NOW), (b"b", 5, NOW - 1), (b"a", 10, NOW)]
    assert batch(facts, 20) == [b"a", b"b", b"c", b"d", b"e"]


def test_a_batch_takes_no_more_than_its_size() -> None:
    assert batch([(bytes([n]), 5, NOW - n) for n in range(30)], 20) == [bytes([n]) for n in range(29, 9, -1)]
    assert batch([(b"a", 5, NOW)], 0) == []


# What a model answered


def test_a_relation_between_what_was_shown_stands() -> None:
    said = [relation(reason="says so"), relation(OTHER, SEA, "negates")]
    assert settled(*said) == Settled(said, [])


def test_an_unknown_fact_is_dropped() -> None:
    assert settled(relation("cc" * 12), relation()) == Settled([relation()], ["relation 1: its fact was not asked about"])
    assert settled(relation(FACT[:8])).relations == []


def test_a_target_that_was_not_shown_is_dropped() -> None:
    assert settled(relation(target="3d" * 12)) == Settled([], ["relation 1: its target was not shown"])


def test_a_shortened_target_is_the_one_shown_id_that_it_begins() -> None:
    assert settled(relation(target=TEA[:9])).relations == [relation()]


def test_eight_digits_suffice_and_seven_do_not() -> None:
    for digits, stands in ((7, []), (8, [relation()])):
        assert settle([relation(target=TEA[:digits])], [FACT], [TEA]).relations == stands


def test_a_shortened_target_that_fits_two_is_dropped() -> None:
    assert settled(relation(target=TEA[:8])) == Settled([], ["relation 1: its target fits several"])


def test_equal_relations_count_once_also_by_a_shortened_target() -> None:
    answer = settled(relation(reason="first"), relation(target=TEA[:10], reason="again"))
    assert answer == Settled([relation(reason="first")], ["relation 2: the same as relation 1"])


def test_a_fact_that_speaks_both_ways_says_nothing_of_that_target() -> None:
    answer = settled(relation(), relation(signal="negates"), relation(target=SEA), relation(OTHER))
    assert answer.relations == [relation(target=SEA), relation(OTHER)]
    assert answer.dropped == [f"relation {n}: its fact both reinforces and negates its target" for n in (1, 2)]


def test_a_fact_is_no_evidence_for_itself() -> None:
    answer = settle([relation(target=FACT), relation(target=FACT[:8])], [FACT], [FACT, TEA])
    assert answer == Settled([], [f"relation {n}: a fact is no evidence for itself" for n in (1, 2)])


def test_what_a_model_wrote_in_place_of_an_id_is_not_told() -> None:
    assert "secret" not in " ".join(settled(relation("secret"), relation(target="secret plan")).dropped)


@pytest.mark.parametrize("field", [{"confidence": 1}, {"signal": "ignores"}, {"target": 7}])
def test_an_answer_with_anything_else_in_it_is_refused(field: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"fact": FACT, "target": TEA, "signal": "negates", **field}, Relation)


IDS = st.sampled_from([FACT, OTHER, TEA, SEA, TEA[:8], TEA[:10], SEA[:12], "", "1f", "?"])
SIGNALS: st.SearchStrategy[Speaks] = st.sampled_from(["reinforces", "negates"])


@given(st.lists(st.builds(relation, IDS, IDS, SIGNALS), max_size=20))
def test_every_relation_stands_or_is_told_and_settling_again_changes_nothing(answer: list[Relation]) -> None:
    once = settled(*answer)
    assert len(once.relations) + len(once.dropped) == len(answer)
    assert settled(*once.relations) == Settled(once.relations, [])
    assert len({(one.fact, one.target) for one in once.relations}) == len(once.relations)
