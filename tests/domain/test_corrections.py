"""What a person says is right, stands by itself; what it replaces is rejected."""

import pytest
from spec import MODEL, RULES, Story, assistant, at, holds, home, operator, saying

from affidavit.domain.claims import (
    ClaimAsserted,
    ClaimContent,
    ClaimDenied,
    ClaimDerived,
    ClaimQuarantined,
    ClaimReaffirmed,
    ClaimSuperseded,
    SignalApplied,
)
from affidavit.domain.corrections import ClaimCorrected, corrected_content
from affidavit.domain.readings import ExtractionCompleted
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import ROLES, Actor
from affidavit.domain.scopes import WriteRefused

LISBON, PORTO, FARO = "User lives in Lisbon.", "User lives in Porto.", "User lives in Faro."
NO_SENTENCES = ("", "  ", "User lives\nin Porto.", "User lives in \x1b[31mPorto.")


def lisbon() -> Story:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    return story


# The value


@pytest.mark.parametrize(
    ("before", "value", "after", "read"),
    [
        ("User lives in Lisbon.", "Lisbon", "User lives in Porto.", "Porto"),
        ("User lives in Lisbon.", "Lisbon", "User lives in New York.", "New York"),
        ("User lives in Lisbon.", "Lisbon", "User lives in  Porto. ", "Porto"),
        ("用户住在里斯本。", "里斯本", "用户住在波尔图。", "波尔图"),
        ("User likes C.", "C", "User likes C++.", "C++"),
        ("User lives in Lisbon.", "Lisbon", "user LIVES in lisbon", "Lisbon"),
        ("User lives in Lisbon.", "Lisbon", "User has moved to Porto.", ""),
        ("User lives in Lisbon.", "Lisbon", "User lives in .", ""),
        ("Ana met Ana.", "Ana", "Bob met Ana.", ""),
        ("User moved.", "", "User stayed.", ""),
    ],
)
def test_the_value_is_read_off_the_change_or_left_empty(before: str, value: str, after: str, read: str) -> None:
    old = ClaimContent(text=before, attribute="home" if value else "", value=value)
    new = corrected_content(old, after)
    assert (new.value, new.attribute) == (read, "home" if read else "")


def test_the_value_may_be_named() -> None:
    old = ClaimContent(text=LISBON, attribute="home", value="Lisbon")
    new = corrected_content(old, "User has moved to Porto.", "Porto")
    assert (new.text, new.attribute, new.value) == ("User has moved to Porto.", "home", "Porto")


def test_the_entity_is_never_changed() -> None:
    old = ClaimContent(text="Bob is 7.", entity="Bob", attribute="age", value="7")
    assert corrected_content(old, "Bob is 8.").entity == "Bob"


# The right events


def test_a_correction_rejects_the_old_value_and_holds_the_new() -> None:
    story = lisbon()
    outcome = story.corrects(LISBON, PORTO, days=1).then(ValueRejected, ClaimCorrected)
    corrected = outcome.the(ClaimCorrected)
    assert outcome.the(ValueRejected).cause == corrected.id
    assert (corrected.corrects, corrected.claim, corrected.parents) == (
        story.id(LISBON),
        story.id(PORTO),
        (story.id(LISBON),),
    )
    assert story.statuses() == {LISBON: "superseded", PORTO: "active"}
    assert story.state(LISBON).superseded_by == story.id(PORTO)


def test_a_corrected_claim_stands_by_itself_with_clean_counters() -> None:
    story = lisbon()
    story.hears("I live in Lisbon.", home("Lisbon"), days=1)
    state = story.corrects(LISBON, PORTO, days=2).the(ClaimCorrected).state
    assert (state.asserted, state.corrected, state.generations, state.live) == (True, True, (), True)
    assert (state.basis, state.method, state.confidence, state.confirmation) == (
        "manual_correction",
        "manual",
        950_000,
        "confirmed",
    )
    assert (state.reinforcement, state.disputation, state.signals, state.user_fact_reinforce_count) == (0, 0, 0, 0)
    assert (state.evidence_at, state.confirmed_at) == (at(2), at(2))


