"""Shared narratives are kept apart by type: each path that infers, renders or counts is walked, and none takes one."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mechanism import FIVE, QUIET, World
from reasoners import FRESH, Scripted, every

import affidavit
from affidavit.domain.roles import Actor
from affidavit.domain.times import DAY, iso
from affidavit.scripts.ledger import Ledger

ACE = "Abby calls Ana 'Ace the Mixer' whenever there is tea."
SAME = "User likes tea."
"""A narrative in the very words of a fact."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        yield ledger


def model() -> Scripted:
    """Answers every question there is, so that every one is asked."""
    return Scripted(
        reflect=QUIET,
        relate=every("reinforces", "quiet"),
        targets=lambda messages, observations: tuple(one.id for one in observations),
        merge=FRESH,
        refine=(),
        summarise="They spoke of what Ana likes.",
        judge_reply=None,
    )


def lived(folder: Path, *, narratives: bool) -> tuple[World, Scripted]:
    """Lets the whole mechanism run over a life, with or without narratives from the first day on."""
    world, asked = World(folder), model()
    world.model = asked
    if narratives:
        assert world.ledger.add_narrative(ACE, "inside_joke").refused == ""
        assert world.ledger.add_narrative(SAME, "warm").refused == ""
    world.persona("moss")
    for thing in (*FIVE, "lakes", "books", "tides"):
        world.like(thing)
        world.tick(minutes=30)
    world.say(*(f"Message {number}, of nothing." for number in range(50)), role="assistant", session="talk")
    world.say("Ace the Mixer, is there tea again?", "Ace the Mixer!", "Tea, Ace the Mixer.", role="assistant")
    world.say("Let's not talk about Ace the Mixer and tea.", "I dislike tea.", "I like tea.")
    for _ in range(4):
        world.tick(minutes=60)
        world.ledger.surface(now=world.clock.now, most=99)
    world.ledger.reply("Yes.", verdict="confirms", now=world.clock.now, claim=world.the("quiet evenings").id)
    world.like(*["wine"] * 5, "tea", "figs")
    world.ticks(6, minutes=60)
    world.tick(days=20)
    return world, asked


def seen(world: World) -> dict[str, Any]:
    """Returns what the scope holds and shows, by its words and not by its ids, without the narratives themselves."""
    ledger, now = world.ledger, world.clock.now
    kept = [one for one in ledger.claims(every=True, now=now) if one.form != "narrative"]
    states = {(one.form, one.text): ledger.show(one.id, now=now).state for one in kept}
    known = ledger.envelope(now=now)
    return {
        "states": states,
        "prompt": sorted(ledger.prompt(now=now).text.splitlines()),
        "context": sorted(one.text for one in ledger.context("tea Ace the Mixer", now=now)),
        "facts": sorted(({**fact, "id": ""} for fact in known.pop("relational")["memorable_facts"]), key=repr),
        "envelope": known,
        "inbox": sorted((one["class"], one["rule"], one["text"]) for one in ledger.inbox()),
        "archive": sorted(one["text"] for one in ledger.archive()),
        "funnel": [one for one in ledger.funnel() if one["stage"] != "narratives added"],
        "surfaced": sorted(one.text for one in ledger.surface(now=now + DAY, most=99)),
        "evidence": len(ledger.evidence()),
    }


def test_all_else_is_as_if_there_were_no_narratives(tmp_path: Path) -> None:
    (without, asked_without), (world, asked) = (lived(tmp_path / str(told), narratives=told) for told in (False, True))
    told, plain = seen(world), seen(without)
    assert told == plain
    assert {"fact", "reflection", "persona"} <= {form for form, _ in told["states"]}
    questions = {name for name, _ in asked.asked}
    assert questions >= {"reflect", "relate", "targets", "merge", "summarise"}
    assert Counter(name for name, _ in asked.asked) == Counter(name for name, _ in asked_without.asked)
    assert not any("Abby" in repr(shown) for _, shown in asked.asked)
    shown = [one.text for one in world.ledger.narratives(now=world.clock.now)]
    assert sorted(shown) == sorted([ACE, SAME])
    for text, state in ((one.text, world.ledger.show(one.id).state) for one in world.ledger.narratives()):
        moved = ("reinforcement", "disputation", "signals", "sub_zero_days", "attempts", "review", "utility")
        assert not any(state.get(name) for name in moved), text
        assert (state["status"], state["confirmation"]) == ("active", "unconfirmed")
    assert [step.type for one in world.ledger.narratives() for step in world.ledger.history(one.id)] == [
        "narrative-added"
    ] * 2
    assert all(one.agree for one in world.ledger.check_views())
    assert world.ledger.verify().clean
    for one in (world, without):
        one.ledger.close()


