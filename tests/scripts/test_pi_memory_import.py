"""Pi's memory file: every memory it would itself take, by its status; bad rows cost themselves; the file is left alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import affidavit as run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stores import LATER, SCOPE, WHEN, by_text, fingerprint, holding, is_sound, joined, load, pi, pi_memory, places, row_of

import affidavit
from affidavit.domain.times import parse_time
from affidavit.scripts.importers import Options, detect, sqlite_files
from affidavit.scripts.importers import pi_memory as pi_memory_importer

NOW = parse_time("2026-05-10T00:00:00Z", "UTC")[0]
PASSWORD = "hun" + "ter" + "22"
SUMMARY = {"basis": "summary", "method": "local", "sourceId": "s", "at": WHEN}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[affidavit.Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", time_zone="Asia/Shanghai", clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Gives the folder of a file an own place, so that whatever is made beside it is seen."""
    folder = tmp_path / "pi"
    folder.mkdir()
    return folder / "memory.sqlite"


# What comes in


def test_a_memory_is_one_claim_with_its_kind_origin_and_time(ledger: affidavit.Ledger, path: Path) -> None:
    pi(path, pi_memory("用户喜欢深色主题。", kind="preference", createdAt=LATER, updatedAt=LATER))
    assert detect(path) == "pi-memory"
    done = load(ledger, path)
    assert (done.format, done.recorded, done.derived, done.skipped) == ("pi-memory", 1, 1, [])
    claim = by_text(ledger)["用户喜欢深色主题。"]
    state = ledger.show(claim.id).state
    assert (claim.form, claim.kind, claim.status, claim.namespace) == ("fact", "preference", "active", SCOPE)
    assert (state["basis"], state["method"], state["confidence"]) == ("imported", "unknown", 0.5)
    assert (state["sources"], state["sessions"], state["signals"], state["vouched"]) == (0, 0, 1, False)
    (evidence,) = ledger.evidence()
    assert (evidence.role, evidence.source, evidence.occurred_at) == ("system", "pi-memory", "2026-05-01T09:30:00Z")
    (source,) = ledger.why(claim.id).sources
    assert source.quote == "用户喜欢深色主题。"


@pytest.mark.parametrize(
    ("status", "here", "reinforcement"),
    [("provisional", "active", 0.0), ("confirmed", "active", 1.0), ("forgotten", "forgotten", 0.0)],
)
def test_a_status_is_a_seed_and_no_judgement(
    ledger: affidavit.Ledger, path: Path, status: str, here: str, reinforcement: float
) -> None:
    load(ledger, pi(path, pi_memory(status=status, updatedAt=LATER)))
    claim = by_text(ledger)["Database port is 5432."]
    state = ledger.show(claim.id).state
    assert (claim.status, state["reinforcement"], state["disputation"]) == (here, reinforcement, 0.0)
    assert state["vouched"] is False
    assert state["rein_last_signal_at"] == ("2026-05-04T08:00:00Z" if reinforcement else None)
    seeds = {stage["stage"]: stage["by"] for stage in ledger.funnel()}["signals applied"]
    assert seeds == {"migration_seed": 1}


def test_what_was_in_conflict_stands_in_the_inbox(ledger: affidavit.Ledger, path: Path) -> None:
    load(ledger, pi(path, pi_memory(status="conflicted")))
    assert by_text(ledger)["Database port is 5432."].status == "quarantined"
    (one,) = ledger.inbox()
    assert (one["class"], one["rule"]) == ("quarantined", "in conflict where it came from")
    assert "5432" not in ledger.prompt(namespace=SCOPE).text


def test_what_was_forgotten_rejects_nothing_and_the_user_may_say_it(ledger: affidavit.Ledger, path: Path) -> None:
    load(ledger, pi(path, pi_memory("User prefers green tea.", kind="preference", status="forgotten", scope="legacy")))
    assert "green tea" not in ledger.prompt().text
    (heard,) = ledger.remember("I prefer green tea.").claims
    assert (heard.status, heard.live) == ("active", True)
    assert ledger.show(heard.id).state["basis"] == "user_statement"
    assert "green tea" in ledger.prompt().text


