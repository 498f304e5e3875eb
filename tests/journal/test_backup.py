"""A backup is one pair of log and keys, taken while writers go on, and verified before it is used."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Plain

import affidavit
from affidavit.scripts.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember([{"id": str(number), "text": f"I like tea{number}."} for number in range(20)], extractor=Plain())
        yield ledger


def texts(folder: Path) -> set[str]:
    with affidavit.open(folder) as ledger:
        return {claim.text for claim in ledger.claims()}


def test_a_restored_pair_answers_as_the_ledger_did(ledger: Ledger, tmp_path: Path) -> None:
    manifest = ledger.back_up(tmp_path / "backup")
    restored = affidavit.restore(tmp_path / "backup", tmp_path / "restored")
    assert restored == manifest
    assert manifest.position == ledger.position
    assert texts(tmp_path / "restored") == {claim.text for claim in ledger.claims()}
    with affidavit.open(tmp_path / "restored") as again:
        assert again.verify().clean
        again.remember("I like rain.", extractor=Plain())


def test_a_backup_goes_on_while_others_write(ledger: Ledger, tmp_path: Path) -> None:
    done = threading.Event()

    def write() -> None:
        number = 0
        while not done.is_set():
            number += 1
            ledger.remember({"id": f"w{number}", "text": f"I like rain{number}."}, extractor=Plain())

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            ledger.back_up(tmp_path / f"backup{number}")
    finally:
        done.set()
        writer.join()
    for number in range(5):
        affidavit.restore(tmp_path / f"backup{number}", tmp_path / f"restored{number}")
        with affidavit.open(tmp_path / f"restored{number}") as again:
            assert again.verify().clean


def test_a_log_without_its_keys_says_what_is_lost(ledger: Ledger, tmp_path: Path) -> None:
    ledger.back_up(tmp_path / "backup")
    (tmp_path / "backup" / "keys.db").unlink()
    with pytest.raises(affidavit.KeyMissing, match=r"without them \d+ sealed texts of \d+ records are lost"):
        affidavit.restore(tmp_path / "backup", tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


def test_keys_without_their_log_say_what_is_lost(ledger: Ledger, tmp_path: Path) -> None:
    manifest = ledger.back_up(tmp_path / "backup")
    (tmp_path / "backup" / "log.db").unlink()
    with pytest.raises(affidavit.IntegrityFault, match=f"{manifest.position} records would be lost"):
        affidavit.restore(tmp_path / "backup", tmp_path / "restored")


def test_half_of_another_pair_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    ledger.back_up(tmp_path / "old")
    ledger.remember("I like rain.", extractor=Plain())
    ledger.back_up(tmp_path / "new")
    shutil.copyfile(tmp_path / "old" / "keys.db", tmp_path / "new" / "keys.db")
    with pytest.raises(affidavit.IntegrityFault, match="missing key"):
        affidavit.restore(tmp_path / "new", tmp_path / "restored")
    assert not list(tmp_path.glob("restored*"))


def test_a_damaged_backup_is_refused_and_nothing_is_made(ledger: Ledger, tmp_path: Path) -> None:
    ledger.back_up(tmp_path / "backup")
    connection = sqlite3.connect(tmp_path / "backup" / "log.db", isolation_level=None)
    connection.execute("DELETE FROM blobs WHERE position = 1")
    connection.close()
    with pytest.raises(affidavit.IntegrityFault, match="does not verify: missing text at position 1"):
        affidavit.restore(tmp_path / "backup", tmp_path / "restored")
    assert not list(tmp_path.glob("restored*"))


def test_nothing_is_written_over(ledger: Ledger, tmp_path: Path) -> None:
    ledger.back_up(tmp_path / "backup")
    with pytest.raises(affidavit.UsageError, match="not empty"):
        ledger.back_up(tmp_path / "backup")
    with pytest.raises(affidavit.UsageError, match="there already"):
        affidavit.restore(tmp_path / "backup", tmp_path / "ledger")


def test_a_folder_that_is_no_backup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(affidavit.UsageError, match="there is no backup"):
        affidavit.restore(tmp_path, tmp_path / "restored")


def test_a_key_encryption_key_from_outside_is_not_in_the_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFIDAVIT_KEK", "ab" * 32)
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        assert not ledger.back_up(tmp_path / "backup").kek
    monkeypatch.setenv("AFFIDAVIT_KEK", "cd" * 32)
    with pytest.raises(affidavit.KeyMissing):
        affidavit.restore(tmp_path / "backup", tmp_path / "restored")
    monkeypatch.setenv("AFFIDAVIT_KEK", "ab" * 32)
    affidavit.restore(tmp_path / "backup", tmp_path / "restored")
