"""What our figures are held against: plain `sqlite3`, the `eventsourcing` library as its documents show it, a naive fold.

Each does what it is named for in the plainest good way, on the same bytes, with the same durability.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import msgpack
from eventsourcing.persistence import EventStore, Mapper, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore
from pydantic import BaseModel, ConfigDict

from affidavit.domain.claims import ClaimState
from affidavit.domain.evidence import EvidenceState
from affidavit.journal.records import Given
from affidavit.scripts.bootstrap import Store

_TABLE = """CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, stream BLOB NOT NULL, version INTEGER NOT NULL, event_id BLOB NOT NULL UNIQUE,
    type TEXT NOT NULL, body BLOB NOT NULL, text BLOB, UNIQUE (stream, version)
)"""
_PRAGMAS = ("journal_mode", "synchronous", "cache_size", "secure_delete")


class Plain:
    """One plain table with the indexes that any event table has, written by `executemany`, with the ledger's pragmas."""

    def __init__(self, path: Path, like: Store) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None, timeout=60)
        with like.datastore.read() as connection:
            for name in _PRAGMAS:
                value = connection.execute(f"PRAGMA {name}").fetchone()[0]
                self.connection.execute(f"PRAGMA {name} = {value}")
        self.connection.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))

    def append(self, given: Sequence[Given]) -> None:
        """Inserts records' bytes in one durable transaction."""
        rows = [(one.stream, one.version, one.event_id, one.type, one.body, one.blob) for one in given]
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany(
            "INSERT INTO events (stream, version, event_id, type, body, text) VALUES (?, ?, ?, ?, ?, ?)", rows
        )
        self.connection.execute("COMMIT")

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()


class Frozen(BaseModel):
    """A frozen pydantic event, as the library's examples with pydantic have it; as many fields as a claim event here."""

    model_config = ConfigDict(frozen=True)

    originator_id: UUID
    originator_version: int
    id: bytes
    command: bytes
    command_digest: bytes
    scope: bytes
    stream: bytes
    type: str
    occurred_at: int
    role: str
    actor: bytes
    policy: bytes
    evidence: tuple[bytes, ...]
    extractor: str
    generation: int
    text: str
    state: ClaimState


class PydanticMapper(Mapper[UUID]):
    """The library's mapper with `model_dump` and msgpack in place of its JSON."""

    def __init__(self) -> None:
        """Needs no transcoder."""

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        """Returns an event as its topic and msgpack."""
        fields = domain_event.model_dump(exclude={"originator_id", "originator_version"})
        return StoredEvent(
            originator_id=domain_event.originator_id,
            originator_version=domain_event.originator_version,
            topic=domain_event.type,
            state=msgpack.packb(fields),
        )


class Library:
    """The library's own recorder and event store, with its own connection and defaults."""

    def __init__(self, path: Path) -> None:
        self._datastore = SQLiteDatastore(str(path))
        recorder = SQLiteApplicationRecorder(self._datastore)
        recorder.create_table()
        self._store = EventStore(PydanticMapper(), recorder)

    def put(self, events: Sequence[Frozen]) -> None:
        """Stores events in one transaction."""
        self._store.put(events)  # the port reads two fields of an event, and the rest is the mapper's

    def close(self) -> None:
        """Closes the file."""
        self._datastore.close()


def frozen_fields(fields: dict[str, Any], text: str) -> dict[str, Any]:
    """Returns a claim record's decoded body as the fields of a `Frozen`."""
    public = fields["public"]
    return {
        "originator_id": UUID(bytes=fields["stream"]),
        "originator_version": fields["version"],
        **{name: fields[name] for name in ("id", "command", "command_digest", "scope", "stream", "type", "occurred_at")},
        "role": fields["actor"]["role"],
        "actor": fields["actor"]["id"],
        "policy": fields["policy"],
        "evidence": tuple(fields.get("evidence", ())),
        "extractor": public["extractor"],
        "generation": public["generation"],
        "text": text,
        "state": public["state"],
    }


class _Voice(BaseModel):
    role: str
    id: bytes


class _Envelope(BaseModel):
    """A record's body as a naive fold reads it."""

    id: bytes
    command: bytes
    command_digest: bytes
    scope: bytes
    stream: bytes
    version: int
    type: str
    occurred_at: int
    actor: _Voice
    policy: bytes
    evidence: tuple[bytes, ...] = ()


class _Claim(_Envelope):
    state: ClaimState


class _Evidence(_Envelope):
    state: EvidenceState


def naive_fold(store: Store, most: int) -> tuple[int, int]:
    """Folds up to `most` events as the library's documents do; returns how many, and how many streams they are of.

    Pages of notifications, msgpack, a pydantic model for each event, a dictionary of the last state. Nothing is unsealed
    and no view is written, which a whole rebuild would have to do besides.
    """
    recorder = store.log().recorder
    states: dict[bytes, _Envelope] = {}
    read = 0
    while read < most:
        page = recorder.select_notifications(read + 1, min(500, most - read))
        for notification in page:
            fields = msgpack.unpackb(notification.state)
            public = fields["public"]
            if "claim" in public:
                states[fields["stream"]] = _Claim.model_validate({**fields, "state": public["state"]})
            elif "item" in public and "state" in public:
                states[fields["stream"]] = _Evidence.model_validate({**fields, "state": public["state"]})
            else:
                states[fields["stream"]] = _Envelope.model_validate(fields)
        read += len(page)
        if not page:
            break
    return read, len(states)


def texts(count: int) -> Iterable[str]:
    """Yields texts of messages, English and Chinese, of about 80 bytes."""
    for number in range(count):
        if number % 5 == 4:
            yield f"我喜欢绿茶，我住在第{number}街的老房子里，周末常去爬山。"
        else:
            yield f"I live at number {number} in the old town, and I really like green tea in the morning."
