"""View files: each generation of a view is a new file, and a small pointer is replaced by rename.

A view holds its position and the link there, advanced in the transaction that applies the records: another log, or one
restored to an earlier state, means a rebuild. Views catch up inside the call that reads them. A rebuild is made beside
and swapped in; renaming over a live WAL file would silently serve old rows, so files are never renamed over, only
pointed to. A kill at any moment leaves a valid view: the old one, or the new one.

One connection to each view is kept for the next call, which takes it only while the pointer names the very file, as it
was when it was opened.
"""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from affidavit.journal import records
from affidavit.journal.failures import as_ours
from affidavit.journal.files import sync
from affidavit.journal.reading import Entry, Reader
from affidavit.projections.rows import REMEDY, TABLES, DamagedRow, Draft, Rows


class Projection(Protocol):
    """A fold of the log into rows. `version` changes with what the rows hold."""

    name: str
    version: int

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Applies one record to the rows."""
        ...

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Fills empty rows from the records up to a position; the same rows that folding each of them gives."""
        ...


def fold_all(projection: Projection, rows: Draft, reader: Reader, upto: int) -> None:
    """Builds by folding every record: for views that need each of them."""
    for entry in reader.entries(0, upto):
        projection.fold(entry, rows, reader)


class _Opened(NamedTuple):
    """A connection to a view, and its file as it was before: inode, size, and time of the last change."""

    connection: sqlite3.Connection
    file: tuple[int, int, int] | None


class _Kept:
    """One open connection to each view, which waits for the next call; whoever takes it has it alone."""

    def __init__(self) -> None:
        self._opened: dict[str, _Opened] = {}
        self._lock = threading.Lock()
        self._closed = False

    def take(self, view: str) -> _Opened | None:
        """Returns the connection that waits, if one does."""
        with self._lock:
            return self._opened.pop(view, None)

    def keep(self, view: str, opened: _Opened) -> None:
        """Lets a connection wait; closes it where another one waits already, or nobody will come any more."""
        with self._lock:
            if not self._closed and view not in self._opened:
                self._opened[view] = opened
                return
        opened.connection.close()

    def close(self) -> None:
        """Closes what waits, and from now on what is given back."""
        with self._lock:
            self._closed = True
            for opened in self._opened.values():
                opened.connection.close()
            self._opened.clear()


