"""Undo of any change: exactly what it set comes back, all of it or nothing, and the gate agrees with the claims."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import affidavit as command
from extractors import Dislikes, Plain, archive
from mechanism import World
from reasoners import FRESH, Scripted

import affidavit
from affidavit.domain.errors import UsageError
from affidavit.domain.roles import Actor
from affidavit.journal import records
from affidavit.scripts.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as opened:
        opened.remember(
            [
                {"id": "1", "text": "I like tea.", "time": "2026-11-01"},
                {"id": "2", "text": "I live in Lisbon.", "time": "2026-11-01"},
                {"id": "3", "text": "I like jazz.", "time": "2026-11-01"},
            ],
        )
        yield opened


def states(ledger: Ledger) -> dict[str, dict[str, Any]]:
    """Returns the whole state of every claim that was not only there for a while."""
    found = {claim.text: ledger.show(claim.id).state for claim in ledger.claims(every=True)}
    return {text: state for text, state in found.items() if state["status"] != "forgotten"}


def the(ledger: Ledger, text: str) -> str:
    return next(claim.id for claim in ledger.claims(every=True) if claim.text == text)


def sound(ledger: Ledger) -> None:
    """The views, the index and the log agree, and a view built anew says the same."""
    assert all(view.agree for view in ledger.check_views())
    report = ledger.verify()
    assert report.clean, report.faults
    ledger.rebuild_index()
    assert ledger.verify().clean


TEA, LISBON, JAZZ = "User likes tea.", "User lives in Lisbon.", "User likes jazz."
CHANGES: dict[str, Callable[[Ledger], Any]] = {
    "correct": lambda ledger: ledger.correct(the(ledger, LISBON), "User lives in Porto."),
    "correct the wording": lambda ledger: ledger.correct(the(ledger, TEA), "User really likes tea.", value="tea"),
    "reject": lambda ledger: ledger.reject(the(ledger, LISBON)),
    "forget": lambda ledger: ledger.forget(the(ledger, TEA)),
    "pin": lambda ledger: ledger.pin(the(ledger, TEA)),
    "useful": lambda ledger: ledger.feedback(the(ledger, TEA), "useful"),
    "accurate": lambda ledger: ledger.feedback(the(ledger, TEA), "accurate"),
    "incorrect": lambda ledger: ledger.feedback(the(ledger, TEA), "incorrect"),
    "a newer statement": lambda ledger: ledger.remember({"id": "9", "text": "I live in Porto now."}),
    "the same again": lambda ledger: ledger.remember({"id": "9", "text": "I like tea."}, extractor=Plain()),
    "a contradiction": lambda ledger: ledger.remember({"id": "9", "text": "I dislike jazz."}, extractor=Dislikes()),
    "a first statement": lambda ledger: ledger.remember({"id": "9", "text": "I like chess."}, extractor=Plain()),
    "a weaker summary": lambda ledger: ledger.remember(
        {"id": "9", "text": "I live in Porto.", "summary": True}, extractor=Plain()
    ),
    "an assertion": lambda ledger: ledger.remember({"id": "9", "text": "Ana is kind."}, as_claim=True),
}


def changed_at(ledger: Ledger) -> int:
    """Returns the position of the last change of a claim."""
    return max(step.position for claim in ledger.claims(every=True) for step in ledger.history(claim.id)[-1:])


@pytest.mark.row("P4")
@pytest.mark.parametrize("change", CHANGES)
def test_everything_is_as_it_was_and_undoing_that_brings_it_back(ledger: Ledger, change: str) -> None:
    before = states(ledger)
    assert not getattr(CHANGES[change](ledger), "refused", "")
    after = states(ledger)
    assert after != before
    done = ledger.undo(changed_at(ledger))
    assert not done.refused
    assert {"change-undone"} <= set(done.events) <= {"change-undone", "rejection-lifted"}
    assert states(ledger) == before
    assert ledger.inbox() == []
    sound(ledger)
    again = ledger.undo(done.position)
    assert not again.refused
    assert states(ledger) == after
    sound(ledger)
    assert not ledger.undo(again.position).refused
    assert states(ledger) == before


@pytest.mark.parametrize("change", ["correct", "reject", "forget", "incorrect"])
def test_the_gate_agrees_with_the_claims(ledger: Ledger, change: str) -> None:
    """What is live again may be said again; what is rejected again may not."""
    CHANGES[change](ledger)
    ledger.undo(changed_at(ledger))
    said = {"tea": "I like tea!", "home": "I live in Lisbon!"}
    for name, text in said.items():
        assert ledger.remember({"id": f"{name} again", "text": text}).refused == []
    assert {TEA, LISBON} <= {claim.text for claim in ledger.claims()}


@pytest.mark.parametrize("change", ["correct", "reject", "forget", "incorrect"])
def test_an_undo_that_is_undone_rejects_again(ledger: Ledger, change: str) -> None:
    CHANGES[change](ledger)
    ledger.undo(ledger.undo(changed_at(ledger)).position)
    text, of = ("I live in Lisbon.", LISBON) if change in {"correct", "reject"} else ("I like tea.", TEA)
    assert ledger.remember({"id": "again", "text": text}).refused
    assert of not in {claim.text for claim in ledger.claims()}
    sound(ledger)


def test_any_event_of_a_command_names_all_of_it(ledger: Ledger) -> None:
    before, begun = states(ledger), ledger.position
    done = ledger.correct(the(ledger, LISBON), "User lives in Porto.")
    assert done.position - begun >= 2
    assert not ledger.undo(begun + 1).refused
    assert states(ledger) == before


def test_a_second_undo_of_the_same_is_refused_and_changes_nothing(ledger: Ledger) -> None:
    position = ledger.pin(the(ledger, TEA)).position
    ledger.undo(position)
    before = ledger.position
    done = ledger.undo(position)
    assert (done.rule, ledger.position) == ("changed since", before)
    assert "another pinned" in done.refused


def test_a_refused_undo_names_the_position_to_undo_first(ledger: Ledger) -> None:
    tea = the(ledger, TEA)
    first = ledger.feedback(tea, "useful").position
    for _ in range(3):
        ledger.pin(tea)
        ledger.unpin(tea)
    second = ledger.feedback(tea, "unhelpful").position
    for _ in range(3):
        ledger.pin(tea)
        ledger.unpin(tea)
    refused = ledger.undo(first).refused
    assert f"another utility of claim {tea} since (unhelpful, set at position {second})" in refused
    assert f"undo position {second} first" in refused
    assert not ledger.undo(second).refused
    assert not ledger.undo(first).refused
    assert ledger.show(tea).state.get("utility") is None


def test_an_undo_reads_what_the_command_wrote_and_not_the_history(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for an earlier rejection of the same claim ends where the claim was live."""
    read: list[int] = []
    at = records.at

    def counted(connection: Any, position: int) -> Any:
        read.append(position)
        return at(connection, position)

    tea, costs = the(ledger, TEA), []
    monkeypatch.setattr(records, "at", counted)
    for turns in (2, 40):
        for _ in range(turns):
            ledger.pin(tea)
            ledger.unpin(tea)
        position = ledger.reject(tea).position
        read.clear()
        assert not ledger.undo(position).refused
        costs.append(len(read))
    assert costs[0] == costs[1] > 0


