"""What SQLite and the file system say, in our own errors: nothing comes out raw."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from eventsourcing.persistence import PersistenceError

from affidavit.domain.errors import AffidavitError, BadInput, Conflict, IntegrityFault, LockTimeout, StorageFull, UsageError

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})
_SAID: tuple[tuple[tuple[str, ...], type[AffidavitError], str, str], ...] = (
    (("full", "disk I/O"), StorageFull, "the ledger's files could not be written", "free some space and try again"),
    (("locked", "busy"), LockTimeout, "the ledger is in use by another program", "try again"),
    (("unable to open",), UsageError, "a file of the ledger cannot be opened", "check its folder and permissions"),
    (("constraint", "records:"), Conflict, "the log refused a record", "try again"),
    (("",), IntegrityFault, "a file of the ledger cannot be read", ""),
)
"""What SQLite's sentences hold, the error that they are here, what it says and what to do; the last fits all."""


def closed() -> UsageError:
    """Returns the error of whoever uses a ledger that was closed, perhaps meanwhile."""
    return UsageError("this ledger is closed", remedy="open it again with affidavit.open")


def as_ours(error: BaseException) -> BaseException:
    """Returns the error that a caller should see: ours for what SQLite or the file system says, the same for all else."""
    if isinstance(error, UnicodeEncodeError):
        return BadInput(f"a text holds half of a surrogate pair at {error.start}, Unicode text is required")
    if isinstance(error, UnicodeDecodeError):
        return IntegrityFault(f"a file of the ledger holds what is no text: {error.reason} at {error.start}")
    if isinstance(error, OSError):
        return _of_files(error)
    if not isinstance(error, sqlite3.Error | PersistenceError):
        return error
    text = str(error)
    if "closed database" in text:
        return closed()
    kind, said, remedy = next(row[1:] for row in _SAID if any(word in text for word in row[0]))
    return kind(f"{said}: {text}", remedy=remedy)


def _of_files(error: OSError) -> AffidavitError:
    """Returns our error for what the file system says."""
    if error.errno in _NO_ROOM:
        msg = f"{error.filename or 'a file'} of the ledger could not be written: {error.strerror}"
        return StorageFull(msg, remedy="free some space and try again")
    return UsageError(f"{error.filename or 'a file'}: {error.strerror or error}")


@contextmanager
def ours() -> Iterator[None]:
    """Raises our errors in place of SQLite's and the file system's."""
    try:
        yield
    except (sqlite3.Error, PersistenceError, OSError, UnicodeError) as error:
        raise as_ours(error) from error
