"""The decision index follows from the records alone: deleted or spoilt, it comes back row for row, without a key."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from extractors import Plain

import affidavit
from affidavit.domain.errors import FormatTooNew, IntegrityFault
from affidavit.journal import index
from affidavit.journal.indexing import rebuild_index

Row = tuple[object, ...]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "ledger"
    with affidavit.init(made, scope="ana", time_zone="Europe/Lisbon") as ledger:
        for number in range(4):
            ledger.remember(
                {"id": str(number), "text": f"My port is {7000 + number}. I like tea{number}."}, extractor=Plain()
            )
        first, second = [claim.id for claim in ledger.claims() if claim.attribute == "likes"][:2]
        ledger.correct(first, "User likes mate.")
        ledger.reject(second)
        ledger.adopt_policy(ledger.policy())
        ledger.open_scope("bo")
        ledger.remember("I live in Porto.", extractor=Plain())
    return made


@pytest.fixture
def log(folder: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(folder / "log.db", isolation_level=None)
    yield connection
    connection.close()


def tables(connection: sqlite3.Connection) -> dict[str, list[Row]]:
    return {
        table: connection.execute(f"SELECT * FROM {table} ORDER BY {', '.join(key)}").fetchall()
        for table, key in index.COMPARED.items()
    }


def empty(connection: sqlite3.Connection) -> None:
    for table in index.COMPARED:
        connection.execute(f"DELETE FROM {table}")


def drop(connection: sqlite3.Connection) -> None:
    for table in index.COMPARED:
        connection.execute(f"DROP TABLE {table}")


def spoil(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE streams SET version = 1, class = 'claim'")
    connection.execute("UPDATE scopes SET policy = 1, generation = 7")
    connection.execute("DELETE FROM citations WHERE start > 0")
    connection.execute("INSERT INTO rejected VALUES (x'00', 1, 1, 1)")


@pytest.mark.parametrize("fault", [empty, drop, spoil])
def test_whatever_became_of_it_it_is_the_same_again(
    log: sqlite3.Connection, folder: Path, fault: Callable[[sqlite3.Connection], None]
) -> None:
    before = tables(log)
    assert all(before[table] for table in ("streams", "scopes", "receipts", "claims", "citations", "rejected", "names"))
    fault(log)
    log.execute("BEGIN IMMEDIATE")
    end = log.execute("SELECT max(position) FROM records").fetchone()[0]
    assert rebuild_index(log) == end
    log.execute("COMMIT")
    assert tables(log) == before
    with affidavit.open(folder, scope="ana") as ledger:
        assert ledger.verify().clean
        ledger.remember("I like coffee.", extractor=Plain())
        assert ledger.verify().clean


@pytest.mark.parametrize("version", [None, 1])
def test_an_older_index_is_made_anew_at_opening(log: sqlite3.Connection, folder: Path, version: int | None) -> None:
    before = tables(log)
    log.execute("DELETE FROM index_version")
    if version is not None:
        log.execute("INSERT INTO index_version VALUES (1, ?)", (version,))
    log.execute("DELETE FROM rejected")
    with affidavit.open(folder, scope="ana") as ledger:
        assert ledger.verify().clean
    assert tables(log) == before
    assert log.execute("SELECT version FROM index_version").fetchone()[0] == index.VERSION


def test_a_newer_index_is_left_alone(log: sqlite3.Connection, folder: Path) -> None:
    log.execute("UPDATE index_version SET version = version + 1")
    log.execute("DELETE FROM rejected")
    with pytest.raises(FormatTooNew, match="decision index has version"):
        affidavit.open(folder, scope="ana")
    assert log.execute("SELECT count(*) FROM rejected").fetchone()[0] == 0


def test_a_record_that_was_changed_ends_the_work_and_nothing_is_written(log: sqlite3.Connection) -> None:
    log.execute("DROP TRIGGER records_no_update")
    log.execute("UPDATE records SET recorded_at = recorded_at + 1 WHERE position = 5")
    before = tables(log)
    log.execute("BEGIN IMMEDIATE")
    with pytest.raises(IntegrityFault, match="position 5") as met:
        rebuild_index(log)
    assert met.value.position == 5
    log.execute("ROLLBACK")
    assert tables(log) == before
