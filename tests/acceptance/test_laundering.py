"""A rejected value stays rejected, whoever brings it back, in whatever dress, by whatever path, after however long a time.

However it was rejected (rejected, corrected, forgotten, called incorrect, denied in a reply): the value is superseded by
another and said again in other case, spacing, width and script, by another source, another extractor, an import, a host;
everything ages past every horizon. It is never live, and every attempt can be seen.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from extractors import Otherwise, Plain, archive
from mechanism import World

from affidavit.domain.proposals import ExtractorId, Passage, Proposal
from affidavit.domain.roles import Actor
from affidavit.domain.times import DAY
from affidavit.rebuild.extractors.rules import Rules
from affidavit.scripts.ledger import Ledger

LISBON, PORTO = "User lives in Lisbon.", "User lives in Porto."
REJECTED: dict[str, Callable[[Ledger, str], object]] = {
    "reject": lambda ledger, claim: ledger.reject(claim),
    "correct": lambda ledger, claim: ledger.correct(claim, "User lives in Braga."),
    "forget": lambda ledger, claim: ledger.forget(claim),
    "incorrect": lambda ledger, claim: ledger.feedback(claim, "incorrect"),
    "feedback by message": lambda ledger, claim: ledger.remember(f"memory {claim} is incorrect."),
    "remove both": lambda ledger, claim: (ledger.feedback(claim, "incorrect"), ledger.resolve(claim, "remove-both")),
}
DRESSED = (
    *("I live in Lisbon.", "I live in LISBON.", "i live in lisbon", "I live in  Lisbon !", "I live in Ｌｉｓｂｏｎ."),
    *(
        "I live in Lis\u00adbon.",
        "I live in Lisbon\u200b.",
        "I'm living in Lisbon.",
        "I moved to Lisbon.",
        "My home is Lisbon.",
    ),
)
WAYS = pytest.mark.parametrize("way", REJECTED)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "ledger")
    with world.ledger:
        yield world


def rejected(world: World, way: str) -> Ledger:
    """Lets the user live in Lisbon, which is rejected in this way; and then in Porto, which the user said."""
    ledger = world.ledger
    world.model = Rules()
    (claim,) = ledger.remember({"id": "first", "text": "I live in Lisbon.", "session": "s1"}).claims
    world.clock.now += DAY
    REJECTED[way](ledger, claim.id)
    world.clock.now += DAY
    ledger.remember({"id": "porto", "text": "I live in Porto now.", "session": "s2"})
    assert PORTO in {claim.text for claim in ledger.claims()}
    return ledger


def lives(ledger: Ledger) -> set[str]:
    return {claim.text for claim in ledger.claims() if "Lisbon" in claim.text or "lisbon" in claim.text.casefold()}


def attempts(ledger: Ledger) -> int:
    return sum(1 for event in ledger.timeline() if event["type"] == "write-refused")


@WAYS
def test_no_dress_brings_it_back(world: World, way: str) -> None:
    ledger = rejected(world, way)
    for number, text in enumerate(DRESSED):
        world.clock.now += DAY
        before = attempts(ledger)
        done = ledger.remember({"id": f"again {number}", "text": text, "session": f"a{number}"})
        assert lives(ledger) == set(), text
        assert done.refused or not done.claims, text
        if done.refused:
            assert attempts(ledger) > before
    assert attempts(ledger) >= len(DRESSED) // 2, "most of these are heard, and refused"
    assert {matter["class"] for matter in ledger.inbox() if "isbon" in matter["text"]} >= {"conflict"}


@WAYS
def test_no_reading_rebuild_or_age_brings_it_back(world: World, way: str) -> None:
    ledger = rejected(world, way)
    for extractor in (Plain(), Otherwise(Rules()), Rules()):
        ledger.extract(extractor, again=True)
        assert lives(ledger) == set()
    for _ in range(3):
        world.tick(days=400)
        ledger.rebuild()
        assert lives(ledger) == set()
    ledger.remember({"id": "much later", "text": "I live in Lisbon.", "session": "later"})
    ledger.extract(Rules(), again=True)
    assert lives(ledger) == set()
    assert all(view.agree for view in ledger.check_views())
    assert ledger.verify().clean


@WAYS
def test_no_import_brings_it_back(world: World, way: str, tmp_path: Path) -> None:
    ledger = rejected(world, way)
    chat = tmp_path / "chat.jsonl"
    lines = [{"id": str(n), "role": "user", "text": text, "time": "2029-01-01"} for n, text in enumerate(DRESSED)]
    chat.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    (done,) = ledger.import_file(chat)
    assert done.refused
    assert lives(ledger) == set()
    folder = tmp_path / "Yui"
    folder.mkdir()
    facts = [{"id": "f1", "text": LISBON, "importance": 9, "entity": "user", "created_at": "2026-01-01T00:00:00"}]
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    (folder / "persona.json").write_text(json.dumps({"user": {"facts": [{"id": "p1", "text": LISBON}]}}), encoding="utf-8")
    ledger.import_file(folder)
    assert lives(ledger) == set()
    assert any("isbon" in matter["text"] for matter in ledger.inbox())


@WAYS
def test_no_host_brings_it_back_and_a_person_does_by_name(world: World, way: str) -> None:
    ledger = rejected(world, way)
    person, ledger.actor = ledger.actor, Actor("host", "bridge")
    assert ledger.remember(LISBON, as_claim=True).refused
    assert lives(ledger) == set()
    ledger.actor = person
    assert ledger.remember({"id": "by name", "text": LISBON}, as_claim=True).refused == []
    assert lives(ledger) == {LISBON}


class Fond(Plain):
    """Words what the user likes otherwise."""

    identity = ExtractorId("fond", "1", "5" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns the same values in other sentences."""
        return tuple(replace(one, text=f"User is fond of {one.value}.") for one in super().extract(passage))


