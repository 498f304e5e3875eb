"""The demo plays through, tells only what is so, and leaves nothing behind; where the journey breaks, it says so."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.cells import cell_len

import affidavit
from affidavit.domain.proposals import ExtractorId, Passage, Proposal
from affidavit.scripts import bootstrap, demo


class Silent:
    """An extractor that finds nothing, as one that got much worse would."""

    identity = ExtractorId("silent", "1", "none")

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        return ()


@dataclass(frozen=True, slots=True)
class Played:
    """What a play of the demo printed, and where its temporary files were."""

    code: int
    out: str
    err: str
    folder: Path
    keys: Path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """One play, as scripts/demo starts it, beside the keys of another ledger."""
    folder, keys = tmp_path_factory.mktemp("demo"), tmp_path_factory.mktemp("other") / "keys.db"
    environment = os.environ | {
        "TMPDIR": str(folder),
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
        bootstrap.KEYS_VARIABLE: str(keys),
    }
    command = [sys.executable, "-P", "-m", "affidavit.scripts.demo"]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    return Played(done.returncode, done.stdout, done.stderr, folder, keys)


def test_the_journey_holds_and_every_step_is_told(played: Played) -> None:
    assert played.err == ""
    assert played.code == 0
    numbers = [int(line[:2]) for line in played.out.splitlines() if line[:2].strip().isdecimal()]
    assert numbers == [*range(1, len(demo.STEPS) + 1)]


@pytest.mark.parametrize(
    "fact",
    [
        "User lives in Porto.",
        "»I like jasmine tea«",
        "»我对花生过敏«",
        "superseded by",
        "corrected by lin (user)",
        "refused",
        "then   - User's birthday is 6 May.",
        "now    - User's birthday is 9 May.",
        "edited: position",
    ],
)
def test_it_tells(played: Played, fact: str) -> None:
    assert fact in played.out


def test_it_is_plain_text_no_wider_than_a_hundred_columns(played: Played) -> None:
    lines = played.out.splitlines()
    assert "\x1b" not in played.out
    assert max(map(cell_len, lines)) <= demo.WIDTH
    assert [line for line in lines if line.endswith(" ")] == []


def test_it_leaves_nothing_behind_and_the_keys_of_other_ledgers_alone(played: Played) -> None:
    assert list(played.folder.iterdir()) == []
    assert not played.keys.exists()


@pytest.mark.parametrize("year", [2001, 2040])
def test_it_holds_whatever_the_clock_says_and_can_be_kept(
    year: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: (year - 1970) * 31_557_600 * 10**9)
    kept = tmp_path / "kept"
    code = demo.main(["--keep", str(kept)])
    assert capsys.readouterr().err == ""
    assert code == 0
    with affidavit.open(kept) as ledger:
        assert demo.CORRECTED in [claim.text for claim in ledger.claims()]
        assert ledger.verify().clean


def test_a_folder_that_exists_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        demo.main(["--keep", str(tmp_path)])
    assert ended.value.code == 2
    assert "exists already" in capsys.readouterr().err


def test_a_journey_that_breaks_is_said_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(bootstrap, "extractor", lambda _: Silent())
    assert demo.main([]) == 1
    assert capsys.readouterr().err == "\nThe demo did not hold: no claim was derived\n"
    assert list(tmp_path.iterdir()) == []
