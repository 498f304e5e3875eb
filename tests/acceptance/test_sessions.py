"""Repeating oneself in one session promotes nothing; another session, or the user's own confirmation, does."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Plain

import affidavit
from affidavit.scripts.ledger import Ledger

NOON = "2026-11-30T12:00:00Z"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        yield ledger


def say(ledger: Ledger, number: int, session: str) -> None:
    ledger.remember({"id": f"m{number}", "text": "I like tea.", "session": session, "time": NOON}, extractor=Plain())


def statuses(ledger: Ledger) -> dict[str, str]:
    return {claim.form: claim.status for claim in ledger.claims(every=True)}


def test_fifty_reinforcements_from_one_session_promote_nothing(ledger: Ledger) -> None:
    for number in range(51):
        say(ledger, number, "monday")
    assert ledger.show(ledger.claims()[0].id, now=NOON).state["reinforcement"] > 40
    for day in range(1, 10):
        ledger.tick(now=f"2026-12-{day:02}T12:00:00Z", extractor=Plain())
    assert statuses(ledger) == {"fact": "active"}
    (step, sessions, _) = ledger.show(ledger.claims()[0].id, now=NOON).steps
    assert step["actual"] >= step["required"]
    assert (sessions["actual"], sessions["required"]) == (1, 2)


def test_a_second_session_is_enough(ledger: Ledger) -> None:
    for number in range(5):
        say(ledger, number, "monday")
    say(ledger, 5, "friday")
    done = ledger.tick(now=NOON, extractor=Plain())
    assert done.events["claim-promoted"] == 2
    assert statuses(ledger) == {"fact": "promoted", "persona": "active"}
    assert [claim.text for claim in ledger.claims()] == ["User likes tea."]
    assert "### Persona" in ledger.prompt(now=NOON).text
    (persona,) = ledger.claims()
    why = ledger.why(persona.id)
    assert len(why.sources) == 6
    assert [parent["status"] for parent in why.parents] == ["promoted"]
    (decision,) = ledger.show(persona.id).decisions
    assert (decision["actual"], decision["required"], decision["sessions"]) == (4.0, 2.0, 2)


def test_what_is_said_after_a_promotion_counts_for_the_persona_claim(ledger: Ledger) -> None:
    for number in range(5):
        say(ledger, number, f"s{number}")
    ledger.tick(now=NOON, extractor=Plain())
    (persona,) = ledger.claims()
    before = ledger.show(persona.id, now=NOON).score
    say(ledger, 6, "s6")
    assert ledger.show(persona.id, now=NOON).score == before + 1
    ledger.extract(Plain(), again=True)
    assert ledger.show(persona.id, now=NOON).score == before + 1
    assert statuses(ledger) == {"fact": "promoted", "persona": "active"}


def test_ticks_with_nothing_due_write_nothing(ledger: Ledger) -> None:
    say(ledger, 1, "monday")
    ledger.tick(now=NOON, extractor="rules")
    before = ledger.position
    for hour in range(24):
        ledger.tick(now=f"2026-12-01T{hour:02}:00:00Z", extractor="rules")
    assert ledger.position == before
