"""Records in the log file: a body, stored and hashed as its exact bytes, and a link, made last, under the write lock.

    link(n) = BLAKE3(link(n-1), position, scope number, recorded_at, BLAKE3(body))

Positions are dense and our own. Triggers refuse to change or delete a record and admit only the next position, the next
version of a stream and a new event id: `INSERT OR REPLACE` would get past a delete trigger, so density is checked at
insert. Streams are interned integers, because random keys in wide indexes cost three times the CPU at a million records.
Every read checks the record against its link. This module knows bytes, not meaning.
"""

import sqlite3
import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from blake3 import blake3

from affidavit.domain.errors import IntegrityFault

FORMAT = 4
"""The ledger's format version, kept as the file's user_version; a newer one is refused before it is touched.

To be raised when the tables change, or what a record adds to the decision index: `indexing` brings older files up to it,
and older versions of this package keep their hands off. 2: scopes have a digest, triggers fail instead of aborting.
3: scopes have a mode, claims say whether they are persona claims, and about whom; signals may bring places.
4: an undone change gives a claim its attribute and value back.
"""
INDEX_REMEDY = (
    "run `affidavit verify`; if the index alone is wrong, `affidavit rebuild --index` makes it anew from the records"
)
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
        mode INTEGER NOT NULL DEFAULT 0,
        generation INTEGER NOT NULL DEFAULT 0,
        time_zone TEXT NOT NULL DEFAULT '',
        digest BLOB NOT NULL DEFAULT x''
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
        SELECT RAISE(FAIL, 'records: only the next position may be appended')
            WHERE NEW.position != coalesce((SELECT max(position) FROM records), 0) + 1;
        SELECT RAISE(FAIL, 'records: only the next version of a stream may be appended')
            WHERE NEW.version != coalesce((SELECT max(version) + 1 FROM records WHERE stream = NEW.stream), NEW.version);
        SELECT RAISE(FAIL, 'records: the event id is there already')
            WHERE EXISTS (SELECT 1 FROM records WHERE event_id = NEW.event_id);
    END""",
    """CREATE TRIGGER IF NOT EXISTS records_no_update BEFORE UPDATE ON records BEGIN
        SELECT RAISE(ABORT, 'records are never changed');
    END""",
    """CREATE TRIGGER IF NOT EXISTS records_no_delete BEFORE DELETE ON records BEGIN
        SELECT RAISE(ABORT, 'records are never deleted');
    END""",
)

TRIGGERS = ("records_append", "records_no_update", "records_no_delete")


class Given(NamedTuple):
    """What is to be appended: the stream's and scope's names, a version, an event id, a type, the body and its blob.

    `stream_id` is the stream's integer where the caller knows it, 0 where it knows that there is none.
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
READ = ", ".join(f"r.{column}" for column in COLUMNS.split(", ")) + ", p.link"
"""What a checked read selects: a record `r`, and the link of the one before it."""
BEFORE = "LEFT JOIN records p ON p.position = r.position - 1"


def chain(previous: bytes, position: int, scope_number: int, recorded_at: int, digest: bytes) -> bytes:
    """Returns the link of a record: 32 bytes that commit to everything up to and including it."""
    return blake3(previous + PLACE.pack(position, scope_number, recorded_at) + digest).digest()


def last_position(connection: sqlite3.Connection) -> int:
    """Returns the position of the last record that is there, 0 for none."""
    return int(connection.execute("SELECT max(position) FROM records").fetchone()[0] or 0)


def head(connection: sqlite3.Connection) -> Head:
    """Returns the end of the log. Raises IntegrityFault where it is not the position that SQLite counted up to."""
    position, link, recorded_at, counted = connection.execute(
        "SELECT r.position, r.link, r.recorded_at, (SELECT seq FROM sqlite_sequence WHERE name = 'records') "
        "FROM (SELECT 1) LEFT JOIN records r ON r.position = (SELECT max(position) FROM records)",
    ).fetchone()
    if position != counted:
        msg = f"the log ends at position {position or 0}, and {counted or 0} is the last that was appended"
        raise IntegrityFault(msg, position=(position or 0) + 1)
    return Head(position, link, recorded_at) if position else Head(0, GENESIS, 0)


