"""What the importers share: the lines of a JSONL file, times, and how one line becomes messages.

A line costs itself only. It is bad, with a reason, if it is not UTF-8, not JSON, no object, cut off, or longer than `LIMIT`.
A text with half of a surrogate pair is bad, because it is no Unicode text and could not be kept exactly; the other messages
of its line are kept. A NUL that JSON escapes is kept: it is a character like others, and the text is exact. A raw NUL is no
JSON.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from affidavit.domain.messages import Message
from affidavit.domain.proposals import Span, VoiceRole
from affidavit.domain.times import parse_time
from affidavit.scripts.importers import Line, Options

LIMIT = 64 * 2**20
"""How many bytes a line may have. A longer one is bad, and is read over without being held in memory."""

OFF_BRANCH = "off the current branch"
"""What the speaker of a message says that stands on a branch which its conversation had left when it was imported."""

_BLOCK = 2**20
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARGIN = 86_400
_LAST_SECOND = 253_402_300_800 - _MARGIN
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
_decoder = msgspec.json.Decoder()


class Bad(ValueError):
    """Why a line, or one message of it, is skipped."""


class Row(NamedTuple):
    """One line of a file that is not blank: its object, or the reason why there is none."""

    number: int
    fields: dict[str, Any] | None
    reason: str = ""


def rows(path: Path, limit: int = LIMIT) -> Iterator[Row]:
    """Yields the lines of a file that are not blank, each as an object or as a reason. Holds one line at a time."""
    with path.open("rb") as file:
        if file.read(2) in _UTF16:
            yield Row(1, None, "the file is in UTF-16, UTF-8 is required")
            return
        file.seek(0)
        number = 0
        while line := file.readline(limit + 1):
            number += 1
            if len(line) > limit and not line.endswith(b"\n"):
                while (more := file.readline(_BLOCK)) and not more.endswith(b"\n"):
                    pass
                yield Row(number, None, f"longer than {limit:,} bytes")
                continue
            whole = line.endswith(b"\n")
            line = line.removeprefix(_BOM) if number == 1 else line
            if not line or line.isspace():
                continue
            row = _row(number, line, whole=whole)
            line = b""  # a long line is not held while its object is read
            yield row


def entries(path: Path, lines: int, read: Callable[[Row, dict[str, Any]], Iterable[Line]]) -> Iterator[Line]:
    """Yields what `read` makes of the first `lines` rows of a file; a row that it cannot read becomes a line with a reason.

    The count comes from an earlier look at the file: a session that grows meanwhile is read up to where that look ended.
    """
    for row in islice(rows(path), lines):
        if row.fields is None:
            yield Line(row.number, reason=row.reason)
            continue
        try:
            yield from read(row, row.fields)
        except (Bad, RecursionError) as bad:
            yield Line(row.number, reason=str(bad))


def _row(number: int, line: bytes, *, whole: bool) -> Row:
    try:
        return Row(number, an_object(line))
    except Bad as bad:
        return Row(number, None, str(bad) if whole else f"{bad}; it is the last line and may have been cut off")


def an_object(line: bytes) -> dict[str, Any]:
    """Returns the object that a line holds. Raises Bad."""
    found = decode(line)
    if not isinstance(found, dict):
        raise Bad(f"a JSON object is required, {type(found).__name__} was found")
    return found


def decode(data: bytes, *, errors: str = "strict") -> Any:
    """Returns the value of JSON in UTF-8. Raises Bad.

    Halves of surrogate pairs pass, for `exact` to find the text that has them; with `errors="surrogateescape"` so does
    what is not UTF-8.
    """
    try:
        return _decoder.decode(data)
    except RecursionError as error:
        raise Bad("not JSON: nested too deeply") from error
    except msgspec.DecodeError as first:
        try:
            text = data.decode("utf-8", errors)
        except UnicodeDecodeError as error:
            raise Bad(f"not UTF-8: {error.reason} at byte {error.start + 1}") from error
        if errors == "strict" and b"\\u" not in data:
            raise Bad(f"not JSON: {first}") from first
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Bad(f"not JSON: {error}") from error


def exact(text: str, name: str = "text") -> str:
    """Returns a text that can be kept as it is. Raises Bad if it cannot."""
    if text.isascii():
        return text
    found = _SURROGATE.search(text)
    if found is None:
        return text
    code = ord(found.group())
    if 0xDC80 <= code <= 0xDCFF:
        raise Bad(f'"{name}" may not be UTF-8, or holds half of a surrogate pair, at character {found.start() + 1}')
    raise Bad(f'"{name}" holds half of a surrogate pair (\\u{code:04x}) at character {found.start() + 1}')


def word(fields: dict[str, Any], name: str) -> str:
    """Returns a field's text, or "" where there is none."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def table(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns a field's object, or an empty one where there is none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def noise_name(value: Any) -> str:
    """Returns the class of a line that is skipped on purpose: its own type where that is a plain name."""
    return value if isinstance(value, str) and _NAME.fullmatch(value) else "other"


