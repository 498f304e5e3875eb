"""Opening a file while others do: the switch to the write-ahead log waits its turn."""

import sqlite3
import threading
from pathlib import Path

import pytest

from affidavit.journal.files import use_wal


def test_the_switch_waits_for_whoever_holds_the_file(tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "a.db", isolation_level=None, check_same_thread=False)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    freed = threading.Timer(0.2, holder.execute, ["COMMIT"])
    freed.start()
    connection = sqlite3.connect(tmp_path / "a.db", timeout=0)
    use_wal(connection, 10)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    freed.join()
    connection.close()
    holder.close()


def test_it_gives_up_at_its_deadline(tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    connection = sqlite3.connect(tmp_path / "a.db", timeout=0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        use_wal(connection, 0.05)
    connection.close()
    holder.close()
