"""The timeline: every event of a scope in the order of its log, each as one line that a person can read."""

from typing import Any

from affidavit.journal.reading import ClaimFields, Entry, EvidenceFields, Reader, ScopeFields
from affidavit.projections.rows import Draft, Row, Rows
from affidavit.projections.views import fold_all

EVENT = "event"


class Timeline:
    """The projection of events into lines."""

    name = "timeline"
    version = 4

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Adds one line for the record."""
        record, body = entry.record, entry.body
        natural: dict[str, Any] = {
            "type": entry.type.partition(".")[0],
            "occurred_at": body.occurred_at,
            "role": body.actor.role,
            "actor": reader.name(body.actor.id),
            **_about(entry, reader),
        }
        local = {
            "position": record.position,
            "recorded_at": record.recorded_at,
            "stream": body.stream,
            "event": body.id,
            "cause": body.cause,
        }
        rows.put(body.scope, EVENT, record.position.to_bytes(8, "big"), natural, local)

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Folds every record up to the position."""
        reader.vault.keys.load_all()
        fold_all(self, rows, reader, upto)


def _about(entry: Entry, reader: Reader) -> dict[str, Any]:
    """Returns what an event is about, in words and names of its source."""
    fields = entry.fields
    if isinstance(fields, ClaimFields):
        content = reader.sealed(fields.state.wording(reader.generation(entry.body.scope)))["content"]
        about = {"claim": content["text"], "status": fields.state.status}
        details = {
            "rule": fields.rule,
            "extractor": fields.extractor,
            "effect": fields.effect,
            "weight": fields.weight,
            "source": fields.source,
            "verdict": fields.verdict,
            "counted": fields.counted,
            "disposition": fields.disposition,
            "form": fields.state.form if fields.state.form != "fact" else "",
        }
        return about | {name: value for name, value in details.items() if value}
    if isinstance(fields, EvidenceFields):
        content = reader.message(fields.state.contents[-1])
        return (
            {"message": content["message"], "said_by": fields.state.role}
            | ({"extractor": fields.extractor, "claims": len(fields.claims)} if fields.extractor else {})
            | {name: value for name, value in (("withheld", fields.withheld), ("failure", fields.failure)) if value}
        )
    return _scope_about(entry, fields, reader)


def _scope_about(entry: Entry, fields: ScopeFields, reader: Reader) -> dict[str, Any]:
    private = reader.sealed(entry.body.id) if entry.body.sealed else {}
    if entry.type == "write-refused.v1":
        return {"rule": fields.rule, "text": private["text"], "actual": private["actual"], "required": private["required"]}
    about: dict[str, dict[str, Any]] = {
        "model-answered.v1": {"question": fields.question, "outcome": fields.outcome, "extractor": fields.extractor},
        "mode-switched.v1": {"powerful": fields.powerful},
        "prompt-injected.v1": {"claims": len(fields.claims), "tokens": fields.tokens},
        "name-introduced.v1": {"kind": fields.kind, "name": private.get("name")},
        "scope-opened.v1": {"name": private.get("name"), "time_zone": fields.time_zone},
    }
    return about.get(entry.type, {})


def events(rows: Rows, scope: bytes, after: int = 0) -> list[Row]:
    """Returns the lines of a scope after a position, in order."""
    return [row for row in rows.all(scope, EVENT) if row.local["position"] > after]
