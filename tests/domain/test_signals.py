"""A user's fact counts for a claim, more from the third on, on clocks that never move back."""

import pytest
from spec import NOW, a_claim

from affidavit.domain.index import Tally
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.signals import latest, reinforced
from affidavit.domain.times import DAY

ONCE = Tally(frozenset({b"chat"}), frozenset({b"monday"}))


@pytest.mark.row("N7")
def test_four_facts_weigh_a_half_a_half_one_and_one() -> None:
    state, seen = a_claim(), []
    for day in range(4):
        state, weight = reinforced(state, NOW + day * DAY, ONCE, Policy())
        seen.append((weight / ONE, state.reinforcement / ONE, state.user_fact_reinforce_count))
    assert seen == [(0.5, 0.5, 1), (0.5, 1.0, 2), (1.0, 2.0, 3), (1.0, 3.0, 4)]


def test_a_signal_touches_its_own_side_and_clock_only() -> None:
    before = a_claim(disputation=ONE, disp_last_signal_at=NOW - DAY)
    after, _ = reinforced(before, NOW, ONCE, Policy())
    touched = {"reinforcement", "rein_last_signal_at", "user_fact_reinforce_count", "signals", "sources", "sessions"}
    assert after.with_(**{name: getattr(before, name) for name in touched}) == before


def test_an_older_fact_counts_but_moves_no_clock_back() -> None:
    after, _ = reinforced(a_claim(rein_last_signal_at=NOW), NOW - DAY, ONCE, Policy())
    assert (after.rein_last_signal_at, after.user_fact_reinforce_count) == (NOW, 1)


def test_sources_and_sessions_are_counted_once_each() -> None:
    tally = Tally(frozenset({b"chat"}), frozenset({b"monday", b"friday"}))
    after, _ = reinforced(a_claim(), NOW, tally, Policy())
    assert (after.sources, after.sessions) == (1, 2)


@pytest.mark.parametrize(("clock", "at", "later"), [(None, None, None), (None, 5, 5), (5, None, 5), (5, 3, 5), (3, 5, 5)])
def test_a_missing_time_moves_nothing(clock: int | None, at: int | None, later: int | None) -> None:
    assert latest(clock, at) == later
