"""kill -9 at random moments of an import, an extraction, a rebuild, a backup, and of writers at once."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import affidavit
from affidavit.domain.errors import UsageError

TESTS = Path(__file__).resolve().parent.parent
LINES = 30

OPENED = """
import json, sys
import affidavit
from affidavit.journal import verbs
folder, argument = sys.argv[1:3]
verbs.GROUP = 3
"""
IMPORT = (
    OPENED
    + """
def told(what, count):
    if "recorded" in what:
        print(count, flush=True)
with affidavit.open(folder) as ledger:
    print("ready", flush=True)
    ledger.import_file(argument, progress=told)
print("done", flush=True)
"""
)
EXTRACT = (
    OPENED
    + """
with affidavit.open(folder) as ledger:
    _ = ledger.log
    print("ready", flush=True)
    ledger.extract("rules", progress=lambda count: print(ledger.position, flush=True))
print("done", flush=True)
"""
)
REBUILD = (
    OPENED
    + """
with affidavit.open(folder) as ledger:
    print("ready", flush=True)
    while True:
        ledger.rebuild()
        print("rebuilt", flush=True)
"""
)
BACK_UP = (
    OPENED
    + """
with affidavit.open(folder) as ledger:
    print("ready", flush=True)
    for number in range(10**6):
        print(number, ledger.back_up(f"{argument}/{number}").position, flush=True)
"""
)
WRITE = (
    OPENED
    + """
with affidavit.open(folder) as ledger:
    _ = ledger.log
    print("ready", flush=True)
    for number in range(10**6):
        ledger.remember({"id": f"{argument}-{number}", "text": f"I like tea{number}."}, extractor=None)
        print(f"{argument}-{number}", flush=True)
