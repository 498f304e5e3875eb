"""Feedback has two slots, ordered by when it was given; what is incorrect is held back with all that says the same."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from spec import MODEL, NOW, Outcome, Story, a_claim, ana, asks, assistant, at, holds, home, operator, saying

from affidavit.domain.claims import ClaimAsserted, ClaimContent, ClaimQuarantined, ClaimState, Slot, claim_id, digests
from affidavit.domain.corrections import ClaimCorrected
from affidavit.domain.feedback import FeedbackGiven, GiveFeedback, Verdict, feedback_in, give_feedback
from affidavit.domain.freshness import accuracy_factor, evidence_weight, utility_factor
from affidavit.domain.lifecycle import mergeable
from affidavit.domain.packing import Candidate, pack_facts
from affidavit.domain.policy import Policy
from affidavit.domain.readings import ExtractionCompleted
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.tokens import Estimate

LISBON = "User lives in Lisbon."
POLICY = Policy()
VERDICTS: tuple[Verdict, ...] = ("useful", "unhelpful", "accurate", "incorrect")
EARLY = -30
"""Days before NOW at which the claims of these stories were said: every verdict here is newer."""


def lisbon() -> Story:
    """Returns a story in which Ana once said where she lives."""
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"), days=EARLY)
    return story


def verdict(
    story: Story, said: Verdict, *, days: float = 0, by: Actor = ana, text: str = LISBON, namespace: str = "", **fields: Any
) -> Outcome:
    """Lets someone give a verdict so many days after NOW, which is heard at once, or at NOW if that is later."""
    claim = claim_id(story.index, namespace, "fact", "user", text)
    fields = {"source": story.new_id(), "given_at": at(days), **fields}
    command = asks(
        story, GiveFeedback, actor=by, days=max(days, 0), claim=claim, namespace=namespace, verdict=said, **fields
    )
    return story.keep(give_feedback(command, story.index.states[claim], story.index))


def changed(before: ClaimState, after: ClaimState) -> dict[str, object]:
    old, new = before.model_dump(), after.model_dump()
    return {name: new[name] for name in new if new[name] != old[name]}


# Slots


@pytest.mark.parametrize(("said", "slot"), [("useful", "utility"), ("unhelpful", "utility")])
def test_usefulness_fills_its_slot_and_touches_nothing_else(said: Verdict, slot: str) -> None:
    story = lisbon()
    before = story.state(LISBON)
    event = verdict(story, said).then(FeedbackGiven).the(FeedbackGiven)
    assert (event.verdict, event.counted, event.occurred_at) == (said, "set", NOW)
    assert changed(before, event.state) == {slot: {"verdict": said, "at": NOW}}


def test_accurate_confirms_and_moves_no_clock() -> None:
    story = lisbon()
    before = story.state(LISBON)
    event = verdict(story, "accurate").then(FeedbackGiven).the(FeedbackGiven)
    assert changed(before, event.state) == {
        "accuracy": {"verdict": "accurate", "at": NOW},
        "confirmation": "confirmed",
    }


def test_the_slots_are_independent() -> None:
    story = lisbon()
    verdict(story, "accurate")
    verdict(story, "unhelpful", days=1)
    state = story.state(LISBON)
    assert (state.utility, state.accuracy) == (Slot(verdict="unhelpful", at=at(1)), Slot(verdict="accurate", at=NOW))


def test_an_operator_gives_feedback_like_a_user() -> None:
    verdict(lisbon(), "useful", by=operator).then(FeedbackGiven)


@pytest.mark.parametrize("said", VERDICTS)
@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_nobody_else_judges_and_the_log_says_who_tried(role: Any, said: Verdict) -> None:
    story = lisbon()
    before = story.state(LISBON)
    outcome = verdict(story, said, by=Actor(role, "x")).then(WriteRefused)
    outcome.refused("role", actual=f"role {role}", required="role user or operator")
    assert story.state(LISBON) == before


def test_an_attempt_of_someone_who_may_not_uses_up_no_receipt() -> None:
    story = lisbon()
    fields: dict[str, Any] = {"claim": story.id(LISBON), "namespace": "", "source": bytes(16), "given_at": NOW}
    tried = asks(story, GiveFeedback, actor=assistant, verdict="useful", **fields)
    by_ana = replace(tried, actor=ana)
    assert tried.natural_key != tried.natural_key
    assert by_ana.natural_key == replace(by_ana, verdict="incorrect", given_at=at(1)).natural_key
    assert by_ana.natural_key != replace(by_ana, source=b"another".ljust(16)).natural_key


# Order


@pytest.mark.row("P12")
def test_the_same_verdict_of_another_source_moves_only_the_time_of_its_slot() -> None:
    story = lisbon()
    verdict(story, "useful")
    before = story.state(LISBON)
    event = verdict(story, "useful", days=2).then(FeedbackGiven).the(FeedbackGiven)
    assert event.counted == "repeated"
    assert changed(before, event.state) == {"utility": {"verdict": "useful", "at": at(2)}}


@pytest.mark.row("P13")
def test_unhelpful_now_then_useful_dated_yesterday_stays_unhelpful() -> None:
    story = lisbon()
    verdict(story, "unhelpful")
    before = story.state(LISBON)
    event = verdict(story, "useful", days=-1).then(FeedbackGiven).the(FeedbackGiven)
    assert (event.counted, event.state) == ("older", before)


@pytest.mark.row("P13")
def test_a_repeat_keeps_an_older_verdict_between_from_winning() -> None:
    story = lisbon()
    verdict(story, "unhelpful", days=-3)
    verdict(story, "unhelpful", days=0)
    verdict(story, "useful", days=-2)
    assert story.state(LISBON).utility == Slot(verdict="unhelpful", at=NOW)


@given(st.permutations([(-3, "unhelpful"), (-2, "useful"), (-1, "unhelpful"), (0, "useful")]))
def test_whatever_order_verdicts_arrive_in_the_last_one_given_holds(given_in: list[tuple[int, Verdict]]) -> None:
    story = lisbon()
    for days, said in given_in:
        verdict(story, said, days=days)
    assert story.state(LISBON).utility == Slot(verdict="useful", at=NOW)


@pytest.mark.row("P14")
def test_incorrect_dated_before_a_manual_correction_is_ignored() -> None:
    story = lisbon()
    story.corrects(LISBON, "User lives in Porto.")
    porto = "User lives in Porto."
    before = story.state(porto)
    event = verdict(story, "incorrect", days=-1, text=porto).then(FeedbackGiven).the(FeedbackGiven)
    assert (event.counted, event.state) == ("older", before)
    assert (before.status, before.confirmation) == ("active", "confirmed")


def test_a_verdict_older_than_the_evidence_is_heard_and_changes_nothing() -> None:
    story = lisbon()
    before = story.state(LISBON)
    for said in VERDICTS:
        event = verdict(story, said, days=EARLY - 1).then(FeedbackGiven).the(FeedbackGiven)
        assert (event.counted, event.state) == ("older", before)


def test_a_verdict_from_the_future_is_given_now_and_blocks_no_later_one() -> None:
    story = lisbon()
    verdict(story, "unhelpful", given_at=at(4000))
    assert story.state(LISBON).utility == Slot(verdict="unhelpful", at=NOW)
    verdict(story, "useful", days=1)
    assert story.state(LISBON).utility == Slot(verdict="useful", at=at(1))


def test_evidence_from_the_future_keeps_no_verdict_out() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"), days=4000)
    event = verdict(story, "unhelpful").the(FeedbackGiven)
    assert event.counted == "set"


# Incorrect


@pytest.mark.row("P15")
def test_incorrect_holds_the_claim_back_and_rejects_its_value() -> None:
    story = lisbon()
    before = story.state(LISBON)
    outcome = verdict(story, "incorrect", days=1).then(FeedbackGiven, ValueRejected, ClaimQuarantined)
    given_event, rejected, held = outcome.events
    assert (rejected.cause, held.cause) == (given_event.id, given_event.id)
    assert outcome.the(ClaimQuarantined).rule == "incorrect"
    assert outcome.the(ValueRejected).rejected == (before.value, before.sentence)
    assert changed(before, story.state(LISBON)) == {
        "status": "quarantined",
        "confirmation": "contradicted",
        "accuracy": {"verdict": "incorrect", "at": at(1)},
        "since": at(1),
    }


@pytest.mark.row("P15")
def test_duplicates_in_its_namespace_are_held_and_another_namespace_is_not_touched() -> None:
    story = lisbon()
    said = saying("User's home is Lisbon.", "home", "Lisbon")
    story.hears("Lisbon is my home.", said, by=MODEL, days=EARLY)
    work = Story(index=story.index, new_id=story.new_id)
    work.hears("I live in Lisbon.", home("Lisbon"), namespace="work", days=EARLY)
    verdict(story, "incorrect")
    assert story.state("User's home is Lisbon.").status == "quarantined"
    assert story.state("User's home is Lisbon.").bound_to == story.id(LISBON)
    assert story.state(LISBON, namespace="work").live


@pytest.mark.row("P15")
def test_the_same_sentence_of_another_form_is_held_where_no_value_is_known() -> None:
    story = Story()
    text = "User hums while cooking."
    item = story.says("I hum while cooking.", days=EARLY)
    old: dict[str, Any] = {"evidence_at": at(EARLY)}
    holds(story, text, item, **old)
    persona = holds(story, text, item, form="persona", **old)
    assert story.state(text).value is None
    outcome = verdict(story, "incorrect", text=text)
    assert [event.rule for event in outcome.all(ClaimQuarantined)] == ["same sentence", "incorrect"]
    assert story.index.states[persona].status == "quarantined"


def test_a_persona_claim_that_was_reworded_since_is_another_sentence() -> None:
    story = Story()
    text = "User hums while cooking."
    item = story.says("I hum while cooking.", days=EARLY)
    holds(story, text, item, evidence_at=at(EARLY))
    persona = holds(story, text, item, form="persona", evidence_at=at(EARLY))
    other = digests(story.index, "", ClaimContent(text="User sings."), "positive")
    story.index.states[persona] = story.index.states[persona].with_(sentence=other["sentence"])
    verdict(story, "incorrect", text=text)
    assert story.index.states[persona].live


@pytest.mark.row("P15")
def test_a_pending_repeat_is_refused_when_it_is_read() -> None:
    story = lisbon()
    pending = story.says("I do live in Lisbon.", days=-1)
    verdict(story, "incorrect")
    outcome = story.reads(pending, home("Lisbon")).then(WriteRefused, ExtractionCompleted)
    assert outcome.refusals() == ["rejected value"]
    assert outcome.the(ExtractionCompleted).claims == ()


def test_what_the_user_says_after_the_verdict_is_a_conflict_for_a_person() -> None:
    story = lisbon()
    verdict(story, "incorrect", days=-5)
    before = story.hears("I live in Lisbon.", home("Lisbon"), days=-6).the(WriteRefused)
    after = story.hears("I live in Lisbon.", home("Lisbon"), days=-4).the(WriteRefused)
    assert (before.conflict, after.conflict) == (False, True)


@pytest.mark.row("P15")
@pytest.mark.parametrize("said", VERDICTS)
def test_no_verdict_brings_a_claim_back(said: Verdict) -> None:
    story = lisbon()
    verdict(story, "incorrect")
    verdict(story, said, days=1).refused("not live", actual="status quarantined")


@pytest.mark.parametrize("status", ["quarantined", "superseded", "denied", "forgotten", "archived", "withdrawn"])
def test_what_is_not_live_takes_no_feedback(status: str) -> None:
    story = lisbon()
    story.index.states[story.id(LISBON)] = story.state(LISBON).with_(status=status)
    verdict(story, "accurate").refused("not live", actual=f"status {status}")


def test_a_narrative_is_nobodys_assertion_and_takes_none() -> None:
    story = lisbon()
    story.index.states[story.id(LISBON)] = story.state(LISBON).with_(form="narrative")
    verdict(story, "accurate").refused("form", actual="a narrative")


@pytest.mark.row("P16")
def test_incorrect_keeps_the_evidence_date_so_that_a_stale_claim_comes_back_stale() -> None:
    story = Story()
    story.hears("The parser is pending.", saying(LISBON, "status", "pending", kind="project_state"), days=-20)
    before = story.state(LISBON)
    verdict(story, "incorrect")
    after = story.state(LISBON)
    assert (after.evidence_at, after.confirmed_at) == (before.evidence_at, before.confirmed_at) == (at(-20), at(-20))
    back = Candidate(bytes(16), LISBON, after.kind, after.basis, after.confirmed_at)
    assert [left.reason for left in pack_facts([back], NOW, POLICY, Estimate(), 2000).left] == ["dormant"]


def test_a_claim_that_was_taken_back_can_be_found_incorrect_again() -> None:
    story = lisbon()
    verdict(story, "incorrect")
    story.index.states[story.id(LISBON)] = story.state(LISBON).with_(status="active")
    event = verdict(story, "incorrect", days=1).the(FeedbackGiven)
    assert event.counted == "set"
    assert story.state(LISBON).status == "quarantined"


def test_incorrect_takes_back_a_voucher() -> None:
    story = lisbon()
    story.index.states[story.id(LISBON)] = story.state(LISBON).with_(vouched=True)
    verdict(story, "incorrect")
    assert story.state(LISBON).vouched is False


# Corrections and feedback


def test_a_literal_correction_starts_with_clean_slots() -> None:
    story = lisbon()
    verdict(story, "unhelpful")
    verdict(story, "accurate")
    story.corrects(LISBON, "User lives in Porto.", days=1)
    state = story.state("User lives in Porto.")
    assert (state.utility, state.accuracy) == (None, None)


def test_correcting_an_incorrect_claim_to_what_it_says_brings_it_back_clean() -> None:
    story = lisbon()
    verdict(story, "incorrect")
    story.corrects(LISBON, LISBON, days=1).then(RejectionLifted, ClaimCorrected)
    state = story.state(LISBON)
    assert (state.status, state.accuracy, state.confirmation) == ("active", None, "confirmed")
    assert story.index.rejections(state.sentence) == ()


def test_asserting_an_incorrect_claim_brings_it_back_without_the_verdict() -> None:
    story = lisbon()
    verdict(story, "useful")
    verdict(story, "incorrect")
    story.asserts(LISBON).then(RejectionLifted, ClaimAsserted)
    state = story.state(LISBON)
    assert (state.live, state.accuracy, state.confirmation) == (True, None, "unconfirmed")
    assert state.utility == Slot(verdict="useful", at=NOW)


def test_no_model_rewords_what_a_person_found_accurate() -> None:
    accurate = a_claim(form="persona", accuracy=Slot(verdict="accurate", at=NOW))
    assert mergeable(a_claim(form="persona"))
    assert not mergeable(accurate)


# Rank


def test_the_factors_of_rank() -> None:
    assert [utility_factor(said, POLICY) for said in ("useful", "unhelpful", "")] == [1.05, 0.9, 1.0]
    assert [accuracy_factor(said, POLICY) for said in ("accurate", "incorrect", "")] == [1.05, 0.5, 1.0]


@pytest.mark.row("P11")
def test_of_equal_text_manual_evidence_ranks_first_and_useful_above_plain() -> None:
    def fact(number: int, basis: str = "user_statement", utility: str = "") -> Candidate:
        return Candidate(bytes([number]) * 16, "User likes tea.", "fact", basis, NOW, utility=utility)

    def ranked(*facts: Candidate) -> list[int]:
        return [chosen.claim[0] for chosen in pack_facts(list(facts), NOW, POLICY, Estimate(), 2000).chosen]

    assert ranked(fact(1), fact(2, "manual_correction")) == [2, 1]
    assert ranked(fact(1, utility="unhelpful"), fact(2), fact(3, utility="useful")) == [3, 2, 1]


@pytest.mark.row("P11")
def test_feedback_leaves_the_evidence_weight_what_it_was() -> None:
    story = lisbon()
    before = story.state(LISBON)
    verdict(story, "useful")
    after = story.state(LISBON)
    weights = [evidence_weight(state.basis, state.kind, POLICY) for state in (before, after)]
    assert weights == [1.08, 1.08]


# Validity


@pytest.mark.row("P20")
@pytest.mark.parametrize(
    "wrong",
    [
        {"utility": Slot(verdict="accurate", at=NOW)},
        {"utility": {"verdict": "incorrect", "at": NOW}},
        {"accuracy": Slot(verdict="useful", at=NOW)},
        {"accuracy": {"verdict": "verified", "at": NOW}},
        {"accuracy": {"verdict": "accurate", "at": "yesterday"}},
        {"accuracy": {"verdict": "accurate", "at": 10**18}},
        {"accuracy": {"verdict": "accurate"}},
        {"basis": "verified"},
        {"evidence_at": "yesterday"},
        {"evidence_at": 10**18},
    ],
)
def test_a_state_that_says_what_cannot_be_is_no_state(wrong: dict[str, Any]) -> None:
    plain = a_claim().model_dump()
    assert ClaimState.model_validate(plain) == a_claim()
    with pytest.raises(ValidationError):
        ClaimState.model_validate(plain | wrong)


# The grammar

ID = "0123456789abcdef01234567"


@pytest.mark.row("P18")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"记忆 {ID} 有用。", "useful"),
        (f"Memory {ID} is incorrect.", "incorrect"),
        (f"记忆 {ID} 没用", "unhelpful"),
        (f"记忆 {ID} 正确！", "accurate"),
        (f"记忆 {ID} 错误!", "incorrect"),
        (f"memory {ID} useful", "useful"),
        (f"MEMORY {ID.upper()} WAS UNHELPFUL!", "unhelpful"),
        (f"  memory {ID} is accurate.\n", "accurate"),
        (f"memory {ID} 有用", "useful"),
    ],
)
def test_a_whole_message_is_feedback(text: str, said: str) -> None:
    assert feedback_in(text) == (ID, said)


@pytest.mark.row("P18")
@pytest.mark.parametrize(
    "text",
    [
        f"Is memory {ID} incorrect?",
        f"memory {ID} is incorrect?",
        f"记忆 {ID} 有用？",
        f"记忆 {ID} 有用吗",
        f"For example: memory {ID} is incorrect.",
        f"例如：记忆 {ID} 有用。",
        f"`memory {ID} is incorrect.`",
        f'"memory {ID} is incorrect."',
        f"> memory {ID} is incorrect.",
        f"Do not mark memory {ID} is incorrect.",
        f"memory {ID} is not incorrect.",
        f"memory {ID} is useful.\nmemory {ID} is accurate.",
        f"memory {ID}\nis useful.",
        f"memory {ID} is useful. Thanks.",
        f"memory {ID} is useful and accurate.",
        f"memory {ID} is useful..",
        f"memory {ID} is wrong.",
        f"memory {ID[:23]} is useful.",
        f"memory {ID}0 is useful.",
        f"memory{ID} is useful.",
        f"memory {ID}is useful.",
        f"memorieſ {ID} iſ uſeful.",
        f"memory {ID} iſ useful.",
        f"memory {ID} is",
        "不对",
        "wrong",
        "memory is incorrect.",
        "",
    ],
)
def test_anything_else_is_not(text: str) -> None:
    assert feedback_in(text) is None


@given(st.text(), st.text())
def test_nothing_may_stand_before_or_after_it(before: str, after: str) -> None:
    text = f"{before}memory {ID} is useful{after}"
    if before.strip() or after.strip() not in {"", ".", "!", "。", "！"}:
        assert feedback_in(text) is None


def test_nothing_is_derived_from_it_whoever_reads() -> None:
    story = Story()
    said = saying("User finds a memory useful.")
    outcome = story.hears(f"memory {ID} is useful.", said).then(WriteRefused, ExtractionCompleted)
    assert outcome.the(WriteRefused).actual == "feedback"
