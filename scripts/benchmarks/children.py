"""What is measured in a process of its own, so that its memory is its own. No pydantic is loaded unless what is measured is.

Each function opens a ledger that was built before, does one thing, and returns what that took.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from affidavit.journal.reading import Reader
from affidavit.projections.views import Projection
from affidavit.scripts import bootstrap
from affidavit.scripts.benchmarks.measure import cpu, memory, middle
from affidavit.scripts.ledger import open_ledger


@dataclass(frozen=True, slots=True)
class Spent:
    """What a piece of work took: CPU seconds, peak memory in MB, and how many things it went through."""

    cpu: float
    memory: float
    count: int


def rebuild(folder: Path, name: str) -> Spent:
    """Builds a view anew into its file."""
    opened = bootstrap.store(folder)
    kind = _kind(name)
    with opened.datastore.read() as connection:
        reader = Reader(connection, opened.vault)
        spent = cpu(lambda: opened.views.rebuild(kind, reader))
        return Spent(spent, memory(), reader.head().position)


def fold_every(folder: Path) -> Spent:
    """Reads every event and keeps the last of each stream: what a view that needs all of them begins with."""
    opened = bootstrap.store(folder)
    with opened.datastore.read() as connection:
        reader = Reader(connection, opened.vault)
        last: dict[int, Any] = {}

        def fold() -> None:
            for entry in reader.entries():
                last[entry.record.stream] = entry.fields

        spent = cpu(fold)
        return Spent(spent, memory(), reader.head().position)


def fold_naively(folder: Path, most: int) -> Spent:
    """Folds events as the library's documents do."""
    from affidavit.scripts.benchmarks.references import naive_fold  # noqa: PLC0415 - views load no pydantic

    opened = bootstrap.store(folder)
    found: list[tuple[int, int]] = []
    spent = cpu(lambda: found.append(naive_fold(opened, most)))
    return Spent(spent, memory(), found[0][0])


def _kind(name: str) -> Projection:
    return next(kind for kind in bootstrap.PROJECTIONS if kind.name == name)()


def build_as_of(folder: Path, parts: Sequence[float], runs: int) -> dict[str, dict[float, float]]:
    """Returns the CPU seconds of building each view as of each part of the log; keys and pages are warm."""
    opened = bootstrap.store(folder)
    opened.vault.keys.load_all()
    with opened.datastore.read() as connection:
        reader = Reader(connection, opened.vault)
        head = reader.head().position

        def build(kind: Projection, part: float) -> None:
            with opened.views.as_of(kind, reader, max(1, int(head * part))):
                pass

        found: dict[str, dict[float, float]] = {}
        for kind in (made() for made in bootstrap.PROJECTIONS):
            build(kind, parts[-1])
            found[kind.name] = {
                part: middle([cpu(lambda kind=kind, part=part: build(kind, part)) for _ in range(runs)])  # type: ignore[misc]
                for part in parts
            }
        return found


def read_only(folder: Path) -> Spent:
    """Reads every body and link, and checks nothing."""
    opened = bootstrap.store(folder)
    with opened.datastore.read() as connection:
        count = 0

        def run() -> None:
            nonlocal count
            for _ in connection.execute("SELECT position, body, digest, link FROM records ORDER BY position"):
                count += 1

        return Spent(cpu(run), memory(), count)


def verify_chain(folder: Path) -> Spent:
    """Checks every digest and link as `affidavit verify --chain` does."""
    return _verified(folder, chain_only=True)


def verify_deep(folder: Path) -> Spent:
    """Verifies a ledger as `affidavit verify` does."""
    return _verified(folder, chain_only=False)


def _verified(folder: Path, *, chain_only: bool) -> Spent:
    """Raises ValueError where the ledger is not clean: the bench itself is wrong."""
    from affidavit.journal.verify import Report, verify  # noqa: PLC0415 - the other measurements do without it

    opened = bootstrap.store(folder)
    found: list[Report] = []
    spent = cpu(lambda: found.append(verify(opened.datastore, opened.vault, chain_only=chain_only)))
    if not found[0].clean:
        msg = f"the synthetic ledger is not clean: {found[0].faults[:3]}"
        raise ValueError(msg)
    return Spent(spent, memory(), found[0].records)


