"""SQLite files of other programs, read without a trace: nothing is written to them, and nothing is made beside them.

A file with nothing beside it is opened as immutable: no lock is taken, no file made. One with a write-ahead log or a
rollback journal that is not empty is copied with it into a private temporary folder, and put together in the copy.
Either way the file has to hold still meanwhile: one that its program writes to is refused, with what to do.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from affidavit.domain.errors import BadInput
from affidavit.scripts.importers.lines import Bad

HEADER = b"SQLite format 3\0"
LONGEST = 2**24
"""How many characters a text in a row may have; a longer one costs its row."""

_BESIDE = ("-wal", "-journal")
_TRIES = 3
_MENDED = "restore it from a backup, or let its own program mend it, and import it again"
_IN_USE = "close the program that uses it, and import it again"


def is_sqlite(start: bytes) -> bool:
    """Tells whether a file that starts so is a SQLite database."""
    return start.startswith(HEADER)


def columns(path: Path) -> dict[str, frozenset[str]]:
    """Returns the columns of each table of a database. Raises BadInput."""
    with opened(path) as database:
        return tables(database)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a database to be read; texts come as bytes, for `text` to decode.

    Raises BadInput if it cannot be read, is damaged, or changes while it is read.
    """
    try:
        with TemporaryDirectory(prefix="affidavit-") as folder:
            file = path.resolve()  # what stands beside a database stands beside the file itself, and not beside a link to it
            before = _stamp(file)
            copied = any(before[1:])
            source = _copy(file, Path(folder)) if copied else file
            with closing(sqlite3.connect(_address(source, copied=copied), uri=True, isolation_level=None)) as database:
                database.text_factory = bytes
                database.execute("PRAGMA trusted_schema = OFF")
                database.execute("PRAGMA query_only = ON")
                yield database
            if not copied and _stamp(file) != before:
                msg = f"{path}: it was written to while it was read"
                raise BadInput(msg, remedy=_IN_USE)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where even the message of an error is spoilt
        msg = f"{path}: the database cannot be read: {error}"
        raise BadInput(msg, remedy=_MENDED) from error
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise BadInput(msg) from error


def _address(source: Path, *, copied: bool) -> str:
    return f"{source.as_uri()}?mode=rw" if copied else f"{source.as_uri()}?mode=ro&immutable=1"


def _stamp(path: Path) -> tuple[tuple[int, int] | None, ...]:
    """Returns size and time of a file and of what holds changes beside it; None for what is not there, or empty."""
    found: list[tuple[int, int] | None] = []
    for one in (path, *(path.with_name(path.name + ending) for ending in _BESIDE)):
        try:
            about = one.stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((about.st_size, about.st_mtime_ns) if about.st_size else None)
    return tuple(found)


def _copy(path: Path, folder: Path) -> Path:
    """Copies a database with what stands beside it, at a moment at which nobody wrote."""
    target = folder / "copy"
    for _ in range(_TRIES):
        before = _stamp(path)
        for ending in ("", *_BESIDE):
            source, copy = path.with_name(path.name + ending), folder / f"copy{ending}"
            copy.unlink(missing_ok=True)
            if source.exists():
                shutil.copyfile(source, copy)
        if _stamp(path) == before:
            return target
    msg = f"{path}: it was written to while it was read"
    raise BadInput(msg, remedy=_IN_USE)


def tables(database: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """Returns the columns of each table."""
    names = [_name(name) for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        name: frozenset(_name(column) for (column,) in database.execute("SELECT name FROM pragma_table_info(?)", (name,)))
        for name in names
    }


def _name(name: Any) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else ""


def count(database: sqlite3.Connection, table: str) -> int:
    """Returns how many rows a table has; the name is one of ours, never one of the file's."""
    (found,) = database.execute(f'SELECT count(*) FROM "{table}"').fetchone()  # noqa: S608 - a name in our own list
    return int(found)


def text(value: Any, name: str) -> str:
    """Returns a column's text, "" for none. Raises Bad if it is no text in UTF-8, or too long."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, bytes):
        raise Bad(f'column "{name}" is {value!r:.40}, a text is required')
    if len(value) > LONGEST:
        raise Bad(f'column "{name}" is longer than {LONGEST:,} bytes')
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise Bad(f'column "{name}" is not UTF-8: {error.reason} at byte {error.start + 1}') from error
