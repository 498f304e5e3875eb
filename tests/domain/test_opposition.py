"""What a user says against what they said before disputes it: by what was said when, not by when it arrived."""

from dataclasses import dataclass
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import MODEL, RULES, Saying, Story, a_claim, ana, at, home, saying

from affidavit.domain.claims import ClaimDerived, ClaimReaffirmed, ClaimState, SignalApplied
from affidavit.domain.policy import ONE
from affidavit.domain.readings import ExtractionCompleted

LIKES, LOVES, DISLIKES, HATES = (
    saying(f"User {verb} coffee.", "likes", "coffee", polarity=polarity)
    for verb, polarity in (("likes", "positive"), ("loves", "positive"), ("dislikes", "negative"), ("hates", "negative"))
)
OF_COFFEE = LIKES, LOVES, DISLIKES, HATES


def text(said: Saying) -> str:
    return said.proposal.text


def told(*days: tuple[float, Saying]) -> Story:
    """Returns a story in which one message each says so, in the order given."""
    story = Story()
    for day, said in days:
        story.hears(text(said), said, days=day)
    return story


def disputed(story: Story) -> dict[str, float]:
    """Returns the disputation of every claim by its sentence, where there is any."""
    states = story.index.states.values()
    return {story.index.content(state).text: state.disputation / ONE for state in states if state.disputation}


# What disputes what


def test_a_later_opposite_statement_disputes_the_earlier_claim() -> None:
    story = told((0, LIKES))
    item = story.says("I dislike coffee.", days=3)
    outcome = story.reads(item, DISLIKES).then(ClaimDerived, SignalApplied, ExtractionCompleted)
    signal = outcome.the(SignalApplied)
    assert (signal.claim, signal.source, signal.effect, signal.weight) == (
        story.id(text(LIKES)),
        "user_fact",
        "negates",
        ONE,
    )
    assert signal.evidence == (item,)
    state = story.state(text(LIKES))
    assert (state.disputation, state.disp_last_signal_at, state.signals, state.status) == (ONE, at(3), 1, "active")


def test_a_dispute_touches_neither_reinforcement_nor_its_clock() -> None:
    story = told((0, LIKES), (1, LIKES))
    before = story.state(text(LIKES))
    story.hears("No.", DISLIKES, days=2)
    changes = {"disputation": ONE, "disp_last_signal_at": at(2), "signals": before.signals + 1}
    # What it does to confidence has tests of its own.
    doubted = ("confidence", "confirmation", "contradicted_at", "uncontradicted")
    changes |= {name: getattr(story.state(text(LIKES)), name) for name in doubted}
    assert story.state(text(LIKES)) == before.with_(**changes)


@pytest.mark.row("N8")
def test_five_opposite_statements_dispute_five_times_and_count_no_combo() -> None:
    story = told((0, LIKES), *((day, DISLIKES) for day in range(1, 6)))
    assert disputed(story) == {text(LIKES): 5.0}
    assert story.state(text(LIKES)).user_fact_reinforce_count == 0


def test_the_earlier_statement_does_not_dispute_the_later() -> None:
    assert disputed(told((0, LIKES), (1, DISLIKES))) == disputed(told((1, DISLIKES), (0, LIKES))) == {text(LIKES): 1.0}


def test_statements_of_the_same_moment_dispute_nothing() -> None:
    assert disputed(told((1, LIKES), (1, DISLIKES))) == {}


def test_a_message_that_says_both_disputes_neither() -> None:
    story = Story()
    both = LIKES.proposal.text, DISLIKES.proposal.text
    story.hears(" ".join(both), LIKES, DISLIKES).then(ClaimDerived, ClaimDerived, ExtractionCompleted)
    assert disputed(story) == {}


def test_a_change_of_mind_and_back_disputes_each_once() -> None:
    story = told((0, LIKES), (1, DISLIKES), (2, LIKES))
    assert disputed(story) == {text(LIKES): 1.0, text(DISLIKES): 1.0}
    assert story.state(text(LIKES)).reinforcement == ONE // 2


def test_one_message_disputes_a_claim_once_in_however_many_words() -> None:
    story = told((0, LIKES))
    item = story.says("I dislike coffee, I hate it.", days=1)
    outcome = story.reads(item, DISLIKES, HATES).then(ClaimDerived, ClaimDerived, SignalApplied, ExtractionCompleted)
    assert outcome.the(SignalApplied).state.disputation == ONE
    story.reads(item, saying("User is no friend of coffee.", "likes", "coffee", polarity="negative"), by=MODEL)
    assert disputed(story) == {text(LIKES): 1.0}


def test_every_wording_of_the_value_is_disputed() -> None:
    assert disputed(told((0, LIKES), (0, LOVES), (1, HATES))) == {text(LIKES): 1.0, text(LOVES): 1.0}


def test_what_was_said_against_a_claim_before_its_first_statement_was_known_counts_once_it_is() -> None:
    story = told((5, LIKES), (3, DISLIKES))
    assert disputed(story) == {text(DISLIKES): 1.0}
    story.hears("I have always liked coffee.", LIKES, days=1)
    assert disputed(story) == {text(DISLIKES): 1.0, text(LIKES): 1.0}
    assert story.state(text(LIKES)).disp_last_signal_at == at(3)