def test_unscoped_memories_have_no_namespace_and_the_import_may_name_one(
    ledger: affidavit.Ledger, path: Path, tmp_path: Path
) -> None:
    load(ledger, pi(path, pi_memory(scope="legacy")))
    assert by_text(ledger)["Database port is 5432."].namespace == ""
    load(ledger, pi(tmp_path / "two.sqlite", pi_memory("Cedar is red.")), namespace="old", source="two")
    assert by_text(ledger)["Cedar is red."].namespace == "old"


def test_the_same_words_of_two_origins_are_two_claims(ledger: affidavit.Ledger, path: Path) -> None:
    load(ledger, pi(path, pi_memory(), pi_memory(scope="/srv/beta")))
    assert {claim.namespace for claim in ledger.claims(every=True)} == {SCOPE, "/srv/beta"}


def test_what_confirmed_it_there_keeps_it_fresh_here(ledger: affidavit.Ledger, path: Path) -> None:
    load(ledger, pi(path, pi_memory(reinforcedAt=LATER), pi_memory("Cedar is red.", reinforcedAt="soon")))
    states = {text: ledger.show(claim.id).state for text, claim in by_text(ledger).items()}
    assert states["Database port is 5432."]["confirmed_at"] == "2026-05-04T08:00:00Z"
    assert states["Database port is 5432."]["evidence_at"] == "2026-05-01T09:30:00Z"
    assert states["Cedar is red."]["confirmed_at"] == "2026-05-01T09:30:00Z"


def test_what_is_not_carried_is_counted(ledger: affidavit.Ledger, path: Path) -> None:
    verdict = {"verdict": "useful", "at": WHEN, "sourceId": "m1"}
    record = pi_memory(
        layer="pinned", searchTerms=["port", "端口"], feedback={"utility": verdict}, suppressedHashes=[fingerprint("x")]
    )
    pi(path, record)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("INSERT INTO sources (id, data) VALUES ('s1', '{}'), ('s2', '{}')")
        database.execute("INSERT INTO blocked VALUES ('/srv/harbour', 'abc')")
        database.execute("INSERT INTO events VALUES ('e1', '/srv/harbour', '{}')")
        database.execute("INSERT INTO feedback_receipts VALUES ('m1', 'x', 'useful', 1)")
    assert load(ledger, path).noise == {
        "pins": 1,
        "verdicts of feedback": 1,
        "lists of aliases": 1,
        "hashes of blocked values, without their texts": 2,
        "sources, which are clipped and redacted copies": 2,
        "events of its history": 1,
        "receipts of feedback": 1,
    }
    assert ledger.show(by_text(ledger)["Database port is 5432."].id).state["pinned"] is False


@pytest.mark.parametrize("schema", ["2", "3", "4", "5", "6", "7"])
@pytest.mark.row("P19")
def test_each_schema_is_read_and_left_as_it_was_and_missing_evidence_stays_unknown(
    ledger: affidavit.Ledger, path: Path, schema: str
) -> None:
    pi(path, pi_memory(evidence=None), schema=schema)
    before = holding(path.parent)
    done = load(ledger, path)
    assert (done.derived, done.skipped) == (1, [])
    assert holding(path.parent) == before
    state = ledger.show(by_text(ledger)["Database port is 5432."].id).state
    assert (state["basis"], state["method"]) == ("imported", "unknown")


# Bad rows


def bad(**changes: Any) -> dict[str, Any]:
    return pi_memory("Maple is sold.", **changes)


def evidence(**changes: Any) -> dict[str, Any]:
    return bad(evidence={"basis": "user_statement", "method": "model", "sourceId": "s", "at": WHEN} | changes)


