"""A claim takes another's place where its source is apt enough; else it is held, and so is whatever says the same."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import MODEL, NOW, Outcome, Saying, Story, a_claim, asks, at, holds, home, saying

from affidavit.domain.claims import (
    ClaimDerived,
    ClaimQuarantined,
    ClaimReaffirmed,
    ClaimState,
    ClaimSuperseded,
    SignalApplied,
    Slot,
)
from affidavit.domain.freshness import evidence_weight, priority
from affidavit.domain.pins import Pin, pin
from affidavit.domain.policy import Policy
from affidavit.domain.readings import ExtractionCompleted, ExtractionFailed
from affidavit.domain.replacement import Incoming, Named, contract_fault, may_replace, outranks, standing
from affidavit.domain.scopes import WriteRefused

DARK, LIGHT = "User prefers dark mode.", "User prefers light mode."
PENDING, DONE = "The push is pending.", "The push is completed."


def theme(text: str, old: str = "", story: Story | None = None, **fields: Any) -> Saying:
    """Returns the proposal of a preference, which replaces the claim that says `old`."""
    return saying(text, kind="preference", **_replacing(old, story), **fields)


def code(number: str, old: str = "", story: Story | None = None, **fields: Any) -> Saying:
    """Returns the proposal that the code is a number, which replaces the claim that says `old`."""
    return saying(f"The code is {number}.", **_replacing(old, story), **fields)


def push(text: str, old: str = "", story: Story | None = None, **fields: Any) -> Saying:
    """Returns the proposal of how the push stands."""
    return saying(text, **{"kind": "project_state", "entity": "user", **_replacing(old, story), **fields})


def _replacing(old: str, story: Story | None) -> dict[str, str]:
    return {"replaces": story.id(old).hex()[:24]} if story else {}


def preferring_dark() -> Story:
    story = Story()
    story.hears("I prefer dark mode.", theme(DARK))
    return story


def observed(story: Story, text: str, *said: Saying, targets: tuple[str, ...] = (PENDING,), days: float = 1) -> Outcome:
    """Records what a tool says of nominated claims, and takes a model's answer about it."""
    item = story.says(text, by="tool", days=days, targets=tuple(story.id(target) for target in targets))
    return story.reads(item, *said, by=MODEL, method="model")


def pins(story: Story, text: str) -> None:
    """Lets a person pin the claim that says `text`."""
    story.keep(pin(asks(story, Pin, claim=story.id(text), namespace=""), story.state(text)))


def the_push() -> Story:
    """Returns a story in which a person corrected how the push stands."""
    story = Story()
    story.hears("The push is running.", push("The push is running."))
    story.corrects("The push is running.", PENDING)
    return story


# Rows of seed 002


@pytest.mark.row("P4")
def test_a_summary_does_not_replace_what_the_user_said() -> None:
    story = preferring_dark()
    outcome = story.hears("They want light mode.", theme(LIGHT, DARK, story), basis="summary", by=MODEL)
    held = outcome.then(ClaimQuarantined, ExtractionCompleted).the(ClaimQuarantined)
    assert story.statuses() == {DARK: "active", LIGHT: "quarantined"}
    assert (held.rule, held.state.bound_to) == ("weaker replacement", story.id(DARK))
    completed = outcome.the(ExtractionCompleted)
    assert (completed.withheld, completed.state.readings[0].withheld, completed.claims) == (1, 1, ())


@pytest.mark.row("P5")
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_what_says_the_same_in_one_answer_is_held_in_whatever_order(order: tuple[int, ...]) -> None:
    story = Story()
    story.hears("The code is 7777.", code("7777"))
    story.hears("The code was 5432.", code("5432"), basis="summary")
    text = "a 1111, b 1111, c 1111"
    said = [
        code("1111", quote="a 1111"),
        code("1111", "The code is 7777.", story, quote="b 1111"),
        code("1111", "The code is 5432.", story, quote="c 1111"),
    ]
    outcome = story.hears(text, *(said[number] for number in order), basis="summary", by=MODEL, days=1)
    outcome.then(ClaimQuarantined, ExtractionCompleted)
    assert outcome.the(ExtractionCompleted).withheld == 1
    assert story.statuses() == {
        "The code is 7777.": "active",
        "The code is 5432.": "active",
        "The code is 1111.": "quarantined",
    }


