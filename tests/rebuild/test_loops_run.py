"""`run`: every loop at its interval under a given clock; it stops cleanly, and one program at a time holds the lease."""

import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NoReturn

import pytest
from mechanism import BEGIN, FIVE, QUIET, World
from reasoners import Scripted, meanwhile

import affidavit
from affidavit.domain.errors import LockTimeout
from affidavit.domain.times import SECOND
from affidavit.rebuild.loops import Done, Loops

TESTS = Path(__file__).resolve().parent.parent

INTERVALS = {
    "extraction": (40, 20),
    "relations": (40, 60),
    "rebuttals": (180, 100),
    "promotion": (180, 150),
    "synthesis": (180, 200),
    "archive": (3600, 250),
    "refinement": (1800, 400),
}
"""Interval and first delay in seconds (spec/upstream.md, section 1.B)."""

HOLDER = """
import sys, time
import affidavit
with affidavit.open(sys.argv[1]) as ledger:
    with ledger.loops().lease():
        print("ready", flush=True)
        time.sleep(60)
"""


def spied(loops: Loops, world: World) -> dict[str, list[int]]:
    """Notes in seconds when each step is taken."""
    taken: dict[str, list[int]] = defaultdict(list)

    def spy(name: str) -> None:
        step = loops._steps[name]

        def noted(now: int, done: Done) -> None:
            taken[name].append((now - BEGIN) // SECOND)
            step(now, done)

        loops._steps[name] = noted

    for name in list(loops._steps):
        spy(name)
    return taken


def run(world: World, loops: Loops, seconds: int) -> Done:
    """Runs for so many seconds of the world's clock."""
    end = world.clock.now + seconds * SECOND

    def stopped(wait: float) -> bool:
        world.clock.now += round(wait * SECOND)
        return world.clock.now >= end

    return loops.run(world.clock, stopped)


@pytest.mark.parametrize("loop", INTERVALS)
def test_every_loop_is_taken_first_after_its_delay_and_then_at_its_interval(world: World, loop: str) -> None:
    loops = world.ledger.loops(Scripted())
    taken = spied(loops, world)
    run(world, loops, 8000)
    interval, first = INTERVALS[loop]
    assert taken[loop] == list(range(first, 8000, interval))


def test_what_a_pause_missed_is_not_caught_up(world: World) -> None:
    loops = world.ledger.loops(Scripted())
    taken = spied(loops, world)
    pauses = iter([1000.0])

    def stopped(wait: float) -> bool:
        world.clock.now += round((wait + next(pauses, 0.0)) * SECOND)
        return world.clock.now >= BEGIN + 1200 * SECOND

    loops.run(world.clock, stopped)
    assert taken["extraction"] == [1020, 1060, 1100, 1140, 1180]


def test_it_does_what_ticks_do_and_tells_each_step(world: World) -> None:
    world.like(*FIVE)
    loops = world.ledger.loops(Scripted(reflect=QUIET))
    told: list[Done] = []
    end = BEGIN + 300 * SECOND

    def stopped(wait: float) -> bool:
        world.clock.now += round(wait * SECOND)
        return world.clock.now >= end

    done = loops.run(world.clock, stopped, told.append)
    assert (done.read, done.failed, done.events["claim-derived"]) == (5, 0, 6)
    assert sum(one.read for one in told) == 5
    assert world.the("quiet").status == "pending"


def test_a_step_that_was_begun_is_finished_before_it_stops(world: World) -> None:
    world.like(*FIVE)
    asked: list[str] = []
    loops = world.ledger.loops(Scripted(reflect=meanwhile(lambda: asked.append("reflect"), QUIET)))

    def stopped(wait: float) -> bool:
        world.clock.now += round(wait * SECOND)
        return bool(asked)  # Told while the model thinks.

    loops.run(world.clock, stopped)
    assert world.the("quiet").status == "pending"


def test_no_answer_of_a_model_stops_the_other_loops(world: World) -> None:
    def dies(*_: object) -> NoReturn:
        raise MemoryError

    world.like(*FIVE, "tea", "tea", "tea", "tea")
    loops = world.ledger.loops(Scripted(reflect=dies, merge=dies))
    taken = spied(loops, world)
    run(world, loops, 8000)
    assert len(taken["archive"]) == 3
    assert ("dead letter", "reflect") in world.waiting()


def test_a_second_holder_of_the_lease_is_refused(world: World) -> None:
    first, second = world.ledger.loops(), world.ledger.loops()
    with first.lease():
        with pytest.raises(LockTimeout), second.lease():
            pytest.fail("two hold it")
        with pytest.raises(LockTimeout):
            world.ledger.tick(now=world.clock.now)
    with second.lease():
        pass


def test_each_scope_has_a_lease_of_its_own(world: World) -> None:
    with world.ledger.loops().lease():
        world.ledger.at("ana").open_scope("ben")
        other = world.ledger.at("ben")
        assert other.tick(now=world.clock.now).position == 0


def test_the_lease_of_a_program_that_was_killed_is_free(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    affidavit.init(folder, scope="ana").close()
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=-1, text=True, cwd=TESTS) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with affidavit.open(folder) as ledger:
            with pytest.raises(LockTimeout):
                ledger.tick()
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert ledger.tick().failed == 0