def checked(row: tuple[Any, ...]) -> Recorded:
    """Returns a row of `READ` as a record.

    Its link commits to its place, time and body, so that none of them can have changed unseen; what else stands in its
    columns is compared with the body when that is decoded. Raises IntegrityFault where it is not what was written.
    """
    *columns, previous = row
    return _checked(Recorded(*columns), GENESIS if previous is None and columns[0] == 1 else previous)


def _checked(record: Recorded, previous: bytes | None) -> Recorded:
    try:
        digest = blake3(record.body).digest()
        if previous and chain(previous, record.position, record.scope_number, record.recorded_at, digest) == record.link:
            return record
        what = "the body of the record" if digest != record.digest else "the record, or the one before it,"
    except (TypeError, struct.error):
        what = "the record"  # A column holds another type than its own, which only a changed file can bring about.
    msg = f"position {record.position}: {what} is not what was written"
    raise IntegrityFault(msg, position=record.position)


def scan(connection: sqlite3.Connection, after: int = 0, upto: int | None = None) -> Iterator[Recorded]:
    """Yields the records after a position, in order, up to and including another; none is missing."""
    end = head(connection).position
    end = end if upto is None else min(upto, end)
    if after >= end:
        return
    link = at(connection, after).link if after else GENESIS
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM records WHERE position > ? AND position <= ? ORDER BY position",  # noqa: S608 - constants
        (after, end),
    )
    expected = after
    for row in rows:
        expected += 1
        if row[0] != expected:
            raise _missing(expected)
        record = _checked(Recorded(*row), link)
        link = record.link
        yield record
    if expected != end:
        raise _missing(expected + 1)


def at(connection: sqlite3.Connection, position: int) -> Recorded:
    """Returns the record at a position. Raises IntegrityFault if there is none."""
    query = f"SELECT {READ} FROM records r {BEFORE} WHERE r.position = ?"  # noqa: S608 - constants
    row = connection.execute(query, (position,)).fetchone()
    if row is None:
        raise _missing(position)
    return checked(row)


def stream_records(connection: sqlite3.Connection, stream: int) -> list[Recorded]:
    """Returns a stream's records in order, none missing. Raises IntegrityFault where versions have a gap."""
    rows = connection.execute(
        f"SELECT {READ} FROM records r {BEFORE} WHERE r.stream = ? ORDER BY r.version",  # noqa: S608 - constants
        (stream,),
    )
    records = [checked(row) for row in rows]
    for version, record in enumerate(records, records[0].version if records else 0):
        if record.version != version:
            msg = f"position {record.position}: version {version} of its stream is missing"
            raise IntegrityFault(msg, position=record.position)
    return records


def last_of(connection: sqlite3.Connection, stream: int) -> Recorded | None:
    """Returns the last record of a stream, or None. Raises IntegrityFault where it is not the one its head names."""
    for _, record in heads(connection, "s.id = ?", stream):
        return record
    return None


def last_before(connection: sqlite3.Connection, stream: int, upto: int) -> Recorded | None:
    """Returns the last record of a stream up to a position, or None.

    The search runs on the covering index of (stream, version), whose entries hold the position; `check_versions` vouches
    for that index.
    """
    found = connection.execute(
        "SELECT position FROM records WHERE stream = ? AND position <= ? ORDER BY version DESC LIMIT 1",
        (stream, upto),
    ).fetchone()
    return at(connection, found[0]) if found else None


def of_version(connection: sqlite3.Connection, stream: int, version: int) -> Recorded:
    """Returns the record of a stream with this version. Raises IntegrityFault if there is none."""
    query = "SELECT position FROM records WHERE stream = ? AND version = ?"
    found = connection.execute(query, (stream, version)).fetchone()
    if found is None:
        msg = f"version {version} of a stream is missing"
        raise IntegrityFault(msg)
    return at(connection, found[0])


