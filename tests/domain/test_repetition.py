"""What the agent brings up too often is left alone for five hours, and nothing that the user said moves by it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW, Outcome, Story, a_claim, asks, at, holds

from affidavit.domain.claims import ClaimState
from affidavit.domain.mentions import is_suppressed
from affidavit.domain.policy import Policy
from affidavit.domain.repetition import ClaimMentioned, Mention, mention, mentionable
from affidavit.domain.times import SECOND

HOUR = 1 / 24
WINDOW = Policy().repetition.window_hours * 3600 * SECOND
CONFIRMED = {"form": "reflection", "status": "confirmed"}


def mentions(story: Story, *claims: bytes, hours: float = 0, text: str = "More tea?", by: Any = "assistant") -> Outcome:
    """Lets the agent say so, so many hours after NOW, and sees which of the claims that mentions."""
    item = story.says(text, days=hours * HOUR, by=by)
    return story.keep(mention(asks(story, Mention, item=item, claims=claims), story.index))


def persona(story: Story, text: str = "User likes tea.", **changes: Any) -> bytes:
    return holds(story, text, **{"form": "persona", **changes})


def suppressed(state: ClaimState, hours: float) -> bool:
    return is_suppressed(state.suppressed_at, at(hours * HOUR), window=WINDOW)


@pytest.mark.row("N41")
def test_the_third_mention_within_the_window_suppresses() -> None:
    story = Story()
    tea = persona(story)
    seen = [mentions(story, tea, hours=hour).then(ClaimMentioned).the(ClaimMentioned).state for hour in (0, 1, 2)]
    assert Policy().repetition.most == 2
    assert [state.suppressed_at for state in seen] == [None, None, at(2 * HOUR)]
    assert seen[-1].mentions == tuple(at(hour * HOUR) for hour in (0, 1, 2))


@pytest.mark.row("N41")
def test_two_mentions_do_not_suppress() -> None:
    story = Story()
    tea = persona(story)
    for hour in (0, 1):
        mentions(story, tea, hours=hour)
    assert story.index.states[tea].suppressed_at is None


def test_three_mentions_further_apart_than_the_window_do_not_suppress() -> None:
    story = Story()
    tea = persona(story)
    for hour in (0, 3, 5.5):
        mentions(story, tea, hours=hour)
    assert story.index.states[tea].suppressed_at is None
    assert story.index.states[tea].mentions == (at(3 * HOUR), at(5.5 * HOUR))


def test_a_suppression_is_lifted_after_five_hours() -> None:
    story = Story()
    tea = persona(story)
    for _ in range(3):
        mentions(story, tea)
    state = story.index.states[tea]
    assert [suppressed(state, hours) for hours in (0, 4.9, 5, 9)] == [True, True, False, False]


def test_mentions_while_suppressed_make_it_no_longer_and_too_many_after_it_begin_another() -> None:
    story = Story()
    tea = persona(story)
    for hour in (0, 0, 0, 4):
        mentions(story, tea, hours=hour)
    assert story.index.states[tea].suppressed_at == NOW
    for hour in (6, 7):
        mentions(story, tea, hours=hour)
    assert story.index.states[tea].suppressed_at == at(7 * HOUR)


@pytest.mark.row("N41")
@pytest.mark.parametrize(
    "changes",
    [
        {"form": "reflection", "status": "pending"},
        {"form": "reflection", "status": "promote_blocked"},
        {"form": "fact"},
        {"form": "narrative"},
        {"form": "persona", "basis": "card"},
        {**CONFIRMED, "basis": "card"},
        {"form": "persona", "status": "archived"},
        {"form": "persona", "status": "superseded"},
        {"form": "persona", "generations": ()},
    ],
)
def test_what_is_pending_protected_a_fact_or_not_live_is_never_suppressed(changes: dict[str, Any]) -> None:
    story = Story()
    claim = persona(story, **changes)
    assert not mentionable(story.index.states[claim])
    for _ in range(4):
        mentions(story, claim).then_nothing()


def test_persona_claims_and_confirmed_reflections_are_counted() -> None:
    assert mentionable(a_claim(form="persona"))
    assert mentionable(a_claim(**CONFIRMED))


def test_one_message_mentions_a_claim_once() -> None:
    story = Story()
    tea = persona(story)
    mentions(story, tea, tea, text="Tea, tea and more tea?").then(ClaimMentioned)
    assert len(story.index.states[tea].mentions) == 1
    item = story.says("More tea?", by="assistant")
    one, other = (asks(story, Mention, item=item, claims=claims) for claims in ((tea,), ()))
    assert one.natural_key == other.natural_key != asks(story, Mention, item=bytes(16), claims=()).natural_key


def test_only_the_claims_that_are_mentioned_are_counted() -> None:
    story = Story()
    tea, cake = persona(story), persona(story, "User bakes cake.")
    outcome = mentions(story, tea, cake, bytes(16), text="Your cake was good.").then(ClaimMentioned)
    assert outcome.the(ClaimMentioned).claim == cake
    mentions(story, tea, cake, text="Good morning.").then_nothing()


def test_the_names_of_those_who_speak_are_no_mention() -> None:
    story = Story()
    claim = persona(story, "User calls her cat Olive.")
    item = story.says("Hello Olive!", by="assistant")
    command = asks(story, Mention, item=item, claims=(claim,), names=("Olive",))
    Outcome(mention(command, story.index)).then_nothing()


@pytest.mark.parametrize("by", ["user", "tool", "system"])
def test_only_the_agents_own_words_repeat(by: str) -> None:
    story = Story()
    mentions(story, persona(story), by=by).then_nothing()


def test_a_message_that_is_not_there_mentions_nothing() -> None:
    story = Story()
    Outcome(mention(asks(story, Mention, item=bytes(16), claims=(persona(story),)), story.index)).then_nothing()


@given(st.lists(st.floats(-12, 12), max_size=8))
def test_a_mention_moves_no_counter_and_no_clock(hours: list[float]) -> None:
    story = Story()
    tea = persona(story, reinforcement=1, disputation=2, rein_last_signal_at=3, disp_last_signal_at=4, signals=5)
    before = story.index.states[tea]
    for hour in hours:
        mentions(story, tea, hours=hour)
    after = story.index.states[tea]
    assert after == before.with_(mentions=after.mentions, suppressed_at=after.suppressed_at)
