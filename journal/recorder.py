"""Our recorder on the persistence port of `eventsourcing`: its stored events, notification order, tracking and factory.

What the library has wired in is replaced here, because it costs durability, fairness or speed: plain `BEGIN`, one pool
for readers and writer, a statement cache of one, errors at `BEGIN` that are not translated. Our own records carry an event
id, a scope and a blob; the library's test cases feed plain stored events, which are accepted without them. What makes a
record a ledger's record (allow-listed type, canonical body, versions from 1) is checked above, in `journal.log`.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing import persistence
from eventsourcing import sqlite as library
from eventsourcing.persistence import Notification, StoredEvent, Tracking
from eventsourcing.utils import Environment

from affidavit.domain.errors import FormatTooNew
from affidavit.journal import records
from affidavit.journal.files import use_wal
from affidavit.journal.lock import FairLock

CACHED_STATEMENTS = 256
CACHE_KIB = 64 * 1024
DEFAULT_TIMEOUT = 30.0

_TRANSLATED: tuple[tuple[type[sqlite3.Error], type[persistence.PersistenceError]], ...] = (
    (sqlite3.DataError, persistence.DataError),
    (sqlite3.OperationalError, persistence.OperationalError),
    (sqlite3.IntegrityError, persistence.IntegrityError),
    (sqlite3.InternalError, persistence.InternalError),
    (sqlite3.ProgrammingError, persistence.ProgrammingError),
    (sqlite3.NotSupportedError, persistence.NotSupportedError),
    (sqlite3.DatabaseError, persistence.DatabaseError),
    (sqlite3.InterfaceError, persistence.InterfaceError),
    (sqlite3.Error, persistence.PersistenceError),
)


@contextmanager
def translated() -> Iterator[None]:
    """Raises the library's error for each of sqlite3's, around a whole transaction, its beginning included."""
    try:
        yield
    except sqlite3.Error as error:
        kind = next(theirs for ours, theirs in _TRANSLATED if isinstance(error, ours))
        raise kind(str(error)) from error


@dataclass(frozen=True)
class Body(StoredEvent):
    """A stored event that knows what a ledger's record needs besides: event id, stream class, scope and blob.

    `stream_id` is the stream's integer where the caller knows it, 0 where it knows that there is none.
    """

    event_id: bytes | None = None
    stream_class: str = ""
    scope: bytes = b""
    blob: bytes | None = None
    stream_id: int | None = None


Connect = Callable[[str], sqlite3.Connection]


def connect(path: str) -> sqlite3.Connection:
    """Opens the log file in auto-commit mode, durable (WAL, synchronous FULL), with a cache that a large log needs."""
    connection = sqlite3.connect(
        path,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=CACHED_STATEMENTS,
        timeout=DEFAULT_TIMEOUT,
    )
    use_wal(connection, DEFAULT_TIMEOUT)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


class _Opened:
    """A connection that another thread may ask to close: SQLite would crash the process if it were closed while in use.

    `thread` is the one that it belongs to, or None for the writer, which all share.
    """

    def __init__(self, connection: sqlite3.Connection, thread: threading.Thread | None) -> None:
        self.connection = connection
        self.thread = thread
        self._used = threading.RLock()
        self._leaving = False

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection; closes it afterwards if that was asked for meanwhile."""
        try:
            with self._used:
                yield self.connection
        finally:
            self._close_if_free()

    @property
    def in_transaction(self) -> bool:
        """Tells whether its thread is inside a transaction."""
        return self.connection.in_transaction

    def close(self) -> None:
        """Closes the connection now, or when the thread that uses it is done. Never waits."""
        self._leaving = True
        self._close_if_free()

    def _close_if_free(self) -> None:
        if self._leaving and self._used.acquire(blocking=False):
            try:
                self.connection.close()
            finally:
                self._used.release()


