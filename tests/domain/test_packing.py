"""What goes into each section of a prompt, in which order, and what is left out with which reason."""

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW

from affidavit.domain.packing import (
    Candidate,
    Left,
    Observed,
    Section,
    cap,
    pack_facts,
    pack_persona,
    pack_reflections,
    suppressed_section,
)
from affidavit.domain.policy import Policy
from affidavit.domain.times import DAY
from affidavit.domain.tokens import Estimate

HEADING = Estimate().count("### What is known about the user")


def fact(number: int, text: str = "User likes tea.", **fields: object) -> Candidate:
    known: dict[str, object] = {"kind": "fact", "basis": "user_statement", "confirmed_at": NOW, **fields}
    return Candidate(claim=bytes([number]) * 16, text=text, **known)  # type: ignore[arg-type]


def pack(*candidates: Candidate, budget: int = 2000, days: float = 0) -> Section:
    return pack_facts(list(candidates), NOW + round(days * DAY), Policy(), Estimate(), budget)


def numbers(section: Section) -> list[int]:
    return [chosen.claim[0] for chosen in section.chosen]


def test_facts_stand_by_freshness_times_weight_then_id() -> None:
    old = fact(1, confirmed_at=NOW - 60 * DAY)
    corrected = fact(4, basis="manual_correction")
    assert numbers(pack(old, fact(3), fact(2), corrected)) == [4, 2, 3, 1]


def test_each_chosen_claim_has_its_place_rank_and_tokens() -> None:
    section = pack(fact(1), fact(2, confirmed_at=NOW - 60 * DAY))
    assert [chosen.place for chosen in section.chosen] == [1, 2]
    assert [chosen.rank for chosen in section.chosen] == pytest.approx([1.08, 0.81])
    assert section.lines == ["- User likes tea."] * 2
    assert section.tokens == HEADING + sum(chosen.tokens for chosen in section.chosen)


def test_a_dormant_claim_is_left_out_with_that_reason() -> None:
    section = pack(fact(1, kind="project_state"), days=8)
    assert section.left == [Left(bytes([1]) * 16, "dormant")]
    assert (section.lines, section.tokens) == ([], 0)


def test_a_claim_confirmed_again_is_no_longer_dormant() -> None:
    assert numbers(pack(fact(1, kind="project_state", confirmed_at=NOW + 8 * DAY), days=8)) == [1]


def test_a_pinned_claim_stays_and_ranks_as_fresh() -> None:
    old = NOW - 4000 * DAY
    section = pack(fact(1, confirmed_at=old, pinned=True), fact(2, confirmed_at=old), fact(3))
    assert numbers(section) == [1, 3]


def test_a_line_that_does_not_fit_is_skipped_and_a_smaller_one_taken() -> None:
    section = pack(fact(1, "long " * 50), fact(2, "Tea."), budget=HEADING + 5)
    assert numbers(section) == [2]
    assert [(left.claim[0], left.reason) for left in section.left] == [(1, "over budget")]


def test_a_line_that_just_fits_is_taken() -> None:
    assert numbers(pack(fact(1, "Tea."), budget=HEADING + Estimate().count("- Tea."))) == [1]


def test_a_budget_below_the_heading_leaves_the_section_empty() -> None:
    section = pack(fact(1), budget=HEADING)
    assert (section.lines, section.tokens, len(section.left)) == ([], 0, 1)


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 80)), max_size=20, unique=True), st.integers(0, 200))
def test_every_claim_is_chosen_or_left_and_the_budget_holds(drawn: list[tuple[int, int]], budget: int) -> None:
    facts = [fact(n, "word " * size, confirmed_at=NOW - days * DAY) for n, (days, size) in enumerate(drawn)]
    section = pack(*facts, budget=budget)
    shuffled = random.Random(budget).sample(facts, len(facts))
    assert pack(*shuffled, budget=budget).lines == section.lines
    assert section.tokens <= budget
    assert sorted([*numbers(section), *(left.claim[0] for left in section.left)]) == list(range(len(facts)))


# Persona claims and reflections


