"""The gate: a value that a person rejected is not learned again, in other words, by other readers, at other times."""

import pytest
from spec import MODEL, RULES, Saying, Story, ana, assistant, home, operator, saying

from affidavit.domain.claims import ClaimDenied, ClaimDerived, ClaimQuarantined
from affidavit.domain.corrections import ClaimCorrected
from affidavit.domain.readings import ExtractionCompleted
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import Actor
from affidavit.domain.scopes import WriteRefused

LISBON = "User lives in Lisbon."


def rejected(said: Saying | None = None) -> tuple[Story, bytes]:
    """Returns a story in which Ana has rejected what one message was read to say, and that message."""
    story = Story()
    item = story.says("I live in Lisbon.")
    said = said or home("Lisbon")
    story.reads(item, said)
    story.rejects(said.proposal.text)
    return story, item


# Rejecting


def test_rejecting_denies_the_claim_and_keeps_what_the_gate_needs() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"))
    event = story.rejects(LISBON).then(ValueRejected).the(ValueRejected)
    assert event.state.status == "denied"
    assert event.rejected == (event.state.value, event.state.sentence)
    assert [(place.evidence, place.start, place.end) for place in event.places] == [(item, 0, 17)]
    assert (event.extractors, event.evidence) == ((RULES,), (item,))


def test_rejecting_twice_stays_quiet() -> None:
    story, _ = rejected()
    story.rejects(LISBON).then_nothing()


@pytest.mark.parametrize("role", ["host", "assistant", "tool", "system", "extractor", "scheduler"])
def test_only_a_user_or_operator_rejects(role: str) -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    outcome = story.rejects(LISBON, by=Actor(role)).then(WriteRefused)  # type: ignore[arg-type]
    outcome.refused("role", actual=f"role {role}", required="role user or operator")
    assert outcome.the(WriteRefused).bound_to == story.id(LISBON)
    assert story.state(LISBON).live


def test_an_operator_rejects_like_a_user() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.rejects(LISBON, by=operator).then(ValueRejected)


def test_an_assistant_learns_nothing_from_a_denied_claim() -> None:
    story, _ = rejected()
    story.rejects(LISBON, by=assistant).refused("role")


def test_live_duplicates_of_the_value_are_denied_with_it() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.hears("Lisbon is home.", saying("Lisbon is the user's home.", "home", "LISBON"))
    outcome = story.rejects(LISBON).then(ValueRejected, ClaimDenied)
    assert outcome.the(ClaimDenied).cause == outcome.the(ValueRejected).id
    assert outcome.the(ClaimDenied).state.bound_to == story.id(LISBON)
    assert set(story.statuses().values()) == {"denied"}


def test_another_extractors_claim_of_the_same_place_is_quarantined() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"), by=RULES)
    story.reads(item, saying("User is a Lisboner."), by=MODEL)
    held = story.rejects(LISBON).then(ValueRejected, ClaimQuarantined).the(ClaimQuarantined)
    assert (held.claim, held.rule) == (story.id("User is a Lisboner."), "same span")


def test_a_claim_that_two_other_extractors_drew_from_the_place_is_quarantined_once() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"), by=RULES)
    for other in (MODEL, "third@1/00000000"):
        story.reads(item, saying("User is a Lisboner."), by=other)
    story.rejects(LISBON).then(ValueRejected, ClaimQuarantined)


@pytest.mark.parametrize("readers", [(RULES, MODEL), (MODEL, RULES)])
def test_what_the_rejected_extractor_said_there_too_stays_whoever_else_said_it(readers: tuple[str, ...]) -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"), by=RULES)
    for reader in readers:
        story.reads(item, saying("User is in Portugal."), by=reader)
    story.rejects(LISBON).then(ValueRejected)
    assert story.statuses() == {LISBON: "denied", "User is in Portugal.": "active"}


def test_what_the_same_extractor_said_of_the_same_place_stays() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"), saying("User is in Portugal."))
    story.rejects(LISBON).then(ValueRejected)


def test_what_stands_elsewhere_in_the_message_stays() -> None:
    story = Story()
    item = story.says("I live in Lisbon. I like tea.")
    story.reads(item, home("Lisbon", quote="I live in Lisbon."), by=RULES)
    story.reads(item, saying("User likes tea.", quote="I like tea."), by=MODEL)
    story.rejects(LISBON).then(ValueRejected)


