"""LoCoMo: a scope for each conversation, the first speaker as the user, the other as assistant, captions as tool text."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain

import affidavit
from affidavit.scripts.outcomes import Imported

DATA = Path(os.environ.get("AFFIDAVIT_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")


def turn(number: str, speaker: str, text: str, **other: str) -> dict[str, str]:
    return {"dia_id": number, "speaker": speaker, "text": text, **other}


def sample(name: str, **conversation: Any) -> dict[str, Any]:
    """Returns a conversation of that shape, in words of our own."""
    whole = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "9:05 am on 3 May, 2023",
        "session_1": [
            turn("D1:1", "Ana", "Good morning! I live in Lisbon."),
            turn("D1:2", "Ben", "I live in Porto.", blip_caption="a photo of a bridge", query="bridge"),
            turn("D1:3", "Ana", "", blip_caption="a photo of a cat"),
        ],
        "session_10_date_time": "12:00 pm on 1 June, 2023",
        "session_10": [turn("D10:1", "Ben", "See you.")],
        "session_2_date_time": "11:30 pm on 9 May, 2023",
        "session_2": [turn("D2:1", "Ana", "I like tea.")],
        "session_3_date_time": "1:00 pm on 10 May, 2023",
    }
    whole.update(conversation)
    return {"sample_id": name, "conversation": whole, "qa": [{"question": "Where does Ana live?", "answer": "Lisbon"}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample("conv-1"), sample("conv-2")]))
    return path


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="first") as opened:
        yield opened


def load(ledger: affidavit.Ledger, path: Path, **options: Any) -> list[Imported]:
    return ledger.import_file(path, extractor=Plain(), **options)


def test_each_conversation_is_a_scope(ledger: affidavit.Ledger, file: Path) -> None:
    done = load(ledger, file, time_zone="Europe/Lisbon")
    assert [(one.scope, one.opened, one.recorded, one.skipped) for one in done] == [
        ("conv-1", True, 6, []),
        ("conv-2", True, 6, []),
    ]
    assert [(scope.name, scope.time_zone) for scope in ledger.scopes()] == [
        ("first", "UTC"),
        ("conv-1", "Europe/Lisbon"),
        ("conv-2", "Europe/Lisbon"),
    ]


def test_the_first_speaker_is_the_user_and_a_caption_is_a_tools_text(ledger: affidavit.Ledger, file: Path) -> None:
    load(ledger, file)
    items = ledger.at("conv-1").evidence()
    assert {(item.message, item.role, item.session) for item in items} == {
        ("D1:1", "user", "session_1"),
        ("D1:2", "assistant", "session_1"),
        ("D1:2/image", "tool", "session_1"),
        ("D1:3/image", "tool", "session_1"),
        ("D2:1", "user", "session_2"),
        ("D10:1", "assistant", "session_10"),
    }
    assert {claim.text for claim in ledger.at("conv-1").claims()} == {"User lives in Lisbon.", "User likes tea."}


def test_the_named_speaker_is_the_user(ledger: affidavit.Ledger, file: Path) -> None:
    load(ledger, file, user="Ben")
    assert [claim.text for claim in ledger.at("conv-1").claims()] == ["User lives in Porto."]


def test_sessions_come_in_the_order_of_their_numbers(ledger: affidavit.Ledger, file: Path) -> None:
    load(ledger, file)
    said = [event["message"] for event in ledger.at("conv-1").timeline() if event["type"] == "evidence-recorded"]
    assert said == ["D1:1", "D1:2", "D1:2/image", "D1:3/image", "D2:1", "D10:1"]


def test_a_sessions_naive_time_is_read_in_the_zone_of_its_scope(ledger: affidavit.Ledger, file: Path) -> None:
    load(ledger, file)
    times = {item.message: item.occurred_at for item in ledger.at("conv-1").evidence()}
    assert times["D1:1"] == times["D1:2/image"] == "2023-05-03T09:05:00Z"
    assert times["D2:1"] == "2023-05-09T23:30:00Z"
    assert times["D10:1"] == "2023-06-01T12:00:00Z"


def test_a_new_scopes_zone_counts_and_not_that_of_another_scope(tmp_path: Path, file: Path) -> None:
    with affidavit.init(tmp_path / "other", scope="first", time_zone="Asia/Shanghai") as ledger:
        load(ledger, file, time_zone="UTC")
        assert ledger.at("conv-1").evidence()[0].occurred_at == "2023-05-03T09:05:00Z"


def test_an_open_scopes_own_zone_counts(ledger: affidavit.Ledger, file: Path) -> None:
    ledger.at("conv-1").open_scope("conv-1", "Asia/Shanghai")
    load(ledger, file)
    assert ledger.at("conv-1").evidence()[0].occurred_at == "2023-05-03T01:05:00Z"


def test_the_same_file_again_adds_nothing(ledger: affidavit.Ledger, file: Path) -> None:
    load(ledger, file)
    before = ledger.position
    again = load(ledger, file)
    assert [(one.opened, one.known, one.recorded) for one in again] == [(False, 6, 0), (False, 6, 0)]
    assert ledger.position == before


def test_a_turn_without_text_or_id_is_skipped_with_its_session(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    broken = [turn("D2:1", "Ana", "I like tea."), {"speaker": "Ben", "dia_id": "D2:2"}, "what"]
    path.write_text(json.dumps([sample("conv-1", session_2=broken)]))
    (done,) = load(ledger, path)
    assert [skipped["reason"] for skipped in done.skipped] == ['session_2: a turn needs "dia_id" and "text", both texts'] * 2
    assert done.recorded == 6


def test_a_session_whose_time_cannot_be_read_is_skipped(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample("conv-1", session_2_date_time="some day")]))
    (done,) = load(ledger, path)
    assert [skipped["reason"] for skipped in done.skipped] == ['session_2: its "date_time" cannot be read']
    assert done.recorded == 5


@pytest.mark.parametrize(
    "other",
    [{"session_2": [turn("D2:1", "Ana", "I like tea."), {**turn("", "Ben", "Yes."), "dia_id": 7}]}, {"session_notes": []}],
    ids=["a number as id", "another list beside the sessions"],
)
def test_an_odd_conversation_is_imported_or_told_and_never_a_crash(
    ledger: affidavit.Ledger, tmp_path: Path, other: dict[str, Any]
) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample("conv-1", **other)]))
    (done,) = load(ledger, path)
    assert done.recorded + len(done.skipped) >= 6


@pytest.mark.parametrize("text", ["[1]", '[{"sample_id": "x"}]', "[", '{"conversation": {}}', '["\xff"]'])
def test_another_shape_is_refused_in_one_sentence(ledger: affidavit.Ledger, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(affidavit.BadInput, match=r"other\.json: "):
        load(ledger, path, format="locomo")


@pytest.mark.skipif(not (DATA / "locomo10.json").exists(), reason=f"LoCoMo is missing: {DATA / 'locomo10.json'}")
def test_the_real_file_comes_in_whole(tmp_path: Path) -> None:
    samples = json.loads((DATA / "locomo10.json").read_text(encoding="utf-8"))
    with affidavit.init(tmp_path / "ledger", scope="first") as ledger:
        done = ledger.import_file(DATA / "locomo10.json", extractor=None)
        assert [one.scope for one in done] == [sample["sample_id"] for sample in samples]
        assert all(not one.skipped and not one.known for one in done)
        for one, whole in zip(done, samples, strict=True):
            assert counts_in(ledger.at(one.scope)) == counts_of(whole["conversation"])


def counts_in(ledger: affidavit.Ledger) -> dict[str, int]:
    """Returns how many turns of each speaker, and how many captions, the ledger holds."""
    roles = [item.role for item in ledger.evidence()]
    return {role: roles.count(role) for role in ("user", "assistant", "tool")}


def counts_of(conversation: dict[str, Any]) -> dict[str, int]:
    """Returns the same, counted in the file."""
    turns = [
        one for name, value in conversation.items() if isinstance(value, list) for one in value if name[:8] == "session_"
    ]
    spoken = [one["speaker"] == conversation["speaker_a"] for one in turns if one["text"].strip()]
    captions = sum(1 for one in turns if one.get("blip_caption"))
    return {"user": sum(spoken), "assistant": len(spoken) - sum(spoken), "tool": captions}
