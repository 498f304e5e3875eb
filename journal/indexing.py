"""The decision index built from the records alone, beside the log: for `verify` to compare, or to replace the log's own.

Records are added once each, in the order of their positions; what a record adds is said by `index.add`, as for the append.
No key is needed. Heads of streams are kept in memory; the rest goes into a private temporary database in batches, so that
memory grows with the streams and not with the records. A record that does not follow from those before it is noted in
`odd`, and what comes after is held against what it says.

A log of an earlier format gets its index made anew when the ledger is opened.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any, Protocol

from affidavit.domain.errors import IntegrityFault
from affidavit.journal import encoding, index, records
from affidavit.journal.encoding import Body
from affidavit.journal.reading import FIELDS, ClaimFields, EvidenceFields
from affidavit.journal.upcast import newest

BATCH = 2000
"""How many rows wait until they are written together."""
CACHE_KIB = 4 * 1024
"""How much of the temporary database is kept in memory."""


class Datastore(Protocol):
    """What work on a whole log needs of a datastore."""

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """Yields a connection inside a read transaction."""
        ...

    def write(self, *, noted: bool = True) -> AbstractContextManager[sqlite3.Connection]:
        """Yields a connection inside a write transaction; see `LedgerDatastore.write`."""
        ...

    def noted(self) -> tuple[int, bytes] | None:
        """Returns (position, link) of the log as its last writer noted it, or None."""
        ...

    def close(self) -> None:
        """Closes every connection."""
        ...


class _Stream:
    """A row of the table `streams`, without its integer."""

    __slots__ = ("kind", "name", "position", "scope", "version")

    def __init__(self, name: bytes, kind: str, scope: int) -> None:
        self.name = name
        self.kind = kind
        self.scope = scope
        self.version = 0
        self.position = 0


class Builder:
    """Builds the index. `odd` holds (position, sentence) of each record that does not follow from those before it."""

    def __init__(self) -> None:
        self.odd: list[tuple[int, str]] = []
        self._position = 0
        self._streams: dict[int, _Stream] = {}
        self._named: dict[bytes, int] = {}
        self._scopes: dict[bytes, list[int]] = {}
        self._extractors: dict[str, int] = {}
        self._receipts: list[tuple[object, ...]] = []
        self._command: tuple[int, Body, int] | None = None
        self._pending: dict[str, list[tuple[str, list[tuple[int, tuple[object, ...]]]]]] = {}
        self._waiting = 0
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._connection.execute("PRAGMA journal_mode = MEMORY")
        # Without a key, in place of the log's own: receipts come in no order of theirs and are sorted once, when read.
        self._connection.execute("CREATE TABLE receipts (stream, command, position, count, digest)")
        _create_tables(self._connection)

    def add(self, position: int, stream: int, scope_number: int, body: Body, public: dict[str, Any] | None = None) -> None:
        """Adds one record: its columns, its body, and its public fields in the newest shape where they are at hand.

        Raises KeyError for a type that is not known.
        """
        before, self._position = self._position, position
        scope = self._scopes.get(body.scope) or self._open_scope(body.scope)
        scope[1] += 1
        if scope_number != scope[1]:
            self._note(f"it has number {scope_number} in its scope, {scope[1]} is next")
            scope[1] = scope_number
        head = self._streams.get(stream)
        if head is None or head.name != body.stream:
            stream = self._place(stream, body, scope[0])
            head = self._streams[stream]
        version = head.version + 1
        if body.version != version:
            self._note(f"it has version {body.version} in its stream, {version} is next")
            version = body.version if 0 < body.version <= encoding.LARGEST else version
        head.version, head.position = version, position
        opened = self._command
        if opened is None or body.command != opened[1].command or body.scope != opened[1].scope:
            self._end_command(before)
            self._command = stream, body, position
        if index.adds(body.type):
            try:
                index.add(self, position, stream, body, index.public_fields(body) if public is None else public)
            except (LookupError, TypeError, ValueError, AttributeError):
                self._note("it does not follow from the records before it")
        if self._waiting >= BATCH:
            self._flush()

    def finish(self) -> None:
        """Writes what waits; nothing may be added afterwards."""
        self._end_command(self._position)
        self._command = None
        numbers = [(number, scope) for scope, number in self._scopes.values()]
        self.run("scopes", "UPDATE scopes SET number = ? WHERE id = ?", numbers)
        self._flush()
        for scope, _ in self._scopes.values():
            records.seal_scope(self._connection, scope)

    def rows(self, table: str) -> Iterator[tuple[object, ...]]:
        """Yields the rows of a table of the finished index, with every column, in the order of its primary key."""
        if table == "streams":
            return (
                (stream, head.name, head.kind, head.scope, head.version, head.position)
                for stream, head in sorted(self._streams.items())
            )
        key = ", ".join(index.COMPARED[table])
        return self._connection.execute(f"SELECT * FROM {table} ORDER BY {key}")  # noqa: S608 - our own names

    def close(self) -> None:
        """Removes the temporary database."""
        self._connection.close()

    def run(self, table: str, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Keeps rows for their batch. The order of statements is kept within a table, which is where it matters."""
        groups = self._pending.setdefault(table, [])
        if not groups or groups[-1][0] != statement:
            groups.append((statement, []))
        groups[-1][1].extend((self._position, row) for row in rows)
        self._waiting += len(rows)

    def stream(self, name: bytes) -> int:
        """Returns the integer of a stream. Raises LookupError for one that has no record yet."""
        found = self._named.get(name)
        if found is None:
            msg = f"stream {name.hex()[:24]} has no record yet"
            raise LookupError(msg)
        return found

    def scope(self, name: bytes) -> int:
        """Returns the integer of a scope."""
        return self._scopes[name][0]

    def extractor(self, name: str) -> int:
        """Returns the integer of an extractor, giving it the next one if it is new."""
        found = self._extractors.get(name)
        if found is None:
            found = self._extractors[name] = len(self._extractors) + 1
            self.run("extractors", "INSERT INTO extractors VALUES (?, ?)", [(found, name)])
        return found

    def _note(self, sentence: str) -> None:
        self.odd.append((self._position, sentence))

    def _open_scope(self, name: bytes) -> list[int]:
        scope = self._scopes[name] = [len(self._scopes) + 1, 0]
        self.run("scopes", "INSERT INTO scopes (id, name, number) VALUES (?, ?, 0)", [(scope[0], name)])
        return scope

    def _place(self, stream: int, body: Body, scope: int) -> int:
        """Returns the stream of a record that opens one, or whose column names another than its body."""
        known = self._named.get(body.stream)
        following = len(self._streams) + 1
        if known is not None or stream in self._streams:
            self._note("it stands in another stream than its body says")
            if known is not None:
                return known
            stream = following
        elif stream != following:
            self._note(f"it opens stream {stream}, {following} is next")
        kind = FIELDS[newest(body.type)]
        stream_class = "claim" if kind is ClaimFields else "evidence" if kind is EvidenceFields else "scope"
        self._streams[stream] = _Stream(body.stream, stream_class, scope)
        self._named[body.stream] = stream
        return stream

    def _end_command(self, last: int) -> None:
        """Keeps the receipt of the command whose last record was at a position."""
        if self._command is not None:
            stream, body, first = self._command
            self._receipts.append(index.receipt(stream, body, first, last - first + 1))
            self._waiting += 1

    def _flush(self) -> None:
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO receipts VALUES (?, ?, ?, ?, ?)", self._receipts)
        for groups in self._pending.values():
            for statement, rows in groups:
                self._write(statement, rows)
        self._connection.execute("COMMIT")
        self._receipts.clear()
        self._pending.clear()
        self._waiting = 0

    def _write(self, statement: str, rows: list[tuple[int, tuple[object, ...]]]) -> None:
        """Runs a statement for each row; one that the table refuses is noted, and the next ones go on."""
        at = 0

        def each() -> Iterator[tuple[object, ...]]:
            nonlocal at
            for at, row in rows:  # noqa: B007 - `at` is read where a row is refused
                yield row

        going = each()
        done = False
        while not done:
            try:
                self._connection.executemany(statement, going)
                done = True
            except (sqlite3.Error, OverflowError):
                self.odd.append((at, "it does not follow from the records before it"))


