"""What goes into a prompt, and what is left out, with the reason (model.md §8).

Facts are ordered by freshness times evidence weight, then id. Each section has its own budget, and one budget caps the
whole. A line that does not fit is skipped, and smaller later ones are still considered. Pure: the same claims, moment,
policy and counter give the same bytes.
"""

from dataclasses import dataclass, field

import msgspec

from affidavit.domain.freshness import evidence_weight, freshness, is_dormant
from affidavit.domain.policy import Policy
from affidavit.domain.tokens import TokenCounter


class Candidate(msgspec.Struct, frozen=True):
    """A live claim as the prompt sees it. Times are in microseconds."""

    claim: bytes
    text: str
    kind: str
    basis: str
    confirmed_at: int | None
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """A claim in the prompt: its place in the section from 1, its rank, and the tokens of its line."""

    claim: bytes
    place: int
    rank: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Left:
    """A claim left out, and why: dormant, or over budget."""

    claim: bytes
    reason: str
    tokens: int = 0


@dataclass(slots=True)
class Section:
    """One section of a prompt: its heading, its lines, and what became of each candidate."""

    name: str
    heading: str
    lines: list[str] = field(default_factory=list)
    chosen: list[Chosen] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    tokens: int = 0


def pack_facts(candidates: list[Candidate], now: int, policy: Policy, counter: TokenCounter, budget: int) -> Section:
    """Returns the facts section at a moment within a budget in tokens; the heading counts too."""
    section = Section("facts", "### What is known about the user")
    awake = []
    for candidate in candidates:
        if is_dormant(candidate.kind, candidate.confirmed_at, now, policy, pinned=candidate.pinned):
            section.left.append(Left(candidate.claim, "dormant"))
        else:
            awake.append((_rank(candidate, now, policy), candidate))
    awake.sort(key=lambda ranked: (-ranked[0], ranked[1].claim))
    spent = counter.count(section.heading)
    for rank, candidate in awake:
        line = f"- {candidate.text}"
        tokens = counter.count(line)
        if spent + tokens > budget:
            section.left.append(Left(candidate.claim, "over budget", tokens))
            continue
        spent += tokens
        section.lines.append(line)
        section.chosen.append(Chosen(candidate.claim, len(section.chosen) + 1, rank, tokens))
    section.tokens = spent if section.lines else 0
    return section


def _rank(candidate: Candidate, now: int, policy: Policy) -> float:
    fresh = freshness(candidate.kind, candidate.confirmed_at, now, policy, pinned=candidate.pinned)
    return fresh * evidence_weight(candidate.basis, candidate.kind, policy)
