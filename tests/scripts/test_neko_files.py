"""N.E.K.O's memory folder: every memory once, the journal's last word, and each spoilt thing told at its place."""

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affidavit.domain.errors import BadInput
from affidavit.domain.memories import Legacy, seed
from affidavit.domain.times import iso
from affidavit.scripts.importers import neko
from affidavit.scripts.importers.stores import Store

ZONE = "Asia/Shanghai"
SHARD = "2026-05-01_0a1b2c3d.json"
FULL = {
    "reinforcement": 1.25,
    "disputation": 0.5,
    "rein_last_signal_at": "2026-04-01T12:00:00",
    "disp_last_signal_at": "2026-04-02T12:00:00+00:00",
    "sub_zero_days": 3,
    "user_fact_reinforce_count": 2,
}


def fact(name: Any = "fact_1", text: Any = "主人喜欢绿茶", **more: Any) -> dict[str, Any]:
    return {"id": name, "text": text, "importance": 8, "entity": "master", "created_at": "2026-03-01T09:30:00", **more}


def reflection(name: Any = "ref_1", text: Any = "主人爱安静的早晨", **more: Any) -> dict[str, Any]:
    return {"id": name, "text": text, "entity": "master", "status": "pending", "source_fact_ids": ["fact_1"], **more}


def persona(name: Any = "manual_1", text: Any = "主人住在里斯本", **more: Any) -> dict[str, Any]:
    return {"id": name, "text": text, "source": "manual", **more}


def event(name: str, kind: str, **payload: Any) -> dict[str, Any]:
    return {"event_id": name, "type": kind, "ts": "2026-05-01T10:00:00", "payload": payload}


def put(root: Path, **files: Any) -> Path:
    """Writes files by their names without an ending: the journal as lines, bytes as they are, all else as JSON."""
    root.mkdir(exist_ok=True)
    for name, content in files.items():
        path = root / {"events": "events.ndjson"}.get(name, f"{name}.json")
        path.write_bytes(b"".join(map(line, content)) if name == "events" else data(content))
    return root


def data(content: Any) -> bytes:
    return content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()


def line(content: Any) -> bytes:
    return content if isinstance(content, bytes) else data(content) + b"\n"


def shard(root: Path, folder: str, content: Any, name: str = SHARD) -> Path:
    (root / folder).mkdir(parents=True, exist_ok=True)
    (root / folder / name).write_bytes(data(content))
    return root


def read(root: Path) -> Store:
    return neko.read(root, ZONE)


def only(root: Path) -> Legacy:
    (memory,) = read(root).memories
    return memory


def by_key(found: Store) -> dict[str, Legacy]:
    return {memory.key: memory for memory in found.memories}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "小天"


# What is carried


def test_a_fact_is_carried_with_all_that_its_file_says(root: Path) -> None:
    put(root, facts=[fact(absorbed=True, tags=[], hash="x", embedding=None)])
    assert only(root) == Legacy(
        key="fact/fact_1",
        form="fact",
        text="主人喜欢绿茶",
        entity="user",
        status="active",
        protected=False,
        importance=8,
        created_at=1_772_328_600_000_000,
        assumed=True,
        since=1_772_328_600_000_000,
        parents=(),
        reinforcement=None,
        disputation=None,
        rein_last_signal_at=None,
        disp_last_signal_at=None,
        sub_zero_days=0,
        user_fact_reinforce_count=0,
        absorbed=True,
        place="facts.json[0]",
    )


def test_a_reflection_is_carried_with_its_counters_clocks_and_parents(root: Path) -> None:
    put(root, reflections=[reflection(status="confirmed", source_fact_ids=["a", "b", "a"], **FULL)])
    found = only(root)
    assert (found.key, found.form, found.status, found.parents) == (
        "reflection/ref_1",
        "reflection",
        "confirmed",
        ("fact/a", "fact/b"),
    )
    assert (found.reinforcement, found.disputation) == (1_250_000, 500_000)
    assert (found.sub_zero_days, found.user_fact_reinforce_count) == (3, 2)
    assert found.rein_last_signal_at is not None
    assert found.disp_last_signal_at is not None
    assert iso(found.rein_last_signal_at) == "2026-04-01T04:00:00Z"
    assert iso(found.disp_last_signal_at) == "2026-04-02T12:00:00Z"


def test_a_persona_entry_of_the_card_is_protected_and_no_other(root: Path) -> None:
    entries = [
        persona("card_1", "名字: 小天", source="character_card", protected=True),
        persona("card_2", source="character_card"),
        persona("p", "Kept by hand", protected=True),
        persona(protected="yes"),
    ]
    put(root, persona={"neko": {"facts": entries}})
    assert [memory.protected for memory in read(root).memories] == [True, True, True, False]
    assert {memory.entity for memory in read(root).memories} == {"agent"}


