"""A fair lock between processes: flock on a file beside the log, which the kernel grants in order of asking.

SQLite's own waiting starves writers (notes: 9 against 842 transactions in three seconds). flock has no timeout, so a
caller that does not get the lock at once waits on a helper thread with a deadline; a helper that gets it too late lets
go of it. The lock file is never unlinked: a new inode would be a second lock.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from affidavit.domain.errors import LockTimeout


class FairLock:
    """One exclusive lock on a path, held by at most one caller among all processes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self, timeout: float) -> Iterator[None]:
        """Holds the lock. Raises LockTimeout after `timeout` seconds."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            descriptor = self._wait(descriptor, timeout)
        try:
            yield
        finally:
            os.close(descriptor)

    def _wait(self, descriptor: int, timeout: float) -> int:
        gate = threading.Lock()
        granted = threading.Event()
        given_up = False

        def ask() -> None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with gate:
                granted.set()
                if given_up:
                    os.close(descriptor)

        threading.Thread(target=ask, name="affidavit lock", daemon=True).start()
        granted.wait(timeout)
        with gate:
            if granted.is_set():
                return descriptor
            given_up = True
        msg = f"{self._path}: another process has held the ledger's lock for {timeout:g} s"
        raise LockTimeout(msg, remedy="try again, or look for a process that hangs")
