"""Each fault, planted alone, is found, named and placed, with what follows from it folded beneath."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from blake3 import blake3
from extractors import Plain

import affidavit
from affidavit.domain.errors import IntegrityFault
from affidavit.journal import records
from affidavit.journal.verify import Report

Plant = Callable[[sqlite3.Connection], object]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes one sound ledger, which each test copies."""
    folder = tmp_path_factory.mktemp("sound") / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        for number in range(6):
            text = f"My port is {7000 + number}. I live in Lisbon."
            ledger.remember({"id": str(number), "text": text}, extractor=Plain())
        claim = next(claim for claim in ledger.claims() if claim.attribute == "home")
        ledger.correct(claim.id, "User lives in Porto.")
    return folder


@pytest.fixture
def ledger_folder(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "ledger"))


def plant(folder: Path, fault: Plant) -> None:
    """Does to the log what an attacker with the file could: no trigger, no unique index, no WAL in the way."""
    connection = sqlite3.connect(folder / "log.db", isolation_level=None)
    for name in ("records_append", "records_no_update", "records_no_delete"):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    fault(connection)
    for statement in records.TABLES:
        if statement.startswith("CREATE TRIGGER"):
            connection.execute(statement)
    connection.close()


def verify(folder: Path) -> Report:
    with affidavit.open(folder, check=False) as ledger:
        return ledger.verify()


def body_of(connection: sqlite3.Connection, position: int) -> bytes:
    body: bytes = connection.execute("SELECT body FROM records WHERE position = ?", (position,)).fetchone()[0]
    return body


def test_a_sound_ledger_is_clean(ledger_folder: Path) -> None:
    report = verify(ledger_folder)
    assert report.clean
    assert report.records == report.position > 20


def edit(connection: sqlite3.Connection) -> None:
    body = bytearray(body_of(connection, 9))
    body[-3] ^= 1
    connection.execute("UPDATE records SET body = ? WHERE position = 9", (bytes(body),))


def edit_with_its_digest(connection: sqlite3.Connection) -> None:
    body = body_of(connection, 9).replace(b"extractor", b"operators", 1)
    connection.execute("UPDATE records SET body = ?, digest = ? WHERE position = 9", (body, blake3(body).digest()))