def test_sections_are_entities_and_a_name_stays_as_it_is(root: Path) -> None:
    sections = ["master", "neko", "relationship", "小天", "Ana Lúcia"]
    put(root, persona={name: {"facts": [persona()]} for name in sections})
    assert [memory.key for memory in read(root).memories] == [
        "persona/user/manual_1",
        "persona/agent/manual_1",
        "persona/relationship/manual_1",
        "persona/小天/manual_1",
        "persona/Ana Lúcia/manual_1",
    ]


def test_the_older_words_for_sections_and_entities_are_read(root: Path) -> None:
    put(root, facts=[fact("a", entity="user"), fact("b", entity="ai")], persona={"relationship": {"dynamics": [persona()]}})
    assert [(memory.form, memory.entity) for memory in read(root).memories] == [
        ("fact", "user"),
        ("fact", "agent"),
        ("persona", "relationship"),
    ]


def test_a_missing_entity_is_what_that_program_puts_in(root: Path) -> None:
    put(root, facts=[fact(entity=None)], reflections=[reflection(entity=None)])
    assert [memory.entity for memory in read(root).memories] == ["user", "relationship"]


def test_a_plain_text_is_a_persona_entry_and_has_the_same_key_again(root: Path) -> None:
    put(root, persona={"master": {"facts": ["喜欢猫", {"text": "喜欢狗", "id": ""}]}, "小天": ["喜欢鱼"]})
    found = read(root)
    assert [memory.text for memory in found.memories] == ["喜欢猫", "喜欢狗", "喜欢鱼"]
    assert found.memories[0].key == "persona/user/text-" + hashlib.sha256("喜欢猫".encode()).hexdigest()[:16]
    put(root, persona={"master": {"facts": [{"text": "喜欢狗", "id": ""}, "喜欢猫"]}, "小天": ["喜欢鱼"]})
    assert by_key(read(root)).keys() == by_key(found).keys()


def test_parents_of_a_persona_entry_are_the_reflections_that_it_came_from_or_took_in(root: Path) -> None:
    entry = persona(
        "prom_ref_1", source="reflection", source_id="ref_1", merged_from_ids=["ref_2", "r3", "prom_ref_4", "manual_9"]
    )
    put(root, reflections=[reflection("r3")], persona={"master": {"facts": [entry, persona("prom_ref_7")]}})
    found = by_key(read(root))
    assert found["persona/user/prom_ref_1"].parents == (
        "reflection/ref_1",
        "reflection/ref_2",
        "reflection/r3",
        "reflection/ref_4",
    )
    assert found["persona/user/prom_ref_7"].parents == ("reflection/ref_7",)


def test_a_migration_section_is_counted_and_not_carried(root: Path) -> None:
    put(root, persona={"__meta__": {"facts": [{"id": "__evidence_migration_v1__", "text": "x"}]}})
    found = read(root)
    assert (found.memories, found.skipped) == ((), ())
    assert found.left_out == {"persona.json bookkeeping sections": 1}


def test_memories_of_other_people_are_counted_and_not_carried(root: Path) -> None:
    of_others = {"subject_kind": "participant", "subject_id": "qq:1", "scope": "participant:qq:1"}
    put(
        root,
        facts=[fact("a", **of_others), fact("b", subject_kind="group_chat"), fact("c", subject_kind=None)],
        persona={"@subject/participant:qq:1": {"facts": [persona(), "text"], **of_others}},
    )
    found = read(root)
    assert [memory.key for memory in found.memories] == ["fact/c"]
    assert found.left_out == {"memories of group chats and their members": 4}


# Archives


def test_archived_facts_and_shards_are_carried_as_archived(root: Path) -> None:
    put(root, facts=[], facts_archive=[fact(absorbed=True)], reflections_archive=[reflection("ref_0", status="pending")])
    shard(root, "reflection_archive", [reflection("ref_1", status="archived")])
    shard(root, "reflections_archive", [reflection("ref_2", status="confirmed")])
    assert {memory.key: (memory.status, memory.place) for memory in read(root).memories} == {
        "fact/fact_1": ("archived", "facts_archive.json[0]"),
        "reflection/ref_0": ("archived", "reflections_archive.json[0]"),
        "reflection/ref_1": ("archived", f"reflection_archive/{SHARD}[0]"),
        "reflection/ref_2": ("archived", f"reflections_archive/{SHARD}[0]"),
    }


