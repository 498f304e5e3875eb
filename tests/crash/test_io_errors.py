"""A write, truncation or sync that fails, at every place where there is one: refused as ours, and nothing is lost."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from crash import work
from crash.disk import Disk, Kind, broken, full

import affidavit
from affidavit.domain.errors import AffidavitError
from affidavit.domain.messages import Message

Fails = Callable[[int, Kind], Exception | None]


class Lived(NamedTuple):
    """What came of one life: the errors that callers met, the last promise, and whether anything was raised raw."""

    refused: list[AffidavitError]
    raw: list[str]
    promise: work.Promise | None
    calls: int


def live(folder: Path, fails: Fails = lambda number, kind: None) -> Lived:
    """Makes a ledger on a disk that may fail, does one call of every kind, each in its own try, and closes it."""
    disk = Disk(folder, checkpoint=10)
    disk.fails = fails
    refused: list[AffidavitError] = []
    raw: list[str] = []
    promise: work.Promise | None = None
    opened: affidavit.Ledger | None = None

    def met(error: Exception, where: str) -> None:
        if isinstance(error, AffidavitError):
            refused.append(error)
        elif not isinstance(error, StopIteration):  # A step that looks for what an earlier, refused one would have made.
            raw.append(f"{where}: {type(error).__module__}.{type(error).__name__}: {error}")

    with disk.used(views=True), pytest.MonkeyPatch.context() as patch:
        work.heads_often(patch)
        for attempt in ("first", "second"):
            try:
                opened = affidavit.init(folder, scope=f"{attempt} try")
                promise = work.promised(opened)
                break
            except Exception as error:
                met(error, "init")
        if opened is not None:
            for number, step in enumerate(work.steps(opened)):
                try:
                    step()
                    promise = work.promised(opened)
                except Exception as error:
                    met(error, f"step {number}")
            try:
                opened.close()
            except Exception as error:
                met(error, "close")
    return Lived(refused, raw, promise, disk.calls)


def nth(number: int, error: Callable[[Kind], Exception], *, for_good: bool) -> Fails:
    """Returns a fault at the n-th call, or at that one and all that follow."""
    return lambda call, kind: error(kind) if call == number or (for_good and call > number) else None


FAULTS: dict[str, tuple[Callable[[Kind], Exception], bool]] = {
    "one error": (broken, False),
    "errors from then on": (broken, True),
    "full once": (lambda kind: full(), False),
    "full from then on": (lambda kind: full(), True),
}


def test_without_a_fault_the_work_is_done(fast: Path) -> None:
    lived = live(fast / "ledger")
    assert (lived.refused, lived.raw) == ([], [])
    assert lived.promise is not None
    assert lived.calls > 200
    assert work.faults(fast / "ledger", lived.promise, more=True) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_site_refuses_cleanly(fast: Path, long: bool, fault: str) -> None:
    error, for_good = FAULTS[fault]
    calls = live(fast / "whole").calls
    stride = 1 if long else 97
    wrong: Counter[str] = Counter()
    examples: dict[str, int] = {}
    met = 0
    for number in range(1 + list(FAULTS).index(fault) * stride // len(FAULTS), calls + 1, stride):
        folder = fast / f"at {number}"
        lived = live(folder, nth(number, error, for_good=for_good))
        met += bool(lived.refused)
        found = lived.raw + [f"{type(one).__name__}: {one}" for one in lived.refused if one.exit_code != 4]
        if lived.promise is not None:
            found += work.faults(folder, lived.promise, more=True)
        else:
            found += _made_after_all(folder)
        for said in sorted({re.sub(r"[0-9]+|[0-9a-f]{24}", "#", one.replace(str(folder), "")) for one in found}):
            wrong[said] += 1
            examples.setdefault(said, number)
    print(fault, calls, "call sites;", met, "refusals; wrong:", dict(wrong), "first at", examples)
    assert met > 0
    assert wrong == {}


def _made_after_all(folder: Path) -> list[str]:
    """Tells what hinders a ledger from being made where the first attempts failed."""
    try:
        with affidavit.init(folder, scope="once more"):
            pass
    except AffidavitError as error:
        return [f"stuck: {error}"]
    return work.faults(folder, None)


@pytest.mark.parametrize("fault", ["one error", "full from then on"])
def test_what_was_refused_is_not_there(fast: Path, fault: str) -> None:
    error, for_good = FAULTS[fault]
    wrong: list[int] = []
    refusals = 0
    for number in range(1, 40):
        disk = Disk(fast / f"{number}", checkpoint=1000)
        with disk.used(), pytest.MonkeyPatch.context() as patch:
            patch.setattr("affidavit.journal.log.HEAD_REMEMBERED_EVERY", 1)
            ledger = affidavit.init(disk.folder, scope="ana")
            before = ledger.position
            disk.fails = nth(disk.calls + number, error, for_good=for_good)
            for name in ("a", "b", "c"):
                message = Message(id=name, role="user", text="I like tea.", at=1)
                try:
                    list(ledger.record([message]))
                    before = ledger.position
                except AffidavitError:
                    refusals += 1
                    if ledger.position != before:
                        wrong.append(number)
                        before = ledger.position
            disk.fails = lambda call, kind: None
            ledger.close()
    assert refusals > 5
    assert wrong == []
