"""Pins: a person keeps a claim in sight.

A pinned claim has freshness 1 and is exempt from dormancy and from the archive sweep (seed 002, "Gradual aging"). A pin adds
no credibility: score, confidence and authority never look at it. Pinning twice is one pin. A correction keeps the pin.
"""

from dataclasses import dataclass

from affidavit.domain.claims import ClaimEvent, ClaimState
from affidavit.domain.corrections import Judgement
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import event_type
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin(Judgement):
    """Keep this claim in sight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpin(Judgement):
    """Let this claim age again."""


@event_type("claim-pinned.v1", public="claim state")
class ClaimPinned(ClaimEvent):
    """A person pinned the claim; `state.pinned` is true from here on."""


@event_type("claim-unpinned.v1", public="claim state")
class ClaimUnpinned(ClaimEvent):
    """A person took the pin off; the claim ages by its own clocks, which had gone on."""


def pin(command: Pin, state: ClaimState) -> Decision:
    """Pins a live claim. Quiet if it is pinned already; refused to all but users and operators."""
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator", bound_to=command.claim)
    if not state.live:
        return Refused(
            "not live",
            actual=f"status {state.status}",
            required="a live claim",
            remedy="see its history for what took its place",
        )
    if state.pinned:
        return ()
    pinned = state.with_(pinned=True)
    return (ClaimPinned(id=command.new_id(), occurred_at=command.at, claim=command.claim, state=pinned),)


def unpin(command: Unpin, state: ClaimState) -> Decision:
    """Takes the pin off a claim, live or not. Quiet if it has none; refused to all but users and operators."""
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator", bound_to=command.claim)
    if not state.pinned:
        return ()
    unpinned = state.with_(pinned=False)
    return (ClaimUnpinned(id=command.new_id(), occurred_at=command.at, claim=command.claim, state=unpinned),)