class LedgerDatastore(library.SQLiteDatastore):
    """One writer connection under the fair lock, and readers apart, each thread with a connection of its own."""

    def __init__(
        self, db_name: str, *, timeout: float = DEFAULT_TIMEOUT, connector: Connect = connect, **options: Any
    ) -> None:
        super().__init__(db_name, **options)
        self.timeout = timeout
        self._connector = connector
        self._writing = threading.RLock()
        self._writer: _Opened | None = None
        self._readers = threading.local()
        self._opened: list[_Opened] = []
        self._opening = threading.Lock()
        self._closed = False
        self.committed = records.Head(0, records.GENESIS, 0)
        """The end of the log as this object committed it last."""
        path = db_name.removeprefix("file:").partition("?")[0] if db_name.startswith("file:") else db_name
        self._lock = FairLock(Path(path + ".lock"))

    @contextmanager
    def transaction(self, *, commit: bool) -> Iterator[library.SQLiteCursor]:
        """Yields the library's cursor inside a transaction, as its recorders ask for one."""
        with translated():
            if commit:
                with self.write(noted=False) as connection:
                    yield _cursor(connection)
            else:
                with self.read() as connection:
                    yield _cursor(connection)

    @contextmanager
    def write(self, *, noted: bool = True) -> Iterator[sqlite3.Connection]:
        """Yields the writer inside `BEGIN IMMEDIATE`, under the fair lock; commits, or rolls back on any error.

        Where it is `noted`, the lock's file then tells how far the log has come.
        """
        with self._writing, self._lock.held(self.timeout) as held:
            if self._writer is None:
                self._writer = self._open(None)
            with self._writer.use() as connection, connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                end = records.head(connection) if noted else None
            if end is not None and end.position:
                self.committed = end
                held.note(end.position, end.link)

    def noted(self) -> tuple[int, bytes] | None:
        """Returns (position, link) of the log as its last writer noted it beside the log, or None."""
        return self._lock.noted()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yields this thread's reader inside a read transaction: one snapshot of the log. Nests."""
        opened: _Opened | None = getattr(self._readers, "opened", None)
        if opened is None:
            opened = self._readers.opened = self._open(threading.current_thread())
            with opened.use() as connection:
                connection.execute("PRAGMA query_only = ON")
        if opened.in_transaction:  # this thread's own outer read, which is still in `use`
            yield opened.connection
            return
        with opened.use() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.rollback()

    def close(self) -> None:
        """Closes every connection, and one that another thread uses when that thread is done; safe to call again."""
        super().close()
        if not hasattr(self, "_opening"):
            return  # The library's constructor failed before ours had begun, and its destructor calls this.
        with self._opening:
            self._closed = True
            leaving, self._opened = self._opened, []
        for opened in leaving:
            opened.close()
        self._writer = None
        self._readers = threading.local()

    def _open(self, thread: threading.Thread | None) -> _Opened:
        """Opens a connection; those of threads that have ended are closed first, for nobody else will."""
        with self._opening:
            ended = [opened for opened in self._opened if opened.thread and not opened.thread.is_alive()]
            self._opened = [opened for opened in self._opened if opened not in ended]
        for opened in ended:
            opened.close()
        connection = self._connector(self.pool.db_name)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > records.FORMAT:
            connection.close()
            msg = f"{self.pool.db_name}: the ledger has format {version}, this affidavit reads up to {records.FORMAT}"
            raise FormatTooNew(msg, remedy="install a newer affidavit; nothing was changed")
        made = _Opened(connection, thread)
        with self._opening:
            if not self._closed:
                self._opened.append(made)
                return made
        made.close()
        raise sqlite3.ProgrammingError("Cannot operate on a closed database.")


