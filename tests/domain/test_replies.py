"""A user's reply to a surfaced claim: one verdict, its signal and what follows from both, in one decision."""

from typing import Any

import pytest
from spec import MODEL, SCOPE, Outcome, Story, ana, asks, at, extractor, holds, operator, saying

from affidavit.domain.claims import ClaimDenied, ClaimState, SignalApplied
from affidavit.domain.lifecycle import ClaimConfirmed
from affidavit.domain.policy import ONE
from affidavit.domain.proposals import Span
from affidavit.domain.rejections import ValueRejected
from affidavit.domain.roles import JUDGES, ROLES, Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.surfacing import Reply, ReplyJudged, Surface, Verdict, reply, surface

NIGHT = "User lives for the night."
HOST = Actor("host", "bridge")
VERDICTS: tuple[Verdict, ...] = ("confirms", "denies", "ignores", "unclear")
WORDS = Span(0, 4)


def asked(**changes: Any) -> tuple[Story, bytes]:
    """Returns a story in which Ana was asked about a pending reflection, and the reflection's id."""
    story = Story()
    item = story.says("I am up all night.", session="first")
    changes = {"form": "reflection", "status": "pending", "sessions": 1, "sources": 1, **changes}
    claim = holds(story, NIGHT, item, **changes)
    story.keep(surface(asks(story, Surface, claims=(claim,)), story.index))
    return story, claim


def replies(
    story: Story,
    claim: bytes,
    verdict: Verdict,
    text: str = "Yes, that is so.",
    *,
    actor: Actor = ana,
    item: bytes = b"",
    **fields: Any,
) -> Outcome:
    """Takes what a reply of two days later says of the claim, read on day 3."""
    item = item or story.says(text, days=2, session="second")
    known = {"claim": claim, "namespace": "", "item": item, "verdict": verdict, **fields}
    return story.keep(reply(asks(story, Reply, actor=actor, days=3, **known), story.index.states[claim], story.index))


def changed(before: ClaimState, after: ClaimState) -> dict[str, object]:
    old, new = before.model_dump(), after.model_dump()
    return {name: new[name] for name in new if new[name] != old[name]}


# Verdicts


def test_a_confirmation_reinforces_by_one_vouches_and_confirms_in_one_decision() -> None:
    story, claim = asked()
    before = story.index.states[claim]
    outcome = replies(story, claim, "confirms").then(ReplyJudged, SignalApplied, ClaimConfirmed)
    judged, signal, confirmed = outcome.the(ReplyJudged), outcome.the(SignalApplied), outcome.the(ClaimConfirmed)
    assert (judged.verdict, judged.evidence, judged.read_by) == ("confirms", (judged.item,), "")
    assert (signal.source, signal.effect, signal.weight) == ("user_confirm", "reinforces", ONE)
    assert signal.cause == confirmed.cause == judged.id
    assert changed(before, confirmed.state) == {
        "status": "confirmed",
        "since": at(3),
        "surfaced_at": None,
        "confirmation": "confirmed",
        "vouched": True,
        "reinforcement": ONE,
        "rein_last_signal_at": at(2),
        "signals": 1,
        "sessions": 2,
    }
    assert (confirmed.measure.actual, confirmed.measure.sessions_required, confirmed.measure.vouched) == (ONE, 0, True)


def test_a_confirmation_that_does_not_reach_the_threshold_leaves_it_pending() -> None:
    story, claim = asked(reinforcement=-1)
    story.index.states[claim] = story.index.states[claim].with_(surfaced_at=at())
    replies(story, claim, "confirms").then(ReplyJudged, SignalApplied)
    assert story.index.states[claim].status == "pending"


@pytest.mark.row("N8")
def test_five_confirmations_count_five_and_no_combo() -> None:
    story, claim = asked()
    for _ in range(5):
        story.index.states[claim] = story.index.states[claim].with_(surfaced_at=at())
        replies(story, claim, "confirms")
    state = story.index.states[claim]
    assert (state.reinforcement / ONE, state.user_fact_reinforce_count) == (5.0, 0)


def test_a_confirmed_fact_stays_active() -> None:
    story, claim = asked(form="fact", status="active", confidence=650_000)
    replies(story, claim, "confirms").then(ReplyJudged, SignalApplied)
    state = story.index.states[claim]
    assert (state.status, state.vouched, state.confirmation) == ("active", True, "confirmed")


def test_a_denial_disputes_by_one_and_rejects_the_value_in_one_decision() -> None:
    story, claim = asked()
    before = story.index.states[claim]
    outcome = replies(story, claim, "denies", "No, I sleep.").then(ReplyJudged, SignalApplied, ValueRejected)
    judged, signal, rejected = outcome.the(ReplyJudged), outcome.the(SignalApplied), outcome.the(ValueRejected)
    assert (signal.source, signal.effect, signal.weight) == ("user_rebut", "negates", ONE)
    assert signal.cause == rejected.cause == judged.id
    assert changed(before, rejected.state) == {
        "status": "denied",
        "since": at(3),
        "surfaced_at": None,
        "confirmation": "contradicted",
        "disputation": ONE,
        "disp_last_signal_at": at(2),
        "signals": 1,
    }


