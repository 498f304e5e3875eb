"""Forgetting hides a claim, keeps it in the log, and feeds the gate."""

from typing import Any

import pytest
from spec import Outcome, Story, a_claim, ana, asks, at, operator, saying

from affidavit.domain.claims import ClaimDenied
from affidavit.domain.forgetting import ClaimForgotten, Forget, forget
from affidavit.domain.rejections import ValueRejected
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused

TEA = saying("User likes tea.", "likes", "tea")


def told() -> Story:
    story = Story()
    story.hears("I like tea.", TEA)
    return story


def forgets(story: Story, text: str = "User likes tea.", by: Actor = ana) -> Outcome:
    command = asks(story, Forget, actor=by, claim=story.id(text), namespace="")
    return story.keep(forget(command, story.state(text), story.index))


@pytest.mark.parametrize("by", [ana, operator])
def test_a_person_forgets_a_claim_and_its_value_is_refused_from_then_on(by: Actor) -> None:
    story = told()
    forgets(story, by=by).then(ClaimForgotten, ValueRejected)
    assert story.statuses() == {"User likes tea.": "forgotten"}
    assert story.hears("I like tea!", TEA, days=400).refusals() == ["rejected value"]
    assert story.hears("Tea, yes.", saying("User drinks tea.", "likes", "tea"), days=500).refusals() == ["rejected value"]


def test_what_says_the_same_goes_with_it() -> None:
    story = told()
    story.hears("Tea is what I like.", saying("User is fond of tea.", "likes", "tea"))
    assert forgets(story).then(ClaimForgotten, ValueRejected, ClaimDenied)
    assert set(story.statuses().values()) == {"forgotten", "denied"}


def test_forgetting_twice_stays_quiet() -> None:
    story = told()
    forgets(story)
    forgets(story).then_nothing()


@pytest.mark.parametrize("status", ["quarantined", "denied", "superseded", "absorbed", "archived", "promote_blocked"])
def test_what_is_out_of_sight_can_be_forgotten(status: Any) -> None:
    story = told()
    story.index.states[story.id("User likes tea.")] = a_claim(status=status, vouched=True, review="archive")
    after = forgets(story).the(ClaimForgotten).state
    assert (after.status, after.vouched, after.review, after.since) == ("forgotten", False, "", at())


@pytest.mark.parametrize("status", ["promoted", "merged", "withdrawn"])
def test_what_went_into_another_is_not(status: Any) -> None:
    story = told()
    story.index.states[story.id("User likes tea.")] = a_claim(status=status)
    forgets(story).refused("not live", actual=f"status {status}")


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_nobody_else_may_and_the_log_says_who_tried(role: Any) -> None:
    outcome = forgets(told(), by=Actor(role, "x"))
    outcome.refused("role", required="role user or operator")
    outcome.then(WriteRefused)
