"""What a fact says of an observation is one signal; what changed meanwhile is left out, and no fact is weighed twice."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import MODEL, Outcome, Story, a_claim, asks, at, holds

from affidavit.domain.claims import SignalApplied
from affidavit.domain.policy import ONE
from affidavit.domain.relations import ClaimRelated, Found, Rebut, Relate, observed, rebut, relatable, relate

PERSONA = {"form": "persona"}
UNKNOWN = b"unknown".ljust(16, b".")


def relates(story: Story, *found: Found, facts: tuple[bytes, ...] = (), days: float = 0) -> Outcome:
    facts = facts or tuple(dict.fromkeys(one.fact for one in found))
    command = asks(story, Relate, days=days, facts=facts, found=found, extractor=MODEL)
    return story.keep(relate(command, story.index))


def fact(story: Story, text: str = "User drinks tea at night.", days: float = 0, session: str = "", **changes: Any) -> bytes:
    """Lets the story hold a fact from a message of its own."""
    item = story.says(text, days=days, session=session)
    return holds(story, text, item, evidence_at=at(days), **changes)


def target(story: Story, text: str = "User lives for the night.", **changes: Any) -> bytes:
    """Lets the story hold a persona claim, which a fact may speak for."""
    return holds(story, text, story.says(text, session="first"), **{**PERSONA, **changes})


# Signals


def test_a_fact_that_speaks_for_an_observation_reinforces_it_by_a_half() -> None:
    story = Story()
    seen, tea = target(story), fact(story, days=3, session="second")
    before = story.index.states[seen]
    signal = (
        relates(story, Found(tea, seen, True, "tea at night"), days=5).then(SignalApplied, ClaimRelated).the(SignalApplied)
    )
    assert (signal.claim, signal.source, signal.effect, signal.weight) == (seen, "user_fact", "reinforces", ONE // 2)
    assert (signal.parents, signal.reason) == ((tea,), "tea at night")
    changes = {"reinforcement": ONE // 2, "rein_last_signal_at": at(3), "user_fact_reinforce_count": 1, "signals": 1}
    assert signal.state == before.with_(**changes, sources=1, sessions=2)


def test_the_words_of_the_fact_support_the_observation_from_here_on() -> None:
    story = Story()
    seen, tea = target(story), fact(story, session="second")
    signal = relates(story, Found(tea, seen, True)).the(SignalApplied)
    (item,) = (cited.evidence for cited in story.index.citations(tea))
    assert signal.evidence == (item,)
    assert [(place.evidence, place.start, place.end) for place in signal.places] == [(item, 0, 25)]
    assert len(story.index.tally(seen).sessions) == signal.state.sessions == 2


def test_a_fact_that_speaks_against_an_observation_disputes_it_by_one() -> None:
    story = Story()
    seen, tea = target(story), fact(story, days=3)
    before = story.index.states[seen]
    signal = relates(story, Found(tea, seen, False)).the(SignalApplied)
    assert (signal.effect, signal.weight, signal.places) == ("negates", ONE, ())
    assert signal.state == before.with_(disputation=ONE, disp_last_signal_at=at(3), signals=1)
    assert len(story.index.citations(seen)) == 1


@pytest.mark.row("N7")
def test_the_third_fact_brings_the_bonus_within_one_batch() -> None:
    story = Story()
    seen, facts = target(story), [fact(story, f"User was up at {hour}.") for hour in range(1, 5)]
    signals = relates(story, *(Found(one, seen, True) for one in facts)).all(SignalApplied)
    assert [signal.weight / ONE for signal in signals] == [0.5, 0.5, 1.0, 1.0]
    assert [signal.state.reinforcement / ONE for signal in signals] == [0.5, 1.0, 2.0, 3.0]
    assert [signal.state.user_fact_reinforce_count for signal in signals] == [1, 2, 3, 4]


@given(st.lists(st.sampled_from(["first", "second", "third"]), min_size=1, max_size=5), st.integers(1, 5))
def test_the_sessions_of_a_target_are_those_of_all_that_spoke_for_it(sessions: list[str], cut: int) -> None:
    story = Story()
    seen = target(story)
    facts = [fact(story, f"User was up at {at}.", session=session) for at, session in enumerate(sessions)]
    for batch in (facts[:cut], facts[cut:]):
        relates(story, *(Found(one, seen, True) for one in batch))
    assert story.index.states[seen].sessions == len({"first", *sessions}) == len(story.index.tally(seen).sessions)


def test_one_fact_may_speak_of_several_observations() -> None:
    story = Story()
    one, other, tea = target(story), target(story, "User hates mornings."), fact(story)
    outcome = relates(story, Found(tea, one, True), Found(tea, other, False)).then(
        SignalApplied, SignalApplied, ClaimRelated
    )
    assert outcome.the(ClaimRelated).targets == (one, other)


@pytest.mark.parametrize("again", [True, False])
def test_one_fact_says_one_thing_of_one_observation(again: bool) -> None:
    story = Story()
    seen, tea = target(story), fact(story)
    outcome = relates(story, Found(tea, seen, True), Found(tea, seen, again)).then(SignalApplied, ClaimRelated)
    assert outcome.the(ClaimRelated).targets == (seen,)
    assert (story.index.states[seen].reinforcement, story.index.states[seen].disputation) == (ONE // 2, 0)


# The mark


def test_every_fact_of_the_batch_is_marked_whether_or_not_it_spoke() -> None:
    story = Story()
    seen, tea, cake = target(story), fact(story), fact(story, "User likes cake.")
    outcome = relates(story, Found(tea, seen, True), facts=(tea, cake)).then(SignalApplied, ClaimRelated, ClaimRelated)
    assert [(event.claim, event.targets) for event in outcome.all(ClaimRelated)] == [(tea, (seen,)), (cake, ())]
    assert story.index.states[tea].related
    assert story.index.states[cake].related
    assert not story.index.states[seen].related


def test_the_mark_moves_nothing_else() -> None:
    story = Story()
    tea = fact(story)
    before = story.index.states[tea]
    relates(story, facts=(tea,)).then(ClaimRelated)
    assert story.index.states[tea] == before.with_(related=True)


def test_a_fact_that_is_a_target_too_keeps_both_its_signal_and_its_mark() -> None:
    story = Story()
    tea, night = fact(story), fact(story, "User is up at night.")
    relates(story, Found(tea, night, True), facts=(tea, night)).then(SignalApplied, ClaimRelated, ClaimRelated)
    assert (story.index.states[night].reinforcement, story.index.states[night].related) == (ONE // 2, True)


def test_a_fact_that_was_weighed_is_not_weighed_again() -> None:
    story = Story()
    seen, tea = target(story), fact(story)
    relates(story, Found(tea, seen, True))
    before = story.index.states[seen]
    relates(story, Found(tea, seen, True)).then_nothing()
    assert story.index.states[seen] == before


# What is left out


@pytest.mark.row("N10")
def test_an_unknown_target_gets_nothing() -> None:
    story = Story()
    tea = fact(story)
    assert relates(story, Found(tea, UNKNOWN, True)).then(ClaimRelated).the(ClaimRelated).targets == ()
    assert UNKNOWN not in story.index.states


@pytest.mark.row("N10")
def test_an_unknown_fact_says_nothing() -> None:
    story = Story()
    seen = target(story)
    relates(story, Found(UNKNOWN, seen, True)).then_nothing()


@pytest.mark.parametrize(
    "changes",
    [
        {"form": "reflection", "status": "pending"},
        {"form": "reflection", "status": "promote_blocked"},
        {"form": "narrative"},
        {"basis": "card"},
        {"status": "archived"},
        {"status": "denied"},
        {"status": "merged"},
        {"form": "fact", "status": "absorbed"},
        {"generations": ()},
    ],
)
def test_a_target_that_may_not_be_observed_any_more_is_left_out(changes: dict[str, Any]) -> None:
    story = Story()
    seen, tea = target(story, **changes), fact(story)
    assert not observed(story.index.states[seen])
    relates(story, Found(tea, seen, True)).then(ClaimRelated)


@pytest.mark.parametrize("changes", [{"form": "reflection", "status": "confirmed"}, {"form": "fact"}, PERSONA])
def test_confirmed_reflections_facts_and_persona_claims_are_observed(changes: dict[str, Any]) -> None:
    story = Story()
    seen, tea = target(story, **changes), fact(story)
    relates(story, Found(tea, seen, True)).then(SignalApplied, ClaimRelated)


def test_a_fact_is_no_evidence_for_itself() -> None:
    story = Story()
    tea = fact(story)
    relates(story, Found(tea, tea, True)).then(ClaimRelated)
    assert story.index.states[tea].reinforcement == 0


def test_a_fact_outside_the_batch_says_nothing() -> None:
    story = Story()
    seen, tea, cake = target(story), fact(story), fact(story, "User likes cake.")
    relates(story, Found(cake, seen, True), facts=(tea,)).then(ClaimRelated)
    assert not story.index.states[cake].related


@pytest.mark.parametrize(
    "changes",
    [
        {"form": "persona"},
        {"status": "denied"},
        {"status": "promoted"},
        {"basis": "summary"},
        {"basis": "imported"},
        {"basis": "manual_correction"},
        {"related": True},
        {"generations": ()},
    ],
)
def test_only_live_facts_in_the_users_own_words_are_weighed(changes: dict[str, Any]) -> None:
    assert relatable(a_claim())
    assert not relatable(a_claim(**changes))
    story = Story()
    seen, tea = target(story), fact(story, **changes)
    relates(story, Found(tea, seen, True)).then_nothing()


# Rebuttals


def rebuts(story: Story, item: bytes, *targets: bytes) -> Outcome:
    command = asks(story, Rebut, days=9, item=item, targets=targets, extractor=MODEL)
    return story.keep(rebut(command, story.index))


def test_a_rebuttal_disputes_each_target_by_one_at_the_time_of_the_message() -> None:
    story = Story()
    one, other = target(story), target(story, "User hates mornings.")
    item = story.says("Stop talking about that.", days=4)
    outcome = rebuts(story, item, one, other).then(SignalApplied, SignalApplied)
    for signal in outcome.all(SignalApplied):
        assert (signal.source, signal.effect, signal.weight) == ("user_keyword_rebut", "negates", ONE)
        assert (signal.evidence, signal.state.disputation, signal.state.disp_last_signal_at) == ((item,), ONE, at(4))
        assert (signal.state.reinforcement, signal.state.rein_last_signal_at, signal.state.status) == (0, None, "active")


def test_a_message_rebuts_a_claim_once() -> None:
    story = Story()
    seen, item = target(story), story.says("Stop talking about that.")
    one, other = (asks(story, Rebut, days=day, item=item, targets=(seen,), extractor=MODEL) for day in (0, 1))
    assert one.natural_key == other.natural_key
    keys = [
        asks(story, Rebut, item=said, targets=(claim,), extractor=MODEL).natural_key
        for said, claim in ((UNKNOWN, seen), (item, UNKNOWN))
    ]
    assert one.natural_key not in keys
    rebuts(story, item, seen, seen).then(SignalApplied)


@pytest.mark.parametrize(
    "voice", [{"by": "assistant"}, {"by": "tool"}, {"by": "system"}, {"basis": "summary"}, {"basis": "imported"}]
)
def test_only_the_users_own_message_rebuts(voice: dict[str, Any]) -> None:
    story = Story()
    seen = target(story)
    rebuts(story, story.says("Stop talking about that.", **voice), seen).then_nothing()


def test_a_message_that_is_not_there_rebuts_nothing() -> None:
    story = Story()
    rebuts(story, UNKNOWN, target(story)).then_nothing()


@pytest.mark.row("N10")
@pytest.mark.parametrize(
    "changes", [{"form": "reflection", "status": "pending"}, {"basis": "card"}, {"status": "archived"}, {"status": "denied"}]
)
def test_only_what_is_observed_is_rebutted(changes: dict[str, Any]) -> None:
    story = Story()
    rebuts(story, story.says("Stop talking about that."), target(story, **changes), UNKNOWN).then_nothing()
