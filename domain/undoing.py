"""Undo: a change of claims is taken back, by a person, and the log says so.

What is undone is everything that one command changed, claim by claim: exactly the fields that it set get the values from
before. If one of these has changed since, nothing is undone; what others set meanwhile, such as a mention, is no obstacle.
A claim that the command made is forgotten, which rejects nothing. A rejection that it wrote is lifted and one that it lifted
is in force again, so that the gate and the claims agree; receipts and the rejections of others remain. An undo is a change
like any other, and is undone the same way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from affidavit.domain.claims import ClaimEvent, ClaimState, Slot
from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, event_type
from affidavit.domain.index import Index
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role

_NOTICED = frozenset(
    {"mentions", "suppressed_at", "surfaced_at", "eligible_at", "attempts", "attempt_at", "related", "signals", "since"},
)
"""Fields of a claim that nobody decides on: a claim may be taken back whatever was noticed of it meanwhile."""


@event_type("change-undone.v1", public="claim state undone")
class ChangeUndone(ClaimEvent):
    """The claim's part of a change was taken back; `undone` is the event by which it was named."""

    undone: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a command did to one claim: its state before, None if the command made it, and after."""

    claim: bytes
    before: ClaimState | None
    after: ClaimState

    @property
    def fields(self) -> dict[str, Any]:
        """Returns the fields that the command set, with their values from before; those of a new claim with what it set."""
        if self.before is None:
            return {name: value for name, value in dict(self.after).items() if name not in _NOTICED}
        return {name: value for name, value in dict(self.before).items() if value != getattr(self.after, name)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(OfScope):
    """Take back what a command changed, named by one of its events.

    `rejected` are the rejections that it wrote, `lifted` those that it lifted, and `covered` those that were in force before
    it wrote one of the same claim; each as it was written. `set_at` answers at which position a field of a claim was set to
    what it is now, 0 where that is not known; it is asked only for a refusal.
    """

    event: bytes
    changes: tuple[Change, ...]
    rejected: tuple[ValueRejected, ...] = ()
    lifted: tuple[ValueRejected, ...] = ()
    covered: tuple[ValueRejected, ...] = ()
    set_at: Callable[[bytes, str], int] = lambda claim, name: 0  # noqa: ARG005 - the names are the port's


def undo(command: Undo, index: Index) -> Decision:
    """Takes a change back, all of it or nothing.

    Refused to all but users and operators; where the event changed no claim; where a field that it set has changed since;
    and where what would come back says what a rejection of another forbids.
    """
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator")
    if not command.changes:
        return Refused("no change", actual="an event that changed no claim", required="a change of a claim")
    draft = Draft(index)
    for change in command.changes:
        refused = _changed_since(command, change, draft)
        if refused:
            return refused
    lifted = _lift(command, draft)
    for change in command.changes:
        now = draft.claim(change.claim) or change.after
        back = _back(command, change, now)
        refused = _forbidden(back, change, lifted, draft)
        if refused:
            return refused
        event_id = command.new_id()
        draft.add(
            ChangeUndone(id=event_id, occurred_at=command.at, claim=change.claim, state=back, undone=command.event),
        )
    for rejection in (*command.lifted, *(found for found in command.covered if found.claim in lifted)):
        now = draft.claim(rejection.claim) or rejection.state
        draft.add(rejection.with_(id=command.new_id(), occurred_at=command.at, cause=command.event, state=now))
    return tuple(draft.events)


def _changed_since(command: Undo, change: Change, draft: Draft) -> Refused | None:
    now = draft.claim(change.claim)
    for name in change.fields:
        if now is None or getattr(now, name) != getattr(change.after, name):
            position = command.set_at(change.claim, name) if now else 0
            told = [_word(getattr(now, name)), f"set at position {position}" if position else ""]
            since = ", ".join(part for part in told if part)
            named = f"another {name.replace('_', ' ')} of claim {change.claim.hex()[:24]} since"
            remedy = f"undo position {position} first" if position else "undo the later change first; its history shows it"
            return Refused(
                "changed since",
                actual=f"{named} ({since})" if since else named,
                required="what the change left",
                remedy=remedy,
            )
    return None


def _word(value: Any) -> str:
    """Returns what a field is now, if that is a word: digests, ids, times and counts say nothing to a reader."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Slot):
        return value.verdict
    return value if isinstance(value, str) else ""


def _back(command: Undo, change: Change, now: ClaimState) -> ClaimState:
    if change.before is None:
        return now.with_(status="forgotten", since=command.at, review="")
    return now.with_(**change.fields)


def _lift(command: Undo, draft: Draft) -> set[bytes]:
    """Adds the lifting of the rejections that the change wrote, where they are in force still; returns their claims."""
    lifted: set[bytes] = set()
    for rejection in command.rejected:
        in_force = {found.claim: found.at for digest in rejection.rejected for found in draft.index.rejections(digest)}
        if in_force.get(rejection.claim) != rejection.occurred_at or rejection.claim in lifted:
            continue
        known = draft.claim(rejection.claim) or rejection.state
        event_id = command.new_id()
        draft.add(
            RejectionLifted(id=event_id, occurred_at=command.at, cause=command.event, claim=rejection.claim, state=known)
        )
        lifted.add(rejection.claim)
    return lifted


def _forbidden(back: ClaimState, change: Change, lifted: set[bytes], draft: Draft) -> Refused | None:
    """Refuses to bring back what the rejection of another claim, or another act, forbids."""
    if not back.live or (change.before is not None and draft.index.claim(change.claim) == back):
        return None
    for digest in (back.value, back.sentence):
        for found in draft.index.rejections(digest) if digest else ():
            if found.claim not in lifted:
                return Refused(
                    "rejected value",
                    actual=f"claim {change.claim.hex()[:24]} says what was rejected with claim {found.claim.hex()[:24]}",
                    required="a value that no person rejected",
                    remedy="correct the rejected claim to say so, or undo its rejection first",
                )
    return None
