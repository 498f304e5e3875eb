"""What the importers of memory stores share: what a store holds, how its memories are gathered, and how a document is read.

A store is what another system remembers, not what was said: each memory becomes evidence and one claim (model.md §6). Each
comes once, under a key that the same store gives again. What cannot be read costs itself only, and is told with its place;
what is known and not carried is counted.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from affidavit.domain.claims import Tone
from affidavit.domain.errors import BadInput
from affidavit.domain.memories import Legacy, seed
from affidavit.domain.proposals import Form, Kind
from affidavit.domain.times import parse_time
from affidavit.scripts.importers import Line, Options
from affidavit.scripts.importers.lines import Bad, exact, seconds

LIMIT = 2**30
"""How many bytes a document may have. A larger one is not read."""

AGAIN = "memories that stand there twice"
CORRECT = "correct it there and import again"
WITHOUT = "the memory is carried without it"
_SHAPES: dict[type, str] = {list: "a list", dict: "an object", bytes: "bytes"}
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Store:
    """What a store holds for one scope; `scope` is None where the caller names it.

    `skipped` tells what could not be read: its place, and the reason with what to do. A place that ends with a field's name
    means this field only; its memory is carried. `left_out` counts what is known and not carried, by kind. `lines` are the
    messages that a store keeps beside its memories; they are read as those of any file.
    """

    memories: tuple[Legacy, ...]
    skipped: tuple[tuple[str, str], ...]
    left_out: dict[str, int]
    scope: str | None = None
    lines: Iterable[Line] = ()


StoreReader = Callable[[Path, Options], Iterable[Store]]


@dataclass(slots=True)
class Gathering:
    """What is gathered from a store, each memory once."""

    memories: dict[str, Legacy] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def admit(self, memory: Legacy) -> None:
        """Keeps a memory; the same once more is counted, and another text under a known key is told."""
        kept = self.memories.setdefault(memory.key, memory)
        if kept is memory:
            return
        if kept.text == memory.text:
            self.left_out[AGAIN] += 1
        else:
            self.skip(memory.place, f"another memory with its id stands at {kept.place}, which is carried", CORRECT)

    def skip(self, place: str, reason: object, remedy: str = CORRECT) -> None:
        """Tells what cannot be read, and what to do."""
        self.skipped.append((place, f"{reason}; {remedy}"))

    def leave(self, name: str, count: int = 1) -> None:
        """Counts what is known and not carried."""
        if count:
            self.left_out[name] += count

    def store(self, scope: str | None = None, lines: Iterable[Line] = ()) -> Store:
        """Returns what was gathered."""
        return Store(tuple(self.memories.values()), tuple(self.skipped), dict(self.left_out), scope, lines)


def memory(
    key: str,
    text: str,
    place: str,
    *,
    form: Form = "fact",
    kind: Kind | None = None,
    entity: str = "user",
    status: str = "active",
    standing: str = "",
    at: int | None = None,
    assumed: bool = False,
    since: int | None = None,
    confirmed_at: int | None = None,
    namespace: str = "",
    tone: Tone = "",
    expires_at: int | None = None,
) -> Legacy:
    """Returns a memory of a store that keeps no counters; `standing` is the word whose seed it gets, if not the status.

    A memory without `since` has had its status as long as its words are old. Raises Bad if a text cannot be kept exactly.
    """
    since = at if since is None else since
    up, down = seed(standing or status)
    return Legacy(
        key=exact(key, "id"),
        form=form,
        text=exact(text),
        entity=exact(entity, "entity"),
        status=status,
        protected=False,
        importance=None,
        created_at=at,
        assumed=assumed,
        since=since,
        parents=(),
        reinforcement=up,
        disputation=down,
        rein_last_signal_at=since if up else None,
        disp_last_signal_at=since if down else None,
        sub_zero_days=0,
        user_fact_reinforce_count=0,
        absorbed=False,
        place=place,
        kind=kind,
        namespace=exact(namespace, "namespace"),
        confirmed_at=confirmed_at,
        tone=tone,
        expires_at=expires_at,
    )


def named_by(*texts: str) -> str:
    """Returns a name for what has no id: `text-` and a digest of what it says."""
    said = json.dumps(texts, ensure_ascii=True).encode()
    return f"text-{hashlib.sha256(said).hexdigest()[:16]}"


def fields_of(value: Any) -> dict[str, Any]:
    """Returns a value that is an object. Raises Bad."""
    if not isinstance(value, dict):
        raise Bad(f"{shown(value)} was found, an object is required")
    return value


def a_text(fields: dict[str, Any], name: str) -> str:
    """Returns a field's text, which may be blank. Raises Bad where there is none."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise Bad(f'field "{name}" is {shown(value)}, a text is required')
    return value