def test_neither_rejects_the_other(ledger: Ledger) -> None:
    fact = ledger.remember("I like tea.").claims[0]
    ledger.add_narrative(SAME)
    (narrative,) = ledger.narratives()
    ledger.forget(narrative.id)
    assert [one.text for one in ledger.claims()] == [SAME]
    assert ledger.remember("I like tea!").refused == []
    ledger.reject(fact.id)
    assert ledger.add_narrative(SAME).refused == ""
    assert ledger.remember("I like tea!!").refused != []
    assert [one.form for one in ledger.claims()] == ["narrative"]


def test_it_takes_no_feedback_reply_or_word_of_an_extractor(ledger: Ledger) -> None:
    ledger.add_narrative(ACE)
    (one,) = ledger.narratives()
    assert ledger.feedback(one.id, "accurate").rule == "form"
    assert ledger.surface() == []
    assert ledger.remember(f"memory {one.id} is incorrect.").feedback == []
    assert ledger.extract(again=True).claims == {}
    assert ledger.prompt().text == ""
    assert ledger.context("Ace the Mixer") == []
    assert ledger.envelope()["relational"]["memorable_facts"] == []


def test_a_person_corrects_and_forgets_it_and_a_host_does_neither(ledger: Ledger) -> None:
    ledger.add_narrative(ACE, "funny", "2099-01-01")
    (one,) = ledger.narratives()
    ledger.actor = Actor("host", "bot")
    assert ledger.forget(one.id).rule == "role"
    assert ledger.correct(one.id, "Abby calls Ana 'Ace'.").rule == "role"
    ledger.actor = Actor("user", "Ana")
    assert ledger.correct(one.id, "Abby calls Ana 'Ace'.").refused == ""
    (corrected,) = ledger.narratives()
    assert (corrected.text, corrected.tone, corrected.expires_at) == (
        "Abby calls Ana 'Ace'.",
        "funny",
        "2099-01-01T00:00:00Z",
    )
    assert ledger.context("Ace") == []
    ledger.forget(corrected.id)
    assert ledger.narratives() == []
    ledger.actor = Actor("host", "bot")
    assert ledger.add_narrative("Abby calls Ana 'Ace'.").rule == "rejected value"
    ledger.actor = Actor("user", "Ana")
    assert ledger.add_narrative("Abby calls Ana 'Ace'.").refused == ""
    assert len(ledger.narratives()) == 1
    assert ledger.verify().clean
    assert all(found.agree for found in ledger.check_views())


def test_it_is_withheld_once_it_is_over_and_stays_in_the_log(ledger: Ledger) -> None:
    ledger.add_narrative(ACE, expires="2098-01-01T00:00:00Z")
    (one,) = ledger.narratives(now="2097-12-31")
    assert ledger.narratives(now="2098-01-01") == []
    assert ledger.claims(now="2098-01-01") == []
    assert ledger.claims(now="2098-01-01", limit=5) == []
    assert [found.live for found in ledger.claims(now="2098-01-01", every=True)] == [False]
    assert ledger.show(one.id).state["expires_at"] == "2098-01-01T00:00:00Z"


def test_it_is_added_on_purpose_and_as_it_should_be(ledger: Ledger) -> None:
    assert ledger.add_narrative("Too short").rule == "wording"
    assert ledger.add_narrative("  Too short   ").rule == "wording"
    assert ledger.add_narrative(ACE, "gloomy").rule == "tone"
    assert ledger.add_narrative(ACE, expires="2001-01-01").rule == "expiry"
    assert ledger.add_narrative(ACE).position > 0
    assert ledger.add_narrative(ACE).position == 0
    assert ledger.add_narrative(ACE, "warm").position > 0
    assert [one.tone for one in ledger.narratives()] == ["warm"]
    ledger.add_narrative("The guild calls Ana 'the Mixer'.", namespace="guild")
    assert [one.namespace for one in ledger.narratives("guild")] == ["", "guild"]
    assert [one.namespace for one in ledger.narratives("other")] == [""]
    position = ledger.history(ledger.narratives()[0].id)[-1].position
    assert ledger.undo(position).refused == ""
    assert [one.tone for one in ledger.narratives()] == ["playful"]
    assert iso(0) < ledger.narratives()[0].added_at
