"""The provenance view, in both directions: what a claim stands on, and what was derived from a piece of evidence.

A citation is a place in one evidence revision, with the extractor and generation that cited it. Quotes and texts are not
copied: they are read from the evidence, where they are checked.
"""

from typing import Any

from affidavit.journal.reading import ClaimFields, Entry, EvidenceFields, EvidenceState, Place, Reader
from affidavit.projections.rows import Row, Rows
from affidavit.projections.views import fold_all

CITES = "cites"
CITED = "cited"
EVIDENCE = "evidence"


class Provenance:
    """The projection of evidence and citations."""

    name = "provenance"
    version = 1

    def fold(self, entry: Entry, rows: Rows, reader: Reader) -> None:
        """Takes citations of claim events and states of evidence events."""
        fields, scope = entry.fields, entry.body.scope
        if isinstance(fields, EvidenceFields):
            rows.put(scope, EVIDENCE, fields.item, *_evidence_row(fields.state, reader))
        elif isinstance(fields, ClaimFields) and entry.type != "value-rejected.v1":
            for place in fields.places:
                _cite(entry, fields, place, rows, reader)

    def build(self, rows: Rows, reader: Reader, upto: int) -> None:
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


def _cite(entry: Entry, fields: ClaimFields, place: Place, rows: Rows, reader: Reader) -> None:
    scope, claim = entry.body.scope, fields.claim
    cited = rows.peek(scope, EVIDENCE, place.evidence)
    named = {name: cited.natural[name] for name in ("source", "session", "message")} if cited else {}
    content = reader.sealed(fields.state.wording(reader.generation(scope)))["content"]
    natural = {
        **named,
        "claim": content["text"],
        "revision": place.revision,
        "start": place.start,
        "end": place.end,
        "extractor": fields.extractor,
    }
    local = {"claim": claim, "evidence": place.evidence, "position": entry.record.position, "by": entry.type}
    tail = _place_key(place, fields.extractor)
    rows.put(scope, CITES, claim + place.evidence + tail, natural, local)
    rows.put(scope, CITED, place.evidence + claim + tail, {}, {"claim": claim})


def _place_key(place: Place, extractor: str) -> bytes:
    return b"".join(number.to_bytes(8, "big") for number in (place.revision, place.start, place.end)) + extractor.encode()


def citations(rows: Rows, scope: bytes, claim: bytes) -> list[Row]:
    """Returns the citations of a claim."""
    return rows.prefixed(scope, CITES, claim)


def derived_from(rows: Rows, scope: bytes, item: bytes) -> list[bytes]:
    """Returns the claims that cite a piece of evidence, each once."""
    return list(dict.fromkeys(row.local["claim"] for row in rows.prefixed(scope, CITED, item)))


def evidence_ids(rows: Rows, scope: bytes) -> dict[bytes, list[bytes]]:
    """Returns the evidence ids of every claim, each id once, in key order."""
    found: dict[bytes, dict[bytes, None]] = {}
    for row in rows.all(scope, CITES):
        found.setdefault(row.local["claim"], {})[row.local["evidence"]] = None
    return {claim: list(items) for claim, items in found.items()}
