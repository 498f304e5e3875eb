"""Resolutions: a person decides a matter of the inbox; detecting a conflict is half of the work (seed 003, pattern 15).

What is resolved is a claim that was held back, or one that a person rejected and a later statement met again: the *new* one.
The *old* ones are the live claims that cannot hold beside it. Each disposition is one transaction, with one event for each
claim that it changes; none moves a clock or an evidence date, so nothing stale looks fresh again (row P16).

    keep-old     the new one gives way; an old one is vouched for
    keep-new     the new one is believed and vouched for, its rejection is lifted; the old ones are superseded by it
    keep-both    the new one is believed and vouched for beside the old ones, whatever their attribute holds
    remove-both  all of them are forgotten, which feeds the gate
    manual       a person's text takes the place of all of them
"""

from dataclasses import dataclass
from typing import Literal

from affidavit.domain.claims import ClaimEvent, ClaimState, ClaimSuperseded, Slot
from affidavit.domain.corrections import ClaimCorrected, Correct, Judgement, correct
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.draft import Draft
from affidavit.domain.events import event_type
from affidavit.domain.forgetting import hide
from affidavit.domain.index import Index
from affidavit.domain.proposals import holds_one_value
from affidavit.domain.rejections import lift
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role

Disposition = Literal["keep-old", "keep-new", "keep-both", "remove-both", "manual"]
_MET_AGAIN = frozenset({"denied", "forgotten", "superseded"})
"""Statuses of a rejected claim that a later statement may bring up again."""


@event_type("conflict-resolved.v1", public="claim state disposition")
class ConflictResolved(ClaimEvent):
    """A person decided between this claim and those that cannot hold beside it."""

    disposition: Disposition


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveConflict(Judgement):
    """Decide about this claim; `text` is what a person says instead, for `manual` alone."""

    disposition: Disposition
    text: str = ""


def resolve(command: ResolveConflict, state: ClaimState, index: Index) -> Decision:
    """Decides a matter of the inbox.

    Refused to all but users and operators, for a claim that is neither held back nor rejected, and for a text without
    `manual` or `manual` without one.
    """
    refused = _may_not(command, state, index)
    if refused:
        return refused
    draft = Draft(index)
    old = _cannot_hold_beside(command, state, draft)
    if command.disposition == "manual":
        return _manual(command, state, draft, old)
    if command.disposition == "remove-both":
        for claim, known in [(command.claim, state), *old]:
            hide(draft, command, claim, known)
        return tuple(draft.events)
    if command.disposition == "keep-old":
        _give_way(command, state, draft, old)
        return tuple(draft.events)
    believed = _believed(command, state)
    if command.disposition == "keep-both":
        believed = believed.with_(beside=tuple(dict.fromkeys((*state.beside, *(claim for claim, _ in old)))))
    lift(draft, command, believed)
    _resolved(draft, command, command.claim, believed)
    for claim, known in old if command.disposition == "keep-new" else ():
        gone = known.with_(status="superseded", superseded_by=command.claim, since=command.at, review="")
        event_id = command.new_id()
        draft.add(ClaimSuperseded(id=event_id, occurred_at=command.at, claim=claim, state=gone, by=command.claim))
    return tuple(draft.events)


def _believed(command: ResolveConflict, state: ClaimState) -> ClaimState:
    """Returns the claim as a person vouches for it: its dates are kept, a verdict that it is incorrect is not."""
    wrong = state.accuracy is not None and state.accuracy.verdict == "incorrect"
    return state.with_(
        status="confirmed" if state.form == "reflection" else "active",
        vouched=True,
        confirmation="confirmed",
        accuracy=Slot(verdict="accurate", at=command.at) if wrong else state.accuracy,
        superseded_by=None,
        bound_to=None,
        since=command.at,
        review="",
    )


def _give_way(command: ResolveConflict, state: ClaimState, draft: Draft, old: list[tuple[bytes, ClaimState]]) -> None:
    """Lets the new claim give way: to an old one, which is vouched for, or to nothing, which rejects it."""
    for claim, known in old[:1]:
        vouched = known.with_(vouched=True, confirmation="confirmed", review="")
        _resolved(draft, command, claim, vouched)
    if state.status in _MET_AGAIN:
        _resolved(draft, command, command.claim, state)
    elif old:
        gone = state.with_(status="superseded", superseded_by=old[0][0], bound_to=None, since=command.at, review="")
        _resolved(draft, command, command.claim, gone)
    else:
        hide(draft, command, command.claim, state)


def _manual(command: ResolveConflict, state: ClaimState, draft: Draft, old: list[tuple[bytes, ClaimState]]) -> Decision:
    """Corrects an old claim, or the new one where there is none, and lets the others give way to what the person says."""
    target, known = old[0] if old else (command.claim, state)
    of = {"scope": command.scope, "namespace": command.namespace}
    who = {"actor": command.actor, "at": command.at, "new_id": command.new_id}
    decision = correct(Correct(**who, **of, claim=target, text=command.text), known, draft.index)  # type: ignore[arg-type]
    if isinstance(decision, Refused):
        return decision
    for event in decision:
        draft.add(event)
    said = next((event.claim for event in draft.events if isinstance(event, ClaimCorrected)), target)
    for claim, _ in [(command.claim, state), *old]:
        now = draft.claim(claim)
        if now is None or claim == said:
            continue
        gone = now if now.status in _MET_AGAIN else now.with_(status="superseded", superseded_by=said, since=command.at)
        _resolved(draft, command, claim, gone.with_(review="", bound_to=None))
    return tuple(draft.events)


def _resolved(draft: Draft, command: ResolveConflict, claim: bytes, state: ClaimState) -> None:
    event_id, disposition = command.new_id(), command.disposition
    draft.add(ConflictResolved(id=event_id, occurred_at=command.at, claim=claim, state=state, disposition=disposition))


def _cannot_hold_beside(command: ResolveConflict, state: ClaimState, draft: Draft) -> list[tuple[bytes, ClaimState]]:
    """Returns the live claims that the new one conflicts with: what it was held for, and other values of its attribute."""
    named = [claim for claim in (state.bound_to, state.superseded_by) if claim]
    found = {claim: known for claim in named if (known := draft.claim(claim)) is not None}
    if state.topic and holds_one_value(draft.index.content(state).attribute):
        found |= dict(draft.holders(state.topic, but=command.claim))
    return [(claim, known) for claim, known in found.items() if known.live and known.value != state.value]


def _may_not(command: ResolveConflict, state: ClaimState, index: Index) -> Refused | None:
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator", bound_to=command.claim)
    rejected = any(index.rejections(digest) for digest in (state.value, state.sentence) if digest)
    if state.status != "quarantined" and not (state.status in _MET_AGAIN and rejected):
        return Refused(
            "no conflict",
            actual=f"status {state.status}",
            required="a quarantined claim, or a rejected one",
            remedy="see the inbox for what waits; correct, reject or forget other claims",
        )
    if (command.disposition == "manual") != bool(command.text):
        return Refused(
            "text", actual=f"{command.disposition}, text {command.text!r:.40}", required="a text with manual alone"
        )
    return None
