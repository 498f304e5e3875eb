"""The chat format: one message a line; a bad line costs itself only, and what is known already adds nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain

import affidavit
from affidavit.journal.reading import EvidenceFields
from affidavit.scripts.outcomes import Imported

TIME = "2026-11-30T21:00:00+01:00"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="Europe/Lisbon") as opened:
        yield opened


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def line(number: int | str = 1, text: str = "I like tea.", **other: Any) -> str:
    """Returns a good line, with fields changed, added or, where None, left out."""
    fields = {"id": f"m{number}", "role": "user", "time": TIME, "text": text} | other
    return json.dumps({name: value for name, value in fields.items() if value is not None}, ensure_ascii=False)


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")
    return path


def load(ledger: affidavit.Ledger, path: Path, **options: Any) -> Imported:
    (done,) = ledger.import_file(path, extractor=Plain(), **options)
    return done


def test_a_line_becomes_evidence_with_every_field(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(name="Ana", session="s1", parent="m0", namespace="work")))
    (item,) = ledger.evidence()
    assert (item.source, item.session, item.message, item.role, item.speaker) == ("chat", "s1", "m1", "user", "Ana")
    assert (item.occurred_at, item.revision, item.text) == ("2026-11-30T20:00:00Z", 1, "I like tea.")
    assert [(claim.text, claim.namespace) for claim in ledger.claims()] == [("User likes tea.", "work")]


@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
def test_every_voice_is_kept_and_only_the_users_is_believed(ledger: affidavit.Ledger, chat: Path, role: str) -> None:
    done = load(ledger, write(chat, line(role=role)))
    assert done.recorded == 1
    assert ledger.evidence()[0].role == role
    assert len(ledger.claims()) == (1 if role == "user" else 0)


BAD = {
    "not JSON": ("{oops", "not JSON"),
    "cut off": (line()[:-5], "not JSON"),
    "an array": ('["user", "I like tea."]', "a JSON object is required, list was found"),
    "a number": ("42", "a JSON object is required, int was found"),
    "no role": (line(role=None), 'field "role" is None'),
    "an unknown role": (line(role="robot"), "field \"role\" is 'robot', one of user, assistant, tool, system is required"),
    "no time": (line(time=None), 'field "time" is None, an ISO 8601 time is required'),
    "a bad time": (line(time="yesterday"), "field \"time\" is 'yesterday', an ISO 8601 time is required"),
    "a time in numbers": (line(time=1700000000), 'field "time" is 1700000000'),
    "a time before all calendars": (line(time="0001-01-01T00:00:00+14:00"), 'field "time"'),
    "no text": (line(text=None), 'field "text" is None, a text is required'),  # type: ignore[arg-type]
    "empty text": (line(text=""), 'field "text"'),
    "blank text": (line(text="  \n"), 'field "text" is empty'),
    "no id": (line(id=None), 'field "id" is None, a text is required'),
    "an empty id": (line(id=""), 'field "id"'),
    "a boolean id": (line(id=True), 'field "id" is True'),
    "an unknown field": (line(mood="good"), 'field "mood" is not known; known fields: id, role'),
    "a session that is no text": (line(session=7), 'field "session" is 7, a text is required'),
    "adopted that is no list": (line(adopted="all"), "field \"adopted\" is 'all', a list of [start, end) is required"),
    "adopted beyond the text": (
        line(adopted=[[0, 99]]),
        'field "adopted" holds [0, 99), which is not within the text of 11',
    ),
    "adopted backwards": (line(adopted=[[5, 2]]), 'field "adopted" holds [5, 2)'),
    "adopted before the text": (line(adopted=[[-1, 2]]), 'field "adopted" holds [-1, 2)'),
}


@pytest.mark.parametrize(("bad", "reason"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named_with_its_reason_and_the_rest_is_kept(
    ledger: affidavit.Ledger, chat: Path, bad: str, reason: str
) -> None:
    done = load(ledger, write(chat, line(0, "I live in Lisbon."), bad, line(2)))
    assert done.recorded == 2
    assert [skipped["line"] for skipped in done.skipped] == [2]
    assert reason in done.skipped[0]["reason"]
    assert {claim.text for claim in ledger.claims()} == {"User lives in Lisbon.", "User likes tea."}


@pytest.mark.parametrize("role", [["user"], {"is": "user"}], ids=["a list", "an object"])
def test_a_role_that_is_no_text_is_a_bad_line(ledger: affidavit.Ledger, chat: Path, role: object) -> None:
    done = load(ledger, write(chat, line(1), line(2, role=role)))
    assert (done.recorded, [skipped["line"] for skipped in done.skipped]) == (1, [2])


def test_bytes_that_are_not_utf8_are_a_bad_line(ledger: affidavit.Ledger, chat: Path) -> None:
    chat.write_bytes(line(1).encode() + b'\n{"id": "m2", "text": "\xff\xfe"}\n' + line(3, "I like cake.").encode())
    done = load(ledger, chat)
    assert (done.recorded, [skipped["line"] for skipped in done.skipped]) == (2, [2])


@pytest.mark.parametrize("first", ["oops", "[1, 2]"])
def test_a_bad_first_line_costs_itself_only(ledger: affidavit.Ledger, chat: Path, first: str) -> None:
    done = load(ledger, write(chat, first, line(2)))
    assert (done.recorded, [skipped["line"] for skipped in done.skipped]) == (1, [1])


def test_bad_lines_are_told_in_the_order_of_the_file(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1)))
    done = load(ledger, write(chat, line(1, role="assistant"), "oops", line(3)), format="chat")
    assert [skipped["line"] for skipped in done.skipped] == [1, 2]


def test_a_naive_time_is_read_in_the_scopes_zone_and_marked(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1, time="2026-07-01T12:00:00"), line(2, time="2026-07-01T12:00:00Z")))
    assert [item.occurred_at for item in ledger.evidence()] == ["2026-07-01T11:00:00Z", "2026-07-01T12:00:00Z"]
    assert [item.message for item in ledger.evidence()] == ["m1", "m2"]
    assert [_assumed(ledger, item.id) for item in ledger.evidence()] == [True, False]


def _assumed(ledger: affidavit.Ledger, item: str) -> bool:
    with ledger.snapshot() as at:
        found = next(one for one in at.reader.evidence_items(at.scope) if one.hex().startswith(item))
        last = at.reader.last(found)
        assert last is not None
        assert isinstance(last.fields, EvidenceFields)
        return last.fields.state.time_assumed


def test_a_date_alone_is_midnight_of_the_scope(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(time="2026-07-01")))
    assert ledger.evidence()[0].occurred_at == "2026-06-30T23:00:00Z"


def test_an_id_that_comes_again_without_a_session_is_told_with_the_remedy(ledger: affidavit.Ledger, chat: Path) -> None:
    done = load(ledger, write(chat, line(1), line(1, "I like cake."), line(2, "I live in Porto.")))
    assert done.recorded == 2
    ((skipped),) = done.skipped
    assert skipped["line"] == 2
    assert "as in line 1 with another text" in skipped["reason"]
    assert 'give the lines a "session"' in skipped["reason"]


def test_the_same_id_in_two_sessions_is_two_messages(ledger: affidavit.Ledger, chat: Path) -> None:
    done = load(ledger, write(chat, line(1, session="a"), line(1, "I like cake.", session="b")))
    assert (done.recorded, done.skipped) == (2, [])


def test_a_byte_order_mark_and_blank_lines_are_nothing(ledger: affidavit.Ledger, chat: Path) -> None:
    chat.write_bytes(b"\xef\xbb\xbf" + f"{line(1)}\r\n\r\n   \n{line(2, 'I like cake.')}".encode())
    done = load(ledger, chat)
    assert (done.recorded, done.skipped) == (2, [])


def test_blank_lines_count_in_the_numbers(ledger: affidavit.Ledger, chat: Path) -> None:
    done = load(ledger, write(chat, line(1), "", "", "oops"))
    assert [skipped["line"] for skipped in done.skipped] == [4]


def test_an_empty_file_adds_nothing(ledger: affidavit.Ledger, chat: Path) -> None:
    before = ledger.position
    done = load(ledger, write(chat))
    assert (done.recorded, done.skipped, ledger.position) == (0, [], before)


def test_the_same_file_again_adds_nothing(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1), line(2, "I live in Lisbon."), "oops"))
    before = ledger.position
    done = load(ledger, chat)
    assert (done.known, done.recorded, done.derived, ledger.position) == (2, 0, 0, before)


def test_the_same_file_moved_adds_nothing(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1), line(2, "I live in Lisbon.")))
    before = ledger.position
    moved = chat.rename(chat.parent / "another name.txt")
    assert (load(ledger, moved).known, ledger.position) == (2, before)


def test_a_longer_file_adds_only_what_is_new(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1)))
    done = load(ledger, write(chat, line(1), line(2, "I live in Lisbon.")))
    assert (done.known, done.recorded, done.derived) == (1, 1, 1)


def test_another_source_is_another_message(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1)))
    assert load(ledger, chat, source="backup").recorded == 1


def test_a_changed_text_is_a_revision_and_the_old_one_stays_readable(ledger: affidavit.Ledger, chat: Path) -> None:
    before = load(ledger, write(chat, line(1, "I live in Lisbon."))).position
    done = load(ledger, write(chat, line(1, "I live in Porto.")))
    assert (done.revised, done.recorded) == (1, 0)
    (item,) = ledger.evidence()
    assert (item.revision, item.text) == (2, "I live in Porto.")
    (old,) = ledger.evidence(item.id, as_of=before)
    assert (old.revision, old.text) == (1, "I live in Lisbon.")


def test_a_claim_of_an_old_revision_still_quotes_it(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1, "I live in Lisbon.")))
    load(ledger, write(chat, line(1, "Never mind. I like tea.")))
    claim = next(claim for claim in ledger.claims(every=True) if claim.attribute == "home")
    (source,) = ledger.why(claim.id).sources
    assert (source.revision, source.quote) == (1, "I live in Lisbon")


def test_another_role_for_a_known_message_is_a_bad_line(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1)))
    done = load(ledger, write(chat, line(2, "I like cake."), line(1, role="assistant")))
    assert done.recorded == 1
    ((skipped),) = done.skipped
    assert skipped["line"] == 2
    assert "role assistant was found, role user" in skipped["reason"]
    assert "an id of its own" in skipped["reason"]


def test_emoji_and_chinese_come_back_as_they_were(ledger: affidavit.Ledger, chat: Path) -> None:
    texts = ["👩‍👩‍👧 I like tea. 🍵", "我喜欢绿茶。", "cafe\u0301 and café"]
    load(ledger, write(chat, *(line(number, text) for number, text in enumerate(texts))))
    assert {item.text for item in ledger.evidence()} == set(texts)
    (source,) = ledger.why(ledger.claims()[0].id).sources
    assert (source.quote, source.start) == ("I like tea", 6)
    assert source.before == "👩‍👩‍👧 "


def test_numbers_are_ids(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(id=7), line(id=0, text="I like cake.")))
    assert {item.message for item in ledger.evidence()} == {"7", "0"}
    assert load(ledger, chat).known == 2


def test_what_a_source_marks_as_adopted_supports_no_claim(ledger: affidavit.Ledger, chat: Path) -> None:
    text = "My friend wrote: I like cake. And I live in Lisbon."
    done = load(ledger, write(chat, line(1, text, adopted=[[17, 29]])))
    assert [claim.text for claim in ledger.claims()] == ["User lives in Lisbon."]
    assert done.refused == 1


def test_an_import_opens_the_scope_that_the_ledger_names(ledger: affidavit.Ledger, chat: Path, tmp_path: Path) -> None:
    with affidavit.open(tmp_path / "ledger", scope="ben") as other:
        done = load(other, write(chat, line(1, time="2026-07-01T12:00:00")), time_zone="Asia/Shanghai")
        assert (done.scope, done.opened) == ("ben", True)
        assert other.evidence()[0].occurred_at == "2026-07-01T04:00:00Z"
    assert [(scope.name, scope.time_zone) for scope in ledger.scopes()][1] == ("ben", "Asia/Shanghai")


def test_the_default_namespace_is_that_of_the_options(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1), line(2, "I live in Porto.", namespace="home")), namespace="work")
    assert {claim.namespace for claim in ledger.claims()} == {"work", "home"}


def test_what_is_no_chat_file_is_said_to_be_none(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    with pytest.raises(affidavit.BadInput, match="there is no such file"):
        ledger.import_file(tmp_path / "missing.jsonl")
    with pytest.raises(affidavit.BadInput, match=r"no format .slack.; known: chat"):
        ledger.import_file(write(tmp_path / "x.jsonl", line()), format="slack")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n")
    with pytest.raises(affidavit.BadInput, match="the format is not one that affidavit reads"):
        ledger.import_file(tmp_path / "photo.png")


def test_progress_is_told(ledger: affidavit.Ledger, chat: Path) -> None:
    told: list[tuple[str, int]] = []
    load(ledger, write(chat, line(1), line(2, "I like cake.")), progress=lambda what, count: told.append((what, count)))
    assert told == [("ana: recorded", 1), ("ana: recorded", 2), ("ana: read", 1), ("ana: read", 2)]


def test_a_message_of_the_future_is_kept_as_it_says(ledger: affidavit.Ledger, chat: Path) -> None:
    load(ledger, write(chat, line(1, time="2199-01-01T00:00:00Z")))
    assert ledger.evidence()[0].occurred_at == "2199-01-01T00:00:00Z"
    assert ledger.show(ledger.claims()[0].id, now="2026-11-30").freshness == 1.0
