"""One byte of a ledger's files changed, and what the ledger then answers."""

import itertools
import random
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from crash import work
from extractors import Otherwise, Plain

import affidavit
from affidavit.domain.errors import AffidavitError
from affidavit.domain.policy import Policy, Prompt

Asked = dict[str, Callable[[affidavit.Ledger], Any]]
EARLIER = " as of"


class Flip(NamedTuple):
    """One byte to change: in which file, where, to what, and in whose pages it lies."""

    file: str
    offset: int
    value: int
    owner: str
    views: bool


@dataclass(frozen=True)
class Answer:
    """What one question brought: a value, one of our errors, or an error that is not ours."""

    value: Any = None
    error: str = ""
    raw: str = ""


def make(folder: Path) -> None:
    """Makes a ledger with a bit of everything, closed, its views current; byte for byte the same each time."""
    chance = random.Random(7)
    clock = itertools.count(1_790_000_000_000_000, 1_000_000).__next__
    with affidavit.init(folder, scope="ana", time_zone="Europe/Lisbon", clock=clock, random=chance.randbytes) as ledger:
        ledger.remember(
            [
                {"id": f"m{n}", "text": f"I like tea{n}.", "time": f"2026-0{1 + n % 9}-11T10:00:00Z", "name": "Ana"}
                for n in range(7)
            ],
            extractor=Plain(),
        )
        ledger.remember({"id": "bo", "text": "I live in Lisbon.", "name": "Bo", "namespace": "work"}, extractor=Plain())
        ledger.remember({"id": "p", "text": "My port is 8080. The build is done."}, extractor=Plain())
        ledger.adopt_policy(Policy(prompt=Prompt(facts=40)))
        ledger.remember("My cat is called Miso.", as_claim=True)
        named = {claim.text: claim.id for claim in ledger.claims()}
        ledger.correct(named["User likes tea3."], "User likes mate.")
        ledger.reject(named["User likes tea5."])
        ledger.extract(Otherwise(Plain()))
        ledger.adopt_policy(Policy(prompt=Prompt(facts=30)))
        ledger.open_scope("bo")
        ledger.remember({"id": "other", "text": "I like wine."}, extractor=Plain())
        ledger.prompt()
    with affidavit.open(folder, scope="ana") as ledger:
        ledger.rebuild()


def make_killed(folder: Path) -> None:
    """Makes a ledger whose last process was killed: what it wrote last lies in the write-ahead logs alone."""
    whole = folder.with_name("running")
    make(whole)
    with affidavit.open(whole, scope="ana") as ledger:
        for number in range(3):
            ledger.remember({"id": f"late {number}", "text": f"I like cake{number}."}, extractor=Plain())
        ledger.claims(), ledger.prompt()
        shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("*-shm"))
    shutil.rmtree(whole)


def wal_flips(folder: Path, count: int, seed: int) -> Iterator[Flip]:
    """Yields byte changes in the write-ahead logs of log and keys."""
    chance = random.Random(seed)
    for number in range(count):
        file = chance.choice(["log.db-wal", "log.db-wal", "keys.db-wal"])
        content = (folder / file).read_bytes()
        offset = chance.randrange(len(content))
        yield Flip(file, offset, content[offset] ^ (1 << chance.randrange(8)), "", views=number % 2 == 0)


def questions(folder: Path, stride: int = 1) -> Asked:
    """Returns questions: claims, prompt, and why and history of every n-th claim; now, and as of an earlier position."""
    with affidavit.open(folder, scope="ana") as ledger:
        ids = [claim.id for claim in ledger.claims(every=True)][::stride]
        middle = ledger.position // 2
        early = [claim.id for claim in ledger.claims(every=True, as_of=middle)][:2]
    asked: Asked = {
        "claims": lambda ledger: ledger.claims(now=work.NOW),
        "claims --all": lambda ledger: ledger.claims(every=True, now=work.NOW),
        "prompt": lambda ledger: ledger.prompt(now=work.NOW),
    }
    for claim in ids:
        asked[f"why {claim}"] = partial(_why, claim=claim, as_of=None)
        asked[f"history {claim}"] = partial(affidavit.Ledger.history, claim=claim)
    asked[f"claims{EARLIER}"] = lambda ledger: ledger.claims(every=True, as_of=middle, now=work.NOW)
    asked[f"prompt{EARLIER}"] = lambda ledger: ledger.prompt(as_of=middle, now=work.NOW)
    for claim in early:
        asked[f"why{EARLIER} {claim}"] = partial(_why, claim=claim, as_of=middle)
        asked[f"history{EARLIER} {claim}"] = partial(affidavit.Ledger.history, claim=claim, as_of=middle)
    return asked


