"""Which claims the user is asked about: what may be, and which of those are drawn."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW, Ids, Outcome, Story, a_claim, ana, asks, at, holds

from affidavit.domain.claims import ClaimState
from affidavit.domain.picking import Candidate, pick
from affidavit.domain.policy import ONE, Policy, Surfacing
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.surfacing import ClaimSurfaced, Surface, eligible, surface
from affidavit.domain.times import SECOND

POLICY = Policy()
MINUTE = 60 * SECOND
PENDING: dict[str, Any] = {"form": "reflection", "status": "pending"}
HEDGED: dict[str, Any] = {"confidence": POLICY.confidence.hedged}


def may(state: ClaimState, now: int = NOW) -> bool:
    return eligible(state, now, POLICY)


# What may be asked


def test_a_pending_reflection_and_an_unsure_fact_may_be_asked_about() -> None:
    assert may(a_claim(**PENDING))
    assert may(a_claim(**HEDGED))


@pytest.mark.parametrize(
    ("counters", "asked"),
    [
        ({}, True),
        ({"reinforcement": -1}, False),
        ({"reinforcement": ONE, "disputation": ONE}, True),
        ({"disputation": 1}, False),
    ],
)
def test_what_is_below_zero_is_not_asked_about(counters: dict[str, Any], asked: bool) -> None:
    assert may(a_claim(**PENDING, **counters)) is asked


def test_what_was_below_zero_is_asked_about_once_it_no_longer_is() -> None:
    state = a_claim(**PENDING, reinforcement=ONE, disputation=900_000, rein_last_signal_at=NOW, disp_last_signal_at=NOW)
    assert (may(state), may(state, at(30))) == (True, False)


@pytest.mark.parametrize(("minutes", "asked"), [(0, False), (29, False), (30, True), (31, True)])
def test_the_cooldown_passes_after_half_an_hour(minutes: int, asked: bool) -> None:
    story = Story()
    claim = holds(story, "User lives for the night.", **PENDING)
    story.keep(surface(asks(story, Surface, claims=(claim,)), story.index))
    assert may(story.index.states[claim], NOW + minutes * MINUTE) is asked


@pytest.mark.parametrize(
    "changes",
    [
        {"form": "reflection", "status": "confirmed"},
        {"form": "reflection", "status": "promote_blocked"},
        {"form": "reflection", "status": "denied"},
        {"form": "reflection", "status": "archived"},
        {"form": "reflection", "status": "pending", "generations": ()},
        {"form": "persona", **HEDGED},
        {"form": "narrative", **HEDGED},
        {**PENDING, "vouched": True},
        {**HEDGED, "vouched": True},
        {"confidence": POLICY.confidence.hedged + 1},
        {**HEDGED, "confirmation": "confirmed"},
        {**HEDGED, "confirmation": "contradicted"},
        {**HEDGED, "basis": "summary"},
        {**HEDGED, "basis": "imported"},
        {**HEDGED, "status": "absorbed"},
    ],
)
def test_what_is_settled_second_hand_or_vouched_for_is_not_asked_about(changes: dict[str, Any]) -> None:
    assert not may(a_claim(**changes))


# Drawing


def candidate(number: int, score: float = 0.0, text: str = "", reflection: bool = True) -> Candidate:
    return Candidate(bytes([number]) * 16, text or f"Sentence {number}.", score, reflection)


def seed(number: int) -> bytes:
    return number.to_bytes(32, "big")


CANDIDATES = st.lists(
    st.builds(candidate, st.integers(0, 255), st.floats(0, 5), reflection=st.booleans()),
    max_size=8,
    unique_by=lambda found: found.claim,
)
SEEDS = st.integers(0, 2**64).map(seed)


@given(CANDIDATES, SEEDS, st.randoms(use_true_random=False))
def test_the_same_seed_draws_the_same_whatever_the_order(candidates: list[Candidate], key: bytes, order: Any) -> None:
    shuffled = candidates.copy()
    order.shuffle(shuffled)
    assert pick(shuffled, key, 3) == pick(candidates, key, 3)


@given(CANDIDATES, SEEDS, st.integers(0, 9))
def test_at_most_so_many_are_drawn_each_once_and_reflections_first(
    candidates: list[Candidate], key: bytes, most: int
) -> None:
    drawn = pick(candidates, key, most)
    assert len(drawn) == len(set(drawn)) == min(most, len(candidates))
    assert [one.reflection for one in drawn] == sorted((one.reflection for one in drawn), reverse=True)
    assert sum(one.reflection for one in drawn) == min(most, sum(one.reflection for one in candidates))


def test_three_are_surfaced_at_once() -> None:
    assert Surfacing().most == 3
    assert len(pick([candidate(number) for number in range(9)], seed(1), Surfacing().most)) == 3


def test_another_seed_draws_another_sample() -> None:
    candidates = [candidate(number) for number in range(9)]
    assert len({tuple(pick(candidates, seed(number), 3)) for number in range(20)}) > 10


def test_claims_that_begin_alike_are_one_question() -> None:
    long = "x" * 120
    alike = [
        candidate(1, text="User  likes\ntea."),
        candidate(2, text="User likes tea."),
        candidate(3, text="User likes cake."),
    ]
    assert {" ".join(one.text.split()) for one in pick(alike, seed(1), 3)} == {"User likes tea.", "User likes cake."}
    assert len(pick(alike, seed(1), 3)) == 2
    assert len(pick([candidate(1, text=long + "a"), candidate(2, text=long + "b")], seed(1), 3)) == 1
    assert len(pick([candidate(1, text=long[1:] + "a"), candidate(2, text=long[1:] + "b")], seed(1), 3)) == 2


def test_the_weight_of_a_claim_is_its_score_and_a_half() -> None:
    draws = 4000
    candidates = [candidate(1, 0.0), candidate(2, 0.5), candidate(3, 2.5)]
    first = Counter(pick(candidates, seed(number), 1)[0].claim[0] for number in range(draws))
    for number, share in ((1, 0.5 / 4.5), (2, 1.0 / 4.5), (3, 3.0 / 4.5)):
        assert abs(first[number] / draws - share) < 0.03


def test_a_claim_below_zero_weighs_a_half_like_one_at_zero() -> None:
    for number in range(50):
        low, zero = ([candidate(1, score), candidate(2)] for score in (-3.0, 0.0))
        assert [one.claim for one in pick(low, seed(number), 1)] == [one.claim for one in pick(zero, seed(number), 1)]


# Surfacing


def surfaces(story: Story, *claims: bytes, actor: Actor = ana, days: float = 0) -> Outcome:
    return story.keep(surface(asks(story, Surface, actor=actor, claims=claims, days=days), story.index))


def test_surfacing_marks_when_and_until_when() -> None:
    story = Story()
    claim = holds(story, "User lives for the night.", **PENDING)
    before = story.index.states[claim]
    event = surfaces(story, claim, days=1).then(ClaimSurfaced).the(ClaimSurfaced)
    assert event.state == before.with_(surfaced_at=at(1), eligible_at=at(1) + 30 * MINUTE)


def test_claims_are_surfaced_in_the_order_asked_and_once_each() -> None:
    story = Story()
    claims = [holds(story, f"User has habit {number}.", **PENDING) for number in range(3)]
    outcome = surfaces(story, claims[2], claims[0], claims[2], claims[1])
    assert [event.claim for event in outcome.all(ClaimSurfaced)] == [claims[2], claims[0], claims[1]]


def test_what_may_not_be_asked_any_more_is_left_out() -> None:
    story = Story()
    denied = holds(story, "User lives for the night.", form="reflection", status="denied")
    pending = holds(story, "User hates mornings.", **PENDING)
    assert surfaces(story, denied, bytes(16), pending).then(ClaimSurfaced).the(ClaimSurfaced).claim == pending
    surfaces(story, pending).then_nothing()


@pytest.mark.parametrize("role", sorted(ROLES))
def test_people_and_their_host_surface_claims(role: Any) -> None:
    story = Story()
    outcome = surfaces(story, holds(story, "User lives for the night.", **PENDING), actor=Actor(role, "x"))
    if role in {"user", "operator", "host"}:
        outcome.then(ClaimSurfaced)
    else:
        outcome.then(WriteRefused).refused("role", actual=f"role {role}", required="role user, operator or host")


def test_surfacing_again_is_a_command_of_its_own() -> None:
    story = Story(new_id=Ids())
    assert asks(story, Surface, claims=()).natural_key != asks(story, Surface, claims=()).natural_key
