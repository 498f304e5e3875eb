"""Files that are spoilt, cut off, huge or of no known format: each costs what is spoilt, and says so."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from imports import FIXTURES, load, read

import affidavit
from affidavit.scripts.importers import detect, lines

TIME = "2026-01-01T00:00:00Z"
MB = 2**20


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="UTC") as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some file"


def chat(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "role": "user", "time": TIME, "text": text}


def claude_code(name: str, text: str) -> dict[str, Any]:
    return {"type": "user", "uuid": name, "sessionId": "s", "timestamp": TIME, "message": {"role": "user", "content": text}}


def pi(name: str, text: str) -> dict[str, Any]:
    return {"type": "message", "id": name, "timestamp": TIME, "message": {"role": "user", "content": text}}


def codex(name: str, text: str) -> dict[str, Any]:
    payload = {"type": "message", "id": name, "role": "user", "content": text}
    return {"type": "response_item", "timestamp": TIME, "payload": payload}


HEADERS = {
    "chat": b"",
    "claude-code": b"",
    "pi": b'{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00Z"}\n',
    "codex": b'{"type":"session_meta","timestamp":"2026-01-01T00:00:00Z","payload":{"id":"s"}}\n',
}
Make = Callable[[str, str], dict[str, Any]]
FORMS: dict[str, Make] = {"chat": chat, "claude-code": claude_code, "pi": pi, "codex": codex}
every_form = pytest.mark.parametrize("form", FORMS)


def write(path: Path, form: str, *parts: bytes | tuple[str, str]) -> Path:
    """Writes a file of this format: messages by id and text, and raw bytes as they are."""
    made = [part if isinstance(part, bytes) else json.dumps(FORMS[form](*part)).encode() + b"\n" for part in parts]
    path.write_bytes(HEADERS[form] + b"".join(made))
    return path


@every_form
def test_a_byte_order_mark_blank_lines_and_other_line_ends_are_nothing(path: Path, form: str) -> None:
    write(path, form, ("a", "one"), b"\r\n   \n", ("b", "two"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").rstrip())
    assert detect(path) == form
    found = read(path)
    assert ([message.text for message in found.messages], found.bad) == (["one", "two"], [])


SPOILT = {
    "not JSON": (b"oops\n", "not JSON"),
    "no object": (b"[1]\n", "a JSON object is required, list was found"),
    "not UTF-8": (b'{"text":"caf\xe9"}\n', "not UTF-8: invalid continuation byte at byte 13"),
    "UTF-8 of half a pair": (b'{"text":"\xed\xa0\x80"}\n', "not UTF-8"),
    "a raw NUL": (b'{"text":"\x00"}\n', "not JSON"),
    "a hole of NULs": (b"\x00" * 4096 + b"\n", "not JSON"),
    "too deep": (b"[" * 100_000 + b"\n", "not JSON: nested too deeply"),
    "a number too large": (b'{"a":1e999}\n', "not JSON"),
}


@every_form
@pytest.mark.parametrize(("spoilt", "reason"), SPOILT.values(), ids=SPOILT)
def test_a_spoilt_line_is_told_and_the_rest_is_imported(
    ledger: affidavit.Ledger, path: Path, form: str, spoilt: bytes, reason: str
) -> None:
    done = load(ledger, write(path, form, ("a", "one"), spoilt, ("b", "two")))
    assert done.recorded == 2
    ((skipped),) = done.skipped
    assert skipped["line"] == HEADERS[form].count(b"\n") + 2
    assert skipped["reason"].startswith(reason)


@every_form
def test_half_of_a_surrogate_pair_is_a_bad_message_and_a_nul_is_kept(
    ledger: affidavit.Ledger, path: Path, form: str
) -> None:
    done = load(ledger, write(path, form, ("a", "half \ud83d"), ("b", "nul \0 end"), ("c", "a pair 👩")))
    ((skipped),) = done.skipped
    assert "holds half of a surrogate pair (\\ud83d) at character 6" in skipped["reason"]
    assert {item.text for item in ledger.evidence()} == {"nul \0 end", "a pair 👩"}
    assert load(ledger, path).known == 2


@every_form
def test_a_last_line_that_was_cut_off_is_a_bad_line_and_comes_when_it_is_whole(
    ledger: affidavit.Ledger, path: Path, form: str
) -> None:
    write(path, form, ("a", "one"), ("b", "two"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    done = load(ledger, path)
    assert done.recorded == 1
    ((skipped),) = done.skipped
    assert skipped["reason"].endswith("it is the last line and may have been cut off")
    path.write_bytes(whole)
    done = load(ledger, path)
    assert (done.known, done.recorded, done.skipped) == (1, 1, [])


@every_form
@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"], ids=["empty", "blank", "a mark only"])
def test_an_empty_file_adds_nothing(ledger: affidavit.Ledger, path: Path, form: str, data: bytes) -> None:
    path.write_bytes(data)
    before = ledger.position
    done = load(ledger, path, format=form)
    assert (done.recorded, done.skipped, done.noise, ledger.position) == (0, [], {}, before)


@every_form
def test_another_encoding_of_the_whole_file_is_named(path: Path, form: str) -> None:
    write(path, form, ("a", "one"))
    path.write_bytes(path.read_bytes().decode().encode("utf-16"))
    assert read(path, form).bad == [(1, "the file is in UTF-16, UTF-8 is required")]


@every_form
def test_a_line_of_fifty_megabytes_is_imported_and_held_a_few_times_at_most(path: Path, form: str) -> None:
    write(path, form, ("a", "one"), ("b", "I like tea. " * (50 * MB // 12)), ("c", "three"))
    tracemalloc.start()
    try:
        sizes = [len(message.text) for message in _each(path, form)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sizes == [3, 50 * MB // 12 * 12, 5]
    assert peak < 4 * 50 * MB


def _each(path: Path, form: str) -> Iterator[Any]:
    from affidavit.scripts.importers import Options, importers  # noqa: PLC0415 - beside its only use

    for part in importers()[form](path, Options()):
        yield from (line.message for line in part.lines if line.message is not None)


@pytest.mark.parametrize("end", [b"\n", b""], ids=["within the file", "at its end"])
def test_a_line_over_the_limit_is_told_and_read_over(path: Path, end: bytes) -> None:
    path.write_bytes(b'{"a":1}\n{"b":"' + b"x" * 3 * MB + b'"}' + end + (b'{"c":2}\n' if end else b""))
    found = list(lines.rows(path, limit=1000))
    assert [(row.number, row.reason) for row in found if row.fields is None] == [(2, "longer than 1,000 bytes")]
    assert [row.number for row in found if row.fields is not None] == ([1, 3] if end else [1])


def test_a_line_of_just_the_limit_is_read(path: Path) -> None:
    path.write_bytes(b'{"a":"' + b"x" * 992 + b'"}\n{"b":1}')
    assert [row.number for row in lines.rows(path, limit=1000) if row.fields] == [1, 2]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('[{"qa": [], "conversation": {}, "sample_id": "conv-1"}]', "locomo"),
        ('\n[\n  {\n    "title": "[{mapping", "mapping": {}', "chatgpt"),
        ('{"title": "one", "mapping": {}}', "chatgpt"),
        ('oops\n{"type": "summary", "summary": "x", "leafUuid": "y"}', "claude-code"),
        ('{"type": "session", "id": "x", "timestamp": "y"}', "pi"),
        ('{"timestamp": "y", "type": "turn_context", "payload": {}}', "codex"),
        ('{"id": "m1", "text": "[", "role": "user"}', "chat"),
        ('{"something": "else"}', "chat"),
        ("", "chat"),
    ],
)
def test_the_format_is_told_by_what_is_in_the_file(path: Path, text: str, form: str) -> None:
    path.write_text(text, encoding="utf-8")
    assert detect(path) == form


@pytest.mark.parametrize("text", ["id,role,text\n1,user,hi\n", "[1, 2, 3]\n", "hello\n", '[{"role": "user"}]'])
def test_what_is_of_no_known_format_is_refused(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        affidavit.BadInput, match="chat, chatgpt, claude-code, codex, letta, locomo, mcp-memory, mem0, neko, pi"
    ) as caught:
        detect(path)
    assert "--format" in str(caught.value) + str(caught.value.remedy)


def test_a_folder_of_nothing_that_is_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        affidavit.BadInput, match="chat, chatgpt, claude-code, codex, letta, locomo, mcp-memory, mem0, neko, pi"
    ):
        detect(tmp_path)
    with pytest.raises(affidavit.BadInput, match="there is no such file"):
        detect(tmp_path / "gone")


def test_one_ledger_takes_all_formats_and_tells_their_sources_apart(ledger: affidavit.Ledger) -> None:
    for form in ("claude-code", "pi", "codex", "chatgpt"):
        (first, *_) = sorted((FIXTURES / form).glob("01-*"))
        assert load(ledger, first).recorded > 0
    assert {item.source for item in ledger.evidence()} == {"claude-code", "pi", "codex", "chatgpt"}