@pytest.mark.parametrize("rebuilt", [False, True])
def test_what_was_changed_before_a_rebuild_is_undone_after_it(ledger: Ledger, rebuilt: bool) -> None:
    before = states(ledger)
    position = ledger.correct(the(ledger, LISBON), "User lives in Porto.").position
    if rebuilt:
        ledger.rebuild()
        ledger.rebuild_index()
    assert not ledger.undo(position).refused
    assert states(ledger) == before
    sound(ledger)


def test_a_pin_that_was_taken_off_is_on_again(ledger: Ledger) -> None:
    tea = the(ledger, TEA)
    ledger.pin(tea)
    position = ledger.unpin(tea).position
    assert not ledger.undo(position).refused
    assert ledger.show(tea).state["pinned"] is True
    sound(ledger)


def test_a_promotion_is_undone_whole(tmp_path: Path) -> None:
    world = World(tmp_path / "world")
    world.like(*["tea"] * 5)
    world._take("extraction", world.model)
    before = world.state("likes tea", "fact")
    tried = {"attempts", "attempt_at"}  # Written before a model is asked, by a command of its own.
    world._take("promotion", Scripted(merge=FRESH))
    assert world.state("likes tea", "fact")["status"] == "promoted"
    done = world.ledger.undo(changed_at(world.ledger))
    assert not done.refused
    after = world.state("likes tea", "fact")
    assert {name for name in after if after[name] != before.get(name)} <= tried
    assert before.keys() <= after.keys()
    assert world.state("likes tea", "persona")["status"] == "forgotten"
    sound(world.ledger)
    assert not world.ledger.undo(done.position).refused
    assert world.state("likes tea", "fact")["status"] == "promoted"
    assert world.the("likes tea", "persona").live
    sound(world.ledger)
    world.ledger.close()