def test_a_correction_keeps_the_wording_before_and_the_places() -> None:
    story = lisbon()
    before = story.state(LISBON).wordings[0].content
    cited = story.index.citations(story.id(LISBON))
    corrected = story.corrects(LISBON, PORTO).the(ClaimCorrected)
    assert corrected.before == before
    assert [(place.evidence, place.start, place.end) for place in corrected.places] == [
        (found.evidence, found.start, found.end) for found in cited
    ]


def test_a_persons_words_have_a_key_of_their_own() -> None:
    corrected = lisbon().corrects(LISBON, PORTO).the(ClaimCorrected)
    assert (corrected.sealing.own, corrected.sealing.fresh) == (corrected.key, True)


def test_a_pin_outlives_a_correction() -> None:
    story = lisbon()
    story.index.states[story.id(LISBON)] = story.state(LISBON).with_(pinned=True)
    assert story.corrects(LISBON, PORTO).the(ClaimCorrected).state.pinned


def test_a_correction_of_a_correction_rejects_both_earlier_values() -> None:
    story = lisbon()
    story.corrects(LISBON, PORTO)
    story.corrects(PORTO, FARO).then(ValueRejected, ClaimCorrected)
    assert story.statuses() == {LISBON: "superseded", PORTO: "superseded", FARO: "active"}
    for city in ("Lisbon", "Porto"):
        assert story.hears(f"I live in {city}.", home(city), basis="summary").refusals() == ["rejected value"]


def test_a_change_of_wording_rejects_nothing() -> None:
    story = lisbon()
    corrected = story.corrects(LISBON, "User lives in LISBON!").then(ClaimCorrected).the(ClaimCorrected)
    assert corrected.claim == story.id(LISBON)
    assert corrected.content == ClaimContent(text="User lives in LISBON!", attribute="home", value="Lisbon")
    assert corrected.state.generations == (1,)
    assert story.hears("I live in Lisbon.", home("Lisbon"), days=1).refusals() == []


def test_a_change_of_wording_that_names_the_same_value_rejects_nothing() -> None:
    story, reworded = lisbon(), "User has a home in Lisbon."
    outcome = story.corrects(LISBON, reworded, "Lisbon").then(ClaimSuperseded, ClaimCorrected)
    assert outcome.the(ClaimSuperseded).by == story.id(reworded)
    assert story.statuses() == {LISBON: "superseded", reworded: "active"}
    state = story.state(reworded)
    assert state.value == story.state(LISBON).value
    assert [story.index.rejections(digest) for digest in (state.value, state.sentence) if digest] == [(), ()]


def test_a_user_may_restate_what_was_only_reworded() -> None:
    story, reworded = lisbon(), "User has a home in Lisbon."
    story.corrects(LISBON, reworded, "Lisbon")
    again = story.hears("I have a home in Lisbon.", saying(reworded, "home", "Lisbon"), days=1)
    again.then(ClaimReaffirmed, SignalApplied, ExtractionCompleted)
    assert story.statuses() == {LISBON: "superseded", reworded: "active"}


def test_an_unknown_new_value_still_rejects_the_old() -> None:
    story = lisbon()
    corrected = story.corrects(LISBON, "User has left town.").then(ValueRejected, ClaimCorrected).the(ClaimCorrected)
    assert (corrected.content.attribute, corrected.content.value) == ("", "")
    assert (corrected.state.topic, corrected.state.value) == (None, None)


def test_a_quarantined_claim_may_be_corrected() -> None:
    story = lisbon()
    story.index.states[story.id(LISBON)] = story.state(LISBON).with_(status="quarantined")
    story.corrects(LISBON, PORTO).then(ValueRejected, ClaimCorrected)


# What it does to others


def test_duplicates_with_the_old_value_are_denied() -> None:
    story = lisbon()
    story.hears("Home is Lisbon.", saying("Lisbon is the user's home.", "home", "Lisbon"))
    story.corrects(LISBON, PORTO).then(ValueRejected, ClaimDenied, ClaimCorrected)
    assert story.state("Lisbon is the user's home.").status == "denied"


