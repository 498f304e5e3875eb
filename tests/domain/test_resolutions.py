"""Every disposition of a conflict: one event for each claim that it changes, and no date moves."""

from collections.abc import Callable
from typing import Any

import pytest
from spec import MODEL, Outcome, Story, ana, asks, at, home, saying

from affidavit.domain.claims import ClaimState, ClaimSuperseded, Slot
from affidavit.domain.corrections import ClaimCorrected
from affidavit.domain.forgetting import ClaimForgotten
from affidavit.domain.freshness import is_dormant
from affidavit.domain.policy import Policy
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.resolutions import ConflictResolved, Disposition, ResolveConflict, resolve
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused

LISBON, PORTO = "User lives in Lisbon.", "User lives in Porto."


def resolves(story: Story, text: str, disposition: Disposition, said: str = "", by: Actor = ana) -> Outcome:
    command = asks(story, ResolveConflict, actor=by, days=50, claim=story.id(text), namespace="", disposition=disposition)
    command = ResolveConflict(**{**_fields(command), "text": said})
    return story.keep(resolve(command, story.state(text), story.index))


def _fields(command: ResolveConflict) -> dict[str, Any]:
    return {name: getattr(command, name) for name in command.__dataclass_fields__}


def met_again() -> Story:
    """Lisbon was corrected to Porto, and the user says Lisbon again: a conflict in the inbox."""
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.corrects(LISBON, PORTO, days=1)
    again = story.hears("I live in Lisbon.", home("Lisbon"), days=30)
    assert again.the(WriteRefused).conflict
    return story


def held_back() -> Story:
    """Lisbon was rejected; another extractor words the same place otherwise, and is held; the user lives in Porto since."""
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"))
    story.rejects(LISBON, days=1)
    story.reads(item, saying("User is at home in Lisboa.", "home", "Lisboa"), by=MODEL)
    story.hears("I live in Porto.", home("Porto"), days=2)
    assert story.statuses() == {LISBON: "denied", "User is at home in Lisboa.": "quarantined", PORTO: "active"}
    return story


HELD = "User is at home in Lisboa."
CASES: dict[str, tuple[Callable[[], Story], str]] = {"met again": (met_again, LISBON), "held back": (held_back, HELD)}
case = pytest.mark.parametrize("case", CASES)


def dates(state: ClaimState) -> tuple[int | None, ...]:
    return state.evidence_at, state.confirmed_at, state.rein_last_signal_at, state.disp_last_signal_at


@case
def test_keep_new_believes_it_and_supersedes_the_old(case: str) -> None:
    story, new = CASES[case][0](), CASES[case][1]
    before = story.state(new)
    done = resolves(story, new, "keep-new")
    assert {type(event) for event in done.events} <= {RejectionLifted, ConflictResolved, ClaimSuperseded}
    after = story.state(new)
    assert (after.status, after.vouched, after.confirmation, after.superseded_by) == ("active", True, "confirmed", None)
    assert dates(after) == dates(before)
    assert story.state(PORTO).status == "superseded"
    assert story.index.rejections(after.sentence) == ()


@case
def test_keep_both_leaves_the_old(case: str) -> None:
    story, new = CASES[case][0](), CASES[case][1]
    resolves(story, new, "keep-both")
    assert (story.state(new).status, story.state(PORTO).status) == ("active", "active")


@case
def test_keep_old_vouches_for_it(case: str) -> None:
    story, new = CASES[case][0](), CASES[case][1]
    before = story.state(new)
    done = resolves(story, new, "keep-old").then(ConflictResolved, ConflictResolved)
    assert story.state(PORTO).vouched
    after = story.state(new)
    assert after.status == ("superseded" if case == "held back" else before.status)
    assert not after.live
    assert {event.disposition for event in done.all(ConflictResolved)} == {"keep-old"}
    assert story.hears("I live in Porto!", home("Porto"), days=60).refusals() == []