def test_the_same_message_read_again_disputes_nothing_more() -> None:
    story = told((0, LIKES))
    item = story.says("I dislike coffee.", days=1)
    story.reads(item, DISLIKES, by=RULES)
    story.reads(item, DISLIKES, by=MODEL).then(ClaimDerived, ExtractionCompleted)
    assert disputed(story) == {text(LIKES): 1.0}


def test_a_claim_that_is_taught_its_value_disputes_and_is_disputed_from_its_first_statement_on() -> None:
    story = told((0, LIKES), (4, LIKES))
    items = [story.says("I dislike coffee.", days=day) for day in (1, 3)]
    for item in items:
        story.reads(item, saying(text(DISLIKES)), by=RULES)
    assert disputed(story) == {}
    story.reads(items[0], DISLIKES, by=MODEL).then(ClaimDerived, *[SignalApplied] * 3, ExtractionCompleted)
    assert disputed(story) == {text(LIKES): 2.0, text(DISLIKES): 1.0}
    assert story.state(text(DISLIKES)).polarity == "negative"


def test_a_statement_whose_reader_cannot_tell_the_value_speaks_for_what_its_claim_knows() -> None:
    story = told((0, LIKES), (1, DISLIKES))
    story.hears("I dislike coffee.", saying(text(DISLIKES)), days=2, by=MODEL)
    assert disputed(story) == {text(LIKES): 2.0}


# What it does to confidence


def confidence(*days: tuple[float, Saying]) -> tuple[float, str]:
    """Returns confidence and confirmation of the first claim after these messages, which are the same in any order."""
    found = {
        (state.confidence / ONE, state.confirmation)
        for order in permutations(days)
        for state in [told(*order).state(text(days[0][1]))]
    }
    (one,) = found
    return one


def test_a_contradicted_fact_loses_half_down_to_a_floor_once() -> None:
    assert confidence((0, LIKES)) == (0.85, "unconfirmed")
    assert confidence((0, LIKES), (1, DISLIKES)) == (0.35, "contradicted")
    assert confidence((0, LIKES), (1, DISLIKES), (2, HATES)) == (0.35, "contradicted")
    assert confidence((0, LIKES), (1, LIKES), (2, DISLIKES)) == (0.45, "contradicted")
    maybe = saying(text(LIKES), "likes", "coffee", hedged=True)
    assert confidence((0, maybe), (1, DISLIKES)) == (0.15, "contradicted")


def test_what_is_stated_again_is_confirmed_again_whatever_arrives_first() -> None:
    assert confidence((0, LIKES), (1, DISLIKES), (2, LIKES)) == (0.95, "confirmed")
    assert confidence((0, LIKES), (1, LIKES)) == (0.95, "confirmed")
    assert confidence((0, LIKES), (2, LIKES), (2, DISLIKES)) == (0.95, "confirmed")


def test_only_facts_have_a_confidence_to_lose() -> None:
    story = told((0, LIKES))
    story.index.states[story.id(text(LIKES))] = story.state(text(LIKES)).with_(form="persona")
    story.hears("No coffee.", DISLIKES, days=1)
    assert (story.state(text(LIKES)).confidence, story.state(text(LIKES)).confirmation) == (850_000, "unconfirmed")


# What does not


def test_one_value_attributes_do_not_oppose() -> None:
    left = saying("User does not live in Lisbon.", "home", "Lisbon", polarity="negative")
    story = told((0, home("Lisbon")), (1, left))
    assert disputed(story) == {}
    assert story.state("User lives in Lisbon.").status == "superseded"


@pytest.mark.parametrize(
    "other",
    [
        saying("User dislikes tea.", "likes", "tea", polarity="negative"),
        saying("User does not own coffee.", "owns", "coffee", polarity="negative"),
        saying("Bob dislikes coffee.", "likes", "coffee", polarity="negative", entity="Bob"),
        saying("User dislikes coffee."),
        LOVES,
    ],
)
def test_another_value_attribute_or_entity_and_the_same_polarity_oppose_nothing(other: Saying) -> None:
    assert disputed(told((0, LIKES), (1, other))) == {}


def test_another_namespace_opposes_nothing() -> None:
    story = told((0, LIKES))
    story.hears("No coffee.", DISLIKES, days=1, namespace="novel")
    assert disputed(story) == {}


@pytest.mark.parametrize(
    "voice",
    [
        {"by": "assistant"},
        {"by": "tool"},
        {"by": "user", "basis": "summary"},
        {"by": "system", "basis": "imported"},
        {"by": "assistant", "basis": "user_statement"},
    ],
)
@pytest.mark.parametrize("said", [DISLIKES, LIKES])
def test_what_is_not_the_users_own_word_disputes_nothing_in_either_order(voice: dict[str, str], said: Saying) -> None:
    story = told((0, LIKES), (1, HATES))
    before = disputed(story)
    story.reads(story.says("It is so.", days=2, **voice), said)  # type: ignore[arg-type]
    story.reads(story.says("It was so.", days=-2, **voice), said)  # type: ignore[arg-type]
    assert disputed(story) == before == {text(LIKES): 1.0}