def test_a_duplicate_in_other_words_is_held_by_its_value_or_its_sentence() -> None:
    story = Story()
    story.hears("The code is 7777.", saying("The code is 7777.", "code", "7777"))
    other = saying("The code has become 1111.", "code", "1111", quote="1111")
    weak = saying("The code is 1111.", "code", "1111", replaces=story.id("The code is 7777.").hex()[:24])
    same = saying("the code is 1111", entity="Bob", quote="is 1111")
    outcome = story.hears("The code is 1111.", other, same, weak, basis="summary", by=MODEL, days=1)
    outcome.then(ClaimQuarantined, ClaimQuarantined, ClaimQuarantined, ExtractionCompleted)


def test_a_variant_that_the_rules_drew_from_the_same_summary_is_held_with_it() -> None:
    story = preferring_dark()
    item = story.says("They want light mode.", basis="summary", days=1)
    story.reads(item, theme("User wants light mode."))
    outcome = story.reads(item, theme(LIGHT, DARK, story), by=MODEL)
    outcome.then(ClaimQuarantined, ClaimQuarantined, ExtractionCompleted)
    assert story.statuses() == {DARK: "active", LIGHT: "quarantined", "User wants light mode.": "quarantined"}


def test_the_rules_own_wording_of_it_is_held_too() -> None:
    story = preferring_dark()
    item = story.says("They want light mode.", basis="summary", days=1)
    story.reads(item, theme(LIGHT))
    story.reads(item, theme(LIGHT, DARK, story), by=MODEL).then(ClaimQuarantined, ExtractionCompleted)
    assert story.statuses() == {DARK: "active", LIGHT: "quarantined"}


def test_an_unrelated_variant_stays() -> None:
    story = preferring_dark()
    story.hears("They wanted light mode.", theme(LIGHT), basis="summary")
    item = story.says("They want light mode. They like tea.", basis="summary", days=1)
    tea = saying("User likes tea.", quote="They like tea.", kind="preference")
    story.reads(item, tea)
    outcome = story.reads(item, theme(LIGHT, DARK, story, quote="They want light mode."), tea, by=MODEL)
    assert outcome.the(ExtractionCompleted).withheld == 1
    assert set(story.statuses().values()) == {"active"}


@pytest.mark.row("P6")
def test_a_correction_holds_against_a_summary_and_yields_to_what_the_user_says_next() -> None:
    story = Story()
    story.hears("The code is 5432.", code("5432"))
    story.corrects("The code is 5432.", "The code is 7777.")
    story.hears("The code is 1111.", code("1111", "The code is 7777.", story), basis="summary", by=MODEL, days=1)
    assert story.state("The code is 7777.").status == "active"
    assert story.state("The code is 1111.").status == "quarantined"
    said = story.hears("The code is 9999.", code("9999", "The code is 7777.", story), by=MODEL, days=2)
    said.then(ClaimDerived, ClaimSuperseded, ExtractionCompleted)
    assert story.state("The code is 7777.").status == "superseded"
    assert (story.state("The code is 9999.").status, story.state("The code is 9999.").basis) == ("active", "user_statement")
    assert not story.index.rejections(story.state("The code is 7777.").sentence)


@pytest.mark.row("P7")
def test_a_nominated_observation_moves_on_what_a_person_corrected() -> None:
    story = the_push()
    outcome = observed(story, "push completed", push(DONE, PENDING, story))
    outcome.then(ClaimDerived, ClaimSuperseded, ExtractionCompleted)
    state = story.state(DONE)
    assert (state.status, state.basis, state.method, state.kind) == ("active", "tool_observation", "model", "project_state")
    assert (story.state(PENDING).status, story.state(PENDING).superseded_by) == ("superseded", story.id(DONE))


@pytest.mark.row("P8")
def test_a_summary_that_says_the_same_again_moves_neither_date_nor_weight() -> None:
    story = preferring_dark()
    before = story.state(DARK)
    for days in (1, 2):
        story.hears("They prefer dark mode.", theme(DARK, DARK, story), basis="summary", by=MODEL, days=days)
    after = story.state(DARK)
    assert (after.evidence_at, after.basis, after.method) == (before.evidence_at, before.basis, before.method)
    weights = [evidence_weight(state.basis, state.kind, Policy()) for state in (before, after)]
    assert weights[0] == weights[1]
    assert after.with_(generations=before.generations) == before


@pytest.mark.row("P9")
def test_a_user_who_says_it_again_dates_it_anew_and_gives_it_their_name() -> None:
    story = Story()
    story.hears("They prefer dark mode.", theme(DARK), basis="summary")
    story.hears("I prefer dark mode.", theme(DARK, DARK, story), by=MODEL, days=3, how={"method": "model"})
    state = story.state(DARK)
    assert (state.evidence_at, state.basis, state.method) == (at(3), "user_statement", "model")


