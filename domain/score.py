"""The evidence score: how a user's signals stand for a claim at a moment, and the tier that follows (seed 000).

    score = reinforcement x .5^(age/30 d) - disputation x .5^(age/180 d), each side with its own clock

Computed at read time, never written back. It is an auditable record of interaction, not a measure of truth. What a host put
on the character card has the score infinity. A tier is derived from the score; the status is what happened.
"""

import math
from typing import Literal, Protocol

from affidavit.domain.policy import ONE, Policy
from affidavit.domain.times import age_days

Tier = Literal["promoted", "confirmed", "pending", "archive_candidate"]


class Counted(Protocol):
    """What a score is computed from: counters in millionths, their clocks in microseconds, and the basis."""

    @property
    def reinforcement(self) -> int:
        """Returns the reinforcement."""
        ...

    @property
    def disputation(self) -> int:
        """Returns the disputation, never below zero."""
        ...

    @property
    def rein_last_signal_at(self) -> int | None:
        """Returns when the reinforcement last moved."""
        ...

    @property
    def disp_last_signal_at(self) -> int | None:
        """Returns when the disputation last moved."""
        ...

    @property
    def protected(self) -> bool:
        """Tells whether the claim stands on the character card."""
        ...


def score(claim: Counted, now: int, policy: Policy) -> float:
    """Returns a claim's evidence score at a moment; infinity for a protected claim (row N5)."""
    if claim.protected:
        return math.inf
    return evidence_score(
        claim.reinforcement,
        claim.disputation,
        claim.rein_last_signal_at,
        claim.disp_last_signal_at,
        now,
        policy,
    )


def evidence_score(
    reinforcement: int,
    disputation: int,
    reinforced_at: int | None,
    disputed_at: int | None,
    now: int,
    policy: Policy,
) -> float:
    """Returns the score of plain numbers: millionths and microseconds in, a float out, so that records hold none."""
    up = reinforcement * math.exp2(-age_days(reinforced_at, now) / policy.score.reinforcement_half_life)
    down = disputation * math.exp2(-age_days(disputed_at, now) / policy.score.disputation_half_life)
    return (up - down) / ONE


def tier(found: float, policy: Policy) -> Tier:
    """Returns the tier of a score; the thresholds belong to the tiers that they open (row N4)."""
    if found * ONE >= policy.score.promoted:
        return "promoted"
    if found * ONE >= policy.score.confirmed:
        return "confirmed"
    if found * ONE <= policy.score.archive_candidate:
        return "archive_candidate"
    return "pending"


def importance_seed(importances: tuple[object, ...], policy: Policy) -> int:
    """Returns the first reinforcement of a reflection in millionths, by the highest importance of its facts (row N6).

    Importance is a number from 1 to 10, or its text; what is beyond 10 counts as 10, and what is no number as none.
    """
    most = max((_importance(found) for found in importances), default=0)
    return policy.score.importance_seed[min(most, 10) - 1] if most >= 1 else 0


def _importance(found: object) -> int:
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return 0
    try:
        return int(found)
    except (ValueError, OverflowError):
        return 0