def heads(connection: sqlite3.Connection, where: str, *bound: object) -> Iterator[tuple[bytes, Recorded]]:
    """Yields (name, last record) of the streams `s` that fit a condition, in the order of their integers."""
    rows = connection.execute(
        "SELECT s.name, s.version, s.position, (SELECT max(version) FROM records WHERE stream = s.id), "  # noqa: S608
        f"{READ} FROM streams s LEFT JOIN records r ON r.position = s.position {BEFORE} WHERE {where} ORDER BY s.id",
        bound,
    )
    for name, version, position, last, *row in rows:
        if row[0] is None or row[2] != version or last != version:
            msg = f"stream {name.hex()[:24]}: its head, version {version} at position {position}, is not its last record"
            raise IntegrityFault(msg, position=position, remedy=INDEX_REMEDY)
        yield name, checked(tuple(row))


def check_streams(connection: sqlite3.Connection, classes: Sequence[str]) -> None:
    """Raises IntegrityFault where a stream of the records is missing from the table of streams, or is of another class."""
    known = ", ".join(f"'{name}'" for name in classes)
    count, last, classed, used = connection.execute(
        f"SELECT count(*), max(id), total(class IN ({known})), (SELECT max(stream) FROM records) FROM streams",  # noqa: S608
    ).fetchone()
    if not count == (last or 0) == (used or 0) == classed:
        msg = f"the table of streams holds {count}, of which {classed:.0f} have a known class; the records name {used or 0}"
        raise IntegrityFault(msg, remedy=INDEX_REMEDY)


def check_versions(connection: sqlite3.Connection) -> None:
    """Raises IntegrityFault where the index of streams and versions does not hold every record, each as the heads say.

    Costs one pass over that index alone: 0.2 s for a million records.
    """
    found = connection.execute(
        "SELECT count(*), total(position), total(version), total(stream) FROM records INDEXED BY sqlite_autoindex_records_2",
    ).fetchone()
    said = connection.execute(
        "SELECT total(version), ?1 * (?1 + 1) / 2, total(version * (version + 1) / 2), total(id * version) FROM streams",
        (head(connection).position,),
    ).fetchone()
    if found != said:
        raise IntegrityFault("the index of streams and versions is not that of the records", remedy=INDEX_REMEDY)


def _missing(position: int) -> IntegrityFault:
    return IntegrityFault(f"position {position}: the record is missing", position=position)


class End:
    """The end of the log inside one write transaction: what the next record follows, read once and kept up to date.

    Nobody else can append while the transaction lasts; it is of no use after a rollback.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._head = head(connection)
        self._scopes: dict[bytes, list[int]] = {}

    def append(self, given: Sequence[Given], now: int) -> list[tuple[int, int]]:
        """Appends records; returns (position, stream) of each.

        `now` is in microseconds; no record is dated before its predecessor. Raises sqlite3.IntegrityError where a version
        or an event id is not new: then the caller rolls back.
        """
        position, link, recorded_at = self._head.position, self._head.link, max(self._head.recorded_at, now)
        rows, blobs, placed = [], [], []
        added: dict[bytes | str, int] = {}
        moved: dict[int, tuple[int, int, int]] = {}
        for item in given:
            position += 1
            scope = self._scope(item.scope)
            scope[1] += 1
            digest = blake3(item.body).digest()
            stream = item.stream_id or added.get(item.stream, 0)
            if not stream and item.stream_id is None:
                stream = (find_stream(self._connection, item.stream) or (0, 0))[0]
            if stream:
                moved[stream] = (item.version, position, stream)
            else:
                stream = self._new_stream(item, scope[0], position)
            added[item.stream] = stream
            number = scope[1] if item.scope else 0
            link = chain(link, position, number, recorded_at, digest)
            row = (position, stream, item.version, item.event_id, item.type, number, recorded_at, item.body, digest, link)
            rows.append(row)
            if item.blob is not None:
                blobs.append((position, item.blob))
            placed.append((position, stream))
        connection = self._connection
        connection.executemany(f"INSERT OR FAIL INTO records ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)", rows)  # noqa: S608
        connection.executemany("INSERT INTO blobs (position, content) VALUES (?, ?)", blobs)
        connection.executemany("UPDATE streams SET version = ?, position = ? WHERE id = ?", moved.values())
        self._head = Head(position, link, recorded_at)
        return placed

    def close(self) -> None:
        """Notes in the scopes' rows how far they got; called once, after the last append."""
        for name, (scope, number) in self._scopes.items():
            if name:
                self._connection.execute("UPDATE scopes SET number = ? WHERE id = ?", (number, scope))
                seal_scope(self._connection, scope)
        self._scopes.clear()

    def _new_stream(self, item: Given, scope: int, position: int) -> int:
        added = self._connection.execute(
            "INSERT INTO streams (name, class, scope, version, position) VALUES (?, ?, ?, ?, ?)",
            (item.stream, item.stream_class, scope, item.version, position),
        )
        return int(added.lastrowid or 0)

    def _scope(self, name: bytes) -> list[int]:
        """Returns [scope, number of its last record]; a new scope is given an integer, no scope has [0, 0]."""
        known = self._scopes.get(name)
        if known is None:
            known = self._scopes[name] = [0, 0]
            if name:
                row = self._connection.execute("SELECT id, number FROM scopes WHERE name = ?", (name,)).fetchone()
                if row is None:
                    added = self._connection.execute("INSERT INTO scopes (name, number) VALUES (?, 0)", (name,))
                    row = (added.lastrowid, 0)
                known[:] = row
        return known