@pytest.mark.row("P28")
@pytest.mark.parametrize(
    "said",
    [
        push(DONE),
        saying("User prefers short pushes.", kind="preference"),
        saying("The push is completed.", kind="fact"),
    ],
)
def test_an_observation_says_what_a_nominated_state_has_become_and_nothing_else(said: Saying) -> None:
    story = the_push()
    failed = observed(story, "push completed", said).then(ExtractionFailed).the(ExtractionFailed)
    assert (failed.failure, failed.state.readings[0].outcome) == ("output", "failed")
    assert story.state(PENDING).status == "active"


# Who may replace whom


@pytest.mark.parametrize("basis", ["summary", "user_statement", "tool_observation", "imported", "unknown"])
@pytest.mark.parametrize("kind", ["fact", "preference", "decision", "project_state", "pattern"])
@pytest.mark.parametrize(
    "old", ["summary", "user_statement", "manual_correction", "imported", "unknown", "tool_observation"]
)
@pytest.mark.parametrize(
    "held", [{}, {"vouched": True}, {"corrected": True}, {"accuracy": Slot(verdict="accurate", at=NOW)}]
)
def test_authority_is_the_seeds_table(basis: Any, kind: Any, old: str, held: dict[str, Any]) -> None:
    if (basis == "tool_observation" or old == "tool_observation") and kind != "project_state":
        return  # There is no such label.
    known = a_claim(kind=kind, basis=old, **held)
    strong = max(priority(old, kind), 4 if held else 0)
    exempt = basis == "user_statement" or (basis == "tool_observation" and kind == "project_state")
    allowed = exempt or priority(basis, kind) >= strong
    assert standing(known) == strong
    assert outranks(basis, kind, known) is allowed
    found = may_replace(incoming(known, basis=basis), b"x", known)
    assert (found is None) is allowed
    assert found is None or found.rule == "weaker replacement"


def incoming(known: ClaimState, **changes: Any) -> Incoming:
    """Returns what would replace a claim and may, but for the changes."""
    fields: dict[str, Any] = {"form": known.form, "kind": known.kind, "basis": "user_statement", "at": at(1)}
    fields |= {"namespace": known.namespace, "about": known.about, "nominated": (b"x",)}
    return Incoming(**fields | changes)


@pytest.mark.parametrize(
    ("rule", "state", "changes"),
    [
        ("pinned", {"pinned": True}, {}),
        ("pinned", {"pinned": True, "kind": "project_state"}, {"basis": "tool_observation"}),
        ("card", {"basis": "card"}, {}),
        ("newer", {"evidence_at": at(2)}, {}),
        ("nomination", {"kind": "project_state"}, {"basis": "tool_observation", "nominated": ()}),
        ("namespace", {}, {"namespace": bytes(16)}),
        ("entity", {}, {"about": bytes(16)}),
        ("form", {}, {"form": "persona"}),
        ("not live", {"status": "archived"}, {}),
    ],
)
def test_no_exception_overrides(rule: str, state: dict[str, Any], changes: dict[str, Any]) -> None:
    known = a_claim(**state)
    found = may_replace(incoming(known, **changes), b"x", known)
    assert found is not None
    assert found.rule == rule


@given(
    st.sampled_from(["summary", "imported", "unknown"]),
    st.sampled_from(["fact", "preference", "decision", "pattern"]),
)
def test_equal_replaces_equal(basis: Any, kind: Any) -> None:
    known = a_claim(basis=basis, kind=kind)
    assert may_replace(incoming(known, basis=basis), b"x", known) is None


def test_a_pinned_claim_is_not_replaced_and_the_refusal_names_it() -> None:
    story = preferring_dark()
    pins(story, DARK)
    outcome = story.hears("I prefer light mode.", theme(LIGHT, DARK, story), by=MODEL, days=1)
    refused = outcome.then(WriteRefused, ExtractionCompleted).the(WriteRefused)
    assert (refused.rule, refused.bound_to) == ("pinned", story.id(DARK))
    assert story.statuses() == {DARK: "active"}


def test_one_that_may_not_replace_costs_the_others_nothing() -> None:
    story = preferring_dark()
    pins(story, DARK)
    tea = saying("User likes tea.", kind="preference", quote="tea")
    outcome = story.hears("I prefer light mode and tea.", theme(LIGHT, DARK, story), tea, by=MODEL, days=1)
    outcome.then(WriteRefused, ClaimDerived, ExtractionCompleted)


