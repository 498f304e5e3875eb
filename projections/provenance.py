"""The provenance view, in both directions: what a claim stands on, and what was derived from a piece of evidence.

A citation is a place in one evidence revision, with the extractor that cited it. There is one row for each claim and one
for each piece of evidence, so that a vanished citation is a vanished or changed row. Quotes and texts are not copied: they
are read from the evidence, where they are checked.
"""

from typing import Any

from affidavit.journal.reading import ClaimFields, Entry, EvidenceFields, EvidenceState, Place, Reader
from affidavit.projections.rows import Draft, Row, Rows
from affidavit.projections.views import fold_all

CITES = "cites"
CITED = "cited"
EVIDENCE = "evidence"


class Provenance:
    """The projection of evidence and citations."""

    name = "provenance"
    version = 2

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Takes citations of claim events and states of evidence events."""
        fields, scope = entry.fields, entry.body.scope
        if isinstance(fields, EvidenceFields):
            rows.put(scope, EVIDENCE, fields.item, *_evidence_row(fields.state, reader))
        elif isinstance(fields, ClaimFields) and fields.places and entry.type != "value-rejected.v1":
            _cite(entry, fields, rows, reader)

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Folds every record up to the position."""
        reader.vault.keys.load_all()
        fold_all(self, rows, reader, upto)


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
        "readings": [[reading.extractor, reading.revision, reading.outcome] for reading in state.readings],
    }
    return natural, {"contents": list(state.contents)}


def natural_name(state: EvidenceState, content: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """Returns what the source calls this evidence: source, session and message id."""
    return {"source": reader.name(state.source), "session": content["session"], "message": content["message"]}


def _cite(entry: Entry, fields: ClaimFields, rows: Draft, reader: Reader) -> None:
    """Adds the event's places to the one row of the claim, and the claim to the one row of each evidence."""
    scope, claim = entry.body.scope, fields.claim
    known = rows.peek(scope, CITES, claim)
    said = {_place_key(place): (place, where) for place, where in _pairs(known)}
    for place in fields.places:
        named = _named(scope, place, rows)
        natural = {**named, "revision": place.revision, "start": place.start, "end": place.end}
        natural["extractor"] = fields.extractor
        local = {"evidence": place.evidence, "position": entry.record.position, "by": entry.type}
        said.setdefault(_place_key(natural), (natural, local))
    for item in dict.fromkeys(place.evidence for place in fields.places):
        _add_claim(scope, item, claim, rows)
    content = reader.sealed(fields.state.wording(reader.generation(scope)))["content"]
    ordered = [said[key] for key in sorted(said)]
    natural_row = {"claim": content["text"], "places": [place for place, _ in ordered]}
    rows.put(scope, CITES, claim, natural_row, {"places": [where for _, where in ordered]})


def _pairs(row: Row | None) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [] if row is None else list(zip(row.natural["places"], row.local["places"], strict=True))


def _place_key(place: dict[str, Any]) -> tuple[str, str, str, int, int, int, str]:
    named = (str(place.get("source", "")), str(place.get("session", "")), str(place.get("message", "")))
    return (*named, place["revision"], place["start"], place["end"], place["extractor"])


def _named(scope: bytes, place: Place, rows: Draft) -> dict[str, Any]:
    cited = rows.peek(scope, EVIDENCE, place.evidence)
    return {name: cited.natural[name] for name in ("source", "session", "message")} if cited else {}


def _add_claim(scope: bytes, item: bytes, claim: bytes, rows: Draft) -> None:
    known = rows.peek(scope, CITED, item)
    claims = list(known.local["claims"]) if known else []
    if claim not in claims:
        rows.put(scope, CITED, item, {}, {"claims": [*claims, claim]})


def citations(rows: Rows, scope: bytes, claim: bytes) -> list[dict[str, Any]]:
    """Returns the places that a claim stands on: source, session, message, revision, span, extractor, evidence id."""
    row = rows.get(scope, CITES, claim)
    return [{**place, **where} for place, where in _pairs(row)]


def derived_from(rows: Rows, scope: bytes, item: bytes) -> list[bytes]:
    """Returns the claims that cite a piece of evidence, each once, in the order in which they began to."""
    row = rows.get(scope, CITED, item)
    return [] if row is None else list(row.local["claims"])


def evidence_ids(rows: Rows, scope: bytes) -> dict[bytes, list[bytes]]:
    """Returns the evidence ids of every claim, each id once, in the order of what is cited."""
    return {
        row.key: list(dict.fromkeys(where["evidence"] for where in row.local["places"])) for row in rows.all(scope, CITES)
    }
