"""Corrections: a person's new text for a claim, or its rejection (design.md §6).

A correction is an input of every later derivation. It keeps the claim, its wording before (by reference) and after, the
evidence and the spans it was about. The corrected claim stands by itself as `manual_correction` evidence, with clean
counters, whether or not anything derives it again; the old value is rejected. Correcting back lifts the rejection.
"""

import re
from dataclasses import dataclass
from typing import Any

from affidavit.domain.claims import (
    LIVE,
    ClaimAsserted,
    ClaimContent,
    ClaimEvent,
    ClaimState,
    ClaimSuperseded,
    Place,
    Wording,
    claim_id,
    digests,
    places,
)
from affidavit.domain.commands import Command, OfClaim
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, Sealing, event_type
from affidavit.domain.index import Index
from affidavit.domain.normalise import normalise
from affidavit.domain.proposals import Form, Kind, Polarity, holds_one_value
from affidavit.domain.rejections import lift, reject_value
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import refused_role
from affidavit.domain.signals import latest


@event_type("claim-corrected.v1", public="claim state corrects before places key")
class ClaimCorrected(ClaimEvent):
    """A person said what is right; `corrects` is the claim it was about, `before` the event that sealed its wording."""

    corrects: Id
    before: Id
    places: tuple[Place, ...]
    key: Id
    content: ClaimContent

    @property
    def sealing(self) -> Sealing:
        """Returns a key of its own: these are a person's words."""
        return Sealing(own=self.key, fresh=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement(OfClaim):
    """A person's judgement of one claim. `namespace` is its namespace's name, empty for the unnamed one."""

    namespace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct(Judgement):
    """Let this claim say `text`. `value` names the new value where it cannot be read off the change."""

    text: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject(Judgement):
    """Let this claim's value not be believed again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assert(Command):
    """Let the scope hold this sentence as a person's or host's own assertion."""

    scope: bytes
    item: bytes
    namespace: str
    namespace_id: bytes | None
    text: str
    kind: Kind = "fact"
    form: Form = "fact"
    polarity: Polarity = "positive"

    @property
    def stream(self) -> bytes:
        """Returns the evidence that carries the assertion."""
        return self.item

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns message and sentence: one message asserts it once, and another may assert it again."""
        return ("assert", self.item.hex(), self.text)


def correct(command: Correct, state: ClaimState, index: Index) -> Decision:
    """Replaces what a claim says by a person's text, and rejects what it said before.

    Quiet where the text is the same and was neither denied nor held back: saying it again brings it back. A change of mere
    wording rejects nothing. Refused to all but users and operators, for a claim that is neither live, quarantined nor
    denied, and for a text that is not one sentence on one line.
    """
    refused = _may_not_judge(command, state) or _not_a_sentence(command.text)
    if refused:
        return refused
    old = index.content(state)
    new = corrected_content(old, command.text, command.value)
    if new == old and state.status not in {"denied", "quarantined"}:
        return ()
    draft = Draft(index)
    claim = claim_id(index, command.namespace, state.form, new.entity, new.text)
    event_id, key = command.new_id(), command.new_id()
    cited = places(index.citations(command.claim))
    after = _stands_by_itself(state, new, event_id, command, index)
    known = draft.claim(claim)
    if known:
        wordings = (after.wordings[0], *_derived(known.wordings))
        after = after.with_(generations=known.generations, wordings=wordings, pinned=after.pinned or known.pinned)
    lift(draft, command, after)
    gone = state.with_(status="superseded", superseded_by=claim, since=command.at, review="")
    if claim != command.claim and state.value and state.value == after.value:
        # Only the wording changed: what it says is right, so nothing is rejected.
        draft.add(ClaimSuperseded(id=command.new_id(), occurred_at=command.at, claim=command.claim, state=gone, by=claim))
    elif claim != command.claim:
        reject_value(draft, command, command.claim, gone, cause=event_id, spare=claim)
    draft.add(
        ClaimCorrected(
            id=event_id,
            occurred_at=command.at,
            evidence=tuple(dict.fromkeys(place.evidence for place in cited)),
            parents=(command.claim,),
            claim=claim,
            state=after,
            corrects=command.claim,
            before=state.wording(index.generation),
            places=cited,
            key=key,
            content=new,
        ),
    )
    _supersede_others(draft, command, claim, after, new.attribute)
    return tuple(draft.events)


def reject(command: Reject, state: ClaimState, index: Index) -> Decision:
    """Rejects a claim's value. Quiet if it is denied already; refused to all but users and operators."""
    if state.status == "denied" and command.actor.role in JUDGES:
        return ()
    refused = _may_not_judge(command, state)
    if refused:
        return refused
    draft = Draft(index)
    denied = state.with_(status="denied", since=command.at, review="")
    reject_value(draft, command, command.claim, denied)
    return tuple(draft.events)


def assert_claim(command: Assert, index: Index) -> Decision:
    """Holds a sentence as the actor's own assertion; it lifts a rejection of the same, being asked for by name."""
    if command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host")
    refused = _not_a_sentence(command.text)
    if refused:
        return refused
    content = ClaimContent(text=command.text)
    claim = claim_id(index, command.namespace, command.form, content.entity, content.text)
    draft = Draft(index)
    known = draft.claim(claim)
    if known and known.asserted and known.live:
        return ()
    if known:
        content = index.content(known).with_(text=command.text)
    event_id, key = command.new_id(), command.new_id()
    after = _asserted(command, content, known, event_id, index)
    if command.actor.role in JUDGES:
        lift(draft, command, after)
    elif index.rejections(after.sentence) or (known and known.status == "denied"):
        return Refused("rejected value", actual=command.text, required="a value that no person rejected")
    revision = index.evidence(command.item)
    whole = Place(evidence=command.item, revision=revision.revision if revision else 1, start=0, end=len(command.text))
    draft.add(
        ClaimAsserted(
            id=event_id,
            occurred_at=command.at,
            evidence=(command.item,),
            claim=claim,
            state=after,
            places=(whole,),
            key=key,
            content=content,
        ),
    )
    return tuple(draft.events)


def _asserted(
    command: Assert,
    content: ClaimContent,
    known: ClaimState | None,
    event_id: bytes,
    index: Index,
) -> ClaimState:
    """Returns the state of an asserted claim; of a known one, counters, clocks, pin and kind are kept."""
    table = index.policy.confidence
    spoken = Wording(generation=0, content=event_id)
    if known:
        wrong = known.accuracy is not None and known.accuracy.verdict == "incorrect"
        cleared: dict[str, Any] = {"accuracy": None, "confirmation": "unconfirmed"} if wrong else {}
        return known.with_(
            status="active",
            wordings=(spoken, *_derived(known.wordings)),
            asserted=True,
            superseded_by=None,
            bound_to=None,
            basis="manual_correction",
            method="manual",
            evidence_at=latest(known.evidence_at, command.at),
            confirmed_at=latest(known.confirmed_at, command.at),
            **cleared,
            confidence=max(known.confidence, table.asserted),
        )
    return ClaimState(
        form=command.form,
        kind=command.kind,
        polarity=command.polarity,
        status="active",
        namespace=command.namespace_id,
        wordings=(spoken,),
        asserted=True,
        basis="manual_correction",
        method="manual",
        evidence_at=command.at,
        confirmed_at=command.at,
        confidence=table.asserted,
        **digests(index, command.namespace, content, command.polarity),
    )


def corrected_content(old: ClaimContent, text: str, value: str = "") -> ClaimContent:
    """Returns the content of a corrected claim.

    The attribute is kept where the new value is known: named by the caller, or read off a change in the one place where
    the old sentence holds its old value ("User lives in Lisbon." to "User lives in Porto."). Else, and where the sentence
    is negated and was not, attribute and value are left empty rather than guessed.
    """
    text = " ".join(text.split())
    if not value and old.value and old.text.count(old.value) == 1:
        before, _, after = old.text.partition(old.value)
        if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
            changed = text[len(before) : len(text) - len(after)]
            value = "" if set(old.value.split()) < set(changed.split()) else changed
    if is_negated(text) != is_negated(old.text):
        return ClaimContent(text=text, entity=old.entity)
    if not value and normalise(text) == normalise(old.text):
        value = old.value
    attribute = old.attribute if value else ""
    return ClaimContent(text=text, entity=old.entity, attribute=attribute, value=value)


def is_negated(text: str) -> bool:
    """Tells whether a sentence about someone holds a word that negates it, in English or Chinese."""
    return bool(_NEGATIONS.search(normalise(text)))


_NEGATIONS = re.compile(r"\b(?:not|no|never|nor|neither|nothing|dislikes?|hates?|cannot)\b|n't\b|不|没|无|别|从未|讨厌")


def _may_not_judge(command: Judgement, state: ClaimState) -> Refused | None:
    if command.actor.role not in JUDGES:
        return refused_role(command, command.scope, "user or operator", bound_to=command.claim)
    if state.status not in LIVE | {"quarantined", "denied", "absorbed"}:
        return Refused(
            "not live",
            actual=f"status {state.status}",
            required="a live, absorbed, quarantined or denied claim",
            remedy="see its history for what took its place",
        )
    return None


def _not_a_sentence(text: str) -> Refused | None:
    if text.strip() and text.isprintable():
        return None
    return Refused("wording", actual=f"{text!r:.40}", required="one sentence on one line")


def _stands_by_itself(
    old: ClaimState,
    new: ClaimContent,
    event_id: bytes,
    command: Correct,
    index: Index,
) -> ClaimState:
    turned = is_negated(new.text) != is_negated(index.content(old).text)
    polarity = _OPPOSITE[old.polarity] if turned else old.polarity
    return ClaimState(
        form=old.form,
        kind=old.kind,
        polarity=polarity,
        status="confirmed" if old.form == "reflection" else "active",
        namespace=old.namespace,
        wordings=(Wording(generation=0, content=event_id),),
        asserted=True,
        corrected=True,
        basis="manual_correction",
        method="manual",
        evidence_at=command.at,
        confirmed_at=command.at,
        confidence=index.policy.confidence.asserted,
        confirmation="confirmed",
        pinned=old.pinned,
        importance=old.importance,
        since=command.at,
        tone=old.tone,
        expires_at=old.expires_at,
        **digests(index, command.namespace, new, polarity, form=old.form),
    )


_OPPOSITE: dict[Polarity, Polarity] = {"positive": "negative", "negative": "positive"}


def _derived(wordings: tuple[Wording, ...]) -> tuple[Wording, ...]:
    return tuple(wording for wording in wordings if wording.generation)


def _supersede_others(draft: Draft, command: Correct, claim: bytes, state: ClaimState, attribute: str) -> None:
    if not state.topic or not holds_one_value(attribute):
        return
    for other, before in draft.holders(state.topic, but=claim):
        if not before.live or before.value == state.value:
            continue
        after = before.with_(status="superseded", superseded_by=claim, since=command.at, review="")
        event = ClaimSuperseded(id=command.new_id(), occurred_at=command.at, claim=other, state=after, by=claim)
        draft.add(event)
