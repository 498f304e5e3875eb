"""Codex rollouts: each message once, the user's words told from what was put in, turns taken back marked."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Plain
from imports import FIXTURES, cases, check, import_twice, read

import affidavit
from affidavit.domain.times import iso
from affidavit.scripts.importers.lines import OFF_BRANCH

FORM = "codex"


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
        ledger.import_file(FIXTURES / FORM / name, extractor=Plain())
    homes = {claim.text for claim in ledger.claims(every=True) if claim.attribute == "home"}
    assert homes == {"User lives in Lisbon.", "User lives in Porto."}  # Porto was typed, in a turn taken back later


def test_the_item_is_kept_and_not_the_event() -> None:
    found = read(FIXTURES / FORM / "01-twins.jsonl").messages
    assert [message.text for message in found] == ["I live in Lisbon.\n", "Good."]
    assert [iso(message.at) for message in found] == ["2026-05-01T07:00:01.250000Z", "2026-05-01T07:00:03Z"]
    assert [message.speaker for message in found] == ["", "m-5"]


def test_calls_are_compact_json_and_results_carry_the_tools_name() -> None:
    found = {message.id: message for message in read(FIXTURES / FORM / "04-tools.jsonl").messages}
    assert found["k1/call"].text == '{"name":"shell","input":{"command":["ls","ü"]}}'
    assert found["k2/call"].text == '{"name":"apply_patch","input":"*** Begin"}'
    assert found["k3/call"].text == '{"name":"local_shell","input":{"type":"exec","command":["pwd"]}}'
    assert found["line-7"].text == '{"name":"web_search","input":{"type":"search","query":"tea"}}'
    assert found["k4/call"].text == '{"name":"shell","input":"no JSON"}'
    assert (found["k1/output"].speaker, found["k9/output"].speaker) == ("shell", "")


def test_turns_taken_back_twice_reach_further_back(tmp_path: Path) -> None:
    def line(kind: str, **payload: object) -> str:
        return json.dumps({"timestamp": "2026-05-01T07:00:00Z", "type": "event_msg", "payload": {"type": kind, **payload}})

    said = [line("user_message", message=f"turn {number}") for number in range(1, 6)]
    back = [line("thread_rolled_back", num_turns=number) for number in (1, 2, 9, "x")]
    meta = '{"timestamp":"2026-05-01T07:00:00Z","type":"session_meta","payload":{"id":"s"}}'
    path = tmp_path / "rollout"
    # 1, 2 and 3 are said, 3 is taken back, 4 is said, then 4 and 2 are: only 1 and 5 are left.
    path.write_text("\n".join([meta, *said[:3], back[0], said[3], back[1], said[4], back[3]]), encoding="utf-8")
    assert [one.text for one in read(path).messages if OFF_BRANCH not in one.speaker] == ["turn 1", "turn 5"]
    path.write_text("\n".join([meta, *said[:3], back[2], said[4]]), encoding="utf-8")
    assert [one.text for one in read(path).messages if OFF_BRANCH not in one.speaker] == ["turn 5"]
