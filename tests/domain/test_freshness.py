"""Age is judged when it is read: freshness, dormancy, confidence and score are never written back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW

from affidavit.domain.evidence import Basis
from affidavit.domain.freshness import (
    confidence_now,
    evidence_weight,
    freshness,
    is_dormant,
    priority,
)
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.proposals import Kind
from affidavit.domain.score import evidence_score
from affidavit.domain.times import DAY

POLICY = Policy()
KINDS: tuple[Kind, ...] = ("project_state", "fact", "decision", "preference", "pattern", "narrative")
DAYS = st.integers(0, 4000)


def fresh(kind: Kind, days: float, *, pinned: bool = False) -> float:
    return freshness(kind, NOW, NOW + round(days * DAY), POLICY, pinned=pinned)


def dormant(kind: Kind, days: float, *, pinned: bool = False) -> bool:
    return is_dormant(kind, NOW, NOW + round(days * DAY), POLICY, pinned=pinned)


def lost(kind: Kind, days: float, stored: int = ONE) -> float:
    return (stored - confidence_now(kind, stored, NOW, NOW + round(days * DAY), POLICY)) / ONE


# Freshness and weight (seed 002)


@pytest.mark.parametrize(
    ("kind", "days", "value"),
    [
        ("project_state", 0, 1.0),
        ("project_state", 3, 0.75),
        ("project_state", 30, 0.500488),
        ("fact", 30, 0.853553),
        ("fact", 60, 0.75),
        ("fact", 180, 0.5625),
        ("decision", 120, 0.8),
        ("preference", 240, 0.85),
        ("preference", 365, 0.804545),
        ("fact", -5, 1.0),
    ],
)
def test_freshness_halves_towards_its_floor(kind: Kind, days: int, value: float) -> None:
    assert fresh(kind, days) == pytest.approx(value, abs=5e-7)


def test_a_pinned_claim_is_always_fresh_and_awake() -> None:
    assert fresh("project_state", 4000, pinned=True) == 1.0
    assert not dormant("project_state", 4000, pinned=True)


def test_a_claim_without_a_time_has_no_age() -> None:
    assert freshness("fact", None, NOW, POLICY) == 1.0
    assert not is_dormant("fact", None, NOW, POLICY)


@given(st.sampled_from(KINDS), DAYS, DAYS)
def test_freshness_never_rises_and_stays_above_its_floor(kind: Kind, one: int, other: int) -> None:
    sooner, later = sorted((one, other))
    assert 1.0 >= fresh(kind, sooner) >= fresh(kind, later) >= POLICY.aging(kind).floor / ONE


@pytest.mark.row("P1")
@pytest.mark.parametrize(
    ("basis", "kind", "weight"),
    [
        ("manual_correction", "fact", 1.16),
        ("user_statement", "preference", 1.12),
        ("user_statement", "decision", 1.12),
        ("user_statement", "fact", 1.08),
        ("tool_observation", "project_state", 1.12),
        ("summary", "fact", 1.04),
        ("unknown", "fact", 1.0),
        ("imported", "fact", 1.0),
        ("card", "fact", 1.16),
    ],
)
def test_evidence_weighs_by_its_source(basis: Basis, kind: Kind, weight: float) -> None:
    assert evidence_weight(basis, kind, POLICY) == pytest.approx(weight)


def test_only_the_users_statements_are_raised() -> None:
    assert priority("summary", "preference") == priority("summary", "fact") == 1
    assert priority("manual_correction", "decision") == 4


@pytest.mark.row("P2")
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_sleeps_after_its_time(kind: Kind) -> None:
    after = POLICY.aging(kind).dormant_after
    assert [dormant(kind, days) for days in (after - 1, after, after + 0.01, 3650)] == [False, False, True, True]


# Confidence (seed 004)


@pytest.mark.row("D1")
@pytest.mark.parametrize(("days", "loss"), [(29, 0), (30, 0.1), (59, 0.1), (60, 0.2), (1000, 0.99)])
def test_a_fact_loses_a_tenth_for_each_whole_month(days: int, loss: float) -> None:
    assert lost("fact", days) == loss


@pytest.mark.row("D2")
@pytest.mark.parametrize(
    ("kind", "days", "loss"),
    [("pattern", 13, 0), ("pattern", 14, 0.1), ("pattern", 27, 0.1), ("narrative", 7, 0.1), ("decision", 30, 0.1)],
)
def test_each_kind_loses_it_in_its_own_period(kind: Kind, days: int, loss: float) -> None:
    assert lost(kind, days) == loss


@pytest.mark.row("D3")
@pytest.mark.parametrize(("stored", "days", "left"), [(0.9, 60, 0.7), (0.9, 120, 0.5), (0.9, 180, 0.3), (0.5, 60, 0.3)])
def test_confidence_decays_in_exact_steps(stored: float, days: int, left: float) -> None:
    assert confidence_now("fact", round(stored * ONE), NOW, NOW + days * DAY, POLICY) == round(left * ONE)


@given(st.sampled_from(KINDS), st.integers(0, ONE), DAYS)
def test_confidence_never_rises_by_itself_and_never_falls_below_nothing(kind: Kind, stored: int, days: int) -> None:
    assert 0 <= confidence_now(kind, stored, NOW, NOW + days * DAY, POLICY) <= stored


def test_confidence_without_a_date_or_with_a_future_one_is_whole() -> None:
    assert confidence_now("fact", 200_000, None, NOW, POLICY) == 200_000
    assert confidence_now("fact", 200_000, NOW + DAY, NOW, POLICY) == 200_000


# Score (seed 000)


def score(rein: float, disp: float, rein_days: float | None, disp_days: float | None) -> float:
    up, down = (None if days is None else NOW - round(days * DAY) for days in (rein_days, disp_days))
    return evidence_score(round(rein * ONE), round(disp * ONE), up, down, NOW, POLICY)


@pytest.mark.row("N1")
@pytest.mark.parametrize(("days", "left"), [(0, 2.0), (30, 1.0), (60, 0.5)])
def test_reinforcement_halves_in_thirty_days(days: int, left: float) -> None:
    assert score(2.0, 0, days, None) == pytest.approx(left)


@pytest.mark.row("N2")
@pytest.mark.parametrize(("disputation", "days", "left"), [(2.0, 180, 1.0), (1.0, 90, 0.7071068)])
def test_disputation_halves_in_a_hundred_and_eighty(disputation: float, days: int, left: float) -> None:
    assert score(0, disputation, None, days) == pytest.approx(-left, abs=5e-8)


@pytest.mark.row("N3")
def test_each_side_has_its_own_clock() -> None:
    assert score(1.5, 2.0, 0, 180) == pytest.approx(0.5)
    assert score(1.5, 2.0, None, None) == pytest.approx(-0.5)


def test_the_thresholds_of_the_tiers_are_the_policys() -> None:
    table = POLICY.score
    assert (table.confirmed, table.promoted, table.archive_candidate) == (ONE, 2 * ONE, -2 * ONE)


@given(st.integers(0, 10 * ONE), DAYS, DAYS)
def test_a_future_clock_adds_nothing(reinforcement: int, days: int, ahead: int) -> None:
    now = evidence_score(reinforcement, 0, NOW + ahead * DAY, None, NOW, POLICY)
    assert math.isclose(now, reinforcement / ONE)
    assert evidence_score(reinforcement, 0, NOW - days * DAY, None, NOW, POLICY) <= now
