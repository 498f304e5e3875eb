"""A host says which claims a prompt showed; nothing is counted for any of them."""

from typing import Any

import pytest
from spec import SCOPE, Outcome, Story, asks, at, holds

from affidavit.domain.events import split
from affidavit.domain.injections import Inject, PromptInjected, inject
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused

HOST = Actor("host", "bridge")


def injects(story: Story, *claims: bytes, actor: Actor = HOST) -> Outcome:
    shown: dict[str, Any] = {"claims": claims, "shown_at": at(-1), "tokens": 42, "policy": b"\xab" * 16}
    return story.keep(inject(asks(story, Inject, actor=actor, **shown), story.index))


def test_what_was_shown_is_kept_in_its_order() -> None:
    story = Story()
    tea, cake = holds(story, "User likes tea."), holds(story, "User likes cake.")
    event = injects(story, cake, tea).then(PromptInjected).the(PromptInjected)
    assert (event.claims, event.shown_at, event.tokens, event.digest) == ((cake, tea), at(-1), 42, b"\xab" * 16)
    assert (event.scope, event.stream, event.occurred_at) == (SCOPE, SCOPE, at())


def test_nothing_private_is_in_it() -> None:
    story = Story()
    _, private = split(injects(story, holds(story, "User likes tea.")).the(PromptInjected))
    assert private == {}


def test_no_claim_is_moved_by_it() -> None:
    story = Story()
    claim = holds(story, "User likes tea.")
    before = story.index.states[claim]
    injects(story, claim)
    assert story.index.states[claim] == before


def test_a_prompt_without_claims_went_out_too() -> None:
    assert injects(Story()).then(PromptInjected).the(PromptInjected).claims == ()


def test_a_claim_of_another_scope_is_refused_by_name() -> None:
    story = Story()
    known, foreign = holds(story, "User likes tea."), b"foreign".ljust(16, b".")
    injects(story, known, foreign).then().refused("claim", actual=f"claim {foreign.hex()[:24]}")


@pytest.mark.parametrize("role", sorted(ROLES))
def test_hosts_and_people_say_what_was_shown(role: Any) -> None:
    story = Story()
    outcome = injects(story, holds(story, "User likes tea."), actor=Actor(role, "x"))
    if role in {"user", "operator", "host"}:
        outcome.then(PromptInjected)
    else:
        outcome.then(WriteRefused).refused("role", actual=f"role {role}", required="role user, operator or host")


def test_the_same_prompt_again_is_a_command_of_its_own() -> None:
    story = Story()
    shown: dict[str, Any] = {"claims": (bytes(16),), "shown_at": at(), "tokens": 1, "policy": ""}
    one, other = asks(story, Inject, **shown), asks(story, Inject, **shown)
    assert one.natural_key != other.natural_key
    assert one.content == other.content == ((bytes(16),), at(), 1, "")
