"""A user's fact counts for a claim, more from the third on, on clocks that never move back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW, a_claim

from affidavit.domain.index import Tally
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.signals import latest, moved, reinforced
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


@pytest.mark.row("N8")
def test_confirmations_and_negations_never_count_towards_the_combo() -> None:
    confirmed = negated = a_claim()
    for day in range(5):
        confirmed = moved(confirmed, NOW + day * DAY, Policy(), up=ONE, source="user_confirm")
        negated = moved(negated, NOW + day * DAY, Policy(), down=ONE, source="user_fact")
    assert (confirmed.reinforcement, confirmed.user_fact_reinforce_count) == (5 * ONE, 0)
    assert (negated.disputation, negated.user_fact_reinforce_count) == (5 * ONE, 0)


@pytest.mark.row("N9")
def test_disputation_stops_at_zero_and_its_clock_moves_all_the_same() -> None:
    after = moved(a_claim(disputation=ONE // 2), NOW, Policy(), down=-2 * ONE, source="migration_seed")
    assert (after.disputation, after.disp_last_signal_at, after.rein_last_signal_at) == (0, NOW, None)


@pytest.mark.row("N11")
def test_both_sides_at_once_move_both_clocks_in_one_step() -> None:
    after = moved(a_claim(), NOW, Policy(), up=ONE, down=ONE // 2, source="migration_seed")
    assert (after.reinforcement, after.disputation, after.signals) == (ONE, ONE // 2, 1)
    assert (after.rein_last_signal_at, after.disp_last_signal_at) == (NOW, NOW)


@given(
    st.lists(
        st.tuples(st.integers(-5, 5), st.integers(-(10**7), 10**7), st.integers(-(10**7), 10**7)),
        max_size=8,
    ),
)
def test_no_signal_moves_a_clock_back_or_disputation_below_zero(signals: list[tuple[int, int, int]]) -> None:
    state = a_claim(rein_last_signal_at=NOW, disp_last_signal_at=NOW)
    for day, up, down in signals:
        after = moved(state, NOW + day * DAY, Policy(), up=up, down=down, source="user_confirm")
        assert after.disputation >= 0
        assert (after.rein_last_signal_at or 0) >= (state.rein_last_signal_at or 0)
        assert (after.disp_last_signal_at or 0) >= (state.disp_last_signal_at or 0)
        assert after.sub_zero_days == state.sub_zero_days
        state = after


def test_what_waited_for_a_model_is_looked_at_again_after_a_signal_and_the_archives_matter_is_not() -> None:
    assert moved(a_claim(review="kept old"), NOW, Policy(), up=1, source="user_fact").review == ""
    assert moved(a_claim(review="archive"), NOW, Policy(), up=1, source="user_fact").review == "archive"
