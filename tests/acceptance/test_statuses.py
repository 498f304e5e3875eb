"""A claim can reach every status of model.md section 2: once with scripted answers, and once with what ships, listed apart.

What ships answers no question about reflections, so whatever begins with one needs a model; that is listed too, and so is
what a later capability brings. A rung that nobody can climb must not go unseen.
"""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest
from extractors import Otherwise, Plain
from mechanism import CALM, QUIET, World
from reasoners import FRESH, Broken, Scripted, into

from affidavit.domain.claims import LIVE, Status
from affidavit.projections.answers import STATUSES
from affidavit.rebuild.extractors.rules import Rules

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("domain", "journal", "projections", "rebuild", "scripts")
Story = Callable[[World], tuple[str, str]]
"""Tells a story to a world, and returns whose status it is about: words of the sentence, and the form."""


def active(world: World) -> tuple[str, str]:
    world.like("tea")
    world.tick()
    return "tea", "fact"


def pending(world: World) -> tuple[str, str]:
    world.pending()
    return CALM, "reflection"


def confirmed(world: World) -> tuple[str, str]:
    world.confirmed()
    return CALM, "reflection"


def absorbed(world: World) -> tuple[str, str]:
    world.pending()
    return "likes tea", "fact"


def quarantined(world: World) -> tuple[str, str]:
    world.like("tea")
    for reader in (Plain(), Otherwise(Plain())):
        world.ledger.extract(reader)
    world.ledger.reject(next(claim.id for claim in world.ledger.claims() if claim.text == "User likes tea."))
    return "据说", "fact"


def superseded(world: World) -> tuple[str, str]:
    world.say("I live in Lisbon.")
    world.clock.now += 1
    world.say("I live in Porto.")
    world.tick()
    return "Lisbon", "fact"


def promoted_fact(world: World) -> tuple[str, str]:
    world.like(*["tea"] * 5)
    world.tick()
    return "likes tea", "fact"


def promoted(world: World) -> tuple[str, str]:
    world.ready()
    world.model = Scripted(merge=FRESH)
    world.tick()
    return CALM, "reflection"


def merged(world: World) -> tuple[str, str]:
    world.persona("mint")
    world.ready()
    world.model = Scripted(merge=into("mint"))
    world.tick()
    return QUIET.text, "reflection"


def promote_blocked(world: World) -> tuple[str, str]:
    world.ready()
    world.model = Scripted(merge=Broken())
    world.ticks(6, minutes=30)
    return CALM, "reflection"


def denied_by_a_reply(world: World) -> tuple[str, str]:
    world.pending()
    world.ledger.surface(now=world.clock.now)
    world.ledger.reply("No.", now=world.clock.now)
    return CALM, "reflection"


def denied(world: World) -> tuple[str, str]:
    world.like("tea")
    world.tick()
    world.ledger.reject(world.the("tea").id)
    return "tea", "fact"


def archived_reflection(world: World) -> tuple[str, str]:
    world.pending()
    world.ledger.surface(now=world.clock.now)
    world.ledger.reply("By the way, what time is it?", verdict="ignores", now=world.clock.now)
    for _ in range(14):
        world.tick(days=1)
    return CALM, "reflection"


def archived(world: World) -> tuple[str, str]:
    world.like("tea")
    world.clock.now += 1
    world.say("I don't like tea.")
    for _ in range(14):
        world.tick(days=1)
    return "User likes tea", "fact"


def forgotten(world: World) -> tuple[str, str]:
    world.like("tea")
    world.tick()
    world.ledger.forget(world.the("tea").id)
    return "tea", "fact"


def incorrect(world: World) -> tuple[str, str]:
    world.like("tea")
    world.tick()
    world.ledger.feedback(world.the("tea").id, "incorrect")
    return "tea", "fact"


SCRIPTED: dict[Status, Story] = {
    "active": active,
    "pending": pending,
    "confirmed": confirmed,
    "quarantined": quarantined,
    "superseded": superseded,
    "absorbed": absorbed,
    "promoted": promoted,
    "merged": merged,
    "promote_blocked": promote_blocked,
    "denied": denied_by_a_reply,
    "forgotten": forgotten,
    "archived": archived_reflection,
}
"""With scripted answers, and with a second extractor where it takes two."""
SHIPS: dict[Status, Story] = {
    "active": active,
    "superseded": superseded,
    "promoted": promoted_fact,
    "denied": denied,
    "forgotten": forgotten,
    "quarantined": incorrect,
    "archived": archived,
}
"""With the rules that ship, and nobody else."""
NEEDS_MORE: dict[Status, str] = {
    "pending": "a reflection, whose wording takes a model",
    "confirmed": "the same",
    "absorbed": "a reflection that absorbs the fact",
    "merged": "a model that words a merge, or a reflection in the very words of a persona claim",
    "promote_blocked": "a reflection, and a model that fails",
}
"""What does not ship yet, and what it waits for."""
LATER: dict[Status, str] = {
    "withdrawn": "erasure",
}
"""What no code path sets today."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "ledger")
    with world.ledger:
        yield world


def status(world: World, told: tuple[str, str]) -> str:
    found = world.the(*told)
    if found.status in LIVE:
        assert found.live
    assert not world.ledger.verify().faults
    assert all(one.agree for one in world.ledger.check_views())
    return found.status


@pytest.mark.parametrize("wanted", SCRIPTED)
def test_every_status_is_reached_with_scripted_answers(world: World, wanted: Status) -> None:
    assert status(world, SCRIPTED[wanted](world)) == wanted


@pytest.mark.parametrize("wanted", SHIPS)
def test_what_ships_reaches_these_statuses(world: World, wanted: Status) -> None:
    world.model = Rules()
    assert status(world, SHIPS[wanted](world)) == wanted


def test_every_status_is_listed_and_none_twice() -> None:
    statuses = set(get_args(Status))
    assert set(STATUSES) == statuses
    assert SCRIPTED.keys() | LATER.keys() == statuses
    assert SHIPS.keys() | NEEDS_MORE.keys() | LATER.keys() == statuses
    assert not SHIPS.keys() & NEEDS_MORE.keys()
    assert not SCRIPTED.keys() & LATER.keys()


def test_what_ships_makes_no_reflection_in_all_its_stories(world: World) -> None:
    world.model = Rules()
    for story in (active, superseded):
        story(world)
    world.like("jazz", "chess", "rain", "bread", "lakes", "moss")
    world.ticks(3, minutes=60)
    assert {claim.form for claim in world.ledger.claims(every=True)} == {"fact"}


def set_statuses(path: Path) -> Iterator[str]:
    """Yields the statuses of a later capability that a file of code gives a claim."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "status":
            yield from (one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant) and one.value in LATER)


def test_no_code_sets_a_status_that_is_to_come(tmp_path: Path) -> None:
    """Once one does, the status belongs into the stories above."""
    found = {path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if list(set_statuses(path))}
    assert found == set()
    setting = tmp_path / "setting.py"
    setting.write_text('state.with_(status="withdrawn" if gone else "active")', encoding="utf-8")
    assert list(set_statuses(setting)) == ["withdrawn"]
