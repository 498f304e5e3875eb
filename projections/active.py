"""The active view: every claim with its wording and state, as its last event left it.

Rebuilt from the stream heads: it costs claims, not events. It keeps claims that are not live too, so that `claims` and
`show` can say what became of them. Nothing in it depends on time.
"""

from operator import attrgetter
from typing import Any

from affidavit.journal.reading import ClaimFields, ClaimState, Entry, Reader, Slot
from affidavit.projections.rows import Draft

CLAIM = "claim"
_NATURAL = (
    "form",
    "kind",
    "polarity",
    "status",
    "basis",
    "method",
    "evidence_at",
    "confirmed_at",
    "confidence",
    "confirmation",
    "reinforcement",
    "disputation",
    "rein_last_signal_at",
    "disp_last_signal_at",
    "sub_zero_days",
    "user_fact_reinforce_count",
    "signals",
    "sources",
    "sessions",
    "asserted",
    "corrected",
    "pinned",
    "vouched",
    "importance",
    "happens_from",
    "happens_to",
    "review",
    "tone",
    "expires_at",
)
"""The parts of a claim state that follow from what was said and decided alone: not how often somebody had to be asked."""
_natural = attrgetter(*_NATURAL)


class Active:
    """The projection of claims by their last event."""

    name = "active"
    version = 6

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Takes a claim's newest state; other records change nothing here."""
        if isinstance(entry.fields, ClaimFields):
            scope, key = entry.body.scope, entry.fields.claim
            natural, local = claim_row(entry.fields.state, scope, reader)
            rows.put(scope, CLAIM, key, natural, {**local, "version": entry.body.version})

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Reads the last record of each claim as of the position."""
        reader.vault.keys.load_all()
        for entry in reader.claim_entries(upto):
            self.fold(entry, rows, reader)


def _slots(state: ClaimState) -> tuple[tuple[str, Slot | None], ...]:
    return ("utility", state.utility), ("accuracy", state.accuracy)


def claim_row(state: ClaimState, scope: bytes, reader: Reader) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns (natural, local) of a claim: content and state, and the ids that belong to this ledger."""
    content = reader.sealed(state.wording(reader.generation(scope)))["content"]
    natural = dict(zip(_NATURAL, _natural(state), strict=True)) | content
    natural["namespace"] = reader.name(state.namespace)
    natural["live"] = state.live
    # Only where a person filled it, so that the rows of a log without feedback, and their digest, are what they were.
    natural |= {name: {"verdict": slot.verdict, "at": slot.at} for name, slot in _slots(state) if slot}
    local = {
        "superseded_by": state.superseded_by,
        "bound_to": state.bound_to,
        "generations": list(state.generations),
        "parents": list(state.parents),
        "since": state.since,
        "attempts": state.attempts,
        "surfaced_at": state.surfaced_at,
        "eligible_at": state.eligible_at,
        "suppressed_at": state.suppressed_at,
        "about": state.about,
        "boosts": state.boosts,
    }
    return natural, local
