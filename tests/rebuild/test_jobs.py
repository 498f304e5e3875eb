"""Jobs: a model is asked one thing after the other, under a lease, within the hour's calls, and may come too late."""

import dataclasses
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from answering import Answering, says
from extractors import Plain
from mechanism import MINUTE, Clock, World

import affidavit
from affidavit.domain.errors import ExtractionError, OutputError
from affidavit.domain.proposals import Passage
from affidavit.rebuild.lease import is_read, reading

TEA, CAKE = "User likes tea.", "User likes cake."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "ledger")
    with made.ledger:
        yield made


def read(world: World, extractor: Any, **options: Any) -> tuple[int, int, int]:
    """Lets the extractor read; returns how many readings succeeded, failed and were left."""
    tally = world.ledger.extract(extractor, **options)
    return tally.read, tally.failed, tally.pending


def state(world: World, extractor: Any) -> dict[str, int]:
    """Returns the extractor's jobs by their state, without those states that none has."""
    found = world.ledger.jobs(extractor)
    counts = {name: getattr(found, name) for name in ("pending", "running", "done", "failed", "paused", "calls")}
    return {name: count for name, count in counts.items() if count}


def budget(world: World, calls: int) -> None:
    policy = world.ledger.policy()
    changed = msgspec.structs.replace(policy.extraction, calls_an_hour=calls)
    world.ledger.adopt_policy(msgspec.structs.replace(policy, extraction=changed))


# States


def test_a_job_is_pending_then_done(world: World) -> None:
    model = Answering(says(TEA, kind="preference"))
    world.say("I like tea.")
    assert state(world, model) == {"pending": 1}
    assert read(world, model) == (1, 0, 0)
    assert state(world, model) == {"done": 1, "calls": 1}
    assert world.state("tea")["method"] == "model"


def test_a_failed_one_backs_off_and_is_paused_in_the_end(world: World) -> None:
    model = Answering(ExtractionError("no connection"))
    world.say("I like tea.")
    assert read(world, model) == (0, 1, 0)
    for wait in (1, 5, 15, 60):
        world.clock.now += wait * MINUTE - 1
        assert read(world, model) == (0, 0, 0)
        world.clock.now += 1
        assert read(world, model) == (0, 1, 0)
    assert state(world, model) == {"failed": 1, "paused": 1, "calls": 1}
    assert world.waiting() == [("dead letter", "extraction")]
    assert read(world, model) == (0, 0, 0)


def test_a_job_is_running_while_a_program_holds_its_lease(world: World) -> None:
    model = Answering()
    world.say("I like tea.")
    item = bytes.fromhex(world.ledger.evidence()[0].id)
    (whole,) = [key for key in _items(world) if key.hex().startswith(item.hex())]
    with reading(world.folder, whole, str(model.identity)) as alone:
        assert alone
        assert state(world, model) == {"running": 1}
        tally = world.ledger.extract(model)
        assert (tally.read, tally.running, model.asked) == (0, 1, [])
    assert state(world, model) == {"pending": 1}
    assert read(world, model) == (1, 0, 0)
    assert not list(world.folder.glob("read-*"))


def _items(world: World) -> list[bytes]:
    with world.ledger.snapshot() as at:
        return at.reader.evidence_items(at.scope)


def test_a_lease_is_for_one_at_a_time(tmp_path: Path) -> None:
    held: list[bool] = []

    def another() -> None:
        with reading(tmp_path, bytes(16), "x") as alone:
            held.append(alone)

    with reading(tmp_path, bytes(16), "x") as alone:
        assert alone
        assert is_read(tmp_path, bytes(16), "x")
        thread = threading.Thread(target=another)
        thread.start()
        thread.join(10)
        with reading(tmp_path, bytes(16), "y") as other:
            assert other
    assert held == [False]
    another()
    assert held == [False, True]
    assert not is_read(tmp_path, bytes(16), "x")


def test_a_run_that_is_killed_leaves_its_job_pending(world: World) -> None:
    model = Answering(KeyboardInterrupt(), says(TEA, kind="preference"))
    world.say("I like tea.")
    with pytest.raises(KeyboardInterrupt):
        world.ledger.extract(model)
    assert state(world, model) == {"pending": 1}
    assert read(world, model) == (1, 0, 0)