def test_another_extractors_claim_of_the_place_is_quarantined() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"), by=RULES)
    story.reads(item, saying("User is a Lisboner."), by=MODEL)
    held = story.corrects(LISBON, PORTO).then(ValueRejected, ClaimQuarantined, ClaimCorrected).the(ClaimQuarantined)
    assert held.claim == story.id("User is a Lisboner.")


def test_other_values_of_a_one_value_attribute_are_superseded() -> None:
    story = lisbon()
    in_faro = {"attribute": "home", "value": "Faro", "basis": "summary"}
    holds(story, FARO, story.says("They live in Faro.", basis="summary"), **in_faro)
    outcome = story.corrects(LISBON, PORTO).then(ValueRejected, ClaimCorrected, ClaimSuperseded)
    assert outcome.the(ClaimSuperseded).claim == story.id(FARO)


def test_other_values_of_an_attribute_of_many_stay() -> None:
    story = Story()
    for drink in ("tea", "milk"):
        story.hears(f"I like {drink}.", saying(f"User likes {drink}.", "likes", drink))
    story.corrects("User likes tea.", "User likes coffee.").then(ValueRejected, ClaimCorrected)


def test_correcting_to_a_known_claim_keeps_its_generations() -> None:
    story = lisbon()
    story.hears("They live in Porto.", home("Porto"), basis="summary")
    state = story.corrects(LISBON, PORTO).the(ClaimCorrected).state
    assert (state.generations, state.asserted) == ((1,), True)
    assert [wording.generation for wording in state.wordings] == [0, 1]


def test_correcting_to_a_pinned_claim_keeps_its_pin() -> None:
    story = lisbon()
    story.hears("They live in Porto.", home("Porto"), basis="summary")
    story.index.states[story.id(PORTO)] = story.state(PORTO).with_(pinned=True)
    assert story.corrects(LISBON, PORTO).the(ClaimCorrected).state.pinned


# What comes later


def test_the_correction_holds_when_its_evidence_is_read_again() -> None:
    story = Story()
    item = story.says("I live in Lisbon.")
    story.reads(item, home("Lisbon"))
    story.corrects(LISBON, PORTO)
    before = story.statuses()
    assert story.reads(item, home("Lisbon"), by=RULES).refusals() == ["rejected value"]
    assert story.reads(item, home("Lisbon"), by=MODEL).refusals() == ["rejected value"]
    story.reads(item, home("Porto"), by=MODEL).then(ClaimDerived, ExtractionCompleted)
    assert story.statuses() == before
    assert story.state(PORTO).corrected


def test_a_newer_first_hand_value_supersedes_a_correction() -> None:
    story = lisbon()
    story.corrects(LISBON, PORTO)
    story.hears("I live in Faro now.", home("Faro"), days=1)
    assert story.statuses() == {LISBON: "superseded", PORTO: "superseded", FARO: "active"}


def test_an_older_first_hand_value_does_not() -> None:
    story = lisbon()
    story.corrects(LISBON, PORTO, days=2)
    story.hears("I live in Faro now.", home("Faro"), days=1)
    assert story.statuses() == {LISBON: "superseded", PORTO: "active", FARO: "superseded"}


def test_an_older_statement_of_a_correction_moves_no_clock_back() -> None:
    story = lisbon()
    story.corrects(LISBON, PORTO, days=5)
    story.hears("I live in Porto.", home("Porto"), days=-3).then(ClaimReaffirmed, SignalApplied, ExtractionCompleted)
    assert (story.state(PORTO).evidence_at, story.state(PORTO).confirmed_at) == (at(5), at(5))


# Says no, stays quiet


@pytest.mark.parametrize("text", NO_SENTENCES)
def test_a_correction_is_one_sentence_on_one_line(text: str) -> None:
    story = lisbon()
    outcome = story.corrects(LISBON, text)
    outcome.refused("wording", required="one sentence on one line")
    assert outcome.events == ()


@pytest.mark.parametrize("text", [LISBON, f"  {LISBON} "])
def test_correcting_to_the_same_text_stays_quiet(text: str) -> None:
    lisbon().corrects(LISBON, text).then_nothing()


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_only_a_user_or_operator_corrects(role: str) -> None:
    story = lisbon()
    outcome = story.corrects(LISBON, PORTO, by=Actor(role)).then(WriteRefused)  # type: ignore[arg-type]
    outcome.refused("role", actual=f"role {role}", required="role user or operator")
    assert outcome.the(WriteRefused).bound_to == story.id(LISBON)
    assert story.statuses() == {LISBON: "active"}


