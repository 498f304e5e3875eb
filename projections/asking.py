"""Whom the agent may ask about, whom it has asked about, and whom it may bring up too often: read off the active view."""

import msgspec

from affidavit.domain.picking import Candidate, may_ask_about
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
    confirmation: str
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
    return [
        Candidate(key, state.text, score(state, now, policy), state.form == "reflection")
        for key, (state, place) in snapshot.rows(Active()).each(snapshot.scope, CLAIM, _asked_about)
        if may_ask_about(state, place.eligible_at, now, policy)
    ]


def surfaced(snapshot: Snapshot) -> list[Row]:
    """Returns the live claims that the user was asked about last, all at once, and that no reply has settled."""
    rows = snapshot.rows(Active())
    asked = [
        (place.surfaced_at, key)
        for key, (state, place) in rows.each(snapshot.scope, CLAIM, _asked_about)
        if state.live and place.surfaced_at is not None
    ]
    last = max((at for at, _ in asked), default=0)
    found = (rows.get(snapshot.scope, CLAIM, key) for at, key in sorted(asked) if at == last)
    return [row for row in found if row is not None]


def mentionable(snapshot: Snapshot) -> list[bytes]:
    """Returns the live persona claims and confirmed reflections: what the agent may bring up too often."""
    return [
        key
        for key, (state, _) in snapshot.rows(Active()).each(snapshot.scope, CLAIM, _asked_about)
        if state.live and (state.form == "persona" or state.status == "confirmed")
    ]
