"""The funnel counts what became of what was said, within a window whose ends belong to it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain, archive

import affidavit
from affidavit.projections.funnel import STAGES, funnel
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.schemas import schemas


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        yield ledger


def event(kind: str, at: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "occurred_at": at, **more}


def counts(events: list[dict[str, Any]], since: int | None = None, until: int | None = None) -> dict[str, int]:
    return {one["stage"]: one["count"] for one in funnel(events, since, until)}


@pytest.mark.row("N45")
def test_both_ends_of_the_window_belong_to_it_and_unknown_types_are_no_stage() -> None:
    events = [event("evidence-recorded", at) for at in (1, 2, 3, 4)]
    events += [event("weather-changed", 2), event("claim-archived", 3), event("name-introduced", 3)]
    assert counts(events, 2, 3) == {"evidence recorded": 2, "claims archived": 1}
    assert counts(events) == {"evidence recorded": 4, "claims archived": 1}
    assert counts(events, 5) == {}
    assert counts(events, 4, 1) == {}


def test_an_event_that_stands_in_two_streams_is_counted_once() -> None:
    promoted = [event("claim-promoted", 1, status="active"), event("claim-promoted", 1, status="promoted")]
    merged = [event("claim-merged", 1, status="active"), event("claim-merged", 1, status="merged")]
    assert counts([*promoted, *merged]) == {"claims promoted": 1, "claims merged": 1}


def test_stages_are_told_apart_by_source_verdict_and_question(ledger: Ledger) -> None:
    ledger.remember([{"id": str(n), "text": "I like tea.", "session": str(n)} for n in range(3)], extractor=Plain())
    archive(ledger, "rain")
    for number in range(5):
        ledger.remember(f"I like thing{number}.", extractor=Plain())
    ledger.tick(extractor="rules")
    found = {one["stage"]: one for one in ledger.funnel()}
    assert found["signals applied"]["by"] == {"user_fact": 3}
    # Two extractors were asked: the one that let the claim be archived, and the rules.
    assert found["questions without an answer"]["by"] == {"reflect: no answer": 1, "relate: no answer": 2}
    assert found["claims archived"]["count"] == 1


def test_every_event_type_that_tells_of_a_claim_is_a_stage() -> None:
    no_stage = {"name-introduced", "scope-opened", "policy-adopted", "mode-switched", "claim-pinned", "claim-unpinned"}
    assert {name.partition(".")[0] for name in schemas()} == STAGES.keys() | no_stage
