"""What holds of every story: reading again is quiet, the order of arrival decides nothing, corrections stay."""

from dataclasses import dataclass
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from spec import MODEL, RULES, Saying, Story, home, saying

CITIES = ("Lisbon", "Porto", "Faro")
SAYINGS = (
    *(home(city) for city in CITIES),
    saying("User does not live in Lisbon.", "home", "Lisbon", polarity="negative"),
    saying("User is at home in Lisbon.", "home", "Lisbon", hedged=True),
    saying("User likes tea.", "likes", "tea", kind="preference"),
    saying("User likes cake.", "likes", "cake", quote="said"),
    saying("Bob lives in Porto.", "home", "Porto", entity="Bob"),
    saying("User moved."),
    saying(" "),
)


@dataclass(frozen=True)
class Message:
    """A message at its own moment, with what an extractor reads in it."""

    days: int
    said: tuple[Saying, ...]
    voice: tuple[tuple[str, str], ...] = ()

    def tell(self, story: Story) -> bytes:
        return story.says(f"What was said on day {self.days}.", days=self.days, message=str(self.days), **dict(self.voice))  # type: ignore[arg-type]


SOME = st.lists(st.sampled_from(SAYINGS), max_size=3, unique=True).map(tuple)
SPOKEN = st.sampled_from([(), (("by", "assistant"),), (("session", "monday"),)])
SUMMED_UP = st.just((("basis", "summary"),))


def some_messages(voices: st.SearchStrategy[tuple[tuple[str, str], ...]]) -> st.SearchStrategy[list[Message]]:
    return st.lists(st.builds(Message, st.integers(0, 9), SOME, voices), max_size=4, unique_by=lambda found: found.days)


FIRST_HAND = st.builds(Message, st.integers(0, 9), SOME)


def judge(story: Story, sentence: str, into: str | None) -> None:
    """Lets Ana reject or correct the claim, where it is there and live."""
    known = story.index.claim(story.id(sentence))
    if known and known.live:
        _ = story.rejects(sentence) if into is None else story.corrects(sentence, into)


JUDGEMENTS = st.lists(
    st.tuples(
        st.sampled_from([found.proposal.text for found in SAYINGS[:6]]),
        st.sampled_from([None, *(f"User lives in {city}." for city in CITIES), "User is of no fixed abode."]),
    ),
    max_size=3,
)


@given(some_messages(SPOKEN | SUMMED_UP), JUDGEMENTS, st.sampled_from([RULES, MODEL]))
def test_the_same_answer_again_stays_quiet(messages: list[Message], judged: list[tuple[str, str | None]], by: str) -> None:
    story = Story()
    items = [message.tell(story) for message in messages]
    for item, message in zip(items, messages, strict=True):
        story.reads(item, *message.said)
    for sentence, into in judged:
        judge(story, sentence, into)
    for item, message in zip(items, messages, strict=True):
        story.reads(item, *message.said, by=by)
        story.reads(item, *message.said, by=by).then_nothing()


@given(some_messages(SPOKEN), JUDGEMENTS, st.sampled_from([RULES, MODEL]))
def test_reading_everything_again_changes_no_claim(
    messages: list[Message], judged: list[tuple[str, str | None]], by: str
) -> None:
    story = Story()
    items = [message.tell(story) for message in messages]
    for item, message in zip(items, messages, strict=True):
        story.reads(item, *message.said)
    for sentence, into in judged:
        judge(story, sentence, into)
    before = dict(story.index.states)
    for item, message in zip(items, messages, strict=True):
        story.reads(item, *message.said, by=by)
    assert story.index.states == before


@given(FIRST_HAND, st.sampled_from(CITIES), st.sampled_from(CITIES), st.sampled_from([RULES, MODEL]))
def test_a_rejected_home_never_comes_back(message: Message, city: str, other: str, by: str) -> None:
    story = Story()
    item = story.says(f"I live in {city}.", days=-1)
    story.reads(item, home(city))
    story.rejects(f"User lives in {city}.")
    story.reads(message.tell(story), *message.said, home(city), by=by)
    story.hears(f"I live in {other}.", home(other), days=20)
    story.reads(item, home(city), by=by)
    assert story.state(f"User lives in {city}.").status == "denied"


@given(st.lists(FIRST_HAND, min_size=2, max_size=3, unique_by=lambda found: found.days))
def test_the_order_of_arrival_changes_no_status(messages: list[Message]) -> None:
    told = [statuses(order) for order in permutations(messages)]
    assert all(found == told[0] for found in told)


@given(st.permutations(range(4)))
def test_two_wordings_of_a_value_fare_the_same_in_every_order(days: list[int]) -> None:
    messages = [Message(day, (said,)) for day, said in zip(days, (HOME, AT_HOME, MOVED, HOME), strict=True)]
    told = [statuses(order) for order in permutations(messages)]
    assert all(found == told[0] for found in told)


@given(st.permutations(range(4)), st.permutations(range(4)))
def test_the_newest_value_stands_in_whatever_order_its_wordings_arrive(days: list[int], order: list[int]) -> None:
    said = HOME, AT_HOME, MOVED, HOME
    story = heard([Message(days[number], (said[number],)) for number in order])
    values = {story.index.content(state).value for state in story.index.states.values() if state.live}
    assert values == {said[days.index(3)].proposal.value}


@given(some_messages(SPOKEN | SUMMED_UP))
def test_messages_about_other_things_are_independent(messages: list[Message]) -> None:
    apart = [Message(message.days, (thing,), message.voice) for message, thing in zip(messages, THINGS, strict=False)]
    assert final(apart) == final(apart[::-1])


THINGS = (SAYINGS[0], SAYINGS[5], SAYINGS[7], SAYINGS[8])
HOME, MOVED, AT_HOME = home("Lisbon"), home("Porto"), saying("User is at home in Lisbon.", "home", "Lisbon")


def heard(messages: tuple[Message, ...] | list[Message]) -> Story:
    story = Story()
    for message in messages:
        story.reads(message.tell(story), *message.said)
    return story


def statuses(messages: tuple[Message, ...]) -> dict[bytes, str]:
    return {claim: state.status for claim, state in heard(messages).index.states.items()}


def final(messages: list[Message]) -> dict[bytes, Any]:
    """Returns every claim's state but for the ids of its events."""
    return {claim: state.with_(wordings=()) for claim, state in heard(messages).index.states.items()}
