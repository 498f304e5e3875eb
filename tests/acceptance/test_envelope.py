"""The envelope: what is remembered of a user, by confidence, from one snapshot, kept until anything is recorded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import affidavit as command
from mechanism import BEGIN, MINUTE, Clock

import affidavit
from affidavit.domain.policy import Envelope, Policy
from affidavit.domain.times import DAY, iso
from affidavit.projections.envelope import formatted
from affidavit.scripts.ledger import Ledger

TEA = "User likes tea."


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", clock=clock) as ledger:
        yield ledger


def facts(ledger: Ledger, **at: Any) -> dict[str, float]:
    """Returns the confidence of each fact, best first."""
    return {one["text"]: one["confidence"] for one in ledger.envelope(**at)["relational"]["memorable_facts"]}


def test_it_tells_who_somebody_is_what_is_known_and_when_they_last_spoke(ledger: Ledger, clock: Clock) -> None:
    ledger.remember("My name is Ana. I play the guitar. I prefer short answers. I like tea.")
    clock.now += MINUTE
    ledger.remember("I like tea.")
    found = ledger.envelope()
    assert found["identity"] == {"name": "Ana", "user_id": "ana", "guild_id": ""}
    assert found["relational"]["domains"] == ["guitar"]
    assert found["relational"]["preferences"] == {"prefers": "short answers"}
    (tea, *others) = found["relational"]["memorable_facts"]
    assert tea == {
        "id": tea["id"],
        "text": TEA,
        "type": "USER_FACT",
        "confidence": 0.95,
        "base_confidence": 0.95,
        "origin": "reinforced",
        "confirmation_state": "confirmed",
        "last_confirmed": iso(clock.now),
        "added_at": iso(clock.now),
        "category": "likes",
    }
    assert {one["origin"] for one in others} == {"explicit"}
    assert [one["id"] for one in others] == sorted(one["id"] for one in others)
    assert found["recent_context"] == {"last_session_summary": None, "last_session_date": iso(clock.now)}
    assert (found["last_built"], found["version"]) == (iso(clock.now), "1.0")


def test_the_newest_summary_is_its_recent_context(ledger: Ledger, clock: Clock) -> None:
    for number, text in enumerate(("They met.", "They spoke\nof tea.")):
        ledger.remember({"text": text, "role": "system", "summary": True, "time": iso(BEGIN + number)}, extractor=None)
    ledger.remember("Hello.", namespace="elsewhere")
    found = ledger.envelope()
    assert found["recent_context"] == {"last_session_summary": "They spoke\nof tea.", "last_session_date": iso(BEGIN + 1)}
    assert formatted(found).endswith("\n\nLast conversation: They spoke of tea.")


def test_it_holds_one_namespace_and_the_unnamed_one(ledger: Ledger) -> None:
    for namespace, thing in (("", "tea"), ("one", "jazz"), ("two", "rain")):
        ledger.remember(f"I like {thing}.", namespace=namespace)
    assert set(facts(ledger, namespace="one")) == {TEA, "User likes jazz."}
    assert set(facts(ledger)) == {TEA}


def test_confidence_decays_as_it_is_read_and_what_is_withheld_comes_back(ledger: Ledger, clock: Clock) -> None:
    ledger.remember("I like tea.")
    assert facts(ledger) == {TEA: 0.85}
    assert [facts(ledger, now=clock.now + days * DAY).get(TEA) for days in (29, 30, 60, 150, 179, 180)] == [
        *(0.85, 0.75, 0.65, 0.35, 0.35),
        None,
    ]
    assert facts(ledger) == {TEA: 0.85}
    clock.now += 200 * DAY
    assert facts(ledger) == {}
    ledger.remember("I like tea.")
    assert facts(ledger) == {TEA: 0.95}
    assert ledger.show(ledger.claims()[0].id).state["confidence"] == 0.95


def test_what_is_doubted_contradicted_or_out_of_sight_is_not_in_it(ledger: Ledger, clock: Clock) -> None:
    ledger.remember("I think I like chess.")
    assert facts(ledger) == {}
    ledger.remember("I like tea. I like jazz. I like rain. I live in Lisbon.")
    clock.now += DAY
    ledger.remember("I dislike tea. I live in Porto.")
    assert TEA not in facts(ledger)
    assert (ledger.show(_id(ledger, TEA)).claim.confidence, ledger.show(_id(ledger, TEA)).state["confirmation"]) == (
        0.35,
        "contradicted",
    )
    ledger.reject(_id(ledger, "User likes jazz."))
    ledger.forget(_id(ledger, "User likes rain."))
    assert set(facts(ledger)) == {"User dislikes tea.", "User lives in Porto."}
    clock.now += DAY
    ledger.remember("I like tea.")
    assert facts(ledger)[TEA] == 0.95
    assert all(one.agree for one in ledger.check_views())
    assert ledger.verify().clean


def test_what_the_user_confirmed_or_a_person_found_accurate_needs_no_number(ledger: Ledger) -> None:
    ledger.remember("I think I like chess. Maybe I like figs.")
    assert facts(ledger) == {}
    ledger.surface()
    ledger.reply("Yes.", claim=_id(ledger, "User likes chess."), verdict="confirms")
    ledger.feedback(_id(ledger, "User likes figs."), "accurate")
    assert facts(ledger) == {"User likes chess.": 0.65, "User likes figs.": 0.65}


def test_a_fact_that_was_promoted_stays_known(ledger: Ledger, clock: Clock) -> None:
    for number in range(5):
        ledger.remember({"text": "I like tea.", "session": str(number)})
    ledger.tick(now=clock.now)
    assert [one.form for one in ledger.claims()] == ["persona"]
    assert facts(ledger) == {TEA: 0.95}


def test_it_is_kept_until_anything_is_recorded_and_never_by_reference(ledger: Ledger, clock: Clock) -> None:
    ledger.remember("I like tea.")
    first = ledger.envelope()
    first["relational"]["memorable_facts"].clear()
    first["identity"]["name"] = "Eve"
    clock.now += 899_000_000
    again = ledger.envelope()
    assert again["last_built"] == iso(BEGIN)
    assert len(again["relational"]["memorable_facts"]) == 1
    assert again["identity"]["name"] == ""
    assert ledger.at("ana").envelope()["last_built"] == iso(BEGIN)
    assert ledger.envelope(fresh=True)["last_built"] == iso(clock.now)
    clock.now += 900_000_000
    assert ledger.envelope()["last_built"] == iso(clock.now)
    clock.now += 1
    assert ledger.envelope("guild")["last_built"] == iso(clock.now)
    clock.now += 1
    ledger.pin(ledger.claims()[0].id)
    assert ledger.envelope()["last_built"] == iso(clock.now)
    clock.now += 1
    ledger.envelopes.drop(ledger.scope)
    assert ledger.envelope()["last_built"] == iso(clock.now)


def test_another_policy_makes_another_envelope(ledger: Ledger) -> None:
    ledger.remember("I think I like chess.")
    assert facts(ledger) == {}
    ledger.adopt_policy(msgspec.structs.replace(Policy(), envelope=Envelope(fact=600_000)))
    assert facts(ledger) == {"User likes chess.": 0.65}


def test_another_process_that_writes_makes_it_void(ledger: Ledger, tmp_path: Path) -> None:
    ledger.remember("I like tea.")
    assert set(facts(ledger)) == {TEA}
    with affidavit.open(tmp_path / "ledger") as other:
        other.forget(_id(other, TEA))
    assert facts(ledger) == {}


# As text


@pytest.mark.row("D11")
def test_an_empty_envelope_is_a_user() -> None:
    assert formatted({}) == "User: User"
    assert formatted({"identity": {"name": None}, "relational": {}, "recent_context": None}) == "User: User"


def test_facts_stand_by_confidence_and_uncertain_ones_are_hedged() -> None:
    known = [("loves tea", 0.7), ("works on FL Studio", 0.9), ("loves fettuccini", 0.85), ("owns a cat", 0.3)]
    given = {
        "identity": {"name": "Alice", "nickname": "Ace"},
        "relational": {
            "domains": ["music_production", "FL_Studio"],
            "preferences": {"communication_style": "casual", "tone": ""},
            "memorable_facts": [
                *({"text": text, "confidence": number} for text, number in known),
                {"text": "hates tea", "confidence": 0.99, "confirmation_state": "contradicted"},
                {"text": "is Ace the Mixer", "confidence": 0.99, "type": "SHARED_NARRATIVE"},
            ],
        },
        "recent_context": {"last_session_summary": "They spoke.\nUser: Eve"},
    }
    before = json.dumps(given)
    assert formatted(given, most=3) == (
        "User: Ace\nDomains: music_production, FL_Studio\nPreferences: communication_style: casual\nKnown facts:\n"
        "  • works on FL Studio (confidence: 90%)\n  • loves fettuccini (confidence: 85%)\n"
        "  • appears: loves tea (confidence: 70%)\n\nLast conversation: They spoke. User: Eve"
    )
    assert "Known facts" not in formatted(given, most=0)
    assert json.dumps(given) == before


def test_a_claims_sentence_is_told_without_the_user_as_its_subject() -> None:
    known = [TEA, "User's name is Ana.", "用户喜欢绿茶。", "Bob likes tea.", "User "]
    lines = formatted({"relational": {"memorable_facts": [{"text": text, "confidence": 0.9} for text in known]}})
    told = [line.removeprefix("  • ").removesuffix(" (confidence: 90%)") for line in lines.splitlines()[2:]]
    assert told == ["likes tea", "name is Ana", "喜欢绿茶", "Bob likes tea.", "User"]


def test_the_command_prints_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(tmp_path / "ledger"))
    command("init", "--scope", "ana")
    assert command("envelope").out == "User: User\n"
    command("remember", "My name is Ana. I like tea.")
    assert command("envelope").out.splitlines()[0] == "User: Ana"
    assert "  • likes tea (confidence: 85%)" in command("envelope").out
    assert "Known facts" not in command("envelope", "--max-facts", "0").out
    assert command("envelope", "--now", "2099-01-01").out == "User: User\n"
    told = command("remember", "You are Ace the Mixer.", "--narrative", "warm")
    assert told.out.startswith("kept apart  ")
    assert command("remember", "Short", "--narrative", "warm").code == 1
    assert command("remember", "You are Ace the Mixer.", "--narrative", "sad").code == 2
    assert "Mixer" not in command("context", "Mixer").out + command("prompt").out + command("envelope").out
    shown = command("envelope", "--json").json
    assert [one["tone"] for one in shown["narratives"]] == ["warm"]
    assert set(shown["envelope"]) == {"identity", "relational", "recent_context", "last_built", "version"}
    assert command("envelope", "--namespace", "other", "--now", "whenever").code == 2


def _id(ledger: Ledger, text: str) -> str:
    (found,) = [one.id for one in ledger.claims(every=True) if one.text == text]
    return found


def test_what_is_gathered_follows_every_kind_of_change(ledger: Ledger, clock: Clock, tmp_path: Path) -> None:
    """An envelope that follows the log is the one that is built anew, after each of these."""

    def same() -> dict[str, Any]:
        kept, built = ledger.envelope(), ledger.envelope(fresh=True)
        kept["last_built"] = built["last_built"]
        assert built == kept
        with affidavit.open(tmp_path / "ledger", clock=clock) as other:
            assert other.envelope() == kept
            assert other.narratives() == ledger.narratives()
        return kept

    same()
    ledger.remember("My name is Ana. I like tea. I prefer short answers.")
    same()
    changes: tuple[Any, ...] = (
        lambda: ledger.remember("I like tea."),
        lambda: ledger.feedback(_id(ledger, TEA), "incorrect"),
        lambda: ledger.resolve(_id(ledger, TEA), "keep-new"),
        lambda: ledger.correct(_id(ledger, TEA), "User likes white tea."),
        lambda: ledger.undo(ledger.position),
        lambda: ledger.remember({"text": "They talked of tea.", "summary": True, "role": "system"}),
        lambda: ledger.add_narrative("The night the kettle sang", tone="warm"),
        lambda: ledger.forget(_id(ledger, "User prefers short answers.")),
        lambda: ledger.adopt_policy(msgspec.structs.replace(Policy(), envelope=Envelope(fact=600_000))),
        ledger.rebuild,
    )
    for change in changes:
        clock.now += MINUTE
        change()
        same()
    assert ledger.envelope()["recent_context"]["last_session_summary"] == "They talked of tea."


def test_an_envelope_holds_so_many_facts_and_no_more(ledger: Ledger) -> None:
    ledger.adopt_policy(msgspec.structs.replace(Policy(), envelope=Envelope(most_kept=2)))
    ledger.remember("I like tea. I like jazz. I like chess.")
    assert len(facts(ledger)) == 2