def test_each_answer_is_kept_before_the_next_question(world: World) -> None:
    model = Answering(says(TEA, kind="preference"), KeyboardInterrupt())
    world.say("I like tea.", "I like cake.")
    with pytest.raises(KeyboardInterrupt):
        world.ledger.extract(model)
    assert [claim.text for claim in world.ledger.claims()] == [TEA]
    assert state(world, model) == {"done": 1, "pending": 1, "calls": 1}


# Output


def test_three_answers_in_a_row_that_are_none_pause_a_reading(world: World) -> None:
    model = Answering(OutputError("gibberish"))
    world.say("I like tea.")
    for wait in (0, 1, 5):
        world.clock.now += wait * MINUTE
        read(world, model)
    assert state(world, model) == {"failed": 1, "paused": 1, "calls": 3}
    (matter,) = world.ledger.inbox()
    assert (matter["class"], matter["failure"], matter["attempts"]) == ("dead letter", "output", 3)
    assert world.funnel("extraction failed") == {"output": 3}


def test_another_failure_between_them_begins_the_count_anew(world: World) -> None:
    bad, gone = OutputError("gibberish"), ExtractionError("no connection")
    model = Answering(bad, bad, gone, bad)
    world.say("I like tea.")
    for wait in (0, 1, 5, 15):
        world.clock.now += wait * MINUTE
        read(world, model)
    assert state(world, model) == {"failed": 1, "calls": 4}


# Calls


def test_when_the_hours_calls_are_spent_the_rest_stays_pending_and_is_told(world: World) -> None:
    budget(world, 2)
    model = Answering(())
    world.say("One.", "Two.", "Three.", "Four.")
    assert read(world, model) == (2, 0, 2)
    assert state(world, model) == {"pending": 2, "done": 2, "calls": 2}
    assert read(world, model) == (0, 0, 2)
    world.clock.now += 60 * MINUTE
    assert read(world, model) == (2, 0, 0)


def test_failures_and_readings_of_known_evidence_are_calls_too(world: World) -> None:
    budget(world, 3)
    model = Answering(ExtractionError("no connection"), ())
    world.say("One.")
    read(world, model)
    assert read(world, model, again=True) == (1, 0, 0)
    assert read(world, model, again=True) == (1, 0, 0)
    assert read(world, model, again=True) == (0, 0, 1)
    assert state(world, model) == {"done": 1, "calls": 3}


def test_the_rules_have_no_budget(world: World) -> None:
    budget(world, 1)
    world.say("I like tea.", "I like cake.")
    assert read(world, Plain()) == (2, 0, 0)
    assert state(world, Plain()) == {"done": 2}


def test_a_message_longer_than_the_budget_has_an_hour_of_its_own(world: World) -> None:
    budget(world, 2)
    model = Answering(())
    world.say("One.", "One.\n\nTwo.\n\nThree.")
    assert read(world, model) == (1, 0, 1)
    world.clock.now += 60 * MINUTE
    assert read(world, model) == (1, 0, 0)
    assert state(world, model) == {"done": 2, "calls": 3}


def test_what_one_program_spent_another_does_not_have(world: World, tmp_path: Path) -> None:
    budget(world, 1)
    world.say("One.", "Two.")
    read(world, Answering(()))
    clock = Clock()
    clock.now = world.clock.now
    with affidavit.open(tmp_path / "ledger", clock=clock) as other:
        assert other.extract(Answering((), name="another")).pending == 2


# What it is shown


def test_it_is_shown_what_the_message_mentions_newest_first(world: World) -> None:
    for text in ("I like tea.", "I live in Lisbon.", "My port is 5432.", "I like rain."):
        world.clock.now += MINUTE
        world.say(text)
    world.ledger.extract(Plain())
    model = Answering(())
    world.clock.now += MINUTE
    world.say("My port was 5432, and I like tea.")
    world.ledger.extract(model)
    shown = model.asked[-1].shown
    assert {one.text for one in shown} == {"User's port is 5432.", "User likes tea."}
    assert [one.text for one in shown] == ["User's port is 5432.", "User likes tea."]
    port = shown[0]
    assert (port.kind, port.basis, len(port.id), port.evidence_at) == (
        "fact",
        "user_statement",
        24,
        world.clock.now - 2 * MINUTE,
    )


