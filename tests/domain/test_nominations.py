"""A host nominates project states with a tool's result; a tool's text has no power of its own."""

from typing import Any

import pytest
from spec import SCOPE, FakeIndex, Outcome, Story, a_claim, at

from affidavit.domain.evidence import Record, derivable, evidence_id, record
from affidavit.domain.nominations import nominate
from affidavit.domain.roles import Actor
from affidavit.domain.scopes import WriteRefused

WORK = tuple(bytes([number]) * 16 for number in range(1, 10))
OTHER, UNKNOWN, ELSEWHERE = b"o" * 16, b"u" * 16, b"e" * 16


def known() -> FakeIndex:
    index = FakeIndex()
    index.states = {claim: a_claim(kind="project_state") for claim in WORK}
    index.states |= {OTHER: a_claim(kind="preference"), ELSEWHERE: a_claim(kind="project_state", namespace=bytes(16))}
    return index


def nominates(*targets: bytes, actor: str = "host", **fields: Any) -> tuple[Outcome, Record]:
    index, story = known(), Story()
    who: dict[str, Any] = {"actor": Actor(actor, "bridge"), "at": at(), "new_id": story.new_id}  # type: ignore[arg-type]
    what = {"role": "tool", "text": "pushed", "source": "chat", "source_id": bytes(16), "message": "1", **fields}
    command = Record(**who, item=evidence_id(index, "chat", "", "1"), targets=targets, **what)
    return Outcome(nominate(command, SCOPE, index) or record(command, None, index)), command


@pytest.mark.parametrize("actor", ["host", "user", "operator"])
@pytest.mark.parametrize("count", [1, 8])
def test_a_host_nominates_one_to_eight_project_states(actor: str, count: int) -> None:
    outcome, _ = nominates(*WORK[:count], actor=actor)
    (recorded,) = outcome.events
    state = recorded.state  # type: ignore[attr-defined]
    assert state.targets == WORK[:count]
    assert derivable(state)


@pytest.mark.parametrize("actor", ["assistant", "tool", "system", "extractor", "scheduler"])
def test_nobody_else_nominates_and_the_attempt_is_recorded(actor: str) -> None:
    outcome, _ = nominates(WORK[0], actor=actor)
    outcome.refused("role", required="role user, operator or host")
    assert outcome.the(WriteRefused).rule == "role"


@pytest.mark.row("P28")
@pytest.mark.parametrize("targets", [(WORK[0], WORK[0]), WORK, (OTHER,), (UNKNOWN,), (ELSEWHERE,), (WORK[0], OTHER)])
def test_what_is_no_list_of_them_is_refused(targets: tuple[bytes, ...]) -> None:
    nominates(*targets)[0].refused("nomination")


@pytest.mark.parametrize("fields", [{"role": "user"}, {"role": "assistant"}, {"basis": "summary"}])
def test_only_a_tools_result_nominates(fields: dict[str, Any]) -> None:
    nominates(WORK[0], **fields)[0].refused("nomination", required="a tool's result")


def test_a_tools_text_alone_is_kept_and_derives_nothing() -> None:
    (recorded,) = nominates()[0].events
    assert not derivable(recorded.state)  # type: ignore[attr-defined]


def test_the_same_message_with_other_claims_is_another_content() -> None:
    (_, one), (_, other), (_, none) = nominates(WORK[0]), nominates(WORK[1]), nominates()
    assert one.natural_key == other.natural_key == none.natural_key
    assert one.content != other.content
    assert none.content == ()
