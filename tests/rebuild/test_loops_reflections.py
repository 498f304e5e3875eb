"""Reflections in the loops: several facts become one sentence, which keeps them as its parents and their words."""

import pytest
from mechanism import CALM, FIVE, QUIET, World, by_another
from reasoners import Broken, Scripted, meanwhile

from affidavit.domain.questions import Reflection
from affidavit.journal import steps
from affidavit.journal.reading import ClaimFields
from affidavit.projections.snapshot import Snapshot


def test_five_facts_make_a_reflection_that_shows_its_parents_and_their_quotes(world: World) -> None:
    world.like(*FIVE[:4])
    world.model = Scripted(reflect=QUIET)
    world.tick()
    assert world.model.asked == []  # Four are too few.
    world.like(FIVE[4])
    world.tick()
    claim = world.the(CALM)
    assert (claim.form, claim.kind, claim.status) == ("reflection", "pattern", "pending")
    why = world.ledger.why(claim.id)
    assert {parent["text"] for parent in why.parents} == {f"User likes {thing}." for thing in FIVE}
    assert {parent["status"] for parent in why.parents} == {"absorbed"}
    assert {source.quote for source in why.sources} == {f"I like {thing}" for thing in FIVE}
    assert world.state(CALM)["sessions"] == 5
    text = world.ledger.prompt(now=world.clock.now).text
    assert CALM in text
    assert not [thing for thing in FIVE if f"likes {thing}" in text]
    assert {world.ledger.why(world.the(f"likes {thing}").id).superseded_by["text"] for thing in FIVE} == {QUIET.text}  # type: ignore[index]


@pytest.mark.row("N47")
def test_the_same_facts_are_one_question_and_one_reflection_and_others_another(world: World) -> None:
    world.like(*FIVE)
    world.model = Scripted(reflect=[QUIET, Reflection("User enjoys the outdoors.", kind="pattern")])
    world.ticks(4, minutes=60)
    assert world.model.times("reflect") == 1
    parents = tuple(bytes.fromhex(one["id"]) for one in world.ledger.why(world.the(CALM).id).parents)
    assert len(parents) == 5
    world.like("lakes", "moss", "woods", "hills", "snow")
    world.ticks(2, minutes=60)
    assert world.model.times("reflect") == 2
    assert sorted(one.text for one in world.ledger.claims(status="pending")) == [QUIET.text, "User enjoys the outdoors."]


@pytest.mark.row("N47")
def test_the_same_facts_worded_anew_in_another_order_are_the_reflection_that_is_there(world: World) -> None:
    world.pending()
    with world.ledger.snapshot() as at:
        (facts,) = _parents(at)
    words = Reflection("User likes it calm.", kind="pattern")
    log, scope = world.ledger.log, world.ledger.scope
    before = world.ledger.position
    made = steps.reflect(log, scope, tuple(reversed(facts)), "", words, "scripted", world.clock.now)
    assert made.refused is None
    assert world.ledger.position == before
    assert [one.text for one in world.ledger.claims(status="pending")] == [QUIET.text]


def _parents(at: Snapshot) -> list[tuple[bytes, ...]]:
    states = [entry.fields.state for entry in at.reader.claim_entries() if isinstance(entry.fields, ClaimFields)]
    return [state.parents for state in states if state.form == "reflection"]


def test_nobody_is_asked_within_half_an_hour_after_surfacing_even_if_the_user_replied(world: World) -> None:
    world.pending()
    world.ledger.surface(now=world.clock.now)
    world.ledger.reply("Yes.", verdict="confirms", now=world.clock.now)
    world.like("lakes", "moss", "woods", "hills", "snow")
    world.model = Scripted(reflect=Reflection("User enjoys the outdoors."))
    world.tick(minutes=29)
    assert world.model.asked == []
    world.tick(minutes=1)
    assert world.model.times("reflect") == 1


def test_facts_that_earlier_reflections_absorbed_are_context_for_two_weeks(world: World) -> None:
    world.pending()
    world.like("lakes", "moss", "woods", "hills", "snow")
    world.model = Scripted(reflect=[Broken(), Broken()])
    world.tick()
    assert {one.text for one in world.model.last("reflect")[1]} == {f"User likes {thing}." for thing in FIVE}
    world.tick(days=15)
    assert world.model.last("reflect")[1] == []


def test_at_most_twenty_facts_are_asked_about_at_once_and_all_that_are_due_are_asked_about(world: World) -> None:
    world.like(*(f"thing{number:02}" for number in range(47)))
    names = iter("abc")
    world.model = Scripted(reflect=lambda facts, context: Reflection(f"User likes {next(names)} things."))
    world.tick()
    assert [len(shown[0]) for _, shown in world.model.asked] == [20, 20, 7]
    assert [len(shown[1]) for _, shown in world.model.asked] == [0, 10, 10]
    assert len(world.ledger.claims(status="absorbed")) == 47


def test_facts_about_different_entities_are_not_mixed(world: World) -> None:
    world.like(*FIVE[:3])
    world.say(*(f"the {name} is done" for name in ("roof", "wall", "door")))
    world.model = Scripted(reflect=QUIET)
    world.ticks(2)
    assert world.model.asked == []


def test_a_failed_reflection_is_asked_again_and_becomes_a_dead_letter_in_the_end(world: World) -> None:
    world.like(*FIVE)
    world.model = Scripted(reflect=Broken())
    world.ticks(8, minutes=70)
    assert world.model.times("reflect") == 5
    assert world.waiting() == [("dead letter", "reflect")]
    assert all(world.the(f"likes {thing}").status == "active" for thing in FIVE)


@pytest.mark.parametrize("junk", ["a sentence", {"text": "x", "confidence": 1}, Reflection("two\nlines")])
def test_an_answer_that_is_no_sentence_in_the_schema_makes_nothing(world: World, junk: object) -> None:
    world.like(*FIVE)
    world.model = Scripted(reflect=junk)
    world.tick()
    assert {one.form for one in world.ledger.claims(every=True)} == {"fact"}
    assert world.funnel("questions without an answer")["reflect: failed"] == 1


def test_a_fact_that_changed_while_the_model_thinks_makes_the_answer_stale(world: World) -> None:
    world.like(*FIVE)
    world.ledger.extract(world.model)
    doomed = world.the("likes rain").id
    hook = by_another(world.folder, lambda other: other.reject(doomed))
    world.model = Scripted(reflect=[meanwhile(hook, QUIET)])
    world.tick()
    assert {one.status for one in world.ledger.claims(every=True)} == {"active", "denied"}
    world.like("lakes")
    world.model = Scripted(reflect=QUIET)
    world.tick(minutes=90)
    assert world.the(CALM).status == "pending"
    assert "User likes rain." not in {parent["text"] for parent in world.ledger.why(world.the(CALM).id).parents}


def test_a_rejected_sentence_is_not_reflected_again(world: World) -> None:
    world.pending()
    world.ledger.reject(world.the(CALM).id)
    world.like("lakes", "moss", "woods", "hills", "snow")
    world.model = Scripted(reflect=QUIET)
    world.tick()
    assert [one.status for one in world.ledger.claims(every=True) if one.form == "reflection"] == ["denied"]
    assert ("refused", "rejected value") in world.waiting()
    assert world.the("likes lakes").status == "active"