COUNT = Estimate().count
PERSONA, REFLECTIONS = COUNT("### Persona"), COUNT("### Reflections")
MAYBE = st.none() | st.integers(1, 10)
DRAWN = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["Tea.", "User likes tea.", "word " * 20]),
        "entity": st.sampled_from(["user", "agent", "Ben"]),
        "score": st.sampled_from([-1.0, 0.0, 0.5, 2.0]),
        "importance": MAYBE,
        "protected": st.booleans(),
        "person_protected": st.booleans(),
        "suppressed": st.booleans(),
        "dormant": st.booleans(),
        "past_days": MAYBE,
    }
)
STATUSES = st.sampled_from(["pending", "confirmed", "promote_blocked"])


def trait(number: int, text: str = "User likes tea.", **fields: Any) -> Observed:
    known = {"entity": "user", "form": "persona", "status": "active", "score": 1.0, **fields}
    return Observed(claim=bytes([number]) * 16, text=text, **known)


def hunch(number: int, text: str = "User likes tea.", **fields: Any) -> Observed:
    return trait(number, text, **{"form": "reflection", "status": "confirmed", **fields})


def persona(*traits: Observed, budget: int = 2000, **most: int) -> Section:
    return pack_persona(list(traits), Estimate(), budget, **most)


def reflections(*hunches: Observed, budget: int = 2000) -> Section:
    return pack_reflections(list(hunches), Estimate(), budget)


def reasons(section: Section) -> list[tuple[int, str]]:
    return [(left.claim[0], left.reason) for left in section.left]


@pytest.mark.row("N39")
def test_equal_scores_go_by_importance() -> None:
    said = [trait(n, f"Importance {n}.", importance=n) for n in (1, 9, 5)]
    assert persona(*said).lines == ["- Importance 9.", "- Importance 5.", "- Importance 1."]
    assert numbers(reflections(*(hunch(n, importance=n) for n in (1, 9, 5)))) == [9, 5, 1]


def test_score_comes_before_importance_and_no_importance_comes_last() -> None:
    said = [trait(1), trait(2, importance=1), trait(3, importance=10), trait(4, score=1.5), trait(5)]
    assert numbers(persona(*said)) == [4, 3, 2, 1, 5]


def test_persona_claims_are_shown_at_any_score() -> None:
    assert numbers(persona(trait(1, score=0.0), trait(2, score=-1.5))) == [1, 2]


def test_protected_claims_stand_first_and_outside_the_budget() -> None:
    card = trait(9, "long " * 50, protected=True, score=math.inf)
    section = persona(trait(1, "Tea."), trait(2, "Coffee."), card, budget=COUNT("- Tea."))
    assert numbers(section) == [9, 1]
    assert (section.outside, section.tokens) == (PERSONA + 51, PERSONA + 51 + COUNT("- Tea."))
    assert reasons(section) == [(2, "over budget")]


def test_a_protected_claim_has_no_rank_and_a_manifest_can_hold_it() -> None:
    section = persona(trait(1, protected=True, score=math.inf), trait(2, score=0.25))
    ranks = [chosen.rank for chosen in section.chosen]
    assert json.dumps(ranks, allow_nan=False) == "[null, 0.25]"


def test_protected_claims_beyond_the_most_are_left_out() -> None:
    section = persona(*(trait(n, protected=True) for n in range(82)), trait(99))
    assert numbers(section) == [*range(80), 99]
    assert reasons(section) == [(80, "too many"), (81, "too many")]
    assert reasons(persona(trait(1, protected=True), most_protected=0)) == [(1, "too many")]


def test_the_heading_counts_once_in_the_budget() -> None:
    fits = PERSONA + 2 * COUNT("- Tea.")
    assert persona(trait(1, "Tea."), trait(2, "Tea."), budget=fits).tokens == fits
    assert numbers(persona(trait(1, "Tea."), trait(2, "Tea."), budget=fits - 1)) == [1]


