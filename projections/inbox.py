"""The inbox: what waits for a person. Conflicts, quarantined claims, dead letters, orphans of corrections, refusals.

A correction is an orphan under an extractor when that extractor has read all the evidence the correction was about and
nothing it said was bound to the correction: the correction stands, and a person may look whether it still says anything.
"""

from typing import Any

from affidavit.domain.policy import ONE
from affidavit.journal.reading import ClaimFields, Entry, EvidenceFields, Reader, ScopeFields
from affidavit.projections.rows import Draft, Rows
from affidavit.projections.views import fold_all

ITEM = "item"
CORRECTION = "correction"
ABOUT = "about"
CLOSED = "closed"
_REFUSED = b"refused "
WAITING = {
    "archive": "correct, unpin or reject it; held by a person, it is not archived",
    "promotion": "a model that can word a merge, or a person's correction or rejection",
    "correction queued": "correct or reject one of the two claims that conflict",
    "llm_unavailable": "correct or reject it, or let it be; the question was asked as often as it may be",
    "promote_blocked": "correct or reject it; the question was asked as often as it may be",
}
"""What a claim may wait for in the inbox, and what would resolve it."""


RESOLVE = "resolve it: keep-new believes it, keep-old does not, keep-both, remove-both, or manual with a text"
"""What resolves a conflict."""
_DECIDES = frozenset(
    {"rejection-lifted.v1", "claim-corrected.v1", "claim-asserted.v1", "conflict-resolved.v1", "claim-forgotten.v1"},
)
"""Events by which a person has decided what later statements of a rejected value are worth."""


class Inbox:
    """The projection of open matters."""

    name = "inbox"
    version = 5

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Opens, updates and closes matters."""
        fields = entry.fields
        if isinstance(fields, ClaimFields):
            _claim(entry, fields, rows, reader)
        elif isinstance(fields, EvidenceFields):
            _evidence(entry, fields, rows, reader)
        elif entry.type == "write-refused.v1":
            _refusal(entry, fields, rows, reader)
        elif entry.type == "model-answered.v1":
            _dead_letter(entry, fields, rows, reader)

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Folds every record up to the position."""
        reader.vault.keys.load_all()
        fold_all(self, rows, reader, upto)


def _claim(entry: Entry, fields: ClaimFields, rows: Draft, reader: Reader) -> None:
    scope, claim, state = entry.body.scope, fields.claim, fields.state
    if state.status == "quarantined":
        content = reader.sealed(state.wording(reader.generation(scope)))["content"]
        known = rows.peek(scope, ITEM, claim)
        rule = fields.rule or (known.natural["rule"] if known else "quarantined")
        natural = {"class": "quarantined", "text": content["text"], "rule": rule, "remedy": RESOLVE}
        rows.put(scope, ITEM, claim, natural, {"claim": claim, "bound_to": state.bound_to, "at": entry.record.position})
    elif state.live and (state.review in WAITING or state.status == "promote_blocked"):
        _review(entry, fields, rows, reader)
    else:
        rows.delete(scope, ITEM, claim)
    if entry.type == "value-rejected.v1" and fields.extractors:
        _open_correction(entry, fields, rows, reader)
    if entry.type == "rejection-lifted.v1":
        rows.delete(scope, CORRECTION, claim)
    if entry.type in _DECIDES:
        _close(entry, claim, rows)
    if entry.type == "change-undone.v1":
        _take_back(entry, fields, rows, reader)
    bound = state.bound_to if entry.type == "claim-quarantined.v1" else claim
    if bound and fields.extractor:
        _bind(scope, bound, fields.extractor, rows)


def _close(entry: Entry, claim: bytes, rows: Draft) -> None:
    """Closes what later statements of a rejected claim had opened: a person has decided. An undo opens it again."""
    scope = entry.body.scope
    for row in rows.prefixed(scope, ITEM, _REFUSED + claim):
        rows.delete(scope, ITEM, row.key)
        rows.put(scope, CLOSED, row.key, row.natural, {**row.local, "by": entry.body.command})


def _take_back(entry: Entry, fields: ClaimFields, rows: Draft, reader: Reader) -> None:
    """Opens what the undone command had closed, or closes what an undo that is undone had opened."""
    scope, undone = entry.body.scope, reader.command_of(fields.undone or b"")
    for kind, other in ((CLOSED, ITEM), (ITEM, CLOSED)):
        for row in rows.prefixed(scope, kind, _REFUSED + fields.claim):
            if row.local.get("by") == undone:
                rows.delete(scope, kind, row.key)
                rows.put(scope, other, row.key, row.natural, {**row.local, "by": entry.body.command})


def _review(entry: Entry, fields: ClaimFields, rows: Draft, reader: Reader) -> None:
    """Opens, or leaves open, what the rules cannot decide: it keeps its place and what was found when it came up."""
    scope, claim, state = entry.body.scope, fields.claim, fields.state
    known = rows.peek(scope, ITEM, claim)
    rule = "promote_blocked" if state.status == "promote_blocked" else state.review
    opened = known is None or known.natural.get("rule") != rule
    content = reader.sealed(state.wording(reader.generation(scope)))["content"]
    natural = {
        "class": "review",
        "text": content["text"],
        "rule": rule,
        "actual": f"{fields.actual / ONE:g}" if opened and fields.actual else (known.natural["actual"] if known else ""),
        "required": f"{fields.required / ONE:g}"
        if opened and fields.required
        else (known.natural["required"] if known else ""),
        "remedy": WAITING[rule],
    }
    at = entry.record.position if opened or known is None else known.local["at"]
    rows.put(scope, ITEM, claim, natural, {"claim": claim, "at": at})


