"""A reflection is one sentence of one set of facts, no better than the weakest of them, and never a rejected one."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import MODEL, NOW, FakeIndex, Outcome, Story, ana, asks, at, holds, saying

from affidavit.domain.claims import ClaimDerived, ClaimState, ClaimSuperseded
from affidavit.domain.policy import ONE
from affidavit.domain.questions import Reflection
from affidavit.domain.reflections import Reflect, absorbable, reflect, reflection_id
from affidavit.domain.rejections import ValueRejected
from affidavit.domain.scopes import WriteRefused

NIGHT = "User lives for the night."
DRINKS = ("tea", "coffee", "cocoa")


def reflects(story: Story, *facts: bytes, text: str = NIGHT, days: float = 0, **answer: Any) -> Outcome:
    command = asks(
        story, Reflect, days=days, facts=facts, namespace="", extractor=MODEL, answer=Reflection(text=text, **answer)
    )
    return story.keep(reflect(command, story.index))


def facts(story: Story, *names: str, **changes: Any) -> tuple[bytes, ...]:
    """Lets the story hold a fact of each name, each from a message of its own, a day apart."""
    items = [story.says(f"I like {name}.", days=day, session=name) for day, name in enumerate(names)]
    named = zip(items, names, strict=True)
    return tuple(holds(story, f"User likes {name}.", item, attribute="likes", value=name, **changes) for item, name in named)


def begun(outcome: Outcome) -> ClaimState:
    return outcome.the(ClaimDerived).state


# The same facts


@pytest.mark.row("N47")
def test_the_same_facts_are_one_reflection_and_other_facts_another() -> None:
    story = Story()
    tea, coffee, cocoa = facts(story, *DRINKS)
    first = reflects(story, tea, coffee).then(ClaimDerived, ClaimSuperseded, ClaimSuperseded).the(ClaimDerived)
    reflects(story, coffee, tea, text="User drinks hot things.").then_nothing()
    reflections = [claim for claim, state in story.index.states.items() if state.form == "reflection"]
    assert reflections == [first.claim]
    other = reflects(story, cocoa, text="User has a sweet tooth.").then(ClaimDerived, ClaimSuperseded).the(ClaimDerived)
    assert other.claim != first.claim


@pytest.mark.row("N47")
def test_facts_whose_mark_was_lost_are_only_marked_again() -> None:
    story = Story()
    tea, coffee = facts(story, "tea", "coffee")
    claim = reflects(story, tea, coffee).the(ClaimDerived).claim
    before = story.index.states[claim]
    story.index.states[tea] = story.index.states[tea].with_(status="active", superseded_by=None)
    marked = reflects(story, tea, coffee, text="User drinks.", days=1).then(ClaimSuperseded).the(ClaimSuperseded)
    assert (marked.claim, marked.by, marked.state.status) == (tea, claim, "absorbed")
    assert story.index.states[claim] == before


def test_a_fact_named_twice_is_one_fact() -> None:
    story = Story()
    (tea,) = facts(story, "tea")
    assert begun(reflects(story, tea, tea).then(ClaimDerived, ClaimSuperseded)).parents == (tea,)


@given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, max_size=4, unique=True))
def test_the_id_does_not_depend_on_the_order_of_the_facts(parents: list[bytes]) -> None:
    ids = {reflection_id(FakeIndex(), "", "user", order) for order in permutations(parents)}
    assert len(ids) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("", "user", (b"ab", b"c")), ("", "user", (b"a", b"bc"))),
        (("", "user", (b"ab",)), ("", "user", (b"ab", b"c"))),
        (("", "user", (b"a",)), ("", "agent", (b"a",))),
        (("", "user", (b"a",)), ("novel", "user", (b"a",))),
    ],
)
def test_other_facts_entities_and_namespaces_have_other_ids(one: Any, other: Any) -> None:
    assert reflection_id(FakeIndex(), *one) != reflection_id(FakeIndex(), *other)


# What it begins with


def test_a_reflection_begins_pending_with_the_places_of_all_its_facts() -> None:
    story = Story()
    parents = facts(story, "tea", "coffee")
    derived = reflects(story, *parents, days=9).the(ClaimDerived)
    state = derived.state
    assert (state.form, state.kind, state.status, state.method, state.since) == (
        "reflection",
        "pattern",
        "pending",
        "model",
        at(9),
    )
    assert state.parents == derived.parents == tuple(sorted(parents))
    assert [place.evidence for place in derived.places] == list(story.index.items) == list(derived.evidence)
    assert derived.content is not None
    assert (derived.content.text, derived.content.entity) == (NIGHT, "user")
    assert (derived.extractor, derived.generation, state.wordings[0].content) == (MODEL, 1, derived.id)


def test_its_sources_and_sessions_are_those_of_its_facts_together() -> None:
    story = Story()
    for number, (source, session) in enumerate([("chat", "1"), ("chat", "2"), ("letters", "1"), ("chat", "1")]):
        holds(story, f"User fact {number}.", story.says("Yes.", source=source, session=session))
    state = begun(reflects(story, *story.index.states))
    assert (state.sources, state.sessions) == (2, 3)
    assert state.sessions == len(story.index.tally(reflection_id(story.index, "", "user", state.parents)).sessions)


def test_the_facts_are_absorbed_by_it() -> None:
    story = Story()
    outcome = reflects(story, *facts(story, "tea", "coffee"), days=2)
    claim = outcome.the(ClaimDerived).claim
    for event in outcome.all(ClaimSuperseded):
        assert (event.by, event.state.superseded_by, event.state.status, event.state.since) == (
            claim,
            claim,
            "absorbed",
            at(2),
        )
        assert not event.state.live


def test_an_absorbed_fact_keeps_counting() -> None:
    story = Story()
    story.hears("I like tea.", saying("User likes tea.", "likes", "tea"))
    reflects(story, story.id("User likes tea."))
    story.hears("I like tea.", saying("User likes tea.", "likes", "tea"), days=1)
    state = story.state("User likes tea.")
    assert (state.status, state.reinforcement) == ("absorbed", ONE // 2)


@pytest.mark.row("N6")
@pytest.mark.parametrize(
    ("importance", "seed"),
    [(10, 0.8), (9, 0.6), (8, 0.4), (7, 0.2), (6, 0.0), (5, 0.0), (1, 0.0), (None, 0.0)],
)
def test_the_most_important_fact_seeds_it_and_sets_its_clock(importance: int | None, seed: float) -> None:
    story = Story()
    parents = (*facts(story, "tea", importance=importance), *facts(story, "coffee", importance=1), *facts(story, "cocoa"))
    state = begun(reflects(story, *parents, days=4))
    assert (state.reinforcement / ONE, state.rein_last_signal_at) == (seed, at(4) if seed else None)
    assert (state.disputation, state.user_fact_reinforce_count, state.signals) == (0, 0, 0)
    assert state.importance == max(importance or 1, 1)


def test_no_important_fact_leaves_the_importance_unknown() -> None:
    story = Story()
    assert begun(reflects(story, *facts(story, "tea"))).importance is None


@pytest.mark.parametrize(
    ("bases", "weakest"),
    [
        (("user_statement", "user_statement"), "user_statement"),
        (("user_statement", "summary"), "summary"),
        (("summary", "imported"), "imported"),
        (("manual_correction", "user_statement"), "user_statement"),
        (("tool_observation", "summary"), "summary"),
        (("user_statement", "unknown"), "unknown"),
        (("manual_correction", "manual_correction"), "user_statement"),
        (("tool_observation", "tool_observation"), "summary"),
    ],
)
def test_it_is_no_better_than_the_weakest_of_its_facts(bases: tuple[str, str], weakest: str) -> None:
    story = Story()
    (tea,) = facts(story, "tea", basis=bases[0], confidence=900_000)
    (coffee,) = facts(story, "coffee", basis=bases[1], confidence=899_999)
    state = begun(reflects(story, tea, coffee))
    assert (state.basis, state.confidence) == (weakest, 899_999)


def test_it_is_dated_by_the_newest_of_its_facts() -> None:
    story = Story()
    days = [
        facts(story, name, evidence_at=at(day), confirmed_at=at(day))
        for name, day in (("tea", 3), ("coffee", 8), ("cocoa", 5))
    ]
    state = begun(reflects(story, *(fact for (fact,) in days), days=9))
    assert (state.evidence_at, state.confirmed_at) == (at(8), at(8))


# Refusals


CHANGED: list[dict[str, Any]] = [
    *({"status": status} for status in ("superseded", "denied", "absorbed", "promoted", "archived", "quarantined")),
    {"basis": "card"},
    {"form": "persona"},
    {"generations": ()},
]


@pytest.mark.parametrize("changes", CHANGED)
def test_a_fact_that_changed_since_it_was_read_makes_the_answer_stale(changes: dict[str, Any]) -> None:
    story = Story()
    tea, coffee = facts(story, "tea", "coffee")
    story.index.states[tea] = story.index.states[tea].with_(**changes)
    assert not absorbable(story.index.states[tea])
    reflects(story, tea, coffee).refused("stale")
    assert story.index.states[coffee].status == "active"


def test_unknown_facts_and_no_facts_make_no_reflection() -> None:
    story = Story()
    (tea,) = facts(story, "tea")
    reflects(story, tea, bytes(16)).refused("stale")
    reflects(story).refused("stale")


def test_the_gate_refuses_a_sentence_that_a_person_rejected_and_the_log_says_so() -> None:
    story = Story()
    rejected = holds(story, NIGHT)
    story.rejects(NIGHT, by=ana).then(ValueRejected)
    parents = facts(story, "tea", "coffee")
    outcome = reflects(story, *parents, text="user lives for the NIGHT").then(WriteRefused)
    outcome.refused("rejected value", actual="a sentence that says what a person rejected")
    event = outcome.the(WriteRefused)
    assert (event.bound_to, event.extractor, event.text) == (rejected, MODEL, "user lives for the NIGHT")
    assert event.evidence == tuple(story.index.items)
    assert {story.index.states[fact].status for fact in parents} == {"active"}


@pytest.mark.parametrize("text", ["", "   ", "User likes\ntea.", "User\x1b[31m likes tea."])
def test_a_sentence_that_is_none_is_refused(text: str) -> None:
    story = Story()
    reflects(story, *facts(story, "tea"), text=text).refused("wording", required="one sentence on one line")


@pytest.mark.parametrize("entity", ["", " ", "us\ner"])
def test_a_sentence_about_nobody_is_refused(entity: str) -> None:
    story = Story()
    reflects(story, *facts(story, "tea"), entity=entity).refused("wording")


def test_white_space_around_a_sentence_is_no_part_of_it() -> None:
    story = Story()
    content = reflects(story, *facts(story, "tea"), text=f"  {NIGHT} \n").the(ClaimDerived).content
    assert content is not None
    assert content.text == NIGHT


def test_a_known_reflection_is_not_asked_for_its_facts_again() -> None:
    story = Story()
    parents = facts(story, "tea", "coffee")
    claim = reflects(story, *parents).the(ClaimDerived).claim
    story.index.states[claim] = story.index.states[claim].with_(status="denied", since=NOW)
    reflects(story, *parents).then_nothing()
    assert story.index.states[claim].status == "denied"