@pytest.mark.parametrize("status", ["promoted", "denied", "merged", "promote_blocked"])
def test_a_reflection_that_had_ended_before_it_was_archived_keeps_how(root: Path, status: str) -> None:
    shard(root, "reflection_archive", [reflection(status=status)])
    assert only(root).status == status


def test_the_journal_says_in_which_section_an_archived_persona_entry_stood(root: Path) -> None:
    moved = event("1", "persona.fact_added", entity_key="neko", entry_id="manual_1", archive_shard_path=SHARD)
    put(root, events=[moved], events_applied={"last_applied_event_id": "1"})
    shard(root, "persona_archive", [persona()])
    found = only(root)
    assert (found.key, found.entity, found.status) == ("persona/agent/manual_1", "agent", "archived")


def test_an_archived_promotion_stands_where_its_reflection_stood(root: Path) -> None:
    put(root, reflections=[reflection(entity="neko", status="promoted")])
    shard(root, "persona_archive", [persona("prom_ref_1")])
    assert "persona/agent/prom_ref_1" in by_key(read(root))


def test_an_archived_persona_entry_of_unknown_section_is_told(root: Path) -> None:
    shard(root, "persona_archive", [persona()])
    ((place, reason),) = read(root).skipped
    assert place == f"persona_archive/{SHARD}[0]"
    assert reason.startswith("neither its shard nor the journal says whom it is about")


def test_of_the_same_memory_the_main_files_wins_and_the_other_is_told(root: Path) -> None:
    put(root, facts=[fact(text="main")], facts_archive=[fact(text="old")], reflections=[reflection(text="main")])
    shard(root, "reflection_archive", [reflection(text="old")])
    shard(root, "reflection_archive", [reflection("ref_2", "first")], "2026-04-01_00000000.json")
    shard(root, "reflection_archive", [reflection("ref_2", "later")], "2026-04-02_00000000.json")
    found = read(root)
    assert {memory.text for memory in found.memories} == {"main", "first"}
    assert [(place, reason.split(",")[0]) for place, reason in found.skipped] == [
        ("facts_archive.json[0]", "the same memory stands at facts.json[0]"),
        (
            "reflection_archive/2026-04-02_00000000.json[0]",
            "the same memory stands at reflection_archive/2026-04-01_00000000.json[0]",
        ),
        (f"reflection_archive/{SHARD}[0]", "the same memory stands at reflections.json[0]"),
    ]


# The journal

NEWER = {**FULL, "reinforcement": 2.5, "rein_last_signal_at": "2026-05-01T10:00:00", "source": "user_confirm"}


@pytest.mark.row("N35")
@pytest.mark.parametrize(
    ("sentinel", "expected"),
    [
        ({"last_applied_event_id": "id1"}, 3_000_000),
        ({"last_applied_event_id": "id3"}, 1_250_000),
        ({"last_applied_event_id": "gone"}, 3_000_000),
        ({"last_applied_event_id": None}, 3_000_000),
        (b"{", 3_000_000),
        ([], 3_000_000),
    ],
)
def test_events_after_the_last_applied_one_are_applied_and_all_where_it_is_unknown(
    root: Path, sentinel: Any, expected: int
) -> None:
    kind = "reflection.evidence_updated"
    events = [event(f"id{n}", kind, reflection_id="ref_1", **NEWER | {"reinforcement": float(n)}) for n in (1, 2, 3)]
    put(root, reflections=[reflection(**FULL)], events=events, events_applied=sentinel)
    assert only(root).reinforcement == expected


def test_an_event_brings_counters_to_an_entry_that_had_none(root: Path) -> None:
    put(
        root,
        reflections=[reflection()],
        persona={"master": {"facts": [persona()]}},
        events=[
            event("1", "reflection.evidence_updated", reflection_id="ref_1", **NEWER),
            event("2", "persona.evidence_updated", entity_key="master", entry_id="manual_1", **NEWER),
        ],
    )
    for memory in read(root).memories:
        assert (memory.reinforcement, memory.disputation, memory.sub_zero_days) == (2_500_000, 500_000, 3)
        assert memory.user_fact_reinforce_count == 2
        assert memory.rein_last_signal_at is not None
        assert iso(memory.rein_last_signal_at) == "2026-05-01T02:00:00Z"


@pytest.mark.parametrize("status", ["confirmed", "promoted", "merged", "promote_blocked", "denied", "archived"])
def test_a_change_of_state_that_the_view_missed_is_applied(root: Path, status: str) -> None:
    changed = event("1", "reflection.state_changed", reflection_id="ref_1", **{"from": "pending", "to": status})
    put(root, reflections=[reflection()], events=[changed])
    assert only(root).status == status