def test_the_gate_refuses_what_was_denied_from_here_on() -> None:
    story, claim = asked()
    replies(story, claim, "denies", "No, I sleep.")
    refused = story.hears("I live for the night.", saying(NIGHT), days=9)
    assert refused.refusals() == ["rejected value"]
    assert (refused.the(WriteRefused).bound_to, refused.the(WriteRefused).conflict) == (claim, True)


def test_a_denial_takes_what_says_the_same_with_it() -> None:
    story, claim = asked(form="fact", status="active", confidence=650_000, attribute="home", value="Lisbon")
    story.hears("Lisbon is home.", saying("Lisbon is the user's home.", "home", "Lisbon"))
    replies(story, claim, "denies", "No.").then(ReplyJudged, SignalApplied, ValueRejected, ClaimDenied)
    assert set(story.statuses().values()) == {"denied"}


def test_an_ignored_question_costs_a_fifth_and_may_go_below_zero() -> None:
    story, claim = asked()
    before = story.index.states[claim]
    signal = replies(story, claim, "ignores", "What is for lunch?").then(ReplyJudged, SignalApplied).the(SignalApplied)
    assert (signal.source, signal.effect, signal.weight) == ("user_ignore", "ignores", -ONE // 5)
    assert changed(before, story.index.states[claim]) == {
        "surfaced_at": None,
        "reinforcement": -200_000,
        "rein_last_signal_at": at(2),
        "signals": 1,
    }


def test_an_unclear_reply_counts_for_nothing_and_the_question_stays() -> None:
    story, claim = asked()
    before = story.index.states[claim]
    replies(story, claim, "unclear", "Hm.").then(ReplyJudged)
    assert story.index.states[claim] == before
    replies(story, claim, "confirms").then(ReplyJudged, SignalApplied, ClaimConfirmed)


def test_a_verdict_keeps_the_words_and_who_read_them() -> None:
    story, claim = asked()
    judged = replies(story, claim, "denies", "No, I sleep.", actor=extractor, span=Span(0, 2), by=MODEL).the(ReplyJudged)
    assert (judged.start, judged.end, judged.read_by) == (0, 2, MODEL)


# Who


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("role", sorted(ROLES))
def test_people_judge_hosts_and_extractors_show_the_words_and_nobody_else_may(role: Any, verdict: Verdict) -> None:
    plain, shown = (replies(*asked(), verdict, actor=Actor(role, "x"), span=span) for span in (None, WORDS))
    if role in JUDGES:
        assert ReplyJudged in {type(event) for event in plain.events}
        assert ReplyJudged in {type(event) for event in shown.events}
    elif role in {"host", "extractor"}:
        assert ReplyJudged in {type(event) for event in shown.events}
        if verdict in {"confirms", "denies"}:
            plain.then().refused("quote", required="the words that say so")
        else:
            assert ReplyJudged in {type(event) for event in plain.events}
    else:
        for outcome in (plain, shown):
            outcome.then(WriteRefused).refused("role", actual=f"role {role}", required="role user, operator or host")
            assert outcome.the(WriteRefused).scope == SCOPE


@pytest.mark.parametrize("span", [Span(0, 0), Span(4, 2), Span(-1, 3), Span(0, 17), Span(16, 20)])
def test_words_outside_the_reply_are_no_words_of_it(span: Span) -> None:
    story, claim = asked()
    replies(story, claim, "confirms", "Yes, that is so.", actor=HOST, span=span).then().refused("quote")
    assert story.index.states[claim].status == "pending"


def test_the_whole_reply_may_be_the_words() -> None:
    story, claim = asked()
    replies(story, claim, "confirms", "Yes, that is so.", actor=HOST, span=Span(0, 16)).then(
        ReplyJudged, SignalApplied, ClaimConfirmed
    )


# To what


def test_what_nobody_asked_about_has_no_reply() -> None:
    story, claim = asked()
    story.index.states[claim] = story.index.states[claim].with_(surfaced_at=None)
    replies(story, claim, "confirms").then().refused("not surfaced")


@pytest.mark.parametrize("verdict", ["confirms", "ignores"])
def test_a_question_is_answered_once(verdict: Verdict) -> None:
    story, claim = asked()
    replies(story, claim, verdict)
    replies(story, claim, "denies", actor=operator).then().refused("not surfaced")


def test_what_was_denied_has_no_second_reply() -> None:
    story, claim = asked()
    replies(story, claim, "denies")
    replies(story, claim, "confirms").then().refused("not live", actual="status denied")


@pytest.mark.parametrize(
    "voice", [{"by": "assistant"}, {"by": "tool"}, {"by": "system"}, {"basis": "summary"}, {"basis": "imported"}]
)
def test_only_the_users_own_message_is_a_reply(voice: dict[str, Any]) -> None:
    story, claim = asked()
    for verdict in VERDICTS:
        replies(story, claim, verdict, item=story.says("Yes.", **voice)).then().refused("not testimony")


def test_a_message_that_is_not_there_is_no_reply() -> None:
    story, claim = asked()
    replies(story, claim, "ignores", item=bytes(16)).then().refused("not testimony", actual="no such message")


def test_one_message_says_one_thing_of_a_claim() -> None:
    story, claim = asked()
    one, other = (
        asks(story, Reply, claim=claim, namespace="", item=bytes(16), verdict=verdict) for verdict in ("confirms", "denies")
    )
    assert one.natural_key == other.natural_key
    assert one.content != other.content
    assert one.stream == claim
