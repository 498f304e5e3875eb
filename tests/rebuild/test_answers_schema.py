"""An extractor's answer is held to its schema before anything is decided: one value outside it fails the whole reading."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from answering import Answering
from extractors import Plain

import affidavit
from affidavit.domain.proposals import ExtractorId, Offset, Passage, Proposal, Span, When


class Rating:
    """Proposes that the whole message says one thing, with these fields whatever they are."""

    identity = ExtractorId("rating", "1", "9" * 64)

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns a sound proposal, but for the fields."""
        whole = Span(0, len(passage.text))
        sound = Proposal(text="User rides.", kind="fact", span=Span(0, 1), quote=passage.text[:1])
        return sound, Proposal(text="User flies.", kind="fact", span=whole, quote=passage.text, **self.fields)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as opened:
        yield opened


def read(ledger: affidavit.Ledger, **fields: Any) -> tuple[int, list[str]]:
    """Lets an answer with these fields be taken; returns how many readings failed, and the sentences that became claims."""
    ledger.remember([{"id": "1", "text": "I fly."}], extractor=None)
    failed = ledger.extract(Rating(**fields)).failed
    return failed, sorted(claim.text for claim in ledger.claims())


@pytest.mark.parametrize("importance", [None, 1, 10])
def test_an_importance_of_one_to_ten_or_none_is_taken(ledger: affidavit.Ledger, importance: int | None) -> None:
    assert read(ledger, importance=importance) == (0, ["User flies.", "User rides."])


@pytest.mark.parametrize("importance", [0, 11, -3, 10**30, 7.5, "7", True])
def test_an_importance_outside_one_to_ten_fails_the_whole_reading(ledger: affidavit.Ledger, importance: Any) -> None:
    assert read(ledger, importance=importance) == (1, [])


@pytest.mark.parametrize(
    "found",
    [
        When(Offset(10_001, "day")),
        When(Offset(-10_001, "day")),
        When(Offset(1, "fortnight")),  # type: ignore[arg-type]
        When(Offset(1.5, "day")),  # type: ignore[arg-type]
        When(Offset(1, "day"), "tomorrow"),  # type: ignore[arg-type]
        "tomorrow",
    ],
)
def test_a_time_outside_the_schema_fails_the_whole_reading(ledger: affidavit.Ledger, found: Any) -> None:
    assert read(ledger, when=found) == (1, [])


def test_a_time_within_the_schema_is_taken(ledger: affidavit.Ledger) -> None:
    assert read(ledger, when=When(Offset(-10_000, "day"), Offset(0, "year"))) == (0, ["User flies.", "User rides."])


def test_the_answer_of_another_is_read_all_the_same(ledger: affidavit.Ledger) -> None:
    read(ledger, importance=11)
    ledger.remember([{"id": "2", "text": "I like tea."}], extractor=None)
    assert ledger.extract(Plain()).failed == 0
    assert [claim.text for claim in ledger.claims()] == ["User likes tea."]


def test_such_an_answer_is_a_failure_and_no_breakdown(ledger: affidavit.Ledger, caplog: pytest.LogCaptureFixture) -> None:
    read(ledger, importance=11)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@dataclass(frozen=True)
class Boasting(Proposal):
    """A proposal that lends itself more than it may."""

    confidence: float = 0.99


@dataclass(frozen=True)
class WideSpan(Span):
    """A span with something beside it."""

    evidence: str = "a source of mine"


BEYOND: list[dict[str, Any]] = [
    {"confidence": 0.9},
    {"evidence": {"basis": "manual_correction", "method": "manual"}},
    {"feedback": {"utility": "useful"}},
    {"verified": True},
    {"status": "confirmed"},
]


@pytest.mark.row("P3")
@pytest.mark.parametrize("extra", BEYOND, ids=lambda extra: next(iter(extra)))
def test_a_field_beyond_the_schema_refuses_the_whole_answer(ledger: affidavit.Ledger, extra: dict[str, Any]) -> None:
    sound = {"text": "User flies.", "kind": "fact", "span": {"start": 0, "end": 6}, "quote": "I fly."}
    model = Answering([sound])
    ledger.remember([{"id": "1", "text": "I fly."}], extractor=None)
    assert ledger.extract(Answering([{**sound, "text": "User rides."}, sound | extra], name="boasting")).failed == 1
    assert ledger.claims() == []
    assert [one["failure"] for one in ledger.timeline() if one["type"] == "extraction-failed"] == ["output"]
    assert ledger.extract(model).derived == 1
    (claim,) = ledger.claims()
    assert (claim.confidence, claim.text) == (0.85, "User flies.")


@pytest.mark.parametrize("shape", ["proposal", "span"])
def test_a_proposal_of_another_make_is_no_way_round_it(ledger: affidavit.Ledger, shape: str) -> None:
    fields: dict[str, Any] = {"text": "User flies.", "kind": "fact", "span": Span(0, 6), "quote": "I fly."}
    boasting = Boasting(**fields) if shape == "proposal" else {**fields, "span": WideSpan(0, 6)}
    ledger.remember([{"id": "1", "text": "I fly."}], extractor=None)
    assert ledger.extract(Answering([boasting])).failed == 1
    assert ledger.claims() == []
