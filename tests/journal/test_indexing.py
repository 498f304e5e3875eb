"""The decision index follows from the records alone: deleted or spoilt, it comes back row for row, without a key."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from extractors import Plain

import affidavit
from affidavit.domain.errors import FormatTooNew, IntegrityFault
from affidavit.journal import index, records
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


def as_format_1(log: sqlite3.Connection) -> None:
    """Makes what this version wrote look like what the one before it left, an index that lacks a rejection included."""
    log.execute("PRAGMA user_version = 1")
    log.execute("DROP TRIGGER records_append")
    log.execute("ALTER TABLE scopes DROP COLUMN digest")
    log.execute("DELETE FROM rejected")


def test_a_log_of_an_earlier_format_is_brought_up_to_ours(log: sqlite3.Connection, folder: Path) -> None:
    before = tables(log)
    as_format_1(log)
    with affidavit.open(folder, scope="ana") as ledger:
        report = ledger.verify()
        assert report.clean
        assert not report.earlier
    assert tables(log) == before
    assert log.execute("PRAGMA user_version").fetchone() == (records.FORMAT,)


def test_verify_looks_at_an_earlier_format_and_leaves_it_as_it_is(log: sqlite3.Connection, folder: Path) -> None:
    as_format_1(log)
    with affidavit.open(folder, scope="ana", check=False) as ledger:
        report = ledger.verify()
    assert (report.clean, report.earlier) == (True, True)
    assert log.execute("PRAGMA user_version").fetchone() == (1,)
    log.execute("DROP TRIGGER records_no_update")
    log.execute("UPDATE records SET recorded_at = recorded_at + 1 WHERE position = 5")
    with pytest.raises(IntegrityFault, match="position 5"):
        affidavit.open(folder, scope="ana")
    with affidavit.open(folder, scope="ana", check=False) as ledger:
        assert [(fault.kind, fault.position) for fault in ledger.verify().faults] == [("edited", 5)]


def test_a_newer_format_is_left_alone(log: sqlite3.Connection, folder: Path) -> None:
    log.execute(f"PRAGMA user_version = {records.FORMAT + 1}")
    log.execute("DELETE FROM rejected")
    with pytest.raises(FormatTooNew):
        affidavit.open(folder, scope="ana")
    assert log.execute("SELECT count(*) FROM rejected").fetchone()[0] == 0


def test_a_person_can_have_a_spoilt_index_made_anew(log: sqlite3.Connection, folder: Path) -> None:
    before = tables(log)
    log.execute("UPDATE scopes SET digest = x'00'")
    with affidavit.open(folder, scope="ana") as ledger:
        with pytest.raises(IntegrityFault, match="rebuild --index"):
            ledger.claims()
        assert ledger.rebuild_index() == ledger.position
        assert ledger.claims()
        assert ledger.verify().clean
    assert tables(log) == before


def test_a_record_that_was_changed_ends_the_work_and_nothing_is_written(log: sqlite3.Connection) -> None:
    log.execute("DROP TRIGGER records_no_update")
    log.execute("UPDATE records SET recorded_at = recorded_at + 1 WHERE position = 5")
    before = tables(log)
    log.execute("BEGIN IMMEDIATE")
    with pytest.raises(IntegrityFault, match="position 5") as met:
        rebuild_index(log)
    assert met.value.position == 5
    assert tables(log) == before
    log.execute("ROLLBACK")
