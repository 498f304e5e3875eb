"""Read-time functions of age: freshness, dormancy, confidence. None is ever written back.

They take plain numbers (millionths and microseconds) and return floats, so that stored records hold none.
"""

import math

from affidavit.domain.policy import ONE, Policy
from affidavit.domain.times import DAY, age_days

PRIORITIES = {
    "manual_correction": 4,
    "user_statement": 2,
    "tool_observation": 3,
    "summary": 1,
    "card": 4,
    "imported": 0,
    "unknown": 0,
}
"""Source priority by evidence basis (seed 002). A statement about a preference or decision ranks one above."""


def priority(basis: str, kind: str) -> int:
    """Returns the source priority 0 to 4: which source is apt for this kind of claim, never how likely it is true."""
    raised = basis == "user_statement" and kind in {"preference", "decision"}
    return PRIORITIES[basis] + (1 if raised else 0)


def evidence_weight(basis: str, kind: str, policy: Policy) -> float:
    """Returns 1 + .04 x source priority (seed 002)."""
    return 1 + policy.evidence_weight_step * priority(basis, kind) / ONE


def utility_factor(verdict: str, policy: Policy) -> float:
    """Returns by what a verdict of usefulness multiplies a claim's rank: 1.05 for useful, .90 for unhelpful, else 1."""
    return {"useful": policy.feedback.useful, "unhelpful": policy.feedback.unhelpful}.get(verdict, ONE) / ONE


def accuracy_factor(verdict: str, policy: Policy) -> float:
    """Returns by what a verdict of accuracy multiplies a claim's rank: 1.05 for accurate, .50 for incorrect, else 1.

    An incorrect claim is held back, and so ranks nowhere; the factor makes none of them eligible (seed 002).
    """
    return {"accurate": policy.feedback.accurate, "incorrect": policy.feedback.incorrect}.get(verdict, ONE) / ONE


def freshness(kind: str, confirmed_at: int | None, now: int, policy: Policy, *, pinned: bool = False) -> float:
    """Returns floor + (1 - floor) x 2^(-age/half-life), 1 for a pinned claim (seed 002, "Gradual aging")."""
    if pinned:
        return 1.0
    aging = policy.aging(kind)
    floor = aging.floor / ONE
    return floor + (1 - floor) * math.exp2(-age_days(confirmed_at, now) / aging.half_life)


def is_dormant(kind: str, confirmed_at: int | None, now: int, policy: Policy, *, pinned: bool = False) -> bool:
    """Tells whether a claim is no longer offered because nothing confirmed it for its kind's time (seed 002)."""
    return not pinned and age_days(confirmed_at, now) > policy.aging(kind).dormant_after


def confidence_now(kind: str, stored: int, since: int | None, now: int, policy: Policy) -> int:
    """Returns the confidence in millionths after stepwise decay: .10 for each whole period, never below 0 (seed 004)."""
    if since is None or since >= now:
        return stored
    periods = (now - since) // (policy.aging(kind).confidence_days * DAY)
    return max(0, stored - min(100_000 * periods, 990_000))


def is_expired(expires_at: int | None, now: int) -> bool:
    """Tells whether a narrative is withheld at a moment; one without an expiry never is."""
    return expires_at is not None and expires_at <= now