def test_an_operator_corrects_like_a_user() -> None:
    lisbon().corrects(LISBON, PORTO, by=operator).then(ValueRejected, ClaimCorrected)


def test_a_claim_that_is_not_live_is_not_corrected() -> None:
    story = lisbon()
    story.corrects(LISBON, PORTO)
    outcome = story.corrects(LISBON, "User lives in Faro.")
    outcome.refused("not live", actual="status superseded", required="a live, absorbed, quarantined or denied claim")
    assert outcome.events == ()


def test_a_denied_claim_may_be_corrected_to_say_the_same_after_all() -> None:
    story = lisbon()
    story.rejects(LISBON)
    story.corrects(LISBON, LISBON).then(RejectionLifted, ClaimCorrected)
    assert story.state(LISBON).live


def test_a_sentence_that_is_negated_has_the_other_polarity_and_no_value() -> None:
    story = lisbon()
    corrected = story.corrects(LISBON, "User does not live in Lisbon.").the(ClaimCorrected)
    assert (corrected.state.polarity, corrected.content.attribute, corrected.content.value) == ("negative", "", "")


# Assertions


def test_a_person_asserts_a_sentence() -> None:
    story = Story()
    asserted = story.asserts("User keeps bees.", kind="preference").then(ClaimAsserted).the(ClaimAsserted)
    assert (asserted.state.asserted, asserted.state.generations, asserted.state.live) == (True, (), True)
    assert (asserted.state.confidence, asserted.state.basis, asserted.state.kind) == (
        950_000,
        "manual_correction",
        "preference",
    )
    assert (asserted.sealing.own, asserted.sealing.fresh) == (asserted.key, True)


@pytest.mark.parametrize("text", NO_SENTENCES)
def test_an_assertion_is_one_sentence_on_one_line(text: str) -> None:
    story = Story()
    story.asserts(text).refused("wording", required="one sentence on one line")
    assert story.statuses() == {}


def test_asserting_the_same_again_stays_quiet() -> None:
    story = Story()
    story.asserts("User keeps bees.")
    story.asserts("user keeps bees").then_nothing()


def test_a_host_may_assert_and_an_assistant_may_not() -> None:
    story = Story()
    story.asserts("User keeps bees.", by=Actor("host", "bridge")).then(ClaimAsserted)
    story.asserts("User keeps cats.", by=assistant).refused("role", required="role user, operator or host")
    assert story.statuses() == {"User keeps bees.": "active"}


def test_an_assertion_of_a_derived_claim_keeps_its_generations() -> None:
    story = lisbon()
    state = story.asserts(LISBON).the(ClaimAsserted).state
    assert (state.generations, state.asserted) == ((1,), True)


def test_an_assertion_of_a_derived_claim_keeps_its_attribute_and_value() -> None:
    story = lisbon()
    before = story.state(LISBON)
    asserted = story.asserts(LISBON).the(ClaimAsserted)
    assert (asserted.state.topic, asserted.state.value) == (before.topic, before.value)
    assert (asserted.content.attribute, asserted.content.value) == ("home", "Lisbon")
    story.hears("I live in Porto.", home("Porto"), days=1)
    assert story.statuses() == {LISBON: "superseded", PORTO: "active"}


def test_an_assertion_of_a_derived_claim_keeps_its_counters_and_pin() -> None:
    story = lisbon()
    story.hears("I live in Lisbon.", home("Lisbon"), days=1)
    before = story.state(LISBON).with_(pinned=True)
    story.index.states[story.id(LISBON)] = before
    after = story.asserts(LISBON).the(ClaimAsserted).state
    kept = ("pinned", "kind", "reinforcement", "rein_last_signal_at", "signals", "sources", "sessions", "evidence_at")
    assert {name: getattr(after, name) for name in kept} == {name: getattr(before, name) for name in kept}
    assert (after.pinned, after.reinforcement) == (True, 500_000)