def feedback(name: str, verdict: str, at: str = WHEN) -> dict[str, Any]:
    return bad(feedback={name: {"verdict": verdict, "at": at, "sourceId": "s"}})


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (evidence(basis="manual_correction"), "manual_correction and method model, which do not go together"),
        (evidence(method="manual"), "user_statement and method manual, which do not go together"),
        (evidence(basis="summary", method="manual"), "summary and method manual"),
        (evidence(basis="tool_observation"), "tool_observation and its kind is fact"),
        (evidence(basis="verified"), "\"basis\" is 'verified'"),
        (evidence(at="yesterday"), "\"at\" is 'yesterday', an ISO 8601 time is required"),
        (evidence(confidence=0.9), 'field "evidence" is not one of'),
        (feedback("utility", "accurate"), "its feedback on utility: field \"verdict\" is 'accurate'"),
        (feedback("accuracy", "useful"), "its feedback on accuracy"),
        (feedback("trust", "useful"), "a slot 'trust'"),
        (feedback("utility", "useful", at="soon"), "\"at\" is 'soon'"),
    ],
)
@pytest.mark.row("P20")
def test_evidence_that_cannot_be_costs_its_row_and_no_other(
    ledger: affidavit.Ledger, path: Path, record: dict[str, Any], reason: str
) -> None:
    done = load(ledger, pi(path, pi_memory(), record, pi_memory("Cedar is red.")))
    assert sorted(by_text(ledger)) == ["Cedar is red.", "Database port is 5432."]
    assert places(done) == ["memories[2]"]
    assert reason in joined(done.skipped)


BLOB = (b"\xff\xfe", SCOPE, "x", "{}")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (bad(kind="rumour"), '"kind"'),
        (bad(status="verified"), '"status"'),
        (bad(layer="core"), '"layer"'),
        (bad(revision=0), '"revision"'),
        (bad(createdAt="long ago"), '"createdAt"'),
        (bad(updatedAt=None), '"updatedAt"'),
        (bad(sourceEntryId=None), '"sourceEntryId"'),
        (bad(suppressedHashes=["x"]), '"suppressedHashes"'),
        (bad(searchTerms="port"), '"searchTerms"'),
        (pi_memory("  "), '"content"'),
        (BLOB, 'column "id" is not UTF-8'),
        (("x", SCOPE, "x", "{nonsense"), "not JSON"),
        (("x", SCOPE, "x", "[" * 100_000), "nested too deeply"),
        (("x", SCOPE, "x", 7), "7 was found, an object is required"),
        (
            ("x", SCOPE, fingerprint("Maple is sold."), '{"id": "y", "scope": "/srv/harbour", "content": "Maple is sold."}'),
            "id",
        ),
        (("x", SCOPE, "0" * 24, '{"id": "x", "scope": "/srv/harbour", "content": "Maple is sold."}'), "hash"),
    ],
)
def test_a_spoilt_row_costs_itself_only(ledger: affidavit.Ledger, path: Path, record: Any, reason: str) -> None:
    done = load(ledger, pi(path, pi_memory(), record, pi_memory("Cedar is red.")))
    assert sorted(by_text(ledger)) == ["Cedar is red.", "Database port is 5432."]
    assert places(done) == ["memories[2]"]
    assert reason in joined(done.skipped)


def test_a_time_that_cannot_be_read_costs_itself_only(ledger: affidavit.Ledger, path: Path) -> None:
    done = load(ledger, pi(path, pi_memory(reinforcedAt="soon")))
    assert (done.derived, places(done)) == (1, ["memories[1].reinforcedAt"])


# Again, and afterwards


def test_the_same_file_again_adds_nothing_and_a_corrected_one_is_a_revision(ledger: affidavit.Ledger, path: Path) -> None:
    first = pi_memory()
    position = load(ledger, pi(path, first, pi_memory("Cedar is red."))).position
    again = load(ledger, path)
    assert (again.recorded, again.derived, again.known, again.position) == (0, 0, 2, position)
    path.unlink()
    corrected = pi_memory("Database port is 7777.", id=first["id"], status="confirmed", revision=2, updatedAt=LATER)
    corrected["evidence"] = {"basis": "manual_correction", "method": "manual", "sourceId": "manual:1", "at": LATER}
    done = load(ledger, pi(path, corrected, pi_memory("Cedar is red.")))
    assert (done.revised, done.derived, done.superseded, done.known) == (1, 1, 1, 1)
    assert by_text(ledger)["Database port is 5432."].status == "superseded"
    assert is_sound(ledger)


