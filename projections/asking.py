"""Whom the agent may ask about, whom it has asked about, and whom it may bring up too often: read off the active view."""

import msgspec

from affidavit.domain.picking import Candidate
from affidavit.domain.score import score
from affidavit.projections.active import CLAIM, Active
from affidavit.projections.rows import Row
from affidavit.projections.snapshot import Snapshot


class _AskedAbout(msgspec.Struct, gc=False):
    """What surfacing and mentions read of a claim's row."""

    text: str
    form: str
    status: str
    live: bool
    vouched: bool
    basis: str
    confidence: int
    reinforcement: int
    disputation: int
    rein_last_signal_at: int | None
    disp_last_signal_at: int | None

    @property
    def protected(self) -> bool:
        """Tells whether the claim stands on the character card."""
        return self.basis == "card"


class _Place(msgspec.Struct, gc=False):
    """When the user was asked about a claim, and from when on they may be again."""

    surfaced_at: int | None
    eligible_at: int | None


_asked_about = msgspec.msgpack.Decoder(tuple[_AskedAbout, _Place])


def surfaceable(snapshot: Snapshot) -> list[Candidate]:
    """Returns the claims that the user may be asked about at the snapshot's moment."""
    policy, now = snapshot.policy, snapshot.now
    found = []
    for key, (state, place) in snapshot.rows(Active()).each(snapshot.scope, CLAIM, _asked_about):
        pending = state.form == "reflection" and state.status == "pending"
        unsure = state.form == "fact" and state.confidence <= policy.confidence.hedged and not state.vouched
        if not state.live or not (pending or unsure) or (place.eligible_at or 0) > now:
            continue
        found_score = score(state, now, policy)
        if found_score >= 0:
            found.append(Candidate(key, state.text, found_score, pending))
    return found


def surfaced(snapshot: Snapshot) -> list[Row]:
    """Returns the live claims that the user was asked about and that no reply has settled, the newest question first."""
    rows = snapshot.rows(Active())
    keys = [
        (-place.surfaced_at, key)
        for key, (state, place) in rows.each(snapshot.scope, CLAIM, _asked_about)
        if state.live and place.surfaced_at is not None
    ]
    found = (rows.get(snapshot.scope, CLAIM, key) for _, key in sorted(keys))
    return [row for row in found if row is not None]


def mentionable(snapshot: Snapshot) -> list[bytes]:
    """Returns the live persona claims and confirmed reflections: what the agent may bring up too often."""
    return [
        key
        for key, (state, _) in snapshot.rows(Active()).each(snapshot.scope, CLAIM, _asked_about)
        if state.live and (state.form == "persona" or state.status == "confirmed")
    ]
