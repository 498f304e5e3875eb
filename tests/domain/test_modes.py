"""Powerful memory is switched by people, from a moment on; saying so again changes nothing."""

from typing import Any

import pytest
from spec import NOW, SCOPE, Outcome, Story, ana, asks, at, operator

from affidavit.domain.index import Mode
from affidavit.domain.modes import ModeSwitched, SwitchMode, switch
from affidavit.domain.roles import JUDGES, ROLES, Actor
from affidavit.domain.scopes import WriteRefused


def switches(mode: Mode, *, powerful: bool, actor: Actor = ana, days: float = 0) -> Outcome:
    return Outcome(switch(asks(Story(), SwitchMode, actor=actor, days=days, powerful=powerful), mode))


def test_powerful_memory_is_on_from_the_beginning() -> None:
    assert Mode() == (True, 0)


@pytest.mark.parametrize("actor", [ana, operator])
@pytest.mark.parametrize("powerful", [True, False])
def test_people_switch_it_from_the_moment_on(actor: Actor, powerful: bool) -> None:
    before = Mode(powerful=not powerful, since=NOW)
    event = switches(before, powerful=powerful, actor=actor, days=2).then(ModeSwitched).the(ModeSwitched)
    assert (event.powerful, event.since, event.scope, event.stream) == (powerful, at(2), SCOPE, SCOPE)


@pytest.mark.parametrize("powerful", [True, False])
def test_switching_to_what_it_is_stays_quiet(powerful: bool) -> None:
    switches(Mode(powerful=powerful, since=NOW), powerful=powerful).then_nothing()


@pytest.mark.parametrize("role", sorted(ROLES - JUDGES))
@pytest.mark.parametrize("powerful", [True, False])
def test_nobody_else_may_even_to_what_it_is_and_the_log_says_who_tried(role: Any, powerful: bool) -> None:
    outcome = switches(Mode(), powerful=powerful, actor=Actor(role, "x")).then(WriteRefused)
    outcome.refused("role", actual=f"role {role}", required="role user or operator")


def test_switching_back_is_a_command_of_its_own() -> None:
    story = Story()
    keys = {asks(story, SwitchMode, powerful=powerful).natural_key for powerful in (True, True, False)}
    assert len(keys) == 3
