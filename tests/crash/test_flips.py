"""A changed byte of log, keys or views: no answer changes silently. Each is as before, or one of our errors."""

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from crash import flips
from crash.flips import Answer, Flip

from affidavit.journal import records
from affidavit.journal.encoding import decode
from affidavit.projections.rows import Row, Rows


def silent(before: dict[str, Answer], after: dict[str, Answer]) -> list[str]:
    """Returns the questions whose answer changed without an error."""
    return [name for name, answer in after.items() if not answer.error and not answer.raw and answer != before[name]]


def sweep(
    pristine: Path, scratch: Path, tries: Iterable[Flip], stride: int = 4
) -> tuple[list[tuple[Flip, list[str]]], Counter[str]]:
    """Returns the flips after which answers changed silently, and how often something else than our errors was raised."""
    whole = scratch / "whole"
    shutil.copytree(pristine, whole)
    asked = flips.questions(whole, stride)
    before = flips.answers(whole, asked)
    assert all(not answer.error and not answer.raw for answer in before.values())
    changed: list[tuple[Flip, list[str]]] = []
    told: Counter[str] = Counter()
    for flip in tries:
        after = flips.tried(pristine, scratch, flip, asked)
        names = silent(before, after)
        if names:
            changed.append((flip, names))
        raw = sorted({answer.raw for answer in after.values() if answer.raw})
        for said in raw[:1]:
            told[f"raw {flip.file} {flip.owner}: {said}"] += 1
        told["refused" if any(answer.error for answer in after.values()) else "answered"] += 1
    return changed, told


@pytest.fixture
def pristine(fast: Path) -> Path:
    flips.make(fast / "pristine")
    return fast / "pristine"


def test_no_answer_changes_silently(pristine: Path, fast: Path, long: bool) -> None:
    tries = flips.flips(pristine, 5000 if long else 200, seed=5)
    changed, told = sweep(pristine, fast, tries, stride=1 if long else 4)
    for flip, names in changed:
        print(flip, names[:4])
    print(dict(told))
    assert told["refused"] > 0
    assert changed == []
    assert {said for said in told if said.startswith("raw")} == set()


def test_no_answer_changes_silently_after_a_kill(fast: Path, long: bool) -> None:
    flips.make_killed(fast / "killed")
    tries = flips.wal_flips(fast / "killed", 400 if long else 24, seed=7)
    changed, told = sweep(fast / "killed", fast, tries)
    for flip, names in changed:
        print(flip, names[:4])
    print(dict(told))
    assert changed == []


def test_the_sweep_sees_what_is_not_checked(pristine: Path, fast: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_checked", lambda record, previous: record)
    monkeypatch.setattr(Rows, "_row", _unchecked)
    monkeypatch.setattr(Rows, "_sound", _all_unchecked)
    changed, _ = sweep(pristine, fast, flips.flips(pristine, 50, seed=6, only={"rows", "records"}))
    assert changed


def _unchecked(self: Rows, scope: bytes, kind: str, key: bytes, content: bytes, digest: bytes) -> Row:
    return Row(key, *decode(content))


def _all_unchecked(self: Rows, scope: bytes, kind: str) -> list[tuple[bytes, bytes]]:
    query = "SELECT key, content FROM rows WHERE scope = ? AND kind = ? ORDER BY key"
    return self.connection.execute(query, (scope, kind)).fetchall()
