"""Files that must be there after a power loss, and that several programs may open at the same moment."""

import os
import sqlite3
import time
from pathlib import Path

PAUSE = 0.01
"""Seconds between two attempts to switch a file to its write-ahead log."""


def sync(path: Path) -> None:
    """Makes a file's content, or a folder's entries, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def use_wal(connection: sqlite3.Connection, timeout: float) -> None:
    """Switches a file to its write-ahead log, which it then keeps.

    SQLite does not wait for others while it switches, whatever its own timeout says, so this does, up to `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE)
        else:
            return
