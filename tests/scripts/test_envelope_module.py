"""Seed 004's names over a ledger: its Quick Start runs by changing the import, and its numbers hold."""

import json
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mechanism import MINUTE, Clock

import affidavit
from affidavit import envelope as drop_in
from affidavit.domain.errors import ExtractionError, UsageError
from affidavit.domain.times import DAY, iso
from affidavit.envelope import (
    add_memorable_fact,
    add_shared_narrative,
    analyze_conversation_patterns,
    apply_contradiction,
    apply_decay,
    boost_confidence,
    delete_shared_narrative,
    extract_facts_from_summary,
    format_envelope_for_llm,
    get_facts_by_range,
    get_memory_envelope,
    get_shared_narratives,
    invalidate_cache,
    prune_by_confidence_threshold,
    reinforce_fact,
    validate_fact_against_summary,
)
from affidavit.scripts.ledger import Ledger

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SUMMARY = """
Alice mentioned she uses FL Studio for beat making.
She loves fettuccini pasta and wants to improve her mixing skills.
"""
ACE = "Abby calls Alice 'Ace the Mixer'"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="somebody", clock=clock) as ledger:
        yield ledger


def fact(confidence: float | None, *, days: float | None = None, kind: str = "USER_FACT", **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"text": "loves tea", "type": kind, **more}
    if confidence is not None:
        made["confidence"] = confidence
    if days is not None:
        made["last_confirmed"] = (NOW - timedelta(days=days)).isoformat()
    return made


def left(*facts: dict[str, Any]) -> list[float]:
    return [one["confidence"] for one in apply_decay(facts, NOW)]


def the_fact(ledger: Ledger, user: str = "alice", guild: str | None = None) -> dict[str, Any]:
    (found,) = get_memory_envelope(user, guild, storage_client=ledger)["relational"]["memorable_facts"]
    return dict(found)


# The Quick Start


def test_the_quick_start_runs_by_changing_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with affidavit.init(tmp_path / "memory", scope="alice") as made:
        made.remember("My name is Alice. My hobby is producing music. I use FL Studio.")
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(tmp_path / "memory"))

    success = add_memorable_fact(
        user_id="alice", guild_id="server_1", fact="loves fettuccini", confidence=0.85, origin="explicit"
    )
    assert success is True

    envelope = get_memory_envelope(user_id="alice", guild_id="server_1")
    context = format_envelope_for_llm(envelope)
    assert context.startswith("User: Alice\n")
    assert "Known facts:\n" in context
    assert "  • loves fettuccini (confidence: 85%)" in context.splitlines()

    facts = extract_facts_from_summary(SUMMARY, user_id="alice")
    assert isinstance(facts, list)

    updated_facts = apply_decay(envelope["relational"]["memorable_facts"])
    assert [one["text"] for one in updated_facts] == [one["text"] for one in envelope["relational"]["memorable_facts"]]

    reinforce_fact(user_id="alice", guild_id="server_1", fact_text="loves fettuccini", boost=0.15)
    after = get_memory_envelope(user_id="alice", guild_id="server_1")["relational"]["memorable_facts"]
    (loved,) = [one for one in after if one["text"] == "loves fettuccini"]
    assert (loved["confidence"], loved["confirmation_state"], loved["origin"]) == (0.95, "confirmed", "reinforced")

    assert add_shared_narrative(user_id="alice", guild_id="server_1", memory=ACE, tone="playful")
    narratives = get_shared_narratives(user_id="alice", guild_id="server_1")
    assert [(one["text"], one["tone"]) for one in narratives] == [(ACE, "playful")]
    invalidate_cache(user_id="alice", guild_id="server_1")
    assert ACE not in json.dumps(get_memory_envelope(user_id="alice", guild_id="server_1"))
    assert delete_shared_narrative("alice", ACE)
    assert get_shared_narratives(user_id="alice", guild_id="server_1") == []
    with affidavit.open(tmp_path / "memory") as kept:
        assert kept.verify().clean
        assert all(one.agree for one in kept.check_views())