@pytest.mark.parametrize(
    "changes",
    [{"basis": "card"}, *({"status": status} for status in ("denied", "archived", "quarantined", "promoted", "merged"))],
)
def test_what_stands_on_the_card_or_has_ended_is_disputed_no_more(changes: dict[str, str]) -> None:
    story = told((0, LIKES))
    before = story.index.states[story.id(text(LIKES))] = story.state(text(LIKES)).with_(**changes)
    story.hears("I dislike coffee.", DISLIKES, days=1).then(ClaimDerived, ExtractionCompleted)
    assert story.state(text(LIKES)) == before


def test_a_rejected_value_disputes_nothing() -> None:
    story = told((0, LIKES), (1, DISLIKES))
    story.rejects(text(DISLIKES), by=ana)
    assert story.hears("I dislike coffee.", HATES, days=2).refusals() == ["rejected value"]
    assert disputed(story) == {text(LIKES): 1.0}


def test_an_absorbed_claim_goes_on_being_disputed() -> None:
    story = told((0, LIKES))
    absorbed = {"status": "absorbed", "superseded_by": bytes(16)}
    story.index.states[story.id(text(LIKES))] = story.state(text(LIKES)).with_(**absorbed)
    story.hears("I dislike coffee.", DISLIKES, days=1)
    assert disputed(story) == {text(LIKES): 1.0}


# The order of arrival


def test_where_the_older_of_two_statements_comes_later_the_newer_is_the_repetition() -> None:
    story = told((5, LIKES))
    reaffirmed = story.hears("I like coffee.", LIKES, days=2).then(ClaimReaffirmed, SignalApplied, ExtractionCompleted)
    assert reaffirmed.the(SignalApplied).state.rein_last_signal_at == at(5)


def test_what_others_said_later_makes_no_repetition_fresh() -> None:
    story = Story()
    story.hears("They like coffee.", LIKES, days=9, basis="summary")
    for day in (2, 1):
        story.hears("I like coffee.", LIKES, days=day)
    assert story.state(text(LIKES)).rein_last_signal_at == at(2)


@dataclass(frozen=True)
class Reading:
    """What one extractor reads in a message that occurred on a day."""

    message: int
    day: int
    said: tuple[Saying, ...]
    by: str


SOME = st.lists(st.sampled_from(OF_COFFEE), min_size=1, max_size=3, unique=True).map(tuple)


@st.composite
def some_readings(draw: st.DrawFn) -> list[Reading]:
    days = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    extractors = st.sampled_from([(RULES,), (RULES, MODEL)])
    return [Reading(number, day, draw(SOME), by) for number, day in enumerate(days) for by in draw(extractors)]


def counted(state: ClaimState) -> tuple[object, ...]:
    clocks = state.rein_last_signal_at, state.disp_last_signal_at, state.evidence_at, state.confirmed_at
    counters = state.reinforcement, state.disputation, state.user_fact_reinforce_count, state.signals
    return *counters, *clocks, state.contradicted_at, state.confidence, state.uncontradicted, state.confirmation


def arrived(readings: list[Reading]) -> Story:
    story = Story()
    for reading in readings:
        item = story.says("What was said.", days=reading.day, message=str(reading.message))
        story.reads(item, *reading.said, by=reading.by)
    return story


@given(st.data())
def test_any_order_of_arrival_ends_in_the_same_counters_and_clocks(data: st.DataObject) -> None:
    readings = data.draw(some_readings())
    one, other = arrived(readings), arrived(data.draw(st.permutations(readings)))
    assert {claim: counted(state) for claim, state in one.index.states.items()} == {
        claim: counted(state) for claim, state in other.index.states.items()
    }


@given(some_readings())
def test_a_claim_is_disputed_once_by_every_message_that_says_the_opposite_after_its_first_statement(
    readings: list[Reading],
) -> None:
    story = arrived(readings)
    for said in OF_COFFEE:
        days = [reading.day for reading in readings if said in reading.said]
        against = {
            reading.message
            for reading in readings
            if days and reading.day > min(days) and any(_opposite(said, other) for other in reading.said)
        }
        state = story.index.claim(story.id(text(said))) or a_claim()
        assert state.disputation == len(against) * ONE


@given(some_readings(), st.sets(st.sampled_from(OF_COFFEE)))
def test_values_that_are_learned_late_end_in_the_same_counters_and_clocks(
    readings: list[Reading], bare: set[Saying]
) -> None:
    first = [reading for reading in readings if reading.by == RULES]
    untold = [Reading(r.message, r.day, tuple(saying(text(s)) if s in bare else s for s in r.said), RULES) for r in first]
    late = arrived([*untold, *(Reading(r.message, r.day, r.said, MODEL) for r in first)])
    assert {claim: counted(state) for claim, state in late.index.states.items()} == {
        claim: counted(state) for claim, state in arrived(first).index.states.items()
    }


def _opposite(one: Saying, other: Saying) -> bool:
    return one.proposal.polarity != other.proposal.polarity
