"""Candidates of the second stage: which observations a batch of new facts is held against (seed 000, "Signal extraction").

An observation is a claim that a fact may speak for or against. Only what a person could still change their mind about is
asked: confirmed, current, neither protected nor suppressed, not already net-negative. A model's answer counts only for the
facts and observations that its question showed; what else it names is dropped, and told. Pure, and the same for any order
in which the observations come.
"""

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from affidavit.domain.normalise import words
from affidavit.domain.tokens import TokenCounter

Speaks = Literal["reinforces", "negates"]
_OPEN = {"fact": "active", "persona": "active", "reflection": "confirmed"}
"""The one status in which a claim of this form may be spoken for or against. A pending reflection moves only by a person's
reply, and a narrative has no counters (design.md §5)."""
OBSERVED = frozenset(_OPEN.items())
"""The forms, each with its status, that may be observed."""
UNJUDGED = 5
"""The importance, of 1 to 10, of a fact to which nobody gave one: the middle, so that it neither leads nor starves."""
LEAST_PREFIX = 8
"""Hex digits from which a shortened id is accepted for the one shown id that it begins."""


class Observation(msgspec.Struct, frozen=True):
    """A claim that a new fact may speak for or against, as the pool sees it. `score` is the evidence score at the moment."""

    claim: bytes
    text: str
    form: str
    status: str
    score: float
    protected: bool = False
    suppressed: bool = False
    importance: int | None = None
    live: bool = True


class Relation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model answers of one fact and one observation; both ids are the 24 hex digits that the question showed."""

    fact: str
    target: str
    signal: Speaks
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """The relations that stand, with whole ids, and a sentence for each that was dropped, by its number in the answer."""

    relations: list[Relation]
    dropped: list[str]


def pool(observations: Iterable[Observation]) -> list[Observation]:
    """Returns the observations that a new fact may be held against, in the order given.

    Live facts are among them (model.md §2). Left out: pending, terminal and narrative claims, protected and suppressed
    ones, a score below zero, and blank text.
    """
    return [one for one in observations if _is_open(one)]


def shortlist(facts: Sequence[str], pool: Sequence[Observation], budget: int) -> list[Observation]:
    """Returns at most `budget` observations: those that share most words with one of the facts, and the best to fill up.

    Then by score, importance (none last) and id. One order serves a coarse and a fine cut alike: who asks for three times
    the budget, to let a model choose, gets this list at the front.
    """
    said = [words(fact) for fact in facts]

    def order(one: Observation) -> tuple[int, float, float, bytes]:
        own = words(one.text)
        shared = max((len(own & fact) for fact in said), default=0)
        return -shared, -one.score, math.inf if one.importance is None else -one.importance, one.claim

    return sorted(pool, key=order)[: max(0, budget)]


def within(
    observations: Iterable[Observation], counter: TokenCounter, *, each: int, total: int
) -> list[tuple[Observation, str]]:
    """Returns the observations with the text to show: at most `each` tokens of one, and `total` of all together.

    A text that is too long ends after a word, or within the first word if that alone is too long. One that no longer fits
    is skipped, and smaller later ones are still considered. Of a `total` of one token or more, at least one observation is
    kept: the first is cut to `total` where that is less than `each`.
    """
    kept = []
    spent = 0
    for one in observations:
        text = _cut(one.text, counter, min(each, total))
        tokens = counter.count(text)
        if text and spent + tokens <= total:
            spent += tokens
            kept.append((one, text))
    return kept


def batch(facts: Iterable[tuple[bytes, int | None, int]], size: int) -> list[bytes]:
    """Returns the claims to ask about next, at most `size`, of (claim, importance, since in microseconds).

    The most important first, then the one that waits longest, then by id. No importance counts as 5.
    """

    def order(fact: tuple[bytes, int | None, int]) -> tuple[int, int, bytes]:
        claim, importance, since = fact
        return -(UNJUDGED if importance is None else importance), since, claim

    return [claim for claim, _, _ in sorted(facts, key=order)[: max(0, size)]]


def settle(relations: Iterable[Relation], facts: Collection[str], shown: Collection[str]) -> Settled:
    """Returns the relations of an answer that stand, given the ids of the facts and observations that the question showed.

    A shortened target stands for the one shown id that it begins. A fact is no evidence for itself. Of equal relations the
    first stands; a fact that both reinforces and negates one target says nothing of it. What was dropped is named by its
    number alone, since a model may write anything in place of an id.
    """
    dropped: dict[int, str] = {}
    standing: dict[tuple[str, str, Speaks], tuple[int, Relation]] = {}
    for number, relation in enumerate(relations, 1):
        targets = _targets(relation.target, shown)
        if relation.fact not in facts:
            dropped[number] = "its fact was not asked about"
        elif len(targets) != 1:
            dropped[number] = "its target fits several" if targets else "its target was not shown"
        elif targets[0] == relation.fact:
            dropped[number] = "a fact is no evidence for itself"
        else:
            key = (relation.fact, targets[0], relation.signal)
            if key in standing:
                dropped[number] = f"the same as relation {standing[key][0]}"
            else:
                standing[key] = number, msgspec.structs.replace(relation, target=targets[0])
    kept = []
    for (fact, target, _), (number, relation) in standing.items():
        if {(fact, target, "reinforces"), (fact, target, "negates")} <= standing.keys():
            dropped[number] = "its fact both reinforces and negates its target"
        else:
            kept.append(relation)
    return Settled(kept, [f"relation {number}: {why}" for number, why in sorted(dropped.items())])


def _is_open(one: Observation) -> bool:
    kept_out = one.protected or one.suppressed or one.score < 0
    return one.live and one.status == _OPEN.get(one.form) and not kept_out and bool(one.text.strip())


def _targets(target: str, shown: Collection[str]) -> list[str]:
    if target in shown:
        return [target]
    if len(target) < LEAST_PREFIX:
        return []
    return [one for one in shown if one.startswith(target)]


def _cut(text: str, counter: TokenCounter, most: int) -> str:
    """Returns the longest beginning of a text that fits; every result was counted, whatever the counter's merges do."""
    if counter.count(text) <= most:
        return text
    for ends in (list(_word_ends(text)), range(1, len(text))):
        fitting = bisect_right(ends, most, key=lambda end: counter.count(text[:end]))
        if fitting:
            return text[: ends[fitting - 1]]
    return ""


def _word_ends(text: str) -> Iterator[int]:
    """Yields where a word ends. A wide character, as of Chinese or Japanese, is a word of its own."""
    for at in range(1, len(text)):
        if not text[at - 1].isspace() and not (_in_word(text[at - 1]) and _in_word(text[at])):
            yield at


def _in_word(character: str) -> bool:
    return not character.isspace() and unicodedata.east_asian_width(character) not in "WF"
