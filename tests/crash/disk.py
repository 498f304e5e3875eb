"""A disk that tells what was written to it, and that fails when it is told to.

The ledger runs on it unchanged: `sqlite3.connect` is replaced while it does, so that the very functions that open log,
keys and views get a connection of apsw, dressed as one of `sqlite3`, over a VFS that logs every write, truncation, sync
and deletion. apsw brings an SQLite of its own; one process must not open the same file with both, so what was written is
read back only from copies, or after all is closed.
"""

import itertools
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, cast
from urllib.parse import unquote, urlparse

import apsw
import pytest

Kind = Literal["open", "write", "truncate", "sync", "delete", "acknowledged"]
Row = tuple[Any, ...]

_numbers = itertools.count(1)
_stock = sqlite3.connect


class Op(NamedTuple):
    """One thing that happened to a file; for "acknowledged", what a call that returned had promised."""

    kind: Kind
    file: str
    offset: int = 0
    data: bytes = b""
    promise: Any = None


class Disk(apsw.VFS):
    """The recording VFS. `ops` is what happened, in order; only files under `folder` are on this disk.

    `weak` names files that are opened with synchronous=NORMAL in place of FULL: for controls. `checkpoint` is the number
    of pages after which SQLite checkpoints, so that a short run sees many of them.
    """

    def __init__(self, folder: Path, *, weak: Iterable[str] = (), checkpoint: int = 20) -> None:
        self.vfs = f"recording {next(_numbers)}"
        super().__init__(self.vfs, "unix")
        self.folder = folder
        self.ops: list[Op] = []
        self.calls = 0
        self.fails: Callable[[int, Kind], Exception | None] = lambda number, kind: None
        self.failed = 0
        self.weak = set(weak)
        self.checkpoint = checkpoint

    @contextmanager
    def used(self, *, views: bool = False) -> Iterator[None]:
        """Puts log and keys of any ledger below the folder on this disk; its views too, if wanted."""

        def connect(database: str | Path, **options: Any) -> Any:
            path = _path(database)
            mine = path.is_relative_to(self.folder) and (views or path.parent.name != "views")
            if not mine:
                return _stock(database, **options)
            opened.append(Connection(self, str(database), path.name))
            return opened[-1]

        opened: list[Connection] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite3, "connect", connect)
            patch.setattr(sys, "unraisablehook", _quiet(sys.unraisablehook))
            try:
                yield
            finally:
                for connection in opened:
                    connection.close()

    def acknowledge(self, promise: Any) -> None:
        """Notes that a call returned, and what is promised since."""
        self.ops.append(Op("acknowledged", "", promise=promise))

    def note(self, op: Op) -> None:
        """Logs what is about to happen, or fails in its place."""
        if op.kind in {"write", "sync", "truncate"}:
            self.calls += 1
            error = self.fails(self.calls, op.kind)
            if error is not None:
                self.failed += 1
                raise error
        self.ops.append(op)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - the name is apsw's
        """Opens a file that logs; one without a name is temporary, and lost in any crash."""
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:
            return super().xOpen(name, flags)
        self.ops.append(Op("open", Path(path).name))
        return _File(self, name, flags, Path(path).name)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - the name is apsw's
        """Deletes a file; `offset` of the op tells whether the folder was synced after."""
        self.note(Op("delete", Path(filename).name, int(syncdir)))
        super().xDelete(filename, syncdir)

    def excepthook(self, *_: Any) -> bool:
        """Keeps quiet: SQLite has the error already, where nobody waits for it."""
        return True


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int], short: str) -> None:
        super().__init__("unix", cast("str", name), flags)
        self._disk = disk
        self._short = short

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - the name is apsw's
        self._disk.note(Op("write", self._short, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - the name is apsw's
        self._disk.note(Op("truncate", self._short, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - the name is apsw's
        self._disk.note(Op("sync", self._short))
        super().xSync(flags)

    def excepthook(self, *_: Any) -> bool:
        return True


class Connection:
    """What our code uses of `sqlite3.Connection`, over apsw."""

    def __init__(self, disk: Disk, database: str, name: str) -> None:
        self._weak = name in disk.weak
        with _said_as_sqlite3():
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
            self._apsw = apsw.Connection(database, flags=flags, vfs=disk.vfs)
            self._apsw.set_busy_timeout(30_000)
            self._apsw.execute(f"PRAGMA wal_autocheckpoint = {disk.checkpoint}").close()

    @property
    def in_transaction(self) -> bool:
        return self._apsw.in_transaction

    def cursor(self) -> "Cursor":
        with _said_as_sqlite3():
            return Cursor(self, self._apsw.cursor())

    def execute(self, statement: str, parameters: Any = ()) -> "Cursor":
        return self.cursor().execute(statement, parameters)

    def executemany(self, statement: str, many: Iterable[Any]) -> "Cursor":
        return self.cursor().executemany(statement, many)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        """Ends the transaction as `sqlite3` does: a commit that fails is rolled back."""
        if kind is not None:
            self.rollback()
            return
        try:
            self.commit()
        except sqlite3.Error:
            self.rollback()
            raise

    def commit(self) -> None:
        if self._apsw.in_transaction:
            self.execute("COMMIT")

    def rollback(self) -> None:
        if self._apsw.in_transaction:
            self.execute("ROLLBACK")

    def close(self) -> None:
        # Whether the last checkpoint went well is nobody's business: `sqlite3` does not tell either.
        with suppress(apsw.Error):
            self._apsw.close()

    def as_written(self, statement: str) -> str:
        """Returns the statement; weakened in a control."""
        return statement.replace("synchronous = FULL", "synchronous = NORMAL") if self._weak else statement


class Cursor:
    """What our code and the library use of `sqlite3.Cursor`."""

    def __init__(self, connection: Connection, inner: apsw.Cursor) -> None:
        self.connection = connection
        self.row_factory: type[sqlite3.Row] | None = None
        self._inner = inner
        self._next: Row | None = None
        self._columns: list[str] = []

    def execute(self, statement: str, parameters: Any = ()) -> "Cursor":
        with _said_as_sqlite3():
            self._inner.execute(self.connection.as_written(statement), parameters)
            self._next = next(self._inner, None)
            if self._next is not None and self.row_factory is not None:
                self._columns = [column[0] for column in self._inner.get_description()]
        return self

    def executemany(self, statement: str, many: Iterable[Any]) -> "Cursor":
        with _said_as_sqlite3():
            self._inner.executemany(statement, many)
        return self

    @property
    def lastrowid(self) -> int:
        """The key of the row that was inserted last."""
        return int(self._inner.connection.last_insert_rowid())

    def fetchone(self) -> Any:
        row = self._next
        if row is None:
            return None
        # As `sqlite3` does, one row ahead: a statement is over, and its locks are gone, with its last row.
        with _said_as_sqlite3():
            self._next = next(self._inner, None)
        return row if self.row_factory is None else _Named(self._columns, row)

    def fetchall(self) -> list[Any]:
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        while (row := self.fetchone()) is not None:
            yield row

    def close(self) -> None:
        with _said_as_sqlite3():
            self._inner.close()


class _Named(tuple[Any, ...]):
    """A row that answers to column names, as `sqlite3.Row` does."""

    _columns: Sequence[str]

    def __new__(cls, columns: Sequence[str], row: Row) -> Self:
        made = super().__new__(cls, row)
        made._columns = columns
        return made

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._columns.index(key) if isinstance(key, str) else key)


_KINDS: tuple[tuple[tuple[type[apsw.Error], ...], type[sqlite3.Error], str], ...] = (
    ((apsw.FullError,), sqlite3.OperationalError, "database or disk is full"),
    ((apsw.IOError,), sqlite3.OperationalError, "disk I/O error"),
    ((apsw.BusyError, apsw.LockedError), sqlite3.OperationalError, "database is locked"),
    ((apsw.CantOpenError,), sqlite3.OperationalError, "unable to open database file"),
    ((apsw.ReadOnlyError,), sqlite3.OperationalError, "attempt to write a readonly database"),
    ((apsw.SQLError,), sqlite3.OperationalError, ""),
    ((apsw.ConstraintError, apsw.MismatchError), sqlite3.IntegrityError, ""),
    ((apsw.CorruptError, apsw.NotADBError), sqlite3.DatabaseError, ""),
    ((apsw.ConnectionClosedError, apsw.CursorClosedError), sqlite3.ProgrammingError, ""),
)
"""What Python's `sqlite3` raises, and says, where apsw raises these."""


@contextmanager
def _said_as_sqlite3() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        for theirs, ours, said in _KINDS:
            if isinstance(error, theirs):
                raise ours(said or str(error)) from error
        raise sqlite3.DatabaseError(str(error)) from error


def _quiet(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns a hook that passes over the faults of this disk which apsw can raise nowhere: SQLite has their codes."""
    return lambda told: None if isinstance(told.exc_value, apsw.Error) else hook(told)


def full() -> Exception:
    """Returns what a VFS raises when the disk is full."""
    return apsw.FullError("no space left")


def broken(kind: Kind) -> Exception:
    """Returns what a VFS raises when the disk does not answer."""
    error: Any = apsw.IOError("the disk does not answer")
    codes = {"write": apsw.SQLITE_IOERR_WRITE, "sync": apsw.SQLITE_IOERR_FSYNC, "truncate": apsw.SQLITE_IOERR_TRUNCATE}
    error.extendedresult = codes[kind]
    return cast("Exception", error)


def _path(database: str | Path) -> Path:
    text = str(database)
    return Path(unquote(urlparse(text).path) if text.startswith("file:") else text)
