"""The lease: one program at a time works off a scope's loops. It ends with the program, however that ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
