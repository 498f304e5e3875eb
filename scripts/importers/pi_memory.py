"""Pi memory evolution: its SQLite file, schema 2 to 7. Only the table `memories` holds what is remembered.

A row is what that program itself would take for a memory; one that it would not take costs itself only (there, one stops
all recall). Missing evidence is unknown and stays so. Its status is a word of another program: it judges nothing here.
"""

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from affidavit.domain.errors import BadInput
from affidavit.domain.memories import Legacy
from affidavit.domain.proposals import Kind
from affidavit.scripts.importers import Options
from affidavit.scripts.importers.lines import Bad
from affidavit.scripts.importers.sqlite_files import count, opened, tables, text
from affidavit.scripts.importers.stores import WITHOUT, Gathering, Store, filled, memory, one_of, parse, shown, time_of

TABLES = frozenset({"metadata", "memories", "sources", "events", "blocked"})
"""The tables that every schema has."""

SCHEMAS = ("2", "3", "4", "5", "6", "7")
_KINDS = ("fact", "preference", "decision", "project_state")
_STATUSES = {"provisional": "active", "confirmed": "active", "forgotten": "forgotten", "conflicted": "quarantined"}
_METHODS = {
    "summary": ("local", "model"),
    "user_statement": ("model",),
    "tool_observation": ("model",),
    "manual_correction": ("manual",),
}
_VERDICTS = {"utility": ("useful", "unhelpful"), "accuracy": ("accurate", "incorrect")}
_COUNTED = {
    "sources": "sources, which are clipped and redacted copies",
    "events": "events of its history",
    "blocked": "hashes of blocked values, without their texts",
    "feedback_receipts": "receipts of feedback",
    "model_calls": "model calls",
    "route_health": "states of routes",
    "recovery_notices": "notices of recovery",
}
_UNSCOPED = "legacy"
_HASH = re.compile(r"[0-9a-f]{24}")
_CONTROL = re.compile(r"[\x00-\x1f]")


def read(path: Path, options: Options) -> Iterator[Store]:
    """Yields what the file holds, for the caller's scope. Raises BadInput for an unknown schema or a spoilt file."""
    found = Gathering()
    with opened(path) as database:
        known = tables(database)
        _require_schema(path, database, known)
        for number, *row in database.execute("SELECT rowid, id, scope, hash, data FROM memories ORDER BY rowid"):
            place = f"memories[{number}]"
            try:
                found.admit(_memory(place, row, options.zone, found))
            except Bad as bad:
                found.skip(place, bad)
        for table, name in _COUNTED.items():
            if table in known:
                found.leave(name, count(database, table))
    yield found.store()


def _require_schema(path: Path, database: sqlite3.Connection, known: dict[str, frozenset[str]]) -> None:
    if not known.keys() >= TABLES:
        msg = f"{path}: the tables of Pi's memory ({', '.join(sorted(TABLES))}) are not all there"
        raise BadInput(msg, remedy="name the file memory.sqlite of its state folder")
    row = database.execute("SELECT value FROM metadata WHERE key = 'schema'").fetchone()
    marker = row[0].decode("utf-8", "replace") if row and isinstance(row[0], bytes) else row[0] if row else None
    if str(marker) not in SCHEMAS:
        msg = f"{path}: its schema is {shown(marker)}, one of {', '.join(SCHEMAS)} is required"
        raise BadInput(msg, remedy="nothing was imported; a newer affidavit may know this schema")