def test_an_archive_event_archives_a_persona_entry_that_still_stands_in_the_view(root: Path) -> None:
    moved = event("1", "persona.fact_added", entity_key="master", entry_id="manual_1", archive_shard_path=SHARD)
    added = event("2", "persona.fact_added", entity_key="master", entry_id="other", text="x")
    put(root, persona={"master": {"facts": [persona(), persona("other")]}}, events=[moved, added])
    assert [memory.status for memory in read(root).memories] == ["archived", "active"]


@pytest.mark.row("N19")
def test_an_entry_that_never_reached_its_shard_comes_back_from_the_journals_snapshot(root: Path) -> None:
    where = {"archive_shard_path": SHARD, "archived_at": "2026-05-01T10:00:00"}
    snapshots = [reflection(status="archived", **FULL, **where), persona(**FULL, **where)]
    put(
        root,
        reflections=[],
        persona={"master": {"facts": []}},
        events=[
            event(
                "1", "reflection.state_changed", reflection_id="ref_1", to="archived", entry_snapshot=snapshots[0], **where
            ),
            event("2", "persona.fact_added", entity_key="neko", entry_id="manual_1", entry_snapshot=snapshots[1], **where),
        ],
    )
    found = read(root)
    assert [(memory.key, memory.status, memory.place) for memory in found.memories] == [
        ("reflection/ref_1", "archived", "events.ndjson:1"),
        ("persona/agent/manual_1", "archived", "events.ndjson:2"),
    ]
    assert {memory.reinforcement for memory in found.memories} == {1_250_000}
    shard(root, "reflection_archive", [snapshots[0]])
    assert by_key(read(root))["reflection/ref_1"].place == f"reflection_archive/{SHARD}[0]"


def merge(digest: str) -> dict[str, Any]:
    where = {"entity_key": "master", "entry_id": "manual_1", "merged_from_ids": ["ref_9"]}
    return event("1", "persona.entry_updated", rewrite_text_sha256=digest, **where, **NEWER)


def test_a_merge_whose_text_the_view_has_is_applied(root: Path) -> None:
    digest = hashlib.sha256("主人住在里斯本".encode()).hexdigest()
    put(root, persona={"master": {"facts": [persona()]}}, events=[merge(digest)])
    found = only(root)
    assert (found.reinforcement, found.parents) == (2_500_000, ("reflection/ref_9",))


def test_a_merge_whose_text_is_nowhere_is_told_and_changes_nothing(root: Path) -> None:
    put(root, persona={"master": {"facts": [persona()]}}, events=[merge("0" * 64)])
    found = read(root)
    assert (found.memories[0].reinforcement, found.memories[0].parents) == (None, ())
    ((place, reason),) = found.skipped
    assert place == "events.ndjson:1"
    assert reason.startswith("the event is not applied: the entry was to get a text that the folder does not hold")


@pytest.mark.row("N36")
def test_a_broken_line_and_one_without_an_id_are_skipped_with_their_numbers(root: Path) -> None:
    good = event("1", "reflection.evidence_updated", reflection_id="ref_1", **NEWER)
    spoilt = [b"{oops\n", {"type": "x", "payload": {}}, b"\xff\n", b"[1]\n", b"[" * 100_000 + b"\n", b"\n"]
    put(root, reflections=[reflection()], events=[*spoilt, good])
    found = read(root)
    assert found.memories[0].reinforcement == 2_500_000
    assert [place for place, _ in found.skipped] == [f"events.ndjson:{n}" for n in (1, 2, 3, 4, 5)]
    assert found.skipped[1][1].startswith('field "event_id" is missing')
    assert found.left_out == {"events.ndjson records": 1}


@pytest.mark.parametrize(
    "payload",
    [
        {"reflection_id": "ref_1", **NEWER, "reinforcement": "much"},
        {"reflection_id": "ref_1", **NEWER, "disputation": -1},
        {"reflection_id": "ref_1", **NEWER, "sub_zero_days": 1.5},
        {"reflection_id": "ref_1", **NEWER, "user_fact_reinforce_count": 10**30},
        {"reflection_id": 5, **NEWER},
        {},
    ],
)
def test_an_event_with_spoilt_counters_is_told_and_changes_nothing(root: Path, payload: dict[str, Any]) -> None:
    put(root, reflections=[reflection(**FULL)], events=[event("1", "reflection.evidence_updated", **payload)])
    found = read(root)
    assert (found.memories[0].reinforcement, found.memories[0].disputation) == (1_250_000, 500_000)
    assert [place for place, _ in found.skipped] == ["events.ndjson:1"]


