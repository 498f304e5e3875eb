"""The chat format: JSONL, one message a line.

    {"id": "m1", "role": "user", "name": "Ana", "time": "2026-11-30T21:00:00+01:00", "text": "I live in Lisbon."}

`id`, `role` (user, assistant, tool, system), `time` (ISO 8601; a naive one is read in the scope's zone and marked) and
`text` are required, `name` is the speaker's. Optional: `session`, `parent`, `namespace`, `adopted` (a list of [start, end)
in code points of the text that are not the speaker's own testimony). Other fields are refused, so that none is lost
unseen. An id that comes twice without a session is told, because the second would be taken for a revision of the first.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec

from affidavit.domain.messages import Message
from affidavit.domain.proposals import Span, VoiceRole
from affidavit.domain.roles import VOICES
from affidavit.scripts.importers import Line, Options, Part
from affidavit.scripts.importers.lines import Bad, exact, moment, rows

SOURCE = "chat"
FIELDS = ("id", "role", "name", "time", "text", "session", "parent", "namespace", "adopted")


def read(path: Path, options: Options) -> Iterator[Part]:
    """Yields the file's one part."""
    yield Part(None, _lines(path, options))


def _lines(path: Path, options: Options) -> Iterator[Line]:
    seen: dict[str, tuple[int, str]] = {}
    for row in rows(path):
        if row.fields is None:
            yield Line(row.number, reason=row.reason)
            continue
        try:
            message = parse(row.fields, options)
            _only_once(message, row.number, seen)
        except Bad as bad:
            yield Line(row.number, reason=str(bad))
        else:
            yield Line(row.number, message)


def parse(fields: dict[str, Any], options: Options) -> Message:
    """Returns the message that a line's object says. Raises ValueError that names the field and what is required."""
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        raise Bad(f'field "{unknown[0]}" is not known; known fields: {", ".join(FIELDS)}')
    role = fields.get("role")
    if not isinstance(role, str) or role not in VOICES:
        raise Bad(f'field "role" is {role!r}, one of user, assistant, tool, system is required')
    at, assumed = moment(fields.get("time"), options.zone, "time")
    text = _text(fields, "text")
    if not text.strip():
        raise Bad('field "text" is empty')
    return Message(
        id=_text(fields, "id"),
        role=cast("VoiceRole", role),
        text=text,
        at=at,
        assumed=assumed,
        source=options.source or SOURCE,
        speaker=_text(fields, "name", required=False),
        session=_text(fields, "session", required=False),
        parent=_text(fields, "parent", required=False),
        namespace=_text(fields, "namespace", required=False) or options.namespace,
        adopted=_adopted(fields.get("adopted", []), len(text)),
    )


def _text(fields: dict[str, Any], name: str, *, required: bool = True) -> str:
    value = fields.get(name)
    if value is None and not required:
        return ""
    if isinstance(value, int) and name == "id" and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or (required and not value):
        raise Bad(f'field "{name}" is {value!r:.40}, a text is required')
    return exact(value, name)


def _adopted(value: Any, length: int) -> tuple[Span, ...]:
    try:
        spans = tuple(Span(start, end) for start, end in msgspec.convert(value, list[tuple[int, int]]))
    except msgspec.ValidationError as error:
        raise Bad(f'field "adopted" is {value!r:.40}, a list of [start, end) is required') from error
    for span in spans:
        if not 0 <= span.start < span.end <= length:
            raise Bad(f'field "adopted" holds [{span.start}, {span.end}), which is not within the text of {length}')
    return spans


def _only_once(message: Message, number: int, seen: dict[str, tuple[int, str]]) -> None:
    if message.session:
        return
    first = seen.setdefault(message.id, (number, message.text))
    if first[0] != number and first[1] != message.text:
        raise Bad(f'field "id" is {message.id!r}, as in line {first[0]} with another text; give the lines a "session"')