def test_the_module_has_every_name_of_the_original() -> None:
    assert set(drop_in.__all__) >= {
        *("get_memory_envelope", "format_envelope_for_llm", "add_memorable_fact", "invalidate_cache"),
        *("extract_facts_from_summary", "validate_fact_against_summary", "analyze_conversation_patterns"),
        *("reinforce_fact", "add_shared_narrative", "get_shared_narratives", "delete_shared_narrative"),
        *("apply_decay", "boost_confidence", "apply_contradiction", "prune_by_confidence_threshold"),
    }
    assert all(getattr(drop_in, name).__doc__ for name in drop_in.__all__)


def test_without_a_ledger_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AFFIDAVIT_LEDGER", raising=False)
    with pytest.raises(UsageError, match="storage_client"):
        get_memory_envelope("alice")


# Arithmetic on dictionaries


@pytest.mark.row("D4")
def test_what_fell_below_three_tenths_is_left_out_and_what_has_no_date_is_kept() -> None:
    assert left(fact(0.6, days=120), fact(0.6, days=90), fact(0.6, days=89)) == [0.3, 0.4]  # Exactly .3 is kept.
    assert left(fact(0.2)) == [0.2]
    assert left(fact(0.2, days=0)) == []
    assert left(fact(0.9, days=180), fact(0.5, days=60), fact(0.9, days=210)) == [0.3, 0.3]


@pytest.mark.row("D5")
def test_a_narrative_is_not_decayed() -> None:
    assert left(fact(0.1, days=365, kind="SHARED_NARRATIVE")) == [0.1]


@pytest.mark.parametrize("given", ["never", "", 7, None, "2026-13-01"])
def test_a_date_that_cannot_be_read_is_no_date(given: object) -> None:
    assert left(fact(0.2, last_confirmed=given)) == [0.2]
    added = (NOW - timedelta(days=30)).isoformat()
    assert left(fact(0.9, last_confirmed=given, added_at=added)) == [0.8]


@pytest.mark.parametrize("time", ["2026-05-02T00:00:00Z", "2026-05-02T00:00:00", "2026-05-02", "2026-05-02T02:00:00+02:00"])
def test_aware_and_naive_times_are_read(time: str) -> None:
    assert left(fact(0.9, last_confirmed=time)) == [0.8]
    moment = datetime.fromisoformat(time)
    assert left(fact(0.9, last_confirmed=moment), fact(0.9, added_at=moment)) == [0.8, 0.8]
    assert [one["confidence"] for one in apply_decay([fact(0.9, last_confirmed=time)], "2026-06-01")] == [0.8]


def test_decay_does_not_compound_and_changes_nothing_given() -> None:
    given = [fact(0.9, days=40, tags=["a"]), fact(0.9, days=20, kind="USER_PATTERN"), fact(None, days=40)]
    before = deepcopy(given)
    once = apply_decay(given, NOW)
    assert [one["confidence"] for one in once] == [0.8, 0.8, 0.6]
    assert [one["confidence"] for one in apply_decay(once, NOW)] == [0.8, 0.8, 0.6]
    assert [one["confidence"] for one in apply_decay(once, NOW + timedelta(days=20))] == [0.7, 0.7, 0.5]
    once[0]["tags"].append("b")
    assert given == before


@pytest.mark.row("D6")
@pytest.mark.parametrize(("before", "after"), [(0.7, 0.85), (0.9, 0.95), (0.99, 0.99), (None, 0.85)])
def test_a_boost_is_capped_and_never_lowers(before: float | None, after: float) -> None:
    given = fact(before)
    boosted = boost_confidence(given)
    assert (boosted["confidence"], boosted["confirmation_state"]) == (after, "confirmed")
    assert apply_decay([boosted])[0]["confidence"] == after
    assert "confirmation_state" not in given


@pytest.mark.row("D7")
@pytest.mark.parametrize(("before", "after"), [(0.9, 0.4), (0.5, 0.1), (0.2, 0.1), (None, 0.2)])
def test_a_contradiction_takes_half_down_to_a_tenth(before: float | None, after: float) -> None:
    given = fact(before)
    contradicted = apply_contradiction(given)
    assert (contradicted["confidence"], contradicted["confirmation_state"]) == (after, "contradicted")
    assert "confirmation_state" not in given