def test_an_unknown_state_and_a_snapshot_of_another_entry_are_told(root: Path) -> None:
    put(
        root,
        reflections=[reflection()],
        events=[
            event("1", "reflection.state_changed", reflection_id="ref_1", to=["denied"]),
            event("2", "reflection.state_changed", reflection_id="x", to="archived", entry_snapshot=reflection("y")),
        ],
    )
    found = read(root)
    assert found.memories[0].status == "pending"
    assert [place for place, _ in found.skipped] == ["events.ndjson:1", "events.ndjson:2"]


def test_events_of_other_types_and_about_unknown_entries_change_nothing(root: Path) -> None:
    put(
        root,
        facts=[fact()],
        events=[
            event("1", "fact.absorbed", fact_id="fact_1"),
            event("2", "reflection.evidence_updated", reflection_id="gone", **NEWER),
            event("3", "persona.evidence_updated", entity_key="__meta__", entry_id="__evidence_migration_v1__", **NEWER),
            {"event_id": "4"},
        ],
    )
    found = read(root)
    assert len(found.memories) == 1
    assert (found.skipped, found.left_out) == ((), {"events.ndjson records": 4})


# What is not carried


def test_other_files_are_named_and_the_surfaced_ones_counted(root: Path) -> None:
    put(root, facts=[fact()], cursors={}, events_applied={}, surfaced=[{"reflection_id": "a"}, {"reflection_id": "b"}])
    (root / "outbox.ndjson").write_text("{}\n")
    (root / "notes").mkdir()
    shard(root, "reflection_archive", b"", ".migrated_from_flat")
    found = read(root)
    assert found.left_out == {
        "cursors.json": 1,
        "events_applied.json": 1,
        "notes/": 1,
        "outbox.ndjson": 1,
        "reflection_archive/.migrated_from_flat": 1,
        "surfaced.json records": 2,
    }
    assert found.skipped == ()


# What is spoilt

SPOILT = {
    "cut off": (b'[{"id": "fact_1", "te', "not JSON: Unterminated string"),
    "empty": (b"", "not JSON"),
    "another top": (b'{"facts": []}', "an object was found, a list is required"),
    "a number": (b"7", "7 was found, a list is required"),
    "null": (b"null", "None was found, a list is required"),
    "another encoding": ("[]".encode("utf-16"), "not UTF-8: invalid start byte at byte 1"),
    "deep": (b"[" * 200_000 + b"]" * 200_000, "not JSON: nested too deeply"),
}


@pytest.mark.parametrize(("data", "reason"), SPOILT.values(), ids=SPOILT)
@pytest.mark.parametrize("name", ["facts", "facts_archive", "reflections", "reflections_archive", "surfaced"])
def test_a_spoilt_file_is_told_and_the_rest_is_read(root: Path, name: str, data: bytes, reason: str) -> None:
    put(root, persona={"master": {"facts": [persona()]}}, surfaced=[])
    put(root, **{name: data})
    found = read(root)
    assert [memory.key for memory in found.memories] == ["persona/user/manual_1"]
    ((place, told),) = found.skipped
    assert place == f"{name}.json"
    assert told.startswith(reason)


def test_a_spoilt_persona_and_a_spoilt_shard_are_told_and_the_rest_is_read(root: Path) -> None:
    put(root, facts=[fact()], persona=[])
    shard(root, "reflection_archive", b"{")
    shard(root, "persona_archive", {})
    found = read(root)
    assert len(found.memories) == 1
    assert [place for place, _ in found.skipped] == [
        f"reflection_archive/{SHARD}",
        "persona.json",
        f"persona_archive/{SHARD}",
    ]


BAD_ENTRIES = {
    "a list": ([[fact()]], "a list was found, an object is required"),
    "a text": ("text", "'text' was found, an object is required"),
    "null": (None, "None was found, an object is required"),
    "no text": ({"id": "x"}, "the text is None"),
    "a blank text": (fact(text=" \n\u3000"), "the text is"),
    "a text of another type": (fact(text=["x"]), "the text is a list"),
    "no id": ({"text": "x"}, "the id is None"),
    "a blank id": (fact(" "), "the id is ' '"),
    "an id of another type": (fact(7), "the id is 7"),
    "an entity of another type": (fact(entity={"a": 1}), "the entity is an object"),
    "half of a pair": (fact(text="a\ud83d"), '"text" holds half of a surrogate pair'),
    "half of a pair in the id": (fact("a\ud83d"), '"id" holds half of a surrogate pair'),
}


