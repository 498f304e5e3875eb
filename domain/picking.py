"""Whom to surface: a few of the claims that may be, drawn by chance, so that no question pushes the others aside (seed 000).

Reflections come before facts, and a better score is drawn more often. The randomness arrives as a seed: the same claims,
scores and seed give the same draw.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from blake3 import blake3

from affidavit.domain.policy import Policy
from affidavit.domain.score import Counted, score
from affidavit.domain.times import SECOND

SAME_TEXT = 120
"""How many characters of two claims must be alike for them to be one question."""


class Candidate(NamedTuple):
    """A claim that may be surfaced: its sentence, its score at the moment, and whether it is a reflection."""

    claim: bytes
    text: str
    score: float
    reflection: bool


class AskedAbout(Counted, Protocol):
    """What tells whether the user may be asked about a claim."""

    @property
    def form(self) -> str:
        """Returns the claim's form."""
        ...

    @property
    def status(self) -> str:
        """Returns its status."""
        ...

    @property
    def live(self) -> bool:
        """Tells whether it is live."""
        ...

    @property
    def vouched(self) -> bool:
        """Tells whether the user has confirmed it."""
        ...

    @property
    def confirmation(self) -> str:
        """Returns whether it was restated, contradicted or neither."""
        ...

    @property
    def confidence(self) -> int:
        """Returns its stored confidence in millionths."""
        ...

    @property
    def basis(self) -> str:
        """Returns the basis of its evidence."""
        ...


def may_ask_about(claim: AskedAbout, eligible_at: int | None, now: int, policy: Policy) -> bool:
    """Tells whether a claim may be surfaced at a moment: a pending reflection, or a fact that the user was not sure of.

    It is not below zero, and nobody asked about it within the cooldown; a time further ahead than that is a wrong clock's.
    """
    pause = policy.surfacing.cooldown_minutes * 60 * SECOND
    if not claim.live or claim.vouched or (eligible_at is not None and now < eligible_at <= now + pause):
        return False
    pending = claim.form == "reflection" and claim.status == "pending"
    hedged = claim.basis == "user_statement" and claim.confidence <= policy.confidence.hedged
    unsure = claim.form == "fact" and hedged and claim.confirmation == "unconfirmed"
    return (pending or unsure) and score(claim, now, policy) >= 0


def pick(candidates: Iterable[Candidate], seed: bytes, most: int) -> list[Candidate]:
    """Returns at most so many candidates, reflections before facts, drawn without putting back.

    The weight of each is its score above zero plus one half; `seed` is the randomness, so the same seed draws the same.
    Of claims that begin alike only one is drawn.
    """
    drawn: list[Candidate] = []
    asked: set[str] = set()
    for candidate in sorted(candidates, key=lambda one: (not one.reflection, -_draw(one, seed), one.claim)):
        text = " ".join(candidate.text.split())[:SAME_TEXT]
        if text not in asked and len(drawn) < most:
            asked.add(text)
            drawn.append(candidate)
    return drawn


def _draw(candidate: Candidate, seed: bytes) -> float:
    """Returns u^(1/weight) as its logarithm, u being even between 0 and 1: the greatest of these are the sample."""
    number = int.from_bytes(blake3(candidate.claim, key=seed).digest(8), "big")
    even = (number + 1) / (1 << 64)
    return math.log(even) / (max(candidate.score, 0.0) + 0.5)