def test_a_contradiction_of_what_has_decayed_is_not_decayed_twice() -> None:
    (once,) = apply_decay([fact(0.95, days=30)], NOW)
    contradicted = apply_contradiction(once, 0.2)
    assert contradicted["confidence"] == 0.65
    assert apply_decay([contradicted], NOW)[0]["confidence"] == 0.65


@pytest.mark.row("D9")
def test_pruning_and_ranges_include_their_ends() -> None:
    facts = [fact(confidence) for confidence in (0.9, 0.5, 0.2, 0.8)]
    assert [one["confidence"] for one in prune_by_confidence_threshold(facts, 0.5)] == [0.9, 0.5, 0.8]
    assert [one["confidence"] for one in prune_by_confidence_threshold(facts)] == [0.9, 0.5, 0.8]
    assert len(get_facts_by_range([*facts, fact(0.7), fact(None)], 0.7, 0.85)) == 2
    assert len(facts) == 4


# Out of a summary


@pytest.mark.row("D10")
def test_a_models_reply_is_checked_fact_by_fact() -> None:
    reply = [
        {"text": "uses FL Studio", "confidence": 0.92},
        {"text": "programs in Python", "confidence": 0.95},
        {"text": "wants to improve her mixing", "confidence": 0.49},
        {"text": "loves fettuccini", "confidence": 1.7},
        {"confidence": 0.9},
        {"text": "loves fettuccini", "confidence": "high"},
        "loves fettuccini",
    ]
    prompts: list[str] = []

    def llm(prompt: str) -> str:
        prompts.append(prompt)
        return f"```json\n{json.dumps(reply)}\n```"

    found = extract_facts_from_summary(SUMMARY, "alice", llm=llm)
    assert [(one["text"], one["confidence"]) for one in found] == [("uses FL Studio", 0.92), ("loves fettuccini", 1.0)]
    assert {key: found[0][key] for key in ("type", "category", "origin", "confirmation_state", "source")} == {
        "type": "USER_FACT",
        "category": "general",
        "origin": "explicit",
        "confirmation_state": "unconfirmed",
        "source": "llm_extraction",
    }
    assert SUMMARY in prompts[0]


@pytest.mark.parametrize("reply", ["no JSON", '{"text": "loves fettuccini"}', "", "```json\nnothing\n```"])
def test_a_reply_that_is_no_list_is_no_summary_without_facts(reply: str) -> None:
    with pytest.raises(ExtractionError):
        extract_facts_from_summary(SUMMARY, "alice", llm=lambda _: reply)


def test_a_model_that_fails_is_told_without_its_words() -> None:
    def llm(prompt: str) -> str:
        raise TimeoutError(prompt)

    with pytest.raises(ExtractionError, match="TimeoutError") as failed:
        extract_facts_from_summary(SUMMARY, "alice", llm=llm)
    assert "fettuccini" not in str(failed.value)


def test_without_a_model_the_rules_read_it() -> None:
    assert extract_facts_from_summary("I like it.", "alice") == []
    found = extract_facts_from_summary("We talked. I use FL Studio and I love fettuccini.", "alice")
    assert [(one["text"], one["confidence"], one["source"]) for one in found] == [
        ("User uses FL Studio.", 0.6, "rules_extraction"),
        ("User likes fettuccini.", 0.6, "rules_extraction"),
    ]


def test_what_a_person_rejected_is_not_extracted_and_not_added(ledger: Ledger) -> None:
    claim = ledger.remember("I use FL Studio.").claims[0]
    ledger.reject(claim.id)
    assert extract_facts_from_summary("Today I use FL Studio, I said.", "somebody", storage_client=ledger) == []
    assert not add_memorable_fact("somebody", None, "User uses FL Studio.", storage_client=ledger)
    assert not add_memorable_fact("somebody", None, "uses FL Studio", storage_client=ledger)
    assert ledger.claims() == []


def test_a_fact_is_validated_by_whole_words_and_what_is_denied() -> None:
    assert validate_fact_against_summary("loves fettuccini", SUMMARY)
    assert not validate_fact_against_summary("hates fettuccini", SUMMARY)
    assert not validate_fact_against_summary("loves rust", "She loves trust.")
    assert not validate_fact_against_summary("", SUMMARY)


