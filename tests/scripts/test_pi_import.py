"""Pi sessions: old ones without ids, trees with branches, compactions as summaries."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain
from imports import FIXTURES, cases, check, import_twice, load, read

import affidavit
from affidavit.domain.times import iso, parse_time

FORM = "pi"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="UTC") as opened:
        yield opened


@pytest.mark.parametrize("name", cases(FORM))
def test_a_hand_made_file_gives_the_numbers_written_beside_it(ledger: affidavit.Ledger, name: str) -> None:
    import_twice(ledger, FIXTURES / FORM / name, check(FORM, name))


def test_there_are_ten_hand_made_files() -> None:
    assert len(cases(FORM)) >= 10


def test_a_real_session_is_carried_over_by_role_with_its_times(ledger: affidavit.Ledger, data: Path) -> None:
    path = data / "transcripts" / "pi-session.jsonl"
    lines: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    # As jq: [.[] | .message? // empty | .role as $r | .content[] | [$r, .type]] | group_by(.) | map([.[0], length])
    said = Counter((one["message"]["role"], block["type"]) for one in lines if "message" in one for block in _content(one))
    found = read(path)
    assert found.roles == {
        "user": said["user", "text"],
        "assistant": said["assistant", "text"] + said["assistant", "toolCall"],
        "tool": said["toolResult", "text"],
    }
    assert found.roles == {"user": 88, "assistant": 635, "tool": 373}
    assert found.noise == {
        "session": 1,
        "model_change": 1,
        "thinking_level_change": sum(one["type"] == "thinking_level_change" for one in lines),
        "thinking": said["assistant", "thinking"],
        "empty": sum("message" in one and not _content(one) for one in lines),
    }
    assert found.bad == []
    for message in found.messages:
        line = lines[int(message.id.split("/")[0].removeprefix("line-")) - 1]
        assert (message.at, message.assumed) == parse_time(line["timestamp"], "UTC")
        assert message.session == lines[0]["id"]
    import_twice(ledger, path, found)


def _content(one: dict[str, Any]) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = one["message"]["content"]
    return content


def test_only_what_a_person_typed_makes_a_claim(ledger: affidavit.Ledger) -> None:
    for name in cases(FORM):
        ledger.import_file(FIXTURES / FORM / name, extractor=Plain())
    homes = {claim.text for claim in ledger.claims(every=True) if claim.attribute == "home"}
    assert homes == {"User lives in Lisbon.", "User lives in Porto."}  # Porto was typed, on a branch left later


def test_a_fork_adds_only_what_is_its_own(ledger: affidavit.Ledger) -> None:
    load(ledger, FIXTURES / FORM / "02-version-3.jsonl")
    done = load(ledger, FIXTURES / FORM / "07-forked.jsonl")
    assert (done.known, done.recorded) == (1, 1)


def test_times_and_speakers_are_kept() -> None:
    found = read(FIXTURES / FORM / "01-version-1.jsonl").messages
    assert [iso(message.at) for message in found[:2]] == ["2026-04-01T08:00:01.125000Z", "2026-04-01T08:00:02Z"]
    assert [message.speaker for message in found] == ["", "m", "m", "read", ""]
    assert found[2].text == '{"name":"read","input":{"path":"a"}}'
    (millis, *_) = read(FIXTURES / FORM / "09-words.jsonl").messages
    assert iso(millis.at) == "2026-04-01T08:00:01.500000Z"


def test_texts_are_kept_to_the_character() -> None:
    found = {message.id: message.text for message in read(FIXTURES / FORM / "09-words.jsonl").messages}
    assert found["e1"] == "我喜欢绿茶。👩‍👩‍👧"
    assert found["e4"] == "I like a < b.\r\n\ttea \0"


def test_a_file_without_its_header_says_so(tmp_path: Path) -> None:
    path = tmp_path / "headless.jsonl"
    path.write_text('{"type":"message","timestamp":"2026-04-01T08:00:01Z","message":{"role":"user","content":"Hi"}}\n')
    assert read(path).bad == [(1, 'no line of type "session" tells the session\'s "id"')]
