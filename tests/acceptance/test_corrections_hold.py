"""The test that defines the product: what people decided outlives every rebuild and every re-extraction.

200 claims of LoCoMo's ten conversations are corrected or rejected, half and half. Then every view is deleted, rebuilt,
all evidence is read again by the rules, and again by an extractor that words, cuts and classes otherwise and fails once
half-way; and the ledger is closed and opened. Each time all decisions hold, and no old value is live or rendered.
"""

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from extractors import Otherwise, reworded

import affidavit
from affidavit.domain import derivation
from affidavit.domain.proposals import holds_one_value
from affidavit.domain.rejections import Answer
from affidavit.domain.times import DAY
from affidavit.projections.answers import Claim
from affidavit.rebuild.extractors.rules import Rules
from affidavit.scripts.bootstrap import system_clock
from affidavit.scripts.ledger import Ledger

DECISIONS = 20
"""Decisions in each of the ten conversations."""
NEVER_SAID = "Zanzibar"


@dataclass(slots=True)
class Decided:
    """One decision: the claim as it was, what it should say now (None: rejected), and where it was said."""

    scope: str
    claim: Claim
    now: str | None
    final: str = ""
    spans: set[tuple[str, int, int]] = field(default_factory=set)


@pytest.fixture(scope="module")
def imported(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Imports LoCoMo once; each test works on a copy."""
    folder = tmp_path_factory.mktemp("locomo") / "ledger"
    with affidavit.init(folder, scope="other") as ledger:
        ledger.import_file(data / "locomo10.json")
    return folder


@pytest.fixture
def folder(imported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(imported, tmp_path / "ledger"))


def scopes(ledger: Ledger) -> Iterator[Ledger]:
    for scope in ledger.scopes():
        if scope.name != "other":
            yield ledger.at(scope.name)


def decide(ledger: Ledger, count: int) -> list[Decided]:
    """Corrects and rejects `count` claims of each conversation, by turns, in each of the ways that the issue names."""
    decided = []
    for at in scopes(ledger):
        candidates = _one_for_each_single_value(at.claims())
        random.Random(20261130).shuffle(candidates)
        mine: list[Decided] = []
        while len(mine) < count:
            claim = candidates.pop()
            if at.show(claim.id).claim.live:
                mine.append(_decide_one(at, claim, len(mine)))
        decided += mine
    return decided


def _one_for_each_single_value(claims: list[Claim]) -> list[Claim]:
    seen: set[tuple[str, str]] = set()
    kept = []
    for claim in claims:
        single = (claim.entity, claim.attribute) if holds_one_value(claim.attribute) else (claim.id, "")
        if single not in seen:
            seen.add(single)
            kept.append(claim)
    return kept


def _decide_one(at: Ledger, claim: Claim, number: int) -> Decided:
    decided = Decided(str(at.scope_name), claim, None)
    decided.spans = {(source.evidence, source.start, source.end) for source in at.why(claim.id).sources}
    if number % 2:
        assert not at.reject(claim.id).refused
        return decided
    way = number // 2 % 4
    text = _other_value(claim, number) if way != 1 else f"用户说的是另一回事{number}。"
    outcome = at.correct(claim.id, text)
    if way == 2:
        text = f"User takes it back, number {number}."
        outcome = at.correct(outcome.claim, text)
    assert not outcome.refused
    decided.now, decided.final = text, outcome.claim
    return decided


def _other_value(claim: Claim, number: int) -> str:
    """Rewords the sentence with another value where it names one, else says something else."""
    if claim.value and claim.text.count(claim.value) == 1:
        return claim.text.replace(claim.value, f"{NEVER_SAID} {number}")
    return f"User says otherwise, number {number}."


def check_all_hold(ledger: Ledger, decided: list[Decided]) -> None:
    """Holds every decision to the claims, the prompt and the citations."""
    for at in scopes(ledger):
        mine = [one for one in decided if one.scope == at.scope_name]
        live = {claim.id: claim for claim in at.claims()}
        prompt = at.prompt(budget=10**6, now="2024-01-01").text + at.prompt(now="2026-12-01").text
        forbidden = {claim.text for one in mine for claim in [one.claim]} | {reworded(one.claim.text) for one in mine}
        assert not forbidden & {claim.text for claim in live.values()}
        assert not [text for text in forbidden if f"- {text}\n" in prompt]
        said = {(claim.entity, claim.attribute, claim.value, claim.polarity) for claim in live.values() if claim.value}
        for one in mine:
            assert one.claim.id not in live
            old = one.claim
            assert not old.value or (old.entity, old.attribute, old.value, old.polarity) not in said
            if one.now is not None:
                assert live[one.final].text == one.now
                assert live[one.final].corrected
        _check_no_live_claim_stands_on_a_rejected_span(at, mine, live)


def _check_no_live_claim_stands_on_a_rejected_span(at: Ledger, mine: list[Decided], live: dict[str, Claim]) -> None:
    """No derived claim of an extractor that had not told them apart stands where a rejected one was said."""
    rejected = {span: one for one in mine for span in one.spans}
    for claim in live.values():
        if claim.corrected:
            continue
        for source in at.why(claim.id).sources:
            if source.extractor.startswith("otherwise"):
                for (evidence, start, end), one in rejected.items():
                    overlaps = evidence == source.evidence and source.start < end and start < source.end
                    assert not overlaps or claim.polarity != one.claim.polarity or claim.entity != one.claim.entity, claim


def journey(folder: Path, count: int, check: Callable[[Ledger, list[Decided]], None]) -> list[Decided]:
    """Decides, then does all that a decision must outlive; `check` is called after each step."""
    later = [0]
    with affidavit.open(folder, clock=lambda: system_clock() + later[0]) as ledger:
        decided = decide(ledger, count)
        check(ledger, decided)
        shutil.rmtree(folder / "views")
        check(ledger, decided)
        ledger.rebuild()
        check(ledger, decided)
        for at in scopes(ledger):
            at.extract("rules", again=True)
        check(ledger, decided)
        failed = 0
        for number, at in enumerate(scopes(ledger)):
            other = Otherwise(Rules(), fails_at=200 if number == 4 else 0)
            failed += at.extract(other).failed
        assert failed == 1
        later[0] = DAY
        assert [at.extract(Otherwise(Rules())).read for at in scopes(ledger)].count(1) == 1
        check(ledger, decided)
    with affidavit.open(folder) as ledger:
        check(ledger, decided)
        assert all(one.agree for one in ledger.check_views())
        assert ledger.verify().clean
    return decided


def test_two_hundred_decisions_outlive_everything(folder: Path) -> None:
    decided = journey(folder, DECISIONS, check_all_hold)
    assert len(decided) == 200
    assert sum(1 for one in decided if one.now is None) == 100


def test_with_the_gate_switched_off_they_do_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_gate(*_: object) -> Answer | None:
        return None

    monkeypatch.setattr(derivation, "ask", no_gate)
    with pytest.raises(AssertionError):
        journey(folder, DECISIONS, check_all_hold)


def test_the_same_value_in_another_namespace_stays(folder: Path) -> None:
    with affidavit.open(folder, scope="conv-26") as at:
        claim = next(claim for claim in at.claims() if claim.attribute == "likes")
        quote = at.why(claim.id).sources[0].quote
        at.remember({"id": "w1", "text": quote, "namespace": "work"})
        (twin,) = [other for other in at.claims() if other.namespace == "work"]
        assert twin.text == claim.text
        at.reject(claim.id)
        at.extract("rules", again=True)
        assert [other.id for other in at.claims() if other.text == claim.text] == [twin.id]


def test_a_rejected_value_is_bound_or_stands_in_the_inbox(folder: Path) -> None:
    with affidavit.open(folder, scope="conv-26") as at:
        decided = [_decide_one(at, claim, 1) for claim in at.claims()[:10]]
        at.extract(Otherwise(Rules()))
        matters = at.inbox()
        bound = {matter.get("bound_to") for matter in matters} | {m["claim"] for m in matters if m["class"] == "orphan"}
        assert {one.claim.id for one in decided} <= bound
