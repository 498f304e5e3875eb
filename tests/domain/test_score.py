"""The evidence score at its edges, the tiers it means, and the seed of a reflection."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW, a_claim, at

from affidavit.domain.policy import ONE, Policy
from affidavit.domain.score import importance_seed, score, tier

POLICY = Policy()


@pytest.mark.row("N4")
@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (0, "pending"),
        (0.5, "pending"),
        (1, "confirmed"),
        (1.99, "confirmed"),
        (2, "promoted"),
        (-1.99, "pending"),
        (-2, "archive_candidate"),
        (-5, "archive_candidate"),
    ],
)
def test_thresholds_belong_to_the_tiers_that_they_open(found: float, expected: str) -> None:
    assert tier(found, POLICY) == expected


@pytest.mark.row("N5")
@pytest.mark.parametrize("disputation", [0, ONE, 10**12])
def test_what_is_on_the_card_has_an_infinite_score(disputation: int) -> None:
    card = a_claim(basis="card", disputation=disputation, disp_last_signal_at=NOW)
    assert score(card, NOW, POLICY) == math.inf


@pytest.mark.row("N6")
@pytest.mark.parametrize(
    ("importance", "seed"),
    [(10, 0.8), (9, 0.6), (8, 0.4), (7, 0.2), (6, 0), (5, 0), (1, 0), (None, 0), ("hi", 0), (20, 0.8)],
)
def test_the_seed_follows_the_importance(importance: object, seed: float) -> None:
    assert importance_seed((importance,), POLICY) == round(seed * ONE)


@pytest.mark.row("N6")
def test_the_greatest_importance_counts_and_odd_ones_count_as_upstream_reads_them() -> None:
    assert importance_seed((3, 9, 7), POLICY) == 600_000
    assert [importance_seed((odd,), POLICY) for odd in (9.9, "9", True, math.inf, math.nan, -3, "")] == [
        *(600_000, 600_000, 0, 0, 0, 0, 0),
    ]
    assert importance_seed((), POLICY) == 0


@pytest.mark.parametrize("clock", [None, NOW, at(5)])
def test_a_missing_or_future_time_has_age_zero(clock: int | None) -> None:
    claim = a_claim(reinforcement=2 * ONE, rein_last_signal_at=clock, disputation=ONE, disp_last_signal_at=clock)
    assert score(claim, NOW, POLICY) == 1.0


def test_negative_reinforcement_decays_towards_nothing_too() -> None:
    claim = a_claim(reinforcement=-200_000, rein_last_signal_at=NOW)
    assert score(claim, at(30), POLICY) == -0.1


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**9), st.integers(0, 4000), st.integers(0, 4000))
def test_a_score_lies_between_its_two_sides(up: int, down: int, later: int, earlier: int) -> None:
    claim = a_claim(reinforcement=up, disputation=down, rein_last_signal_at=at(-earlier), disp_last_signal_at=NOW)
    found, rounding = score(claim, at(later), POLICY), 1e-12
    assert min(up, 0) / ONE - down / ONE - rounding <= found <= max(up, 0) / ONE + rounding
