"""The ladder: what confirms and promotes a claim, what defers, blocks or denies it, and what a late answer may not do."""

from typing import Any

import msgspec
import pytest
from spec import NOW, Outcome, Story, asks, at, holds

from affidavit.domain.claims import ClaimDenied, ClaimState, ReviewRequired, digests
from affidavit.domain.index import Mode
from affidavit.domain.lifecycle import (
    Attempt,
    ClaimConfirmed,
    ClaimMerged,
    ClaimPromoted,
    Climb,
    Promote,
    PromotionBlocked,
    PromotionDeferred,
    attempt,
    climb,
    promotable,
    promote,
)
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.questions import Merge, MergeClause
from affidavit.domain.roles import Actor

SCHEDULER = Actor("scheduler", "loops")
QUIET = "User needs quiet in the morning."
FRESH = Merge("promote_fresh")
EAGER = msgspec.structs.replace(Policy(), score=msgspec.structs.replace(Policy().score, promoted=-10 * ONE))
"""A policy under which anything is promoted."""
STRONG: dict[str, Any] = {"reinforcement": 2 * ONE, "rein_last_signal_at": NOW, "sessions": 2}


def told(story: Story, text: str = QUIET, days: float = 0, **changes: Any) -> bytes:
    """Lets a reflection, confirmed and strong enough unless told otherwise, stand on a message."""
    item = story.says(f"{text} {len(story.index.items)}", days=days)
    known = {"form": "reflection", "status": "confirmed", "kind": "pattern", "topic": None, "value": None, **STRONG}
    claim = holds(story, text, item, form="reflection")
    story.index.states[claim] = story.index.states[claim].with_(**{**known, "since": NOW, **changes})
    return claim


def a_fact(story: Story, value: str, **changes: Any) -> bytes:
    item = story.says(f"I like {value} {len(story.index.items)}.")
    return holds(story, f"User likes {value}.", item, attribute="likes", value=value, **{**STRONG, **changes})


def asked(story: Story, claim: bytes, answer: Merge | None = None, *, days: float = 0, **more: Any) -> Outcome:
    command = asks(story, Promote, actor=SCHEDULER, days=days, claim=claim, namespace="", answer=answer, **more)
    return story.keep(promote(command, story.index.states[claim], story.index))


def tried(story: Story, claim: bytes, days: float = 0) -> Outcome:
    command = asks(story, Attempt, actor=SCHEDULER, days=days, claim=claim)
    return story.keep(attempt(command, story.index.states[claim], story.index))


def climbed(story: Story, claim: bytes, days: float = 0) -> Outcome:
    command = asks(story, Climb, actor=SCHEDULER, days=days, claim=claim)
    return story.keep(climb(command, story.index.states[claim], story.index))


def persona(story: Story, claim: bytes) -> bytes:
    """Promotes a claim afresh; returns the id of its persona claim."""
    asked(story, claim, FRESH).then(ClaimPromoted, ClaimPromoted)
    found = story.index.states[claim].superseded_by
    assert found is not None
    return found


def into(target: bytes, text: str = "Both.", mine: str = "", theirs: str = "") -> Merge:
    clauses = (MergeClause(mine or text, "claim"), MergeClause(theirs or text, "target"))
    return Merge("merge_into", target.hex()[:24], text, clauses)


# -- up ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "confirmed"),
    [
        ({"reinforcement": ONE}, True),
        ({"reinforcement": ONE - 1}, False),
        ({"reinforcement": 9 * ONE, "sessions": 1}, False),
        ({"reinforcement": ONE, "sessions": 1, "vouched": True}, True),
        ({"reinforcement": ONE - 1, "vouched": True}, False),
        ({"reinforcement": 3 * ONE, "disputation": 3 * ONE}, False),
    ],
)
def test_a_pending_reflection_is_confirmed_at_one_by_two_sessions_or_the_user(changes: Any, confirmed: bool) -> None:
    story = Story()
    outcome = climbed(story, told(story, status="pending", **changes))
    if not confirmed:
        outcome.then_nothing()
        return
    event = outcome.then(ClaimConfirmed).the(ClaimConfirmed)
    assert (event.state.status, event.measure.by, event.measure.required) == ("confirmed", "score", ONE)
    assert event.measure.actual >= ONE


