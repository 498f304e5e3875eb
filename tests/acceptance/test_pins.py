"""A pinned claim stays in the prompt when its like have gone dormant, through rebuild, extraction and correction."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Otherwise, Plain

import affidavit
from affidavit.domain.errors import UnknownId
from affidavit.domain.roles import Actor

LATE = "2031-01-01"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="UTC") as opened:
        opened.remember(
            [{"id": str(n), "text": f"My port is {7000 + n}.", "time": "2026-01-01T00:00:00Z"} for n in range(1)]
            + [{"id": "tea", "text": "I like tea.", "time": "2026-01-01T00:00:00Z"}],
            extractor=Plain(),
        )
        yield opened


def tea(ledger: affidavit.Ledger) -> str:
    return next(claim.id for claim in ledger.claims(every=True) if claim.attribute == "likes")


def test_a_pin_keeps_a_claim_in_the_prompt_that_age_has_taken_out(ledger: affidavit.Ledger) -> None:
    assert ledger.prompt(now=LATE).text == ""
    assert ledger.pin(tea(ledger)).events == ("claim-pinned",)
    assert "User likes tea." in ledger.prompt(now=LATE).text
    assert ledger.unpin(tea(ledger)).events == ("claim-unpinned",)
    assert ledger.prompt(now=LATE).text == ""


def test_it_holds_through_rebuild_and_another_extractor(ledger: affidavit.Ledger) -> None:
    ledger.pin(tea(ledger))
    before = ledger.prompt(now=LATE).text
    ledger.rebuild()
    assert ledger.prompt(now=LATE).text == before
    ledger.extract(Otherwise(Plain()))
    ledger.extract(Plain(), again=True)
    assert "- User likes tea.\n" in ledger.prompt(now=LATE).text
    assert all(one.agree for one in ledger.check_views())
    assert ledger.verify().clean


def test_a_correction_keeps_the_pin(ledger: affidavit.Ledger) -> None:
    ledger.pin(tea(ledger))
    ledger.correct(tea(ledger), "User likes mate.")
    assert ledger.prompt(now=LATE).text.splitlines()[-1] == "- User likes mate."


def test_the_history_and_why_say_who_pinned(ledger: affidavit.Ledger) -> None:
    ledger.pin(tea(ledger))
    step = ledger.history(tea(ledger))[-1]
    assert (step.type, step.changed) == ("claim-pinned", {"pinned": True})
    assert [decision["what"] for decision in ledger.why(tea(ledger)).corrections] == ["pinned"]
    assert ledger.timeline()[-1]["type"] == "claim-pinned"
    assert "freshness = 1, being pinned" in ledger.show(tea(ledger), now=LATE).formula
    assert ledger.prompt(now=LATE, as_of=ledger.position - 1).text == ""
    ledger.unpin(tea(ledger))
    assert ledger.history(tea(ledger))[-1].changed == {"pinned": False}


def test_pinning_twice_is_one_pin_and_an_unknown_id_is_told(ledger: affidavit.Ledger) -> None:
    ledger.pin(tea(ledger))
    before = ledger.position
    assert ledger.pin(tea(ledger)).events == ()
    assert ledger.position == before
    with pytest.raises(UnknownId):
        ledger.pin("abcdef123456")


def test_a_model_may_not_pin(tmp_path: Path, ledger: affidavit.Ledger) -> None:
    ledger.actor = Actor("assistant", "bot")
    refused = ledger.pin(tea(ledger))
    assert refused.rule == "role"
    assert "pinned" not in ledger.history(tea(ledger))[-1].changed
    assert any(matter["rule"] == "role" for matter in ledger.inbox())