def test_patterns_are_proposed_and_never_applied(ledger: Ledger) -> None:
    def llm(confidence: float) -> Any:
        reply = json.dumps({"confidence": confidence, "proposed_updates": {"communication_style": "casual"}})
        return lambda _: reply

    before = ledger.position
    sure = analyze_conversation_patterns(SUMMARY, "alice", {"name": "Alice"}, llm=llm(0.8))
    assert sure == {
        "proposed_updates": {"communication_style": "casual"},
        "confidence": 0.8,
        "requires_confirmation": False,
    }
    assert analyze_conversation_patterns(SUMMARY, "alice", llm=llm(0.79))["requires_confirmation"] is True
    assert analyze_conversation_patterns(SUMMARY, "alice", llm=llm(0.59)) == {}
    assert analyze_conversation_patterns("Too short.", "alice", llm=llm(0.9)) == {}
    assert analyze_conversation_patterns(SUMMARY, "alice") == {}
    assert ledger.position == before
    with pytest.raises(ExtractionError):
        analyze_conversation_patterns(SUMMARY, "alice", llm=lambda _: "[]")


# Held in a ledger


def test_a_fact_is_held_with_the_number_given(ledger: Ledger) -> None:
    assert add_memorable_fact("alice", "guild", "loves fettuccini", confidence=0.91, storage_client=ledger)
    found = the_fact(ledger, guild="guild")
    assert {name: found[name] for name in ("text", "type", "confidence", "origin", "confirmation_state")} == {
        "text": "loves fettuccini",
        "type": "USER_FACT",
        "confidence": 0.91,
        "origin": "explicit",
        "confirmation_state": "unconfirmed",
    }
    assert get_memory_envelope("alice", storage_client=ledger)["relational"]["memorable_facts"] == []
    assert get_memory_envelope("bob", "guild", storage_client=ledger)["relational"]["memorable_facts"] == []
    assert [one.text for one in ledger.at("alice").claims()] == ["loves fettuccini"]
    assert ledger.at("alice").show(found["id"]).state["basis"] == "unknown"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"confidence": 0.8}, True),
        ({"confidence": 0.79}, False),
        ({"confidence": 0.75, "fact_type": "USER_PATTERN"}, True),
        ({"confidence": 0.74, "fact_type": "USER_PATTERN"}, False),
        ({}, True),
        ({"origin": "inferred"}, False),
        ({"origin": "inferred", "confidence": 0.9}, True),
        ({"confidence": 0.9, "confirmation_state": "contradicted"}, False),
    ],
)
def test_what_comes_into_the_envelope_was_believed_enough_when_it_was_added(
    ledger: Ledger, given: dict[str, Any], shown: bool
) -> None:
    assert add_memorable_fact("alice", None, "loves fettuccini", **given, storage_client=ledger)
    facts = get_memory_envelope("alice", storage_client=ledger)["relational"]["memorable_facts"]
    assert [one["text"] for one in facts] == ["loves fettuccini"] * shown
    if shown:
        assert facts[0]["origin"] == given.get("origin", "explicit")
        assert facts[0]["type"] == given.get("fact_type", "USER_FACT")


def test_below_a_half_nothing_is_believed_and_odd_words_are_errors(ledger: Ledger) -> None:
    assert not add_memorable_fact("alice", None, "loves fettuccini", confidence=0.49, storage_client=ledger)
    assert not add_memorable_fact("alice", None, "  ", storage_client=ledger)
    for odd in ({"origin": "guessed"}, {"confirmation_state": "maybe"}, {"fact_type": "SHARED_NARRATIVE"}):
        with pytest.raises(UsageError):
            add_memorable_fact("alice", None, "loves fettuccini", **odd, storage_client=ledger)  # type: ignore[arg-type]
    assert get_memory_envelope("alice", storage_client=ledger)["relational"]["memorable_facts"] == []


@pytest.mark.row("D12")
def test_a_duplicate_is_one_fact_whose_confidence_nothing_averages(ledger: Ledger) -> None:
    assert add_memorable_fact("alice", None, "loves coffee", confidence=0.8, storage_client=ledger)
    assert add_memorable_fact("alice", None, "Loves coffee", confidence=0.6, storage_client=ledger)
    assert the_fact(ledger)["confidence"] == 0.8
    assert reinforce_fact("alice", None, "Loves coffee", storage_client=ledger)
    assert (the_fact(ledger)["confidence"], the_fact(ledger)["origin"]) == (0.95, "reinforced")
    assert add_memorable_fact("alice", None, "hates coffee", confidence=0.8, storage_client=ledger)
    assert len(get_memory_envelope("alice", storage_client=ledger)["relational"]["memorable_facts"]) == 2