@case
def test_remove_both_forgets_and_rejects_all(case: str) -> None:
    story, new = CASES[case][0](), CASES[case][1]
    done = resolves(story, new, "remove-both")
    assert len(done.all(ClaimForgotten)) == len(done.all(ValueRejected)) == 2
    assert (story.state(new).status, story.state(PORTO).status) == ("forgotten", "forgotten")
    assert story.hears("I live in Porto.", home("Porto"), days=60).refusals() == ["rejected value"]


@case
def test_manual_takes_a_persons_text(case: str) -> None:
    story, new = CASES[case][0](), CASES[case][1]
    done = resolves(story, new, "manual", "User lives in Braga.")
    assert done.the(ClaimCorrected).content.text == "User lives in Braga."
    assert [text for text, status in story.statuses().items() if status == "active"] == ["User lives in Braga."]
    for text in (LISBON, PORTO):
        assert story.hears(text, saying(text, "home", text.split()[-1][:-1]), days=60).refusals() == ["rejected value"]


@case
@pytest.mark.parametrize("disposition", ["keep-old", "keep-new", "keep-both", "remove-both"])
def test_the_same_evidence_read_again_changes_nothing_after(case: str, disposition: Disposition) -> None:
    story, new = CASES[case][0](), CASES[case][1]
    resolves(story, new, disposition)
    decided = story.statuses()
    for item in list(story.index.items):
        story.reads(item, home(story.index.text(item, 1).text.split()[-1].strip(".")))
    if case == "held back":
        story.reads(next(iter(story.index.items)), saying(HELD, "home", "Lisboa"), by=MODEL)
    assert story.statuses() == decided


@pytest.mark.row("P16")
def test_what_was_called_incorrect_comes_back_as_old_as_it_was() -> None:
    story = Story()
    story.hears("The launch is pending.", saying("The launch is pending.", "status", "pending", kind="project_state"))
    claim = story.id("The launch is pending.")
    held = story.state("The launch is pending.").with_(status="quarantined", accuracy=Slot(verdict="incorrect", at=at(1)))
    story.index.states[claim] = held
    resolves(story, "The launch is pending.", "keep-new")
    after = story.state("The launch is pending.")
    assert (after.evidence_at, after.confirmed_at, after.live) == (held.evidence_at, held.confirmed_at, True)
    assert after.accuracy == Slot(verdict="accurate", at=at(50))
    assert is_dormant(after.kind, after.confirmed_at, at(20), Policy())


def test_a_lone_claim_that_is_not_kept_is_forgotten() -> None:
    story = Story()
    story.hears("I like tea.", saying("User likes tea.", "likes", "tea"))
    story.index.states[story.id("User likes tea.")] = story.state("User likes tea.").with_(status="quarantined")
    resolves(story, "User likes tea.", "keep-old").then(ClaimForgotten, ValueRejected)


@pytest.mark.parametrize("status", ["active", "archived", "denied", "superseded", "promoted", "withdrawn"])
def test_what_is_no_conflict_is_refused(status: Any) -> None:
    story = Story()
    story.hears("I like tea.", saying("User likes tea.", "likes", "tea"))
    story.index.states[story.id("User likes tea.")] = story.state("User likes tea.").with_(status=status)
    resolves(story, "User likes tea.", "keep-new").refused("no conflict", actual=f"status {status}")


def test_a_conflict_is_resolved_once() -> None:
    story = held_back()
    resolves(story, HELD, "keep-new")
    resolves(story, HELD, "keep-old").refused("no conflict")


@pytest.mark.parametrize(("disposition", "text"), [("manual", ""), ("keep-new", "User lives in Braga.")])
def test_a_text_belongs_to_manual_alone(disposition: Disposition, text: str) -> None:
    resolves(met_again(), LISBON, disposition, text).refused("text")


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_nobody_else_may_and_the_log_says_who_tried(role: Any) -> None:
    outcome = resolves(met_again(), LISBON, "keep-new", by=Actor(role, "x"))
    outcome.refused("role", required="role user or operator")
    outcome.then(WriteRefused)