def test_a_promotion_ends_one_claim_and_begins_another_with_its_counters_and_places() -> None:
    story = Story()
    claim = told(story)
    before = story.index.states[claim]
    begin, end = asked(story, claim, FRESH).then(ClaimPromoted, ClaimPromoted).all(ClaimPromoted)
    assert (end.claim, end.state.status, end.state.superseded_by) == (claim, "promoted", begin.claim)
    assert (begin.state.form, begin.state.status, begin.state.parents) == ("persona", "active", (claim,))
    assert (begin.state.reinforcement, begin.state.rein_last_signal_at) == (before.reinforcement, NOW)
    assert story.index.content(begin.state).text == QUIET
    assert story.index.citations(begin.claim) == story.index.citations(claim)
    assert (begin.measure.actual, begin.measure.required, begin.measure.sessions) == (2 * ONE, 2 * ONE, 2)
    asked(story, claim, FRESH).then_nothing()


@pytest.mark.parametrize("status", ["absorbed", "superseded", "denied", "archived", "quarantined", "promoted"])
def test_a_fact_is_promoted_only_while_it_is_active(status: str) -> None:
    story = Story()
    asked(story, a_fact(story, "tea", status=status), FRESH).then_nothing()


# -- the answers of a model --------------------------------------------------------------------------------------------


@pytest.mark.row("N26")
@pytest.mark.parametrize(
    "wrong",
    [
        {"target_id": "0" * 24},
        {"target_id": ""},
        {"merged_text": "  "},
        {"clauses": (MergeClause("Both.", "claim"),)},
        {"clauses": (MergeClause("Both.", "claim"), MergeClause("not there", "target"))},
    ],
)
def test_an_answer_that_does_not_hold_up_defers(wrong: dict[str, Any]) -> None:
    story = Story()
    target, claim = persona(story, told(story)), told(story, "User paints.")
    good = into(target)
    fields = {name: wrong.get(name, getattr(good, name)) for name in ("action", "target_id", "merged_text", "clauses")}
    event = asked(story, claim, Merge(**fields)).then(PromotionDeferred).the(PromotionDeferred)
    assert (event.rule, event.state.status) == ("invalid target", "confirmed")


@pytest.mark.row("N28")
@pytest.mark.parametrize("status", ["denied", "archived", "promote_blocked"])
@pytest.mark.parametrize("fresh", [True, False])
def test_a_late_answer_overwrites_nothing(status: str, fresh: bool) -> None:
    story = Story()
    target, claim = persona(story, told(story)), told(story, "User paints.")
    answer = FRESH if fresh else into(target)
    story.index.states[claim] = story.index.states[claim].with_(status=status)
    before = dict(story.index.states)
    asked(story, claim, answer).then_nothing()
    assert story.index.states == before


def test_an_answer_on_another_wording_is_late() -> None:
    story = Story()
    claim = told(story)
    event = asked(story, claim, FRESH, read={claim: b"another wording."}).then(PromotionDeferred).the(PromotionDeferred)
    assert event.rule == "stale"


@pytest.mark.row("N31")
def test_a_denial_and_a_block_have_reasons_of_their_own() -> None:
    story = Story()
    told(story)
    denied = asked(story, told(story, "User paints."), Merge("reject", reason="too vague")).the(ClaimDenied)
    assert (denied.rule, denied.reason, denied.state.status) == ("merge", "too vague", "denied")
    blocked = tried(story, told(story, "User sings.", attempts=5)).the(PromotionBlocked)
    assert (blocked.rule, blocked.actual, blocked.required) == ("llm_unavailable", 5, 5)
    assert not hasattr(blocked, "reason")


def test_a_model_denies_no_fact() -> None:
    story = Story()
    claim = a_fact(story, "tea")
    assert asked(story, claim, Merge("reject")).then(ReviewRequired).the(ReviewRequired).state.status == "active"


