"""What goes into the facts of a prompt, in which order, and what is left out with which reason."""

import random

from hypothesis import given
from hypothesis import strategies as st
from spec import NOW

from affidavit.domain.packing import Candidate, Left, Section, pack_facts
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
    assert [(chosen.place, round(chosen.rank, 6)) for chosen in section.chosen] == [(1, 1.08), (2, 0.81)]
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