def test_a_fact_is_reinforced_three_times_a_day(ledger: Ledger, clock: Clock) -> None:
    add_memorable_fact("alice", None, "loves fettuccini", confidence=0.5, storage_client=ledger)

    def boosts(count: int, step: float) -> list[bool]:
        clock.now += MINUTE
        return [reinforce_fact("alice", None, "Loves fettuccini!", step, storage_client=ledger) for _ in range(count)]

    assert boosts(4, 0.1) == [True, True, True, False]
    assert the_fact(ledger)["confidence"] == 0.8
    clock.now += DAY
    assert boosts(2, 0.1) == [True, True]
    assert the_fact(ledger)["confidence"] == 0.95
    assert the_fact(ledger)["last_confirmed"] == iso(clock.now)


def test_only_what_is_alike_is_reinforced_and_never_its_contrary(ledger: Ledger) -> None:
    add_memorable_fact("alice", None, "loves black coffee", storage_client=ledger)
    for other in ("hates black coffee", "does not love black coffee", "loves green tea", ""):
        assert not reinforce_fact("alice", None, other, storage_client=ledger)
    assert not reinforce_fact("nobody", None, "loves black coffee", storage_client=ledger)
    assert reinforce_fact("alice", None, "loves black cofee", storage_client=ledger)
    ledger.at("alice").remember("I like chess.")
    assert reinforce_fact("alice", None, "likes chess", storage_client=ledger)


def test_what_is_said_by_a_program_is_no_testimony(ledger: Ledger) -> None:
    add_memorable_fact("alice", None, "loves fettuccini", storage_client=ledger)
    there = ledger.at("alice")
    (claim,) = there.claims()
    assert there.extract(again=True).derived == 0
    state = there.show(claim.id).state
    assert (state["sessions"], state["sources"], state["signals"], state["basis"]) == (0, 0, 0, "unknown")
    assert [one.quote for one in there.why(claim.id).sources] == ["loves fettuccini"]
    assert there.verify().clean
    assert all(one.agree for one in there.check_views())


def test_narratives_are_added_listed_and_deleted(ledger: Ledger, clock: Clock) -> None:
    assert not add_shared_narrative("alice", None, "Short", storage_client=ledger)
    assert not add_shared_narrative("alice", None, ACE, tone="gloomy", storage_client=ledger)
    assert add_shared_narrative("alice", "guild", ACE, "inside_joke", auto_expire_days=2, storage_client=ledger)
    (one,) = get_shared_narratives("alice", "guild", storage_client=ledger)
    assert (one["text"], one["type"], one["tone"]) == (ACE, "SHARED_NARRATIVE", "inside_joke")
    assert get_shared_narratives("alice", storage_client=ledger) == []
    assert get_shared_narratives("bob", "guild", storage_client=ledger) == []
    assert not delete_shared_narrative("alice", "Abby calls them something else", storage_client=ledger)
    assert not delete_shared_narrative("bob", ACE, storage_client=ledger)
    clock.now += 2 * DAY
    assert get_shared_narratives("alice", "guild", storage_client=ledger) == []
    assert add_shared_narrative("alice", "guild", ACE, storage_client=ledger)
    assert delete_shared_narrative("alice", ACE.lower(), storage_client=ledger)
    assert get_shared_narratives("alice", "guild", storage_client=ledger) == []
    assert not add_shared_narrative("alice", "guild", ACE, storage_client=ledger), "a program does not bring it back"


def test_an_unknown_user_has_an_empty_envelope_and_no_scope_comes_of_reading(ledger: Ledger) -> None:
    found = get_memory_envelope(42, 7, storage_client=ledger)
    assert format_envelope_for_llm(found) == "User: User"
    assert (found["identity"]["user_id"], found["identity"]["guild_id"]) == ("42", "7")
    invalidate_cache(42, storage_client=ledger)
    assert [scope.name for scope in ledger.scopes()] == ["somebody"]
