"""Kills at random moments of the loops: the ledger ends with the same digests as in a run that nobody disturbs.

A child takes the ticks of a schedule, on a copy of one ledger and under the schedule's clock, and notes each tick that
it has finished; killed, the next child begins with the tick that was not. Natural rows are compared whole, none left out.
A second check breaks off at every commit that there is, one after the other, where the kills hit only some of them.
"""

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mechanism import MINUTE, Clock, World
from steady import Steady

import affidavit
from affidavit.domain.times import DAY
from affidavit.journal.log import Log
from affidavit.projections.active import Active
from affidavit.projections.archive import Archive
from affidavit.projections.inbox import Inbox
from affidavit.projections.prompt import Prompt
from affidavit.rebuild.loops import Loops

TESTS = Path(__file__).resolve().parent.parent
KEY = b"one key for both: 32 bytes of it"
VIEWS = (Active, Prompt, Archive, Inbox)
STEP = DAY // 4
LASTS = 24 * DAY

CHILD = """
import sys
from pathlib import Path
from acceptance.test_loop_kills import take
print("ready", flush=True)
take(Path(sys.argv[1]), int(sys.argv[2]))
print("done", flush=True)
"""


class Prepared(NamedTuple):
    """A ledger that nobody has read yet, and when its first tick is due."""

    folder: Path
    begin: int


class Outcome(NamedTuple):
    """What a run ends with: the portable digest of each view, and its natural rows."""

    digests: dict[str, str]
    rows: dict[str, list[str]]


def take(folder: Path, begin: int) -> None:
    """Takes the ticks that no child before this one has finished."""
    noted = folder / "ticks"
    clock = Clock(int(noted.read_text()) if noted.exists() else begin)
    with affidavit.open(folder, clock=clock) as ledger:
        loops = ledger.loops(Steady())
        with loops.lease():
            while clock.now <= begin + LASTS:
                loops.tick(clock.now)
                clock.now += STEP
                made = noted.with_suffix(".new")
                made.write_text(str(clock.now))
                made.rename(noted)


def outcome(folder: Path) -> Outcome:
    """Returns what a ledger holds, and checks that it is sound."""
    digests, rows = {}, {}
    with affidavit.open(folder) as ledger:
        assert ledger.verify().clean
        assert all(one.agree for one in ledger.check_views())
        with ledger.snapshot() as at:
            for view in VIEWS:
                found = at.rows(view())
                digests[view.name] = found.view_digest(at.scope, KEY)
                kinds = sorted(found.kinds(at.scope))
                rows[view.name] = sorted(f"{kind} {row.natural}" for kind in kinds for row in found.all(at.scope, kind))
    return Outcome(digests, rows)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Returns a ledger with one confirmed reflection and much talk that nobody has read."""
    # The same ids in every run of this test, since a story whose order hangs on them is another story each time.
    world = World(tmp_path_factory.mktemp("prepared") / "ledger", random=random.Random(9).randbytes)
    with world.ledger:
        world.confirmed()
        world.say("poison")
        for number in range(30):
            world.clock.now += MINUTE
            world.like(f"book{number % 4}", f"thing{number}")
        world.say(*["I live in Lisbon."] * 5)
        world.clock.now += MINUTE
        world.say("I live in Porto.", *(f"the task{number} is done" for number in range(4)), "Let's change the subject.")
        return Prepared(world.folder, world.clock.now + MINUTE)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, prepared: Prepared) -> Outcome:
    """Returns what the schedule ends with when nobody disturbs it."""
    folder = copy(prepared, tmp_path_factory.mktemp("undisturbed"))
    take(folder, prepared.begin)
    return outcome(folder)


def copy(prepared: Prepared, to: Path) -> Path:
    folder = to / "ledger"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared.folder, folder)
    return folder


def test_the_story_has_something_to_lose(undisturbed: Outcome) -> None:
    told = "\n".join(line for lines in undisturbed.rows.values() for line in lines)
    for status in ("active", "pending", "confirmed", "absorbed", "promoted", "merged", "superseded", "archived"):
        assert f"'status': '{status}'" in told, status
    for rule in ("extraction", "reflect", "summarise"):
        assert f"'rule': '{rule}'" in told, rule


def test_killed_at_random_moments_it_ends_as_if_nobody_had_disturbed_it(
    tmp_path: Path, prepared: Prepared, undisturbed: Outcome, long: bool
) -> None:
    chance, kills = random.Random(7), 0
    while kills < (50 if long else 6):
        folder = copy(prepared, tmp_path)
        while not killed(folder, prepared.begin, after=chance.random() * 0.8):
            kills += 1
        assert outcome(folder) == undisturbed
    assert kills


def killed(folder: Path, begin: int, *, after: float) -> bool:
    """Lets a child go on for so many seconds and kills it; tells whether it was done before that."""
    command = [sys.executable, "-c", CHILD, str(folder), str(begin)]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, cwd=TESTS) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        said, failed = process.communicate()
    assert "Traceback" not in failed, failed
    return "done" in said


class Killed(BaseException):
    """A kill, where the test puts it."""


def breaking(patch: pytest.MonkeyPatch, at: int) -> list[int]:
    """Lets the log die in place of its write number `at`; returns a list whose length counts the writes."""
    write = Log.write
    writes: list[int] = []

    def counted(log: Log, scope: bytes, work: Any) -> Any:
        writes.append(len(writes))
        if len(writes) == at:
            raise Killed
        return write(log, scope, work)

    patch.setattr(Log, "write", counted)
    return writes


def test_broken_off_at_any_commit_it_ends_as_if_nobody_had(
    tmp_path: Path, prepared: Prepared, undisturbed: Outcome, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        writes = breaking(patch, 0)
        take(copy(prepared, tmp_path), prepared.begin)
    assert len(writes) > 40
    chance = random.Random(8)
    for at in range(1, len(writes) + 1) if long else sorted(chance.sample(range(1, len(writes) + 1), 12)):
        folder = copy(prepared, tmp_path)
        with monkeypatch.context() as patch:
            breaking(patch, at)
            with pytest.raises(Killed):
                take(folder, prepared.begin)
        take(folder, prepared.begin)
        assert outcome(folder) == undisturbed, f"broken off at write {at}"


def test_the_comparison_sees_a_tick_that_was_left_out(
    tmp_path: Path, prepared: Prepared, undisturbed: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy(prepared, tmp_path)
    monkeypatch.setattr(Loops, "_sweep", lambda *_: None)
    take(folder, prepared.begin)
    assert outcome(folder).digests["active"] != undisturbed.digests["active"]