@pytest.mark.parametrize(("entry", "reason"), BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_an_entry_of_no_use_is_told_with_its_place_and_the_others_are_read(root: Path, entry: Any, reason: str) -> None:
    put(root, facts=json.dumps([fact("a"), entry, fact("b")]).encode())
    found = read(root)
    assert [memory.key for memory in found.memories] == ["fact/a", "fact/b"]
    ((place, told),) = found.skipped
    assert place == "facts.json[1]"
    assert told.startswith(reason)
    assert told.endswith("; correct it there and import the folder again")


@pytest.mark.parametrize("status", [None, "active", 3, ["pending"], "PENDING"])
def test_a_reflection_of_unknown_status_is_told(root: Path, status: Any) -> None:
    put(root, reflections=[reflection(status=status)])
    found = read(root)
    assert found.memories == ()
    assert found.skipped[0][1].startswith("the status is ")


def test_a_section_of_another_type_is_told(root: Path) -> None:
    put(root, persona={"version": 2, "neko": {"facts": "x"}, "master": {"facts": None}, "小天": [7, " "]})
    found = read(root)
    assert found.memories == ()
    assert [place for place, _ in found.skipped] == [
        "persona.json['version']",
        "persona.json['neko']",
        "persona.json['小天'][0]",
        "persona.json['小天'][1]",
    ]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e30", "1" * 5000, '"1.0"', "true", "[[1]]"])
def test_a_spoilt_counter_costs_itself_only(root: Path, number: str) -> None:
    entry = json.dumps(reflection(**FULL)).replace('"reinforcement": 1.25', f'"reinforcement": {number}')
    put(root, reflections=f"[{entry}]".encode())
    found = read(root)
    assert (found.memories[0].reinforcement, found.memories[0].disputation) == (0, 500_000)
    ((place, reason),) = found.skipped
    assert place == "reflections.json[0].reinforcement"
    assert reason.endswith("; the memory is carried without it")


def test_spoilt_counts_are_told_and_read_as_none(root: Path) -> None:
    put(root, reflections=[reflection(sub_zero_days=-1, user_fact_reinforce_count="many", source_fact_ids="fact_1")])
    found = read(root)
    assert (found.memories[0].sub_zero_days, found.memories[0].user_fact_reinforce_count) == (0, 0)
    assert found.memories[0].parents == ()
    assert {place for place, _ in found.skipped} == {
        "reflections.json[0].sub_zero_days",
        "reflections.json[0].user_fact_reinforce_count",
        "reflections.json[0].source_fact_ids",
    }


IMPORTANCE = {10: 10, 1: 1, 9.9: 9, "9": 9, 20: 10, 10**30: 10, None: None, 0: None}


@pytest.mark.parametrize(("value", "expected"), IMPORTANCE.items())
def test_importance_is_a_whole_number_from_1_to_10(root: Path, value: Any, expected: int | None) -> None:
    put(root, facts=[fact(importance=value)])
    found = read(root)
    assert (found.memories[0].importance, found.skipped) == (expected, ())


@pytest.mark.parametrize("value", ["hi", True, -3, math.nan, [8], {}])
def test_an_importance_that_is_no_number_is_told(root: Path, value: Any) -> None:
    put(root, facts=[fact(importance=value)])
    found = read(root)
    assert (found.memories[0].importance, [place for place, _ in found.skipped]) == (None, ["facts.json[0].importance"])


@pytest.mark.parametrize("value", [None, "", "soon", 0, 1_700_000_000, "0001-01-01", "9999-12-31T23:59:59", ["x"], "\ud83d"])
def test_a_missing_or_bad_time_is_none(root: Path, value: Any) -> None:
    put(root, facts=json.dumps([fact(created_at=value)]).encode())
    found = read(root)
    assert (found.memories[0].created_at, found.skipped) == (None, ())


@pytest.mark.parametrize(
    ("status", "stated"), [("confirmed", "confirmed_at"), ("promoted", "promoted_at"), ("denied", "denied_at")]
)
def test_a_status_is_as_old_as_its_entry_says(root: Path, status: str, stated: str) -> None:
    put(root, reflections=[reflection(status=status, **{stated: "2026-04-01T12:00:00Z"})])
    since = only(root).since
    assert since is not None
    assert iso(since) == "2026-04-01T12:00:00Z"
    put(root, reflections=[reflection(status=status, created_at="2026-03-01T00:00:00Z")])
    assert only(root).since is None


def test_an_archived_entry_is_as_old_as_it_says_or_else_as_its_shard(root: Path) -> None:
    shard(root, "reflection_archive", [reflection("a", archived_at="2026-05-02T12:00:00Z"), reflection("b")])
    shard(root, "reflection_archive", [reflection("c")], "2026-99-99_0a1b2c3d.json")
    put(root, facts_archive=[fact()])
    since = {memory.key: memory.since and iso(memory.since) for memory in read(root).memories}
    assert since == {
        "fact/fact_1": None,
        "reflection/a": "2026-05-02T12:00:00Z",
        "reflection/b": "2026-04-30T16:00:00Z",
        "reflection/c": None,
    }


def test_an_event_that_changes_a_status_dates_it(root: Path) -> None:
    changed = {"to": "denied", "ts": "2026-05-02T12:00:00Z"}
    archived = {"to": "archived", "ts": "x", "archived_at": "2026-05-03T12:00:00Z"}
    events = [event("1", "reflection.state_changed", reflection_id="ref_1", **changed)]
    events += [event("2", "reflection.state_changed", reflection_id="ref_2", **archived)]
    put(root, reflections=[reflection(), reflection("ref_2")], events=events)
    since = [memory.since and iso(memory.since) for memory in read(root).memories]
    assert since == ["2026-05-02T12:00:00Z", "2026-05-03T12:00:00Z"]


@pytest.mark.parametrize(("value", "assumed"), [("2026-05-02T12:00:00", True), ("2026-05-02T12:00:00Z", False), ("", False)])
def test_a_time_without_a_zone_is_assumed(root: Path, value: str, assumed: bool) -> None:
    put(root, facts=[fact(created_at=value)])
    assert only(root).assumed is assumed


def test_a_mark_at_the_start_of_a_file_is_nothing(root: Path) -> None:
    put(root, facts=b"\xef\xbb\xbf" + json.dumps([fact()]).encode())
    assert only(root).key == "fact/fact_1"


def test_texts_of_every_script_survive_as_they_are(root: Path) -> None:
    texts = [
        "主人喜歡綠茶",
        "ご主人様は猫が好き",
        "Хозяин любит чай",
        "집사는 차를 좋아해요",
        "يحب الشاي",
        "café e\u0301",
        "👩‍🚀 \0 ok",
    ]
    put(root, facts=[fact(f"f{n}", text) for n, text in enumerate(texts)])
    assert [memory.text for memory in read(root).memories] == texts


def test_a_file_larger_than_the_limit_is_told_and_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root, facts=[fact()], reflections=[])
    monkeypatch.setattr(neko, "LIMIT", 10)
    assert read(root).skipped[0][0] == "facts.json"
    assert read(root).skipped[0][1].startswith("longer than 10 bytes")