def test_older_evidence_replaces_nothing() -> None:
    story = preferring_dark()
    outcome = story.hears("I prefer light mode.", theme(LIGHT, DARK, story), by=MODEL, days=-1)
    assert outcome.refusals() == ["newer"]
    assert story.statuses() == {DARK: "active"}


def test_what_a_person_rejected_replaces_nothing() -> None:
    story = preferring_dark()
    story.hears("I prefer light mode.", theme(LIGHT))
    story.rejects(LIGHT)
    story.hears("I prefer light mode!", theme(LIGHT, DARK, story), by=MODEL, days=1)
    assert story.statuses() == {DARK: "active", LIGHT: "denied"}


# Known targets


def test_a_value_that_was_replaced_comes_back_with_the_newer_evidence() -> None:
    story = the_push()
    observed(story, "push completed", push(DONE, PENDING, story))
    back = observed(story, "push pending", push(PENDING, DONE, story), targets=(DONE,), days=2)
    back.then(ClaimReaffirmed, ClaimSuperseded, ExtractionCompleted)
    assert (story.state(PENDING).status, story.state(PENDING).evidence_at) == ("active", at(2))
    assert story.state(DONE).status == "superseded"


def test_an_observation_of_the_same_dates_it_anew() -> None:
    story = Story()
    story.hears("The push is pending.", push(PENDING))
    observed(story, "push pending", push(PENDING, PENDING, story), days=4).then(ClaimReaffirmed, ExtractionCompleted)
    state = story.state(PENDING)
    assert (state.evidence_at, state.confirmed_at, state.basis) == (at(4), at(4), "tool_observation")
    assert (state.signals, state.confidence) == (0, 850_000)


def test_what_was_held_of_a_summary_comes_back_when_the_user_says_it() -> None:
    story = preferring_dark()
    story.hears("They want light mode.", theme(LIGHT, DARK, story), basis="summary", by=MODEL)
    outcome = story.hears("I prefer light mode.", theme(LIGHT, DARK, story), by=MODEL, days=1)
    outcome.then(ClaimReaffirmed, SignalApplied, ClaimSuperseded, ExtractionCompleted)
    assert story.statuses() == {DARK: "superseded", LIGHT: "active"}
    assert (story.state(LIGHT).basis, story.state(LIGHT).bound_to) == ("user_statement", None)


def test_the_same_answer_again_adds_nothing() -> None:
    story = preferring_dark()
    item = story.says("They want light mode.", basis="summary", days=1)
    story.reads(item, theme(LIGHT, DARK, story), by=MODEL)
    story.reads(item, theme(LIGHT, DARK, story), by=MODEL).then_nothing()


def test_a_known_claim_of_another_kind_takes_no_place() -> None:
    story = the_push()
    story.hears("Completed, I say.", saying(DONE))
    outcome = observed(story, "push completed", push(DONE, PENDING, story))
    assert outcome.then(WriteRefused, ExtractionCompleted).refusals() == ["kind"]
    assert (story.state(PENDING).status, story.state(DONE).kind) == ("active", "fact")


# The contract of an answer


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ([("a", "fact", "y")], "it replaces a claim that it was not shown"),
        ([("a", "preference", "x")], "it replaces a fact by a preference"),
        ([("a", "fact", "x"), ("b", "fact", "x")], "two of its claims replace the same one"),
        ([("z", "fact", "x"), ("x", "fact", "z")], "its replacements go in a circle"),
        ([("z", "fact", "x"), ("w", "fact", "z"), ("x", "fact", "w")], "its replacements go in a circle"),
        ([("a", "fact", "x"), ("a", "fact", "x")], ""),
        ([("x", "fact", "x")], ""),
        ([("z", "fact", "x"), ("w", "fact", "z")], ""),
        ([("a", "preference", "")], ""),
    ],
)
def test_an_answer_keeps_the_contract(said: list[tuple[str, Any, str]], fault: str) -> None:
    shown: dict[str, Any] = {name: (name.encode(), "fact") for name in ("x", "z", "w")}
    named = [Named(claim.encode(), kind, replaces) for claim, kind, replaces in said]
    assert contract_fault(named, shown, observed=False) == fault