def rebuild_index(connection: sqlite3.Connection) -> int:
    """Makes the log's own decision index anew from its records, inside the caller's write transaction; needs no key.

    Every table of `index.COMPARED` is dropped and filled again, and SQLite's own indexes of the records are made anew.
    Returns the position it ended at. Raises IntegrityFault, with a position, for a record that is not what was written,
    is of no known type, or does not follow from those before it; the caller rolls back. Links and sealed texts are not
    checked: that is what `verify` is for.
    """
    last = 0
    with closing(Builder()) as builder:
        for record in records.scan(connection):
            last = record.position
            try:
                builder.add(last, record.stream, record.scope_number, encoding.body(record.body))
            except (ValueError, KeyError) as error:
                msg = f"position {last}: the record is of no type that this affidavit knows ({record.type})"
                raise IntegrityFault(msg, position=last) from error
            _refuse_odd(builder)
        builder.finish()
        _refuse_odd(builder)
        for table in index.COMPARED:
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        # The tables alone at first: an index is made faster from a full table.
        _create_tables(connection)
        for table in index.COMPARED:
            (width,) = connection.execute("SELECT count(*) FROM pragma_table_info(?)", (table,)).fetchone()
            marks = ", ".join("?" * width)
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", builder.rows(table))  # noqa: S608 - the same
    for statement in index.TABLES:
        connection.execute(statement)
    connection.execute("REINDEX records")
    return last


def bring_up_to_date(datastore: Datastore) -> None:
    """Brings a log of an earlier format to ours: its index is made anew, and the triggers that guard the records.

    Raises what `rebuild_index` raises; then nothing was changed.
    """
    with datastore.read() as connection:
        if not is_earlier(connection):
            return
    with datastore.write(noted=False) as connection:
        if is_earlier(connection):  # Still: another program may have been first.
            for name in records.TRIGGERS:
                connection.execute(f"DROP TRIGGER IF EXISTS {name}")
            rebuild_index(connection)
            for statement in records.TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {records.FORMAT}")


def is_earlier(connection: sqlite3.Connection) -> bool:
    """Tells whether a log has records in an earlier format than ours."""
    made = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'records'").fetchone()[0]
    return bool(made and connection.execute("PRAGMA user_version").fetchone()[0] < records.FORMAT)


def _create_tables(connection: sqlite3.Connection) -> None:
    """Makes the tables that are not there, without their indexes and triggers."""
    for statement in (*records.TABLES, *index.TABLES):
        if statement.startswith("CREATE TABLE"):
            connection.execute(statement)


def _refuse_odd(builder: Builder) -> None:
    if builder.odd:
        position, sentence = builder.odd[0]
        msg = f"position {position}: {sentence}"
        raise IntegrityFault(msg, position=position)
