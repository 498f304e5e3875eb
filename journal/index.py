"""The decision index: small tables in the log file that commands read, written in the append transaction.

Stream heads, receipts, claims by topic and value, citations, rejected values and spans, names and scopes. Every row
follows from the records' public fields alone, so `indexing` builds the tables without a key, and `verify` compares them.
Random digests are kept to one row a claim, not one a record, and streams are integers.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

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
        first_hand INTEGER NOT NULL, parents BLOB NOT NULL
    ) STRICT""",
    "CREATE TABLE IF NOT EXISTS claims (stream INTEGER PRIMARY KEY, topic BLOB, value BLOB, persona BLOB) STRICT",
    "CREATE INDEX IF NOT EXISTS claims_by_topic ON claims (topic) WHERE topic IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS claims_by_value ON claims (value) WHERE value IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS claims_by_persona ON claims (persona) WHERE persona IS NOT NULL",
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

COMPARED = {
    "streams": ("id",),
    "scopes": ("id",),
    "receipts": ("stream", "command"),
    "evidence": ("stream",),
    "claims": ("stream",),
    "extractors": ("id",),
    "citations": ("claim", "evidence", "revision", "start", "stop", "extractor"),
    "rejected": ("digest", "claim"),
    "rejected_spans": ("evidence", "claim", "revision", "start", "stop"),
    "names": ("scope", "digest"),
}
"""The tables that follow from the records, with every column, and their primary keys."""

_PLACED = frozenset(
    {
        "claim-derived.v1",
        "claim-asserted.v1",
        "claim-reaffirmed.v1",
        "claim-quarantined.v1",
        "claim-corrected.v1",
        "claim-promoted.v1",
        "claim-merged.v1",
        "signal-applied.v1",
    },
)
_OF_SCOPES = frozenset({"scope-opened.v1", "policy-adopted.v1", "mode-switched.v1"})
_VALUED = frozenset(
    {
        "claim-derived.v1",
        "claim-asserted.v1",
        "claim-quarantined.v1",
        "claim-corrected.v1",
        "claim-promoted.v1",
        "claim-merged.v1",
        "change-undone.v1",
    },
)