def test_an_answer_that_breaks_it_is_no_answer_at_all() -> None:
    story = preferring_dark()
    tea = saying("User likes tea.", kind="preference", quote="tea")
    wrong = saying(LIGHT, replaces=story.id(DARK).hex()[:24], quote="light mode")
    outcome = story.hears("I prefer light mode and tea.", wrong, tea, by=MODEL, days=1)
    failed = outcome.then(ExtractionFailed).the(ExtractionFailed)
    assert (failed.failure, failed.error) == ("output", "the answer cannot be taken: it replaces a preference by a fact")
    assert story.statuses() == {DARK: "active"}


# Answers that come too late


def test_an_answer_about_a_claim_that_changed_meanwhile_is_late_and_spends_no_attempt() -> None:
    story = preferring_dark()
    seen = story.seen(story.id(DARK))
    story.rejects(DARK)
    item = story.says("I prefer light mode.", days=1)
    failed = story.reads(item, theme(LIGHT), by=MODEL, shown=(seen,)).then(ExtractionFailed).the(ExtractionFailed)
    reading = failed.state.readings[0]
    assert (failed.failure, reading.outcome, reading.attempts, reading.retry_at) == ("late", "failed", 0, NOW)
    assert story.statuses() == {DARK: "denied"}


def test_a_claim_that_was_pinned_meanwhile_makes_no_answer_late() -> None:
    story = preferring_dark()
    seen = story.seen(story.id(DARK))
    pins(story, DARK)
    story.hears("I like tea.", saying("User likes tea."), how={"shown": (seen,)}).then(ClaimDerived, ExtractionCompleted)


# One-value attributes


def values(story: Story) -> dict[str, str]:
    """Returns status and claim by city."""
    return {text.removeprefix("User lives in ").rstrip("."): status for text, status in story.statuses().items()}


def test_a_newer_summary_replaces_an_older_one() -> None:
    story = Story()
    story.hears("They live in Porto.", home("Porto"), basis="summary")
    story.hears("They live in Faro.", home("Faro"), basis="summary", days=1)
    assert values(story) == {"Porto": "superseded", "Faro": "active"}


@pytest.mark.parametrize("summary_days", [-1, 0, 1])
@pytest.mark.parametrize("first", ["user", "summary"])
def test_testimony_stands_against_a_summary_in_whatever_order(summary_days: int, first: str) -> None:
    story = Story()

    def user() -> None:
        story.hears("I live in Lisbon.", home("Lisbon"))

    def summary() -> None:
        story.hears("They live in Porto.", home("Porto"), basis="summary", days=summary_days)

    for speaks in (user, summary) if first == "user" else (summary, user):
        speaks()
    assert values(story) == {"Lisbon": "active", "Porto": "superseded" if summary_days < 0 else "quarantined"}


def test_a_summary_replaces_what_was_imported_and_a_user_does_too() -> None:
    for basis in ("summary", "user_statement"):
        story = Story()
        imported = {"attribute": "home", "value": "Lisbon", "basis": "imported"}
        holds(story, "User lives in Lisbon.", story.says("Lisbon", by="system", basis="imported"), **imported)
        story.hears("Porto it is.", home("Porto"), days=1, basis=basis)
        assert values(story) == {"Lisbon": "superseded", "Porto": "active"}


def test_against_a_pinned_claim_a_newer_statement_is_held_for_a_person() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    pins(story, "User lives in Lisbon.")
    outcome = story.hears("I live in Porto.", home("Porto"), days=1)
    held = outcome.then(ClaimDerived, ClaimQuarantined, ExtractionCompleted).the(ClaimQuarantined)
    assert (held.rule, held.state.bound_to) == ("pinned", story.id("User lives in Lisbon."))
    assert outcome.the(ExtractionCompleted).withheld == 0
    assert values(story) == {"Lisbon": "active", "Porto": "quarantined"}
    story.hears("I live in Lisbon.", home("Lisbon"), days=2)
    assert values(story) == {"Lisbon": "active", "Porto": "quarantined"}


def test_a_correction_yields_to_the_users_newer_word() -> None:
    story = Story()
    story.hears("I live in Faro.", home("Faro"))
    story.corrects("User lives in Faro.", "User lives in Lisbon.")
    story.hears("I live in Porto.", home("Porto"), days=1)
    assert values(story) == {"Faro": "superseded", "Lisbon": "superseded", "Porto": "active"}


def test_a_summary_that_was_held_disputes_nothing() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    outcome = story.hears("They live in Porto.", home("Porto"), basis="summary", days=1)
    assert not outcome.all(SignalApplied)