def edit_time(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE records SET recorded_at = recorded_at + 1 WHERE position = 9")


def swap_bodies(connection: sqlite3.Connection) -> None:
    one, other = body_of(connection, 8), body_of(connection, 14)
    connection.execute("UPDATE records SET body = ? WHERE position = 8", (other,))
    connection.execute("UPDATE records SET body = ? WHERE position = 14", (one,))


def swap_rows(first: int, second: int) -> Plant:
    def swap(connection: sqlite3.Connection) -> None:
        for old, new in ((first, -1), (second, first), (-1, second)):
            connection.execute("UPDATE records SET position = ? WHERE position = ?", (new, old))

    return swap


def remove(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM records WHERE position = 9")


def remove_last(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM records WHERE position = (SELECT max(position) FROM records)")


def double(connection: sqlite3.Connection) -> None:
    rows = connection.execute("SELECT * FROM records").fetchall()
    connection.execute("DROP TABLE records")
    connection.execute(
        "CREATE TABLE records (position INTEGER PRIMARY KEY, stream INTEGER, version INTEGER, event_id BLOB, type TEXT, "
        "scope_number INTEGER, recorded_at INTEGER, body BLOB, digest BLOB, link BLOB)"
    )
    copied = [*rows, (rows[-1][0] + 1, *rows[8][1:])]
    connection.executemany("INSERT INTO records VALUES (?,?,?,?,?,?,?,?,?,?)", copied)


def foreign_text(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE blobs SET content = (SELECT content FROM blobs WHERE position = 4) WHERE position = 1")


def missing_text(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM blobs WHERE position = 4")


def wrong_index_row(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE streams SET version = version + 1 WHERE id = 3")


def missing_rejection(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM rejected WHERE digest = (SELECT min(digest) FROM rejected)")


@pytest.mark.parametrize(
    ("fault", "kind", "position"),
    [
        (edit, "edited", 9),
        (edit_with_its_digest, "edited", 9),
        (edit_time, "edited", 9),
        (swap_bodies, "swapped", 8),
        (swap_rows(8, 14), "swapped", 8),
        (swap_rows(8, 9), "swapped", 8),
        (remove, "missing", 9),
        (foreign_text, "foreign text", 1),
        (missing_text, "missing text", 4),
        (wrong_index_row, "index", None),
        (missing_rejection, "index", None),
    ],
)
def test_a_fault_planted_alone_is_the_one_root_found(
    ledger_folder: Path, fault: Plant, kind: str, position: int | None
) -> None:
    plant(ledger_folder, fault)
    faults = verify(ledger_folder).faults
    assert {(found.kind, found.position) for found in faults} == {(kind, position)}


def test_a_doubled_record_is_named_with_its_original(ledger_folder: Path) -> None:
    last = verify(ledger_folder).position
    plant(ledger_folder, double)
    faults = verify(ledger_folder).faults
    assert [(fault.kind, fault.position) for fault in faults] == [("doubled", last + 1)]
    assert "record 9" in faults[0].sentence


def test_a_cut_end_stops_the_ledger_at_opening(ledger_folder: Path) -> None:
    plant(ledger_folder, remove_last)
    with pytest.raises(IntegrityFault, match="its end was cut"):
        affidavit.open(ledger_folder)


def test_a_cut_end_is_found_by_verify_too(ledger_folder: Path) -> None:
    last = verify(ledger_folder).position
    with affidavit.open(ledger_folder) as ledger:
        plant(ledger_folder, remove_last)
        report = ledger.verify()
    assert [(fault.kind, fault.position) for fault in report.faults] == [("cut", last)]
    assert report.faults[0].consequences


def test_consequences_of_a_missing_record_are_folded_beneath_it(ledger_folder: Path) -> None:
    plant(ledger_folder, remove)
    (fault,) = verify(ledger_folder).faults
    assert any("index table" in consequence for consequence in fault.consequences)


def test_a_trigger_that_is_gone_is_named(ledger_folder: Path) -> None:
    connection = sqlite3.connect(ledger_folder / "log.db", isolation_level=None)
    connection.execute("DROP TRIGGER records_no_update")
    connection.close()
    (fault,) = verify(ledger_folder).faults
    assert (fault.kind, fault.position) == ("schema", None)
    assert "records_no_update" in fault.sentence


def test_verify_opens_a_log_that_was_cut(ledger_folder: Path) -> None:
    last = verify(ledger_folder).position
    plant(ledger_folder, remove_last)
    with affidavit.open(ledger_folder, check=False) as ledger:
        assert [(fault.kind, fault.position) for fault in ledger.verify().faults] == [("cut", last)]


def test_two_faults_apart_are_both_named(ledger_folder: Path) -> None:
    plant(ledger_folder, edit)
    plant(ledger_folder, missing_text)
    assert {(fault.kind, fault.position) for fault in verify(ledger_folder).faults} == {("edited", 9), ("missing text", 4)}


@pytest.fixture
def triggered(ledger_folder: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(ledger_folder / "log.db", isolation_level=None)
    yield connection
    connection.close()


NEXT = "(SELECT max(position) + 1 FROM records)"
COPY = (
    "INTO records SELECT {position}, stream, {version}, {event}, type, scope_number, recorded_at, body, digest, link "
    "FROM records WHERE position = 5"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET type = 'x' WHERE position = 3",
        "DELETE FROM records WHERE position = 3",
        "INSERT OR REPLACE " + COPY.format(position=5, version="version", event="event_id"),
        "INSERT OR REPLACE "
        + COPY.format(position="(SELECT max(position) + 1 FROM records)", version="version", event="x'00'"),
        "INSERT OR REPLACE "
        + COPY.format(
            position=NEXT,
            version="(SELECT max(version) + 1 FROM records r WHERE r.stream = records.stream)",
            event="event_id",
        ),
        "INSERT " + COPY.format(position="(SELECT max(position) + 2 FROM records)", version="version + 9", event="x'00'"),
    ],
)
def test_the_file_itself_refuses_to_change_replace_or_skip_a_record(triggered: sqlite3.Connection, statement: str) -> None:
    before = triggered.execute("SELECT count(*), max(position) FROM records").fetchone()
    with pytest.raises(sqlite3.IntegrityError):
        triggered.execute(statement)
    assert triggered.execute("SELECT count(*), max(position) FROM records").fetchone() == before


CHAIN = [edit, edit_with_its_digest, edit_time, swap_bodies, swap_rows(8, 14), remove, remove_last]
NOT_CHAIN = [foreign_text, missing_text, wrong_index_row]


@pytest.mark.parametrize("fault", CHAIN)
def test_the_chain_alone_finds_what_links_cover(ledger_folder: Path, fault: Plant) -> None:
    plant(ledger_folder, fault)
    with affidavit.open(ledger_folder, check=False) as ledger:
        alone, whole = ledger.verify(chain_only=True), ledger.verify()
    assert alone.faults
    assert {(found.kind, found.position) for found in alone.faults} <= {
        (found.kind, found.position) for found in whole.faults
    }


@pytest.mark.parametrize("fault", NOT_CHAIN)
def test_the_chain_alone_does_not_look_at_texts_and_index(ledger_folder: Path, fault: Plant) -> None:
    plant(ledger_folder, fault)
    with affidavit.open(ledger_folder, check=False) as ledger:
        assert ledger.verify(chain_only=True).clean
        assert not ledger.verify().clean


def test_a_damaged_index_of_sqlite_is_named(ledger_folder: Path) -> None:
    connection = sqlite3.connect(ledger_folder / "log.db")
    name = b"sqlite_autoindex_streams_1"
    (start,) = connection.execute("SELECT pgoffset FROM dbstat WHERE name = ?", (name.decode(),)).fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    (key,) = connection.execute("SELECT name FROM streams WHERE id = 2").fetchone()
    connection.close()
    with (ledger_folder / "log.db").open("r+b") as file:
        file.seek(start)
        at = file.read(size).find(key)
        assert at > 0
        file.seek(start + at)
        file.write(bytes([key[0] ^ 1]))
    report = verify(ledger_folder)
    assert [(fault.kind, fault.position) for fault in report.faults] == [("index", None)]
    assert name.decode() in report.faults[0].sentence


@pytest.mark.parametrize("table", ["claims", "rejected_spans", "blobs"])
def test_a_table_that_is_gone_is_named(ledger_folder: Path, table: str) -> None:
    plant(ledger_folder, lambda connection: connection.execute(f"DROP TABLE {table}"))
    (fault,) = verify(ledger_folder).faults
    assert (fault.kind, fault.position) == ("schema", None)
    assert table in fault.sentence


@pytest.mark.parametrize(
    "change",
    ["body = 'x'", "body = NULL", "recorded_at = 'x'", "scope_number = x'00'", "link = NULL", "digest = 'x'"],
)
def test_a_column_of_another_type_is_an_edited_record(ledger_folder: Path, change: str) -> None:
    def retype(connection: sqlite3.Connection) -> None:
        rows = connection.execute("SELECT * FROM records").fetchall()
        connection.execute("DROP TABLE records")
        connection.execute(
            "CREATE TABLE records (position INTEGER PRIMARY KEY AUTOINCREMENT, stream, version, event_id, type, "
            "scope_number, recorded_at, body, digest, link)"
        )
        connection.executemany("INSERT INTO records VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
        connection.execute(f"UPDATE records SET {change} WHERE position = 9")

    plant(ledger_folder, retype)
    with affidavit.open(ledger_folder, check=False) as ledger:
        for report in (ledger.verify(), ledger.verify(chain_only=True)):
            assert [(fault.kind, fault.position) for fault in report.faults] == [("edited", 9)]


def test_a_sealed_text_of_another_type_is_foreign(ledger_folder: Path) -> None:
    def retype(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE blobs RENAME TO typed")
        connection.execute("CREATE TABLE blobs (position INTEGER PRIMARY KEY, content)")
        connection.execute("INSERT INTO blobs SELECT * FROM typed")
        connection.execute("DROP TABLE typed")
        connection.execute("UPDATE blobs SET content = 'x' WHERE position = 4")

    plant(ledger_folder, retype)
    assert [(fault.kind, fault.position) for fault in verify(ledger_folder).faults] == [("foreign text", 4)]


def test_a_key_that_does_not_unwrap_is_a_fault_of_what_it_seals(ledger_folder: Path) -> None:
    connection = sqlite3.connect(ledger_folder / "keys.db", isolation_level=None)
    with affidavit.open(ledger_folder) as ledger, ledger._store.datastore.read() as log:
        scope, first = log.execute("SELECT (SELECT name FROM scopes), (SELECT min(key) FROM evidence)").fetchone()
    assert first != scope
    connection.execute("UPDATE keys SET wrapped = zeroblob(60) WHERE id = ?", (first,))
    connection.close()
    faults = verify(ledger_folder).faults
    assert faults
    assert {fault.kind for fault in faults} == {"foreign text"}
    assert all("does not unwrap" in fault.sentence for fault in faults)
