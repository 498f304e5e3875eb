"""Secrets are found before anything is written: each is replaced by a marker that says its kind, and nothing else is.

    password=hunter22   becomes   password=[secret: password]

`redact` is pure and deterministic, and redacting what is redacted changes nothing. Places are code points. A span that a
source marked in the original text is moved to the redacted text by `Redacted.moved`. Invisible characters and terminal
colours do not hide a secret: the search passes over them, the kept text keeps them. What a secret looks like stands in
`secret_shapes` and `secret_words`. Most texts hold no hint of any rule, and end after one look for all hints together.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from affidavit.domain import secret_shapes, secret_words
from affidavit.domain.proposals import Span
from affidavit.domain.secret_shapes import Hit

VERSION = 1
"""To be raised when other texts are redacted than before, or otherwise: an import again then makes revisions."""

KINDS = secret_shapes.KINDS | secret_words.KINDS
"""What a marker may say."""

_RULES = (*secret_shapes.RULES, *secret_words.RULES)
"""The most exact first: of rules that find the same place, the first one tells its kind."""

_RARITY = {one: rank for rank, one in enumerate(" etaoinshrldumycwgfbpvkjxqz")}
"""The characters that English is written with, the most frequent first; any other is rarer than these."""


def _any_of(hints: Iterable[str]) -> re.Pattern[str]:
    """Returns a pattern that is found in a text if, and only if, one of the hints is in it.

    A hint is matched from its rarest character on, and what stands before that by looking back. So every branch begins with
    a literal, from which `re` makes a set of characters where a match may begin, and few places of a text are in it.
    """
    wanted = frozenset(hints)
    branches = []
    for hint in sorted(hint for hint in wanted if not any(other in hint for other in wanted - {hint})):
        at = max(range(len(hint)), key=lambda place: _RARITY.get(hint[place], len(_RARITY)))
        before = f"(?<={re.escape(hint[: at + 1])})" if at else ""
        branches.append(re.escape(hint[at]) + before + re.escape(hint[at + 1 :]))
    return re.compile("|".join(branches))


_HINT = _any_of(hint for rule in _RULES if not rule.folded for hint in rule.hints)
_FOLDED_HINT = _any_of(hint for rule in _RULES if rule.folded for hint in rule.hints)

_ROUNDS = 4
_MARKER = re.compile(rf"\[secret: (?:{'|'.join(sorted(KINDS, reverse=True))})\]")
_INVISIBLE = re.compile(
    "\x1b\\[[0-9;?]*[A-Za-z]|[\x01-\x08\x0e-\x1a\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]",
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret that was found: its kind, its line in the original text (from 1), its place there, and its marker's place."""

    kind: str
    line: int
    span: Span
    marker: Span


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what was found, in order."""

    text: str
    found: tuple[Secret, ...] = ()

    @property
    def kinds(self) -> dict[str, int]:
        """Returns how many secrets of each kind were found, by the kind's name."""
        return dict(sorted(Counter(secret.kind for secret in self.found).items()))

    def moved(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Returns spans of the original text in the redacted text; one that touches a secret takes in its whole marker."""
        starts = [secret.span.start for secret in self.found]
        return tuple(
            Span(self._place(span.start, starts, end=False), self._place(span.end, starts, end=True)) for span in spans
        )

    def _place(self, at: int, starts: list[int], *, end: bool) -> int:
        index = bisect_right(starts, at) - 1
        if index < 0:
            return at
        secret = self.found[index]
        if at >= secret.span.end:
            return at - secret.span.end + secret.marker.end
        return secret.marker.end if end and at > secret.span.start else secret.marker.start


def marker(kind: str) -> str:
    """Returns what stands in a secret's place."""
    return f"[secret: {kind}]"


def redact(text: str) -> Redacted:
    """Returns the text with each secret replaced by its marker, and where each stood."""
    hits = _scan(text)
    if not hits:
        return Redacted(text)
    redacted = _replaced(text, hits)
    for _ in range(_ROUNDS):
        more = _scan(redacted.text)
        if not more:
            break
        hits = _merged([*((Hit(*_original(redacted, hit), hit.kind)) for hit in more), *hits])
        redacted = _replaced(text, hits)
    return redacted


def _scan(text: str) -> list[Hit]:
    """Returns the secrets of a text in order, apart, and none that touches a marker."""
    view, places = _visible(text)
    lowered = view.lower()
    if _HINT.search(view) is None and _FOLDED_HINT.search(lowered) is None:
        return []
    rules = [rule for rule in _RULES if any(hint in (lowered if rule.folded else view) for hint in rule.hints)]
    hits = [hit for rule in rules for hit in rule.find(view)]
    if not hits:
        return []
    if places:
        hits = [Hit(places[hit.start], places[hit.end - 1] + 1, hit.kind) for hit in hits]
    return _without_markers(text, _merged(hits))


def _visible(text: str) -> tuple[str, list[int]]:
    """Returns the text as it is seen, and, where that differs, the place of each of its characters in the text."""
    if text.replace("\n", "").isprintable():  # what is invisible is not, and to ask costs a third of the search
        return text, []
    if "\0" in text:
        text = text.replace("\0", "\n")
    if _INVISIBLE.search(text) is None:
        return text, []
    places: list[int] = []
    last = 0
    for match in _INVISIBLE.finditer(text):
        places += range(last, match.start())
        last = match.end()
    places += range(last, len(text))
    return _INVISIBLE.sub("", text), places


def _merged(hits: list[Hit]) -> list[Hit]:
    """Returns hits that share no character; the kind of those that did is the first rule's, which is the most exact."""
    merged: list[tuple[int, Hit]] = []
    for order, hit in sorted(enumerate(hits), key=lambda one: (one[1].start, one[1].end)):
        if merged and hit.start < merged[-1][1].end:
            first, other = merged[-1]
            kind = other.kind if first < order else hit.kind
            merged[-1] = (min(first, order), Hit(other.start, max(other.end, hit.end), kind))
        else:
            merged.append((order, hit))
    return [hit for _, hit in merged]


def _without_markers(text: str, hits: list[Hit]) -> list[Hit]:
    """Returns the hits that touch no marker."""
    spans = [match.span() for match in _MARKER.finditer(text)] if "[secret: " in text else []
    if not spans:
        return hits
    starts = [start for start, _ in spans]

    def touches(hit: Hit) -> bool:
        index = bisect_right(starts, hit.end - 1) - 1
        return index >= 0 and spans[index][1] > hit.start

    return [hit for hit in hits if not touches(hit)]


def _replaced(text: str, hits: list[Hit]) -> Redacted:
    pieces: list[str] = []
    found: list[Secret] = []
    last = length = 0
    line = 1
    for hit in hits:
        pieces += (text[last : hit.start], marker(hit.kind))
        begin = length + hit.start - last
        length = begin + len(pieces[-1])
        line += text.count("\n", found[-1].span.start if found else 0, hit.start)
        found.append(Secret(hit.kind, line, Span(hit.start, hit.end), Span(begin, length)))
        last = hit.end
    pieces.append(text[last:])
    return Redacted("".join(pieces), tuple(found))


def _original(redacted: Redacted, hit: Hit) -> tuple[int, int]:
    """Returns where a hit in a redacted text, apart from its markers, stands in the original."""
    ends = [secret.marker.end for secret in redacted.found]
    index = bisect_right(ends, hit.start) - 1
    shift = redacted.found[index].span.end - ends[index] if index >= 0 else 0
    return hit.start + shift, hit.end + shift
