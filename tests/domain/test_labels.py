"""Evidence labels are the host's, and only sound ones can be written or read (seed 002)."""

from typing import Any, get_args

import pytest
from pydantic import ValidationError
from spec import NOW, Story, a_claim, saying

from affidavit.domain.claims import ClaimState
from affidavit.domain.evidence import METHODS, Basis, Method, label_fault
from affidavit.domain.proposals import Kind
from affidavit.domain.times import DAY

LABELS = [(basis, method) for basis in get_args(Basis) for method in get_args(Method)]
SOUND = {
    *((basis, method) for basis in ("user_statement", "summary", "tool_observation") for method in ("local", "model")),
    ("manual_correction", "manual"),
}


@pytest.mark.parametrize(("basis", "method"), [label for label in LABELS if label[0] not in {"card", "imported", "unknown"}])
def test_a_basis_has_its_methods(basis: Basis, method: Method) -> None:
    assert (not label_fault(basis, method, "project_state")) is ((basis, method) in SOUND)


@pytest.mark.parametrize("basis", ["imported", "unknown"])
def test_what_is_unknown_stays_unknown_and_is_nobodys_own_word(basis: Basis) -> None:
    assert not label_fault(basis, "unknown", "fact")
    assert label_fault(basis, "manual", "fact")


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_tool_observes_how_work_stands_and_nothing_else(kind: Kind) -> None:
    assert (not label_fault("tool_observation", "model", kind)) is (kind == "project_state")


def test_every_basis_has_its_methods_written_down() -> None:
    assert METHODS.keys() == set(get_args(Basis))


@pytest.mark.row("P20")
@pytest.mark.parametrize(
    "changes",
    [
        {"basis": "manual_correction", "method": "model"},
        {"basis": "user_statement", "method": "manual"},
        {"basis": "summary", "method": "manual"},
        {"basis": "tool_observation", "kind": "preference"},
        {"basis": "verified"},
        {"utility": {"verdict": "accurate", "at": NOW}},
        {"accuracy": {"verdict": "useful", "at": NOW}},
        {"accuracy": {"verdict": "verified", "at": NOW}},
        {"evidence_at": "yesterday"},
        {"evidence_at": 10**30},
    ],
)
def test_a_state_that_may_not_be_is_neither_written_nor_read(changes: dict[str, Any]) -> None:
    sound = a_claim()
    stored = sound.model_dump()
    assert ClaimState.model_validate(stored) == sound
    with pytest.raises(ValidationError):
        sound.with_(**changes)
    with pytest.raises(ValidationError):
        ClaimState.model_validate(stored | changes)


@pytest.mark.row("P3")
def test_what_is_read_of_a_summary_says_so() -> None:
    story = Story()
    item = story.says("They like tea.", basis="summary", days=2)
    story.reads(item, saying("User likes tea."))
    state = story.state("User likes tea.")
    assert (state.basis, state.method, state.evidence_at) == ("summary", "local", NOW + 2 * DAY)
    assert {cited.evidence for cited in story.index.citations(story.id("User likes tea."))} == {item}


@pytest.mark.parametrize("basis", ["user_statement", "summary"])
def test_what_a_model_reads_says_so(basis: Basis) -> None:
    story = Story()
    story.hears("I like tea.", saying("User likes tea."), basis=basis, how={"method": "model"})
    assert (story.state("User likes tea.").basis, story.state("User likes tea.").method) == (basis, "model")