def _memory(place: str, row: list[Any], zone: str, found: Gathering) -> Legacy:
    name, scope, digest = (text(value, column) for value, column in zip(row, ("id", "scope", "hash"), strict=False))
    fields = parse(text(row[3], "data").encode())
    said = filled(fields, "content")
    for column, kept in (("id", name), ("scope", scope)):
        if filled(fields, column) != kept:
            raise Bad(f'column "{column}" and the data name two different ones')
    if hashlib.sha256(said.strip().encode("utf-8", "surrogatepass")).hexdigest()[:24] != digest:
        raise Bad("the content is not the one that its hash was made of")
    kind = one_of(fields, "kind", _KINDS)
    status = one_of(fields, "status", _STATUSES)
    layer = one_of(fields, "layer", ("durable", "pinned"))
    revision = fields.get("revision")
    if isinstance(revision, bool) or not isinstance(revision, int) or revision < 1:
        raise Bad(f'field "revision" is {shown(revision)}, a whole number from 1 is required')
    filled(fields, "sourceEntryId")
    _hashes(fields)
    created, _ = _moment(fields, "createdAt", zone)
    updated, assumed = _moment(fields, "updatedAt", zone)
    observed = _evidence(fields, kind, zone)
    verdicts = _feedback(fields, zone)
    one = memory(
        f"memory/{name}",
        said,
        place,
        kind=cast("Kind", kind),
        status=_STATUSES[status],
        standing="confirmed" if status == "confirmed" else "",
        at=updated if observed is None else observed[0],
        assumed=assumed if observed is None else observed[1],
        since=created if status == "provisional" else updated,
        confirmed_at=_reinforced(fields, zone, place, found),
        namespace="" if scope == _UNSCOPED else scope,
    )
    found.leave("pins", layer == "pinned")
    found.leave("verdicts of feedback", verdicts)
    found.leave("lists of aliases", bool(fields.get("searchTerms")))
    found.leave(_COUNTED["blocked"], len(fields.get("suppressedHashes") or ()))
    return one


def _evidence(fields: dict[str, Any], kind: str, zone: str) -> tuple[int, bool] | None:
    """Returns when what a memory stands on was seen, None where it does not say. Raises Bad for what cannot be (row P20)."""
    evidence = fields.get("evidence")
    if evidence is None and "evidence" not in fields:
        return None
    if not isinstance(evidence, dict) or not evidence.keys() <= {"basis", "method", "sourceId", "at"}:
        raise Bad('field "evidence" is not one of basis, method, sourceId and at')
    basis = one_of(evidence, "basis", _METHODS)
    method = one_of(evidence, "method", ("local", "model", "manual"))
    if method not in _METHODS[basis]:
        raise Bad(f"its evidence has basis {basis} and method {method}, which do not go together")
    if basis == "tool_observation" and kind != "project_state":
        raise Bad(f"its evidence has basis {basis} and its kind is {kind}, which do not go together")
    _identifier(evidence)
    return _moment(evidence, "at", zone)


def _feedback(fields: dict[str, Any], zone: str) -> int:
    """Returns how many verdicts a memory has. Raises Bad for a slot or a verdict that cannot be (row P20)."""
    slots = fields.get("feedback")
    if slots is None and "feedback" not in fields:
        return 0
    if not isinstance(slots, dict):
        raise Bad(f'field "feedback" is {shown(slots)}, an object is required')
    for name, slot in slots.items():
        if name not in _VERDICTS or not isinstance(slot, dict) or not slot.keys() <= {"verdict", "at", "sourceId"}:
            raise Bad(f"its feedback has a slot {name!r:.40} that is not one of utility and accuracy, with verdict and at")
        try:
            one_of(slot, "verdict", _VERDICTS[name])
        except Bad as bad:
            raise Bad(f"its feedback on {name}: {bad}") from bad
        _moment(slot, "at", zone)
        _identifier(slot)
    return len(slots)


def _identifier(fields: dict[str, Any]) -> None:
    name = fields.get("sourceId")
    if not isinstance(name, str) or not 0 < len(name) <= 512 or _CONTROL.search(name):
        raise Bad(f'field "sourceId" is {shown(name)}, a text of up to 512 characters is required')


def _hashes(fields: dict[str, Any]) -> None:
    hashes = fields.get("suppressedHashes", [])
    if not isinstance(hashes, list) or not all(isinstance(one, str) and _HASH.fullmatch(one) for one in hashes):
        raise Bad('field "suppressedHashes" is not a list of hashes')
    terms = fields.get("searchTerms", [])
    if not isinstance(terms, list) or not all(isinstance(one, str) for one in terms) or len(json.dumps(terms)) > 2**16:
        raise Bad('field "searchTerms" is not a list of texts')


def _moment(fields: dict[str, Any], name: str, zone: str) -> tuple[int, bool]:
    filled(fields, name)
    at, assumed = time_of(fields[name], zone, name)
    if at is None:
        raise Bad(f'field "{name}" is missing')
    return at, assumed


def _reinforced(fields: dict[str, Any], zone: str, place: str, found: Gathering) -> int | None:
    """Returns when a memory was last confirmed there; one that cannot be read costs itself only."""
    try:
        return time_of(fields.get("reinforcedAt"), zone, "reinforcedAt")[0]
    except Bad as bad:
        found.skip(f"{place}.reinforcedAt", bad, WITHOUT)
        return None
