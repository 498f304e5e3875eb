"""Claude Code sessions: threads apart, only the person's words the user's, branches marked, noise counted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain
from imports import FIXTURES, cases, check, import_twice, load, read

import affidavit

FORM = "claude-code"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="UTC") as opened:
        yield opened


@pytest.fixture
def folder(data: Path) -> Path:
    return data / "transcripts"


@pytest.mark.parametrize("name", cases(FORM))
def test_a_hand_made_file_gives_the_numbers_written_beside_it(ledger: affidavit.Ledger, name: str) -> None:
    import_twice(ledger, FIXTURES / FORM / name, check(FORM, name))


def test_there_are_ten_hand_made_files() -> None:
    assert len(cases(FORM)) >= 10


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def blocks(path: Path, kind: str, *types: str) -> int:
    """Counts the blocks of some types in lines of one kind.

    As jq: [.[] | select(.type == $kind) | .message.content | arrays[] | select(.type | IN($types[]))] | length
    """
    contents = [one["message"]["content"] for one in lines(path) if one["type"] == kind]
    return sum(block["type"] in types for content in contents if isinstance(content, list) for block in content)


def texts(path: Path, *, wrapped: bool) -> int:
    """Counts the users' lines of text, those that the program wrote or those that a person typed.

    As jq: [.[] | select(.type == "user") | (.message.content | if type == "string" then . else (.[] | .text // empty) end)]
    """
    users = [one for one in lines(path) if one["type"] == "user"]
    contents = [(one, one["message"]["content"]) for one in users]
    found = [(one, said if isinstance(said, str) else said[0].get("text")) for one, said in contents]
    return sum((one.get("isMeta", False) or said[0] in "<[") == wrapped for one, said in found if said)


@pytest.mark.parametrize("name", ["claude-code-small", "claude-code-tools", "claude-code-subagent"])
def test_a_real_session_is_carried_over_by_role(ledger: affidavit.Ledger, folder: Path, name: str) -> None:
    path = folder / f"{name}.jsonl"
    found = read(path)
    # A step of a sub-agent is one block: its prompt and its calls are the assistant's, the results a tool's.
    steps = [one["data"]["message"] for one in lines(path) if one.get("data", {}).get("type") == "agent_progress"]
    results = sum(step["message"]["content"][0]["type"] == "tool_result" for step in steps)
    # A sub-agent's last answer is one result of two texts: [.. | .content? | arrays | length] in jq.
    nested = sum(len(one["message"]["content"][0]["content"]) - 1 for one in lines(path) if _has_texts(one))
    blank = found.noise["empty"]
    commands = sum(one.get("subtype") == "local_command" for one in lines(path))
    assert found.roles == {
        role: count
        for role, count in {
            "user": texts(path, wrapped=False),
            "assistant": blocks(path, "assistant", "text", "tool_use") - blank + len(steps) - results,
            "tool": blocks(path, "user", "tool_result") + nested + results,
            "system": texts(path, wrapped=True) + commands,
        }.items()
        if count
    }
    assert found.bad == []
    for kind in ("summary", "file-history-snapshot", "queue-operation"):
        assert found.noise[kind] == sum(one["type"] == kind for one in lines(path))
    assert found.noise["progress"] == sum(one["type"] == "progress" for one in lines(path)) - len(steps)
    assert found.noise["thinking"] == blocks(path, "assistant", "thinking")
    import_twice(ledger, path, found)


def _has_texts(one: dict[str, Any]) -> bool:
    content = one.get("message", {}).get("content")
    return isinstance(content, list) and isinstance(content[0].get("content"), list)


EXPECTED = {
    # counted with jq, as above: user, assistant, tool, system; noise
    "claude-code-small": ((2, 4, 2, 0), {"summary": 1}),
    "claude-code-tools": (
        (2, 7, 6, 7),
        {"progress": 10, "file-history-snapshot": 3, "queue-operation": 2, "thinking": 1, "empty": 1},
    ),
    "claude-code-subagent": (
        (1, 33, 26, 3),
        {"progress": 25, "file-history-snapshot": 3, "thinking": 4, "empty": 1, "system": 1},
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_session_gives_these_numbers(folder: Path, name: str) -> None:
    found = read(folder / f"{name}.jsonl")
    roles, noise = EXPECTED[name]
    assert tuple(found.roles.get(role, 0) for role in ("user", "assistant", "tool", "system")) == roles
    assert found.noise == noise


@pytest.mark.parametrize("name", EXPECTED)
def test_ids_times_and_sessions_of_a_real_session_are_its_own(folder: Path, name: str) -> None:
    path = folder / f"{name}.jsonl"
    entries = {one["uuid"]: one for one in lines(path) if "uuid" in one}
    steps = [one["data"] for one in lines(path) if one.get("data", {}).get("type") == "agent_progress"]
    entries |= {step["message"]["uuid"]: step["message"] | {"agent": step["agentId"]} for step in steps}
    for message in read(path).messages:
        entry = entries[message.id.split("/")[0]]
        at = affidavit.domain.times.parse_time(entry["timestamp"], "UTC")[0]
        assert (message.at, message.assumed) == (at, False)
        assert message.session.endswith(f"/agent-{entry['agent']}" if "agent" in entry else entry["sessionId"])
        assert "off the" not in message.speaker


def test_only_what_a_person_typed_makes_a_claim(ledger: affidavit.Ledger) -> None:
    for name in cases(FORM):
        ledger.import_file(FIXTURES / FORM / name, extractor=Plain())
    homes = {claim.text for claim in ledger.claims(every=True) if claim.attribute == "home"}
    assert homes == {"User lives in Lisbon.", "User lives in Porto."}  # Porto was typed, on a branch left later


def test_calls_and_results_carry_the_tools_name(folder: Path) -> None:
    found = read(FIXTURES / FORM / "01-plain.jsonl").messages
    assert found[2].text == '{"name":"Write","input":{"path":"home.txt","text":"Lisbon – ok"}}'
    assert [message.speaker for message in found] == ["", "m-1", "m-1", "Write", "m-1"]


def test_a_fork_adds_only_what_is_its_own(ledger: affidavit.Ledger) -> None:
    load(ledger, FIXTURES / FORM / "01-plain.jsonl")
    done = load(ledger, FIXTURES / FORM / "09-fork.jsonl")
    assert (done.known, done.recorded) == (1, 1)


def test_a_branch_that_is_left_later_adds_nothing_when_the_longer_file_comes(
    ledger: affidavit.Ledger, tmp_path: Path
) -> None:
    whole = (FIXTURES / FORM / "07-branch.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "session.jsonl"
    path.write_text("".join(whole[:9]), encoding="utf-8")
    assert load(ledger, path).recorded == 8
    path.write_text("".join(whole), encoding="utf-8")
    done = load(ledger, path)
    assert (done.known, done.recorded, done.revised) == (8, 2, 0)


def test_the_parents_of_a_ring_end_the_search(tmp_path: Path) -> None:
    path = tmp_path / "ring.jsonl"
    entry = {"type": "user", "sessionId": "s", "timestamp": "2026-01-01T00:00:00Z", "message": {"content": "I like tea."}}
    ring = [entry | {"uuid": "a", "parentUuid": "b"}, entry | {"uuid": "b", "parentUuid": "a"}]
    path.write_text("".join(json.dumps(one) + "\n" for one in ring), encoding="utf-8")
    assert [message.id for message in read(path).messages] == ["a", "b"]