def test_a_persona_claim_that_does_not_fit_is_skipped_and_a_smaller_one_taken() -> None:
    section = persona(trait(1, "long " * 50, score=5.0), trait(2, "Tea."), budget=PERSONA + 5)
    assert (numbers(section), reasons(section)) == ([2], [(1, "over budget")])


def test_several_entities_have_sub_headings_the_user_first() -> None:
    section = persona(
        trait(1, "Ben sings.", entity="Ben", score=9.0),
        trait(2, "User reads."),
        trait(3, "Agent is Mira.", entity="agent", protected=True),
        trait(4, "User runs.", protected=True),
    )
    assert section.lines == [
        "#### user",
        "- User runs.",
        "- User reads.",
        "#### Ben",
        "- Ben sings.",
        "#### agent",
        "- Agent is Mira.",
    ]
    assert [(chosen.claim[0], chosen.place) for chosen in section.chosen] == [(4, 1), (2, 2), (1, 3), (3, 4)]
    assert section.tokens == PERSONA + sum(COUNT(line) for line in section.lines)


def test_one_entity_has_no_sub_heading_whoever_it_is() -> None:
    assert persona(trait(1, "Ben sings.", entity="Ben")).lines == ["- Ben sings."]


def test_sub_headings_count_from_the_second_entity_on() -> None:
    said = [trait(1, "Tea.", score=2.0), trait(2, "Tea.", entity="Ben")]
    fits = PERSONA + 2 * COUNT("- Tea.") + COUNT("#### user") + COUNT("#### Ben")
    assert persona(*said, budget=fits).tokens == fits
    assert persona(*said, budget=fits - 1).lines == ["- Tea."]


def test_what_is_said_too_often_or_dormant_leaves_its_section() -> None:
    awry = [trait(1, suppressed=True), trait(2, dormant=True), trait(3, suppressed=True, dormant=True)]
    assert reasons(persona(*awry)) == [(1, "suppressed"), (2, "dormant"), (3, "suppressed")]


def test_a_card_claim_does_not_fall_dormant() -> None:
    assert numbers(persona(trait(1, protected=True, dormant=True))) == [1]


@pytest.mark.row("N40")
def test_a_confirmed_reflection_at_zero_negative_or_suppressed_is_not_rendered() -> None:
    section = reflections(hunch(1, score=0.0), hunch(2, score=-0.5), hunch(3, suppressed=True))
    assert (section.lines, section.tokens) == ([], 0)
    assert sorted(reasons(section)) == [(1, "score 0 or below"), (2, "score 0 or below"), (3, "suppressed")]


def test_a_person_keeps_a_confirmed_reflection_in_sight_at_any_score() -> None:
    kept = [hunch(1, score=0.0, person_protected=True), hunch(2, score=-2.0, person_protected=True)]
    assert numbers(reflections(*kept)) == [1, 2]


def test_a_pending_reflection_is_shown_at_any_score_and_never_suppressed() -> None:
    section = reflections(hunch(1, status="pending", score=-0.2, suppressed=True))
    assert section.lines == ["- (unconfirmed) User likes tea."]


def test_pending_stand_first_then_what_is_current_then_what_is_past() -> None:
    section = reflections(
        hunch(1, "User moved.", score=9.0, past_days=12),
        hunch(2, "User flew.", score=8.0, past_days=1),
        hunch(3, "User reads.", status="promote_blocked"),
        hunch(4, "User runs.", score=3.0),
        hunch(5, "User may sing.", status="pending", score=0.0, past_days=12),
    )
    assert section.lines == [
        "- (unconfirmed) User may sing.",
        "- User runs.",
        "- User reads.",
        "- 12 days ago: User moved.",
        "- 1 day ago: User flew.",
    ]
    assert [chosen.place for chosen in section.chosen] == [1, 2, 3, 4, 5]
    assert section.tokens == REFLECTIONS + sum(COUNT(line) for line in section.lines)


def test_pending_and_confirmed_share_one_budget_by_score() -> None:
    line = COUNT("- (unconfirmed) Tea.")
    said = [hunch(1, "Tea.", status="pending", score=0.0), hunch(2, "Tea.", status="pending", score=0.8), hunch(3, "Tea.")]
    section = reflections(*said, budget=REFLECTIONS + line + COUNT("- Tea."))
    assert (numbers(section), reasons(section)) == ([2, 3], [(1, "over budget")])


