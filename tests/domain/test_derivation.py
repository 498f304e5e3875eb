"""What an extractor proposes is checked, then derived, supported, reaffirmed, superseded or refused."""

import pytest
from spec import MODEL, RULES, FakeIndex, Outcome, Saying, Story, at, home, saying

from affidavit.domain.claims import (
    ClaimDerived,
    ClaimQuarantined,
    ClaimReaffirmed,
    ClaimState,
    ClaimSuperseded,
    SignalApplied,
    evolve,
)
from affidavit.domain.policy import ONE, Confidence, Policy
from affidavit.domain.proposals import VoiceRole
from affidavit.domain.readings import ExtractionCompleted, ExtractionFailed
from affidavit.domain.scopes import WriteRefused

TEA = saying("User likes tea.", "likes", "tea", kind="preference")
LISBON, PORTO = "User lives in Lisbon.", "User lives in Porto."


def counters(state: ClaimState) -> tuple[object, ...]:
    clocks = state.evidence_at, state.confirmed_at, state.rein_last_signal_at, state.disp_last_signal_at
    return clocks, state.confidence, state.reinforcement, state.signals, state.user_fact_reinforce_count


# New claims


def test_a_new_statement_is_a_claim() -> None:
    derived = Story().hears("I like tea.", TEA).then(ClaimDerived, ExtractionCompleted).the(ClaimDerived)
    assert derived.state.live
    assert derived.content is not None
    assert (derived.content.text, derived.content.attribute, derived.content.value) == ("User likes tea.", "likes", "tea")
    assert derived.state.wordings[0].content == derived.id


def test_a_new_claim_cites_the_words_it_stands_on() -> None:
    story = Story()
    item = story.says("Oh 🍵! I like tea.")
    derived = story.reads(item, saying("User likes tea.", quote="I like tea.")).the(ClaimDerived)
    assert [(place.evidence, place.revision, place.start, place.end) for place in derived.places] == [(item, 1, 6, 17)]
    assert derived.evidence == (item,)


def test_a_new_claim_carries_no_signal_and_one_session() -> None:
    state = Story().hears("I like tea.", TEA).the(ClaimDerived).state
    assert (state.reinforcement, state.signals, state.sources, state.sessions) == (0, 0, 1, 1)


def test_two_proposals_of_one_claim_are_one_claim_with_both_places() -> None:
    said = saying("User likes tea.", quote="I like tea."), saying("user LIKES tea", quote="Tea, yes!")
    outcome = Story().hears("I like tea. Tea, yes!", *said).then(ClaimDerived, ExtractionCompleted)
    assert len(outcome.the(ClaimDerived).places) == 2


def test_an_answer_with_nothing_in_it_completes_the_reading() -> None:
    completed = Story().hears("Hello.").then(ExtractionCompleted).the(ExtractionCompleted)
    assert completed.claims == ()
    assert completed.state.readings[0].outcome == "completed"


def test_an_event_carries_the_claim_after_it() -> None:
    derived = Story().hears("I like tea.", TEA).the(ClaimDerived)
    assert evolve(None, derived) == derived.state


# The same evidence again


def test_the_same_reading_again_stays_quiet() -> None:
    story = Story()
    item = story.says("I like tea.")
    story.reads(item, TEA)
    story.reads(item, TEA).then_nothing()


def test_another_extractor_on_the_same_evidence_adds_support_only() -> None:
    story = Story()
    item = story.says("I like tea.")
    story.reads(item, TEA, by=RULES)
    before = story.state("User likes tea.")
    derived = story.reads(item, TEA, by=MODEL).then(ClaimDerived, ExtractionCompleted).the(ClaimDerived)
    assert derived.state == before
    assert derived.content is None
    assert {cited.extractor for cited in story.index.citations(derived.claim)} == {RULES, MODEL}


