"""ChatGPT's export: trees with the current branch, hidden messages, files cut off or spoilt."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Plain
from imports import FIXTURES, cases, check, import_twice, load, read

import affidavit

FORM = "chatgpt"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="UTC") as opened:
        yield opened


@pytest.mark.parametrize("name", cases(FORM))
def test_a_hand_made_file_gives_the_numbers_written_beside_it(ledger: affidavit.Ledger, name: str) -> None:
    import_twice(ledger, FIXTURES / FORM / name, check(FORM, name))


def test_there_are_ten_hand_made_files() -> None:
    assert len(cases(FORM)) >= 10


def test_only_what_a_person_typed_makes_a_claim(ledger: affidavit.Ledger) -> None:
    for name in cases(FORM):
        if name != "08-one-conversation.json":  # "I live in a ring"
            ledger.import_file(FIXTURES / FORM / name, extractor=Plain())
    homes = {claim.text for claim in ledger.claims(every=True) if claim.attribute == "home"}
    assert homes == {"User lives in Lisbon.", "User lives in Porto."}  # Porto was typed, on a branch left later


def test_speakers_are_models_and_tools_and_a_call_is_compact_json() -> None:
    assert read(FIXTURES / FORM / "01-plain.json").messages[1].speaker == "m-4"
    found = {message.id: message for message in read(FIXTURES / FORM / "04-tools.json").messages}
    assert found["n2"].text == '{"name":"python","input":"1 + 1"}'
    assert (found["n3"].speaker, found["n3"].text, found["n4"].text) == ("python", "2", "I live in Porto.")


def test_reasons_name_the_conversation_and_the_node() -> None:
    reasons = [reason for _, reason in read(FIXTURES / FORM / "10-spoilt.json").bad]
    assert reasons[0] == '"text" holds half of a surrogate pair (\\ud83d) at character 6'
    assert reasons[1].startswith('"text" may not be UTF-8')
    assert reasons[2].startswith("conversation g10, node n3: field \"role\" is 'robot'")
    assert reasons[6] == 'conversation 2: an object with a "mapping" is required'
    (cut,) = read(FIXTURES / FORM / "09-cut-off.json").bad
    assert cut == (2, "the file was cut off within a conversation")


def test_a_later_export_whose_branch_moved_adds_nothing(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    text = (FIXTURES / FORM / "02-typed-anew.json").read_text(encoding="utf-8")
    path = tmp_path / "conversations.json"
    path.write_text(text.replace('"current_node":"n5"', '"current_node":"n3"'), encoding="utf-8")
    before = load(ledger, path).position
    path.write_text(text, encoding="utf-8")
    done = load(ledger, path)
    assert (done.known, done.recorded, done.position) == (5, 0, before)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1, 2]", "conversation 1: an object"),
        ('"a text"', "a list of conversations is required"),
        ("[", "the file was cut off between conversations"),
        ("{", "conversation 1: not JSON"),
    ],
)
def test_what_is_no_export_is_said_to_be_none(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(text, encoding="utf-8")
    assert read(path, FORM).bad[0][1].startswith(reason)
    path.write_bytes(text.encode("utf-16"))
    assert read(path, FORM).bad == [(1, "the file is in UTF-16, UTF-8 is required")]


def test_an_empty_file_adds_nothing(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    for data in (b"", b"[]", b"\xef\xbb\xbf \n"):
        path.write_bytes(data)
        assert load(ledger, path, format=FORM).recorded == 0
