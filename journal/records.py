"""Records in the log file: a body, stored and hashed as its exact bytes, and a link, made last, under the write lock.

    link(n) = BLAKE3(link(n-1), position, scope number, recorded_at, BLAKE3(body))

Positions are dense and our own. Triggers refuse to change or delete a record and admit only the next position, the next
version of a stream and a new event id: `INSERT OR REPLACE` would get past a delete trigger, so density is checked at
insert. Streams are interned integers, because random keys in wide indexes cost three times the CPU at a million records.
Every read checks the body against its digest. This module knows bytes, not meaning.
"""

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blake3 import blake3

from affidavit.domain.errors import IntegrityFault

FORMAT = 1
"""The ledger's format version, kept as the file's user_version; a newer one is refused before it is touched."""
GENESIS = bytes(32)
"""The link before position 1."""

PLACE = struct.Struct(">qqq")
"""How a position, a scope number and a time in microseconds stand in what a link is made of."""

TABLES = (
    """CREATE TABLE IF NOT EXISTS streams (
        id INTEGER PRIMARY KEY,
        name ANY NOT NULL UNIQUE,
        class TEXT NOT NULL,
        scope INTEGER NOT NULL,
        version INTEGER NOT NULL,
        position INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS scopes (
        id INTEGER PRIMARY KEY,
        name BLOB NOT NULL UNIQUE,
        number INTEGER NOT NULL,
        opened INTEGER NOT NULL DEFAULT 0,
        policy INTEGER NOT NULL DEFAULT 0,
        generation INTEGER NOT NULL DEFAULT 0,
        time_zone TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS records (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        stream INTEGER NOT NULL,
        version INTEGER NOT NULL,
        event_id BLOB UNIQUE,
        type TEXT NOT NULL,
        scope_number INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL,
        body BLOB NOT NULL,
        digest BLOB NOT NULL,
        link BLOB NOT NULL,
        UNIQUE (stream, version)
    ) STRICT""",
    "CREATE TABLE IF NOT EXISTS blobs (position INTEGER PRIMARY KEY, content BLOB NOT NULL) STRICT",
    """CREATE TRIGGER IF NOT EXISTS records_append BEFORE INSERT ON records BEGIN
        SELECT RAISE(ABORT, 'records: only the next position may be appended')
            WHERE NEW.position != coalesce((SELECT max(position) FROM records), 0) + 1;
        SELECT RAISE(ABORT, 'records: only the next version of a stream may be appended')
            WHERE NEW.version != coalesce((SELECT max(version) + 1 FROM records WHERE stream = NEW.stream), NEW.version);
        SELECT RAISE(ABORT, 'records: the event id is there already')
            WHERE EXISTS (SELECT 1 FROM records WHERE event_id = NEW.event_id);
    END""",
    """CREATE TRIGGER IF NOT EXISTS records_no_update BEFORE UPDATE ON records BEGIN
        SELECT RAISE(ABORT, 'records are never changed');
    END""",
    """CREATE TRIGGER IF NOT EXISTS records_no_delete BEFORE DELETE ON records BEGIN
        SELECT RAISE(ABORT, 'records are never deleted');
    END""",
)


class Given(NamedTuple):
    """What is to be appended: the stream's and scope's names, a version, an event id, a type, the body and its blob.

    `stream_id` is the stream's integer where the caller knows it.
    """

    stream: bytes | str
    stream_class: str
    scope: bytes
    version: int
    event_id: bytes | None
    type: str
    body: bytes
    blob: bytes | None = None
    stream_id: int | None = None


class Recorded(NamedTuple):
    """What the log returns: the record's place, and its body, whose digest was checked."""

    position: int
    stream: int
    version: int
    event_id: bytes | None
    type: str
    scope_number: int
    recorded_at: int
    body: bytes
    digest: bytes
    link: bytes


class Head(NamedTuple):
    """The end of the log: position, link and time of its last record; position 0 for an empty log."""

    position: int
    link: bytes
    recorded_at: int


COLUMNS = "position, stream, version, event_id, type, scope_number, recorded_at, body, digest, link"


def chain(previous: bytes, position: int, scope_number: int, recorded_at: int, digest: bytes) -> bytes:
    """Returns the link of a record: 32 bytes that commit to everything up to and including it."""
    return blake3(previous + PLACE.pack(position, scope_number, recorded_at) + digest).digest()


def head(connection: sqlite3.Connection) -> Head:
    """Returns the end of the log."""
    row = connection.execute("SELECT position, link, recorded_at FROM records ORDER BY position DESC LIMIT 1").fetchone()
    return Head(*row) if row else Head(0, GENESIS, 0)


def checked(row: tuple[object, ...]) -> Recorded:
    """Returns a row of `COLUMNS` as a record. Raises IntegrityFault where the body is not what was written."""
    record = Recorded(*row)  # type: ignore[arg-type]
    if blake3(record.body).digest() != record.digest:
        msg = f"position {record.position}: the body of the record is not what was written"
        raise IntegrityFault(msg, position=record.position)
    return record


