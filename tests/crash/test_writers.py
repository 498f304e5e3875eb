"""Several processes write at once: none meets an error, none starves, nothing is lost or doubled, positions are dense."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import affidavit

TESTS = Path(__file__).resolve().parent.parent

WRITER = """
import json, sys, time
import affidavit
from affidavit.domain.messages import Message
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with affidavit.open(folder) as ledger:
    now = time.time_ns() // 1000
    message = lambda number: Message(id=f"{name}-{number}", role="user", text=f"I like tea{number}.", at=now)
    list(ledger.record([message(0)]))
    print("ready", flush=True)
    time.sleep(max(0, float(sys.stdin.readline()) - time.time()))
    positions = [one.receipt.position for number in range(1, count) for one in ledger.record([message(number)])]
print(json.dumps(positions))
"""


def test_many_writers_share_fairly(tmp_path: Path, long: bool) -> None:
    processes, count = (8, 2000) if long else (4, 100)
    folder = tmp_path / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        first = ledger.position

    command = [sys.executable, "-c", WRITER, str(folder)]
    running = [
        subprocess.Popen([*command, f"w{number}", str(count)], stdin=-1, stdout=-1, stderr=-1, text=True, cwd=TESTS)
        for number in range(processes)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    together = time.time() + 0.3
    for process in running:
        assert process.stdin is not None
        process.stdin.write(f"{together}\n")
        process.stdin.flush()
    said = [process.communicate() for process in running]
    assert [(process.returncode, told[1]) for process, told in zip(running, said, strict=True)] == [(0, "")] * processes
    positions = [json.loads(told[0]) for told in said]

    # All run from the last one's first event to the first one's last: there none has much more than another.
    start, stop = max(one[0] for one in positions), min(one[-1] for one in positions)
    shares = [sum(start <= position <= stop for position in one) for one in positions]
    print(f"{processes} processes, {count} events each; while all ran: {sorted(shares)}")
    assert min(shares) > count // 4
    # A short run is at the mercy of the scheduler, so there the bound is wider.
    assert max(shares) <= (1.5 if long else 3) * min(shares)

    with affidavit.open(folder) as ledger:
        assert ledger.verify().clean
        taken = Counter(step["position"] for step in ledger.timeline())
        assert taken == Counter(range(1, ledger.position + 1))
        assert {position for one in positions for position in one} <= set(taken)
        messages = Counter(item.message for item in ledger.evidence())
        assert messages == Counter(f"w{process}-{number}" for process in range(processes) for number in range(count))
        assert ledger.position > first + processes * count - 1


def test_the_measure_would_see_a_writer_that_starves() -> None:
    greedy, starved = list(range(1, 100)), [1, 50, 99]
    start, stop = max(greedy[0], starved[0]), min(greedy[-1], starved[-1])
    shares = [sum(start <= position <= stop for position in one) for one in (greedy, starved)]
    assert max(shares) > 1.5 * min(shares)
