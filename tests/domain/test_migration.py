"""A memory of another system is one claim that cites it whole; it seeds counters, and testifies to nothing."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW, SCOPE, Outcome, Story, assistant, at, home, operator

from affidavit.domain.claims import (
    ClaimAsserted,
    ClaimDerived,
    ClaimQuarantined,
    ClaimReaffirmed,
    ClaimState,
    ClaimSuperseded,
    SignalApplied,
)
from affidavit.domain.evidence import evidence_id
from affidavit.domain.lifecycle import Promote, promote
from affidavit.domain.memories import Legacy
from affidavit.domain.migration import EXTRACTOR, Kin, Migrate, in_order, is_card, kin, migrate, sentence
from affidavit.domain.migration import home as home_of
from affidavit.domain.readings import ExtractionCompleted
from affidavit.domain.reflections import reflection_id
from affidavit.domain.rejections import Answer, ask
from affidavit.domain.roles import Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.score import score

LONG_AGO = at(-200)
HOME = "User lives in Lisbon."


def memory(key: str = "fact/1", text: str = HOME, **changes: Any) -> Legacy:
    """Returns a memory of the form that its key names, without counters, created long ago."""
    one = Legacy(
        key=key,
        form=key.split("/", maxsplit=1)[0],  # type: ignore[arg-type]
        text=text,
        entity="user",
        status="pending" if key.startswith("reflection") else "active",
        protected=False,
        importance=None,
        created_at=LONG_AGO,
        assumed=False,
        since=LONG_AGO,
        parents=(),
        reinforcement=None,
        disputation=None,
        rein_last_signal_at=None,
        disp_last_signal_at=None,
        sub_zero_days=0,
        user_fact_reinforce_count=0,
        absorbed=False,
        place="facts.json[0]",
    )
    return replace(one, **changes)


class Migration:
    """Memories that come into a story, as the journal brings them: each recorded, then decided."""

    def __init__(self, *memories: Legacy, story: Story | None = None, by: Actor = operator) -> None:
        self.story = story or Story()
        self.memories = in_order(memories)
        self.kin: Kin = kin(self.memories, "neko", "", self.story.index)
        self.outcomes = {one.key: self._migrated(one, by) for one in self.memories}

    def _migrated(self, one: Legacy, by: Actor) -> Outcome:
        basis = "card" if is_card(one) else "imported"
        days = ((NOW if one.created_at is None else one.created_at) - NOW) / (at(1) - NOW)
        item = self.story.says(one.text, by="system", days=days, message=one.key, source="neko", basis=basis)
        command = Migrate(
            actor=by,
            at=NOW,
            new_id=self.story.new_id,
            scope=SCOPE,
            item=item,
            namespace="",
            memory=one,
            kin=self.kin,
        )
        return self.story.keep(migrate(command, self.story.index.claim(command.claim), self.story.index))

    def state(self, key: str = "fact/1") -> ClaimState:
        return self.story.index.states[self.kin.claims[key]]

    def again(self, *memories: Legacy) -> "Migration":
        """Brings the folder in again, as it is now."""
        return Migration(*(memories or self.memories), story=self.story)

    def item(self, key: str = "fact/1") -> bytes:
        return evidence_id(self.story.index, "neko", "", key)


def only(one: Legacy, **options: Any) -> Outcome:
    return Migration(one, **options).outcomes[one.key]


# One claim, one citation, one signal


def test_a_memory_is_a_claim_that_cites_it_whole_and_a_signal() -> None:
    migration = Migration(memory(importance=8))
    derived = migration.outcomes["fact/1"].then(ClaimDerived, SignalApplied).the(ClaimDerived)
    (place,) = derived.places
    assert (place.evidence, place.revision, place.start, place.end) == (migration.item(), 1, 0, len(HOME))
    assert (derived.extractor, derived.evidence) == (EXTRACTOR, (migration.item(),))
    state = migration.state()
    assert (state.form, state.kind, state.status, state.basis, state.method) == (
        *("fact", "fact", "active", "imported", "unknown"),
    )
    assert (state.live, state.importance, state.confidence) == (True, 8, 500_000)
    assert state.evidence_at == state.confirmed_at == state.since == LONG_AGO


def test_the_counters_and_clocks_are_as_they_were_kept() -> None:
    clocks: dict[str, Any] = {"rein_last_signal_at": at(-20), "disp_last_signal_at": at(-10)}
    counts: dict[str, Any] = {"sub_zero_days": 3, "user_fact_reinforce_count": 2}
    migration = Migration(memory(reinforcement=-200_000, disputation=1_500_000, **clocks, **counts))
    derived, signal = migration.outcomes["fact/1"].events
    assert isinstance(derived, ClaimDerived)
    assert isinstance(signal, SignalApplied)
    assert (derived.state.reinforcement, derived.state.disputation) == (0, 0)
    assert (signal.source, signal.effect, signal.weight, signal.against) == ("migration_seed", "seeds", -200_000, 1_500_000)
    assert (signal.cause, signal.occurred_at) == (derived.id, NOW)
    kept = {name: getattr(signal.state, name) for name in (*clocks, *counts, "reinforcement", "disputation", "signals")}
    assert kept == {**clocks, **counts, "reinforcement": -200_000, "disputation": 1_500_000, "signals": 1}


@pytest.mark.parametrize(
    ("status", "up", "down"),
    [("pending", 0, 0), ("confirmed", 1_000_000, 0), ("promoted", 2_000_000, 0), ("denied", 0, 2_000_000)],
)
def test_without_counters_the_status_says_what_they_are_and_since_when(status: str, up: int, down: int) -> None:
    migration = Migration(memory("reflection/1", status=status, since=at(-5)))
    signal = migration.outcomes["reflection/1"].the(SignalApplied)
    assert (signal.weight, signal.against) == (up, down)
    state = migration.state("reflection/1")
    assert (state.status, state.reinforcement, state.disputation) == (status, up, down)
    assert state.rein_last_signal_at == (at(-5) if up else None)
    assert state.disp_last_signal_at == (at(-5) if down else None)


def test_kept_counters_of_zero_are_counters_and_no_seed_is_put_in() -> None:
    migration = Migration(memory("reflection/1", status="confirmed", reinforcement=0, disputation=0))
    assert migration.state("reflection/1").reinforcement == 0


def test_a_status_of_unknown_date_begins_with_the_import() -> None:
    migration = Migration(memory("reflection/1", status="confirmed", since=None))
    assert migration.state("reflection/1").since == migration.state("reflection/1").rein_last_signal_at == NOW


def test_a_memory_counts_as_no_session_and_no_source() -> None:
    migration = Migration(memory(reinforcement=9_000_000, disputation=0))
    state = migration.state()
    assert (state.sources, state.sessions) == (0, 0)
    tally = migration.story.index.tally(migration.kin.claims["fact/1"])
    assert (tally.sources, tally.sessions) == (frozenset(), frozenset())


def test_counters_from_elsewhere_promote_nothing_by_themselves() -> None:
    migration = Migration(memory(reinforcement=9_000_000, disputation=0, rein_last_signal_at=NOW))
    story, claim = migration.story, migration.kin.claims["fact/1"]
    who: dict[str, Any] = {"actor": Actor("scheduler", "loops"), "at": NOW, "new_id": story.new_id}
    command = Promote(**who, scope=SCOPE, claim=claim, namespace="")
    assert promote(command, migration.state(), story.index) == ()


# The folder's statuses and kinship


def folder(**changes: Any) -> tuple[Legacy, ...]:
    return (
        memory("fact/1", absorbed=True),
        memory("reflection/1", "User is at home by the sea.", parents=("fact/1", "fact/gone"), status="promoted", **changes),
        memory("persona/user/prom_1", "User is at home by the sea.", parents=("reflection/1",)),
    )


def test_parents_and_successors_are_the_claims_of_the_folder() -> None:
    migration = Migration(*folder())
    claims = migration.kin.claims
    assert migration.state("fact/1").status == "absorbed"
    assert migration.state("fact/1").superseded_by == claims["reflection/1"]
    reflection = migration.state("reflection/1")
    assert (reflection.status, reflection.superseded_by) == ("promoted", claims["persona/user/prom_1"])
    assert reflection.parents == (claims["fact/1"],)
    assert migration.state("persona/user/prom_1").parents == (claims["reflection/1"],)
    assert migration.outcomes["reflection/1"].the(ClaimDerived).parents == (claims["fact/1"],)
    assert {key: migration.state(key).kind for key in claims} == {
        "fact/1": "fact",
        "reflection/1": "pattern",
        "persona/user/prom_1": "pattern",
    }


def test_what_took_its_place_is_left_open_where_the_folder_has_it_not() -> None:
    fact, reflection, _ = folder()
    alone = Migration(replace(reflection, status="merged"))
    assert (alone.state("reflection/1").status, alone.state("reflection/1").superseded_by) == ("merged", None)
    assert alone.state("reflection/1").parents == ()
    assert Migration(fact).state().superseded_by is None


def test_the_entry_that_came_from_a_reflection_is_its_successor_before_one_that_took_it_in() -> None:
    merged = memory("persona/user/a", "User likes the sea.", parents=("reflection/0", "reflection/1"))
    migration = Migration(*folder(), merged)
    assert migration.state("reflection/1").superseded_by == migration.kin.claims["persona/user/prom_1"]


def test_a_reflections_claim_is_that_of_its_facts_whatever_its_words() -> None:
    migration = Migration(memory("fact/1"), memory("reflection/1", "Any words.", parents=("fact/1",)))
    facts = (migration.kin.claims["fact/1"],)
    assert migration.kin.claims["reflection/1"] == reflection_id(migration.story.index, "", "user", facts)


def test_reflections_whose_facts_are_gone_are_not_one() -> None:
    first = memory("reflection/1", "User likes tea.", parents=("fact/a", "fact/b"))
    migration = Migration(first, memory("reflection/2", "User likes cake.", parents=("fact/a", "fact/c")))
    assert len(set(migration.kin.claims.values())) == 2


@pytest.mark.parametrize(
    ("one", "before"),
    [
        (memory("fact/1", status="archived", absorbed=True, since=at(-9)), "active"),
        (memory("reflection/1", status="archived", since=at(-9)), "pending"),
        (memory("persona/user/1", status="archived", since=at(-9)), "active"),
    ],
)
def test_an_archived_memory_is_archived_since_then_and_knows_what_it_would_be_again(one: Legacy, before: str) -> None:
    state = Migration(one).state(one.key)
    assert (state.status, state.live, state.before, state.since) == ("archived", False, before, at(-9))


def test_of_two_memories_that_are_one_claim_the_living_one_decides() -> None:
    denied = memory("reflection/1", status="denied")
    migration = Migration(denied, memory("reflection/2"))
    assert migration.state("reflection/1").status == "pending"
    assert migration.outcomes["reflection/1"].then(ClaimDerived).the(ClaimDerived).content is None


# The card


def card(**changes: Any) -> Legacy:
    return memory("persona/agent/card_1", "Name: Tian", entity="agent", protected=True, **changes)


def test_a_card_entry_is_asserted_and_protected() -> None:
    migration = Migration(card(created_at=None, since=None))
    migration.outcomes["persona/agent/card_1"].then(ClaimAsserted, SignalApplied)
    state = migration.state("persona/agent/card_1")
    assert (state.basis, state.protected, state.asserted, state.generations, state.live) == ("card", True, True, (), True)
    assert state.confidence == 950_000
    assert score(state, NOW, migration.story.index.policy) == float("inf")
    assert migration.story.index.items[migration.item("persona/agent/card_1")].basis == "card"


def test_a_card_needs_a_host_or_a_person() -> None:
    outcome = only(card(), by=assistant)
    outcome.refused("role", actual="role assistant", required="role user, operator or host")
    outcome.then(WriteRefused)
    only(card(), by=Actor("host", "bridge")).then(ClaimAsserted, SignalApplied)


def test_a_card_entry_that_was_archived_is_not_protected_any_more() -> None:
    state = Migration(card(status="archived")).state("persona/agent/card_1")
    assert (state.basis, state.status) == ("imported", "archived")


def test_a_card_that_says_what_a_claim_said_already_protects_it_and_counts_nothing() -> None:
    plain = replace(card(), key="persona/agent/2", protected=False, reinforcement=1_500_000, disputation=0)
    migration = Migration(plain).again(plain, card(reinforcement=7_000_000, disputation=0))
    migration.outcomes["persona/agent/card_1"].then(ClaimAsserted)
    state = migration.state("persona/agent/card_1")
    assert (state.basis, state.reinforcement, state.status) == ("card", 1_500_000, "active")


# What is known


def test_the_same_memory_again_adds_nothing() -> None:
    migration = Migration(*folder(), card())
    for outcome in migration.again().outcomes.values():
        outcome.then_nothing()


def test_a_claim_of_the_users_own_gets_support_and_keeps_its_counters() -> None:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"), session="a")
    story.hears("Lisbon is my home.", home("Lisbon"), session="b")
    known = story.state(HOME)
    assert known.reinforcement > 0
    migration = Migration(memory(reinforcement=9_000_000, disputation=9_000_000, status="archived"), story=story)
    derived = migration.outcomes["fact/1"].then(ClaimDerived).the(ClaimDerived)
    assert derived.content is None
    assert migration.state() == known
    assert migration.item() in {cited.evidence for cited in story.index.citations(story.id(HOME))}


def test_the_user_who_says_it_makes_it_testimony() -> None:
    migration = Migration(memory())
    migration.story.hears("I live in Lisbon.", home("Lisbon"), session="a").all(ClaimReaffirmed)
    state = migration.state()
    assert (state.basis, state.sources, state.sessions, state.reinforcement) == ("user_statement", 1, 1, 500_000)


def test_a_memory_that_got_another_text_takes_the_place_of_what_it_was() -> None:
    migration = Migration(memory())
    later = migration.again(memory(text="User lives in Porto."))
    later.outcomes["fact/1"].then(ClaimDerived, SignalApplied, ClaimSuperseded)
    assert migration.story.statuses() == {HOME: "superseded", "User lives in Porto.": "active"}
    assert migration.state().superseded_by == later.kin.claims["fact/1"]
    later.again(memory()).outcomes["fact/1"].then_nothing()


def test_another_text_leaves_alone_what_the_user_said_too() -> None:
    migration = Migration(memory())
    migration.story.hears("I live in Lisbon.", home("Lisbon"))
    migration.again(memory(text="User lives in Porto."))
    assert migration.story.statuses()[HOME] == "active"


def test_another_text_leaves_alone_what_a_person_put_in_its_place() -> None:
    migration = Migration(memory())
    migration.story.corrects(HOME, "User lives in Faro.")
    migration.again(memory(text="User lives in Porto."))
    assert migration.story.statuses()["User lives in Faro."] == "active"


def test_a_reflection_whose_facts_come_in_later_stays_the_claim_it_was() -> None:
    fact, reflection, persona = folder()
    migration = Migration(reflection, persona)
    later = migration.again(fact, reflection, persona)
    assert later.kin.claims["reflection/1"] == migration.kin.claims["reflection/1"]
    later.outcomes["reflection/1"].then_nothing()
    assert later.state("fact/1").superseded_by == migration.kin.claims["reflection/1"]


# The gate


def rejected() -> Story:
    story = Story()
    story.hears("I live in Lisbon.", home("Lisbon"))
    story.rejects(HOME)
    return story


@pytest.mark.parametrize("key", ["fact/1", "reflection/1", "persona/user/1"])
def test_a_rejected_sentence_is_refused_in_every_form_once(key: str) -> None:
    migration = Migration(memory(key), story=rejected())
    outcome = migration.outcomes[key].then(WriteRefused, ExtractionCompleted)
    refused = outcome.the(WriteRefused)
    assert (refused.rule, refused.text, refused.bound_to) == ("rejected value", HOME, migration.story.id(HOME))
    assert (refused.item, refused.quote) == (migration.item(key), HOME)
    assert migration.story.state(HOME).status == "denied"
    migration.again().outcomes[key].then_nothing()


def test_a_rejection_that_was_lifted_lets_the_memory_in() -> None:
    migration = Migration(memory("persona/user/1"), story=rejected())
    migration.story.corrects(HOME, HOME)
    migration.again().outcomes["persona/user/1"].then(ClaimDerived, SignalApplied)


def test_a_refused_memory_is_no_parent_and_no_successor() -> None:
    fact, reflection, persona = folder()
    migration = Migration(replace(fact, entity="agent"), reflection, persona, story=rejected())
    assert migration.outcomes["fact/1"].refusals() == ["rejected value"]
    assert migration.state("reflection/1").parents == ()
    below = replace(fact, text="User is fond of the sea.")
    migration = Migration(below, replace(reflection, text=HOME), story=rejected())
    assert migration.outcomes["reflection/1"].refusals() == ["rejected value"]
    assert (migration.state().status, migration.state().superseded_by) == ("absorbed", None)


def test_where_another_reading_of_the_memory_was_rejected_a_person_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(*asked: Any) -> Answer:
        assert ask(*asked) is None
        return Answer("same span", b"other".ljust(16, b"."))

    monkeypatch.setattr("affidavit.domain.migration.ask", held)
    migration = Migration(memory())
    quarantined = migration.outcomes["fact/1"].then(ClaimQuarantined).the(ClaimQuarantined)
    assert (quarantined.rule, quarantined.state.status, quarantined.state.bound_to) == (
        *("same span", "quarantined", b"other".ljust(16, b".")),
    )


def test_what_was_denied_elsewhere_rejects_no_value_here() -> None:
    migration = Migration(memory("reflection/1", status="denied"))
    assert migration.state("reflection/1").status == "denied"
    story = migration.story
    assert story.index.rejections(migration.state("reflection/1").sentence) == ()
    story.hears("I live in Lisbon.", home("Lisbon")).the(ClaimDerived)
    assert story.state(HOME).live


@pytest.mark.parametrize("status", ["denied", "forgotten"])
def test_what_was_ended_elsewhere_is_believed_again_once_the_user_says_it(status: str) -> None:
    migration = Migration(memory(status=status))
    assert (migration.state().status, migration.state().live) == (status, False)
    reaffirmed = migration.story.hears("I live in Lisbon.", home("Lisbon")).the(ClaimReaffirmed)
    assert (reaffirmed.state.status, reaffirmed.state.basis, reaffirmed.state.live) == ("active", "user_statement", True)


def test_what_was_ended_elsewhere_stays_so_for_an_assistant() -> None:
    migration = Migration(memory(status="forgotten"))
    said = migration.story.says("I live in Lisbon.", by="assistant")
    assert not migration.story.reads(said, home("Lisbon")).all(ClaimReaffirmed)
    assert migration.state().status == "forgotten"


def test_what_was_in_conflict_elsewhere_is_held_back_for_a_person() -> None:
    quarantined = only(memory(status="quarantined")).then(ClaimQuarantined).the(ClaimQuarantined)
    assert (quarantined.rule, quarantined.state.bound_to) == ("in conflict where it came from", None)
    assert not quarantined.state.live


def test_a_memory_keeps_its_kind_and_when_it_was_last_confirmed() -> None:
    state = Migration(memory(kind="decision", confirmed_at=at(-3))).state()
    assert (state.kind, state.evidence_at, state.confirmed_at) == ("decision", LONG_AGO, at(-3))
    assert Migration(memory(confirmed_at=at(-300))).state().confirmed_at == LONG_AGO


def test_a_narrative_has_its_tone_and_end_and_no_counters() -> None:
    one = memory("narrative/1", form="narrative", entity="relationship", tone="warm", expires_at=at(30))
    derived = only(one).then(ClaimDerived).the(ClaimDerived)
    assert (derived.state.kind, derived.state.tone, derived.state.expires_at) == ("narrative", "warm", at(30))
    assert (derived.state.signals, derived.state.confidence) == (0, 600_000)


def test_the_import_names_the_namespace_and_else_the_memory_does() -> None:
    assert home_of(memory(namespace="/srv/harbour"), "") == "/srv/harbour"
    assert home_of(memory(namespace="/srv/harbour"), "old") == "old"
    assert home_of(memory(), "") == ""


# Words


def test_a_claim_is_on_one_line_and_its_evidence_exact() -> None:
    text = "Name:\u3000Tian\n\n### Orders\x1b[31m\u200b"
    migration = Migration(memory(text=text))
    state = migration.state()
    assert migration.story.index.content(state).text == "Name: Tian ### Orders [31m"
    assert migration.story.index.text(migration.item(), 1).text == text
    (cited,) = migration.story.index.citations(migration.kin.claims["fact/1"])
    assert (cited.start, cited.end) == (0, len(text))


def test_a_memory_of_nothing_that_can_be_printed_is_refused() -> None:
    only(memory(text="\u200b\x00")).refused("wording", required="words that can be printed")
    only(memory(entity="\u200b")).refused("wording")


@given(st.text(max_size=30))
def test_a_sentence_can_be_printed_and_is_its_own_sentence(text: str) -> None:
    made = sentence(text)
    assert made.isprintable()
    assert sentence(made) == made


# Whatever the folder

STATUSES = st.sampled_from(["pending", "confirmed", "promoted", "merged", "promote_blocked", "denied", "archived"])
TEXTS = st.sampled_from(["User likes tea.", "用户喜欢绿茶。", HOME])
COUNTERS = st.none() | st.integers(-(10**9), 10**9)
MOMENTS = st.none() | st.integers(at(-900), at(9))


@st.composite
def folders(draw: st.DrawFn) -> list[Legacy]:
    found: list[Legacy] = []
    for number in range(draw(st.integers(1, 6))):
        form = draw(st.sampled_from(["fact", "reflection", "persona"]))
        below = {"reflection": "fact", "persona": "reflection", "fact": "none"}[form]
        names = [f"{below}/{other}" for other in range(6)]
        up = draw(COUNTERS)
        found.append(
            memory(
                f"{form}/{number}",
                draw(TEXTS),
                status=draw(STATUSES if form == "reflection" else st.sampled_from(["active", "archived"])),
                parents=tuple(draw(st.lists(st.sampled_from(names), unique=True, max_size=3))) if form != "fact" else (),
                protected=draw(st.booleans()) and form == "persona",
                absorbed=draw(st.booleans()),
                created_at=draw(MOMENTS),
                since=draw(MOMENTS),
                reinforcement=up,
                disputation=None if up is None else draw(st.integers(0, 10**9)),
            ),
        )
    return found


@given(folders())
def test_a_folder_comes_in_once_whole_and_names_only_claims_that_are_there(memories: list[Legacy]) -> None:
    migration = Migration(*memories)
    states = migration.story.index.states
    assert set(states) == set(migration.kin.claims.values())
    for state in states.values():
        assert set(state.parents) <= set(states)
        assert state.superseded_by is None or state.superseded_by in states
        assert (state.sources, state.sessions, state.signals) == (0, 0, 1)
        assert not (state.protected and state.status == "archived")
    for outcome in migration.again().outcomes.values():
        outcome.then_nothing()
