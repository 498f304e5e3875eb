"""Replacement and nomination, as a host meets them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answering import Answering, says
from extractors import Plain
from mechanism import World

from affidavit.domain.errors import BadInput, UnknownId
from affidavit.domain.roles import Actor
from affidavit.domain.times import DAY

PENDING, DONE = "The push is pending.", "The push is completed."
DARK, LIGHT = "User prefers dark mode.", "User prefers light mode."
STATE: dict[str, Any] = {"kind": "project_state"}
LIKING: dict[str, Any] = {"kind": "preference"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "ledger")
    with made.ledger:
        yield made


def hears(world: World, text: str, script: Any, **message: Any) -> Answering:
    """Lets a model read a message a minute later."""
    world.clock.now += 60_000_000
    model = Answering(script)
    given: dict[str, Any] = {"text": text, **message}
    world.ledger.remember(given, extractor=model)
    return model


def sound(world: World) -> None:
    assert all(one.agree for one in world.ledger.check_views())
    assert world.ledger.verify().clean


@pytest.mark.row("P4")
def test_a_summary_is_withheld_and_the_evidence_says_how_often(world: World) -> None:
    hears(world, "I prefer dark mode.", says(DARK, **LIKING))
    model = hears(world, "User prefers light mode now.", says(LIGHT, replaces=DARK, **LIKING), summary=True, role="system")
    assert model.shown == [DARK]
    assert [claim.text for claim in world.ledger.claims()] == [DARK]
    assert [claim.text for claim in world.ledger.context("mode")] == [DARK]
    assert world.waiting() == [("quarantined", "weaker replacement")]
    item = next(one for one in world.ledger.evidence() if "light" in one.text)
    assert item.readings == ["answering@1/aaaaaaaa completed (revision 1), 1 weaker replacement(s) withheld"]
    held = world.ledger.history(world.the("light").id)[-1]
    assert (held.type, held.changed["rule"]) == ("claim-quarantined", "weaker replacement")
    assert (held.changed["status"], held.changed["bound_to"]) == ("quarantined", world.the("dark").id)
    assert world.ledger.timeline()[-1]["withheld"] == 1
    sound(world)


@pytest.mark.row("P7")
def test_a_tools_result_moves_on_what_a_host_nominates(world: World) -> None:
    hears(world, "The push is running.", says("The push is running.", **STATE))
    world.ledger.correct(world.the("running").id, PENDING)
    done = says(DONE, replaces=PENDING, **STATE)
    nominated = hears(world, "push completed", done, role="tool", targets=[world.the("pending").id])
    assert (nominated.shown, nominated.asked[0].role) == ([PENDING], "tool")
    assert (world.the("completed").status, world.the("pending").status) == ("active", "superseded")
    assert (world.state("completed")["basis"], world.state("completed")["method"]) == ("tool_observation", "model")
    item = next(one for one in world.ledger.evidence() if one.text == "push completed")
    assert item.targets == [world.the("pending").id]
    sound(world)


def test_a_failure_is_an_observation_as_well(world: World) -> None:
    hears(world, "The push is pending.", says(PENDING, **STATE))
    failed = "The push has failed."
    target = {"role": "tool", "targets": [world.the("pending").id]}
    hears(world, "push failed: no route to host", says(failed, replaces=PENDING, **STATE), **target)
    assert (world.the("failed").status, world.state("failed")["basis"]) == ("active", "tool_observation")


def test_without_a_nomination_a_tools_text_is_read_by_nobody(world: World) -> None:
    hears(world, "The push is pending.", says(PENDING, **STATE))
    model = hears(world, "push completed", says(DONE, replaces=PENDING, **STATE), role="tool")
    assert model.asked == []
    assert world.the("pending").status == "active"


def test_an_extractor_that_replaces_nothing_does_not_read_what_was_nominated(world: World) -> None:
    hears(world, "The push is pending.", says(PENDING, **STATE))
    nominated = {"text": "push completed", "role": "tool", "targets": [world.the("pending").id]}
    assert world.ledger.remember(nominated, extractor=Plain()).failed == 0
    assert world.ledger.jobs(Plain()).pending == 1  # The user's own message, which another extractor has read.


@pytest.mark.row("P28")
@pytest.mark.parametrize("targets", [[], ["", ""], "x", [1], None])
def test_a_nomination_is_one_to_eight_claims_each_once(world: World, targets: Any) -> None:
    hears(world, "The push is pending.", says(PENDING, **STATE))
    before = world.ledger.position
    if targets is None:
        targets = [f"{number:024x}" for number in range(9)]
    with pytest.raises(BadInput, match="1 to 8 ids of claims are required, each once"):
        world.ledger.remember({"text": "push completed", "role": "tool", "targets": targets})
    assert world.ledger.position == before


def test_it_names_project_states_with_a_tools_result(world: World) -> None:
    hears(world, "I prefer dark mode.", says(DARK, **LIKING))
    hears(world, "The push is pending.", says(PENDING, **STATE))
    dark, pending = world.the("dark").id, world.the("pending").id
    with pytest.raises(BadInput, match="kind preference, project_state is required"):
        world.ledger.remember({"text": "x", "role": "tool", "targets": [dark]})
    with pytest.raises(BadInput, match="role user has targets"):
        world.ledger.remember({"text": "x", "targets": [pending]})
    with pytest.raises(UnknownId):
        world.ledger.remember({"text": "x", "role": "tool", "targets": ["0" * 24]})


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_a_voice_nominates_nothing_and_the_attempt_is_told(world: World, role: Any) -> None:
    hears(world, "The push is pending.", says(PENDING, **STATE))
    world.ledger.actor = Actor(role, "bot")
    done = world.ledger.remember({"text": "x", "role": "tool", "targets": [world.the("pending").id]})
    assert [refusal["rule"] for refusal in done.refused] == ["role"]
    assert ("refused", "role") in world.waiting()


@pytest.mark.row("P6")
def test_a_rebuild_gives_what_was_there(world: World) -> None:
    hears(world, "The code is 5432.", says("The code is 5432."))
    world.ledger.correct(world.the("5432").id, "The code is 7777.")
    hears(world, "The code is 1111.", says("The code is 1111.", replaces="The code is 7777."), role="system", summary=True)
    assert world.the("7777").status == "active"
    assert world.the("1111").status == "quarantined"
    hears(world, "The code is 9999.", says("The code is 9999.", replaces="The code is 7777."))
    assert (world.the("7777").status, world.the("9999").status) == ("superseded", "active")
    before = [(claim.text, claim.status) for claim in world.ledger.claims(every=True)]
    world.ledger.rebuild()
    world.ledger.rebuild_index()
    assert [(claim.text, claim.status) for claim in world.ledger.claims(every=True)] == before
    sound(world)


@pytest.mark.row("P25")
def test_work_that_nobody_confirms_for_a_week_is_dormant_and_comes_back_when_it_is_confirmed(world: World) -> None:
    hears(world, "The push is pending.", says(PENDING, **STATE))
    world.clock.now += 8 * DAY
    prompt = world.ledger.prompt(now=world.clock.now)
    assert PENDING not in prompt.text
    omitted = [one for section in prompt.manifest["sections"] for one in section["omitted"]]
    assert [(one["id"], one["reason"]) for one in omitted] == [(world.the("pending").id, "dormant")]
    assert [claim.text for claim in world.ledger.claims()] == [PENDING]
    shown = world.ledger.show(world.the("pending").id, now=world.clock.now)
    assert (shown.dormant, round(shown.freshness, 2)) == (True, 0.58)
    target = {"role": "tool", "targets": [world.the("pending").id]}
    hears(world, "push pending", says(PENDING, replaces=PENDING, **STATE), **target)
    assert PENDING in world.ledger.prompt(now=world.clock.now).text
    shown = world.ledger.show(world.the("pending").id, now=world.clock.now)
    assert (shown.dormant, shown.freshness) == (False, 1.0)


def test_what_nothing_was_withheld_of_says_so(world: World) -> None:
    hears(world, "I prefer dark mode.", says(DARK, **LIKING))
    done = world.ledger.remember({"text": "User prefers dark mode."}, extractor=Answering(()))
    assert (done.pending, done.withheld) == (0, 0)
