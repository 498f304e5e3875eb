"""Migration: each memory of another system becomes evidence, and one claim that cites it whole (model.md §6).

Its counters, or what its status stands for, arrive as one `migration_seed` signal. It is no session and no testimony: what
another system counted can be read, aged and disputed, and promotes nothing until the user speaks here. Known evidence adds
nothing, a claim that is known gets support and keeps its own counters, and the gate is asked before all of it.

A memory that was denied or forgotten there is so here and rejects no value: the gate hears persons, and what a program made
of a user's reply elsewhere has no quote that could be checked (model.md §4). The user may still say the same, and be heard.
One that stood in conflict there stands in the inbox here. A narrative has no counters, and gets none.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from affidavit.domain.claims import (
    ClaimAsserted,
    ClaimContent,
    ClaimDerived,
    ClaimEvent,
    ClaimQuarantined,
    ClaimState,
    ClaimSuperseded,
    Place,
    SignalApplied,
    Wording,
    claim_id,
    digests,
)
from affidavit.domain.commands import Command
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import Event
from affidavit.domain.evidence import EvidenceState, Reading, evidence_id
from affidavit.domain.index import Index
from affidavit.domain.memories import Legacy, seed
from affidavit.domain.proposals import Form, Kind, Span
from affidavit.domain.readings import ExtractionCompleted
from affidavit.domain.reflections import reflection_id
from affidavit.domain.rejections import Answer, ask
from affidavit.domain.roles import JUDGES
from affidavit.domain.scopes import WriteRefused, refused_role
from affidavit.domain.signals import latest

EXTRACTOR = "migration@1"
"""Under which name migrated claims cite their memories."""
_ORDER: tuple[Form, ...] = ("fact", "reflection", "persona", "narrative")
_NOT_LIVE = frozenset({"promoted", "merged", "denied", "forgotten", "quarantined", "archived"})
_CONFLICT = "in conflict where it came from"


@dataclass(frozen=True, slots=True)
class Kin:
    """How the memories of one folder hang together: the claim of each, by key, and the memory that took its place."""

    claims: Mapping[str, bytes]
    successors: Mapping[str, Legacy]


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrate(Command):
    """Let this memory, recorded as `item`, be a claim. `namespace` is where it belongs, by name."""

    scope: bytes
    item: bytes
    namespace: str
    memory: Legacy
    kin: Kin

    @property
    def stream(self) -> bytes:
        """Returns the evidence that holds the memory."""
        return self.item

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns a key of its own: migrating again is a new command, and what it repeats is decided quiet."""
        return ("migrate", self.new_id().hex())

    @property
    def claim(self) -> bytes:
        """Returns the claim that the memory is."""
        return self.kin.claims[self.memory.key]

    @property
    def card(self) -> bool:
        """Tells whether the memory stands on the character's card; what was archived does so no more."""
        return is_card(self.memory)


def is_card(memory: Legacy) -> bool:
    """Tells whether a memory stands on the character's card, and so is protected."""
    return memory.protected and memory.status == "active"


def in_order(memories: Iterable[Legacy]) -> list[Legacy]:
    """Returns memories after their parents: facts, reflections, persona entries.

    In each form what lives comes first, so that of two memories that are one claim it decides what the claim is.
    """
    return sorted(memories, key=lambda memory: (_ORDER.index(memory.form), memory.status in _NOT_LIVE))


def home(memory: Legacy, namespace: str) -> str:
    """Returns the namespace of a memory: that of the import where it names one, else its own."""
    return namespace or memory.namespace


def kin(memories: Iterable[Legacy], source: str, namespace: str, index: Index) -> Kin:
    """Returns how memories, given in order, hang together.

    A memory that came in before is the claim that it was then. A reflection's key are its facts; one that the folder holds
    no more stands for itself, so that two reflections of which little is left are not one. Of several memories that took
    something in, the one that came from it is its successor.
    """
    claims: dict[str, bytes] = {}
    first: dict[str, Legacy] = {}
    later: dict[str, Legacy] = {}
    for memory in memories:
        own = home(memory, namespace)
        claims[memory.key] = _known(memory, source, own, index) or _claim(memory, claims, source, own, index)
        for key in memory.parents[:1]:
            first.setdefault(key, memory)
        for key in memory.parents[1:]:
            later.setdefault(key, memory)
    return Kin(claims, later | first)