class Views:
    """The views of one ledger, in one folder. Threads may share them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._kept = _Kept()

    def close(self) -> None:
        """Closes the connections that wait; one that is in use is closed when it is given back."""
        self._kept.close()

    @contextmanager
    def current(self, projection: Projection, reader: Reader, *, may_move: bool = True) -> Iterator[Rows]:
        """Yields the view's rows at exactly the position that the reader sees.

        A view that is ahead lets the reader move on, if it `may_move`; else the rows are built in memory. Raises
        DamagedRow where the view is not what was put there.
        """
        try:
            opened = self._caught_up(projection, reader, may_move=may_move)
        except sqlite3.DatabaseError as error:
            raise _unreadable(projection, error) from error
        if opened is None:
            with self.as_of(projection, reader, reader.head().position) as rows:
                yield rows
            return
        with ExitStack() as unless_done:
            unless_done.callback(opened.connection.close)
            try:
                rows = Rows(opened.connection, reader.vault, projection.name)
                rows.check_sums()
                yield rows
                opened.connection.rollback()
            except sqlite3.DatabaseError as error:
                raise _unreadable(projection, error) from error
            unless_done.pop_all()
        self._kept.keep(projection.name, opened)

    @contextmanager
    def as_of(self, projection: Projection, reader: Reader, upto: int) -> Iterator[Rows]:
        """Yields the view's rows as of a position, built in memory."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            _create(connection, projection)
            rows = Draft(connection, reader.vault, projection.name, empty=True)
            connection.execute("BEGIN")
            projection.build(rows, reader, upto)
            rows.flush(upto, records.GENESIS)
            yield rows
        finally:
            connection.close()

    def rebuild(self, projection: Projection, reader: Reader) -> None:
        """Builds the view beside the old one and swaps it in; the old file is removed after."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        with self._locked(projection):
            path = self._next_file(projection)
            path.unlink(missing_ok=True)
            connection = sqlite3.connect(path, isolation_level=None)
            try:
                path.chmod(0o600)
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute("PRAGMA journal_mode = OFF")
                _create(connection, projection)
                rows = Draft(connection, reader.vault, projection.name, empty=True)
                end = reader.head()
                connection.execute("BEGIN")
                projection.build(rows, reader, end.position)
                rows.flush(end.position, end.link)
                connection.execute("COMMIT")
                connection.execute("PRAGMA journal_mode = WAL")
            finally:
                connection.close()
            self._point_to(projection, path)

    def position(self, projection: Projection) -> int | None:
        """Returns where the stored view stands, or None if there is none."""
        try:
            opened = self._open(projection)
        except sqlite3.DatabaseError:
            return None
        if opened is None:
            return None
        try:
            return _position(opened.connection)
        except (sqlite3.DatabaseError, TypeError):
            return None
        finally:
            opened.connection.close()

    def _caught_up(self, projection: Projection, reader: Reader, *, may_move: bool) -> _Opened | None:
        """Returns a connection to the newest file of the view, inside a read transaction at the reader's position.

        None where the view is ahead of a reader that may not move.
        """
        while True:
            opened = self._open(projection)
            if opened is None:
                self.rebuild(projection, reader)
                continue
            with ExitStack() as unless_done:
                connection = opened.connection
                unless_done.callback(connection.close)
                if not self._fits(projection, connection, reader, may_move=may_move):
                    ahead = self._is_ahead(connection, reader)
                    unless_done.close()
                    if ahead and not may_move:
                        return None
                    self.rebuild(projection, reader)
                    continue
                if _position(connection) < reader.head().position and not self._catch_up(projection, connection, reader):
                    continue
                connection.execute("BEGIN")
                if _position(connection) == reader.head().position:
                    unless_done.pop_all()
                    return opened
                if not may_move:
                    return None
            reader.refresh()

    def _is_ahead(self, connection: sqlite3.Connection, reader: Reader) -> bool:
        try:
            return _position(connection) > reader.head().position
        except (sqlite3.DatabaseError, TypeError):
            return False

    def _catch_up(self, projection: Projection, connection: sqlite3.Connection, reader: Reader) -> bool:
        """Applies what is new; False where the view was swapped meanwhile."""
        with self._locked(projection):
            if self._file(connection) != self.folder / _read(self._pointer(projection)):
                return False
            rows = Draft(connection, reader.vault, projection.name)
            connection.execute("BEGIN IMMEDIATE")
            end = reader.head()
            if _position(connection) < end.position:
                for entry in reader.entries(_position(connection), end.position):
                    projection.fold(entry, rows, reader)
                rows.flush(end.position, end.link)
            connection.execute("COMMIT")
        return True

    def _fits(
        self,
        projection: Projection,
        connection: sqlite3.Connection,
        reader: Reader,
        *,
        may_move: bool,
    ) -> bool:
        """Tells whether a stored view is of this version, sealed, and follows from this very log."""
        try:
            row = connection.execute("SELECT name, version, position, link, seal FROM view").fetchone()
            if row is None or row[:2] != (projection.name, projection.version):
                return False
            if Rows(connection, reader.vault, projection.name).seal() != row[4]:
                return False
        except sqlite3.OperationalError as error:
            if "no such" not in str(error):
                raise
            return False  # The file was written by another version, whose tables were others.
        if row[2] > reader.head().position and may_move:
            reader.refresh()
        if row[2] == 0:
            return bool(row[3] == records.GENESIS)
        found = reader.connection.execute("SELECT link FROM records WHERE position = ?", (row[2],)).fetchone()
        return found is not None and found[0] == row[3]

    def _open(self, projection: Projection) -> _Opened | None:
        """Opens the file that the pointer names, or takes the connection that waits, if it is to that very file."""
        pointer = self._pointer(projection)
        kept = self._kept.take(projection.name)
        if kept is not None:
            if kept.file and kept.file == _stamp(self.folder / _read(pointer)):
                return kept
            kept.connection.close()
        while True:
            name = _read(pointer)
            if not name:
                return None
            path = self.folder / name
            file = _stamp(path)
            try:
                connection = sqlite3.connect(
                    f"{path.as_uri()}?mode=rw",
                    uri=True,
                    isolation_level=None,
                    timeout=30,
                    check_same_thread=False,
                )
                connection.execute("PRAGMA synchronous = NORMAL")
            except sqlite3.OperationalError:
                # The file went while it was opened: another builder has swapped it, or someone deleted it.
                if pointer.exists() and _read(pointer) != name:
                    continue
                return None
            return _Opened(connection, file)

    def _point_to(self, projection: Projection, path: Path) -> None:
        pointer = self._pointer(projection)
        sync(path)
        beside = pointer.with_suffix(".new")
        beside.write_text(path.name)
        sync(beside)
        beside.rename(pointer)
        sync(self.folder)
        for stale in self.folder.glob(f"{projection.name}.*.db*"):
            if not stale.name.startswith(path.name):
                stale.unlink(missing_ok=True)

    def _file(self, connection: sqlite3.Connection) -> Path:
        return Path(connection.execute("PRAGMA database_list").fetchone()[2])

    def _next_file(self, projection: Projection) -> Path:
        numbers = [path.name.split(".")[1] for path in self.folder.glob(f"{projection.name}.*.db")]
        newest = max((int(number) for number in numbers if number.isdecimal()), default=0)
        return self.folder / f"{projection.name}.{newest + 1}.db"

    def _pointer(self, projection: Projection) -> Path:
        return self.folder / f"{projection.name}.current"

    @contextmanager
    def _locked(self, projection: Projection) -> Iterator[None]:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(self.folder / f"{projection.name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _unreadable(projection: Projection, error: sqlite3.DatabaseError) -> BaseException:
    if any(word in str(error) for word in ("locked", "busy", "full", "disk I/O", "closed database")):
        return as_ours(error)
    msg = f"view {projection.name}: its file cannot be read ({error})"
    return DamagedRow(msg, remedy=REMEDY)


def _read(pointer: Path) -> str:
    """Returns the file that a pointer names; empty where there is no pointer, or it was spoilt."""
    try:
        name = pointer.read_bytes().decode("ascii", "replace").strip()
    except FileNotFoundError:
        return ""
    return name if "/" not in name and name.startswith(f"{pointer.stem}.") else ""


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Returns what tells a file from another one in its place, and from itself before it was changed; None for none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _create(connection: sqlite3.Connection, projection: Projection) -> None:
    for statement in TABLES:
        connection.execute(statement)
    row = (projection.name, projection.version, records.GENESIS, bytes(16), b"")
    connection.execute("INSERT INTO view VALUES (1, ?, ?, 0, ?, ?, ?)", row)


def _position(connection: sqlite3.Connection) -> int:
    position = connection.execute("SELECT position FROM view").fetchone()[0]
    if not isinstance(position, int):
        raise TypeError("the position of a view is no number")
    return position
