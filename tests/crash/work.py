"""The work that crashes interrupt, and what is asked of a ledger afterwards."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from extractors import Plain

import affidavit
from affidavit.domain.errors import AffidavitError
from affidavit.journal import records

NOW = "2030-01-01"


class Promise(NamedTuple):
    """What a call that returned has promised: the log up to a position, whose link commits to every byte of it."""

    position: int
    link: bytes


def promised(ledger: affidavit.Ledger) -> Promise:
    """Returns what is promised by now."""
    with ledger.log.datastore.read() as connection:
        end = records.head(connection)
    return Promise(end.position, end.link)


def steps(ledger: affidavit.Ledger, *, views: bool = True) -> Iterator[Callable[[], object]]:
    """Yields calls of every kind, small and grouped; the log grows by some of each."""

    def claim_of(word: str) -> str:
        return next(claim.id for claim in ledger.claims(every=True) if word in claim.text)

    def say(word: str) -> object:
        return ledger.remember({"id": word, "text": f"I like {word}."}, extractor=Plain())

    ports = [{"id": f"p{port}", "text": f"My port is {port}."} for port in range(8)]
    towns = [{"id": f"l{town}", "text": f"I live in Town{town}."} for town in range(4)]
    yield lambda: say("tea")
    yield lambda: ledger.remember(ports, extractor=Plain())
    yield lambda: say("coffee")
    yield lambda: ledger.correct(claim_of("tea"), "User likes mate.")
    yield lambda: ledger.remember("My cat is called Miso.", as_claim=True)
    yield lambda: ledger.reject(claim_of("coffee"))
    yield lambda: ledger.remember(towns, extractor=Plain())
    if views:
        yield ledger.prompt
        yield ledger.rebuild


def heads_often(patch: pytest.MonkeyPatch) -> None:
    """Lets the head be remembered beside the keys every few records, not every thousand."""
    patch.setattr("affidavit.journal.log.HEAD_REMEMBERED_EVERY", 7)


def faults(folder: Path, promise: Promise | None, *, more: bool = False) -> list[str]:
    """Opens what a crash has left with the stock SQLite, and returns what is wrong with it: "lost: …" or "broken: …"."""
    found = []
    try:
        with affidavit.open(folder) as ledger:
            if promise is not None:
                with ledger.log.datastore.read() as connection:
                    row = connection.execute("SELECT link FROM records WHERE position = ?", (promise.position,)).fetchone()
                if row is None or row[0] != promise.link:
                    found.append(f"lost: position {promise.position} was acknowledged and is not there")
            found += [f"broken: {fault.kind} at {fault.position}: {fault.sentence}" for fault in ledger.verify().faults]
            if more and not found:
                found += _goes_on(ledger)
    except (AffidavitError, sqlite3.Error) as error:
        found.append(f"broken: {type(error).__name__}: {error}")
    found += [f"broken: {name}: {said}" for name in ("log.db", "keys.db") if (said := _integrity(folder / name)) != "ok"]
    return found


def _goes_on(ledger: affidavit.Ledger) -> list[str]:
    """Reads everything, and writes one event more."""
    _ = ledger.log
    names = [scope.name for scope in ledger.scopes()]
    if not names:
        ledger.open_scope("ana")
    ledger = ledger.at(names[0] if names else "ana")
    before = ledger.position
    ledger.remember({"id": f"after {before}", "text": "I like rain."}, extractor=Plain())
    said = [] if ledger.position > before else ["broken: it does not go on"]
    for claim in ledger.claims(every=True):
        ledger.why(claim.id), ledger.history(claim.id)
    said += [f"broken: after going on: {fault.sentence}" for fault in ledger.verify().faults]
    return said


def _integrity(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
    except sqlite3.Error as error:
        return str(error)
    finally:
        connection.close()
