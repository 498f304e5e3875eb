"""A log that one thread closes while another reads or writes: the other finishes, and nothing stays open."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from affidavit.journal.recorder import LedgerDatastore, LedgerRecorder


@pytest.mark.parametrize("way", [LedgerDatastore.read, LedgerDatastore.write])
def test_a_connection_in_use_is_closed_when_its_thread_is_done(
    tmp_path: Path, way: Callable[[LedgerDatastore], AbstractContextManager[sqlite3.Connection]]
) -> None:
    datastore = LedgerDatastore(str(tmp_path / "log.db"))
    LedgerRecorder(datastore).create_table()
    inside, closed = threading.Event(), threading.Event()
    found: list[object] = []

    def use() -> None:
        with way(datastore) as connection:
            rows = connection.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i FROM n"
            )
            found.append(next(rows)[0])
            inside.set()
            assert closed.wait(30)
            found.append(sum(row[0] for row in rows))
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
        found.append("closed")

    thread = threading.Thread(target=use)
    thread.start()
    assert inside.wait(30)
    datastore.close()
    closed.set()
    thread.join(30)
    assert found == [1, 500_499, "closed"]