def test_a_rejected_value_stays_rejected(ledger: affidavit.Ledger, path: Path) -> None:
    ledger.remember("Database port is 5432.", as_claim=True, extractor=None)
    ledger.reject(by_text(ledger)["Database port is 5432."].id)
    done = load(ledger, pi(path, pi_memory(scope="legacy")))
    assert (done.derived, done.refused, places(done)) == (0, 1, ["memories[1]"])
    assert by_text(ledger)["Database port is 5432."].status == "denied"


def test_secrets_are_replaced_before_anything_is_written(ledger: affidavit.Ledger, path: Path, tmp_path: Path) -> None:
    done = load(ledger, pi(path, pi_memory(f"The password is {PASSWORD}")))
    assert [(one["place"], one["kind"]) for one in done.secrets] == [("memories[1]", "password")]
    kept = b"".join(one.read_bytes() for one in (tmp_path / "ledger").rglob("*") if one.is_file())
    assert PASSWORD.encode() not in kept


def test_no_extractor_reads_what_was_migrated(ledger: affidavit.Ledger, path: Path) -> None:
    load(ledger, pi(path, pi_memory("I live in Lisbon and I prefer green tea.")))
    position = ledger.position
    assert ledger.extract().read == 0
    assert ledger.position == position


def test_many_rows_come_in_groups_and_stay_sound(
    ledger: affidavit.Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("affidavit.journal.migrating.GROUP", 7)
    statuses = ("provisional", "confirmed", "forgotten", "conflicted")
    load(ledger, pi(path, *(pi_memory(f"Berth {n} is free.", status=statuses[n % 4]) for n in range(30))))
    assert len(ledger.claims(every=True)) == 30
    assert is_sound(ledger)


# The file


def test_a_log_beside_it_is_read_and_nothing_is_made_or_changed(ledger: affidavit.Ledger, path: Path) -> None:
    pi(path, pi_memory(), wal=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        record = pi_memory("Cedar is red.")
        writer.execute("INSERT INTO memories VALUES (?, ?, ?, ?)", row_of(record))
        before = holding(path.parent)
        assert before["memory.sqlite-wal"]
        load(ledger, path)
        assert holding(path.parent) == before
    assert sorted(by_text(ledger)) == ["Cedar is red.", "Database port is 5432."]


def test_a_change_that_was_cut_off_is_taken_back_in_a_copy(ledger: affidavit.Ledger, path: Path, tmp_path: Path) -> None:
    pi(path, pi_memory())
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute("UPDATE memories SET hash = 'gone'")
        writer.executemany("INSERT INTO events VALUES (?, 's', ?)", ((f"e{n}", "x" * 5000) for n in range(50)))
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        for one in path.parent.iterdir():
            (crashed / one.name).write_bytes(one.read_bytes())
    before = holding(crashed)
    assert before["memory.sqlite-journal"]
    done = load(ledger, crashed / "memory.sqlite")
    assert (done.derived, done.skipped) == (1, [])
    assert holding(crashed) == before


def test_a_file_that_may_not_be_written_to_is_read(ledger: affidavit.Ledger, path: Path) -> None:
    pi(path, pi_memory(), wal=True)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        assert load(ledger, path).derived == 1
    finally:
        path.parent.chmod(0o700)


def test_a_file_that_is_written_to_meanwhile_is_refused_whole(
    ledger: affidavit.Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi(path, pi_memory())
    position = ledger.position

    def meddled(database: sqlite3.Connection) -> dict[str, frozenset[str]]:
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            writer.execute("INSERT INTO events VALUES ('e', 's', '{}')")
        return sqlite_files.tables(database)

    monkeypatch.setattr("affidavit.scripts.importers.pi_memory.tables", meddled)
    with pytest.raises(affidavit.BadInput, match="written to while it was read; close the program"):
        load(ledger, path, format="pi-memory")
    assert ledger.position == position


@pytest.mark.parametrize("schema", ["1", "8", "seven", None])
def test_an_unknown_schema_is_refused_before_anything_is_written(
    ledger: affidavit.Ledger, path: Path, schema: str | None
) -> None:
    position = ledger.position
    with pytest.raises(affidavit.BadInput, match="one of 2, 3, 4, 5, 6, 7 is required"):
        load(ledger, pi(path, pi_memory(), schema=schema), format="pi-memory")
    assert ledger.position == position


def test_a_damaged_file_is_refused_with_what_to_do(ledger: affidavit.Ledger, path: Path) -> None:
    pi(path, *(pi_memory(f"Berth {n} is free. {'x' * 300}") for n in range(100)))
    whole = bytearray(path.read_bytes())
    whole[8192:-4096] = b"\xa5" * (len(whole) - 8192 - 4096)
    path.write_bytes(whole)
    position = ledger.position
    with pytest.raises(affidavit.BadInput, match=r"the database cannot be read: .*; restore it from a backup"):
        load(ledger, path, format="pi-memory")
    path.write_bytes(bytes(whole[:600]))
    with pytest.raises(affidavit.BadInput, match="the database cannot be read"):
        load(ledger, path)
    assert ledger.position == position


def test_a_file_may_have_any_name(ledger: affidavit.Ledger, path: Path) -> None:
    named = pi(path.with_name("记忆 50%?#&mode=rwc.sqlite"), pi_memory())
    assert load(ledger, named).derived == 1
    assert list(holding(path.parent)) == [named.name]


def test_a_link_to_a_file_is_read_with_the_log_beside_the_file(ledger: affidavit.Ledger, path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(pi(path, pi_memory(), wal=True))
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("INSERT INTO memories VALUES (?, ?, ?, ?)", row_of(pi_memory("Cedar is red.")))
        load(ledger, link)
    assert sorted(by_text(ledger)) == ["Cedar is red.", "Database port is 5432."]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2**31), st.integers(0, 255)), min_size=1, max_size=40))