class Tables(Protocol):
    """What takes the rows that a record adds: the log's own tables at once, or a database beside in batches."""

    def run(self, table: str, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Runs a statement on one table, once for each row of parameters, after what was run on that table before."""
        ...

    def stream(self, name: bytes) -> int:
        """Returns the integer of a stream. Raises LookupError for one that the log does not have yet."""
        ...

    def scope(self, name: bytes) -> int:
        """Returns the integer of a scope."""
        ...

    def extractor(self, name: str) -> int:
        """Returns the integer of an extractor, giving it one if it is new."""
        ...


class Stored(NamedTuple):
    """The log's own tables, written at once."""

    connection: sqlite3.Connection

    def run(self, table: str, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Runs a statement for each row."""
        del table
        self.connection.executemany(statement, rows)

    def stream(self, name: bytes) -> int:
        """Returns the integer of a stream. Raises LookupError if there is none."""
        return stream_of(self.connection, name)

    def scope(self, name: bytes) -> int:
        """Returns the integer of a scope."""
        return int(self.connection.execute("SELECT id FROM scopes WHERE name = ?", (name,)).fetchone()[0])

    def extractor(self, name: str) -> int:
        """Returns the integer of an extractor, giving it one if it is new."""
        found = self.connection.execute("SELECT id FROM extractors WHERE name = ?", (name,)).fetchone()
        if found is None:
            found = self.connection.execute("INSERT INTO extractors (name) VALUES (?) RETURNING id", (name,)).fetchone()
        return int(found[0])


def apply(connection: sqlite3.Connection, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    """Adds to the log's own tables what one appended record says; `public` are its decoded public fields."""
    tables = Stored(connection)
    add(tables, position, stream, body, public)
    if body.type in _OF_SCOPES:
        records.seal_scope(connection, tables.scope(body.scope))


def adds(type_name: str) -> bool:
    """Tells whether records of a type add rows besides the head of their stream, their scope's number and a receipt."""
    return newest(type_name) in _ADDING


def add(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    """Says what one record adds to the tables; the append and `indexing` both use it, in the order of positions.

    Raises LookupError where it names a stream that is not there yet, KeyError or TypeError for fields of another shape.
    """
    kind = newest(body.type)
    if kind in _PLACED and public.get("places"):
        _add_places(tables, stream, public)
    if kind in _VALUED:
        _add_value(tables, stream, public["state"])
    other = _OTHERS.get(kind)
    if other:
        other(tables, position, stream, body, public)


def receipt(stream: int, body: Body, position: int, count: int) -> tuple[int, bytes, int, int, bytes]:
    """Returns the row of `receipts` that says: a command's records begin at `position` and are `count` in number."""
    return stream, body.command, position, count, body.command_digest


def add_receipt(connection: sqlite3.Connection, stream: int, body: Body, position: int, count: int) -> None:
    """Adds the receipt of a command to the log's own tables."""
    connection.execute(
        "INSERT INTO receipts (stream, command, position, count, digest) VALUES (?, ?, ?, ?, ?)",
        receipt(stream, body, position, count),
    )


def stream_of(connection: sqlite3.Connection, name: bytes) -> int:
    """Returns the integer of a stream that exists."""
    found = records.find_stream(connection, name)
    if found is None:
        msg = f"stream {name.hex()[:24]} is not in the log"
        raise LookupError(msg)
    return found[0]


def _add_places(tables: Tables, stream: int, public: dict[str, Any]) -> None:
    extractor = tables.extractor(public.get("extractor", ""))
    rows = [
        (stream, tables.stream(place["evidence"]), place["revision"], place["start"], place["end"], extractor)
        for place in public["places"]
    ]
    tables.run("citations", "INSERT OR IGNORE INTO citations VALUES (?, ?, ?, ?, ?, ?)", rows)


def _add_value(tables: Tables, stream: int, state: dict[str, Any]) -> None:
    tables.run(
        "claims",
        "INSERT INTO claims VALUES (?, ?, ?, ?) ON CONFLICT (stream) DO UPDATE SET topic = excluded.topic, "
        "value = excluded.value, persona = excluded.persona WHERE topic IS NOT excluded.topic "
        "OR value IS NOT excluded.value OR persona IS NOT excluded.persona",
        [(stream, state.get("topic"), state.get("value"), state["about"] if state["form"] == "persona" else None)],
    )


def _add_evidence(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del position, body
    state = public["state"]
    first_hand = state["role"] == "user" and state["basis"] == "user_statement"
    parents = b"".join(state.get("parents", ()))
    row = (stream, state["source"], state["session"], state["key"], int(first_hand), parents)
    tables.run("evidence", "INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?)", [row])


def _add_rejection(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del position
    tables.run(
        "rejected",
        "INSERT OR REPLACE INTO rejected VALUES (?, ?, ?, ?)",
        [(digest, stream, body.occurred_at, public["normaliser"]) for digest in public["rejected"]],
    )
    extractors = "\n".join(public["extractors"])
    tables.run(
        "rejected_spans",
        "INSERT OR REPLACE INTO rejected_spans VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                tables.stream(place["evidence"]),
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


def _add_lift(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del position, body, public
    tables.run("rejected", "DELETE FROM rejected WHERE claim = ?", [(stream,)])
    tables.run("rejected_spans", "DELETE FROM rejected_spans WHERE claim = ?", [(stream,)])


def _add_name(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del stream
    row = (tables.scope(body.scope), public["digest"], public["name_id"], public["kind"], position)
    tables.run("names", "INSERT INTO names VALUES (?, ?, ?, ?, ?)", [row])


def _add_opened(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del stream
    tables.run(
        "scopes",
        "UPDATE scopes SET opened = ?, generation = ?, time_zone = ? WHERE name = ?",
        [(position, public["generation"], public["time_zone"], body.scope)],
    )


def _add_policy(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del stream, public
    tables.run("scopes", "UPDATE scopes SET policy = ? WHERE name = ?", [(position, body.scope)])


def _add_mode(tables: Tables, position: int, stream: int, body: Body, public: dict[str, Any]) -> None:
    del stream, public
    tables.run("scopes", "UPDATE scopes SET mode = ? WHERE name = ?", [(position, body.scope)])


_OTHERS = {
    "evidence-recorded.v1": _add_evidence,
    "value-rejected.v1": _add_rejection,
    "rejection-lifted.v1": _add_lift,
    "name-introduced.v1": _add_name,
    "scope-opened.v1": _add_opened,
    "policy-adopted.v1": _add_policy,
    "mode-switched.v1": _add_mode,
}
_ADDING = _PLACED | _VALUED | _OTHERS.keys()


def public_fields(body: Body) -> dict[str, Any]:
    """Returns a body's decoded public fields, in the newest shape of their type."""
    return upcast(body.type, decode(body.public))[1]
