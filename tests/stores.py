"""What the tests of memory stores share: files in the shapes in which their programs write them, made by hand."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import affidavit
from affidavit.projections.answers import Claim
from affidavit.scripts.outcomes import Imported

WHEN = "2026-05-01T09:30:00.000Z"
LATER = "2026-05-04T08:00:00.000Z"

PI_TABLES = """
    CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE memories (id TEXT PRIMARY KEY, scope TEXT NOT NULL, hash TEXT NOT NULL, data TEXT NOT NULL);
    CREATE TABLE sources (id TEXT PRIMARY KEY, data TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending');
    CREATE TABLE events (id TEXT PRIMARY KEY, scope TEXT NOT NULL, data TEXT NOT NULL);
    CREATE TABLE blocked (scope TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY(scope,hash));
"""
PI_TABLES_7 = """
    CREATE TABLE feedback_receipts (source_id TEXT, memory_id TEXT, verdict TEXT, at INTEGER);
    CREATE TABLE model_calls (source_id TEXT, attempt INTEGER, model TEXT, at INTEGER);
    CREATE TABLE route_health (id TEXT PRIMARY KEY, until INTEGER, code TEXT);
    CREATE TABLE recovery_notices (id TEXT PRIMARY KEY, at INTEGER);
"""
MEM0_TABLES = """
    CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
        created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at DATETIME);
"""
SCOPE = "/srv/harbour"


def fingerprint(text: str) -> str:
    """Returns how Pi names a text."""
    return hashlib.sha256(text.strip().encode()).hexdigest()[:24]


def pi_memory(content: str = "Database port is 5432.", **changes: Any) -> dict[str, Any]:
    """Returns a memory record of Pi; None takes a field out."""
    record: dict[str, Any] = {
        "id": "",
        "kind": "fact",
        "content": content,
        "scope": SCOPE,
        "sourceEntryId": "source-1",
        "createdAt": WHEN,
        "updatedAt": WHEN,
        "revision": 1,
        "layer": "durable",
        "status": "provisional",
        "evidence": {"basis": "user_statement", "method": "model", "sourceId": "source-1", "at": WHEN},
    }
    record |= changes
    record["id"] = record["id"] or fingerprint(json.dumps([record["scope"], record["kind"], content]))
    return {name: value for name, value in record.items() if value is not None}


def pi(path: Path, *records: Any, schema: str | None = "7", wal: bool = False) -> Path:
    """Writes a memory.sqlite of Pi; a record is a memory, or the four columns of a row as they are."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        if wal:
            database.execute("PRAGMA journal_mode = WAL")
        database.executescript(PI_TABLES + (PI_TABLES_7 if schema in {"5", "6", "7"} else ""))
        if schema is not None:
            database.execute("INSERT INTO metadata VALUES ('schema', ?)", (schema,))
        for record in records:
            database.execute("INSERT INTO memories VALUES (?, ?, ?, ?)", row_of(record))
    return path


def row_of(record: Any) -> tuple[Any, ...]:
    """Returns the row in which Pi keeps a memory."""
    if isinstance(record, tuple):
        return record
    data = json.dumps(record, ensure_ascii=False)
    return record["id"], record["scope"], fingerprint(record["content"]), data


def mem0(path: Path, *rows: tuple[Any, ...]) -> Path:
    """Writes a history.db of mem0; a row is (memory id, old text, new text, event) and what else it has, by position."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(MEM0_TABLES)
        for number, row in enumerate(rows):
            padded = (*row, *(None,) * (9 - len(row)))
            database.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (f"h{number}", *padded))
    return path


def lines(path: Path, *objects: Any) -> Path:
    """Writes JSONL; a text is a line as it is."""
    written = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in objects)
    path.write_text("".join(f"{one}\n" for one in written), encoding="utf-8")
    return path


def whole(path: Path, content: Any) -> Path:
    """Writes one JSON document."""
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2), encoding="utf-8")
    return path


def load(ledger: affidavit.Ledger, path: Path, **options: Any) -> Imported:
    """Imports a file that fills one scope."""
    (done,) = ledger.import_file(path, **options)
    return done


def by_text(ledger: affidavit.Ledger) -> dict[str, Claim]:
    """Returns every claim by what it says."""
    return {claim.text: claim for claim in ledger.claims(every=True)}


def places(done: Imported) -> list[str]:
    """Returns where what was skipped stands."""
    return [one["place"] for one in done.skipped]


def holding(folder: Path) -> dict[str, bytes]:
    """Returns the bytes of every file in a folder, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def is_sound(ledger: affidavit.Ledger) -> bool:
    """Tells whether the log is clean and the views are what a rebuild gives."""
    ledger.prompt()
    agree = all(one.agree for one in ledger.check_views())
    ledger.rebuild_index()
    return agree and bool(ledger.verify().clean)


def joined(reasons: Iterable[dict[str, Any]]) -> str:
    """Returns all reasons as one text."""
    return "\n".join(str(one["reason"]) for one in reasons)