# Links and other things that are no files


def test_no_link_is_followed(root: Path, tmp_path: Path) -> None:
    put(root, facts=[fact()])
    outside = put(tmp_path / "elsewhere", reflections=[reflection()], persona={"master": ["secret"]}, events=[])
    shard(outside, "reflection_archive", [reflection("ref_2")])
    shard(outside, "persona_archive", [persona()])
    for name in ("reflections.json", "persona.json", "events.ndjson", "reflection_archive"):
        (root / name).symlink_to(outside / name)
    (root / "persona_archive").mkdir()
    (root / "persona_archive" / SHARD).symlink_to(outside / "persona_archive" / SHARD)
    (root / "outside").symlink_to(outside)
    found = read(root)
    assert [memory.key for memory in found.memories] == ["fact/fact_1"]
    assert {place for place, reason in found.skipped if reason.startswith("it is a link, and links are not followed")} == {
        "reflections.json",
        "persona.json",
        "events.ndjson",
        "reflection_archive",
        f"persona_archive/{SHARD}",
    }
    assert found.left_out == {"outside": 1}


def test_a_pipe_and_a_folder_in_a_files_place_are_told(root: Path) -> None:
    put(root, facts=[fact()])
    os.mkfifo(root / "reflections.json")
    os.mkfifo(root / "events.ndjson")
    (root / "persona.json").mkdir()
    (root / "persona_archive").write_text("")
    found = read(root)
    assert len(found.memories) == 1
    assert {place: reason.split(";")[0] for place, reason in found.skipped} == {
        "events.ndjson": "it is not a file",
        "reflections.json": "it is not a file",
        "persona.json": "it is not a file",
        "persona_archive": "it is not a folder",
    }


def test_a_folder_that_is_itself_reached_by_a_link_is_read(root: Path, tmp_path: Path) -> None:
    put(root, facts=[fact()])
    (tmp_path / "link").symlink_to(root)
    assert only(tmp_path / "link").key == "fact/fact_1"


# What is no such folder