def test_whatever_is_spoilt_is_refused_or_told_and_never_written_to(path: Path, flips: list[tuple[int, int]]) -> None:
    whole = path.parent.parent / "whole.sqlite"
    if not whole.exists():
        pi(whole, *(pi_memory(f"Berth {n} is free.") for n in range(20)))
    spoilt = bytearray(whole.read_bytes())
    for at, value in flips:
        spoilt[at % len(spoilt)] = value
    path.write_bytes(spoilt)
    try:
        (store,) = pi_memory_importer.read(path, Options())
    except affidavit.BadInput as refused:
        assert str(path) in str(refused)
    else:
        said = {memory.text for memory in store.memories}
        assert said <= {f"Berth {n} is free." for n in range(20)}
    assert holding(path.parent) == {"memory.sqlite": bytes(spoilt)}


def test_another_database_is_none_that_is_known(ledger: affidavit.Ledger, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE notes (text TEXT)")
    with pytest.raises(affidavit.BadInput, match="pi-memory"):
        detect(path)
    with pytest.raises(affidavit.BadInput, match="are not all there; name the file"):
        load(ledger, path, format="pi-memory")


def test_the_command_tells_places_counts_and_what_is_not_carried(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert run("init", "--ledger", kept, "--scope", "ana", "--time-zone", "UTC").code == 0
    pi(path, pi_memory(layer="pinned"), evidence(basis="verified"))
    done = run("import", path, "--ledger", kept)
    assert done.code == 1
    assert done.out.strip() == "ana: 1 recorded, 1 derived, 1 skipped, 1 left out; position 8"
    assert f"{path}: memories[2]: field \"basis\" is 'verified'" in done.err
    assert f"{path}: not carried: pins (1)" in done.err
    (one,) = run("import", path, "--ledger", kept, "--json").json["imported"]
    assert (one["format"], one["known"], one["skipped"][0]["place"]) == ("pi-memory", 1, "memories[2]")
