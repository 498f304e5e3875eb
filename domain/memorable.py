"""Memorable facts that a host holds, and the raising of confidence (seed 004).

A host may hold a sentence about its user with a confidence of its own, and say that the user mentioned it again. The gate is
asked, and neither is testimony: the basis is unknown, and no counter moves. Confidence rises by a step to a cap, never falls
by one, and rises at most so many times in one local day of the scope.
"""

from dataclasses import dataclass
from typing import Any

from affidavit.domain.claims import (
    ClaimAsserted,
    ClaimContent,
    ClaimEvent,
    ClaimState,
    Confirmation,
    Place,
    Wording,
    claim_id,
    digests,
)
from affidavit.domain.commands import OfScope
from affidavit.domain.corrections import Judgement
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import Millionths, event_type
from affidavit.domain.evidence import Method
from affidavit.domain.index import Index
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.proposals import Kind
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role
from affidavit.domain.signals import boosted, confirmed
from affidavit.domain.times import local_day


@event_type("confidence-raised.v1", public="claim state step")
class ConfidenceRaised(ClaimEvent):
    """A host said that the user mentioned the claim again: confidence and the clock of confirmation moved, no counter."""

    step: Millionths


@dataclass(frozen=True, slots=True, kw_only=True)
class AddFact(OfScope):
    """Hold this sentence, which the evidence `item` is, with a confidence in millionths; None takes the host's table.

    `method` is local where the user said so directly, model where it was inferred; `again` says that they said it before.
    """

    item: bytes
    namespace: str
    namespace_id: bytes | None
    text: str
    kind: Kind
    method: Method
    confidence: int | None = None
    confirmation: Confirmation = "unconfirmed"
    again: bool = False
    zone: str = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforce(Judgement):
    """Raise this claim's confidence by a step, in millionths: its user mentioned it again."""

    step: int
    zone: str = "UTC"


def add_fact(command: AddFact, index: Index) -> Decision:
    """Holds a host's sentence. Quiet if it is held already with this confidence; a lower one lowers nothing.

    Refused to all but users, operators and hosts, for what is not one sentence on one line, for a confidence below what
    anything is believed with, by the gate, and for a claim that is known and not live.
    """
    if command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host")
    confidence = _confidence(command, index.policy)
    content = ClaimContent(text=command.text)
    claim = claim_id(index, command.namespace, "fact", content.entity, content.text)
    known = index.claim(claim)
    refused = _unfit(command, confidence, index, known)
    if refused:
        return refused
    if known is not None and known.confidence >= confidence and known.asserted:
        return ()
    event_id, key = command.new_id(), command.new_id()
    after = _held(command, content, event_id, confidence, index)
    if known is not None:
        spoken = (Wording(generation=0, content=event_id), *(one for one in known.wordings if one.generation))
        after = known.with_(confidence=max(known.confidence, confidence), asserted=True, wordings=spoken)
    evidence = index.evidence(command.item)
    revision = evidence.revision if evidence else 1
    whole = Place(evidence=command.item, revision=revision, start=0, end=len(command.text))
    about: dict[str, Any] = {"id": event_id, "occurred_at": command.at, "evidence": (command.item,), "claim": claim}
    return (ClaimAsserted(**about, state=after, places=(whole,), key=key, content=content),)


def reinforce(command: Reinforce, state: ClaimState, index: Index) -> Decision:
    """Raises a live claim's confidence by a step. Quiet if it is as high as a step may bring it, and was confirmed.

    Refused to all but users, operators and hosts, for a claim that is not live or is no fact, and after as many times as
    the policy allows a day.
    """
    if command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host", bound_to=command.claim)
    if not state.live:
        return Refused("not live", actual=f"status {state.status}", required="a live claim")
    if state.form != "fact":
        return Refused("form", actual=f"a {state.form}", required="a fact")
    day, step = local_day(command.at, command.zone), max(0, command.step)
    after = boosted(state, step, day, index.policy)
    if after is None:
        most = index.policy.confidence.boosts_a_day
        return Refused("boosts a day", actual=f"{state.boosts} on {day}", required=f"fewer than {most}")
    after = confirmed(after, command.at, index.policy)
    if after.confidence == state.confidence and after.confirmation == state.confirmation:
        return ()
    return (ConfidenceRaised(id=command.new_id(), occurred_at=command.at, claim=command.claim, state=after, step=step),)


def _held(command: AddFact, content: ClaimContent, event_id: bytes, confidence: int, index: Index) -> ClaimState:
    return ClaimState(
        form="fact",
        kind=command.kind,
        polarity="positive",
        status="active",
        namespace=command.namespace_id,
        wordings=(Wording(generation=0, content=event_id),),
        asserted=True,
        basis="unknown",
        method=command.method,
        evidence_at=command.at,
        confirmed_at=command.at,
        confidence=confidence,
        confirmation=command.confirmation,
        since=command.at,
        boosted_on=local_day(command.at, command.zone) if command.again else None,
        boosts=1 if command.again else 0,
        **digests(index, command.namespace, content, "positive"),
    )


def _confidence(command: AddFact, policy: Policy) -> int:
    table = policy.confidence
    first = table.explicit if command.method == "local" else table.summary
    return min(first if command.confidence is None else command.confidence, ONE)


def _unfit(command: AddFact, confidence: int, index: Index, known: ClaimState | None) -> Refused | None:
    least = index.policy.envelope.admitted
    if not command.text.strip() or not command.text.isprintable():
        return Refused("wording", actual=f"{command.text!r:.40}", required="one sentence on one line")
    if confidence < least:
        return Refused("confidence", actual=f"{confidence / ONE:g}", required=f"{least / ONE:g} or more")
    if _is_rejected(command, index, known):
        return Refused("rejected value", actual="a sentence that a person rejected", required="one that nobody rejected")
    if known is not None and not known.live:
        return Refused("not live", actual=f"status {known.status}", required="a live claim, or a new one")
    return None


def _is_rejected(command: AddFact, index: Index, known: ClaimState | None) -> bool:
    """Asks the gate for the sentence, and for what it is when it leaves out its subject: "loves tea"."""
    wordings = (command.text, f"User {command.text}")
    asked = [digests(index, command.namespace, ClaimContent(text=text), "positive")["sentence"] for text in wordings]
    asked += [known.value] if known is not None and known.value else []
    return any(index.rejections(digest) for digest in asked)
