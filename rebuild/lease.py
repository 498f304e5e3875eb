"""Leases: one program at a time works off a scope's loops, and one at a time asks a model about one piece of evidence.

A lease ends with the program, however that ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blake3 import blake3

from affidavit.domain.errors import LockTimeout


@contextmanager
def lease(folder: Path, scope: bytes) -> Iterator[None]:
    """Holds the lease of a scope; a file in the ledger's folder carries it. Raises LockTimeout where another holds it."""
    descriptor = os.open(folder / f"run-{scope.hex()[:24]}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            msg = "another program works off the loops of this scope"
            raise LockTimeout(msg, remedy="stop it, or let it go on: it does the same") from error
        yield
    finally:
        os.close(descriptor)


@contextmanager
def reading(folder: Path, item: bytes, extractor: str) -> Iterator[bool]:
    """Yields whether this program alone lets the extractor read this evidence meanwhile; another may be at it already."""
    path = _path(folder, item, extractor)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if not _lock(descriptor, fcntl.LOCK_EX):
                yield False
                return
            if path.exists() and os.path.samestat(path.stat(), os.fstat(descriptor)):
                try:
                    yield True
                finally:
                    path.unlink(missing_ok=True)
                return
        finally:
            os.close(descriptor)
        # Who held it has just ended it and taken the file away: the next one gets a file of its own.


def is_read(folder: Path, item: bytes, extractor: str) -> bool:
    """Tells whether a program lets the extractor read this evidence right now."""
    try:
        descriptor = os.open(_path(folder, item, extractor), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _lock(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _path(folder: Path, item: bytes, extractor: str) -> Path:
    return folder / f"read-{item.hex()[:24]}-{blake3(extractor.encode()).hexdigest()[:8]}.lock"
