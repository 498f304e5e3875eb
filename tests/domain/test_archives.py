"""Fourteen days below zero lead to the archive, once a day, of the scope's own days; a person's claims do not go there."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW, SCOPE, FakeIndex, Ids, Outcome, Story, a_claim, ana, at, home

from affidavit.domain.archives import (
    ClaimArchived,
    ClaimUnarchived,
    SubZeroDayCounted,
    Sweep,
    Unarchive,
    due,
    sweep,
    unarchive,
)
from affidavit.domain.claims import ClaimState, ReviewRequired
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.times import SECOND, local_day

CLAIM = b"claim".ljust(16, b".")
POLICY = Policy()
SCHEDULER = Actor("scheduler", "loops")


def sunk(**changes: Any) -> ClaimState:
    return a_claim(**{"disputation": 5 * ONE, "disp_last_signal_at": NOW, **changes})


def looked(state: ClaimState, now: int, zone: str = "UTC") -> Outcome:
    day = local_day(now, zone)
    command = Sweep(actor=SCHEDULER, at=now, new_id=Ids(), scope=SCOPE, claim=CLAIM, day=day)
    outcome = Outcome(sweep(command, state, POLICY))
    assert bool(outcome.events) == due(state, now, day, POLICY)
    return outcome


def after(outcome: Outcome, state: ClaimState) -> ClaimState:
    events: list[Any] = list(outcome.events)
    return events[-1].state if events else state


@pytest.mark.row("N12")
def test_a_day_counts_once_and_only_below_zero() -> None:
    state, counts = sunk(), []
    better = {"reinforcement": 10 * ONE, "rein_last_signal_at": at(2)}
    for moment, changes in ((0, {}), (0.2, {}), (1, {}), (2, better), (3, {"reinforcement": 0})):
        state = state.with_(**changes)
        state = after(looked(state, at(moment)), state)
        counts.append(state.sub_zero_days)
    assert counts == [1, 1, 2, 2, 3]


@pytest.mark.row("N13")
def test_the_fourteenth_day_archives() -> None:
    state, counts = sunk(), []
    for day in range(14):
        outcome = looked(state, at(day))
        state = after(outcome, state)
        counts.append(state.sub_zero_days)
    assert counts == list(range(1, 15))
    archived = outcome.then(SubZeroDayCounted, ClaimArchived).the(ClaimArchived)
    assert (archived.actual, archived.required, archived.day) == (14, 14, local_day(at(13), "UTC"))
    assert (state.status, state.before, state.since, state.live) == ("archived", "active", at(13), False)


@pytest.mark.row("N5")
def test_what_is_on_the_card_never_counts_a_day() -> None:
    looked(sunk(basis="card"), NOW).then_nothing()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kathmandu"])
def test_a_minute_before_and_after_the_local_midnight_are_two_days(zone: str) -> None:
    first = local_day(NOW, zone)
    midnight = next(
        NOW + minute * 60 * SECOND for minute in range(1500) if local_day(NOW + minute * 60 * SECOND, zone) != first
    )
    state = after(looked(sunk(), midnight - 60 * SECOND, zone), sunk())
    state = after(looked(state, midnight + 60 * SECOND, zone), state)
    assert state.sub_zero_days == 2


@pytest.mark.row("N12")
def test_a_clock_moved_back_counts_nothing() -> None:
    state = after(looked(sunk(), NOW), sunk())
    looked(state, at(-1)).then_nothing()
    looked(state, at(-400)).then_nothing()
    looked(state, at(1)).then(SubZeroDayCounted)


def test_days_that_nobody_looked_at_are_not_caught_up() -> None:
    state = after(looked(sunk(), NOW), sunk())
    assert after(looked(state, at(100)), state).sub_zero_days == 2


def test_who_has_enough_days_is_archived_whatever_the_score_is_today() -> None:
    state = a_claim(sub_zero_days=14, reinforcement=9 * ONE)
    looked(state, NOW).then(ClaimArchived)


@pytest.mark.parametrize("held", ["corrected", "pinned", "vouched"])
def test_what_a_person_holds_goes_to_the_inbox_once(held: str) -> None:
    state = sunk(sub_zero_days=13, **{held: True})
    outcome = looked(state, NOW).then(SubZeroDayCounted, ReviewRequired)
    assert (outcome.the(ReviewRequired).rule, outcome.the(ReviewRequired).required) == ("archive", 14 * ONE)
    waits = after(outcome, state)
    assert (waits.status, waits.review) == ("active", "archive")
    looked(waits, at(1)).then_nothing()
    looked(waits.with_(**{held: False}), at(1)).then(ClaimArchived)


@pytest.mark.parametrize("status", ["promote_blocked", "denied", "superseded", "archived", "promoted", "quarantined"])
def test_only_live_claims_that_wait_for_nobody_are_swept(status: str) -> None:
    looked(sunk(status=status, sub_zero_days=14), NOW).then_nothing()


def test_a_score_of_zero_is_not_below_it() -> None:
    looked(a_claim(), NOW).then_nothing()


def taken(state: ClaimState, by: Actor = ana, index: FakeIndex | None = None) -> Outcome:
    command = Unarchive(actor=by, at=NOW, new_id=Ids(), scope=SCOPE, claim=CLAIM, namespace="")
    return Outcome(unarchive(command, state, index or FakeIndex()))


@pytest.mark.parametrize("before", ["active", "pending", "confirmed"])
def test_an_archived_claim_comes_back_as_it_was_with_a_clean_tally(before: str) -> None:
    state = sunk(status="archived", before=before, sub_zero_days=14).with_(topic=None, value=None)
    back = taken(state).then(ClaimUnarchived).the(ClaimUnarchived).state
    assert (back.status, back.before, back.sub_zero_days, back.since) == (before, None, 0, NOW)
    assert back.disputation == state.disputation


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_nobody_else_takes_one_back(role: Any) -> None:
    taken(sunk(status="archived"), Actor(role, "x")).then(WriteRefused)


def test_what_is_live_needs_no_taking_back_and_the_denied_none() -> None:
    taken(a_claim()).then_nothing()
    taken(a_claim(status="denied")).refused("not archived", actual="status denied")


def test_the_gate_stands_before_the_archive() -> None:
    story = Story()
    story.hears("I like tea.", home("Lisbon"))
    state = story.state("User lives in Lisbon.")
    story.rejects("User lives in Lisbon.")
    taken(state.with_(status="archived"), index=story.index).refused("rejected value")


def test_an_archived_home_does_not_come_back_beside_the_new_one() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    old = story.state("User lives in Lisbon.").with_(status="archived")
    story.hears("I live in Porto.", home("Porto"), days=1)
    taken(old, index=story.index).refused("superseded")


@given(st.integers(-(10**7), 10**7), st.integers(0, 10**7), st.integers(0, 20), st.booleans(), st.booleans())
def test_a_sweep_does_something_only_where_it_is_due(up: int, down: int, days: int, pinned: bool, today: bool) -> None:
    state = a_claim(
        reinforcement=up,
        disputation=down,
        sub_zero_days=days,
        pinned=pinned,
        sub_zero_last_increment_date=local_day(NOW, "UTC") if today else None,
    )
    looked(state, NOW)
