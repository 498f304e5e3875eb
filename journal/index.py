"""The decision index: small tables in the log file that commands read, written in the append transaction.

Stream heads, receipts, claims by topic and value, citations, rejected values and spans, names and scopes. Every row
follows from the records' public fields alone, so the tables can be rebuilt without a key, and `verify` compares them.
Random digests are kept to one row a claim, not one a record, and streams are integers.
"""

import sqlite3
from typing import Any

from affidavit.journal import records
from affidavit.journal.encoding import Body, decode
from affidavit.journal.upcast import newest, upcast

TABLES = (
    """CREATE TABLE IF NOT EXISTS receipts (
        stream INTEGER NOT NULL, command BLOB NOT NULL, position INTEGER NOT NULL, count INTEGER NOT NULL,
        digest BLOB NOT NULL, PRIMARY KEY (stream, command)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE IF NOT EXISTS evidence (
        stream INTEGER PRIMARY KEY, source BLOB NOT NULL, session BLOB NOT NULL, key BLOB NOT NULL,
        first_hand INTEGER NOT NULL
    ) STRICT""",
    "CREATE TABLE IF NOT EXISTS claims (stream INTEGER PRIMARY KEY, topic BLOB, value BLOB) STRICT",
    "CREATE INDEX IF NOT EXISTS claims_by_topic ON claims (topic) WHERE topic IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS claims_by_value ON claims (value) WHERE value IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS extractors (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    """CREATE TABLE IF NOT EXISTS citations (
        claim INTEGER NOT NULL, evidence INTEGER NOT NULL, revision INTEGER NOT NULL, start INTEGER NOT NULL,
        stop INTEGER NOT NULL, extractor INTEGER NOT NULL, PRIMARY KEY (claim, evidence, revision, start, stop, extractor)
    ) WITHOUT ROWID, STRICT""",
    "CREATE INDEX IF NOT EXISTS citations_by_evidence ON citations (evidence)",
    """CREATE TABLE IF NOT EXISTS rejected (
        digest BLOB NOT NULL, claim INTEGER NOT NULL, at INTEGER NOT NULL, normaliser INTEGER NOT NULL,
        PRIMARY KEY (digest, claim)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE IF NOT EXISTS rejected_spans (
        evidence INTEGER NOT NULL, revision INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
        claim INTEGER NOT NULL, about BLOB NOT NULL, extractors TEXT NOT NULL,
        PRIMARY KEY (evidence, claim, revision, start, stop)
    ) WITHOUT ROWID, STRICT""",
    "CREATE INDEX IF NOT EXISTS rejected_spans_by_claim ON rejected_spans (claim)",
    """CREATE TABLE IF NOT EXISTS names (
        scope INTEGER NOT NULL, digest BLOB NOT NULL, id BLOB NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL,
        PRIMARY KEY (scope, digest)
    ) WITHOUT ROWID, STRICT""",
)

COMPARED = (
    "streams",
    "scopes",
    "receipts",
    "evidence",
    "claims",
    "extractors",
    "citations",
    "rejected",
    "rejected_spans",
    "names",
)
"""The tables that `verify` rebuilds and compares, with every column."""

_PLACED = frozenset(
    {
        "claim-derived.v1",
        "claim-asserted.v1",
        "claim-reaffirmed.v1",
        "claim-quarantined.v1",
        "claim-corrected.v1",
    },
)
_VALUED = frozenset({"claim-derived.v1", "claim-asserted.v1", "claim-quarantined.v1", "claim-corrected.v1"})


def apply(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    """Adds to the tables what one appended record says; `public` are its decoded public fields.

    The same function serves the append and the rebuild, in the order of positions.
    """
    kind = newest(body.type)
    if kind in _PLACED:
        _apply_places(connection, stream, public)
    if kind in _VALUED:
        _apply_value(connection, stream, public["state"])
    other = _OTHERS.get(kind)
    if other:
        other(connection, position, stream, body, public)


def add_receipt(connection: sqlite3.Connection, stream: int, body: Body, position: int, count: int) -> None:
    """Notes that a command's records begin at `position` and are `count` in number."""
    connection.execute(
        "INSERT INTO receipts (stream, command, position, count, digest) VALUES (?, ?, ?, ?, ?)",
        (stream, body.command, position, count, body.command_digest),
    )


def stream_of(connection: sqlite3.Connection, name: bytes) -> int:
    """Returns the integer of a stream that exists."""
    found = records.find_stream(connection, name)
    if found is None:
        msg = f"stream {name.hex()[:24]} is not in the log"
        raise LookupError(msg)
    return found[0]


def _apply_places(connection: sqlite3.Connection, stream: int, public: dict[str, Any]) -> None:
    extractor = _extractor(connection, public.get("extractor", ""))
    rows = [
        (stream, stream_of(connection, place["evidence"]), place["revision"], place["start"], place["end"], extractor)
        for place in public["places"]
    ]
    connection.executemany("INSERT OR IGNORE INTO citations VALUES (?, ?, ?, ?, ?, ?)", rows)


def _apply_value(connection: sqlite3.Connection, stream: int, state: dict[str, Any]) -> None:
    connection.execute(
        "INSERT INTO claims VALUES (?, ?, ?) ON CONFLICT (stream) DO UPDATE SET topic = excluded.topic, "
        "value = excluded.value WHERE topic IS NOT excluded.topic OR value IS NOT excluded.value",
        (stream, state.get("topic"), state.get("value")),
    )


def _apply_evidence(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del position, body
    state = public["state"]
    first_hand = state["role"] == "user" and state["basis"] == "user_statement"
    row = (stream, state["source"], state["session"], state["key"], int(first_hand))
    connection.execute("INSERT INTO evidence VALUES (?, ?, ?, ?, ?)", row)


def _apply_rejection(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del position
    connection.executemany(
        "INSERT OR REPLACE INTO rejected VALUES (?, ?, ?, ?)",
        [(digest, stream, body.occurred_at, public["normaliser"]) for digest in public["rejected"]],
    )
    extractors = "\n".join(public["extractors"])
    connection.executemany(
        "INSERT OR REPLACE INTO rejected_spans VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                stream_of(connection, place["evidence"]),
                place["revision"],
                place["start"],
                place["end"],
                stream,
                public["about"],
                extractors,
            )
            for place in public["places"]
        ],
    )


def _apply_lift(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del position, body, public
    connection.execute("DELETE FROM rejected WHERE claim = ?", (stream,))
    connection.execute("DELETE FROM rejected_spans WHERE claim = ?", (stream,))


def _apply_name(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del stream
    row = (_scope(connection, body.scope), public["digest"], public["name_id"], public["kind"], position)
    connection.execute("INSERT INTO names VALUES (?, ?, ?, ?, ?)", row)


def _apply_opened(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del stream
    connection.execute(
        "UPDATE scopes SET opened = ?, generation = ?, time_zone = ? WHERE name = ?",
        (position, public["generation"], public["time_zone"], body.scope),
    )
    records.seal_scope(connection, _scope(connection, body.scope))


def _apply_policy(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del stream, public
    connection.execute("UPDATE scopes SET policy = ? WHERE name = ?", (position, body.scope))
    records.seal_scope(connection, _scope(connection, body.scope))


_OTHERS = {
    "evidence-recorded.v1": _apply_evidence,
    "value-rejected.v1": _apply_rejection,
    "rejection-lifted.v1": _apply_lift,
    "name-introduced.v1": _apply_name,
    "scope-opened.v1": _apply_opened,
    "policy-adopted.v1": _apply_policy,
}


def _scope(connection: sqlite3.Connection, name: bytes) -> int:
    return int(connection.execute("SELECT id FROM scopes WHERE name = ?", (name,)).fetchone()[0])


def _extractor(connection: sqlite3.Connection, name: str) -> int:
    found = connection.execute("SELECT id FROM extractors WHERE name = ?", (name,)).fetchone()
    if found is None:
        found = connection.execute("INSERT INTO extractors (name) VALUES (?) RETURNING id", (name,)).fetchone()
    return int(found[0])


def public_fields(body: Body) -> dict[str, Any]:
    """Returns a body's decoded public fields, in the newest shape of their type."""
    return upcast(body.type, decode(body.public))[1]