def time_reads(folder: Path, main: str, small: str, calls: int) -> dict[str, list[float]]:
    """Returns the CPU seconds of each call, by what was asked."""
    with open_ledger(folder, scope=main) as ledger:
        beside = ledger.at(small)
        every = [claim.id for claim in ledger.claims(every=True)]
        ids = [every[at * 7919 % len(every)] for at in range(calls)]
        now = ledger.timeline(after=ledger.position - 50)[-1]["occurred_at"]
        rows = len(beside.prompt(now=now).sections[0].lines)
        few = max(3, calls // 20)
        return {
            "why": _each(ids, ledger.why),
            "history": _each(ids, ledger.history),
            f"prompt of {rows} rows, all of a scope beside": _each(range(calls), lambda _: beside.prompt(now=now)),
            f"prompt within the budget, a scope of {len(every):,} claims": _each(
                range(few), lambda _: ledger.prompt(now=now)
            ),
            f"claims, {len(every):,} of them": _each(range(few), lambda _: ledger.claims()),
        }


PAGE = 200
"""How many claims a page has."""


def time_verbs(folder: Path, scope: str, calls: int) -> dict[str, list[float]]:
    """Returns the CPU seconds of each call by its verb: each claim is judged once, by one verb, on warm views."""
    with open_ledger(folder, scope=scope) as ledger:
        ids = iter([claim.id for claim in ledger.claims()][:: max(1, len(ledger.claims()) // (calls * 24))])
        found: dict[str, list[float]] = {}

        def judge(name: str, verb: Callable[[str], Any]) -> list[str]:
            chosen = [next(ids) for _ in range(calls)]
            found[name] = [cpu(lambda claim=claim: _done(verb(claim))) for claim in chosen]  # type: ignore[misc]
            return chosen

        ledger.pin(next(ids))
        pinned = judge("pin", ledger.pin)
        found["unpin"] = [cpu(lambda claim=claim: _done(ledger.unpin(claim))) for claim in pinned]  # type: ignore[misc]
        judge("correct", lambda claim: ledger.correct(claim, f"User is fond of {claim}."))
        judge("reject", ledger.reject)
        judge("forget", ledger.forget)
        judge("feedback, useful", lambda claim: ledger.feedback(claim, "useful"))
        held = judge("feedback, incorrect", lambda claim: ledger.feedback(claim, "incorrect"))
        found["resolve, keep-new"] = [
            cpu(lambda claim=claim: _done(ledger.resolve(claim, "keep-new")))  # type: ignore[misc]
            for claim in held
        ]
        for name, change in (("undo of a pin", ledger.pin), ("undo of a rejection", ledger.reject)):
            found[name] = []
            for _ in range(calls):
                position = change(next(ids)).position
                found[name].append(cpu(lambda position=position: _done(ledger.undo(position))))  # type: ignore[misc]
        found["remember"] = [
            cpu(lambda number=number: ledger.remember(f"My port is {number}."))  # type: ignore[misc]
            for number in range(7000, 7000 + calls)
        ]
        found["show"] = [cpu(lambda claim=claim: ledger.show(claim)) for claim in pinned]  # type: ignore[misc]
        page = ledger.claims(limit=PAGE)
        found[f"claims, a page of {PAGE}"] = [
            cpu(lambda: ledger.claims(limit=PAGE, after=page[-1].id)) for _ in range(max(3, calls // 4))
        ]
        ledger.envelope()
        found["envelope, kept"] = [cpu(ledger.envelope) for _ in range(max(3, calls // 4))]
        found["envelope, after a write"] = []
        for _ in range(max(3, calls // 4)):
            ledger.pin(next(ids))
            found["envelope, after a write"].append(cpu(ledger.envelope))
        found["inbox"] = [cpu(ledger.inbox) for _ in range(max(3, calls // 4))]
        return found


def _done(outcome: Any) -> None:
    """Raises ValueError where a verb was refused or did nothing: the bench itself is wrong."""
    if outcome.refused or not outcome.events:
        msg = f"the verb did nothing: {outcome}"
        raise ValueError(msg)


def _each(arguments: Any, call: Callable[[Any], object]) -> list[float]:
    call(arguments[0])
    return [cpu(lambda argument=argument: call(argument)) for argument in arguments]  # type: ignore[misc]
