"""When what a claim tells of takes place, and how important it is: relative to the message, and within bounds."""

from typing import Any

import pytest
from spec import SCOPE, Story, a_claim, at, extractor, saying

from affidavit.domain.claims import ClaimDerived
from affidavit.domain.derivation import complete
from affidavit.domain.proposals import Offset, Unit, When
from affidavit.domain.readings import Complete
from affidavit.domain.times import iso, parse_time

FLIES = "User flies to Porto."


def when(amount: int, unit: Unit, *end: Any) -> When:
    return When(Offset(amount, unit), Offset(*end) if end else None)


def happens(found: When, said_at: str = "2026-01-31T12:00:00Z", zone: str = "UTC") -> tuple[str, str]:
    """Returns from when to when a claim takes place that a message of that moment was read to tell of."""
    story = Story()
    moment = parse_time(said_at, zone)[0]
    item = story.says("I fly to Porto.")
    state = story.index.items[item] = story.index.items[item].with_(occurred_at=moment)
    proposal = saying(FLIES, when=found).within("I fly to Porto.")
    command = Complete(
        actor=extractor,
        at=at(),
        new_id=story.new_id,
        scope=SCOPE,
        item=item,
        revision=1,
        extractor="x",
        namespace="",
        proposals=(proposal,),
        zone=zone,
    )
    derived = story.keep(complete(command, state, story.index)).the(ClaimDerived).state
    assert derived.happens_from is not None
    assert derived.happens_to is not None
    return iso(derived.happens_from), iso(derived.happens_to)


def test_a_relative_time_is_resolved_against_the_message_and_not_the_clock() -> None:
    story = Story()
    story.hears("I fly tomorrow.", saying(FLIES, when=when(1, "day")), days=-100)
    assert (story.state(FLIES).happens_from, story.state(FLIES).happens_to) == (at(-99), at(-99))


def test_without_an_end_it_is_one_moment() -> None:
    assert happens(when(-2, "hour")) == ("2026-01-31T10:00:00Z",) * 2


@pytest.mark.parametrize("found", [when(1, "day", 1, "week"), When(Offset(1, "week"), Offset(1, "day"))])
def test_a_stretch_runs_from_its_earlier_end_to_its_later(found: When) -> None:
    assert happens(found) == ("2026-02-01T12:00:00Z", "2026-02-07T12:00:00Z")


def test_months_are_those_of_the_scopes_zone() -> None:
    assert happens(when(1, "month", 1, "year")) == ("2026-02-28T12:00:00Z", "2027-01-31T12:00:00Z")
    assert happens(when(1, "month"), "2026-01-31T01:00:00", "Asia/Tokyo") == ("2026-02-27T16:00:00Z",) * 2


def test_what_is_not_said_is_not_known() -> None:
    state = Story().hears("I fly to Porto.", saying(FLIES)).the(ClaimDerived).state
    assert (state.happens_from, state.happens_to, state.importance) == (None, None, None)


@pytest.mark.parametrize(
    "found", [when(10_000, "year"), when(-10_000, "year"), when(1, "day", 10_000, "year"), when(-10_000, "month", 9, "day")]
)
def test_a_time_beyond_the_calendar_is_refused(found: When) -> None:
    outcome = Story().hears("I fly to Porto.", saying(FLIES, when=found))
    beyond = found.start.unit == "year" or (found.end is not None and found.end.unit == "year")
    assert outcome.refusals() == (["time"] if beyond else [])


def test_a_restatement_leaves_when_and_importance_as_they_were() -> None:
    story = Story()
    story.hears("I fly tomorrow.", saying(FLIES, when=when(1, "day"), importance=8))
    story.hears("I fly today.", saying(FLIES, when=when(0, "day"), importance=2), days=1)
    assert (story.state(FLIES).happens_from, story.state(FLIES).importance) == (at(1), 8)


@pytest.mark.parametrize("importance", [1, 5, 10])
def test_an_importance_is_kept_and_counts_for_nothing_by_itself(importance: int) -> None:
    plain, rated = (
        Story().hears("I fly.", saying(FLIES, importance=found)).the(ClaimDerived).state for found in (None, importance)
    )
    assert rated == plain.with_(importance=importance)


@pytest.mark.parametrize("importance", [0, 11, -1])
def test_no_claim_has_an_importance_outside_one_to_ten(importance: int) -> None:
    with pytest.raises(ValueError, match="importance"):
        a_claim(importance=importance)
