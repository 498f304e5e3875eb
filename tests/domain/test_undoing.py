"""An undo restores exactly what was set, or nothing; what somebody else rejected does not come back by it."""

from typing import Any

import pytest
from spec import Outcome, Story, asks, operator, saying

from affidavit.domain.claims import ClaimState, Slot
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.undoing import Change, ChangeUndone, Undo, undo

TEA = saying("User likes tea.", "likes", "tea")
FOND = saying("User is fond of tea.", "likes", "tea")


def told() -> Story:
    story = Story()
    story.hears("I like tea.", TEA)
    return story


def undoes(story: Story, *changes: Change, by: Actor = operator, **parts: Any) -> Outcome:
    command = asks(story, Undo, actor=by, event=bytes(16), changes=changes, **parts)
    return story.keep(undo(command, story.index))


def sets(story: Story, **fields: Any) -> Change:
    """Lets somebody set these fields of the tea, and returns the change."""
    claim = story.id("User likes tea.")
    before: ClaimState = story.index.states[claim]
    story.index.states[claim] = before.with_(**fields)
    return Change(claim=claim, before=before, after=story.index.states[claim])


def test_only_what_was_set_comes_back() -> None:
    story = told()
    change = sets(story, pinned=True)
    sets(story, confidence=1, mentions=(5,))
    after = undoes(story, change).then(ChangeUndone).the(ChangeUndone).state
    assert (after.pinned, after.confidence, after.mentions) == (False, 1, (5,))


def test_one_field_that_changed_since_refuses_all_of_it() -> None:
    story = told()
    change = sets(story, pinned=True, vouched=True)
    sets(story, vouched=False)
    refused = undoes(story, change).refused("changed since")
    assert refused.actual.startswith("another vouched of claim ")
    assert refused.actual.endswith(" since (no)")
    assert refused.events == ()


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ({"status": "archived"}, "(archived, set at position 7)"),
        ({"pinned": False}, "(no, set at position 7)"),
        ({"utility": Slot(verdict="unhelpful", at=1)}, "(unhelpful, set at position 7)"),
        ({"evidence_at": 5}, "(set at position 7)"),
    ],
)
def test_a_refusal_says_what_it_is_now_and_where_that_was_set(now: dict[str, Any], words: str) -> None:
    story = told()
    change = sets(story, status="denied", pinned=True, utility=Slot(verdict="useful", at=1), evidence_at=3)
    sets(story, **now)
    refused = undoes(story, change, set_at=lambda _claim, _name: 7).refused("changed since")
    assert refused.actual.endswith(words)
    assert refused.remedy == "undo position 7 first"


@pytest.mark.parametrize("noticed", [{"mentions": (5,)}, {"surfaced_at": 7, "eligible_at": 9}, {"related": True}])
def test_a_claim_that_was_made_is_forgotten_whatever_was_noticed_of_it(noticed: dict[str, Any]) -> None:
    story = told()
    claim = story.id("User likes tea.")
    made = Change(claim=claim, before=None, after=story.index.states[claim])
    sets(story, **noticed)
    after = undoes(story, made).the(ChangeUndone).state
    assert after.status == "forgotten"
    assert {name: getattr(after, name) for name in noticed} == noticed


def test_a_claim_that_was_made_and_has_grown_stays() -> None:
    story = told()
    claim = story.id("User likes tea.")
    made = Change(claim=claim, before=None, after=story.index.states[claim])
    story.hears("I like tea!", TEA, days=1)
    undoes(story, made).refused("changed since")


def test_its_own_rejection_is_lifted_and_an_undone_lift_rejects_again() -> None:
    story = told()
    before = story.state("User likes tea.")
    rejected = story.rejects("User likes tea.").the(ValueRejected)
    change = Change(claim=rejected.claim, before=before, after=story.state("User likes tea."))
    undoes(story, change, rejected=(rejected,)).then(RejectionLifted, ChangeUndone)
    assert story.state("User likes tea.").live
    assert story.index.rejections(before.sentence) == ()
    back = Change(claim=change.claim, before=change.after, after=change.before or before)
    undoes(story, back, lifted=(rejected,)).then(ChangeUndone, ValueRejected)
    assert story.hears("I like tea!", TEA, days=1).refusals() == ["rejected value"]


def test_the_rejection_of_another_remains_and_refuses_it() -> None:
    story = told()
    change = sets(story, status="archived")
    story.hears("I am fond of tea.", FOND)
    story.rejects("User is fond of tea.")
    refused = undoes(story, change).refused("rejected value")
    assert story.id("User is fond of tea.").hex()[:24] in refused.actual
    assert story.state("User likes tea.").status == "archived"


def test_what_changed_no_claim_is_refused() -> None:
    undoes(told()).refused("no change")


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_nobody_else_may_and_the_log_says_who_tried(role: Any) -> None:
    story = told()
    outcome = undoes(story, sets(story, pinned=True), by=Actor(role, "x"))
    outcome.refused("role", required="role user or operator")
    outcome.then(WriteRefused)