# -- attempts ----------------------------------------------------------------------------------------------------------


@pytest.mark.row("N27")
def test_an_attempt_within_half_an_hour_is_not_made_and_the_sixth_blocks() -> None:
    story = Story()
    claim = told(story, attempts=1, attempt_at=at(-2 / 1440))
    tried(story, claim).then_nothing()
    assert story.index.states[claim].attempts == 1
    event = tried(story, claim, days=0).events
    assert event == ()
    five = told(story, "User sings.", attempts=5, attempt_at=at(-1), reinforcement=9 * ONE)
    assert tried(story, five).then(PromotionBlocked).the(PromotionBlocked).state.status == "promote_blocked"
    tried(story, five, days=1).then_nothing()


@pytest.mark.row("N29")
def test_of_two_that_ask_at_once_one_attempt_is_recorded() -> None:
    story = Story()
    claim = told(story)
    assert tried(story, claim).then(PromotionDeferred).the(PromotionDeferred).rule == "asked"
    tried(story, claim).then_nothing()
    assert story.index.states[claim].attempts == 1


def test_a_fact_whose_question_is_never_answered_stays_a_fact() -> None:
    story = Story()
    claim = a_fact(story, "tea", attempts=5)
    assert tried(story, claim).then(ReviewRequired).the(ReviewRequired).state.status == "active"
    tried(story, claim).then_nothing()


# -- without a model ---------------------------------------------------------------------------------------------------


def test_without_an_answer_a_claim_that_nothing_is_like_is_promoted() -> None:
    story = Story()
    asked(story, a_fact(story, "tea")).then(ClaimPromoted, ClaimPromoted)


def test_without_an_answer_one_that_another_stands_beside_waits_once() -> None:
    story = Story()
    persona(story, a_fact(story, "tea"))
    cake = a_fact(story, "cake")
    assert asked(story, cake).then(ReviewRequired).the(ReviewRequired).rule == "promotion"
    asked(story, cake).then_nothing()
    assert story.index.states[cake].status == "active"


@pytest.mark.row("N30")
def test_a_conflict_queues_and_one_with_the_card_denies() -> None:
    story = Story()
    first = persona(story, a_fact(story, "tea"))
    against = holds(story, "User dislikes tea.", story.says("I dislike tea."), attribute="likes", value="tea", **STRONG)
    content, state = story.index.content(story.index.states[against]), story.index.states[against]
    opposite = state.with_(polarity="negative", **digests(story.index, "", content, "negative"))
    story.index.states[against] = opposite
    outcome = asked(story, against, FRESH).then(ReviewRequired)
    assert (outcome.the(ReviewRequired).rule, outcome.the(ReviewRequired).state.status) == ("correction queued", "active")
    story.index.states[first] = story.index.states[first].with_(basis="card")
    story.index.states[against] = story.index.states[against].with_(review="")
    denied = asked(story, against, FRESH).then(ClaimDenied).the(ClaimDenied)
    assert (denied.rule, denied.state.status) == ("character card", "denied")


def test_a_claim_in_the_words_of_a_persona_claim_merges_into_it() -> None:
    story = Story()
    first = persona(story, a_fact(story, "tea"))
    again = told(story, "User likes tea.", topic=None, value=None)
    asked(story, again).then(ClaimMerged, ClaimMerged)
    assert story.index.states[again].superseded_by == first


# -- merges ------------------------------------------------------------------------------------------------------------


@pytest.mark.row("N21")
@pytest.mark.parametrize(
    ("target", "claim", "expected"),
    [((2, 0), (3, 1), (3, 1)), ((4, 0), (3, 1), (4, 1)), ((0, 0), (2.5, 0.5), (2.5, 0.5))],
)
def test_a_merge_takes_the_greater_of_each_side(target: Any, claim: Any, expected: Any) -> None:
    story = Story()
    first = persona(story, told(story))
    story.index.states[first] = _counted(story.index.states[first], *target)
    second = told(story, "User paints.", **_sides(*claim))
    merged, ended = asked(story, second, into(first)).then(ClaimMerged, ClaimMerged).all(ClaimMerged)
    assert (merged.state.reinforcement / ONE, merged.state.disputation / ONE) == expected
    assert (merged.state.sub_zero_days, ended.state.status) == (0, "merged")