def test_an_extractor_that_knows_attribute_and_value_teaches_the_claim() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, saying(LISBON), by=RULES)
    before = story.state(LISBON)
    taught = story.reads(item, home("Lisbon"), by=MODEL).then(ClaimDerived, ExtractionCompleted).the(ClaimDerived)
    assert taught.content is not None
    assert (taught.content.text, taught.content.attribute, taught.content.value) == (LISBON, "home", "Lisbon")
    assert None not in {taught.state.topic, taught.state.value}
    assert counters(taught.state) == counters(before)


@pytest.mark.parametrize(
    ("days", "statuses"),
    [(1, {LISBON: "superseded", PORTO: "active"}), (-1, {LISBON: "active", PORTO: "superseded"})],
)
def test_a_claim_that_was_taught_its_value_meets_the_others(days: int, statuses: dict[str, str]) -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, saying(LISBON), by=RULES)
    story.hears("I live in Porto.", home("Porto"), days=days)
    assert story.statuses() == {LISBON: "active", PORTO: "active"}
    story.reads(item, home("Lisbon"), by=MODEL)
    assert story.statuses() == statuses


def test_a_claim_that_knows_its_value_is_not_made_to_forget_it() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"), by=RULES)
    before = story.state(LISBON)
    story.reads(item, saying(LISBON), by=MODEL).then(ClaimDerived, ExtractionCompleted)
    assert story.state(LISBON) == before


def test_another_generation_joins_the_support() -> None:
    story = Story()
    item = story.says("I like tea.")
    story.reads(item, TEA)
    before = counters(story.state("User likes tea."))
    story.index.generation = 2
    after = story.reads(item, TEA).the(ClaimDerived).state
    assert after.generations == (1, 2)
    assert counters(after) == before


def test_a_revision_that_says_the_same_is_no_new_testimony() -> None:
    story = Story()
    story.hears("I like tea.", TEA, message="1")
    story.hears("I like tea!", TEA, message="1").then(ClaimDerived, ExtractionCompleted)
    assert story.state("User likes tea.").signals == 0


# A new first-hand statement


def test_a_new_first_hand_statement_reaffirms_and_counts() -> None:
    story = Story()
    story.hears("I like tea.", TEA)
    again = story.hears("Tea, I like it.", TEA, days=3)
    again.then(ClaimReaffirmed, SignalApplied, ExtractionCompleted)
    assert again.the(SignalApplied).cause == again.the(ClaimReaffirmed).id
    state = story.state("User likes tea.")
    assert (state.evidence_at, state.confirmed_at, state.rein_last_signal_at) == (at(3), at(3), at(3))
    assert (state.confirmation, state.sessions) == ("confirmed", 2)


@pytest.mark.row("N7")
def test_restatements_weigh_a_half_a_half_one_and_one() -> None:
    story = Story()
    story.hears("I like tea.", TEA)
    signals = [story.hears("I like tea.", TEA, days=day).the(SignalApplied) for day in range(1, 5)]
    assert [signal.weight / ONE for signal in signals] == [0.5, 0.5, 1.0, 1.0]
    assert [signal.state.reinforcement / ONE for signal in signals] == [0.5, 1.0, 2.0, 3.0]
    assert [signal.state.user_fact_reinforce_count for signal in signals] == [1, 2, 3, 4]
    assert {(signal.source, signal.effect) for signal in signals} == {("user_fact", "reinforces")}


def test_an_older_statement_counts_and_moves_no_clock_back() -> None:
    story = Story()
    story.hears("I like tea.", TEA)
    story.hears("I like tea.", TEA, days=-5).then(ClaimReaffirmed, SignalApplied, ExtractionCompleted)
    state = story.state("User likes tea.")
    assert (state.evidence_at, state.confirmed_at) == (at(), at())


def test_repeats_within_one_session_count_one_session() -> None:
    story = Story()
    for _ in range(3):
        story.hears("I like tea.", TEA, session="monday")
    assert story.state("User likes tea.").sessions == 1


def test_another_source_is_counted() -> None:
    story = Story()
    story.hears("I like tea.", TEA, source="chat")
    story.hears("I like tea.", TEA, source="letters", days=1)
    assert story.state("User likes tea.").sources == 2