def answers(folder: Path, asked: Asked, *, earlier: bool = True) -> dict[str, Answer]:
    """Asks everything of the ledger in a folder; what was so `earlier` only if wanted: it reads no view."""
    asked = {name: question for name, question in asked.items() if earlier or EARLIER not in name}
    try:
        ledger = affidavit.open(folder, scope="ana")
    except Exception as error:
        return dict.fromkeys(asked, _met(error))
    found = {}
    try:
        for name, question in asked.items():
            try:
                found[name] = Answer(question(ledger))
            except Exception as error:
                found[name] = _met(error)
    finally:
        ledger.close()
    return found


def flips(folder: Path, count: int, seed: int, only: Collection[str] = ()) -> Iterator[Flip]:
    """Yields byte changes: half of them of any byte of any file, half spread over the tables, the small ones too.

    With `only`, those of these tables alone. Every other one is tried without the views, which are then built anew from
    what was changed.
    """
    chance = random.Random(seed)
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    owners = {str(file): _owners(folder / file) for file in files if file.suffix == ".db"}
    sizes = [(folder / file).stat().st_size for file in files]
    by_owner = sorted(
        {(file, owner) for file, pages in owners.items() for owner, _, _ in pages if not only or owner in only}
    )
    for number in range(count):
        if number % 2 or only:
            file, owner = chance.choice(by_owner)
            start, size = chance.choice([(start, size) for name, start, size in owners[file] if name == owner])
            content = (folder / file).read_bytes()
            used = [at for at in range(start, start + size) if content[at]]
            offset = chance.choice(used)
        else:
            file = str(chance.choices(files, sizes)[0])
            offset = chance.randrange((folder / file).stat().st_size)
            owner = next((name for name, start, size in owners.get(file, ()) if start <= offset < start + size), "")
        old = (folder / file).read_bytes()[offset]
        value = old ^ (1 << chance.randrange(8)) if chance.random() < 0.5 else (old + chance.randrange(1, 256)) % 256
        yield Flip(file, offset, value, owner, views=file.startswith("views") or number % 4 < 2)


def tried(pristine: Path, scratch: Path, flip: Flip, asked: Asked) -> dict[str, Answer]:
    """Changes the byte in a copy, and asks."""
    folder = scratch / "flipped"
    shutil.copytree(pristine, folder)
    if not flip.views:
        shutil.rmtree(folder / "views")
    with (folder / flip.file).open("r+b") as out:
        out.seek(flip.offset)
        out.write(bytes([flip.value]))
    try:
        return answers(folder, asked, earlier=not flip.views)
    finally:
        shutil.rmtree(folder)


def _why(ledger: affidavit.Ledger, *, claim: str, as_of: int | None) -> Any:
    return ledger.why(claim, as_of=as_of, now=work.NOW)


def _met(error: Exception) -> Answer:
    said = f"{type(error).__name__}: {error}"
    return Answer(error=said) if isinstance(error, AffidavitError) else Answer(raw=said)


def _owners(path: Path) -> list[tuple[str, int, int]]:
    """Returns (table or index, offset, size) of every page of a file."""
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT name, pgoffset, pgsize FROM dbstat ORDER BY pgoffset").fetchall()
    finally:
        connection.close()
    return [(str(name), int(offset), int(size)) for name, offset, size in rows]