def _known(memory: Legacy, source: str, namespace: str, index: Index) -> bytes | None:
    """Returns the claim that a memory is already, in these words, or None."""
    said = _digests(memory, namespace, index)
    for claim, cited in index.citing(evidence_id(index, source, "", memory.key)):
        state = index.claim(claim)
        same = state is not None and (state.form, state.sentence, state.about) == (
            memory.form,
            said["sentence"],
            said["about"],
        )
        if same and cited.extractor in {EXTRACTOR, ""}:
            return claim
    return None


def _claim(memory: Legacy, claims: Mapping[str, bytes], source: str, namespace: str, index: Index) -> bytes:
    content = _content(memory)
    if memory.form == "reflection" and memory.parents:
        parents = tuple(claims.get(key) or evidence_id(index, source, "", key) for key in memory.parents)
        return reflection_id(index, namespace, content.entity, parents)
    return claim_id(index, namespace, memory.form, content.entity, content.text)


def _content(memory: Legacy) -> ClaimContent:
    return ClaimContent(text=sentence(memory.text), entity=sentence(memory.entity))


def _digests(memory: Legacy, namespace: str, index: Index) -> dict[str, Any]:
    return digests(index, namespace, _content(memory), "positive", form=memory.form)


def sentence(text: str) -> str:
    """Returns a memory's text as a claim says it: on one line, without what cannot be printed. The evidence stays exact."""
    if text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(map(_printable, text)).split())


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() or unicodedata.category(character) == "Cc" else ""


def migrate(command: Migrate, known: ClaimState | None, index: Index) -> Decision:
    """Makes a memory a claim: the claim and its counters in one decision.

    Quiet where the claim cites this memory already, and where it was refused before for the same reason. A claim that is
    known gets support only; what the memory said before, in other words, gives way. A card needs a host or a person.
    """
    evidence, content = index.evidence(command.item), _content(command.memory)
    refused = _may_not(command, evidence, content)
    if refused or evidence is None or _is_known(command, evidence, index):
        return refused or ()
    step = _Step(command, content, evidence, index)
    first = step.first()
    answer = ask(known or first, command.item, evidence.revision, [step.span], frozenset({EXTRACTOR}), index)
    if answer and known is None and answer.held == "same span":
        return (step.quarantined(first, answer.held, answer.claim),)
    if answer:
        return step.refuse(answer)
    if known is None and first.status == "quarantined":
        events: tuple[ClaimEvent, ...] = (step.quarantined(first, _CONFLICT, None),)
    elif known is None:
        events = step.begin(first)
    elif command.card and not (known.asserted and known.live):
        events = (step.asserted(step.vouched_for(known)),)
    else:
        events = (step.supported(known),)
    return (*events, *step.reworded())


def _may_not(command: Migrate, evidence: EvidenceState | None, content: ClaimContent) -> Refused | None:
    if evidence is None:
        return Refused("evidence", actual="no evidence", required="a memory that was recorded")
    if command.card and command.actor.role not in JUDGES | {"host"}:
        return refused_role(command, command.scope, "user, operator or host")
    if not content.text or not content.entity:
        return Refused("wording", actual=f"{command.memory.text!r:.40}", required="words that can be printed")
    return None


def _is_known(command: Migrate, evidence: EvidenceState, index: Index) -> bool:
    """Tells whether the claim cites this memory, or the memory reads otherwise by now: an older folder adds nothing."""
    older = index.text(command.item, evidence.revision).text != command.memory.text
    return older or any(cited.evidence == command.item for cited in index.citations(command.claim))