def test_what_changed_since_is_no_loss(ledger: Ledger) -> None:
    ledger.pin(the(ledger, TEA))
    position = ledger.position
    ledger.remember({"id": "again", "text": "I like tea."}, extractor=Plain())
    assert not ledger.undo(position).refused
    state = ledger.show(the(ledger, TEA)).state
    assert (state["pinned"], state["reinforcement"]) == (False, 0.5)


def test_counters_that_moved_since_are_not_moved_back(ledger: Ledger) -> None:
    ledger.remember({"id": "a", "text": "I like tea."}, extractor=Plain())
    position = ledger.history(the(ledger, TEA))[-1].position
    ledger.remember({"id": "b", "text": "I like tea."}, extractor=Plain())
    assert ledger.undo(position).rule == "changed since"
    assert ledger.show(the(ledger, TEA)).state["reinforcement"] == 1.0


def test_a_mention_in_between_is_no_obstacle(ledger: Ledger) -> None:
    position = ledger.reject(the(ledger, JAZZ)).position
    ledger.remember({"text": "You said that you like jazz.", "role": "assistant"})
    assert not ledger.undo(position).refused
    ledger.remember({"id": "chess", "text": "I like chess."}, extractor=Plain())
    position = ledger.history(the(ledger, "User likes chess."))[-1].position
    ledger.remember({"text": "I know that you like chess.", "role": "assistant"})
    assert not ledger.undo(position).refused
    assert ledger.show(the(ledger, "User likes chess.")).state["status"] == "forgotten"


def test_an_undone_pin_rejects_nothing(ledger: Ledger) -> None:
    ledger.undo(ledger.pin(the(ledger, TEA)).position)
    assert ledger.remember({"id": "again", "text": "I like tea."}, extractor=Plain()).refused == []
    assert ledger.show(the(ledger, TEA)).claim.live


def test_what_an_undone_reading_said_is_not_read_into_it_again_but_may_be_said_anew(ledger: Ledger) -> None:
    ledger.remember({"id": "chess", "text": "I like chess."}, extractor=Plain())
    chess = the(ledger, "User likes chess.")
    ledger.undo(ledger.history(chess)[-1].position)
    ledger.extract(Plain(), again=True)
    ledger.extract("rules", again=True)
    assert not ledger.show(chess).claim.live
    ledger.remember({"id": "chess 2", "text": "I like chess."}, extractor=Plain())
    assert ledger.show(chess).claim.live


def test_an_archive_is_undone_and_undone_again(ledger: Ledger) -> None:
    archive(ledger, "rain")
    rain = ledger.archive()[0]["id"]
    ledger.undo(ledger.unarchive(rain).position)
    assert [one["id"] for one in ledger.archive()] == [rain]
    assert not ledger.undo(ledger.position).refused
    assert ledger.show(rain).claim.live
    sound(ledger)


def test_a_verdict_of_a_reply_and_what_followed_are_one_change(ledger: Ledger) -> None:
    ledger.remember("I think I prefer coffee.")
    coffee = ledger.surface()[0].claim
    before = ledger.show(coffee).state
    ledger.reply("Yes.", claim=coffee, verdict="confirms", quote="Yes")
    assert not ledger.undo(ledger.position).refused
    assert ledger.show(coffee).state == before


