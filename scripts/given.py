"""Messages as a host gives them: a text, or a mapping, checked field by field before anything is written."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from affidavit.domain.errors import BadInput
from affidavit.domain.messages import Message
from affidavit.domain.proposals import Span, VoiceRole
from affidavit.domain.roles import VOICES
from affidavit.domain.times import parse_time

SOURCE = "remember"
MOST_TARGETS = 8
"""How many claims a host may nominate with a tool's result; a policy may allow fewer."""
FIELDS = ("id", "role", "text", "time", "name", "session", "parent", "namespace", "adopted", "summary", "targets")


def parse(
    given: Mapping[str, Any],
    *,
    role: VoiceRole,
    namespace: str,
    zone: str,
    now: int,
    fresh: str,
    target: Callable[[str], bytes],
) -> Message:
    """Returns the message that a mapping says; what is left out, or None, has its default.

    `fresh` is the id of a message that brings none, `now` the moment, in microseconds, of one that brings no time; `target`
    returns the claim that an id means.
    Raises BadInput that names the field and what is required.
    """
    fields = {name: value for name, value in given.items() if value is not None}
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        msg = f"a message has the field {unknown[0]!r}; known: {', '.join(sorted(FIELDS))}"
        raise BadInput(msg)
    text = _text(fields, "text")
    if not text.strip():
        raise BadInput('a message needs a "text" that is not empty')
    said_by = fields.get("role", role)
    if not isinstance(said_by, str) or said_by not in VOICES:
        msg = f"role is {said_by!r}, one of {', '.join(sorted(VOICES))} is required"
        raise BadInput(msg)
    at, assumed = _time(fields.get("time"), zone, now)
    return Message(
        id=_text(fields, "id") or fresh,
        role=said_by,  # type: ignore[arg-type] # it is one of VOICES
        text=text,
        at=at,
        source=SOURCE,
        session=_text(fields, "session"),
        speaker=_text(fields, "name"),
        parent=_text(fields, "parent"),
        namespace=_text(fields, "namespace") or namespace,
        assumed=assumed,
        adopted=_adopted(fields.get("adopted", ()), len(text)),
        summary=bool(fields.get("summary", False)),
        targets=tuple(target(one) for one in nominated(fields.get("targets"), said_by)),
    )


def nominated(given: Any, role: str) -> tuple[str, ...]:
    """Returns the ids of the claims that a tool's result is about, as they were given. Raises BadInput for another list."""
    if given is None:
        return ()
    ids = given if isinstance(given, list | tuple) else ()
    if not 1 <= len(ids) <= MOST_TARGETS or not all(isinstance(one, str) for one in ids) or len(set(ids)) < len(ids):
        msg = f"targets is {given!r:.60}, 1 to {MOST_TARGETS} ids of claims are required, each once"
        raise BadInput(msg)
    if role != "tool":
        msg = f"a message of role {role} has targets, role tool is required"
        raise BadInput(msg)
    return tuple(ids)


def check_text(text: str, name: str = "text") -> str:
    """Returns a text that can be kept. Raises BadInput for one that is not Unicode (half of a surrogate pair)."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        msg = f"{name} holds half of a surrogate pair at {error.start}, Unicode text is required"
        raise BadInput(msg) from error
    return text


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if isinstance(value, int) and name == "id" and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        msg = f"{name} is {value!r:.40}, a text is required"
        raise BadInput(msg)
    return check_text(value, name)


def _time(time: Any, zone: str, now: int) -> tuple[int, bool]:
    if time is None:
        return now, False
    try:
        return parse_time(str(time), zone)
    except (ValueError, OverflowError) as error:
        msg = f"time is {time!r:.40}, an ISO 8601 time is required"
        raise BadInput(msg) from error


def _adopted(value: Any, length: int) -> tuple[Span, ...]:
    try:
        spans = tuple(Span(start, end) for start, end in msgspec.convert(value, list[tuple[int, int]]))
    except msgspec.ValidationError as error:
        msg = f"adopted is {value!r:.40}, a list of [start, end) in code points is required"
        raise BadInput(msg) from error
    for span in spans:
        if not 0 <= span.start < span.end <= length:
            msg = f"adopted holds [{span.start}, {span.end}), which is not within the text of {length} code points"
            raise BadInput(msg)
    return spans