def append(connection: sqlite3.Connection, given: Sequence[Given], now: int) -> list[tuple[int, int]]:
    """Appends records as the one append of their transaction; see `End.append`."""
    end = End(connection)
    placed = end.append(given, now)
    end.close()
    return placed


def find_stream(connection: sqlite3.Connection, name: bytes | str) -> tuple[int, int] | None:
    """Returns (stream, version) of a stream by its name, or None."""
    row: tuple[int, int] | None = connection.execute("SELECT id, version FROM streams WHERE name = ?", (name,)).fetchone()
    return row


class ScopeRow(NamedTuple):
    """What the log's own table says of a scope: its name, its records, and where its opening, policy and mode stand."""

    name: bytes
    number: int
    opened: int
    policy: int
    mode: int
    generation: int
    time_zone: str


_SCOPE = "name, number, opened, policy, mode, generation, time_zone"


def scope_row(connection: sqlite3.Connection, scope: bytes) -> ScopeRow | None:
    """Returns the row of a scope, or None. Raises IntegrityFault where it is not what was put there."""
    found = connection.execute(f"SELECT {_SCOPE}, digest FROM scopes WHERE name = ?", (scope,)).fetchone()  # noqa: S608
    return None if found is None else _scope_checked(found)


def scope_rows(connection: sqlite3.Connection) -> list[ScopeRow]:
    """Returns the row of every scope that was opened, in the order of opening."""
    found = connection.execute(f"SELECT {_SCOPE}, digest FROM scopes").fetchall()  # noqa: S608 - constants
    rows = [_scope_checked(row) for row in found]
    return sorted((row for row in rows if row.opened), key=lambda row: row.opened)


def seal_scope(connection: sqlite3.Connection, scope: int) -> None:
    """Notes the digest of a scope's row: nothing else vouches for what readers take from it."""
    row = connection.execute(f"SELECT {_SCOPE} FROM scopes WHERE id = ?", (scope,)).fetchone()  # noqa: S608 - constants
    connection.execute("UPDATE scopes SET digest = ? WHERE id = ?", (_scope_digest(row), scope))


def _scope_checked(found: tuple[Any, ...]) -> ScopeRow:
    *row, digest = found
    if _scope_digest(tuple(row)) != digest:
        raise IntegrityFault("the row of a scope is not what was put there", remedy=INDEX_REMEDY)
    return ScopeRow(*row)


def _scope_digest(row: tuple[Any, ...]) -> bytes:
    return blake3(repr(row).encode()).digest(16)
