"""A disk that is really full: refused with StorageFull, all that was acknowledged is there, and it goes on after."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from crash import work

import affidavit
from affidavit.domain.errors import StorageFull

SIZE = 8 * 1024 * 1024


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Returns a file system of 8 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        reason = done.stderr.strip() if done.returncode else ""
    except FileNotFoundError as error:
        reason = str(error)
    if reason:
        reason = f"a small file system is needed and could not be mounted ({reason}); run the tests as root"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def remember(ledger: affidavit.Ledger, name: str) -> None:
    ledger.remember({"id": name, "text": f"I like {name}. " + "So it was. " * 40}, extractor=None)


def test_a_full_disk_is_told_and_nothing_is_lost(small: Path) -> None:
    ballast = small / "ballast"
    ballast.write_bytes(bytes(1536 * 1024))
    folder = small / "ledger"
    acknowledged = 0
    with affidavit.init(folder, scope="ana") as ledger:
        promise = work.promised(ledger)
        with pytest.raises(StorageFull) as refused:
            for number in range(10_000):
                remember(ledger, f"tea{number}")
                promise = work.promised(ledger)
                acknowledged = number + 1
        assert refused.value.exit_code == 4
        assert acknowledged > 20

        # Refused again and again, and told the same way on the command line.
        for attempt in range(3):
            with pytest.raises(StorageFull):
                ledger.remember({"id": f"again{attempt}", "text": "Again. " * 5_000}, extractor=None)
        assert ledger.position == promise.position
        assert command(folder, "remember", "--no-extract", "Once more. " * 5_000) == 4

        ballast.unlink()
        remember(ledger, "coffee")
        assert {item.message for item in ledger.evidence()} == {f"tea{n}" for n in range(acknowledged)} | {"coffee"}
        promise = work.promised(ledger)
    assert work.faults(folder, promise, more=True) == []


def test_a_view_that_finds_no_room_is_told_as_such(small: Path) -> None:
    folder = small / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        ledger.remember([{"id": str(number), "text": f"I like tea{number}."} for number in range(50)])
        expected = ledger.claims(now=work.NOW)
        for path in (folder / "views").iterdir():
            path.unlink()
        ballast = small / "ballast"
        fill(ballast)
        with pytest.raises(StorageFull):
            ledger.claims(now=work.NOW)
        ballast.unlink()
        assert ledger.claims(now=work.NOW) == expected


def fill(ballast: Path) -> None:
    """Takes all the room there is."""
    with ballast.open("wb", buffering=0) as out:
        try:
            while True:
                out.write(bytes(4096))
        except OSError:
            pass


def command(folder: Path, *arguments: str) -> int:
    line = [sys.executable, "-m", "affidavit", arguments[0], "--ledger", str(folder), *arguments[1:]]
    return subprocess.run(line, capture_output=True, text=True, check=False).returncode
