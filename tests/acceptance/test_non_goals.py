"""What the mechanism is not for (seed 000): nobody edits a counter, nothing crosses scopes, and no score is called truth."""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from click.testing import CliRunner
from mechanism import CALM, World
from reasoners import FRESH, Scripted, every

from affidavit.domain.claims import ClaimState
from affidavit.scripts.cli import app
from affidavit.scripts.ledger import Ledger

COUNTERS = {
    name for name, field in ClaimState.model_fields.items() if {int, bool} & {field.annotation, *get_args(field.annotation)}
}
"""Everything of a claim's state that is counted, timed or decided."""
CREDIT = re.compile(r"\b((?<!not of )truth|truthful|(?<!= )true|probab\w+|likelihood|certain|certainty)\b", re.IGNORECASE)
"""Words that would call a number of ours truth. Accuracy is none of them: it is the slot of a person's own verdict."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "ledger")
    with world.ledger:
        yield world


def verbs() -> Iterator[tuple[str, set[str]]]:
    for name, verb in inspect.getmembers(Ledger, inspect.isfunction):
        if not name.startswith("_"):
            yield f"Ledger.{name}", set(inspect.signature(verb).parameters)


def commands(group: click.Command, name: str = "affidavit") -> Iterator[tuple[str, click.Command]]:
    yield name, group
    if isinstance(group, click.Group):
        for inner, command in group.commands.items():
            yield from commands(command, f"{name} {inner}")


@pytest.mark.parametrize(("name", "given"), list(verbs()), ids=lambda one: one if isinstance(one, str) else "")
def test_no_verb_takes_a_counter(name: str, given: set[str]) -> None:
    assert not given & COUNTERS


@pytest.mark.parametrize(("name", "command"), list(commands(app)), ids=lambda one: one if isinstance(one, str) else "")
def test_no_command_takes_a_counter(name: str, command: click.Command) -> None:
    assert not {param.name for param in command.params} & COUNTERS


def test_the_check_would_see_a_counter() -> None:
    assert {"reinforcement", "disputation", "sub_zero_days", "signals", "confidence", "vouched"} <= COUNTERS


@pytest.mark.parametrize(("name", "command"), list(commands(app)), ids=lambda one: one if isinstance(one, str) else "")
def test_no_help_calls_the_score_truth(name: str, command: click.Command) -> None:
    with click.Context(command, info_name=name) as context:
        assert CREDIT.findall(command.get_help(context)) == []


def test_no_output_calls_the_score_truth(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AFFIDAVIT_LEDGER", "AFFIDAVIT_KEYS"):
        monkeypatch.delenv(name, raising=False)
    world.ready()
    world.model = Scripted(merge=FRESH)
    world.tick()
    claim = world.the(CALM, "persona").id
    at = ["--ledger", str(world.folder)]
    shown = [
        ["show", claim],
        ["why", claim],
        ["history", claim],
        ["prompt"],
        ["prompt", "--manifest"],
        ["funnel"],
        ["claims"],
    ]
    for command in [*shown, ["inbox"], ["timeline"], ["archive", "list"], ["mode"], ["status"]]:
        for extra in ([], ["--json"]):
            done = CliRunner().invoke(app, [*command, *at, *extra])
            if extra and done.exit_code == 2:
                continue  # It prints JSON as it is.
            assert done.exit_code == 0, (command, done.output)
            words = _without_literals(done.stdout) if extra or "--manifest" in command else done.stdout
            assert CREDIT.findall(words) == [], (command, words)


def _without_literals(text: str) -> str:
    """Returns the keys and texts of JSON: its true and false are no words about a claim."""
    return " ".join(_words(json.loads(text)))


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
    elif isinstance(value, str):
        yield value


def test_two_scopes_of_one_ledger_never_influence_each_other(tmp_path: Path) -> None:
    """The second scope says the very same; alone and beside a busy first one, it fares the same."""
    outcomes = []
    for busy in (False, True):
        first = World(tmp_path / f"{busy}")
        with first.ledger:
            if busy:
                first.ready()
                first.model = Scripted(merge=FRESH, relate=every("reinforces", ""), reflect=None, targets=(), refine=())
                first.tick()
            first.ledger.open_scope("ben")
            ben = _second(first)
            assert first.ledger.at("ben").scope != first.ledger.at("ana").scope
            outcomes.append(ben)
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0]


def _second(world: World) -> tuple[Any, ...]:
    world.say("I like tea.", "I like tea.", "I like chess.", "Let's change the subject.")
    model = Scripted(
        relate=every("reinforces", ""),
        targets=lambda messages, shown: tuple(one.id for one in shown),
        merge=FRESH,
        reflect=None,
        refine=(),
    )
    world.model = model
    world.ticks(3)
    states = [
        {name: value for name, value in world.ledger.show(one.id).state.items() if not name.endswith("_at")}
        for one in world.ledger.claims(every=True)
    ]
    questions = [(question, [one.text for one in shown[-1]]) for question, shown in model.asked if question != "merge"]
    return sorted(json.dumps(state, sort_keys=True) for state in states), questions, world.waiting()


def test_what_one_scope_confirmed_or_rejected_says_nothing_in_another(world: World) -> None:
    world.like("tea")
    world.ledger.extract(world.model)
    world.ledger.reject(world.the("likes tea").id)
    world.ledger.open_scope("ben")
    world.like("tea")
    world.tick()
    assert world.the("likes tea").status == "active"
    assert world.ledger.inbox() == []
