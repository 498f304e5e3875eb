"""The lock's file notes how far the log has come, so that a log cut short by damage after a kill is noticed."""

import fcntl
import logging
import os
import threading
import time
from pathlib import Path

import pytest

import affidavit
from affidavit.domain.errors import IntegrityFault, LockTimeout
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


def free(lock: FairLock) -> bool:
    """Tells whether somebody who does not wait gets the lock."""
    try:
        with lock.held(0.05):
            return True
    except LockTimeout:
        return False


def test_who_comes_too_late_does_not_keep_the_lock(lock: FairLock) -> None:
    with lock.held(1), pytest.raises(LockTimeout):
        lock.held(0.05).__enter__()
    time.sleep(0.1)
    assert free(lock)


def test_an_interrupted_wait_does_not_keep_the_lock(lock: FairLock, monkeypatch: pytest.MonkeyPatch) -> None:
    wait = threading.Event.wait

    def interrupted(self: threading.Event, timeout: float | None = None) -> bool:
        if timeout is None:  # A thread that starts waits too, without an end.
            return wait(self)
        raise KeyboardInterrupt

    with lock.held(1), monkeypatch.context() as patch:
        patch.setattr(threading.Event, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lock.held(1).__enter__()
    time.sleep(0.1)
    assert free(lock)


def test_a_child_that_was_forked_meanwhile_does_not_keep_the_lock(lock: FairLock) -> None:
    with lock.held(1) as held:
        child = os.dup(held._descriptor)  # What a fork leaves in the child: another number for the same open file.
    try:
        assert free(lock)
    finally:
        os.close(child)


def test_the_lock_excludes(lock: FairLock, tmp_path: Path) -> None:
    with lock.held(1):
        assert not free(lock)
        other = os.open(tmp_path / "log.db.lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)


def test_what_is_committed_is_told_where_the_note_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:

        def full(*_: object) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
            patch.setattr(os, "pwrite", full)
            before = ledger.position
            assert ledger.remember("I like tea.", extractor=None).position > before
        assert "could not be noted" in caplog.text
        assert FairLock(folder / "log.db.lock").noted() != (ledger.position, LINK)
        ledger.remember("I like mate.", extractor=None)
        noted = FairLock(folder / "log.db.lock").noted()
        assert noted is not None
        assert noted[0] == ledger.position
        assert len(ledger.evidence()) == 2
        assert ledger.verify().clean