def test_what_a_person_asserted_stays() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"), by=RULES)
    story.reads(item, saying("User is a Lisboner."), by=MODEL)
    story.asserts("User is a Lisboner.")
    story.rejects(LISBON).then(ValueRejected)


# (a) same value, (b) same sentence: refused


def test_the_same_value_in_other_words_is_refused() -> None:
    story, _ = rejected()
    refused = story.hears("Lisbon is home.", saying("Lisbon is the user's home.", "home", "lisbon"), basis="summary")
    refused.then(WriteRefused, ExtractionCompleted)
    assert refused.the(WriteRefused).rule == "rejected value"
    assert refused.the(WriteRefused).actual == "the same value as a rejected claim"
    assert refused.the(WriteRefused).bound_to == story.id(LISBON)


@pytest.mark.parametrize(
    ("sentence", "again"),
    [
        ("User lives in Lisbon.", "USER lives in LISBON"),
        ("User lives in Lisbon.", "User  lives in Lisbon!"),
        ("User lives in Lisbon.", "Ｕｓｅｒ ｌｉｖｅｓ ｉｎ Ｌｉｓｂｏｎ．"),
        ("User lives in Lisbon.", "“User lives in Lisbon.”"),
        ("用户喜欢绿茶。", "用戶喜歡綠茶。"),
        ("用户喜欢绿茶。", "用户喜欢 绿茶"),
    ],
)
def test_the_same_sentence_in_other_dress_is_refused(sentence: str, again: str) -> None:
    story, _ = rejected(saying(sentence))
    refused = story.hears("New words.", saying(again)).then(WriteRefused, ExtractionCompleted)
    assert refused.the(WriteRefused).actual == "the same sentence as a rejected claim"


def test_the_same_evidence_read_again_is_refused_by_any_extractor() -> None:
    story, item = rejected()
    assert story.reads(item, home("Lisbon"), by=RULES).refusals() == ["rejected value"]
    assert story.reads(item, home("Lisbon"), by=MODEL).refusals() == ["rejected value"]
    story.reads(item, home("Lisbon"), by=MODEL).then_nothing()
    assert story.statuses() == {LISBON: "denied"}


def test_the_opposite_and_another_value_pass() -> None:
    story, _ = rejected()
    left = saying("User does not live in Lisbon.", "home", "Lisbon", polarity="negative")
    story.hears("I do not live in Lisbon.", left, days=1).then(ClaimDerived, ExtractionCompleted)
    story.hears("C# and C++.", saying("User likes C#.", "likes", "C#"), saying("User likes C++.", "likes", "C++"))
    story.rejects("User likes C#.")
    assert (
        story.hears("C, C#, C++.", *(saying(f"User likes {name}.", "likes", name) for name in ("C", "C++"))).refusals() == []
    )


def test_an_unknown_value_equals_nothing() -> None:
    story, _ = rejected(saying("User moved."))
    story.hears("I sold it.", saying("User sold it.")).then(ClaimDerived, ExtractionCompleted)


# (c) same place: held


def test_the_same_place_in_other_words_by_another_extractor_is_quarantined() -> None:
    story, item = rejected()
    outcome = story.reads(item, saying("User is a Lisboner."), by=MODEL).then(ClaimQuarantined, ExtractionCompleted)
    held = outcome.the(ClaimQuarantined)
    assert (held.rule, held.state.status, held.state.bound_to) == ("same span", "quarantined", story.id(LISBON))
    assert outcome.the(ExtractionCompleted).claims == ()
    story.reads(item, saying("User is a Lisboner."), by=MODEL).then_nothing()


def test_another_statement_of_the_same_extractor_passes() -> None:
    story, item = rejected()
    story.reads(item, home("Lisbon"), saying("User is in Portugal.")).then(WriteRefused, ClaimDerived, ExtractionCompleted)


def test_another_extractor_may_support_what_the_rejected_one_said_there_too() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"), saying("User is in Portugal."), by=RULES)
    story.rejects(LISBON)
    story.reads(item, saying("User is in Portugal."), by=MODEL).then(ClaimDerived, ExtractionCompleted)
    assert story.state("User is in Portugal.").live