def test_a_blocked_promotion_is_filtered_as_a_confirmed_reflection() -> None:
    assert reasons(reflections(hunch(1, status="promote_blocked", score=0.0))) == [(1, "score 0 or below")]


def test_suppressed_texts_stand_once_and_at_most_forty() -> None:
    said = [*(trait(n, f"Topic {n}.") for n in range(41)), trait(41, "Topic 0.", score=0.5)]
    section = suppressed_section(said, Estimate())
    assert section.heading == "### Do not bring up"
    assert section.lines == [f"- Topic {n}." for n in range(40)]
    assert reasons(section) == [(40, "too many"), (41, "same text")]
    assert section.tokens == COUNT(section.heading) + sum(COUNT(line) for line in section.lines)


def test_of_suppressed_claims_the_best_are_named() -> None:
    assert numbers(suppressed_section([trait(1, "A."), trait(2, "B.", score=2.0)], Estimate(), most=1)) == [2]
    assert suppressed_section([], Estimate()).tokens == 0


@pytest.mark.parametrize(
    ("own", "budget", "spent", "most"),
    [(2000, None, 9000, 2000), (2000, 5000, 0, 2000), (2000, 5000, 3500, 1500), (2000, 500, 0, 500), (2000, 500, 600, 0)],
)
def test_a_section_may_spend_its_own_or_what_is_left_of_the_whole(
    own: int, budget: int | None, spent: int, most: int
) -> None:
    assert cap(own, budget, spent) == most


def accounted(section: Section, shuffled: Section, count: int) -> None:
    assert section == shuffled
    assert sorted([*numbers(section), *(left.claim[0] for left in section.left)]) == list(range(count))
    assert [chosen.place for chosen in section.chosen] == list(range(1, len(section.chosen) + 1))
    heading = COUNT(section.heading) if section.lines else 0
    assert section.tokens == heading + sum(COUNT(line) for line in section.lines)


@given(st.lists(DRAWN, max_size=20), st.integers(0, 120), st.integers(0, 4))
def test_every_persona_claim_is_chosen_or_left_in_any_order_and_the_budget_holds(
    drawn: list[dict[str, Any]], budget: int, most: int
) -> None:
    traits = [trait(n, **fields) for n, fields in enumerate(drawn)]
    section = persona(*traits, budget=budget, most_protected=most)
    shuffled = random.Random(budget).sample(traits, len(traits))
    accounted(section, persona(*shuffled, budget=budget, most_protected=most), len(traits))
    assert section.tokens - section.outside <= budget
    alone = persona(*(one for one in traits if one.protected), budget=0, most_protected=most)
    assert section.outside == alone.outside == alone.tokens


@given(st.lists(st.tuples(DRAWN, STATUSES), max_size=20), st.integers(0, 120))
def test_every_reflection_is_chosen_or_left_in_any_order_and_the_budget_holds(
    drawn: list[tuple[dict[str, Any], str]], budget: int
) -> None:
    hunches = [hunch(n, status=status, **{**fields, "protected": False}) for n, (fields, status) in enumerate(drawn)]
    section = reflections(*hunches, budget=budget)
    shuffled = random.Random(budget).sample(hunches, len(hunches))
    accounted(section, reflections(*shuffled, budget=budget), len(hunches))
    assert section.tokens <= budget
    assert section.outside == 0


@given(st.lists(DRAWN, max_size=12), st.integers(0, 4))
def test_every_suppressed_claim_is_named_or_left_in_any_order(drawn: list[dict[str, Any]], most: int) -> None:
    traits = [trait(n, **fields) for n, fields in enumerate(drawn)]
    section = suppressed_section(traits, Estimate(), most=most)
    shuffled = random.Random(most).sample(traits, len(traits))
    accounted(section, suppressed_section(shuffled, Estimate(), most=most), len(traits))
    assert len(section.lines) == len(set(section.lines)) <= most
