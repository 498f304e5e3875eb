"""The provenance view, in both directions: what a claim stands on, and what was derived from a piece of evidence.

A citation is a place in one evidence revision, with the extractor that cited it. There is one row for each claim and one
for each piece of evidence, so that a vanished citation is a vanished or changed row. Quotes and texts are not copied: they
are read from the evidence, where they are checked.
"""

from operator import itemgetter
from typing import Any

import msgspec

from affidavit.journal.reading import ClaimFields, Entry, EvidenceFields, EvidenceState, Place, Reader
from affidavit.projections.rows import Draft, Row, Rows
from affidavit.projections.views import fold_all

CITES = "cites"
CITED = "cited"
EVIDENCE = "evidence"


class Provenance:
    """The projection of evidence and citations."""

    name = "provenance"
    version = 3

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Takes citations of claim events and states of evidence events."""
        fields = entry.fields
        if isinstance(fields, EvidenceFields):
            _evidence(entry, fields, rows, reader)
        elif isinstance(fields, ClaimFields) and _places(entry, fields):
            _cite(entry, fields, rows, reader)

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Folds every record up to the position."""
        reader.vault.keys.load_all()
        fold_all(self, rows, reader, upto)


def _evidence(entry: Entry, fields: EvidenceFields, rows: Draft, reader: Reader) -> None:
    """Takes the newest state of a piece of evidence; whether it is cited stays as it was."""
    scope, item = entry.body.scope, fields.item
    known = rows.peek(scope, EVIDENCE, item)
    if known is None and entry.body.version > 1:
        raise rows.missing(EVIDENCE, item)
    natural, local = _evidence_row(fields.state, reader)
    rows.put(scope, EVIDENCE, item, natural, {**local, "cited": known is not None and known.local["cited"]})


def _places(entry: Entry, fields: ClaimFields) -> tuple[Place, ...]:
    """Returns the places that an event adds to what its claim stands on."""
    return () if entry.type == "value-rejected.v1" else fields.places


def _evidence_row(state: EvidenceState, reader: Reader) -> tuple[dict[str, Any], dict[str, Any]]:
    content = reader.message(state.contents[-1])
    natural = {
        **natural_name(state, content, reader),
        "role": state.role,
        "speaker": content["speaker"],
        "basis": state.basis,
        "secrets": state.secrets,
        "namespace": reader.name(state.namespace),
        "occurred_at": state.occurred_at,
        "time_assumed": state.time_assumed,
        "revision": state.revision,
        "readings": [
            [one.extractor, one.revision, one.outcome, *([one.withheld] if one.withheld else [])] for one in state.readings
        ],
    }
    return natural, {"contents": list(state.contents), "targets": list(state.targets)}


def natural_name(state: EvidenceState, content: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """Returns what the source calls this evidence: source, session and message id."""
    return {"source": reader.name(state.source), "session": content["session"], "message": content["message"]}


def _cite(entry: Entry, fields: ClaimFields, rows: Draft, reader: Reader) -> None:
    """Adds the event's places to the one row of the claim, and the claim to the one row of each evidence."""
    scope, claim = entry.body.scope, fields.claim
    said = {_place_key(place): (place, where) for place, where in _pairs(_stands_on(entry, claim, rows, reader))}
    named = {item: _cited(scope, item, claim, rows) for item in dict.fromkeys(place.evidence for place in fields.places)}
    for place in fields.places:
        natural = {**named[place.evidence], "revision": place.revision, "start": place.start, "end": place.end}
        natural["extractor"] = fields.extractor
        local = {"evidence": place.evidence, "position": entry.record.position, "by": entry.type}
        said.setdefault(_place_key(natural), (natural, local))
    content = reader.sealed(fields.state.wording(reader.generation(scope)))["content"]
    ordered = [said[key] for key in sorted(said)]
    natural_row = {"claim": content["text"], "places": [place for place, _ in ordered]}
    rows.put(scope, CITES, claim, natural_row, {"places": [where for _, where in ordered]})


def _stands_on(entry: Entry, claim: bytes, rows: Draft, reader: Reader) -> Row | None:
    """Returns the row of the claim so far. Raises DamagedRow where there is none and an earlier event had places."""
    found = rows.peek(entry.body.scope, CITES, claim)
    if found is None and entry.body.version > 1:
        for earlier in reader.stream(claim, entry.record.position - 1):
            if isinstance(earlier.fields, ClaimFields) and _places(earlier, earlier.fields):
                raise rows.missing(CITES, claim)
    return found


def _cited(scope: bytes, item: bytes, claim: bytes, rows: Draft) -> dict[str, Any]:
    """Adds a claim to those that cite a piece of evidence; returns what the source calls that evidence.

    Evidence is recorded before it is cited, and its row says whether it is: so neither row can be missed in silence.
    """
    evidence, cited = rows.peek(scope, EVIDENCE, item), rows.peek(scope, CITED, item)
    if evidence is None:
        raise rows.missing(EVIDENCE, item)
    if cited is None and evidence.local["cited"]:
        raise rows.missing(CITED, item)
    if cited is None:
        rows.put(scope, EVIDENCE, item, evidence.natural, {**evidence.local, "cited": True})
    claims = cited.local["claims"] if cited else []
    if claim not in claims:
        rows.put(scope, CITED, item, {}, {"claims": [*claims, claim]})
    return {name: evidence.natural[name] for name in ("source", "session", "message")}


def _pairs(row: Row | None) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [] if row is None else list(zip(row.natural["places"], row.local["places"], strict=True))


_place_key = itemgetter("source", "session", "message", "revision", "start", "end", "extractor")


def citations(rows: Rows, scope: bytes, claim: bytes) -> list[dict[str, Any]]:
    """Returns the places that a claim stands on: source, session, message, revision, span, extractor, evidence id."""
    row = rows.get(scope, CITES, claim)
    return [{**place, **where} for place, where in _pairs(row)]


def derived_from(rows: Rows, scope: bytes, item: bytes) -> list[bytes]:
    """Returns the claims that cite a piece of evidence, each once, in the order in which they began to."""
    row = rows.get(scope, CITED, item)
    return [] if row is None else list(row.local["claims"])


class _Where(msgspec.Struct):
    evidence: bytes


class _Local(msgspec.Struct):
    places: tuple[_Where, ...]


_locals = msgspec.msgpack.Decoder(tuple[msgspec.Raw, _Local])
"""Takes the evidence ids of a claim's row, and skips the rest: lists ask for them of every claim."""


def evidence_ids(rows: Rows, scope: bytes) -> dict[bytes, list[bytes]]:
    """Returns the evidence ids of every claim, each id once, in the order of what is cited."""
    return {
        key: list(dict.fromkeys([where.evidence for where in local.places]))
        for key, (_, local) in rows.each(scope, CITES, _locals)
    }
