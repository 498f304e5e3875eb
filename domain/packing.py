"""What goes into a prompt, and what is left out, with the reason (model.md §8).

Facts are ordered by freshness times evidence weight times feedback, persona claims and reflections by evidence score, then
importance; ties by id. Each section has its own budget, and one budget caps the whole. A line that does not fit is skipped,
and smaller later ones are still considered. Every candidate is either chosen or left, once. Pure: the same claims, moment,
policy and counter give the same bytes, in whatever order the claims come.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from affidavit.domain.freshness import accuracy_factor, evidence_weight, freshness, is_dormant, utility_factor
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
    utility: str = ""
    accuracy: str = ""


class Observed(msgspec.Struct, frozen=True):
    """A persona claim or reflection as the prompt sees it at a moment; scores are computed before.

    `past_days` is the age of what is no longer current, and None of what is.
    """

    claim: bytes
    text: str
    entity: str
    form: str
    status: str
    score: float
    importance: int | None = None
    protected: bool = False
    person_protected: bool = False
    suppressed: bool = False
    dormant: bool = False
    past_days: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A claim in the prompt: its place among the section's claims from 1, its rank, and the tokens of its line.

    A protected claim competes with none and has no rank.
    """

    claim: bytes
    place: int
    rank: float | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Left:
    """A claim left out, and why: dormant, suppressed, score 0 or below, same text, too many, or over budget."""

    claim: bytes
    reason: str
    tokens: int = 0


@dataclass(slots=True)
class Section:
    """One section of a prompt: its heading, its lines, and what became of each candidate.

    `tokens` counts the whole section; `outside` is the part of them that no budget holds.
    """

    name: str
    heading: str
    lines: list[str] = field(default_factory=list)
    chosen: list[Chosen] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    tokens: int = 0
    outside: int = 0


_Line = tuple[Observed, str, int]
"""A claim to show, its line, and the tokens of the line."""


def cap(own: int, budget: int | None, spent: int) -> int:
    """Returns what a section may spend: its own budget, or what the sections before it left of the whole, if that is less.

    Take `spent` as the sum of `tokens - outside` over the sections before.
    """
    return own if budget is None else max(0, min(own, budget - spent))


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


def pack_persona(candidates: Iterable[Observed], counter: TokenCounter, budget: int, *, most_protected: int = 80) -> Section:
    """Returns the persona section: protected claims outside the budget, at most so many, and the best others within it.

    Lines stand by entity, the user first; where there are several, each has a sub-heading. In one entity the protected
    stand first. Headings count too, unless protected claims need them anyway (seed 000, "Rendering").
    """
    section = Section("persona", "### Persona")
    awake = _awake(section, candidates)
    counted = {entity: counter.count(_subheading(entity)) for entity in {one.entity for one in awake}}

    def headings(entities: Collection[str]) -> int:
        below = sum(counted[entity] for entity in entities) if len(entities) > 1 else 0
        return counter.count(section.heading) + below if entities else 0

    protected = sorted((one for one in awake if one.protected), key=lambda one: (_by_entity(one.entity), one.claim))
    section.left.extend(Left(one.claim, "too many") for one in protected[most_protected:])
    shown = [_line(one, counter) for one in protected[:most_protected]]
    entities = {one.entity for one, _, _ in shown}
    free = headings(entities)
    section.outside = free + sum(tokens for _, _, tokens in shown)
    spent = 0
    for line in (_line(one, counter) for one in awake if not one.protected):
        one, _, tokens = line
        if spent + tokens + headings(entities | {one.entity}) - free > budget:
            section.left.append(Left(one.claim, "over budget", tokens))
            continue
        spent += tokens
        entities.add(one.entity)
        shown.append(line)
    for entity in sorted(entities, key=_by_entity):
        if len(entities) > 1:
            section.lines.append(_subheading(entity))
        _show(section, [line for line in shown if line[0].entity == entity])
    section.tokens = headings(entities) + sum(chosen.tokens for chosen in section.chosen)
    return section


