"""Sentences, and what ends them, in both languages.

A sentence is a stretch of testimony between two terminators. A full stop ends one only before white space, so that
"3.11", "main.py" and "e.g. this" stay whole; a question mark makes all of it a question; an emoji ends it, since in
chat it stands where a full stop would. The languages split sentences further, each by its own grammar.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TERMINATOR = re.compile(
    r"[!?。！？；;\n…～~\u2600-\u27bf\U0001f000-\U0001faff]+[!?。！？；;\n…～~\ufe0f\u200d\u2600-\u27bf\U0001f000-\U0001faff]*"
    r"|\.+(?=[\s\"'”’)\]]|$)"
    r"|(?<=\w)\.{2,}",
)
_TITLE = re.compile(r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st)$", re.IGNORECASE)
_SHORTENED = re.compile(r"(?:^|[\s(])(?:vs|etc|e\.g|i\.e|approx|a\.m|p\.m|jr|sr|inc)$", re.IGNORECASE)
_GOES_ON = re.compile(r"\.\s+[a-z0-9]")
HAN = re.compile(r"[\u3400-\u9fff]")


class Sentence(NamedTuple):
    """A stretch of the testimony, without its terminator."""

    start: int
    end: int
    question: bool


def _abbreviates(text: str, start: int, dot: int) -> bool:
    """Tells whether the full stop at `dot` belongs to an abbreviation and the sentence goes on."""
    tail = text[max(start, dot - 8) : dot]
    return bool(_TITLE.search(tail)) or (bool(_SHORTENED.search(tail)) and bool(_GOES_ON.match(text, dot)))


def sentences(text: str) -> Iterator[Sentence]:
    """Yields the sentences of a testimony in order."""
    start = 0
    for mark in _TERMINATOR.finditer(text):
        if mark.group() == "." and _abbreviates(text, start, mark.start()):
            continue
        if mark.start() > start:
            yield Sentence(start, mark.start(), "?" in mark.group() or "？" in mark.group())
        start = mark.end()
    if start < len(text):
        yield Sentence(start, len(text), question=False)