def _dead_letter(entry: Entry, fields: ScopeFields, rows: Draft, reader: Reader) -> None:
    """Opens the dead letter of a question, or closes it where the question was answered after all."""
    key = b"question " + fields.request
    if fields.outcome != "dead letter":
        rows.delete(entry.body.scope, ITEM, key)
        return
    error = reader.sealed(entry.body.id)["error"] if entry.body.sealed else ""
    natural = {
        "class": "dead letter",
        "text": f"{len(fields.claims) or len(fields.items)} claim(s) or message(s) that a question was about",
        "rule": fields.question,
        "extractor": fields.extractor,
        "error": error,
    }
    rows.put(entry.body.scope, ITEM, key, natural, {"at": entry.record.position})


def _open_correction(entry: Entry, fields: ClaimFields, rows: Draft, reader: Reader) -> None:
    """Keeps the rejection of a derived claim, to see whose derivations bind to it; a correction brings one."""
    scope, claim = entry.body.scope, fields.claim
    content = reader.sealed(fields.state.wording(reader.generation(scope)))["content"]
    items = sorted({place.evidence for place in fields.places})
    known = dict.fromkeys(fields.extractors, "derived")
    natural = {"text": content["text"], "bound": known}
    rows.put(scope, CORRECTION, claim, natural, {"claim": claim, "evidence": items, "read": {}, "at": entry.record.position})
    for item in items:
        rows.put(scope, ABOUT, item + claim, {}, {"claim": claim})


def _bind(scope: bytes, claim: bytes, extractor: str, rows: Draft) -> None:
    row = rows.peek(scope, CORRECTION, claim)
    if row and extractor not in row.natural["bound"]:
        bound = {**row.natural["bound"], extractor: "bound"}
        rows.put(scope, CORRECTION, claim, {**row.natural, "bound": bound}, row.local)


def _evidence(entry: Entry, fields: EvidenceFields, rows: Draft, reader: Reader) -> None:
    scope, item = entry.body.scope, fields.item
    key = item + fields.extractor.encode()
    reading = next((found for found in fields.state.readings if found.extractor == fields.extractor), None)
    if reading and reading.outcome == "dead letter":
        error = reader.sealed(entry.body.id)["error"] if entry.body.sealed else ""
        message = reader.message(fields.state.contents[-1])["message"]
        natural = {
            "class": "dead letter",
            "text": message,
            "rule": "extraction",
            "extractor": fields.extractor,
            "error": error,
        }
        natural["attempts"] = reading.attempts
        natural |= {"failure": fields.failure} if fields.failure else {}
        rows.put(scope, ITEM, key, natural, {"evidence": item, "at": entry.record.position})
    elif entry.type == "extraction-completed.v1":
        rows.delete(scope, ITEM, key)
        for about in rows.prefixed(scope, ABOUT, item):
            _mark_read(scope, about.local["claim"], item, fields.extractor, rows)


def _mark_read(scope: bytes, claim: bytes, item: bytes, extractor: str, rows: Draft) -> None:
    row = rows.peek(scope, CORRECTION, claim)
    if row:
        read = dict(row.local["read"])
        read[extractor] = sorted({*read.get(extractor, []), item})
        rows.put(scope, CORRECTION, claim, row.natural, {**row.local, "read": read})


def _refusal(entry: Entry, fields: ScopeFields, rows: Draft, reader: Reader) -> None:
    scope, private = entry.body.scope, reader.sealed(entry.body.id)
    natural = {
        "class": "conflict" if fields.conflict else "refused",
        "text": private["text"],
        "rule": fields.rule,
        "actual": private["actual"],
        "required": private["required"],
        "remedy": RESOLVE if fields.conflict else private["remedy"],
        "quote": private["quote"],
        "extractor": fields.extractor,
    }
    local = {"evidence": fields.item, "bound_to": fields.bound_to, "at": entry.record.position}
    rows.put(scope, ITEM, _REFUSED + (fields.bound_to or bytes(16)) + entry.body.id, natural, local)
    if fields.bound_to and fields.extractor:
        _bind(scope, fields.bound_to, fields.extractor, rows)


def matters(rows: Rows, scope: bytes) -> list[dict[str, Any]]:
    """Returns every open matter of a scope, oldest first: class, text, rule and where it comes from."""
    # A fold that misses one of these rows opens no orphan, so all of them are read before anything is said.
    rows.check(scope, ABOUT)
    found = [{**row.natural, **row.local} for row in rows.all(scope, ITEM)]
    for matter in found:
        matter.pop("by", None)
    for row in rows.all(scope, CORRECTION):
        for extractor, read in sorted(row.local["read"].items()):
            if read == row.local["evidence"] and extractor not in row.natural["bound"]:
                found.append(
                    {
                        "class": "orphan",
                        "text": row.natural["text"],
                        "rule": "nothing that this extractor says binds to the correction",
                        "extractor": extractor,
                        "claim": row.local["claim"],
                        "at": row.local["at"],
                    },
                )
    return sorted(found, key=lambda matter: int(matter["at"]))
