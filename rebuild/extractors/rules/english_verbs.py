"""The verb group of an English clause: its tense, its main verb, and whether it is negated or hedged.

A clause of testimony is a subject, some adverbs and auxiliaries, one main verb and the rest: "I | have never really
| lived | in Rome". `predicate` reads them from left to right, once, and never looks back.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from affidavit.rebuild.extractors.rules.english_words import Word
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import ADVERBS, HEDGES, NEGATIVES
from affidavit.rebuild.extractors.rules.lexicon_verbs import (
    BASE_VERBS,
    NOT_PAST,
    PAST,
    PAST_PARTICIPLES,
    REACTION_PAST,
)

Tense = Literal[
    "present",
    "past",
    "perfect",
    "be",
    "was",
    "been",
    "progressive",
    "past progressive",
    "perfect progressive",
    "can",
    "future",
    "modal",
    "used to",
    "going to",
    "have to",
    "had to",
]
Person = Literal["I", "we", "joint", "dropped", "thing"]

_BE = frozenset({"am", "is", "are", "was", "were", "be", "been", "being"})
_HAVE = frozenset({"have", "has", "had"})
_DO = frozenset({"do", "does", "did"})
_MODALS = frozenset({"would", "could", "should", "might", "may", "must", "shall", "can", "will", "'d"})
_AUXILIARIES = _BE | _HAVE | _DO | _MODALS
VERBS = _AUXILIARIES | BASE_VERBS
"""Words, other than past forms, that can be the verb of a clause."""

_NOUNS_IN_ING = lexicon(
    """
    nothing something anything everything king morning evening amazing interesting willing exciting boring
    darling sibling spring string thing wedding ring
    """,
)


def is_past(word: str) -> bool:
    """Tells whether the word, standing where a verb stands, is a past form."""
    return word in PAST or word in REACTION_PAST or (word.endswith("ed") and len(word) > 3 and word not in NOT_PAST)


def is_participle(word: str) -> bool:
    """Tells whether the word is a past participle."""
    return word in PAST_PARTICIPLES or (word.endswith("ed") and len(word) > 3 and word not in NOT_PAST)


def is_progressive(word: str) -> bool:
    """Tells whether the word is a present participle."""
    return word.endswith("ing") and len(word) > 4 and word not in _NOUNS_IN_ING


@dataclass(frozen=True)
class Predicate:
    """A clause read: `words[first:at + 1]` is the verb group, `words[after:]` its complement, up to `end`."""

    text: str
    start: int
    end: int
    words: list[Word]
    first: int
    at: int
    after: int
    tense: Tense
    person: Person = "I"
    companion: str = ""
    negated: bool = False
    ceased: bool = False
    hedged: bool = False
    adverbs: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def verb(self) -> str:
        """The main verb as written, in lower case."""
        return self.words[self.at].low

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """The words of the complement, in lower case."""
        return tuple(word.low for word in self.words[self.after :])

    @property
    def auxiliary_did(self) -> bool:
        """Tells whether "did" stands before the main verb ("I didn't go")."""
        return any(word.low == "did" for word in self.words[self.first : self.at])

    @property
    def plural(self) -> bool:
        """Tells whether the subject takes a plural verb."""
        return self.person in ("we", "joint")

    def rest(self, skip: int = 0) -> str:
        """The complement as written, without its first `skip` words."""
        index = self.after + skip
        return self.text[self.words[index].start : self.end] if index < len(self.words) else ""


_AFTER_NO_ADVERB = frozenset(["", "that", "of", "my", "our", "the", "these", "those", "kinds", "sorts", "day"])
"""What follows "all", "both" or "so" where they are no adverbs."""


@dataclass
class _Group:
    """What the walk over a verb group has met so far."""

    auxiliaries: list[tuple[str, int]] = field(default_factory=list)
    adverbs: set[str] = field(default_factory=set)
    negated: bool = False
    ceased: bool = False

    def take(self, words: list[Word], index: int) -> int:
        """Takes the word at `index` into the group; returns the next index, or the same where the group ends."""
        low = words[index].low
        following = words[index + 1].low if index + 1 < len(words) else ""
        if low == "no" and following == "longer":
            self.negated = self.ceased = True
            return index + 2
        if low in ADVERBS and not (low == "no" or (low in ("so", "both", "all") and following in _AFTER_NO_ADVERB)):
            self.adverbs.add(low)
            self.negated = self.negated or low in NEGATIVES
            return index + 1
        if low == "not":
            self.negated = True
            return index + 1
        if low in _AUXILIARIES:
            self.auxiliaries.append((low, index))
            return index + 1
        return index


def _walk(words: list[Word], first: int) -> tuple[_Group, int]:
    """Reads auxiliaries and adverbs from `first`; returns them and the index of the word that is neither."""
    group = _Group()
    index = first
    while index < len(words):
        following = group.take(words, index)
        if following == index:
            break
        index = following
    return group, index


def _resolve(words: list[Word], group: _Group, index: int) -> tuple[Tense, int, int] | None:
    """Finds the tense, the main verb and where the complement begins."""
    low = words[index].low if index < len(words) else ""
    if not group.auxiliaries:
        return _plain(words, low, index)
    last, place = group.auxiliaries[-1]
    first = group.auxiliaries[0][0]
    if first in _MODALS:
        tense: Tense = "can" if first == "can" else "future" if first == "will" else "modal"
        return (tense, place, index) if last in _BE else (tense, index, index + 1) if low else None
    if last in _BE:
        return _of_being(words, (first, last, place), index)
    if last in _HAVE:
        doubled = first in _HAVE and len(group.auxiliaries) > 1
        return ("perfect", place, index) if doubled else _of_having(words, (last, place), index)
    return _of_doing(group, low, last, index)


def _of_doing(group: _Group, low: str, last: str, index: int) -> tuple[Tense, int, int] | None:
    """Resolves a group whose last auxiliary is a form of do, which may be the main verb itself."""
    tense: Tense = "past" if last == "did" else "present"
    if group.negated or low in BASE_VERBS:
        return (tense, index, index + 1) if low else None
    return tense, group.auxiliaries[-1][1], index


def _plain(words: list[Word], low: str, index: int) -> tuple[Tense, int, int] | None:
    """Resolves a group without an auxiliary."""
    following = words[index + 1].low if index + 1 < len(words) else ""
    if low == "used" and following == "to":
        return "used to", min(index + 2, len(words) - 1), index + 3
    if low == "got" and following == "to" and index + 2 < len(words) and words[index + 1].start == words[index].end:
        return "have to", index, index + 1
    if not low:
        return None
    return ("past" if is_past(low) else "present"), index, index + 1


def _of_being(words: list[Word], last: tuple[str, str, int], index: int) -> tuple[Tense, int, int]:
    """Resolves a group whose last auxiliary is a form of be."""
    first, form, place = last
    low = words[index].low if index < len(words) else ""
    following = words[index + 1].low if index + 1 < len(words) else ""
    past = first in ("was", "were")
    if low == "going" and following == "to" and index + 2 < len(words) and words[index + 2].low not in _PLACE_WORDS:
        return ("modal" if past or form == "been" else "going to"), index + 2, index + 3
    if is_progressive(low):
        tense: Tense = "perfect progressive" if form == "been" else "past progressive" if past else "progressive"
        return tense, index, index + 1
    return ("been" if form == "been" else "was" if past else "be"), place, index


_PLACE_WORDS = lexicon("the a an my our this that school work church university college")


def _of_having(words: list[Word], last: tuple[str, int], index: int) -> tuple[Tense, int, int]:
    """Resolves a group whose last auxiliary is a form of have."""
    form, place = last
    low = words[index].low if index < len(words) else ""
    if low == "to":
        return ("had to" if form == "had" else "have to"), min(index + 1, len(words) - 1), index + 2
    if low == "got" and form != "had":
        to = index + 1 < len(words) and words[index + 1].low == "to"
        return ("have to" if to else "present"), (index if to else place), index + 1
    if is_participle(low):
        return "perfect", index, index + 1
    return ("past" if form == "had" else "present"), place, index


def predicate(text: str, end: int, words: list[Word], first: int) -> Predicate | None:
    """Reads the verb group that begins at `words[first]`, or returns None where there is no verb."""
    group, index = _walk(words, first)
    resolved = _resolve(words, group, index)
    if resolved is None:
        return None
    tense, at, after = resolved
    if at >= len(words):
        return None
    start = words[first].start
    return Predicate(
        text,
        start,
        end,
        words,
        first,
        at,
        after,
        tense,
        negated=group.negated,
        ceased=group.ceased,
        hedged=not HEDGES.isdisjoint(group.adverbs),
        adverbs=frozenset(group.adverbs),
    )