def filled(fields: dict[str, Any], name: str) -> str:
    """Returns a field's text, as it is. Raises Bad where there is none, or a blank one."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Bad(f'field "{name}" is {shown(value)}, a text that is not blank is required')
    return value


def one_of(fields: dict[str, Any], name: str, known: Iterable[str]) -> str:
    """Returns a field's word. Raises Bad if it is none of those known."""
    value = fields.get(name)
    words = tuple(known)
    if not isinstance(value, str) or value not in words:
        raise Bad(f'field "{name}" is {shown(value)}, one of {", ".join(words)} is required')
    return value


def time_of(value: Any, zone: str, name: str) -> tuple[int | None, bool]:
    """Returns a time as microseconds, and whether its zone was assumed; None where it is missing. Raises Bad.

    It is ISO 8601, or a date in MongoDB's extended JSON: `{"$date": "…"}` or `{"$date": {"$numberLong": "…"}}`.
    """
    if isinstance(value, dict) and "$date" in value:
        value = value["$date"]
        if isinstance(value, dict):
            value = value.get("$numberLong")
        if isinstance(value, int) or (isinstance(value, str) and value.lstrip("-").isdecimal()):
            return seconds(int(value) / 1000, name), False
    if value is None:
        return None, False
    try:
        return parse_time(value if isinstance(value, str) else "", zone)
    except (ValueError, OverflowError) as error:
        raise Bad(f'field "{name}" is {shown(value)}, an ISO 8601 time is required') from error


def shown(value: Any) -> str:
    """Returns a value for a sentence. What a list or an object holds is not shown, for it may be deep."""
    if isinstance(value, (list, dict, bytes)):
        return _SHAPES[type(value)]
    return repr(value[:40] if isinstance(value, str) else value)


def parse(data: bytes, shape: type | tuple[type, ...] = dict) -> Any:
    """Returns the list or object that a document holds; NaN is read, as several programs write it. Raises Bad."""
    try:
        found = json.loads(data.removeprefix(_BOM).decode(), parse_int=_number)
    except RecursionError as error:
        raise Bad("not JSON: nested too deeply") from error
    except UnicodeDecodeError as error:
        raise Bad(f"not UTF-8: {error.reason} at byte {error.start + 1}") from error
    except ValueError as error:
        raise Bad(f"not JSON: {error}") from error
    if not isinstance(found, shape):
        shapes = shape if isinstance(shape, tuple) else (shape,)
        raise Bad(f"{shown(found)} was found, {' or '.join(_SHAPES[one] for one in shapes)} is required")
    return found


def _number(digits: str) -> int | float:
    """Returns a whole number; one with more digits than any count has is a float, so that it costs its own field only."""
    return int(digits) if len(digits) < 20 else float(digits)


def document(path: Path, shape: type | tuple[type, ...] = dict) -> Any:
    """Returns what a file of one JSON document holds. Raises BadInput: nothing of it can be read if that cannot."""
    try:
        return parse(_within_limit(path), shape)
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise BadInput(msg) from error
    except Bad as bad:
        msg = f"{path}: {bad}"
        raise BadInput(msg, remedy="export it again, and import that") from bad


def _within_limit(path: Path) -> bytes:
    if path.stat().st_size > LIMIT:
        raise Bad(f"longer than {LIMIT:,} bytes")
    return path.read_bytes()


def texts(value: Any) -> Iterator[str]:
    """Yields the texts of a list that can be part of a key."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, str) and one.strip():
            try:
                yield exact(one)
            except Bad:
                continue
