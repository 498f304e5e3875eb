"""Surfacing: asking the user about a claim, and hearing the reply (seed 000).

A pending reflection that is not below zero may be surfaced, three at a time and none twice within the cooldown; after them
facts that the user was not sure of. What the reply says is one verdict a claim: confirms, denies, ignores, or unclear, which
counts for nothing and is asked again. The verdict, its signal and what follows from both are one decision, so none can be
lost. A denial is a person's rejection, and feeds the gate.
"""

from dataclasses import dataclass
from typing import Any, Literal

from affidavit.domain.claims import ClaimEvent, ClaimState, SignalApplied
from affidavit.domain.commands import OfScope
from affidavit.domain.corrections import Judgement
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, event_type
from affidavit.domain.index import Index, Tally
from affidavit.domain.lifecycle import confirmation
from affidavit.domain.picking import may_ask_about
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Span
from affidavit.domain.rejections import reject_value
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role
from affidavit.domain.signals import Effect, Source, moved
from affidavit.domain.times import SECOND

Verdict = Literal["confirms", "denies", "ignores", "unclear"]


@event_type("claim-surfaced.v1", public="claim state")
class ClaimSurfaced(ClaimEvent):
    """The agent is about to ask the user about the claim; `state.eligible_at` is when it may again."""


@event_type("reply-judged.v1", public="claim state verdict item start end read_by")
class ReplyJudged(ClaimEvent):
    """What a reply says of a surfaced claim; `start` and `end` are the words that say so, `read_by` who read them."""

    verdict: Verdict
    item: Id
    start: int = 0
    end: int = 0
    read_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface(OfScope):
    """Ask the user about these claims, in this order."""

    claims: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(OfScope):
    """Report a reply of the user, before it is known what it says."""


def report(command: Report) -> Decision:
    """Lets a user, operator or host report a reply; refused to everyone else: an agent vouches for none of its claims."""
    if command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host")
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Judgement):
    """Take what a reply says of one surfaced claim.

    `item` is the message; `span` the words in it that say so, where someone else than a judge has read them; `by` names the
    extractor that did, empty for a person.
    """

    item: bytes
    verdict: Verdict
    span: Span | None = None
    by: str = ""

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns message and claim: one message says one thing of a claim."""
        return ("reply", self.item.hex(), self.claim.hex())

    @property
    def content(self) -> tuple[Any, ...]:
        """Returns the verdict."""
        return (self.verdict,)


def eligible(state: ClaimState, now: int, policy: Policy) -> bool:
    """Tells whether a claim may be surfaced at a moment; reads only."""
    return may_ask_about(state, state.eligible_at, now, policy)


def surface(command: Surface, index: Index) -> Decision:
    """Marks the claims as surfaced; those that may not be any more are left out.

    Refused to all but hosts, users and operators.
    """
    if command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host")
    policy = index.policy
    pause = policy.surfacing.cooldown_minutes * 60 * SECOND
    states = [(claim, index.claim(claim)) for claim in dict.fromkeys(command.claims)]
    return tuple(
        ClaimSurfaced(
            id=command.new_id(),
            occurred_at=command.at,
            claim=claim,
            state=state.with_(surfaced_at=command.at, eligible_at=command.at + pause),
        )
        for claim, state in states
        if state is not None and eligible(state, command.at, policy)
    )


def reply(command: Reply, state: ClaimState, index: Index) -> Decision:
    """Takes a verdict, with its signal and what follows, in one decision.

    Refused to a role that may not report replies, for a claim that is not live or was not surfaced, for a message that is
    not the user's, and where someone else than a judge read the reply and shows no words of it.
    """
    refused = _may_not(command, state, index)
    if refused:
        return refused
    evidence = index.evidence(command.item)
    session = evidence.session if evidence else b""
    source = evidence.source if evidence else b""
    at = evidence.occurred_at if evidence else command.at
    draft = Draft(index)
    answered = state.with_(surfaced_at=None) if command.verdict != "unclear" else state
    judged = ReplyJudged(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=(command.item,),
        claim=command.claim,
        state=answered,
        verdict=command.verdict,
        item=command.item,
        start=command.span.start if command.span else 0,
        end=command.span.end if command.span else 0,
        read_by=command.by,
    )
    draft.add(judged)
    if command.verdict == "unclear":
        return tuple(draft.events)
    tally = index.tally(command.claim)
    tally = Tally(tally.sources | {source}, tally.sessions | {session})
    after = _signalled(command, answered, at, tally, draft, judged.id)
    if command.verdict == "denies":
        denied = after.with_(status="denied", since=command.at, confirmation="contradicted", vouched=False, review="")
        reject_value(draft, command, command.claim, denied, cause=judged.id)
    elif command.verdict == "confirms":
        confirmed = confirmation(command, command.claim, after, index, at=at, cause=judged.id)
        if confirmed:
            draft.add(confirmed)
    return tuple(draft.events)


def _signalled(command: Reply, state: ClaimState, at: int, tally: Tally, draft: Draft, cause: bytes) -> ClaimState:
    """Adds the signal that a verdict carries, and returns the state after it."""
    policy = draft.index.policy
    weights = policy.signals
    source: Source
    effect: Effect
    if command.verdict == "confirms":
        source, effect, weight = "user_confirm", "reinforces", weights.user_confirms
        after = moved(state, at, policy, up=weight, source=source)
        after = after.with_(vouched=True, confirmation="confirmed", sources=len(tally.sources), sessions=len(tally.sessions))
    elif command.verdict == "denies":
        source, effect, weight = "user_rebut", "negates", weights.user_denies
        after = moved(state, at, policy, down=weight, source=source)
    else:
        source, effect, weight = "user_ignore", "ignores", weights.user_ignores
        after = moved(state, at, policy, up=weight, source=source)
    draft.add(
        SignalApplied(
            id=command.new_id(),
            occurred_at=command.at,
            cause=cause,
            evidence=(command.item,),
            claim=command.claim,
            state=after,
            source=source,
            effect=effect,
            weight=weight,
        ),
    )
    return after


def _may_not(command: Reply, state: ClaimState, index: Index) -> Refused | None:
    if command.actor.role not in JUDGES | {"host", "extractor"}:
        return refused_role(command, command.scope, "user, operator or host", bound_to=command.claim)
    if not state.live:
        return Refused("not live", actual=f"status {state.status}", required="a live claim")
    if state.surfaced_at is None:
        return Refused(
            "not surfaced",
            actual="a claim that nobody asked the user about",
            required="a surfaced claim",
            remedy="surface it first; to judge it without a reply, correct or reject it",
        )
    return _not_said(command, index)


def _not_said(command: Reply, index: Index) -> Refused | None:
    """Refuses what is not the user's own reply, and a verdict of someone else than a judge that shows no words of it."""
    evidence = index.evidence(command.item)
    if evidence is None or not evidence.first_hand:
        found = f"a message of role {evidence.role}, basis {evidence.basis}" if evidence else "no such message"
        return Refused("not testimony", actual=found, required="the user's own reply")
    span, length = command.span, len(index.text(command.item, evidence.revision).text)
    shown = span is not None and 0 <= span.start < span.end <= length
    if shown or command.actor.role in JUDGES or command.verdict in {"ignores", "unclear"}:
        return None
    return Refused("quote", actual="no words of the reply", required="the words that say so")