"""
)


def started(program: str, folder: Path, argument: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(folder), argument], stdout=-1, stderr=-1, text=True, cwd=TESTS
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def killed(process: subprocess.Popen[str]) -> list[str]:
    """Kills a process, unless it is done, and returns the lines that it had printed whole."""
    process.send_signal(signal.SIGKILL)
    said, failed = process.communicate()
    assert failed == ""
    return [line.strip() for line in said.splitlines(keepends=True) if line.endswith("\n")]


@pytest.fixture(scope="module")
def rounds(long: bool) -> int:
    """The kills of each kind: 250 in all at full numbers."""
    return 50 if long else 3


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    with path.open("w") as out:
        for n in range(LINES):
            text = f"I like tea{n}. I live in Town{n}."
            out.write(json.dumps({"id": f"m{n}", "role": "user", "time": "2026-01-01T00:00:00Z", "text": text}) + "\n")
    return path


@pytest.fixture
def recorded(tmp_path: Path, chat: Path) -> Path:
    """Returns a ledger whose messages nobody has read yet."""
    with affidavit.init(tmp_path / "recorded", scope="ana") as ledger:
        ledger.import_file(chat, extractor=None)
    return tmp_path / "recorded"


def duration(program: str, folder: Path, argument: str) -> float:
    """Returns how long a run takes that nobody kills."""
    process = started(program, folder, argument)
    begun = time.monotonic()
    said, failed = process.communicate()
    assert (process.returncode, failed, said.splitlines()[-1]) == (0, "", "done")
    return time.monotonic() - begun


def test_a_killed_import_keeps_what_it_told_and_is_completed_by_the_next(tmp_path: Path, chat: Path, rounds: int) -> None:
    with affidavit.init(tmp_path / "empty", scope="ana"):
        pass
    shutil.copytree(tmp_path / "empty", tmp_path / "whole")
    lasts = duration(IMPORT, tmp_path / "whole", str(chat))
    with affidavit.open(tmp_path / "whole") as ledger:
        expected = sorted(claim.text for claim in ledger.claims(every=True))
    assert len(expected) >= LINES
    chance, cut_short = random.Random(1), 0
    for number in range(rounds):
        folder = tmp_path / f"import {number}"
        shutil.copytree(tmp_path / "empty", folder)
        process = started(IMPORT, folder, str(chat))
        time.sleep(chance.random() * lasts)
        said = killed(process)
        cut_short += "done" not in said
        told = max([int(line) for line in said if line != "done"], default=0)
        with affidavit.open(folder) as ledger:
            assert ledger.verify().clean
            assert {f"m{n}" for n in range(told)} <= {item.message for item in ledger.evidence()}
            (imported,) = ledger.import_file(chat)
            assert imported.recorded + imported.known == LINES
            assert imported.known >= told
            assert sorted(claim.text for claim in ledger.claims(every=True)) == expected
            assert len(ledger.evidence()) == LINES
            before = ledger.position
            ledger.import_file(chat)
            assert ledger.position == before
            assert ledger.verify().clean
        shutil.rmtree(folder)
    assert cut_short > 0


def test_a_killed_extraction_keeps_what_it_told_and_is_completed_by_the_next(
    tmp_path: Path, recorded: Path, rounds: int
) -> None:
    shutil.copytree(recorded, tmp_path / "whole")
    lasts = duration(EXTRACT, tmp_path / "whole", "")
    with affidavit.open(tmp_path / "whole") as ledger:
        expected = sorted(claim.text for claim in ledger.claims(every=True))
    chance, cut_short = random.Random(2), 0
    for number in range(rounds):
        folder = tmp_path / f"extract {number}"
        shutil.copytree(recorded, folder)
        process = started(EXTRACT, folder, "")
        time.sleep(chance.random() * lasts)
        said = killed(process)
        cut_short += "done" not in said
        told = max([int(line) for line in said if line != "done"], default=0)
        with affidavit.open(folder) as ledger:
            assert ledger.verify().clean
            assert ledger.position >= told
            ledger.extract("rules")
            assert sorted(claim.text for claim in ledger.claims(every=True)) == expected
            assert ledger.verify().clean
            assert all(one.agree for one in ledger.check_views())
        shutil.rmtree(folder)
    assert cut_short > 0


def test_a_killed_rebuild_leaves_the_old_view_or_the_new_one(tmp_path: Path, recorded: Path, rounds: int) -> None:
    with affidavit.open(recorded) as ledger:
        ledger.extract("rules")
        expected = ledger.claims(now="2030-01-01")
    chance = random.Random(3)
    for _ in range(rounds):
        process = started(REBUILD, recorded, "")
        time.sleep(chance.random())
        killed(process)
        with affidavit.open(recorded) as ledger:
            assert ledger.claims(now="2030-01-01") == expected
            assert all(one.agree for one in ledger.check_views())
            assert ledger.verify().clean
    with affidavit.open(recorded) as ledger:
        ledger.rebuild()
    assert len(list((recorded / "views").glob("*.db"))) == len(list((recorded / "views").glob("*.current")))


def test_a_killed_backup_is_none_and_those_before_it_are_whole(tmp_path: Path, recorded: Path, rounds: int) -> None:
    chance, cut_short = random.Random(5), 0
    for number in range(rounds):
        writer, copier = started(WRITE, recorded, f"w{number}"), started(BACK_UP, recorded, str(tmp_path / f"to {number}"))
        time.sleep(0.05 + chance.random() / 4)
        told = dict(line.split() for line in killed(copier))
        written = killed(writer)
        with affidavit.open(recorded) as ledger:
            assert ledger.verify().clean
            assert set(written) <= {item.message for item in ledger.evidence()}
        for made in sorted((tmp_path / f"to {number}").iterdir()):
            restored = tmp_path / "restored"
            if made.name in told:
                assert affidavit.restore(made, restored).position == int(told[made.name])
                with affidavit.open(restored) as ledger:
                    assert ledger.verify().clean
                shutil.rmtree(restored)
            else:
                cut_short += 1
                try:
                    affidavit.restore(made, restored)  # It was killed after its last byte, and before it could tell.
                    shutil.rmtree(restored)
                except UsageError as error:
                    assert "there is no backup" in str(error)
                    assert not restored.exists()
        shutil.rmtree(tmp_path / f"to {number}")
    assert cut_short > 0


def test_killed_writers_lose_nothing_that_they_told_and_hold_up_nobody(tmp_path: Path, rounds: int) -> None:
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana"):
        pass
    chance = random.Random(4)
    told: set[str] = set()
    for number in range(rounds):
        writers = [started(WRITE, folder, f"{number}-{name}") for name in "abc"]
        for at, writer in enumerate(writers):
            time.sleep(chance.random() / 3)
            told |= set(killed(writer))
            if at == 0:
                # The two that live on are not held up by the one that died, perhaps with the lock in its hand.
                with affidavit.open(folder) as ledger:
                    before = ledger.position
                    time.sleep(0.3)
                    assert ledger.position > before
        with affidavit.open(folder) as ledger:
            assert ledger.verify().clean
            assert told <= {item.message for item in ledger.evidence()}
            taken = [step["position"] for step in ledger.timeline()]
            assert taken == list(range(1, ledger.position + 1))
    assert len(told) > 3 * rounds


def test_the_check_would_see_a_message_that_was_told_and_not_kept(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana"):
        pass
    process = started(WRITE.replace("ledger.remember(", "dict(message="), folder, "liar")
    time.sleep(0.2)
    told = set(killed(process))
    with affidavit.open(folder) as ledger:
        assert told
        assert not told <= {item.message for item in ledger.evidence()}
