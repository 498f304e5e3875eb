"""The lock's file notes how far the log has come, so that a log cut short by damage after a kill is noticed."""

import logging
from pathlib import Path

import pytest

import affidavit
from affidavit.domain.errors import IntegrityFault
from affidavit.journal.lock import FairLock

LINK = bytes(range(32))


@pytest.fixture
def lock(tmp_path: Path) -> FairLock:
    return FairLock(tmp_path / "log.db.lock")


def test_before_the_first_commit_nothing_is_noted(lock: FairLock) -> None:
    assert lock.noted() is None
    with lock.held(1):
        pass
    assert lock.noted() is None


def test_the_newest_note_stands(lock: FairLock) -> None:
    for position in (1, 7):
        with lock.held(1) as held:
            held.note(position, LINK)
    assert lock.noted() == (7, LINK)


def test_a_damaged_note_is_told_and_written_anew_by_the_next_commit(
    lock: FairLock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with lock.held(1) as held:
        held.note(7, LINK)
    file = tmp_path / "log.db.lock"
    written = file.read_bytes()
    for at in range(len(written)):
        file.write_bytes(written[:at] + bytes([written[at] ^ 1]) + written[at + 1 :])
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert lock.noted() is None
        assert "is not what was written" in caplog.text
    with lock.held(1) as held:
        held.note(8, LINK)
    assert lock.noted() == (8, LINK)


def test_a_log_that_ends_before_the_note_is_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        ledger.remember("I live in Lisbon.")
        end = ledger.position
    noted = FairLock(folder / "log.db.lock").noted()
    assert noted is not None
    assert noted[0] == end
    with FairLock(folder / "log.db.lock").held(1) as held:
        held.note(end + 1, LINK)
    with pytest.raises(IntegrityFault, match=f"ends at position {end}, and position {end + 1} is remembered by its last"):
        affidavit.open(folder)
    with affidavit.open(folder, check=False) as ledger:
        for report in (ledger.verify(), ledger.verify(chain_only=True)):
            assert [(fault.kind, fault.position) for fault in report.faults] == [("cut", end + 1)]


def test_an_older_pair_put_in_place_by_hand_opens_once_the_note_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        ledger.back_up(tmp_path / "backup")
        ledger.remember("I live in Lisbon.")
    for name in ("log.db", "keys.db"):
        (folder / name).write_bytes((tmp_path / "backup" / name).read_bytes())
    with pytest.raises(IntegrityFault, match=r"remove log\.db\.lock too"):
        affidavit.open(folder)
    (folder / "log.db.lock").unlink()
    with affidavit.open(folder) as ledger:
        assert ledger.verify().clean
        assert ledger.claims() == []
