"""Power loss at any moment of a run: what was acknowledged is there, the log is sound, and so are the keys it needs."""

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from crash import images, work
from crash.disk import Disk

import affidavit
from affidavit.domain.errors import AffidavitError


def run(folder: Path, weak: Iterable[str] = ()) -> Disk:
    """Lives through some sessions of a ledger on a recording disk."""
    disk = Disk(folder, weak=weak)
    with disk.used(), pytest.MonkeyPatch.context() as patch:
        work.heads_often(patch)
        for session in ("first", "second"):
            opened = affidavit.init(folder, scope=session)
            disk.acknowledge(work.promised(opened))
            with opened as ledger:
                for step in work.steps(ledger, views=False):
                    step()
                    disk.acknowledge(work.promised(ledger))
        with affidavit.open(folder, scope="first") as ledger:
            for number in range(12):
                ledger.remember({"id": f"n{number}", "text": f"I like tea{number}."})
                disk.acknowledge(work.promised(ledger))
    return disk


def survey(disk: Disk, scratch: Path, count: int, seed: int) -> Counter[str]:
    """Opens images of the run and counts what is wrong with them, by the first word of each fault."""
    found: Counter[str] = Counter()
    for number, (prefix, files, promises) in enumerate(images.images(disk.ops, count, seed)):
        folder = scratch / "image"
        folder.mkdir()
        images.write(files, folder)
        shutil.copy(disk.folder / "keys.kek", folder)
        said = _of_one(folder, promises[-1] if promises else None, more=number % 10 == 0)
        if said:
            found[said[0].partition(":")[0]] += 1
            found[f"{said[0]} (e.g. prefix {prefix} of {len(disk.ops)})"] += 1
        found["images"] += 1
        shutil.rmtree(folder)
    return found


def _of_one(folder: Path, promise: work.Promise | None, *, more: bool) -> list[str]:
    if promise is not None:
        return work.faults(folder, promise, more=more)
    try:
        # Nothing was acknowledged: the ledger may not be there yet, but it can still be made.
        with affidavit.init(folder, scope="once more"):
            pass
    except AffidavitError as error:
        return [f"stuck: {error}"]
    return work.faults(folder, None)


@pytest.fixture(scope="module")
def count(long: bool) -> int:
    return 5000 if long else 200


def test_nothing_acknowledged_is_lost_and_nothing_is_corrupt(fast: Path, count: int) -> None:
    disk = run(fast / "ledger")
    assert len(disk.ops) > 400
    found = survey(disk, fast, count, seed=1)
    print(dict(found))
    assert found == {"images": count}


@pytest.mark.parametrize("weak", ["log.db", "keys.db"])
def test_with_less_durable_files_the_same_check_fails(fast: Path, count: int, weak: str) -> None:
    disk = run(fast / "ledger", weak=[weak])
    found = survey(disk, fast, count // 4, seed=2)
    print(dict(found))
    assert found["lost" if weak == "log.db" else "broken"] > 0
