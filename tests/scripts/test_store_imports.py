"""The stores of TDOS, Letta, the MCP reference server and mem0: what each memory becomes, and what is told of the rest."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import affidavit as run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import LATER, WHEN, by_text, holding, is_sound, joined, lines, load, mem0, pi, places, whole

import affidavit
from affidavit.domain.times import parse_time
from affidavit.scripts.importers import Options, detect, store_readers
from affidavit.scripts.importers.stores import Store

NOW = parse_time("2026-05-10T00:00:00Z", "UTC")[0]
PASSWORD = "hun" + "ter" + "22"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="Asia/Shanghai", clock=lambda: NOW) as opened:
        yield opened


def only(path: Path, **options: Any) -> Store:
    (store,) = store_readers()[detect(path)](path, Options(**options))
    return store


# mem0

ADDED = ("m1", None, "Likes green tea", "ADD", "2026-04-01T10:00:00-07:00", None, 0)


def test_mem0_the_last_text_of_a_memory_is_the_claim(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = mem0(
        tmp_path / "history.db",
        ADDED,
        ("m2", None, "住在里斯本", "ADD", "2026-04-02T10:00:00Z", None, 0),
        ("m3", None, "Owns a boat", "ADD", "2026-04-03T10:00:00Z", None, 0),
        ("m1", "Likes green tea", "Likes black tea", "UPDATE", "2026-04-01T10:00:00-07:00", "2026-04-09T10:00:00Z", 0),
        ("m3", "Owns a boat", None, "DELETE", None, None, 1),
    )
    before = holding(tmp_path)
    assert detect(path) == "mem0"
    done = load(ledger, path)
    assert holding(tmp_path) == before
    assert sorted(by_text(ledger)) == ["Likes black tea", "住在里斯本"]
    assert done.noise == {"earlier texts": 2, "deleted memories": 1}
    times = {item.message: item.occurred_at for item in ledger.evidence()}
    assert times == {"memory/m1": "2026-04-09T10:00:00Z", "memory/m2": "2026-04-02T10:00:00Z"}
    state = ledger.show(by_text(ledger)["住在里斯本"].id).state
    assert (state["basis"], state["signals"], state["reinforcement"]) == ("imported", 1, 0.0)
    position = done.position
    assert load(ledger, path).position == position
    assert is_sound(ledger)


def test_mem0_an_update_after_the_import_is_a_revision(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    load(ledger, mem0(tmp_path / "history.db", ADDED))
    with closing(sqlite3.connect(tmp_path / "history.db", isolation_level=None)) as database:
        row = "'h9', 'm1', 'Likes green tea', 'Likes black tea', 'UPDATE', NULL, '2026-05-02T00:00:00Z', 0, NULL, NULL"
        database.execute(f"INSERT INTO history VALUES ({row})")
    done = load(ledger, tmp_path / "history.db")
    assert (done.revised, done.derived, done.superseded) == (1, 1, 1)
    assert by_text(ledger)["Likes green tea"].status == "superseded"


def test_mem0_what_cannot_be_read_last_is_not_carried_as_it_was_before(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = mem0(
        tmp_path / "history.db",
        ADDED,
        ("m2", None, "Owns a boat", "ADD", "yesterday", None, 0),
        ("m1", "Likes green tea", b"\xff", "UPDATE", None, None, 0),
        (None, None, "Nobody's", "ADD"),
        ("m4", None, "x", "MERGE"),
        ("m5", None, "  ", "ADD"),
    )
    done = load(ledger, path)
    assert list(by_text(ledger)) == ["Owns a boat"]
    assert sorted(places(done)) == ["history[2].created_at", "history[3]", "history[4]", "history[5]", "history[6]"]
    assert "the memory's last row cannot be read, so it is not carried" in joined(done.skipped)


def test_mem0_an_old_table_is_refused_and_messages_are_counted(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = mem0(tmp_path / "history.db", ADDED)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("INSERT INTO messages VALUES ('x', 'user_id=ana', 'user', 'Hello', NULL, '2026-04-01')")
    assert load(ledger, path).noise == {"messages, the last few of each session": 1}
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as database:
        database.execute("CREATE TABLE history (id TEXT, memory_id TEXT, prev_value TEXT, new_value TEXT, event TEXT)")
    position = ledger.position
    with pytest.raises(affidavit.BadInput, match="event, memory_id, new_memory, old_memory is there; an older mem0"):
        load(ledger, old, format="mem0")
    assert ledger.position == position


# The MCP reference server

GRAPH: list[dict[str, Any]] = [
    {"type": "entity", "name": "default_user", "entityType": "person", "observations": ["Speaks Spanish", "喜欢绿茶"]},
    {"type": "entity", "name": "Harbour", "entityType": "project", "observations": ["Port is 5432"]},
    {"type": "entity", "name": "Tian", "entityType": "person", "observations": []},
    {"type": "relation", "from": "default_user", "to": "Harbour", "relationType": "works on"},
]


def test_mcp_an_observation_is_told_with_its_entity(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = lines(tmp_path / "memory.jsonl", *GRAPH)
    assert detect(path) == "mcp-memory"
    done = load(ledger, path)
    assert {text: claim.entity for text, claim in by_text(ledger).items()} == {
        "default_user: Speaks Spanish": "user",
        "default_user: 喜欢绿茶": "user",
        "Harbour: Port is 5432": "Harbour",
        "default_user works on Harbour": "user",
    }
    assert done.noise == {"types of entities": 3, "entities without an observation": 1}
    (evidence, *_) = ledger.evidence()
    assert evidence.occurred_at == "2026-05-10T00:00:00Z"
    again = load(ledger, path)
    assert (again.known, again.position) == (4, done.position)
    assert is_sound(ledger)


def test_mcp_a_graph_that_has_grown_adds_what_is_new(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    load(ledger, lines(tmp_path / "memory.jsonl", *GRAPH))
    bigger = {**GRAPH[1], "observations": ["Port is 5432", "Written in Rust"]}
    grown = load(ledger, lines(tmp_path / "memory.jsonl", GRAPH[0], bigger, *GRAPH[2:]))
    assert (grown.recorded, grown.derived, grown.known) == (1, 1, 4)


def test_mcp_a_spoilt_line_or_observation_costs_itself_only(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    written = [
        json.dumps(
            {"type": "entity", "name": "Harbour", "entityType": "x", "observations": ["a", 7, "", "b", "a", "\ud83d"]}
        ),
        '{"type": "entity", "name": "cut',
        json.dumps({"type": "entity", "name": "", "entityType": "x", "observations": ["c"]}),
        json.dumps({"type": "entity", "name": "Tian", "entityType": "x", "observations": "c"}),
        json.dumps({"type": "relation", "from": "Tian", "relationType": "knows"}),
        json.dumps({"type": "note", "text": "x"}),
    ]
    path.write_text("\n".join(written) + "\n", encoding="utf-8")
    done = load(ledger, path)
    assert sorted(by_text(ledger)) == ["Harbour: a", "Harbour: b"]
    observations = [f"line 1.observations[{number}]" for number in (1, 2, 5)]
    assert places(done) == [*observations, "line 2", "line 3", "line 4", "line 5"]
    assert done.noise == {"types of entities": 1, "memories that stand there twice": 1, "lines of the type note": 1}


# TDOS

FACT = {
    "text": "loves fettuccini",
    "type": "USER_FACT",
    "confidence": 0.85,
    "origin": "explicit",
    "confirmation_state": "unconfirmed",
    "category": "food_preference",
    "added_at": "2026-04-01T12:00:00",
    "last_confirmed": "2026-04-20T12:00:00",
}


def profile(*facts: Any, user: Any = "alice", guild: Any = "g1", **more: Any) -> dict[str, Any]:
    return {"user_id": user, "guild_id": guild, "creative_profile": {"memorable_facts": list(facts), **more}}


def narrative(memory: str = "Abby calls Alice Ace", **more: Any) -> dict[str, Any]:
    return {"type": "SHARED_NARRATIVE", "user_id": "alice", "guild_id": "g1", "memory": memory, "deletable": True, **more}


def test_tdos_a_profile_becomes_claims_in_the_namespace_of_its_guild(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    confirmed = {**FACT, "text": "uses FL Studio", "category": "tool", "confirmation_state": "confirmed"}
    pattern = {"fact": "写得很短", "type": "USER_PATTERN", "added_at": {"$date": WHEN}, "scope_type": "global"}
    document = profile(FACT, confirmed, pattern, domains=["music_production"], preferences={"style": "casual", "none": ""})
    path = whole(tmp_path / "profiles.json", [document])
    assert detect(path) == "tdos"
    done = load(ledger, path)
    assert {text: (claim.kind, claim.namespace) for text, claim in by_text(ledger).items()} == {
        "loves fettuccini": ("preference", "g1"),
        "uses FL Studio": ("fact", "g1"),
        "写得很短": ("pattern", ""),
        "domain: music_production": ("fact", "g1"),
        "style: casual": ("preference", "g1"),
    }
    assert done.noise == {"confidences, origins and categories": 3}
    states = {text: ledger.show(claim.id).state for text, claim in by_text(ledger).items()}
    assert (states["loves fettuccini"]["confidence"], states["loves fettuccini"]["reinforcement"]) == (0.5, 0.0)
    assert states["loves fettuccini"]["evidence_at"] == "2026-04-01T12:00:00Z"
    assert states["loves fettuccini"]["confirmed_at"] == "2026-04-20T12:00:00Z"
    assert (states["uses FL Studio"]["reinforcement"], states["uses FL Studio"]["confirmation"]) == (1.0, "unconfirmed")
    assert load(ledger, path).position == done.position
    assert is_sound(ledger)


def test_tdos_what_was_contradicted_is_not_believed_and_rejects_nothing(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    text = "User lives in Lisbon."
    load(
        ledger, whole(tmp_path / "p.json", profile({**FACT, "text": text, "confirmation_state": "contradicted"}, guild=None))
    )
    state = ledger.show(by_text(ledger)[text].id).state
    assert (by_text(ledger)[text].status, state["disputation"]) == ("denied", 2.0)
    assert text not in ledger.prompt().text
    (heard,) = ledger.remember("I live in Lisbon.").claims
    assert heard.live


def test_tdos_a_narrative_is_of_its_own_form_and_among_no_facts(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    inside = {**FACT, "text": "we laughed at the pasta", "type": "SHARED_NARRATIVE"}
    told = narrative(tone="playful", created_at={"$date": {"$numberLong": "1776000000000"}}, expires_at={"$date": LATER})
    path = lines(tmp_path / "all.jsonl", profile(inside), told, narrative("At sea", tone="sombre"))
    assert detect(path) == "tdos"
    done = load(ledger, path)
    assert {text: claim.form for text, claim in by_text(ledger).items()} == {
        "we laughed at the pasta": "narrative",
        "Abby calls Alice Ace": "narrative",
        "At sea": "narrative",
    }
    assert places(done) == ["line 3.tone"]
    assert ledger.show(by_text(ledger)["Abby calls Alice Ace"].id).state["signals"] == 0
    kept = {one.text: (one.tone, one.expires_at) for one in only(path).memories}
    assert kept["Abby calls Alice Ace"] == ("playful", parse_time(LATER, "UTC")[0])
    assert kept["At sea"] == ("", None)
    assert "Ace" not in ledger.prompt(namespace="g1").text
    assert ledger.context("What does Abby call Alice?") == []


def test_tdos_an_envelope_brings_names_and_its_summary_as_evidence(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    envelope: dict[str, Any] = {
        "identity": {"name": "Alice", "nickname": "Ace", "user_id": "123", "guild_id": None},
        "relational": {"domains": [], "preferences": {}, "memorable_facts": [{**FACT, "category": None}]},
        "recent_context": {"last_session_summary": "Alice talked of mixing.", "last_session_date": "2026-04-30T10:00:00"},
        "version": "1.0",
    }
    path = whole(tmp_path / "envelope.json", envelope)
    assert detect(path) == "tdos"
    done = load(ledger, path)
    assert {"name: Alice", "nickname: Ace", "loves fettuccini"} <= by_text(ledger).keys()
    (summary,) = [item for item in ledger.evidence() if item.text == "Alice talked of mixing."]
    assert (summary.role, summary.occurred_at) == ("system", "2026-04-30T10:00:00Z")
    assert load(ledger, path).position == done.position
    envelope["recent_context"] = {"last_session_summary": "Alice talked of mixing."}
    undated = load(ledger, whole(tmp_path / "two.json", envelope), source="two")
    assert undated.noise["summaries without a date"] == 1


def test_tdos_each_of_several_users_is_a_scope(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    bob = profile({**FACT, "text": "sails"}, user=42)
    path = lines(tmp_path / "all.jsonl", profile(FACT), bob, narrative())
    done = ledger.import_file(path, time_zone="UTC")
    assert [(one.scope, one.derived, one.opened) for one in done] == [("alice", 2, True), ("42", 1, True)]
    assert by_text(ledger) == {}
    assert list(by_text(ledger.at("42"))) == ["sails"]
    only_bob = load(ledger, path, user="42")
    assert (only_bob.scope, only_bob.derived, only_bob.noise["documents of other users"]) == ("ana", 1, 2)


def test_tdos_what_cannot_be_read_costs_itself_only(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    facts: list[Any] = [
        {**FACT, "text": "Owns a boat"},
        "a text",
        {**FACT, "text": 7},
        {**FACT, "type": "RUMOUR"},
        {**FACT, "confirmation_state": "maybe"},
        {**FACT, "text": "Sails", "added_at": "soon"},
        {**FACT, "scope_type": "world"},
    ]
    path = lines(tmp_path / "p.jsonl", profile(*facts, domains="music"), '{"cut', {"user_id": "alice", "note": 1})
    done = load(ledger, path)
    assert sorted(by_text(ledger)) == ["Owns a boat", "Sails"]
    where = "line 1.creative_profile"
    spoilt = [f"{where}.memorable_facts[{n}]" for n in (1, 2, 3, 4)]
    rest = [f"{where}.memorable_facts[5].added_at", f"{where}.memorable_facts[6]", "line 2"]
    assert places(done) == [f"{where}.domains", *spoilt, *rest]
    assert done.noise["documents of another kind"] == 1


def test_tdos_a_list_may_be_laid_out_in_any_way_and_a_bad_first_line_costs_itself(
    ledger: affidavit.Ledger, tmp_path: Path
) -> None:
    documents = [profile(FACT), narrative()]
    laid = "[\n" + ",\n".join(json.dumps(one) for one in documents) + "\n]\n"
    path = tmp_path / "p.json"
    path.write_text(laid, encoding="utf-8")
    assert detect(path) == "tdos"
    assert load(ledger, path).derived == 2
    cut = load(ledger, lines(tmp_path / "q.jsonl", '{"cut', *documents), format="tdos")
    assert (cut.known, places(cut)) == (2, ["line 1"])


# Letta

HUMAN = "This is what I know so far:\n\nFirst name: Chad\nLast name: ?\n- Occupation: 博士生\n[none yet]\n## Later\n"


def agent_file(*messages: Any, **more: Any) -> dict[str, Any]:
    agent = {"name": "Sam", "agent_type": "memgpt_agent", "block_ids": ["block-0", "block-1"], "id": "agent-0"}
    blocks = [
        {"id": "block-0", "label": "human", "value": HUMAN, "limit": 20000},
        {"id": "block-1", "label": "persona", "value": "I am Sam.\n* I am curious.", "limit": 20000},
    ]
    tools = [{"id": "tool-0", "name": "send_message"}]
    return {"agents": [{**agent, "messages": list(messages), **more}], "groups": [], "blocks": blocks, "tools": tools}


def message(role: str, content: Any, at: str = WHEN, **more: Any) -> dict[str, Any]:
    shaped = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {"type": "message", "role": role, "content": shaped, "created_at": at, "id": "message-0", **more}


def spoken(text: str, name: str = "send_message") -> dict[str, Any]:
    return {"id": "call", "type": "function", "function": {"name": name, "arguments": json.dumps({"message": text})}}


def test_letta_a_line_of_a_block_is_a_memory(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = whole(tmp_path / "sam.af", agent_file())
    assert detect(path) == "letta"
    done = load(ledger, path)
    assert {f"{claim.form} {claim.entity}: {text}" for text, claim in by_text(ledger).items()} == {
        "fact user: First name: Chad",
        "fact user: Occupation: 博士生",
        "persona agent: I am Sam.",
        "persona agent: I am curious.",
    }
    assert done.noise == {"headings": 2, "lines that wait to be filled in": 2, "tools": 1}
    assert load(ledger, path).position == done.position
    assert is_sound(ledger)


def test_letta_messages_are_evidence_that_is_read(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    wrapped = json.dumps({"type": "user_message", "message": "I live in Lisbon.", "time": "2026-05-01"})
    beat = json.dumps({"type": "heartbeat", "reason": "I prefer red wine.", "time": "2026-05-01"})
    path = whole(
        tmp_path / "sam.af",
        agent_file(
            message("system", "You are Sam. <human>First name: Chad</human>"),
            message("user", wrapped),
            message("user", beat, LATER),
            message("assistant", "They live in Lisbon, I should note that.", tool_calls=[spoken("Noted!")]),
            message("tool", '{"status": "OK", "message": null}', name="send_message"),
            message("assistant", None, LATER, tool_calls=[spoken("tea", name="archival_memory_insert")]),
            message("user", "I really like green tea.", LATER),
        ),
    )
    done = load(ledger, path)
    heard = {item.text: (item.role, item.message) for item in ledger.evidence() if not item.message.startswith("block/")}
    assert heard == {
        "I live in Lisbon.": ("user", f"{WHEN}/user"),
        beat: ("system", f"{LATER}/user"),
        "Noted!": ("assistant", f"{WHEN}/assistant/call/0"),
        '{"status": "OK", "message": null}': ("tool", f"{WHEN}/tool"),
        '{"name":"archival_memory_insert","input":{"message":"tea"}}': ("assistant", f"{LATER}/assistant/call/0"),
        "I really like green tea.": ("user", f"{LATER}/user/2"),
    }
    assert (done.noise["system prompt"], done.noise["thinking"]) == (1, 1)
    assert {"User lives in Lisbon.", "User likes green tea."} <= by_text(ledger).keys()
    assert load(ledger, path).position == done.position
    assert is_sound(ledger)


def test_letta_a_newer_agent_says_what_it_writes_and_a_later_file_adds_what_is_new(
    ledger: affidavit.Ledger, tmp_path: Path
) -> None:
    said = message("assistant", "Let me look.", tool_calls=[spoken("x", name="web_search")])
    first = agent_file(said, agent_type="letta_v1_agent")
    load(ledger, whole(tmp_path / "sam.af", first))
    assert "Let me look." in {item.text for item in ledger.evidence()}
    later = agent_file(said, message("user", "I live in Porto.", LATER), agent_type="letta_v1_agent")
    done = load(ledger, whole(tmp_path / "sam.af", later))
    assert (done.recorded, done.derived) == (1, 1)


def test_letta_the_older_shape_and_bad_messages(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    old = {
        "agent_type": "memgpt_agent",
        "name": "Sam",
        "core_memory": [{"label": "human", "value": "Name: Chad", "limit": 5000}, {"label": "persona"}, 7],
        "messages": [
            {"role": "user", "text": "I live in Lisbon.", "created_at": WHEN},
            {"role": "user", "content": [{"type": "text", "text": "lost"}], "created_at": "soon"},
            {"role": "oracle", "content": "x", "created_at": WHEN},
            7,
        ],
        "version": "0.7.0",
    }
    path = whole(tmp_path / "old.af", old)
    assert detect(path) == "letta"
    done = load(ledger, path)
    assert {"Name: Chad", "User lives in Lisbon."} <= by_text(ledger).keys()
    told = [one.get("place", one.get("line")) for one in done.skipped]
    assert told == ["core_memory[1]", "core_memory[2]", 2, 3, 4]


def test_letta_each_of_several_agents_is_a_scope(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    file = agent_file()
    file["agents"] = [
        {"name": "Sam", "agent_type": "a", "id": "agent-0", "block_ids": ["block-0"], "messages": []},
        {"name": "Kim", "agent_type": "a", "id": "agent-1", "block_ids": ["block-0", "block-1"], "messages": []},
        {"name": "Kim", "agent_type": "a", "id": "agent-2", "memory_blocks": [{"label": "human", "value": "Sails."}]},
    ]
    done = ledger.import_file(whole(tmp_path / "many.af", file), time_zone="UTC")
    counts = [(one.scope, one.derived) for one in done]
    assert counts == [("Sam", 2), ("Kim (agent-1)", 4), ("Kim (agent-2)", 1)]


# All of them


def test_a_file_that_is_cut_off_is_refused_whole(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    path = tmp_path / "sam.af"
    path.write_text(json.dumps(agent_file())[:-40], encoding="utf-8")
    position = ledger.position
    with pytest.raises(affidavit.BadInput, match=r"not JSON: .*; export it again"):
        load(ledger, path, format="letta")
    assert ledger.position == position


@pytest.mark.parametrize("form", sorted(set(store_readers()) - {"neko"}))
def test_a_store_of_nothing_adds_nothing(ledger: affidavit.Ledger, tmp_path: Path, form: str) -> None:
    made = {
        "letta": lambda: whole(tmp_path / "x", {"agents": [], "blocks": []}),
        "mcp-memory": lambda: lines(tmp_path / "x"),
        "mem0": lambda: mem0(tmp_path / "x"),
        "pi-memory": lambda: pi(tmp_path / "x"),
        "tdos": lambda: whole(tmp_path / "x", []),
    }[form]()
    position = ledger.position
    done = load(ledger, made, format=form)
    assert (done.recorded, done.derived, done.skipped, done.noise) == (0, 0, [], {})
    assert ledger.position == position


def test_secrets_of_every_store_are_replaced(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    said = f"The password is {PASSWORD}"
    made = [
        mem0(tmp_path / "1.db", ("m1", None, said, "ADD")),
        lines(tmp_path / "2.jsonl", {"type": "entity", "name": "Tian", "entityType": "x", "observations": [said]}),
        whole(tmp_path / "3.json", profile({**FACT, "text": said})),
        whole(tmp_path / "4.af", agent_file(message("user", said))),
    ]
    for path in made:
        assert [one["kind"] for one in load(ledger, path).secrets] == ["password"], path.name
    kept = b"".join(one.read_bytes() for one in (tmp_path / "ledger").rglob("*") if one.is_file())
    assert PASSWORD.encode() not in kept


def test_the_command_names_place_and_format(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert run("init", "--ledger", kept, "--scope", "ana", "--time-zone", "UTC").code == 0
    path = lines(tmp_path / "memory.jsonl", *GRAPH, {"type": "relation", "from": "x"})
    done = run("import", path, "--ledger", kept)
    assert done.code == 1
    assert f'{path}: line 5: field "relationType" is None' in done.err
    assert f"{path}: not carried: types of entities (3)" in done.err
    named = run("import", path, "--ledger", kept, "--format", "mcp-memory", "--source", "work", "--json")
    assert named.json["imported"][0]["supported"] == 4


JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 7, -1.5, "", " ", "x", "\x00", "\ud83d", [], [7], {}, {"$date": []}, 10**30, [[]]]
)


def spoilt(value: Any, draw: Any, chance: int = 6) -> Any:
    """Returns a value with junk in some of its places."""
    if draw(st.integers(0, chance)) == 0:
        return draw(JUNK)
    if isinstance(value, dict):
        return {name: spoilt(one, draw, chance * 2) for name, one in value.items()}
    if isinstance(value, list):
        return [spoilt(one, draw, chance * 2) for one in value]
    return value


@pytest.mark.parametrize("form", ["letta", "mcp-memory", "tdos"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_junk_in_any_place_is_told_and_breaks_nothing(tmp_path: Path, form: str, data: st.DataObject) -> None:
    whole_file: Any = {
        "letta": agent_file(message("user", "Hello"), message("assistant", "Hi", tool_calls=[spoken("Hi")])),
        "mcp-memory": GRAPH,
        "tdos": [profile(FACT, domains=["music"], preferences={"style": "casual"}), narrative(expires_at=WHEN)],
    }[form]
    content = spoilt(whole_file, data.draw)
    path = tmp_path / "junk"
    laid = "\n".join(map(json.dumps, content)) if form == "mcp-memory" and isinstance(content, list) else json.dumps(content)
    path.write_text(laid, encoding="utf-8")
    try:
        stores = list(store_readers()[form](path, Options()))
        told = [line for store in stores for line in store.lines]
    except affidavit.BadInput as refused:
        assert str(path) in str(refused)
        return
    for store in stores:
        assert all(one.text.strip() and one.key for one in store.memories)
        assert all(place and reason for place, reason in store.skipped)
    assert all(line.message or line.reason or line.noise for line in told)
