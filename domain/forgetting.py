"""Forgetting: a person wants a claim out of sight. It is hidden, kept, and its value is not believed again.

To destroy the words is something else: an erasure.
"""

from dataclasses import dataclass

from affidavit.domain.claims import ClaimEvent, ClaimState
from affidavit.domain.commands import Command
from affidavit.domain.corrections import Judgement
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.draft import Draft
from affidavit.domain.events import event_type
from affidavit.domain.index import Index
from affidavit.domain.rejections import reject_value
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role

_GONE_INTO_ANOTHER = frozenset({"promoted", "merged", "withdrawn"})


@event_type("claim-forgotten.v1", public="claim state")
class ClaimForgotten(ClaimEvent):
    """A person hid the claim; the rejection of its value follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget(Judgement):
    """Let this claim be out of sight, and not be believed again."""


def forget(command: Forget, state: ClaimState, index: Index) -> Decision:
    """Hides a claim, of the character card too, and feeds the gate. Quiet if a person has done so already.

    A claim that an undone change had made, or that another system forgot, is hidden and not rejected; it is then.
    Refused to all but users and operators, and for a claim that went into another: that one is to be forgotten.
    """
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator", bound_to=command.claim)
    if state.status == "forgotten" and any(index.rejections(digest) for digest in (state.value, state.sentence) if digest):
        return ()
    if state.status in _GONE_INTO_ANOTHER:
        return Refused(
            "not live",
            actual=f"status {state.status}",
            required="a claim that did not go into another",
            remedy="see its history for the one to forget",
        )
    draft = Draft(index)
    hide(draft, command, command.claim, state)
    return tuple(draft.events)


def hide(draft: Draft, command: Command, claim: bytes, state: ClaimState) -> None:
    """Adds that a claim is forgotten, and the rejection of its value."""
    after = state.with_(status="forgotten", since=command.at, review="", vouched=False)
    hidden = ClaimForgotten(id=command.new_id(), occurred_at=command.at, claim=claim, state=after)
    draft.add(hidden)
    reject_value(draft, command, claim, after, cause=hidden.id)
