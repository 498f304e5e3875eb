"""Archives: claims that stayed below zero for many days leave the active view, and come back when asked (seed 000).

While its score is below zero a claim collects at most one day for each calendar day of its scope. The tally is for life: a
better score does not take days back, days missed while nobody looked are not caught up, and a clock moved back counts
nothing again. At 14 days the claim is archived; one that a person holds goes to the inbox instead, and a protected one is
never touched. Shards are a view of the archived claims.
"""

from dataclasses import dataclass

from affidavit.domain.claims import ClaimEvent, ClaimState, ReviewRequired
from affidavit.domain.commands import Command, OfClaim
from affidavit.domain.corrections import Judgement
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import Event, Millionths, event_type
from affidavit.domain.index import Index
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.proposals import holds_one_value
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role
from affidavit.domain.score import score

SWEPT = frozenset({"active", "pending", "confirmed"})
"""Statuses that the sweep looks at: `promote_blocked` waits for a person, and the others are not live."""
RULE = "archive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep(OfClaim):
    """Look at one claim at a moment. `day` is the scope's local day then, as `YYYY-MM-DD`."""

    day: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unarchive(Judgement):
    """Take a claim back from the archive."""


@event_type("sub-zero-day-counted.v1", public="claim state day actual")
class SubZeroDayCounted(ClaimEvent):
    """The claim's score, `actual`, was below zero on this day of its scope; once a day."""

    day: str
    actual: Millionths


@event_type("claim-archived.v1", public="claim state day actual required")
class ClaimArchived(ClaimEvent):
    """The claim left the active view, having `actual` days below zero where `required` are the limit.

    `day` is the scope's local day, by which its shard is named.
    """

    day: str
    actual: int
    required: int


@event_type("claim-unarchived.v1", public="claim state")
class ClaimUnarchived(ClaimEvent):
    """The claim is back in the active view, with a clean tally: asked by a person, or restored by new user evidence."""


def due(state: ClaimState, now: int, day: str, policy: Policy) -> bool:
    """Tells whether a sweep would do something to this claim; reads only, for those who look at many."""
    if not state.live or state.status not in SWEPT or state.protected or state.form == "narrative":
        return False
    if state.sub_zero_days >= policy.archive.after_days:
        return not (state.person_protected and state.review == RULE)
    return _counts(state, day) and score(state, now, policy) < 0


def _counts(state: ClaimState, day: str) -> bool:
    last = state.sub_zero_last_increment_date
    return last is None or day > last


def sweep(command: Sweep, state: ClaimState, policy: Policy) -> Decision:
    """Counts the day where the score is below zero, and archives a claim that has enough of them, today's included.

    Quiet where nothing is due (rows N12, N13).
    """
    if not due(state, command.at, command.day, policy):
        return ()
    events: list[Event] = []
    found = score(state, command.at, policy)
    # A claim that a person holds collects no days beyond those that brought it into the inbox.
    if found < 0 and _counts(state, command.day) and state.review != RULE:
        state = state.with_(sub_zero_days=state.sub_zero_days + 1, sub_zero_last_increment_date=command.day)
        events.append(
            SubZeroDayCounted(
                id=command.new_id(),
                occurred_at=command.at,
                claim=command.claim,
                state=state,
                day=command.day,
                actual=round(found * ONE),
            ),
        )
    days, limit = state.sub_zero_days, policy.archive.after_days
    if days >= limit:
        events.append(_review(command, state, limit) if state.person_protected else _archive(command, state, limit))
    return tuple(events)


def _archive(command: Sweep, state: ClaimState, limit: int) -> ClaimArchived:
    return ClaimArchived(
        id=command.new_id(),
        occurred_at=command.at,
        claim=command.claim,
        state=state.with_(status="archived", before=state.status, since=command.at),
        day=command.day,
        actual=state.sub_zero_days,
        required=limit,
    )


def _review(command: Sweep, state: ClaimState, limit: int) -> ReviewRequired:
    return ReviewRequired(
        id=command.new_id(),
        occurred_at=command.at,
        claim=command.claim,
        state=state.with_(review=RULE),
        rule=RULE,
        actual=state.sub_zero_days * ONE,
        required=limit * ONE,
    )


def unarchive(command: Unarchive, state: ClaimState, index: Index) -> Decision:
    """Takes an archived claim back. Quiet if it is live; refused to all but users and operators, and by the gate."""
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator", bound_to=command.claim)
    if state.live:
        return ()
    if state.status != "archived":
        return Refused("not archived", actual=f"status {state.status}", required="an archived claim")
    if any(index.rejections(digest) for digest in (state.value, state.sentence) if digest):
        return Refused(
            "rejected value",
            actual="a claim that says what a person rejected",
            required="a value that no person rejected",
            remedy="if it is right after all, correct the rejected claim to say so",
        )
    newer = _newer_value(command, state, index)
    if newer:
        return Refused(
            "superseded",
            actual=f"a newer value of the same attribute in claim {newer.hex()[:24]}",
            required="the newest value of an attribute that holds one",
            remedy="if the archived one is right after all, correct the newer claim to say so",
        )
    return (restored(command, command.claim, state),)


def _newer_value(command: Unarchive, state: ClaimState, index: Index) -> bytes | None:
    """Returns the live claim that holds another value of a one-value attribute by now, or None."""
    if not state.topic or not holds_one_value(index.content(state).attribute):
        return None
    for claim in index.holders(state.topic):
        other = index.claim(claim)
        if claim != command.claim and other is not None and other.live and other.value != state.value:
            return claim
    return None


def restored(command: Command, claim: bytes, state: ClaimState) -> ClaimUnarchived:
    """Returns the event that brings a claim back to the status it had, with a clean tally."""
    return ClaimUnarchived(
        id=command.new_id(),
        occurred_at=command.at,
        claim=claim,
        state=state.with_(status=state.before or "active", before=None, since=command.at, sub_zero_days=0, review=""),
    )
