"""Whom to surface: a few of the claims that may be, drawn by chance, so that no question pushes the others aside (seed 000).

Reflections come before facts, and a better score is drawn more often. The randomness arrives as a seed: the same claims,
scores and seed give the same draw.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from blake3 import blake3

SAME_TEXT = 120
"""How many characters of two claims must be alike for them to be one question."""


class Candidate(NamedTuple):
    """A claim that may be surfaced: its sentence, its score at the moment, and whether it is a reflection."""

    claim: bytes
    text: str
    score: float
    reflection: bool


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