@dataclass(frozen=True, slots=True)
class _Step:
    """One migration: what every part of it needs."""

    command: Migrate
    content: ClaimContent
    evidence: EvidenceState
    index: Index

    @property
    def span(self) -> Span:
        """Returns the whole memory."""
        return Span(0, len(self.index.text(self.command.item, self.evidence.revision).text))

    @property
    def places(self) -> tuple[Place, ...]:
        whole = self.span
        revision = self.evidence.revision
        return (Place(evidence=self.command.item, revision=revision, start=whole.start, end=whole.end),)

    def first(self) -> ClaimState:
        """Returns the claim as its first event leaves it, without counters; the wording names that event."""
        command, memory, index = self.command, self.command.memory, self.index
        table, card = index.policy.confidence, command.card
        generation = 0 if card else index.generation
        status, before = _status(memory)
        changes: dict[str, Any] = {
            "status": status,
            "before": before,
            "basis": "card" if card else "imported",
            "method": "manual" if card else "unknown",
            **digests(index, command.namespace, self.content, "positive", form=memory.form),
        }
        return ClaimState(
            form=memory.form,
            kind=_kind(memory),
            polarity="positive",
            namespace=self.evidence.namespace,
            wordings=(Wording(generation=generation, content=command.new_id()),),
            generations=() if card else (generation,),
            asserted=card,
            evidence_at=self.evidence.occurred_at,
            confirmed_at=latest(self.evidence.occurred_at, memory.confirmed_at),
            confidence=table.asserted if card else self._believed(),
            importance=memory.importance,
            since=command.at if memory.since is None else memory.since,
            parents=self._parents(),
            superseded_by=self._successor(str(before or status)),
            tone=memory.tone,
            expires_at=memory.expires_at,
            **changes,
        )

    def _believed(self) -> int:
        """Returns the first confidence. A narrative had no number there, and gets the least that lets one in here."""
        policy = self.index.policy
        least = policy.envelope.narrative if self.command.memory.form == "narrative" else 0
        return max(policy.confidence.imported, least)

    def _parents(self) -> tuple[bytes, ...]:
        """Returns the claims that the memory's parents are here; one that was refused is none."""
        claims = (self.command.kin.claims.get(key) for key in self.command.memory.parents)
        found = dict.fromkeys(claim for claim in claims if claim and claim != self.command.claim)
        return tuple(claim for claim in found if self.index.claim(claim) is not None)

    def _successor(self, status: str) -> bytes | None:
        """Returns the claim that took this one's place, if it is a claim here, or will be."""
        memory = self.command.kin.successors.get(self.command.memory.key)
        if memory is None or status not in {"absorbed", "promoted", "merged"}:
            return None
        claim = self.command.kin.claims[memory.key]
        content, said = _content(memory), _digests(memory, self.command.namespace, self.index)["sentence"]
        comes = bool(content.text and content.entity) and not self.index.rejections(said)
        return claim if comes or self.index.claim(claim) is not None else None

    def begin(self, first: ClaimState) -> tuple[ClaimEvent, ...]:
        """Returns the claim's first event, and the signal that brings its counters, which a narrative has not."""
        begun = self.asserted(first) if self.command.card else self._derived(first, content=self.content)
        return (begun,) if first.form == "narrative" else (begun, self._seeded(first, begun.id))

    def supported(self, known: ClaimState) -> ClaimDerived:
        """Returns the event that adds this memory to what a known claim stands on; nothing is counted twice."""
        generations = tuple(sorted({*known.generations, self.index.generation}))
        return self._derived(known.with_(generations=generations), content=None)

    def vouched_for(self, known: ClaimState) -> ClaimState:
        """Returns a known claim once it stands on the card, with its own counters and clocks."""
        derived = tuple(wording for wording in known.wordings if wording.generation)
        changes: dict[str, Any] = {"status": "active", "before": None, "basis": "card", "method": "manual"}
        return known.with_(
            wordings=(Wording(generation=0, content=self.command.new_id()), *derived),
            asserted=True,
            superseded_by=None,
            bound_to=None,
            review="",
            since=self.command.at,
            evidence_at=latest(known.evidence_at, self.evidence.occurred_at),
            confirmed_at=latest(known.confirmed_at, self.evidence.occurred_at),
            confidence=max(known.confidence, self.index.policy.confidence.asserted),
            **changes,
        )

    def asserted(self, after: ClaimState) -> ClaimAsserted:
        """Returns the event by which the host asserts what stands on the card."""
        return ClaimAsserted(
            id=after.wordings[0].content,
            occurred_at=self.command.at,
            evidence=(self.command.item,),
            parents=after.parents,
            claim=self.command.claim,
            state=after,
            places=self.places,
            key=self.command.new_id(),
            content=self.content,
        )

    def _derived(self, after: ClaimState, *, content: ClaimContent | None) -> ClaimDerived:
        return ClaimDerived(
            id=after.wordings[0].content if content else self.command.new_id(),
            occurred_at=self.command.at,
            evidence=(self.command.item,),
            parents=after.parents if content else (),
            claim=self.command.claim,
            state=after,
            places=self.places,
            extractor=EXTRACTOR,
            generation=self.index.generation,
            content=content,
        )

    def _seeded(self, first: ClaimState, cause: bytes) -> SignalApplied:
        """Returns the signal: counters and clocks as they were kept, or those of the status, since it began."""
        memory = self.command.memory
        kept = memory.reinforcement is not None or memory.disputation is not None
        up, down = (memory.reinforcement or 0, memory.disputation or 0) if kept else seed(memory.status)
        clocks = memory.rein_last_signal_at, memory.disp_last_signal_at
        if not kept:
            clocks = first.since if up else None, first.since if down else None
        return SignalApplied(
            id=self.command.new_id(),
            occurred_at=self.command.at,
            cause=cause,
            evidence=(self.command.item,),
            claim=self.command.claim,
            state=first.with_(
                reinforcement=up,
                disputation=down,
                rein_last_signal_at=clocks[0],
                disp_last_signal_at=clocks[1],
                sub_zero_days=memory.sub_zero_days,
                user_fact_reinforce_count=memory.user_fact_reinforce_count,
                signals=1,
            ),
            source="migration_seed",
            effect="seeds",
            weight=up,
            against=down,
        )

    def reworded(self) -> tuple[ClaimSuperseded, ...]:
        """Returns what ends the claims that this memory was before its text changed, and nothing but it supports."""
        command = self.command
        found: list[ClaimSuperseded] = []
        for claim in dict.fromkeys(claim for claim, _ in self.index.citing(command.item) if claim != command.claim):
            state = self.index.claim(claim)
            if state is None or not state.live or state.form != command.memory.form or state.person_protected:
                continue
            cited = self.index.citations(claim)
            ours = all(one.evidence == command.item and one.extractor in {EXTRACTOR, ""} for one in cited)
            if not ours or (state.asserted and not state.protected):
                continue
            gone = state.with_(status="superseded", superseded_by=command.claim, since=command.at, review="")
            by = command.claim
            event_id = command.new_id()
            found.append(ClaimSuperseded(id=event_id, occurred_at=command.at, claim=claim, state=gone, by=by))
        return tuple(found)

    def quarantined(self, first: ClaimState, rule: str, bound_to: bytes | None) -> ClaimQuarantined:
        """Returns the event that holds a claim back: another reading of this memory was rejected, or it was in conflict."""
        return ClaimQuarantined(
            id=first.wordings[0].content,
            occurred_at=self.command.at,
            evidence=(self.command.item,),
            claim=self.command.claim,
            state=first.with_(status="quarantined", before=None, superseded_by=None, bound_to=bound_to),
            rule=rule,
            places=self.places,
            extractor=EXTRACTOR,
            generation=self.index.generation,
            content=self.content,
        )

    def refuse(self, answer: Answer) -> tuple[Event, ...]:
        """Returns the refusal, and the mark on the evidence by which it is written once and no more."""
        command, evidence = self.command, self.evidence
        mark = self.index.keyed("refused", EXTRACTOR, "rejected value", self.content.text, answer.claim.hex())
        last = evidence.reading(EXTRACTOR)
        marks = last.refused if last else ()
        if mark in marks:
            return ()
        refused = WriteRefused(
            id=command.new_id(),
            occurred_at=command.at,
            evidence=(command.item,),
            scope=command.scope,
            rule="rejected value",
            actual=f"the {answer.held} as a rejected claim",
            required="a value that no person rejected",
            remedy="if it is right after all, correct the rejected claim to say so",
            bound_to=answer.claim,
            extractor=EXTRACTOR,
            item=command.item,
            text=self.content.text,
            start=self.span.start,
            end=self.span.end,
            quote=self.index.text(command.item, evidence.revision).text,
        )
        reading = Reading(
            extractor=EXTRACTOR,
            revision=evidence.revision,
            outcome="completed",
            refused=(*marks, mark),
        )
        completed = ExtractionCompleted(
            id=command.new_id(),
            occurred_at=command.at,
            item=command.item,
            state=evidence.read_by(reading),
            extractor=EXTRACTOR,
            revision=evidence.revision,
            claims=(),
        )
        return refused, completed


def _status(memory: Legacy) -> tuple[str, str | None]:
    """Returns a claim's status, and which one an archive took it from, as far as that can be known."""
    absorbed = memory.form == "fact" and memory.absorbed
    if memory.status == "archived":
        # What a person takes back from the archive is to be seen again, though a reflection absorbed it once.
        return "archived", "pending" if memory.form == "reflection" else "active"
    return ("absorbed" if absorbed and memory.status == "active" else memory.status), None


def _kind(memory: Legacy) -> Kind:
    """Returns the kind, by which a claim ages: its own, else a pattern for what was made of several facts, else a fact."""
    if memory.kind is not None:
        return memory.kind
    if memory.form == "narrative":
        return "narrative"
    return "pattern" if memory.form == "reflection" or (memory.form == "persona" and memory.parents) else "fact"