def scan(connection: sqlite3.Connection, after: int = 0, upto: int | None = None) -> Iterator[Recorded]:
    """Yields the records after a position, in order, up to and including another."""
    limit = 2**62 if upto is None else upto
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM records WHERE position > ? AND position <= ? ORDER BY position",  # noqa: S608 - constants
        (after, limit),
    )
    expected = after
    for row in rows:
        record = checked(row)
        expected += 1
        if record.position != expected:
            msg = f"position {expected}: the record is missing"
            raise IntegrityFault(msg, position=expected)
        yield record


def stream_records(connection: sqlite3.Connection, stream: int, upto: int | None = None) -> list[Recorded]:
    """Returns a stream's records in order, none missing. Raises IntegrityFault where versions have a gap."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM records WHERE stream = ? AND position <= ? ORDER BY version",  # noqa: S608 - constants
        (stream, 2**62 if upto is None else upto),
    )
    records = [checked(row) for row in rows]
    for at, record in enumerate(records):
        if record.version != records[0].version + at:
            msg = f"position {record.position}: version {records[0].version + at} of its stream is missing"
            raise IntegrityFault(msg, position=record.position)
    return records


def last_of(connection: sqlite3.Connection, stream: int, upto: int | None = None) -> Recorded | None:
    """Returns the last record of a stream, or its last one up to a position.

    The search runs on the covering index of (stream, version), whose entries hold the position.
    Raises IntegrityFault where it is not the one that the stream's head names.
    """
    where = "stream = ?" if upto is None else "stream = ? AND position <= ?"
    bound = (stream,) if upto is None else (stream, upto)
    found = connection.execute(
        f"SELECT position FROM records WHERE {where} ORDER BY version DESC LIMIT 1",  # noqa: S608 - constants
        bound,
    ).fetchone()
    if found is None:
        return None
    row = connection.execute(f"SELECT {COLUMNS} FROM records WHERE position = ?", found).fetchone()  # noqa: S608
    record = checked(row)
    if upto is None:
        named = connection.execute("SELECT position, version FROM streams WHERE id = ?", (stream,)).fetchone()
        if named != (record.position, record.version):
            msg = f"position {record.position}: the head of its stream names {named}"
            raise IntegrityFault(msg, position=record.position)
    return record


def append(connection: sqlite3.Connection, given: Sequence[Given], now: int) -> list[tuple[int, int]]:
    """Appends records inside the caller's write transaction; returns (position, stream) of each.

    `now` is in microseconds; no record is dated before its predecessor. Raises sqlite3.IntegrityError where a version
    or an event id is not new.
    """
    end = head(connection)
    position, link, recorded_at = end.position, end.link, max(end.recorded_at, now)
    scopes: dict[bytes, list[int]] = {}
    placed = []
    for item in given:
        position += 1
        scope = scopes.get(item.scope) or scopes.setdefault(item.scope, _scope(connection, item.scope))
        scope[1] += 1 if item.scope else 0
        stream = item.stream_id or intern_stream(connection, item.stream, item.stream_class, scope[0])
        digest = blake3(item.body).digest()
        link = chain(link, position, scope[1], recorded_at, digest)
        connection.execute(
            f"INSERT INTO records ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)",  # noqa: S608 - constants
            (position, stream, item.version, item.event_id, item.type, scope[1], recorded_at, item.body, digest, link),
        )
        connection.execute("UPDATE streams SET version = ?, position = ? WHERE id = ?", (item.version, position, stream))
        if item.blob is not None:
            connection.execute("INSERT INTO blobs (position, content) VALUES (?, ?)", (position, item.blob))
        placed.append((position, stream))
    for scope_id, number in scopes.values():
        connection.execute("UPDATE scopes SET number = ? WHERE id = ?", (number, scope_id))
    return placed


def find_stream(connection: sqlite3.Connection, name: bytes | str) -> tuple[int, int] | None:
    """Returns (stream, version) of a stream by its name, or None."""
    row: tuple[int, int] | None = connection.execute("SELECT id, version FROM streams WHERE name = ?", (name,)).fetchone()
    return row


def intern_stream(connection: sqlite3.Connection, name: bytes | str, stream_class: str, scope: int) -> int:
    """Returns the integer of a stream, giving it one if it is new."""
    found = find_stream(connection, name)
    if found:
        return found[0]
    added = connection.execute(
        "INSERT INTO streams (name, class, scope, version, position) VALUES (?, ?, ?, 0, 0) RETURNING id",
        (name, stream_class, scope),
    ).fetchone()
    return int(added[0])


def _scope(connection: sqlite3.Connection, scope: bytes) -> list[int]:
    """Returns [scope, number] of its last record; a new scope is given an integer, no scope has [0, 0]."""
    if not scope:
        return [0, 0]
    row = connection.execute("SELECT id, number FROM scopes WHERE name = ?", (scope,)).fetchone()
    if row is None:
        added = "INSERT INTO scopes (name, number) VALUES (?, 0) RETURNING id, number"
        row = connection.execute(added, (scope,)).fetchone()
    return [int(row[0]), int(row[1])]