def test_a_summary_of_a_known_claim_adds_support_only() -> None:
    story = Story()
    story.hears("I like tea.", TEA)
    before = story.state("User likes tea.")
    story.hears("They like tea.", TEA, days=1, basis="summary").then(ClaimDerived, ExtractionCompleted)
    assert story.state("User likes tea.") == before


def test_a_first_hand_statement_of_what_a_summary_said_is_the_users() -> None:
    story = Story()
    story.hears("They live in Lisbon.", home("Lisbon"), basis="summary")
    story.hears("I live in Lisbon.", home("Lisbon"), days=1).then(ClaimReaffirmed, SignalApplied, ExtractionCompleted)
    assert (story.state(LISBON).basis, story.state(LISBON).method) == ("user_statement", "local")
    story.hears("I live in Porto.", home("Porto"), days=2)
    assert story.statuses() == {LISBON: "superseded", PORTO: "active"}


# Confidence


@pytest.mark.parametrize(
    ("said", "message", "confidence"),
    [
        (TEA, {}, 850_000),
        (saying("User likes tea.", hedged=True), {}, 650_000),
        (TEA, {"basis": "summary"}, 600_000),
        (saying("Bob likes tea.", entity="Bob"), {}, 550_000),
        (saying("The roof is done.", entity="the roof", kind="project_state"), {}, 850_000),
    ],
)
def test_first_confidence_is_the_hosts(said: Saying, message: dict[str, str], confidence: int) -> None:
    story = Story()
    derived = story.reads(story.says("I like tea.", **message), said).the(ClaimDerived)  # type: ignore[arg-type]
    assert derived.state.confidence == confidence


def test_what_is_said_once_without_a_hedge_is_not_hedged() -> None:
    hedged, plain = saying("User likes tea.", quote="Tea, maybe.", hedged=True), saying("User likes tea.", quote="Tea, yes.")
    assert Story().hears("Tea, maybe. Tea, yes.", hedged, plain).the(ClaimDerived).state.confidence == 850_000


@pytest.mark.row("D6")
@pytest.mark.parametrize(
    ("before", "after"), [(700_000, 950_000), (800_000, 950_000), (950_000, 950_000), (990_000, 990_000)]
)
def test_a_plain_restatement_raises_confidence_to_the_cap_and_never_lowers_it(before: int, after: int) -> None:
    story = Story()
    story.hears("I like tea.", TEA)
    claim = story.id("User likes tea.")
    story.index.states[claim] = story.index.states[claim].with_(confidence=before)
    assert story.hears("I like tea.", TEA).the(ClaimReaffirmed).state.confidence == after


@pytest.mark.row("D6")
def test_a_hedged_restatement_raises_by_a_step() -> None:
    story, hedged = Story(), saying("User likes tea.", hedged=True)
    seen = [story.hears("Tea, maybe.", hedged) and story.state("User likes tea.").confidence for _ in range(4)]
    assert seen == [650_000, 800_000, 950_000, 950_000]


