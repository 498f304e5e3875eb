"""A narrative is added on purpose, compared with narratives alone, and quiet when repeated."""

import pytest
from spec import Outcome, Story, ana, asks, assistant

from affidavit.domain.forgetting import ClaimForgotten, Forget, forget
from affidavit.domain.narratives import TONES, AddNarrative, NarrativeAdded, add_narrative
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import Actor
from affidavit.scripts.cli import write

ACE = "Abby calls Ana 'Ace the Mixer'."
host = Actor("host", "bot")


def added(story: Story, text: str = ACE, *, by: Actor = ana, tone: str = "warm") -> Outcome:
    command = asks(story, AddNarrative, actor=by, namespace="", namespace_id=None, text=text, tone=tone)
    return story.keep(add_narrative(command, story.index))


def forgotten(story: Story, outcome: Outcome) -> Outcome:
    claim = outcome.the(NarrativeAdded).claim
    command = asks(story, Forget, claim=claim, namespace="")
    return story.keep(forget(command, story.index.states[claim], story.index))


def test_a_narrative_is_a_claim_of_its_own_form_under_no_evidence() -> None:
    event = added(Story()).then(NarrativeAdded).the(NarrativeAdded)
    state = event.state
    assert (state.form, state.kind, state.tone, state.live, event.evidence) == ("narrative", "narrative", "warm", True, ())
    assert (state.topic, state.value) == (None, None)


@pytest.mark.parametrize("by", [ana, host])
def test_added_twice_is_one_and_another_tone_is_a_change(by: Actor) -> None:
    story = Story()
    added(story, by=by)
    added(story, f"  {ACE.upper()} ", by=by).then_nothing()
    assert added(story, by=by, tone="funny").the(NarrativeAdded).state.tone == "funny"


def test_who_is_no_user_operator_or_host_adds_none() -> None:
    refused = added(Story(), by=assistant).refused("role", required="role user, operator or host")
    assert len(refused.events) == 1


@pytest.mark.parametrize(
    ("text", "tone", "rule"), [(" too short ", "warm", "wording"), (ACE, "", "tone"), (ACE, "sad", "tone")]
)
def test_it_has_a_text_and_a_tone(text: str, tone: str, rule: str) -> None:
    added(Story(), text, tone=tone).refused(rule)


def test_a_forgotten_one_comes_back_by_a_person_and_not_by_a_program() -> None:
    story = Story()
    forgotten(story, added(story)).then(ClaimForgotten, ValueRejected)
    added(story, by=host).refused("rejected value")
    added(story).then(RejectionLifted, NarrativeAdded)


def test_its_sentence_is_not_that_of_a_fact() -> None:
    story = Story()
    fact = story.asserts(ACE).events[0]
    narrative = added(story).the(NarrativeAdded)
    assert fact.stream != narrative.claim
    assert {story.state(ACE).sentence, story.state(ACE).about}.isdisjoint({narrative.state.sentence, narrative.state.about})


def test_the_command_line_knows_its_tones() -> None:
    assert write._TONES == TONES
