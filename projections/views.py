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
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

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


class Views:
    """The views of one ledger, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    @contextmanager
    def current(self, projection: Projection, reader: Reader, *, may_move: bool = True) -> Iterator[Rows]:
        """Yields the view's rows at exactly the position that the reader sees.

        A view that is ahead lets the reader move on, if it `may_move`; else the rows are built in memory. Raises
        DamagedRow where the view is not what was put there.
        """
        try:
            connection = self._caught_up(projection, reader, may_move=may_move)
        except sqlite3.DatabaseError as error:
            raise _unreadable(projection, error) from error
        if connection is None:
            with self.as_of(projection, reader, reader.head().position) as rows:
                yield rows
            return
        try:
            rows = Rows(connection, reader.vault, projection.name)
            rows.check_sums()
            yield rows
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
            connection = self._open(projection)
        except sqlite3.DatabaseError:
            return None
        if connection is None:
            return None
        try:
            return _position(connection)
        except (sqlite3.DatabaseError, TypeError):
            return None
        finally:
            connection.close()

    def _caught_up(self, projection: Projection, reader: Reader, *, may_move: bool) -> sqlite3.Connection | None:
        """Returns a connection to the newest file of the view, inside a read transaction at the reader's position.

        None where the view is ahead of a reader that may not move.
        """
        while True:
            connection = self._open(projection)
            if connection is None or not self._fits(projection, connection, reader, may_move=may_move):
                if connection is not None:
                    ahead = self._is_ahead(connection, reader)
                    connection.close()
                    if ahead and not may_move:
                        return None
                self.rebuild(projection, reader)
                continue
            if _position(connection) < reader.head().position and not self._catch_up(projection, connection, reader):
                connection.close()
                continue
            connection.execute("BEGIN")
            if _position(connection) == reader.head().position:
                return connection
            connection.close()
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
            with ExitStack() as unless_done:
                unless_done.callback(connection.close)
                connection.execute("BEGIN IMMEDIATE")
                end = reader.head()
                if _position(connection) < end.position:
                    for entry in reader.entries(_position(connection), end.position):
                        projection.fold(entry, rows, reader)
                    rows.flush(end.position, end.link)
                connection.execute("COMMIT")
                unless_done.pop_all()
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

    def _open(self, projection: Projection) -> sqlite3.Connection | None:
        pointer = self._pointer(projection)
        while True:
            name = _read(pointer)
            if not name:
                return None
            try:
                connection = sqlite3.connect(
                    f"{(self.folder / name).absolute().as_uri()}?mode=rw",
                    uri=True,
                    isolation_level=None,
                    timeout=30,
                )
                connection.execute("PRAGMA synchronous = NORMAL")
            except sqlite3.OperationalError:
                # The file went while it was opened: another builder has swapped it, or someone deleted it.
                if pointer.exists() and _read(pointer) != name:
                    continue
                return None
            return connection

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
    if any(word in str(error) for word in ("locked", "busy", "full", "disk I/O")):
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


def _create(connection: sqlite3.Connection, projection: Projection) -> None:
    for statement in TABLES:
        connection.execute(statement)
    row = (projection.name, projection.version, records.GENESIS, bytes(16), b"")
    connection.execute("INSERT INTO view VALUES (1, ?, ?, 0, ?, ?, ?)", row)


def _position(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT position FROM view").fetchone()[0])
