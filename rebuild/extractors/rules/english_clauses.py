"""English sentences split into clauses.

A new clause begins where a subject begins after a comma, a dash or a coordinating word; a dash or a bracket ends one by
itself. What follows "when", "while" or "after" stays with the clause whose time it tells. A clause begins after its
link and its discourse words, as a label does: in "Yeah, but honestly I love tea" it is "I love tea".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from affidavit.rebuild.extractors.rules.clauses import Sentence
from affidavit.rebuild.extractors.rules.english_verbs import VERBS, is_past
from affidavit.rebuild.extractors.rules.english_words import Word, words
from affidavit.rebuild.extractors.rules.lexicon_english import CONDITIONS, DISCOURSE, SUBORDINATORS, TAIL_FILLERS

_FINITE = r"(?:(?:is|are|was|were|has|have|had|does|did|do)(?:n['’]t)?|will|won['’]t|can['’]?t?|went|got)"
_SUBJECT = (
    r"(?:(?:i|we|you|he|she|it|they|this|that|there|these|those|everyone|everything|nobody|"
    r"someone|what|how|why|please)"
    r"(?:['’][a-z]+)?(?!\w)"
    rf"|(?:my|our|the|his|her|their|your|its|a|an) (?:[\w'’-]+ ){{1,3}}?{_FINITE}\b"
    rf"|(?:my|our) [\w-]+ (?:\w+ )?\w{{2,}}ed\b|(?:[\w'’-]+ ){{1,2}}{_FINITE}\b"
    rf"|(?:my|our) (?:[\w'’-]+ ){{1,5}}?(?:is|are|was|were|has)\b"
    r"|(?:my|our) [\w-]+['’]s\b|i(?:m|ve)\b"
    r"|(?:can|could|would|will|do|does|did|is|are|have|should|shall|may|any|which|where|who) "
    r"(?:you|i|we|it|there|they|the|this|that|a|an|any|anyone|my|one|tips|advice|ideas|of)\b"
    r"|(?:any|let['’]?s|send|tell|give|help|suggest|recommend|thanks|thank|hope|wish|glad|happy|wanted)\b"
    r"|[A-Z][a-z]+ is (?:my|one of)\b)"
)
_JOIN = r"(?:and|but|so|yet|plus|because|['’]?cause|cuz|bc|though|although|whereas|or)"
_LINK = (
    r"(?:(?:and|but|so|or|yet|plus|then|because|['’]?cause|cuz|bc|since|as|though|although|"
    r"while|whereas|which|who|where|"
    r"when|if|unless|until|also|now|afterwards|actually|honestly|maybe|yes|no|well|still|even|therefore|however|"
    r"to be honest|by the way|as a result|at the same time|of course)\s{1,3})"
)
# Every run is bounded, so that a line of blanks or dashes costs no more than its length.
_BOUNDARY = re.compile(
    rf"(?P<comma>\s{{0,2}}[,:]\s{{1,3}})(?P<link>{_LINK}{{0,2}})(?={_SUBJECT})"
    rf"|(?P<join>\s)(?P<joined>{_JOIN}\s{{1,3}}{_LINK}{{0,2}})(?={_SUBJECT})"
    r"|(?P<cut>\s{0,2},\s{0,2}(?:not|which|huh|haha+|lol|you know|and now|right|then)\b|\s{0,2}[—–()]\s{0,2}|"
    r"(?:\s|(?<=\w))-{1,3}\s{1,3}|:\s)",
    re.IGNORECASE,
)
_EDGE = " \t\r,.:-–—*•\"'“”()[]·"
_VOCATIVE = re.compile(r",\s*(?:[A-Z][a-z]+|man|dude|buddy|mate|guys|everyone|folks|bro|btw|lol|haha|[a-z]+ly)$")
_TAILS = tuple(sorted(TAIL_FILLERS, key=len, reverse=True))


class Clause(NamedTuple):
    """A clause without its link, and its words; `last` tells whether its sentence ends with it."""

    start: int
    end: int
    words: list[Word]
    link: str
    last: bool


def _tail(text: str, start: int, end: int) -> int:
    """Moves the end of a clause before fillers, vocatives and punctuation."""
    while end > start:
        low = text[max(start, end - 24) : end].lower()
        stripped = low.rstrip(_EDGE)
        if len(stripped) < len(low):
            end -= len(low) - len(stripped)
            continue
        filler = next((tail for tail in _TAILS if low.endswith((" " + tail, "," + tail))), "")
        vocative = None if filler else _VOCATIVE.search(text, max(start, end - 24), end)
        if not filler and vocative is None:
            return _quoted(text, start, end)
        end = vocative.start() if vocative else end - len(filler) - 1
    return end


_CLOSING = {'"': '"', "”": "“"}


def _quoted(text: str, start: int, end: int) -> int:
    """Keeps the mark that closes a quoted title at the end of a clause."""
    closing = text[end : end + 1]
    opening = _CLOSING.get(closing)
    if opening is None:
        return end
    inside = text.count(opening, start, end)
    return end + 1 if inside % 2 or (opening != closing and inside) else end


def _head(found: list[Word], skip: frozenset[str] = DISCOURSE) -> int:
    """The index of the first word that is no discourse word."""
    index = 0
    while index < len(found) - 1 and found[index].low in skip:
        index += 1
    return index


_COMPANION = re.compile(r"^\W*(?:(?:so|and|but|well|yeah|oh)\W+)*(?:(?:[Mm]y|[Oo]ur|[Mm]e|[A-Z]\w+)(?: [\w'’-]+){0,3})$")


def _is_companion(piece: str, mark: re.Match[str]) -> bool:
    """Tells whether "and I" goes on with a joint subject ("my sister and I") and begins no clause."""
    if mark["join"] is None or mark["joined"].strip().lower() != "and" or not _COMPANION.match(piece):
        return False
    return not any(is_past(word.low) or word.low in VERBS or word.low == "'s" for word in words(piece, 0, len(piece)))


def _spans(text: str, sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    """Cuts a sentence at its boundaries; yields each piece with the link that leads it."""
    start, link = sentence.start, ""
    for mark in _BOUNDARY.finditer(text, sentence.start, sentence.end):
        leading = (mark["link"] or mark["joined"] or "").lower().split()
        if any(word in SUBORDINATORS for word in leading) and mark["cut"] is None:
            continue
        if _is_companion(text[max(start, mark.start() - 60) : mark.start()], mark):
            continue
        yield start, mark.start(), link
        start = mark.end()
        link = leading[-1] if leading else ("," if mark["cut"] is None else mark["cut"].strip(" ,"))
    yield start, sentence.end, link


def _clause(text: str, span: tuple[int, int], link: str, *, last: bool) -> Clause | None:
    """Makes a clause of a piece, or nothing where only discourse words stand."""
    end = _tail(text, *span)
    found = words(text, span[0], end)
    if not found:
        return None
    found = found[_head(found) :]
    return Clause(found[0].start, end, found, link, last)


def clauses(text: str, sentence: Sentence) -> Iterator[Clause]:
    """Yields the clauses of a sentence that are asserted: no conditions, no questions, no adverbial clauses."""
    pieces = list(_spans(text, sentence))
    for index, (start, end, link) in enumerate(pieces):
        clause = _clause(text, (start, end), link, last=index == len(pieces) - 1)
        if clause is None:
            continue
        if clause.words[0].low in CONDITIONS or link in CONDITIONS:
            return
        if clause.words[0].low in SUBORDINATORS or link in ("which", "who", "where", "not"):
            continue
        if not (sentence.question and clause.last):
            yield clause
