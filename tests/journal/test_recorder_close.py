"""A log that one thread closes while another reads or writes: the other finishes, and nothing stays open."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import affidavit
from affidavit.domain.errors import AffidavitError, UsageError
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


def test_after_close_nothing_is_opened_any_more(tmp_path: Path) -> None:
    datastore = LedgerDatastore(str(tmp_path / "log.db"))
    LedgerRecorder(datastore).create_table()
    datastore.close()
    for way in (LedgerDatastore.read, LedgerDatastore.write):
        with pytest.raises(sqlite3.ProgrammingError, match="closed"), way(datastore):
            pass


def test_connections_of_threads_that_ended_are_closed(tmp_path: Path) -> None:
    datastore = LedgerDatastore(str(tmp_path / "log.db"))
    LedgerRecorder(datastore).create_table()

    def use() -> None:
        with datastore.read() as connection:
            assert connection.execute("SELECT count(*) FROM records").fetchone() == (0,)

    for _ in range(50):
        thread = threading.Thread(target=use)
        thread.start()
        thread.join(30)
    assert len(datastore._opened) <= 3  # the writer, this thread's reader, and the last thread's
    with datastore.write() as connection:
        connection.execute("SELECT 1")
    datastore.close()


def test_whoever_meets_a_closed_ledger_is_told_so(tmp_path: Path) -> None:
    ledger = affidavit.init(tmp_path / "ledger", scope="ana")
    other = ledger.at("ana")
    said: list[str] = []

    def read() -> None:
        try:
            while True:
                ledger.claims(), ledger.prompt(), ledger.history(known)
        except AffidavitError as error:
            said.append(f"{type(error).__name__}: {error.message}")

    known = ledger.remember("I like tea.").claims[0].id
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    ledger.close()
    for thread in threads:
        thread.join(30)
    assert said == ["UsageError: this ledger is closed"] * 4
    for call in (other.claims, other.status, other.verify, lambda: other.remember("I like mate.")):
        with pytest.raises(UsageError, match="this ledger is closed"):
            call()
    other.close()
