"""Appending: prepared records, whole commands, many processes, bulk import, and a large file against a fresh one."""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from affidavit.domain import corrections
from affidavit.domain.corrections import Correct
from affidavit.domain.messages import Message
from affidavit.journal import encoding, records, verbs
from affidavit.journal.log import Log, Transaction
from affidavit.journal.records import Given
from affidavit.scripts.benchmarks.measure import Section, cpu, middle
from affidavit.scripts.benchmarks.references import Frozen, Library, Plain, frozen_fields, texts
from affidavit.scripts.benchmarks.synthetic import ACTOR, BEGIN, STEP, Maker, Prepared, append, create
from affidavit.scripts.benchmarks.workspace import Workspace
from affidavit.scripts.bootstrap import Store, store
from affidavit.scripts.ledger import Ledger, init

PROCESSES = 8
_SINGLE = 300
"""How many transactions of one record are timed at full size."""


def prepared(maker: Maker, number: int) -> list[Prepared]:
    """Returns so many ready, sealed records over a fifth as many claims, neighbours in time far apart."""
    claims = max(1, number // 5)
    return [maker.sealed_record(at * 7919 % claims, at // claims + 1) for at in range(number)]


def append_section(work: Workspace) -> Section:
    """Measures appending at 1, 100 and 1,000 records a transaction, whole commands, and 8 processes."""
    section = Section("append", "CPU a record, one writer unless it says otherwise; durable commits")
    for group in (1000, 100, 1):
        _prepared_at(section, work, group)
    _commands(section, work)
    _processes(section, work)
    section.notes.append(
        "`raw` is `sqlite3` inserting the same bytes into one plain table with the same pragmas and the indexes that any "
        "event table has; `library` is a frozen pydantic event through the eventsourcing library's own SQLite recorder, "
        "with `model_dump` and msgpack: of ready events (`put`), and with the validation that makes them."
    )
    return section


def _prepared_at(section: Section, work: Workspace, group: int) -> None:
    number = work.size.of(20_000, 1_000) if group > 1 else work.size.of(_SINGLE, 20)
    runs = [_prepared_once(work.folder, number, group) for _ in range(work.size.runs)]
    ours, raw, put, whole = (list(figures) for figures in zip(*runs, strict=True))
    name = f"prepared records, {group:,} a transaction"
    at_thousand = group == 1000
    section.cost(f"{name}, against raw", middle(ours), middle(raw), target=4 if at_thousand else None)
    section.cost(f"{name}, against library put", middle(ours), middle(put), target=1.25 if at_thousand else None)
    section.cost(f"{name}, against library with validation", middle(ours), middle(whole))


def _prepared_once(parent: Path, number: int, group: int) -> tuple[float, float, float, float]:
    """Returns the CPU seconds a record: ours, raw, and the library's without and with validation; one after the other."""
    with tempfile.TemporaryDirectory(dir=parent) as made:
        folder = Path(made)
        opened, (maker,) = create(folder / "ledger", "main")
        maker.keys_for(number)
        given = prepared(maker, number)
        opened.vault.keys.commit()
        fields = [frozen_fields(encoding.decode(one.given.body), "x" * 120) for one in given]
        events = [Frozen(**one) for one in fields]
        plain, put, whole = Plain(folder / "plain.db", opened), Library(folder / "put.db"), Library(folder / "whole.db")
        figures = (
            _timed(number, group, _appender(opened, given)),
            _timed(number, group, _plain(plain, given)),
            _timed(number, group, lambda first, last: put.put(events[first:last])),
            _timed(number, group, lambda first, last: whole.put([Frozen(**one) for one in fields[first:last]])),
        )
        for file in (plain, put, whole, opened.datastore):
            file.close()
        return figures


def _appender(opened: Store, given: Sequence[Prepared]) -> Callable[[int, int], None]:
    def work(first: int, last: int) -> None:
        append(opened, list(given[first:last]), indexed=False)

    return work


def _plain(plain: Plain, given: Sequence[Prepared]) -> Callable[[int, int], None]:
    def work(first: int, last: int) -> None:
        plain.append([one.given for one in given[first:last]])

    return work


def _timed(number: int, group: int, work: Callable[[int, int], object]) -> float:
    """Returns the CPU seconds a record of appending `number` records, `group` at a time."""

    def run() -> None:
        for first in range(0, number, group):
            work(first, min(first + group, number))

    return cpu(run) / number


# -- whole commands ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cost:
    """The CPU seconds a command and a record, and the plain inserts' for the same records."""

    command: float
    record: float
    plain: float


def _commands(section: Section, work: Workspace) -> None:
    number = work.size.of(4_000, 200)
    few = work.size.of(_SINGLE, 15)
    for name, run in (("record a message", _record), ("correct a claim", _correct)):
        for group, total, target in ((100, number, 10.0), (1, few, 3.5)):
            costs = [run(work.folder, total, group) for _ in range(work.size.runs)]
            ours, plain = middle([one.record for one in costs]), middle([one.plain for one in costs])
            where = "alone" if group == 1 else f"{group} a commit"
            section.cost(f"command: {name}, {where}, against raw, a record", ours, plain, target=target)
            section.figure(f"command: {name}, {where}, a command", f"{middle([one.command for one in costs]) * 1e6:,.1f} us")


def messages(number: int, session: str = "bench") -> list[Message]:
    """Returns so many messages, fifty to a session."""
    return [
        Message(id=f"{session}-{at}", role="user", text=text, at=BEGIN + at * STEP, session=f"{session}-{at // 50}")
        for at, text in enumerate(texts(number))
    ]


def _record(parent: Path, number: int, group: int) -> Cost:
    given = messages(number)

    def run(log: Log, scope: bytes) -> int:
        for first in range(0, number, group):
            for _ in verbs.record(log, scope, given[first : first + group], ACTOR):
                pass
        return number

    return _whole(parent, lambda _log, _scope: None, run, group)


def _correct(parent: Path, number: int, group: int) -> Cost:
    """Measures corrections of asserted claims: each loads its claim, and writes what is right and what is rejected."""
    claims: list[bytes] = []

    def ready(log: Log, scope: bytes) -> None:
        for one in list(verbs.record(log, scope, messages(number), ACTOR)):
            receipt = verbs.assert_claim(log, scope, one, ACTOR)
            claims.append(receipt.events[0].stream)

    def run(log: Log, scope: bytes) -> int:
        for first in range(0, number, group):
            some = claims[first : first + group]
            if group == 1:
                verbs.correct(log, scope, some[0], f"User has corrected number {first}.", ACTOR)
            else:
                log.write(scope, lambda tx, some=some, first=first: _correct_all(tx, some, first))  # type: ignore[misc]
        return number

    return _whole(parent, ready, run, group)


def _correct_all(tx: Transaction, claims: Sequence[bytes], first: int) -> None:
    """Does for many claims in one commit what `verbs.correct` does for one."""
    for at, claim in enumerate(claims, first):
        state = tx.claim(claim)
        assert state is not None
        command = Correct(
            actor=ACTOR,
            at=tx.log.clock(),
            new_id=tx.log.new_id,
            scope=tx.scope,
            claim=claim,
            namespace=tx.name_of(state.namespace),
            text=f"User has corrected number {at}.",
        )
        tx.transact(command, lambda command=command, state=state: corrections.correct(command, state, tx))  # type: ignore[misc]


def _whole(parent: Path, ready: Callable[[Log, bytes], None], run: Callable[[Log, bytes], int], group: int) -> Cost:
    """Times commands on a fresh ledger, then plain inserts of the very records that they wrote, as many a commit."""
    with tempfile.TemporaryDirectory(dir=parent) as made:
        folder = Path(made)
        opened, _ = create(folder / "ledger", "main")
        log = opened.log()
        with opened.datastore.read() as connection:
            (scope,) = connection.execute("SELECT name FROM scopes WHERE opened > 0").fetchone()
        ready(log, scope)
        with opened.datastore.read() as connection:
            before = records.head(connection).position
        done: list[int] = []
        spent = cpu(lambda: done.append(run(log, scope)))
        given = written(opened, before)
        each = len(given) // done[0]
        plain = Plain(folder / "plain.db", opened)
        for_plain = _timed(len(given), group * each, lambda first, last: plain.append(given[first:last]))
        plain.close()
        opened.datastore.close()
        return Cost(spent / done[0], spent / len(given), for_plain)


def written(opened: Store, after: int) -> list[Given]:
    """Returns what a ledger holds after a position, as it would be given to an append."""
    with opened.datastore.read() as connection:
        rows = connection.execute(
            "SELECT s.name, r.version, r.event_id, r.type, r.body, b.content FROM records r "
            "JOIN streams s ON s.id = r.stream LEFT JOIN blobs b ON b.position = r.position "
            "WHERE r.position > ? ORDER BY r.position",
            (after,),
        )
        return [Given(row[0], "", b"", *row[1:]) for row in rows]


# -- many processes ----------------------------------------------------------------------------------------------------


def _processes(section: Section, work: Workspace) -> None:
    number = work.size.of(250, 5)
    with tempfile.TemporaryDirectory(dir=work.folder) as made:
        folder = Path(made)
        _close(create(folder / "ledger", "main")[0])
        alone = _contend(1, _commands_of_one, folder / "ledger", number)
        ours = _contend(PROCESSES, _commands_of_one, folder / "ledger", number)
        opened = store(folder / "ledger")
        given = written(opened, 0)
        Plain(folder / "plain.db", opened).close()
        _close(opened)
        raw = _contend(PROCESSES, _plain_of_one, folder / "plain.db", number, folder / "ledger", given[-1])
    section.cost(
        f"{PROCESSES} processes, {number} commands each, alone in their commits, against raw",
        middle([one.cpu for one in ours]) / number,
        middle([one.cpu for one in raw]) / number,
    )
    section.cost(
        "the same, against one process alone",
        middle([one.cpu for one in ours]) / number,
        alone[0].cpu / number,
    )
    slowest, fastest = max(one.wall for one in ours), min(one.wall for one in ours)
    section.cost("the same, slowest process against fastest, wall", slowest, fastest, unit="s", target=1.5)


@dataclass(frozen=True, slots=True)
class Spent:
    """What one of several processes spent, in seconds."""

    cpu: float
    wall: float


def _close(opened: Store) -> None:
    """Closes a ledger's files: a process that is forked must not inherit them."""
    opened.datastore.close()
    opened.vault.keys.close()


def _contend(processes: int, work: Callable[..., None], *args: Any) -> list[Spent]:
    """Runs the same work in several processes at once, which begin together; returns what each spent on it."""
    context = get_context("fork")
    barrier, results = context.Barrier(processes), context.SimpleQueue()
    started = [context.Process(target=_contender, args=(barrier, results, at, work, args)) for at in range(processes)]
    for one in started:
        one.start()
    found = [results.get() for _ in started]
    for one in started:
        one.join()
        if one.exitcode:
            msg = f"a process ended with {one.exitcode}"
            raise RuntimeError(msg)
    return found


def _contender(barrier: Any, results: Any, at: int, work: Callable[..., None], args: tuple[Any, ...]) -> None:
    spent: list[Spent] = []

    def timed(run: Callable[[], None]) -> None:
        barrier.wait()
        begin, wall = time.process_time(), time.perf_counter()
        run()
        spent.append(Spent(time.process_time() - begin, time.perf_counter() - wall))

    try:
        work(timed, at, *args)
    finally:
        results.put(spent[0] if spent else Spent(0, 0))


def _commands_of_one(timed: Callable[[Callable[[], None]], None], at: int, folder: Path, number: int) -> None:
    opened = store(folder)
    log = opened.log()
    with opened.datastore.read() as connection:
        (scope,) = connection.execute("SELECT name FROM scopes WHERE opened > 0").fetchone()
    given = messages(number, f"{os.getpid()}-{at}")

    def run() -> None:
        for message in given:
            list(verbs.record(log, scope, [message], ACTOR))

    timed(run)
    opened.datastore.close()


def _plain_of_one(
    timed: Callable[[Callable[[], None]], None], at: int, path: Path, number: int, folder: Path, like: Given
) -> None:
    opened = store(folder)
    plain = Plain(path, opened)
    numbers = count()

    def run() -> None:
        for _ in range(number):
            one = f"{at} {next(numbers)}".encode().rjust(16)
            plain.append([like._replace(stream=one, event_id=one, version=1)])

    timed(run)
    plain.close()
    opened.datastore.close()


# -- import and locality -----------------------------------------------------------------------------------------------


def import_section(work: Workspace) -> Section:
    """Measures messages recorded in bulk, and what they take on disk."""
    section = Section("import", "messages recorded in bulk, without extraction")
    number = work.size.of(20_000, 500)
    given = messages(number)
    spent, sizes = [], []
    for _ in range(work.size.runs):
        with tempfile.TemporaryDirectory(dir=work.folder) as made, init(Path(made) / "ledger", scope="main") as ledger:
            spent.append(cpu(lambda ledger=ledger: [None for _ in ledger.record(given)]) / number)  # type: ignore[misc]
            ledger.close()
            sizes.append(_bytes(Path(made) / "ledger"))
    section.rate("messages recorded, a CPU-second", 1 / middle(spent), unit="messages", target=5000)
    text = sum(len(message.text.encode()) for message in given)
    section.most("on disk, a thousand turns", sizes[0] / number / 1000, unit="MB")
    section.figure("on disk, times the texts' own bytes", f"{sizes[0] / text:.1f}x")
    lines = [_file_import(work, number) for _ in range(work.size.runs)]
    section.rate("imported from a JSONL file, a CPU-second", 1 / middle(lines), unit="messages")
    section.rate(
        "recorded a second time, which adds nothing, a CPU-second", 1 / _second_import(work, given), unit="messages"
    )
    return section


def _file_import(work: Workspace, number: int) -> float:
    with tempfile.TemporaryDirectory(dir=work.folder) as made:
        path = Path(made) / "chat.jsonl"
        with path.open("w", encoding="utf-8") as out:
            for at, text in enumerate(texts(number)):
                out.write(f'{{"id": "m{at}", "role": "user", "time": "2026-01-01T10:00:00Z", "text": "{text}"}}\n')
        with init(Path(made) / "ledger", scope="main") as ledger:
            return cpu(lambda: ledger.import_file(path, extractor=None)) / number


def _second_import(work: Workspace, given: list[Message]) -> float:
    with tempfile.TemporaryDirectory(dir=work.folder) as made, init(Path(made) / "ledger", scope="main") as ledger:
        _all(ledger, given)
        return cpu(lambda: _all(ledger, given)) / len(given)


def _all(ledger: Ledger, given: list[Message]) -> None:
    for _ in ledger.record(given):
        pass


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def locality_section(work: Workspace) -> Section:
    """Measures appending to a large log against appending to a fresh one."""
    section = Section("locality", "one more event for claims in no order, 1,000 a transaction, at the end of a large log")
    made = work.many_events()
    large = made.built
    fresh = work.ledger("fresh", min(made.claims, 1000), 5).built
    name = f"at {large.position:,} records against {fresh.position:,}"
    section.cost(f"append and commit, {name}", large.append, fresh.append, target=2.5)
    section.cost(f"with index and receipts, {name}", large.whole, fresh.whole)
    return section