def test_a_resolution_is_undone(ledger: Ledger) -> None:
    ledger.feedback(the(ledger, TEA), "incorrect")
    before, waiting = states(ledger), [matter["text"] for matter in ledger.inbox()]
    position = ledger.resolve(the(ledger, TEA), "keep-new").position
    assert ledger.inbox() == []
    assert not ledger.undo(position).refused
    assert states(ledger) == before
    assert [matter["text"] for matter in ledger.inbox()] == waiting
    assert ledger.remember({"id": "again", "text": "I like tea."}).refused
    sound(ledger)


def test_receipts_remain(ledger: Ledger) -> None:
    ledger.undo(ledger.feedback(the(ledger, TEA), "useful", id="f1").position)
    before = ledger.position
    ledger.feedback(the(ledger, TEA), "useful", id="f1")
    assert (ledger.position, ledger.show(the(ledger, TEA)).state.get("utility")) == (before, None)


def test_what_changed_no_claim_is_refused(ledger: Ledger) -> None:
    position = ledger.switch_mode(powerful=False).position
    assert ledger.undo(position).rule == "no change"
    ledger.open_scope("bo")
    for elsewhere in (0, -1, 10**6, ledger.position):
        with pytest.raises(UsageError, match="holds no record of this scope"):
            ledger.at("ana").undo(elsewhere)


@pytest.mark.parametrize("role", ["host", "assistant", "tool", "system", "extractor", "scheduler"])
def test_nobody_else_may(ledger: Ledger, role: Any) -> None:
    position = ledger.pin(the(ledger, TEA)).position
    ledger.actor = Actor(role, "x")
    assert ledger.undo(position).rule == "role"
    assert ledger.show(the(ledger, TEA)).state["pinned"] is True


def test_the_command(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(tmp_path / "ledger"))
    position = ledger.correct(the(ledger, LISBON), "User lives in Porto.").position
    done = command("undo", str(position))
    assert (done.code, done.out.split()[0]) == (0, "undone")
    assert LISBON in command("claims").out
    assert "a change was undone" in command("why", the(ledger, LISBON)).out
    assert command("undo", str(position)).code == 1
    assert command("undo", "999999").code == 2
    assert command("undo", "abc").code == 2


@pytest.mark.parametrize("later", ["forget", "reject", "remove-both"])
def test_an_undo_leaves_the_rejection_that_was_there_before(ledger: Ledger, later: str) -> None:
    tea = the(ledger, TEA)
    ledger.feedback(tea, "incorrect")
    before = states(ledger)
    done = ledger.resolve(tea, later) if later == "remove-both" else getattr(ledger, later)(tea)
    assert states(ledger) != before
    assert not ledger.undo(done.position).refused
    assert states(ledger) == before
    assert ledger.remember({"id": "again", "text": "I like tea."}).refused
    assert not ledger.resolve(tea, "keep-new").refused
    assert ledger.remember({"id": "and again", "text": "I like tea."}).refused == []
    sound(ledger)


@pytest.mark.parametrize("disposition", ["keep-old", "keep-new", "keep-both", "remove-both"])
def test_an_undone_resolution_of_a_conflict_opens_it_again(ledger: Ledger, disposition: str) -> None:
    lisbon = the(ledger, LISBON)
    ledger.correct(lisbon, "User lives in Porto.")
    ledger.remember({"id": "again", "text": "I live in Lisbon."})
    (conflict,) = ledger.inbox()
    assert (conflict["class"], conflict["bound_to"]) == ("conflict", lisbon)
    done = ledger.resolve(lisbon, disposition)
    assert ledger.inbox() == []
    undone = ledger.undo(done.position)
    assert ledger.inbox() == [conflict]
    ledger.undo(undone.position)
    assert ledger.inbox() == []
    ledger.undo(ledger.position)
    assert ledger.inbox() == [conflict]
    sound(ledger)