@pytest.mark.parametrize(
    "said",
    [
        saying("User is a Lisboner.", quote="I live"),
        saying("Lisbon has a user.", entity="Lisbon"),
        saying("User is no Porteño.", polarity="negative"),
    ],
)
def test_the_gate_asks_place_entity_and_polarity_together(said: Saying) -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon", quote="in Lisbon."))
    story.rejects(LISBON)
    story.reads(item, said, by=MODEL).then(ClaimDerived, ExtractionCompleted)


def test_a_claim_that_a_person_holds_is_not_touched_by_another_rejection() -> None:
    story, item = rejected()
    story.asserts("User is a Lisboner.")
    assert story.reads(item, saying("User is a Lisboner."), by=MODEL).refusals() == []
    assert story.state("User is a Lisboner.").live


# The boundary, and the way back


def test_a_rejection_holds_in_its_namespace_only() -> None:
    story, _ = rejected()
    story.hears("In the novel I live in Lisbon.", home("Lisbon"), namespace="novel").then(ClaimDerived, ExtractionCompleted)


def test_a_supersession_feeds_no_gate() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"))
    story.hears("I live in Porto.", home("Porto"), days=1)
    assert story.reads(item, home("Lisbon"), by=MODEL).refusals() == []


@pytest.mark.parametrize(("days", "conflict"), [(-1, False), (0, False), (1, True)])
def test_only_a_first_hand_statement_after_the_rejection_is_a_conflict(days: int, conflict: bool) -> None:
    story, _ = rejected()
    refused = story.hears("I live in Lisbon!", home("Lisbon"), days=days).the(WriteRefused)
    assert refused.conflict is conflict
    assert bool(refused.remedy) is conflict
    assert story.state(LISBON).status == "denied"


def test_a_summary_after_the_rejection_is_no_conflict() -> None:
    story, _ = rejected()
    assert not story.hears("They live in Lisbon.", home("Lisbon"), days=1, basis="summary").the(WriteRefused).conflict


def test_no_unasked_text_lifts_a_rejection() -> None:
    story, _ = rejected()
    refused = [story.hears("I live in Lisbon!", home("Lisbon"), days=day).refusals() for day in range(1, 10)]
    assert refused == [["rejected value"]] * 9


def test_laundering_through_a_supersession_does_not_help() -> None:
    story, _ = rejected()
    story.hears("I live in Porto.", home("Porto"), days=1)
    story.hears("I live in Faro.", home("Faro"), days=2)
    story.hears("I live in Lisbon.", home("Lisbon"), days=3)
    assert story.statuses() == {LISBON: "denied", "User lives in Porto.": "superseded", "User lives in Faro.": "active"}


def test_correcting_back_lifts_the_rejection() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.corrects(LISBON, "User lives in Porto.")
    back = story.corrects("User lives in Porto.", LISBON)
    back.then(RejectionLifted, ValueRejected, ClaimCorrected)
    assert back.the(RejectionLifted).claim == story.id(LISBON)
    assert story.statuses() == {LISBON: "active", "User lives in Porto.": "superseded"}
    assert story.hears("I live in Lisbon.", home("Lisbon"), days=1).refusals() == []


def test_correcting_to_a_rejected_value_lifts_it_in_whatever_words_it_was_rejected() -> None:
    story, _ = rejected(saying("Lisbon is the user's home.", "home", "Lisbon"))
    story.hears("I live in Porto.", home("Porto"))
    outcome = story.corrects("User lives in Porto.", LISBON).then(RejectionLifted, ValueRejected, ClaimCorrected)
    assert outcome.the(RejectionLifted).claim == story.id("Lisbon is the user's home.")


def test_a_persons_assertion_lifts_a_rejection_and_a_hosts_does_not() -> None:
    story, _ = rejected(saying(LISBON))
    story.asserts(LISBON, by=Actor("host", "bridge")).refused("rejected value", required="a value that no person rejected")
    story.asserts(LISBON, by=ana)
    assert story.state(LISBON).live
    assert story.hears("I live in Lisbon.", saying(LISBON), days=1).refusals() == []


def test_a_hosts_assertion_revives_nothing_that_was_denied_with_another_claim() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.hears("Lisbon is home.", saying("Lisbon is the user's home.", "home", "Lisbon"))
    story.rejects(LISBON)
    story.asserts("Lisbon is the user's home.", by=Actor("host", "bridge")).refused("rejected value")
    assert story.state("Lisbon is the user's home.").status == "denied"