class LedgerRecorder(library.SQLiteProcessRecorder):
    """Keeps ledger records behind the library's process recorder port."""

    datastore: LedgerDatastore

    def __init__(self, datastore: LedgerDatastore, *, events_table_name: str = "records") -> None:
        super().__init__(datastore, events_table_name=events_table_name)

    def construct_create_table_statements(self) -> list[str]:
        """Returns the tables of the log, and the library's tracking table as a STRICT one."""
        return [
            *records.TABLES,
            "CREATE TABLE IF NOT EXISTS tracking (application_name TEXT PRIMARY KEY, notification_id INTEGER) "
            "WITHOUT ROWID, STRICT",
            f"PRAGMA user_version = {records.FORMAT}",
        ]

    def _insert_events(
        self,
        c: library.SQLiteCursor,
        stored_events: Sequence[StoredEvent],
        **kwargs: Any,
    ) -> Sequence[int] | None:
        given = [_given(event) for event in stored_events]
        # Our own transactions keep the end of the log from one command to the next; the library's have one append each.
        kept: records.End | None = kwargs.get("end")
        now = kwargs.get("now") or time.time_ns() // 1000
        placed = kept.append(given, now) if kept else records.append(c.sqlite_cursor.connection, given, now)
        tracking: Tracking | None = kwargs.get("tracking")
        if tracking is not None:
            self._insert_tracking(c, tracking)
        if "streams" in kwargs:
            kwargs["streams"].extend(stream for _, stream in placed)
        return [position for position, _ in placed]

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Returns a stream's stored events, as the port asks; each is checked against its link."""
        with translated(), self.datastore.read() as connection:
            found = records.find_stream(connection, _name(originator_id))
            if found is None:
                return []
            rows = connection.execute(
                f"SELECT {records.READ} FROM records r {records.BEFORE} "  # noqa: S608 - constants
                "WHERE r.stream = ? AND r.version > ? AND r.version <= ? "
                f"ORDER BY r.version {'DESC' if desc else 'ASC'} LIMIT ?",
                (found[0], -1 if gt is None else gt, 2**62 if lte is None else lte, -1 if limit is None else limit),
            )
            return [
                StoredEvent(originator_id, record.version, record.type, record.body) for record in map(records.checked, rows)
            ]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Returns stored events in the order of their positions, as the port asks."""
        first = 0 if start is None else start if inclusive_of_start else start + 1
        among = f"AND r.type IN ({','.join('?' * len(topics))})" if topics else ""
        with translated(), self.datastore.read() as connection:
            rows = connection.execute(
                f"SELECT s.name, {records.READ} FROM records r JOIN streams s ON s.id = r.stream "  # noqa: S608 - constants
                f"{records.BEFORE} WHERE r.position >= ? AND r.position <= ? {among} ORDER BY r.position LIMIT ?",
                (first, 2**62 if stop is None else stop, *topics, limit),
            )
            found = [(row[0], records.checked(row[1:])) for row in rows]
        return [
            Notification(
                id=record.position,
                originator_id=UUID(bytes=name) if isinstance(name, bytes) else name,
                originator_version=record.version,
                topic=record.type,
                state=record.body,
            )
            for name, record in found
        ]

    def _max_notification_id(self, c: library.SQLiteCursor) -> int:
        c.execute("SELECT max(position) FROM records")
        found: int = c.fetchone()[0]
        return found


class LedgerFactory(library.SQLiteFactory):
    """The library's factory, building our recorder: `PERSISTENCE_MODULE=affidavit.journal.recorder:LedgerFactory`.

    Reads SQLITE_DBNAME, SQLITE_LOCK_TIMEOUT (seconds) and CREATE_TABLE. Snapshots use the library's own table.
    """

    process_recorder_class = LedgerRecorder  # type: ignore[assignment] # the library declares its own
    application_recorder_class = LedgerRecorder  # type: ignore[assignment]

    def __init__(self, env: Environment | dict[str, str] | None) -> None:
        super().__init__(env)
        old = self.datastore
        timeout = old.pool.lock_timeout or DEFAULT_TIMEOUT
        self.datastore = LedgerDatastore(
            old.pool.db_name,
            timeout=timeout,
            single_row_tracking=old.single_row_tracking,
            originator_id_type=old.originator_id_type,
        )
        old.close()


def _cursor(connection: sqlite3.Connection) -> library.SQLiteCursor:
    """Returns a cursor whose rows answer to column names, as the library's recorders expect."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return library.SQLiteCursor(cursor)


def _name(originator_id: UUID | str) -> bytes | str:
    return originator_id.bytes if isinstance(originator_id, UUID) else originator_id


def _given(event: StoredEvent) -> records.Given:
    if isinstance(event, Body):
        return records.Given(
            stream=_name(event.originator_id),
            stream_class=event.stream_class,
            scope=event.scope,
            version=event.originator_version,
            event_id=event.event_id,
            type=event.topic,
            body=event.state,
            blob=event.blob,
            stream_id=event.stream_id,
        )
    return records.Given(_name(event.originator_id), "", b"", event.originator_version, None, event.topic, event.state)