@WAYS
def test_what_is_rejected_is_not_taken_from_the_archive(world: World, way: str) -> None:
    """A claim lies in the archive, and its value is rejected with another claim."""
    ledger = world.ledger
    archive(ledger, "rain")
    (archived,) = ledger.archive()
    world.clock.now += DAY
    (claim,) = ledger.remember({"id": "fond", "text": "I like rain."}, extractor=Fond()).claims
    assert claim.text == "User is fond of rain."
    REJECTED[way](ledger, claim.id)
    assert ledger.unarchive(archived["id"]).rule == "rejected value"
    ledger.remember({"id": "again", "text": "I like rain."}, extractor=Plain())
    assert {found.text for found in ledger.claims()} <= {"User dislikes rain.", "User lives in Braga."}


@pytest.mark.parametrize(
    "apart",
    [
        ("C++", "C#", "C"),
        ("3.5", "35"),
        ("iOS 17", "iOS 18"),
    ],
)
def test_what_only_looks_alike_is_something_else(world: World, apart: tuple[str, ...]) -> None:
    ledger = world.ledger
    told = {word: ledger.remember({"text": f"User writes {word}", "id": word}, as_claim=True) for word in apart}
    ids = {word: done.claims[0].id for word, done in told.items()}
    assert len(set(ids.values())) == len(apart)
    ledger.reject(ids[apart[0]])
    assert {claim.text for claim in ledger.claims()} == {f"User writes {word}" for word in apart[1:]}


@pytest.mark.parametrize(
    ("first", "again"),
    [("我住在北京。", "我住在北京！"), ("我喜欢绿茶。", "我喜歡綠茶。"), ("我在北京工作。", "我在北京工作！")],
)
def test_no_script_brings_it_back(world: World, first: str, again: str) -> None:
    ledger = world.ledger
    (claim,) = ledger.remember({"id": "1", "text": first}).claims
    ledger.reject(claim.id)
    world.clock.now += DAY
    done = ledger.remember({"id": "2", "text": again})
    assert done.refused or not done.claims
    assert ledger.claims() == []
