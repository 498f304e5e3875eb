"""View files: each generation of a view is a new file, and a small pointer is replaced by rename.

A view holds its position and the link there, advanced in the transaction that applies the records: another log, or one
restored to an earlier state, means a rebuild. Views catch up inside the call that reads them. A rebuild is made beside
and swapped in; renaming over a live WAL file would silently serve old rows, so files are never renamed over, only
pointed to. A kill at any moment leaves a valid view: the old one, or the new one.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from affidavit.journal import records
from affidavit.journal.reading import Entry, Reader
from affidavit.projections.rows import TABLES, DamagedRow, Rows


class Projection(Protocol):
    """A fold of the log into rows. `version` changes with what the rows hold."""

    name: str
    version: int

    def fold(self, entry: Entry, rows: Rows, reader: Reader) -> None:
        """Applies one record to the rows."""
        ...

    def build(self, rows: Rows, reader: Reader, upto: int) -> None:
        """Fills empty rows from the records up to a position; the same rows that folding each of them gives."""
        ...


def fold_all(projection: Projection, rows: Rows, reader: Reader, upto: int) -> None:
    """Builds by folding every record: for views that need each of them."""
    for entry in reader.entries(0, upto):
        projection.fold(entry, rows, reader)


class Views:
    """The views of one ledger, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    @contextmanager
    def current(self, projection: Projection, reader: Reader) -> Iterator[Rows]:
        """Yields the view's rows, caught up with the log; the reader moves on if the view is ahead of it."""
        try:
            connection = self._caught_up(projection, reader)
        except sqlite3.DatabaseError as error:
            raise _unreadable(projection, error) from error
        try:
            yield Rows(connection, reader.vault, projection.name)
        except sqlite3.DatabaseError as error:
            raise _unreadable(projection, error) from error
        finally:
            connection.close()

    @contextmanager
    def as_of(self, projection: Projection, reader: Reader, upto: int) -> Iterator[Rows]:
        """Yields the view's rows as of a position, built in memory."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        try:
            _create(connection, projection)
            rows = Rows(connection, reader.vault, projection.name)
            connection.execute("BEGIN")
            projection.build(rows, reader, upto)
            rows.flush()
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
                rows = Rows(connection, reader.vault, projection.name)
                end = reader.head()
                connection.execute("BEGIN")
                projection.build(rows, reader, end.position)
                rows.flush()
                connection.execute("UPDATE view SET position = ?, link = ?", (end.position, end.link))
                connection.execute("COMMIT")
                connection.execute("PRAGMA journal_mode = WAL")
            finally:
                connection.close()
            self._point_to(projection, path)

    def position(self, projection: Projection) -> int | None:
        """Returns where the stored view stands, or None if there is none."""
        connection = self._open(projection)
        if connection is None:
            return None
        try:
            return _position(connection)
        except sqlite3.DatabaseError:
            return None
        finally:
            connection.close()

    def remove(self) -> None:
        """Deletes every view; they come back when they are read."""
        if self.folder.exists():
            for path in self.folder.iterdir():
                if path.suffix != ".lock":
                    path.unlink()

    def _caught_up(self, projection: Projection, reader: Reader) -> sqlite3.Connection:
        """Returns a connection to the newest file of the view, inside a read transaction at or past the log's head."""
        while True:
            connection = self._open(projection)
            if connection is None or not self._fits(projection, connection, reader):
                if connection is not None:
                    connection.close()
                self.rebuild(projection, reader)
                continue
            if _position(connection) < reader.head().position and not self._catch_up(projection, connection, reader):
                connection.close()
                continue
            connection.execute("BEGIN")
            if _position(connection) > reader.head().position:
                reader.refresh()
            return connection

    def _catch_up(self, projection: Projection, connection: sqlite3.Connection, reader: Reader) -> bool:
        """Applies what is new; False where the view was swapped meanwhile."""
        with self._locked(projection):
            if self._file(connection) != self.folder / self._pointer(projection).read_text():
                return False
            rows = Rows(connection, reader.vault, projection.name)
            connection.execute("BEGIN IMMEDIATE")
            end = reader.head()
            if _position(connection) < end.position:
                for entry in reader.entries(_position(connection), end.position):
                    projection.fold(entry, rows, reader)
                rows.flush()
                connection.execute("UPDATE view SET position = ?, link = ?", (end.position, end.link))
            connection.execute("COMMIT")
        return True

    def _fits(self, projection: Projection, connection: sqlite3.Connection, reader: Reader) -> bool:
        """Tells whether a stored view is of this version and follows from this very log."""
        try:
            row = connection.execute("SELECT name, version, position, link FROM view").fetchone()
        except sqlite3.DatabaseError:
            return False
        if row is None or row[:2] != (projection.name, projection.version):
            return False
        if row[2] > reader.head().position:
            reader.refresh()
        if row[2] == 0:
            return bool(row[3] == records.GENESIS)
        found = reader.connection.execute("SELECT link FROM records WHERE position = ?", (row[2],)).fetchone()
        return found is not None and found[0] == row[3]

    def _open(self, projection: Projection) -> sqlite3.Connection | None:
        pointer = self._pointer(projection)
        while True:
            try:
                name = pointer.read_text()
            except FileNotFoundError:
                return None
            try:
                connection = sqlite3.connect(
                    f"{(self.folder / name).absolute().as_uri()}?mode=rw",
                    uri=True,
                    isolation_level=None,
                    timeout=30,
                )
            except sqlite3.OperationalError:
                if pointer.exists() and pointer.read_text() != name:
                    continue
                return None
            connection.execute("PRAGMA synchronous = NORMAL")
            return connection

    def _point_to(self, projection: Projection, path: Path) -> None:
        pointer = self._pointer(projection)
        _sync(path)
        beside = pointer.with_suffix(".new")
        beside.write_text(path.name)
        _sync(beside)
        beside.rename(pointer)
        _sync(self.folder)
        for stale in self.folder.glob(f"{projection.name}.*.db*"):
            if not stale.name.startswith(path.name):
                stale.unlink(missing_ok=True)

    def _file(self, connection: sqlite3.Connection) -> Path:
        return Path(connection.execute("PRAGMA database_list").fetchone()[2])

    def _next_file(self, projection: Projection) -> Path:
        numbers = [int(path.name.split(".")[1]) for path in self.folder.glob(f"{projection.name}.*.db")]
        return self.folder / f"{projection.name}.{max(numbers, default=0) + 1}.db"

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


def _unreadable(projection: Projection, error: sqlite3.DatabaseError) -> DamagedRow:
    msg = f"view {projection.name}: its file cannot be read ({error})"
    return DamagedRow(msg, remedy="run `affidavit rebuild`: views follow from the log")


def _create(connection: sqlite3.Connection, projection: Projection) -> None:
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO view VALUES (1, ?, ?, 0, ?)", (projection.name, projection.version, records.GENESIS))


def _position(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT position FROM view").fetchone()[0])


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