def test_confidence_rises_three_times_a_day_of_the_scope_and_again_the_day_after() -> None:
    story, maybe = Story(FakeIndex(Policy(confidence=Confidence(hedged=100_000)))), saying("User likes tea.", hedged=True)

    def after(*hours: float) -> list[int]:
        found = []
        for hour in hours:
            story.hears("Tea, maybe.", maybe, days=hour / 24)
            found.append(story.state("User likes tea.").confidence // 10_000)
        return found

    assert after(0, 1, 2, 3, 4, 5) == [10, 25, 40, 55, 55, 55]
    assert after(25, 26) == [70, 85]
    assert after(4.5, 27) == [95, 95]  # What arrives late counts on the latest day.
    assert story.state("User likes tea.").confirmation == "confirmed"


@pytest.mark.parametrize("said", [saying("Ace the Mixer.", form="narrative"), saying("Ace the Mixer.", kind="narrative")])
def test_no_extractor_adds_a_narrative(said: Saying) -> None:
    outcome = Story().hears("You are Ace the Mixer.", said)
    assert outcome.refusals() == ["form"]
    assert outcome.all(ClaimDerived) == []


# One value at a time


def test_a_newer_value_supersedes_the_older() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    moved = story.hears("I live in Porto.", home("Porto"), days=1).then(ClaimDerived, ClaimSuperseded, ExtractionCompleted)
    assert moved.the(ClaimSuperseded).by == story.id(PORTO)
    assert story.statuses() == {LISBON: "superseded", PORTO: "active"}


def test_an_older_value_that_arrives_late_is_superseded_at_once() -> None:
    story = Story()
    story.hears("I live in Porto.", home("Porto"), days=1)
    story.hears("I live in Lisbon.", home("Lisbon")).then(ClaimDerived, ClaimSuperseded, ExtractionCompleted)
    assert story.statuses() == {LISBON: "superseded", PORTO: "active"}
    assert story.state(LISBON).superseded_by == story.id(PORTO)


def test_a_supersession_rejects_nothing() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.hears("I live in Porto.", home("Porto"), days=1)
    assert story.index.rejections(story.state(LISBON).sentence) == ()


def test_a_restated_superseded_value_comes_back() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.hears("I live in Porto.", home("Porto"), days=1)
    back = story.hears("I live in Lisbon again.", home("Lisbon"), days=2)
    back.then(ClaimReaffirmed, SignalApplied, ClaimSuperseded, ExtractionCompleted)
    assert story.statuses() == {LISBON: "active", PORTO: "superseded"}
    assert story.state(LISBON).superseded_by is None


def test_a_superseded_value_restated_from_before_stays_superseded() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.hears("I live in Porto.", home("Porto"), days=5)
    story.hears("I live in Lisbon.", home("Lisbon"), days=2)
    assert story.statuses() == {LISBON: "superseded", PORTO: "active"}


@pytest.mark.parametrize("first", [0, 1])
def test_a_value_denied_later_ends_it_in_either_order(first: int) -> None:
    story = Story()
    left = saying("User does not live in Lisbon.", "home", "Lisbon", polarity="negative")
    messages = [("I live in Lisbon.", home("Lisbon"), 0), ("I do not live in Lisbon.", left, 1)]
    for text, said, day in (messages[first], messages[1 - first]):
        story.hears(text, said, days=day)
    assert story.statuses() == {LISBON: "superseded", "User does not live in Lisbon.": "active"}


def test_the_negation_of_another_value_ends_nothing() -> None:
    story = Story()
    story.hears("I live in Porto.", home("Porto"))
    left = saying("User does not live in Lisbon.", "home", "Lisbon", polarity="negative")
    story.hears("I do not live in Lisbon.", left, days=1).then(ClaimDerived, ExtractionCompleted)
    assert story.statuses() == {PORTO: "active", "User does not live in Lisbon.": "active"}


@pytest.mark.parametrize("listed", [1, -1])
def test_the_later_of_two_values_in_one_message_stands_however_they_are_listed(listed: int) -> None:
    story = Story()
    said = home("Lisbon", quote="I lived in Lisbon."), home("Porto", quote="Now I live in Porto.")
    moved = story.hears("I lived in Lisbon. Now I live in Porto.", *said[::listed])
    moved.then(ClaimDerived, ClaimDerived, ClaimSuperseded, ExtractionCompleted)
    assert story.statuses() == {LISBON: "superseded", PORTO: "active"}


def test_attributes_of_many_values_coexist() -> None:
    story = Story()
    story.hears("I like tea.", TEA)
    story.hears("I like cake.", saying("User likes cake.", "likes", "cake"), days=1).then(ClaimDerived, ExtractionCompleted)
    assert set(story.statuses().values()) == {"active"}


def test_settings_hold_one_value_each() -> None:
    story = Story()
    for day, port in enumerate(("80", "443")):
        story.hears(f"My port is {port}.", saying(f"User's port is {port}.", "setting: port", port), days=day)
    assert story.statuses() == {"User's port is 80.": "superseded", "User's port is 443.": "active"}


def test_values_of_other_entities_and_namespaces_coexist() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.hears("Bob lives in Porto.", saying("Bob lives in Porto.", "home", "Porto", entity="Bob"), days=1)
    story.hears("I live in Faro.", home("Faro"), days=2, namespace="novel")
    assert set(story.statuses().values()) == {"active"}


def test_a_summary_supersedes_no_testimony() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    outcome = story.hears("They live in Porto.", home("Porto"), days=1, basis="summary")
    held = outcome.then(ClaimDerived, ClaimQuarantined, ExtractionCompleted).the(ClaimQuarantined)
    assert (held.rule, held.state.bound_to) == ("weaker replacement", story.id(LISBON))
    assert outcome.the(ExtractionCompleted).withheld == 1
    assert story.statuses() == {LISBON: "active", PORTO: "quarantined"}


# Refusals


@pytest.mark.parametrize("voice", ["assistant", "tool", "system"])
def test_only_the_users_words_are_testimony(voice: VoiceRole) -> None:
    story = Story()
    outcome = story.reads(story.says("You like tea.", by=voice), TEA).then(WriteRefused, ExtractionCompleted)
    assert outcome.the(WriteRefused).rule == "not testimony"
    assert story.statuses() == {}


def test_an_adopted_passage_is_nobodys_testimony() -> None:
    story = Story()
    item = story.says('He wrote "I like tea".', adopted=())
    marked = story.says("He wrote: I like tea.", adopted=(_span("He wrote: I like tea.", "I like tea."),))
    assert story.reads(item, saying("User likes tea.", quote="I like tea")).refusals() == []
    assert story.reads(marked, saying("User likes tea.", quote="I like tea.")).refusals() == ["adopted"]
    assert story.reads(marked, saying("User likes it.", quote="wrote: I")).refusals() == ["adopted"]


def test_a_claim_is_one_sentence_on_one_line() -> None:
    said = [saying(text) for text in ("", "   ", "User likes\ntea.", "User likes\x1b[31m tea.")]
    assert Story().hears("I like tea.", *said).refusals() == ["wording"] * 4


def test_a_revision_that_is_not_the_newest_is_refused_and_not_completed() -> None:
    story = Story()
    item = story.says("I like tea.", message="1")
    story.says("I like coffee.", message="1")
    refused = story.reads(item, TEA, revision=1).then(WriteRefused, ExtractionFailed).the(WriteRefused)
    assert (refused.rule, refused.actual, refused.required) == ("revision", "revision 1", "revision 2")
    story.reads(item, TEA, revision=1).then_nothing()


def test_a_refusal_names_what_was_proposed() -> None:
    story = Story()
    item = story.says("You like tea.", by="assistant")
    refused = story.reads(item, TEA).the(WriteRefused)
    assert (refused.item, refused.extractor, refused.evidence) == (item, RULES, (item,))
    assert (refused.text, refused.start, refused.end, refused.quote) == ("User likes tea.", 0, 13, "You like tea.")


def test_a_refusal_is_recorded_once_for_each_extractor_proposal_and_rule() -> None:
    story = Story()
    item = story.says("You like tea.", by="assistant")
    assert story.reads(item, TEA, TEA).refusals() == ["not testimony"]
    story.reads(item, TEA).then_nothing()
    assert story.reads(item, TEA, by=MODEL).refusals() == ["not testimony"]
    assert story.reads(item, TEA, saying("User likes cake.")).refusals() == ["not testimony"]


def test_a_sound_proposal_is_taken_beside_a_bad_one() -> None:
    outcome: Outcome = Story().hears("I like tea.", saying(" "), TEA)
    outcome.then(WriteRefused, ClaimDerived, ExtractionCompleted)


def _span(text: str, quote: str) -> object:
    return saying("", quote=quote).within(text).span