def test_it_is_not_shown_what_it_could_not_replace(world: World) -> None:
    world.like("tea")
    world.ledger.remember({"text": "I like tea.", "namespace": "work"}, extractor=Plain())
    world.ledger.extract(Plain())
    pinned = next(claim for claim in world.ledger.claims() if not claim.namespace)
    model = Answering(())
    for wanted in ([TEA], []):
        world.say("I like tea and likes.")
        world.ledger.extract(model)
        assert model.shown == wanted
        world.ledger.pin(pinned.id)
    world.ledger.unpin(pinned.id)
    world.ledger.remember({"text": "User likes tea.", "time": "2020-01-01"}, extractor=model)
    assert model.shown == []


def test_the_newest_are_shown_and_the_cap_comes_last(world: World) -> None:
    policy = world.ledger.policy()
    few = msgspec.structs.replace(policy.replacement, shown=2)
    world.ledger.adopt_policy(msgspec.structs.replace(policy, replacement=few))
    for thing in ("tea", "cake", "rain"):
        world.clock.now += MINUTE
        world.like(thing)
    world.clock.now += MINUTE
    world.say("I live in Lisbon.")
    world.ledger.extract(Plain())
    model = Answering(())
    world.say("User likes everything.")
    world.ledger.extract(model)
    assert model.shown == ["User likes rain.", CAKE]


def test_only_who_wants_to_be_shown_is(world: World) -> None:
    world.like("tea")
    world.ledger.extract(Plain())
    model = Answering((), replaces=False)
    world.say("I like tea, as user likes.")
    world.ledger.extract(model)
    assert {passage.shown for passage in model.asked} == {()}


def test_it_is_shown_what_it_said_itself_of_the_message_before(world: World) -> None:
    model = Answering(says("The code is 1111."), says("The code is 2222.", replaces="The code is 1111."))
    world.say("The code is 1111.")
    world.clock.now += MINUTE
    world.say("The code is 2222.")
    assert read(world, model) == (2, 0, 0)
    assert world.the("1111").status == "superseded"
    assert world.the("2222").status == "active"
    assert all(one.agree for one in world.ledger.check_views())
    assert world.ledger.verify().clean


# Late answers


def test_an_answer_is_late_where_a_claim_it_was_shown_changed_meanwhile(world: World) -> None:
    world.like("tea")
    world.ledger.extract(Plain())
    tea = world.the("tea").id

    def answer(passage: Passage) -> Any:
        world.ledger.reject(tea)
        return says("User likes cocoa.", kind="preference")(passage)

    model = Answering(answer, says("User likes cocoa.", kind="preference"))
    world.say("User likes tea no more but cocoa.")
    tally = world.ledger.extract(model)
    assert tally.failed == 1
    assert world.funnel("extraction failed") == {"late": 1}
    assert [claim.text for claim in world.ledger.claims()] == ["User likes cocoa."]
    assert tally.read == 1
    assert read(world, model) == (1, 0, 0)
    assert state(world, model) == {"done": 2, "calls": 3}


@pytest.mark.parametrize("judge", ["pin", "unpin"])
def test_what_changes_neither_text_nor_status_makes_nothing_late(world: World, judge: str) -> None:
    world.like("tea")
    world.ledger.extract(Plain())
    tea = world.the("tea").id

    def answer(passage: Passage) -> Any:
        getattr(world.ledger, judge)(tea)
        return ()

    world.say("User likes tea.")
    assert read(world, Answering(answer)) == (2, 0, 0)


# Loops


def test_the_loops_read_by_the_same_rules(world: World) -> None:
    budget(world, 1)
    world.model = Answering(says(TEA, kind="preference"))
    world.say("I like tea.", "Tea is nice.")
    assert world.tick().read == 1
    assert world.tick(minutes=1).read == 0
    assert world.tick(minutes=61).read == 1


@pytest.mark.parametrize("replaces", [True, False])
def test_the_loops_read_what_was_nominated_if_they_can_say_what_it_changes(world: World, replaces: bool) -> None:
    pending, done = "The push is pending.", "The push is completed."
    world.model = Answering(says(pending, kind="project_state"), says(done, kind="project_state", replaces=pending))
    world.model.identity = dataclasses.replace(world.model.identity, replaces=replaces)
    world.say(pending)
    world.tick()
    nominated = {"text": "push completed", "role": "tool", "targets": [world.the("pending").id]}
    world.ledger.remember(nominated, extractor=None)
    assert world.tick().read == (1 if replaces else 0)
    assert world.the("pending").status == ("superseded" if replaces else "active")
    assert world.tick().read == 0