def moment(value: Any, zone: str, name: str = "timestamp") -> tuple[int, bool]:
    """Returns an ISO 8601 time as microseconds, and whether the zone was assumed. Raises Bad."""
    try:
        return parse_time(msgspec.convert(value, str), zone)
    except (ValueError, OverflowError) as error:
        raise Bad(f'field "{name}" is {value!r:.40}, an ISO 8601 time is required') from error


def seconds(value: Any, name: str) -> int:
    """Returns seconds since 1970, with or without a fraction, as microseconds. Raises Bad."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Bad(f'field "{name}" is {value!r:.40}, seconds since 1970 are required')
    if not 0 <= value < _LAST_SECOND:
        raise Bad(f'field "{name}" is {value!r:.40}, which is no time since 1970')
    return round(value * 1_000_000)


def call(name: str, given: Any) -> str:
    """Returns a tool call as compact JSON of the tool's name and its input."""
    return json.dumps({"name": name, "input": given}, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What the messages of one line share. `off` tells that the line is off the conversation's current branch."""

    id: str
    at: int
    session: str
    assumed: bool = False
    parent: str = ""
    off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One message of a line; `part` is its place in the line, "" where the line holds one only; or a class of noise."""

    role: VoiceRole = "system"
    text: str = ""
    part: str = ""
    speaker: str = ""
    adopted: tuple[Span, ...] = ()
    summary: bool = False
    noise: str = ""


def messages(number: int, head: Head, pieces: Iterable[Piece], options: Options, source: str) -> Iterator[Line]:
    """Yields a line's pieces as messages; an empty one is noise, one that cannot be kept exactly is bad."""
    for piece in pieces:
        if piece.noise or not piece.text.strip():
            yield Line(number, noise=piece.noise or "empty")
            continue
        try:
            yield Line(number, _message(head, piece, options, source))
        except Bad as bad:
            yield Line(number, reason=str(bad))


def _message(head: Head, piece: Piece, options: Options, source: str) -> Message:
    speaker = f"{piece.speaker or piece.role}, {OFF_BRANCH}" if head.off else piece.speaker
    return Message(
        id=exact(f"{head.id}/{piece.part}" if piece.part else head.id, "id"),
        role=piece.role,
        text=exact(piece.text),
        at=head.at,
        assumed=head.assumed,
        source=options.source or source,
        session=exact(head.session, "session"),
        speaker=exact(speaker, "speaker"),
        parent=exact(head.parent, "parent"),
        namespace=options.namespace,
        adopted=piece.adopted,
        summary=piece.summary,
    )


def inside(part: str, place: int, of: int) -> str:
    """Returns the name of one of `of` parts inside a part; a single one needs no number."""
    if of == 1:
        return part
    return f"{part}/{place}" if part else str(place)


def tags(*names: str) -> re.Pattern[str]:
    """Returns the pattern of the opening tags with these names."""
    return re.compile(rf"<({'|'.join(map(re.escape, names))})(?:\s[^<>]*)?>")


def injected(text: str, opening: re.Pattern[str]) -> tuple[Span, ...]:
    """Returns the spans of a text that the program put in: from an opening tag to its closing one, else to the end."""
    spans: list[Span] = []
    start = 0
    while found := opening.search(text, start):
        end = text.find(closing := f"</{found.group(1)}>", found.end())
        start = len(text) if end < 0 else end + len(closing)
        spans.append(Span(found.start(), start))
    return tuple(spans)


def said(text: str, part: str, opening: re.Pattern[str], speaker: str = "") -> Piece:
    """Returns a user's text: what the program put in is adopted; where nothing else is left, it is the system's."""
    spans = injected(text, opening)
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(text)]
    if spans and not any(text[end:start].strip() for end, start in zip(ends, starts, strict=True)):
        return Piece(role="system", text=text, part=part)
    return Piece(role="user", text=text, part=part, speaker=speaker, adopted=spans)
