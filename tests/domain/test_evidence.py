"""Evidence is kept word by word: revised by a new event, never edited, never relabelled."""

import pytest
from spec import NOW, FakeIndex, Ids, Outcome, Story, ana, at, some_evidence

from affidavit.domain.evidence import (
    EvidenceRecorded,
    EvidenceRevised,
    Method,
    Reading,
    Record,
    evidence_id,
    record,
    session_digest,
)
from affidavit.domain.proposals import Span, VoiceRole

ITEM = bytes(16)


def a_record(text: str = "I like tea.", **changes: object) -> Record:
    fields: dict[str, object] = {"role": "user", "source": "chat", "source_id": ITEM, "message": "1", **changes}
    return Record(actor=ana, at=NOW, new_id=Ids(), item=ITEM, text=text, **fields)  # type: ignore[arg-type]


def test_a_new_message_is_recorded_with_its_exact_text() -> None:
    text = "  I like\r\ntea\u200d. 🍵 \n"
    recorded = Outcome(record(a_record(text, adopted=(Span(2, 4),)), None, FakeIndex())).the(EvidenceRecorded)
    assert recorded.content.text == text
    assert recorded.content.adopted == ((2, 4),)
    assert recorded.state.contents == (recorded.id,)
    assert recorded.state.occurred_at == NOW


def test_evidence_has_one_fresh_key_and_its_revisions_share_it() -> None:
    index = FakeIndex()
    recorded = Outcome(record(a_record(), None, index)).the(EvidenceRecorded)
    index.apply((recorded,))
    revised = Outcome(record(a_record("I like coffee."), recorded.state, index)).the(EvidenceRevised)
    assert (recorded.sealing.own, recorded.sealing.fresh) == (recorded.state.key, True)
    assert (revised.sealing.own, revised.sealing.fresh) == (recorded.state.key, False)


def test_another_text_under_the_same_key_is_a_revision() -> None:
    story = Story()
    item = story.says("I like tea.", message="1")
    assert story.says("I like coffee.", message="1") == item
    assert story.index.items[item].revision == 2
    assert [story.index.text(item, revision).text for revision in (1, 2)] == ["I like tea.", "I like coffee."]


def test_the_same_text_under_the_same_key_stays_quiet() -> None:
    story = Story()
    item = story.says("I like tea.", message="1")
    assert story.says("I like tea.", message="1", days=1) == item
    assert story.index.items[item].revision == 1


def test_each_text_of_a_message_is_one_command() -> None:
    keys = [a_record(text).natural_key for text in ("I like tea.", "I like coffee.", "I like tea.")]
    assert keys[0] == keys[2] != keys[1]


def test_a_revision_keeps_role_time_and_session() -> None:
    index = FakeIndex()
    recorded = Outcome(record(a_record(), None, index)).the(EvidenceRecorded)
    index.apply((recorded,))
    before = recorded.state
    revised = Outcome(record(a_record("I like coffee."), before, index)).the(EvidenceRevised)
    assert record(a_record(), before, index) == ()
    assert revised.state.model_copy(update={"contents": before.contents}) == before


def test_a_known_message_may_not_change_its_speaker() -> None:
    refused = Outcome(record(a_record(role="assistant"), some_evidence(), FakeIndex()))
    refused.refused("role", actual="role assistant", required="role user, as this message was recorded")
    assert refused.events == ()


@pytest.mark.parametrize(
    ("role", "basis"),
    [("user", "user_statement"), ("assistant", "unknown"), ("tool", "tool_observation"), ("system", "unknown")],
)
def test_a_voice_has_its_basis(role: VoiceRole, basis: Method) -> None:
    assert Outcome(record(a_record(role=role), None, FakeIndex())).the(EvidenceRecorded).state.basis == basis


def test_a_summary_is_no_statement_of_the_user() -> None:
    recorded = Outcome(record(a_record(basis="summary"), None, FakeIndex())).the(EvidenceRecorded)
    assert recorded.state.basis == "summary"


def test_the_natural_key_is_source_session_and_message() -> None:
    index = FakeIndex()
    keys = {evidence_id(index, *key) for key in [("a", "", "1"), ("b", "", "1"), ("a", "s", "1"), ("a", "", "2")]}
    assert len(keys) == 4
    assert evidence_id(index, "a", "b", "c") != evidence_id(index, "ab", "", "c")


def test_a_message_without_a_session_belongs_to_its_local_day() -> None:
    late, index = at(0.9), FakeIndex()
    command = Record(
        actor=ana, at=late, new_id=Ids(), item=ITEM, role="user", text="", source="chat", source_id=ITEM, message="1"
    )
    utc = session_digest(command, index)
    tokyo = session_digest(a_record(zone="Asia/Tokyo"), index)
    assert session_digest(a_record(), index) == utc == tokyo
    assert session_digest(a_record(session="monday"), index) != utc


def test_each_extractor_has_one_reading_the_last() -> None:
    first, again = (Reading(extractor="a", revision=revision, outcome="completed") for revision in (1, 2))
    other = Reading(extractor="b", revision=1, outcome="failed")
    state = some_evidence().read_by(first).read_by(other).read_by(again)
    assert set(state.readings) == {again, other}
    assert state.reading("a") == again
    assert state.reading("c") is None