@pytest.mark.row("N21")
def test_the_rows_own_values() -> None:
    """(2.0, 0) with (1.0, 1.0) is (2.0, 1.0), and nothing with (1.5, .5) is (1.5, .5); thresholds are set aside."""
    for target, claim, expected in (((2, 0), (1, 1), (2, 1)), ((0, 0), (1.5, 0.5), (1.5, 0.5))):
        story = Story()
        story.index.policy = EAGER
        first = persona(story, told(story))
        story.index.states[first] = _counted(story.index.states[first], *target)
        second = told(story, "User paints.", **_sides(*claim))
        merged = asked(story, second, into(first)).all(ClaimMerged)[0]
        assert (merged.state.reinforcement / ONE, merged.state.disputation / ONE) == expected


def _sides(up: float, down: float) -> dict[str, int]:
    sides = {"reinforcement": round(up * ONE), "disputation": round(down * ONE)}
    return {**sides, "rein_last_signal_at": NOW, "disp_last_signal_at": NOW}


def _counted(state: ClaimState, up: float, down: float) -> ClaimState:
    return state.with_(**_sides(up, down))


@pytest.mark.row("N22")
def test_merged_again_only_the_end_is_written_and_the_text_stays_the_first() -> None:
    story = Story()
    first, second = persona(story, told(story)), told(story, "User paints.")
    before = story.index.states[second]
    asked(story, second, into(first, "Quiet, and paint.", mine="paint", theirs="Quiet")).then(ClaimMerged, ClaimMerged)
    story.index.states[second] = before
    asked(story, second, into(first, "Other.")).then(ClaimMerged)
    assert story.index.content(story.index.states[first]).text == "Quiet, and paint."
    assert story.index.states[second].status == "merged"


def test_a_merge_keeps_the_later_clock_and_says_whose_each_clause_is() -> None:
    story = Story()
    first = persona(story, told(story))
    second = told(story, "User paints.", rein_last_signal_at=at(1), reinforcement=3 * ONE)
    answer = into(first, "Quiet, and paint.", mine="paint", theirs="Quiet")
    merged = asked(story, second, answer, days=1).all(ClaimMerged)[0]
    assert merged.state.rein_last_signal_at == at(1)
    assert [(clause.text, clause.claim) for clause in merged.clauses or ()] == [("paint", second), ("Quiet", first)]
    assert {cited.evidence for cited in story.index.citations(first)} == set(story.index.items)


# -- powerful memory off -----------------------------------------------------------------------------------------------


def test_off_reflections_climb_by_age_one_step_at_a_time() -> None:
    story = Story()
    story.index.mode = Mode(powerful=False, since=at(-100))
    claim = told(story, status="pending", reinforcement=0, sessions=0)
    climbed(story, claim, days=6.9).then_nothing()
    event = climbed(story, claim, days=7).then(ClaimConfirmed).the(ClaimConfirmed)
    assert (event.measure.by, event.measure.actual, event.measure.required) == ("age", 7 * ONE, 7 * ONE)
    asked(story, claim, days=7).then_nothing()
    asked(story, claim, days=13.9).then_nothing()
    asked(story, claim, days=14).then(ClaimPromoted, ClaimPromoted)


def test_switching_off_begins_the_second_step_anew_and_a_missing_time_skips() -> None:
    story = Story()
    claim = told(story, since=at(-30))
    story.index.mode = Mode(powerful=False, since=NOW)
    state = story.index.states[claim]
    assert promotable(state, at(6.9), Policy(), story.index.mode) is None
    assert promotable(state, at(7), Policy(), story.index.mode) is not None
    assert promotable(state.with_(since=None), at(70), Policy(), story.index.mode) is None
