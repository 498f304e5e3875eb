"""A kill at any moment leaves a valid ledger and valid views, and loses nothing that was acknowledged."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from extractors import Plain

import affidavit

TESTS = Path(__file__).resolve().parent.parent

REBUILD_FOR_EVER = """
import sys
import affidavit
with affidavit.open(sys.argv[1]) as ledger:
    print("ready", flush=True)
    while True:
        ledger.rebuild()
        ledger.claims()
"""

REMEMBER_FOR_EVER = """
import sys
import affidavit
from extractors import Plain
with affidavit.open(sys.argv[1]) as ledger:
    ledger.remember("Good morning!", extractor=Plain())
    print("ready", flush=True)
    for number in range(10**6):
        name = f"{sys.argv[2]}-{number}"
        done = ledger.remember({"id": name, "text": f"I like tea{number}."}, extractor=Plain())
        print(name, done.position, flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember([{"id": str(number), "text": f"I like tea{number}."} for number in range(40)], extractor=Plain())
    return tmp_path / "ledger"


def killed(program: str, *arguments: str, after: float) -> list[str]:
    """Runs a program, kills it some seconds after it is ready, and returns the lines it had printed whole."""
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=TESTS) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        said = process.stdout.read()
    return [line for line in said.splitlines(keepends=True) if line.endswith("\n")]


def test_a_kill_of_a_rebuild_leaves_a_valid_view(folder: Path, long: bool) -> None:
    with affidavit.open(folder) as ledger:
        expected = ledger.claims(now="2030-01-01")
    chance = random.Random(1)
    for _ in range(100 if long else 12):
        killed(REBUILD_FOR_EVER, str(folder), after=chance.random() / 10)
        with affidavit.open(folder) as ledger:
            assert ledger.claims(now="2030-01-01") == expected
            assert all(one.agree for one in ledger.check_views())


def test_a_kill_while_remembering_loses_nothing_acknowledged(folder: Path, long: bool) -> None:
    chance = random.Random(2)
    acknowledged: set[str] = set()
    for run in range(100 if long else 12):
        said = killed(REMEMBER_FOR_EVER, str(folder), str(run), after=chance.random() / 5)
        acknowledged |= {line.split()[0] for line in said}
        with affidavit.open(folder) as ledger:
            assert ledger.verify().clean
            assert acknowledged <= {item.message for item in ledger.evidence()}
    assert len(acknowledged) > 10
    with affidavit.open(folder) as ledger:
        ledger.extract(Plain())
        known = {item.message for item in ledger.evidence() if item.claims}
        assert acknowledged <= known