def pack_reflections(candidates: Iterable[Observed], counter: TokenCounter, budget: int) -> Section:
    """Returns the reflections section: the best of the pending and the confirmed, which share one budget.

    The pending stand first, marked as such, then what is current, then what is past, with its age. A confirmed one at
    score 0 or below is left out unless a person protects it; a pending one is shown at any score, so that the user can
    judge it. A reflection whose promotion is blocked counts as confirmed.
    """
    section = Section("reflections", "### Reflections")
    spent = counter.count(section.heading)
    shown = []
    for line in (_line(one, counter) for one in _awake(section, candidates)):
        one, _, tokens = line
        if spent + tokens > budget:
            section.left.append(Left(one.claim, "over budget", tokens))
            continue
        spent += tokens
        shown.append(line)
    _show(section, sorted(shown, key=lambda line: _stage(line[0])))
    section.tokens = spent if section.lines else 0
    return section


def suppressed_section(suppressed: Sequence[Observed], counter: TokenCounter, *, most: int = 40) -> Section:
    """Returns the last section: what the agent has said too often, each text once, the best first, at most so many."""
    section = Section("suppressed", "### Do not bring up")
    shown: dict[str, _Line] = {}
    for one in sorted(suppressed, key=_best_first):
        if one.text in shown:
            section.left.append(Left(one.claim, "same text"))
        elif len(shown) >= most:
            section.left.append(Left(one.claim, "too many"))
        else:
            line = f"- {one.text}"
            shown[one.text] = one, line, counter.count(line)
    _show(section, shown.values())
    if section.lines:
        section.tokens = counter.count(section.heading) + sum(chosen.tokens for chosen in section.chosen)
    return section


def _rank(candidate: Candidate, now: int, policy: Policy) -> float:
    fresh = freshness(candidate.kind, candidate.confirmed_at, now, policy, pinned=candidate.pinned)
    judged = utility_factor(candidate.utility, policy) * accuracy_factor(candidate.accuracy, policy)
    return fresh * evidence_weight(candidate.basis, candidate.kind, policy) * judged


def _awake(section: Section, candidates: Iterable[Observed]) -> list[Observed]:
    """Returns those that may be shown, the best first; the section names why the others are left."""
    awake = []
    for one in sorted(candidates, key=_best_first):
        reason = _why_left(one)
        if reason:
            section.left.append(Left(one.claim, reason))
        else:
            awake.append(one)
    return awake


def _why_left(one: Observed) -> str:
    settled = one.status != "pending"
    if one.suppressed and settled:
        return "suppressed"
    if one.dormant and not one.protected:
        return "dormant"
    if one.form == "reflection" and settled and one.score <= 0 and not one.person_protected:
        return "score 0 or below"
    return ""


def _best_first(one: Observed) -> tuple[float, float, bytes]:
    return -one.score, math.inf if one.importance is None else -one.importance, one.claim


def _by_entity(entity: str) -> tuple[bool, str]:
    return entity != "user", entity


def _subheading(entity: str) -> str:
    return f"#### {entity}"


def _stage(one: Observed) -> int:
    """Returns 0 for a pending claim, 1 for a current one, and 2 for one of the past."""
    if one.status == "pending":
        return 0
    return 1 if one.past_days is None else 2


def _line(one: Observed, counter: TokenCounter) -> _Line:
    label = ""
    if one.status == "pending":
        label = "(unconfirmed) "
    elif one.form == "reflection" and one.past_days is not None:
        label = f"{one.past_days} {'day' if one.past_days == 1 else 'days'} ago: "
    line = f"- {label}{one.text}"
    return one, line, counter.count(line)


def _show(section: Section, shown: Iterable[_Line]) -> None:
    for one, line, tokens in shown:
        section.lines.append(line)
        rank = None if one.protected else one.score
        section.chosen.append(Chosen(one.claim, len(section.chosen) + 1, rank, tokens))