def test_a_folder_is_known_by_any_file_that_holds_memory(root: Path, tmp_path: Path) -> None:
    assert not neko.is_neko(root)
    assert not neko.is_neko(put(root, surfaced=[], cursors={}))
    assert neko.is_neko(put(root, facts=[]))
    assert not neko.is_neko(root / "facts.json")
    for name in ("facts_archive.json", "reflections.json", "persona.json", "events.ndjson", "persona_archive"):
        folder = tmp_path / f"with {name}"
        folder.mkdir()
        (folder / name).touch()
        assert neko.is_neko(folder)


def test_a_folder_without_any_of_the_files_is_bad_input(root: Path) -> None:
    root.mkdir()
    with pytest.raises(
        BadInput, match=r"none of the files of N\.E\.K\.O's memory is there; name the folder of one character"
    ):
        read(root)
    with pytest.raises(BadInput):
        read(root / "nothing")


@pytest.mark.parametrize("zone", ["Nowhere/Here", "", "../etc", "Europe"])
def test_a_zone_that_is_none_is_bad_input(root: Path, zone: str) -> None:
    put(root, facts=[fact()])
    with pytest.raises(BadInput):
        neko.read(root, zone)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("pending", (0, 0)),
        ("confirmed", (1_000_000, 0)),
        ("promoted", (2_000_000, 0)),
        ("denied", (0, 2_000_000)),
        ("active", (0, 0)),
        ("archived", (0, 0)),
    ],
)
def test_the_seed_of_a_status_is_that_of_the_upstream_migration(status: str, expected: tuple[int, int]) -> None:
    assert seed(status) == expected


# Whatever a folder holds

WORDS = st.sampled_from(
    [*FULL, "id", "text", "entity", "status", "master", "facts", "merged_from_ids", "to", "payload", "x"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=6),
    max_leaves=20,
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a", "b"]) | VALUES, "text": st.text(max_size=5) | VALUES},
        optional=dict.fromkeys((*FULL, "importance", "created_at", "source_fact_ids", "merged_from_ids", "source"), VALUES)
        | {"status": st.sampled_from(["pending", "denied"]) | VALUES, "entity": st.sampled_from(["master"]) | VALUES},
    )
    | VALUES,
    max_size=5,
)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "event_id": st.text(max_size=3),
            "type": st.sampled_from(["reflection.evidence_updated", "persona.entry_updated", "persona.fact_added"]),
            "payload": st.fixed_dictionaries(
                {"reflection_id": st.sampled_from(["a", "b"]), "entity_key": WORDS, "entry_id": st.sampled_from(["a", "b"])},
                optional=dict.fromkeys((*FULL, "to", "entry_snapshot", "archive_shard_path", "merged_from_ids"), VALUES),
            )
            | VALUES,
        },
    )
    | VALUES,
    max_size=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(facts=ENTRIES, reflections=ENTRIES, sections=st.dictionaries(WORDS, ENTRIES | VALUES, max_size=3), events=EVENTS)
def test_whatever_a_folder_holds_each_memory_comes_once_whole_and_after_its_parents(
    tmp_path: Path, facts: Any, reflections: Any, sections: Any, events: Any
) -> None:
    root = put(tmp_path / "any", facts=facts, reflections=reflections, persona=sections, events=events)
    shard(root, "persona_archive", reflections)
    found = read(root)
    assert found == read(root)
    seen: set[str] = set()
    keys = {memory.key for memory in found.memories}
    for memory in found.memories:
        assert memory.key not in seen
        assert all(parent in seen for parent in memory.parents if parent in keys)
        assert memory.text.strip()
        assert memory.entity.strip()
        assert (memory.reinforcement is None) == (memory.disputation is None)
        assert abs(memory.reinforcement or 0) <= neko.LARGEST * 1_000_000
        assert 0 <= (memory.disputation or 0) <= neko.LARGEST * 1_000_000
        assert min(memory.sub_zero_days, memory.user_fact_reinforce_count) >= 0
        assert memory.importance is None or 1 <= memory.importance <= 10
        (memory.key + memory.text + memory.place + "".join(memory.parents)).encode()
        seen.add(memory.key)
    for place, reason in found.skipped:
        (place + reason).encode()
        assert "; " in reason


def test_what_is_told_can_be_printed_whatever_the_names(root: Path) -> None:
    put(root, facts=[fact()], persona=b'{"a\\ud83d": ["x"], "b\\u001b[31m": [7]}')
    (root / os.fsdecode(b"caf\xe9.json")).write_text("")
    found = read(root)
    told = " ".join([*found.left_out, *(place + reason for place, reason in found.skipped)])
    assert told.encode()
    assert told.isprintable()
