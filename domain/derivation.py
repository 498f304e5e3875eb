"""Derivation: from an extractor's proposals about one evidence revision to events.

Each quote is checked against the evidence, code point by code point, before anything is written. What an extractor says
of known evidence adds support and moves nothing; a new first-hand statement of a known claim reaffirms it; a newer value
of a one-value attribute, and a claim that says which one it replaces, supersede the older one where their source may
(`domain.replacement`), and are held for a person where it may not. The gate stands before all of it. A failure backs off
and becomes a dead letter in the end; the evidence stays, and nothing advances silently.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pydantic import Field

from affidavit.domain.archives import restored
from affidavit.domain.claims import (
    ClaimContent,
    ClaimDerived,
    ClaimQuarantined,
    ClaimReaffirmed,
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
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, event_type, nothing
from affidavit.domain.evidence import EvidenceEvent, EvidenceState, Method, Reading, derivable
from affidavit.domain.feedback import feedback_in
from affidavit.domain.freshness import priority
from affidavit.domain.index import Index, Tally
from affidavit.domain.opposition import oppose, testimony
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Proposal, Span, holds_one_value
from affidavit.domain.rejections import Answer, ask
from affidavit.domain.replacement import PINNED, WEAKER, Incoming, Named, contract_fault, may_replace, outranks
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.signals import boosted, confirmed, latest, reinforced
from affidavit.domain.times import SECOND, local_day, shifted

Failure = Literal["", "output", "late"]
"""Why a reading failed: no answer came, it was not what was asked for, or something it was shown changed meanwhile."""
SHOWN = 24
"""How many hex digits of a claim's id an extractor is shown."""


@event_type("extraction-completed.v1", public="item state extractor revision claims withheld calls")
class ExtractionCompleted(EvidenceEvent):
    """An extractor has read this revision; `claims` are those it derived, supported or reaffirmed.

    `withheld` counts the replacements that its source was too weak for, `calls` how often a model was asked for it.
    """

    extractor: str
    revision: int
    claims: tuple[Id, ...]
    withheld: int = Field(default=0, exclude_if=nothing)
    calls: int = Field(default=0, exclude_if=nothing)


@event_type("extraction-failed.v1", public="item state extractor revision failure calls")
class ExtractionFailed(EvidenceEvent):
    """An extractor gave no answer that can be taken; the state says when it is tried again, or that it is a dead letter."""

    extractor: str
    revision: int
    error: str
    failure: Failure = Field(default="", exclude_if=nothing)
    calls: int = Field(default=0, exclude_if=nothing)


class Seen(NamedTuple):
    """A claim as an extractor was shown it: the event that sealed its wording, and its status."""

    claim: bytes
    wording: bytes
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete(Command):
    """Take these proposals of an extractor about one revision of one piece of evidence.

    `method` says how it read, `shown` what it was shown beside the evidence, `calls` how often it asked a model.
    """

    scope: bytes
    item: bytes
    revision: int
    extractor: str
    namespace: str
    proposals: tuple[Proposal, ...]
    zone: str = "UTC"
    method: Method = "local"
    shown: tuple[Seen, ...] = ()
    calls: int = 0

    @property
    def stream(self) -> bytes:
        """Returns the evidence read."""
        return self.item

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns a key of its own: reading again is a new command, and what it repeats is decided quiet."""
        return ("extract", self.extractor, self.new_id().hex())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(Command):
    """Note that an extractor gave no answer about one revision, or one that was not what was asked for."""

    item: bytes
    revision: int
    extractor: str
    error: str
    failure: Failure = ""
    calls: int = 0

    @property
    def stream(self) -> bytes:
        """Returns the evidence read."""
        return self.item

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns a key of its own: each failure counts."""
        return ("fail", self.extractor, self.new_id().hex())


@dataclass(slots=True)
class _Statement:
    """What the proposals of one answer say of one claim, with all its spans in this evidence, and what it is to replace."""

    claim: bytes
    proposal: Proposal
    content: ClaimContent
    spans: list[Span]
    hedged: bool
    replaces: dict[bytes, None] = field(default_factory=dict)


class _Hindered(NamedTuple):
    """A claim that may not be replaced, and what stands against it."""

    claim: bytes
    why: Refused


@dataclass(frozen=True, slots=True)
class _Reader:
    """What every step of one reading needs. `stated` are the claims that it newly states, or teaches their value.

    `hindered` has, by the digests of their sentence and value, what the answer may not say in another's place; `withheld`
    the claims that a weaker source was to replace.
    """

    command: Complete
    evidence: EvidenceState
    draft: Draft
    refused: list[bytes]
    stated: dict[bytes, ClaimContent] = field(default_factory=dict)
    hindered: dict[bytes, _Hindered] = field(default_factory=dict)
    withheld: list[bytes] = field(default_factory=list)

    @property
    def index(self) -> Index:
        return self.draft.index

    @property
    def first_hand(self) -> bool:
        return self.evidence.first_hand

    def places(self, statement: _Statement) -> tuple[Place, ...]:
        where = self.command.item, self.command.revision
        return tuple(Place(evidence=where[0], revision=where[1], start=span.start, end=span.end) for span in statement.spans)

    def states(self, statement: _Statement) -> None:
        """Remembers what the statement says; where this extractor cannot tell the value, the claim itself may know."""
        known, content = self.index.claim(statement.claim), statement.content
        if known is not None and known.value and not content.value:
            content = self.index.content(known)
        self.stated[statement.claim] = content

    def hinders(self, state: ClaimState) -> _Hindered | None:
        """Returns what stands against saying so in this answer, or None."""
        found = (self.hindered.get(digest) for digest in (state.sentence, state.value) if digest)
        return next((one for one in found if one is not None), None)

    def refuse(
        self,
        proposal: Proposal,
        rule: str,
        actual: str,
        required: str,
        answer: Answer | None = None,
        bound_to: bytes | None = None,
    ) -> None:
        """Adds a refusal, once for each extractor, proposal and rule."""
        span = proposal.span
        said = proposal.text, proposal.quote, str(span.start), str(span.end)
        mark = self.index.keyed("refused", self.command.extractor, rule, *said)
        if mark in self.refused:
            return
        self.refused.append(mark)
        newer = bool(answer and answer.at and self.first_hand and self.evidence.occurred_at > answer.at)
        self.draft.add(
            WriteRefused(
                id=self.command.new_id(),
                occurred_at=self.command.at,
                evidence=(self.command.item,),
                scope=self.command.scope,
                rule=rule,
                actual=actual,
                required=required,
                remedy="if it is right after all, correct the rejected claim to say so" if newer else "",
                bound_to=answer.claim if answer else bound_to,
                conflict=newer,
                extractor=self.command.extractor,
                item=self.command.item,
                text=proposal.text,
                start=span.start,
                end=span.end,
                quote=proposal.quote,
            ),
        )


def complete(command: Complete, evidence: EvidenceState, index: Index) -> Decision:
    """Takes an extractor's answer: claims derived, supported, reaffirmed, superseded, held or refused, in one decision.

    Quiet where the answer brings nothing that the log does not hold. Every proposal about a revision that is not the
    newest is refused, and the reading does not count as completed; nor does one that was shown a claim whose wording or
    status changed meanwhile, or whose answer breaks the contract of replacing.
    """
    last = evidence.reading(command.extractor)
    reader = _Reader(command, evidence, Draft(index), list(last.refused) if last else [])
    current = command.revision == evidence.revision
    if not current:
        return _late(reader, last)
    if any(_changed(index.claim(seen.claim), seen, index) for seen in command.shown):
        return _overtaken(command, evidence, last)
    fault = _breach(reader)
    if fault:
        return _failed(command, evidence, index.policy, "output", f"the answer cannot be taken: {fault}")
    statements = _statements(reader)
    _weigh(reader, statements)
    touched = [statement.claim for statement in statements if _take(reader, statement)]
    _hold_variants(reader)
    oppose(reader.draft, command, command.namespace, reader.stated, command.item)
    done = last is not None and last.outcome == "completed" and last.revision == command.revision
    if not done or reader.draft.events or command.calls:
        retried = last is not None and not done and last.revision == command.revision
        reading = Reading(
            extractor=command.extractor,
            revision=command.revision,
            outcome="completed",
            attempts=last.attempts + 1 if last is not None and retried else 1,
            refused=tuple(reader.refused),
            withheld=len(reader.withheld),
        )
        completed = ExtractionCompleted(
            id=command.new_id(),
            occurred_at=command.at,
            item=command.item,
            state=evidence.read_by(reading),
            extractor=command.extractor,
            revision=command.revision,
            claims=tuple(touched),
            withheld=len(reader.withheld),
            calls=command.calls,
        )
        reader.draft.add(completed)
    return tuple(reader.draft.events)


def _late(reader: _Reader, last: Reading | None) -> Decision:
    """Refuses an answer about a revision that is not the newest: a failed reading, which is due again at once."""
    command, newest = reader.command, reader.evidence.revision
    for proposal in command.proposals:
        reader.refuse(proposal, "revision", f"revision {command.revision}", f"revision {newest}")
    if not reader.draft.events:
        return ()
    if last is None:
        reading = Reading(
            extractor=command.extractor,
            revision=command.revision,
            outcome="failed",
            retry_at=command.at,
            refused=tuple(reader.refused),
        )
    else:
        reading = last.with_(refused=tuple(reader.refused))
    reader.draft.add(
        ExtractionFailed(
            id=command.new_id(),
            occurred_at=command.at,
            evidence=(command.item,),
            item=command.item,
            state=reader.evidence.read_by(reading),
            extractor=command.extractor,
            revision=command.revision,
            error=f"revision {command.revision} was read, revision {newest} is the newest",
            failure="late",
            calls=command.calls,
        ),
    )
    return tuple(reader.draft.events)


def _changed(state: ClaimState | None, seen: Seen, index: Index) -> bool:
    """Tells whether a claim is not what an extractor was shown; that it was mentioned or judged useful changes nothing."""
    return state is None or (state.wording(index.generation), state.status) != (seen.wording, seen.status)


def _overtaken(command: Complete, evidence: EvidenceState, last: Reading | None) -> Decision:
    """Refuses an answer about claims that are not what they were: due again at once, and no attempt is spent."""
    same = last is not None and last.revision == command.revision
    if last is not None and same and last.outcome == "completed":
        return ()
    reading = Reading(
        extractor=command.extractor,
        revision=command.revision,
        outcome="failed",
        attempts=last.attempts if last is not None and same else 0,
        retry_at=command.at,
        refused=last.refused if last is not None else (),
        output_failures=last.output_failures if last is not None and same else 0,
    )
    return (_failure(command, evidence, reading, "late", "a claim that it was shown changed while it was read"),)


def _breach(reader: _Reader) -> str:
    """Returns what in the answer breaks the contract of replacing, empty if nothing does."""
    command, index = reader.command, reader.index
    observed = reader.evidence.basis == "tool_observation" and derivable(reader.evidence)
    if not observed and not any(proposal.replaces for proposal in command.proposals):
        return ""
    states = {seen.claim: index.claim(seen.claim) for seen in command.shown}
    shown = {claim.hex()[:SHOWN]: (claim, state.kind) for claim, state in states.items() if state is not None}
    named = (
        Named(
            claim_id(index, command.namespace, proposal.form, proposal.entity, proposal.text),
            proposal.kind,
            proposal.replaces,
        )
        for proposal in command.proposals
    )
    return contract_fault(named, shown, observed=observed)


def fail(command: Fail, evidence: EvidenceState, policy: Policy) -> Decision:
    """Notes a failure: backs off by the policy, and after the last attempt makes the reading a dead letter.

    Answers in a row that are not what was asked for make it one sooner: asking again does not help. Quiet where the same
    revision was read meanwhile.
    """
    return _failed(command, evidence, policy, command.failure, command.error)


def _failed(command: Fail | Complete, evidence: EvidenceState, policy: Policy, failure: Failure, error: str) -> Decision:
    table, last = policy.extraction, evidence.reading(command.extractor)
    same = last is not None and last.revision == command.revision
    if last is not None and same and last.outcome == "completed":
        return ()
    attempts = last.attempts + 1 if last is not None and same else 1
    in_a_row = (last.output_failures if last is not None and same else 0) + 1 if failure == "output" else 0
    dead = attempts >= table.dead_letter_after or in_a_row >= table.output_failures
    wait = table.backoff_seconds[min(attempts, len(table.backoff_seconds)) - 1]
    reading = Reading(
        extractor=command.extractor,
        revision=command.revision,
        outcome="dead letter" if dead else "failed",
        attempts=attempts,
        retry_at=None if dead else command.at + wait * SECOND,
        refused=last.refused if last is not None else (),
        output_failures=in_a_row,
    )
    return (_failure(command, evidence, reading, failure, error),)


def _failure(
    command: Fail | Complete, evidence: EvidenceState, reading: Reading, failure: Failure, error: str
) -> ExtractionFailed:
    return ExtractionFailed(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=(command.item,),
        item=command.item,
        state=evidence.read_by(reading),
        extractor=command.extractor,
        revision=command.revision,
        error=error,
        failure=failure,
        calls=command.calls,
    )


def check(proposal: Proposal, reader: _Reader, text: str, adopted: tuple[Span, ...]) -> tuple[str, str, str] | None:
    """Checks one proposal against its evidence; returns (rule, actual, required) where it fails, else None."""
    span = proposal.span
    verdict = feedback_in(text) is not None
    if verdict or not derivable(reader.evidence):
        found = "feedback" if verdict else f"evidence of a {reader.evidence.role}, basis {reader.evidence.basis}"
        return "not testimony", found, "a user's own words or a summary"
    misfit = _misquoted(proposal, text) or _narrative(proposal)
    if misfit:
        return misfit
    if not proposal.text.strip() or not proposal.text.isprintable():
        return "wording", proposal.text, "one sentence on one line"
    if proposal.when is not None and not _within_calendar(proposal, reader):
        return "time", "a relative time beyond the calendar", "a moment of the years 2 to 9998"
    if any(span.overlaps(other) for other in adopted):
        return "adopted", "a quoted, fenced or pasted passage", "the user's own words"
    return None


def _misquoted(proposal: Proposal, text: str) -> tuple[str, str, str] | None:
    span = proposal.span
    if not 0 <= span.start < span.end <= len(text):
        return "quote", f"span {span.start} to {span.end}", f"a span within 0 to {len(text)}"
    if text[span.start : span.end] != proposal.quote:
        return "quote", text[span.start : span.end], "the exact quote at the span"
    return None


def _narrative(proposal: Proposal) -> tuple[str, str, str] | None:
    """Refuses what is only ever added on purpose."""
    told = "narrative" in {proposal.form, proposal.kind}
    return ("form", "a narrative", "a fact, as narratives are added by people and hosts alone") if told else None


def _within_calendar(proposal: Proposal, reader: _Reader) -> bool:
    try:
        _happens(reader, proposal)
    except ValueError:
        return False
    return True


def _statements(reader: _Reader) -> list[_Statement]:
    """Returns what the sound proposals say, one entry a claim, in the order they were said, and refuses the others."""
    found: dict[bytes, _Statement] = {}
    command = reader.command
    source = reader.index.text(command.item, command.revision)
    adopted = tuple(Span(start, end) for start, end in source.adopted)
    shown = {seen.claim.hex()[:SHOWN]: seen.claim for seen in command.shown}
    for proposal in sorted(command.proposals, key=lambda proposal: (proposal.span.start, proposal.span.end)):
        fault = check(proposal, reader, source.text, adopted)
        if fault:
            reader.refuse(proposal, *fault)
            continue
        content = ClaimContent(
            text=proposal.text,
            entity=proposal.entity,
            attribute=proposal.attribute,
            value=proposal.value,
        )
        claim = claim_id(reader.index, command.namespace, proposal.form, content.entity, content.text)
        statement = found.setdefault(claim, _Statement(claim, proposal, content, [], hedged=True))
        statement.spans.append(proposal.span)
        statement.hedged = statement.hedged and proposal.hedged
        if proposal.replaces in shown:
            statement.replaces[shown[proposal.replaces]] = None
    return list(found.values())


def _weigh(reader: _Reader, statements: list[_Statement]) -> None:
    """Asks, before anything is written, what may replace what: so what is held is held in whatever order it was said."""
    command, evidence, index = reader.command, reader.evidence, reader.index
    for statement in statements:
        proposal = statement.proposal
        for claim in statement.replaces:
            old = index.claim(claim)
            if old is None or claim == statement.claim:
                continue
            incoming = Incoming(
                form=proposal.form,
                kind=proposal.kind,
                basis=evidence.basis,
                at=evidence.occurred_at,
                namespace=evidence.namespace,
                about=digests(index, command.namespace, statement.content, old.polarity)["about"],
                nominated=evidence.targets,
            )
            why = may_replace(incoming, claim, old) or _other_kind(index.claim(statement.claim), old)
            if why is None:
                continue
            if why.rule == WEAKER:
                reader.withheld.append(claim)
            said = digests(index, command.namespace, statement.content, proposal.polarity)
            for digest in (said["sentence"], said["value"]):
                if digest:
                    reader.hindered.setdefault(digest, _Hindered(claim, why))


def _take(reader: _Reader, statement: _Statement) -> bool:
    """Decides one statement; tells whether its claim was derived, supported or reaffirmed."""
    first = _first_state(reader, statement)
    _follow_rewording(reader, statement, first)
    known = reader.draft.claim(statement.claim)
    answer = _asked(reader, statement, first, known)
    if answer and answer.held == "same span" and known is None:
        _quarantine(reader, statement, first, answer.claim, answer.held)
        return False
    if answer:
        if answer.held != "same span" or not _cited_by(reader, statement):
            actual = f"the {answer.held} as a rejected claim"
            reader.refuse(statement.proposal, "rejected value", actual, "a value that no person rejected", answer)
        return False
    hindered = reader.hinders(first)
    if hindered:
        return _hold(reader, statement, known, first, hindered)
    if known is None:
        _derive(reader, statement, first, new=True)
        _settle(reader, statement)
        took = _states(reader, statement)
    elif statement.replaces and not reader.first_hand:
        took = _attach(reader, statement, known, first)
    else:
        took = _restate(reader, statement, known, first)
    _replace(reader, statement)
    return took


def _states(reader: _Reader, statement: _Statement) -> bool:
    """Notes that the message newly states the claim; what had to be held for a person speaks against nothing."""
    state = reader.draft.claim(statement.claim)
    if state is not None and state.status == "quarantined":
        return False
    reader.states(statement)
    return True


def _hold(reader: _Reader, statement: _Statement, known: ClaimState | None, first: ClaimState, hindered: _Hindered) -> bool:
    """Refuses what may not take another's place, or holds it for a person where only its source is too weak.

    A variant that other evidence speaks for as well stays as it is.
    """
    why = hindered.why
    if why.rule != WEAKER:
        reader.refuse(statement.proposal, why.rule, why.actual, why.required, bound_to=hindered.claim)
        return False
    if known is None:
        _quarantine(reader, statement, first, hindered.claim, WEAKER)
        return False
    if _its_own(reader, statement.claim, known):
        _hold_known(reader, statement.claim, known, hindered.claim, WEAKER, reader.places(statement))
        return False
    return _restate(reader, statement, known, first)


def _its_own(reader: _Reader, claim: bytes, state: ClaimState) -> bool:
    """Tells whether a live claim stands on this revision alone, and no person has anything to do with it."""
    here = reader.command.item, reader.command.revision
    alone = all((cited.evidence, cited.revision) == here for cited in reader.index.citations(claim))
    return state.live and alone and not (state.asserted or state.person_protected or state.protected)


def _hold_variants(reader: _Reader) -> None:
    """Holds what another extractor drew from the same revision and says what was held, by value, sentence or place."""
    command, weaker = reader.command, {key: one for key, one in reader.hindered.items() if one.why.rule == WEAKER}
    if not weaker:
        return
    drafted = [event for event in reader.draft.events if isinstance(event, ClaimQuarantined) and event.rule == WEAKER]
    for claim, place in reader.index.citing(command.item):
        state = reader.draft.claim(claim)
        if state is None or place.extractor == command.extractor or not _its_own(reader, claim, state):
            continue
        said = next((weaker[digest] for digest in (state.sentence, state.value) if digest in weaker), None)
        bound_to = said.claim if said else _held_there(drafted, Span(place.start, place.end), state)
        if bound_to:
            _hold_known(reader, claim, state, bound_to, WEAKER)


def _held_there(held: list[ClaimQuarantined], span: Span, state: ClaimState) -> bytes | None:
    """Returns what a claim would have replaced that was held and was read at the same place, of the same kind and entity."""
    for event in held:
        alike = (event.state.kind, event.state.about, event.state.form) == (state.kind, state.about, state.form)
        if alike and any(span.overlaps(Span(place.start, place.end)) for place in event.places):
            return event.state.bound_to
    return None


def _hold_known(
    reader: _Reader, claim: bytes, state: ClaimState, bound_to: bytes, rule: str, cited: tuple[Place, ...] = ()
) -> None:
    reader.draft.add(
        ClaimQuarantined(
            id=reader.command.new_id(),
            occurred_at=reader.command.at,
            evidence=(reader.command.item,),
            claim=claim,
            state=state.with_(status="quarantined", bound_to=bound_to, since=reader.command.at, review=""),
            rule=rule,
            places=cited,
            extractor=reader.command.extractor,
            generation=reader.index.generation,
        ),
    )


def _replace(reader: _Reader, statement: _Statement) -> None:
    """Lets the claim take the place of those that it says it replaces, if it is live itself."""
    for claim in statement.replaces:
        new, old = reader.draft.claim(statement.claim), reader.draft.claim(claim)
        if claim != statement.claim and new is not None and new.live and old is not None and old.live:
            _supersede(reader, claim, old, by=statement.claim)


def _attach(reader: _Reader, statement: _Statement, known: ClaimState, first: ClaimState) -> bool:
    """Decides a replacement by a claim that is known, from evidence that is no testimony.

    What took no part any more does so again, on the newer evidence. An observation dates a live claim anew, and becomes its
    label where it is as apt; a summary that says the same again moves nothing (P8).
    """
    at = reader.evidence.occurred_at
    newer = known.evidence_at is None or at >= known.evidence_at
    returns = known.status == "superseded" or _held_back(reader, known)
    observed = reader.evidence.basis == "tool_observation" and known.live
    cited = any(place.evidence == reader.command.item for place in reader.index.citations(statement.claim))
    if cited or not newer or not (returns or observed):
        return _restate(reader, statement, known, first)
    apt = known.kind == first.kind and (returns or priority(first.basis, first.kind) >= priority(known.basis, known.kind))
    label = {"basis": first.basis, "method": first.method} if apt and not known.asserted else {}
    status = {"status": "active", "superseded_by": None, "bound_to": None, "since": reader.command.at} if returns else {}
    reader.draft.add(
        ClaimReaffirmed(
            id=reader.command.new_id(),
            occurred_at=reader.command.at,
            evidence=(reader.command.item,),
            claim=statement.claim,
            state=known.with_(
                generations=tuple(sorted({*known.generations, reader.index.generation})),
                evidence_at=latest(known.evidence_at, at),
                confirmed_at=latest(known.confirmed_at, at),
                **status,
                **label,
            ),
            places=reader.places(statement),
            extractor=reader.command.extractor,
            generation=reader.index.generation,
        ),
    )
    return True


def _held_back(reader: _Reader, known: ClaimState) -> bool:
    """Tells whether a claim is held whose source was weaker than this one: what it lacked has come."""
    weaker = priority(known.basis, known.kind) < priority(reader.evidence.basis, known.kind)
    return known.status == "quarantined" and weaker and not known.asserted


def _follow_rewording(reader: _Reader, statement: _Statement, first: ClaimState) -> None:
    """Lets the statement speak for what took its claim's place and says the same.

    That is the wording that a person put in place of its own, or the persona claim that it became.
    """
    seen: set[bytes] = set()
    while statement.claim not in seen:
        seen.add(statement.claim)
        known = reader.draft.claim(statement.claim)
        successor = reader.draft.claim(known.superseded_by) if known and known.superseded_by else None
        if known is None or known.superseded_by is None or successor is None:
            return
        same = first.value is not None and first.value == successor.value
        ends_live = successor.live or successor.superseded_by is not None
        if known.status in {"promoted", "merged"} or (known.status == "superseded" and same and ends_live):
            statement.claim = known.superseded_by


def _asked(reader: _Reader, statement: _Statement, first: ClaimState, known: ClaimState | None) -> Answer | None:
    """Asks the gate. A claim that a person holds is not touched by the rejection of another at the same place."""
    command = reader.command
    cited = reader.index.citations(statement.claim) if known else ()
    before = {place.extractor for place in cited if place.evidence == command.item}
    extractors = frozenset({command.extractor, *before})
    state = known if known and known.asserted and known.live else first
    answer = ask(state, command.item, command.revision, statement.spans, extractors, reader.index)
    return None if answer and answer.held == "same span" and known and known.asserted else answer


def _first_state(reader: _Reader, statement: _Statement) -> ClaimState:
    """Returns the state of the claim if this were its first record; the wording names the event to come."""
    proposal, evidence, index = statement.proposal, reader.evidence, reader.index
    happens_from, happens_to = _happens(reader, proposal)
    return ClaimState(
        form=proposal.form,
        kind=proposal.kind,
        polarity=proposal.polarity,
        status="active",
        namespace=evidence.namespace,
        wordings=(Wording(generation=index.generation, content=reader.command.new_id()),),
        generations=(index.generation,),
        basis=evidence.basis,
        method=reader.command.method,
        evidence_at=evidence.occurred_at,
        confirmed_at=evidence.occurred_at,
        confidence=_first_confidence(reader, statement),
        signals=0,
        sources=1 if reader.first_hand else 0,
        sessions=1 if reader.first_hand else 0,
        importance=proposal.importance,
        since=reader.command.at,
        happens_from=happens_from,
        happens_to=happens_to,
        **digests(index, reader.command.namespace, statement.content, proposal.polarity),
    )


def _happens(reader: _Reader, proposal: Proposal) -> tuple[int | None, int | None]:
    """Returns from when to when it takes place, resolved against the time of the message; None where that is not said."""
    if proposal.when is None:
        return None, None
    zone, said_at = reader.command.zone, reader.evidence.occurred_at
    start, end = proposal.when.start, proposal.when.end or proposal.when.start
    moments = [shifted(said_at, offset.amount, offset.unit, zone) for offset in (start, end)]
    return min(moments), max(moments)


def _first_confidence(reader: _Reader, statement: _Statement) -> int:
    """Returns the host's first confidence, never the model's number (model.md §3)."""
    table = reader.index.policy.confidence
    if reader.evidence.basis == "summary":
        return table.summary
    if statement.content.entity != "user" and statement.proposal.kind != "project_state":
        return table.third_person
    return table.hedged if statement.hedged else table.explicit


def _derive(reader: _Reader, statement: _Statement, state: ClaimState, *, new: bool) -> None:
    event_id = state.wordings[0].content if new else reader.command.new_id()
    reader.draft.add(
        ClaimDerived(
            id=event_id,
            occurred_at=reader.command.at,
            evidence=(reader.command.item,),
            claim=statement.claim,
            state=state,
            places=reader.places(statement),
            extractor=reader.command.extractor,
            generation=reader.index.generation,
            content=statement.content if new else None,
        ),
    )


def _quarantine(reader: _Reader, statement: _Statement, first: ClaimState, bound_to: bytes, rule: str) -> None:
    reader.draft.add(
        ClaimQuarantined(
            id=first.wordings[0].content,
            occurred_at=reader.command.at,
            evidence=(reader.command.item,),
            claim=statement.claim,
            state=first.with_(status="quarantined", bound_to=bound_to),
            rule=rule,
            places=reader.places(statement),
            extractor=reader.command.extractor,
            generation=reader.index.generation,
            content=statement.content,
        ),
    )


def _cited_by(reader: _Reader, statement: _Statement) -> bool:
    """Tells whether the claim cites this evidence by this extractor already."""
    command = reader.command
    return any(
        cited.evidence == command.item and cited.extractor == command.extractor
        for cited in reader.index.citations(statement.claim)
    )


def _restate(reader: _Reader, statement: _Statement, known: ClaimState, first: ClaimState) -> bool:
    """Decides a statement of a known claim: new first-hand evidence reaffirms, all else adds support only.

    Returns False where nothing was added.
    """
    command, index = reader.command, reader.index
    cited = [place for place in index.citations(statement.claim) if place.evidence == command.item]
    generations = tuple(sorted({*known.generations, index.generation}))
    if cited or not reader.first_hand:
        same = {(place.revision, place.start, place.end, place.extractor) for place in cited}
        wanted = {(command.revision, span.start, span.end, command.extractor) for span in statement.spans}
        if not known.topic and first.topic and not known.asserted and known.sentence == first.sentence:
            # The same sentence, read by one who can tell what is said of what: the claim learns its attribute and value,
            # and with them its polarity, which both digests hold.
            told = {"topic": first.topic, "value": first.value, "polarity": first.polarity, "about": first.about}
            after = known.with_(generations=generations, wordings=first.wordings, **told)
            _derive(reader, statement, after, new=True)
            _settle(reader, statement)
            return _states(reader, statement)
        if wanted <= same and generations == known.generations:
            return False
        _derive(reader, statement, known.with_(generations=generations), new=False)
        return True
    newer = known.evidence_at is None or reader.evidence.occurred_at >= known.evidence_at
    if known.status == "archived" and newer:
        # What the user says anew is worth looking at again; known evidence derived again is not.
        event = restored(command, statement.claim, known)
        reader.draft.add(event)
        known = event.state
    ended = known.status == "superseded" or _ended_by_no_rejection(known)
    revived = (ended or _held_back(reader, known)) and newer
    if not (known.live or revived or known.status == "absorbed"):
        _derive(reader, statement, known.with_(generations=generations), new=False)
        return True
    _reaffirm(reader, statement, known.with_(generations=generations), first, revived=revived)
    _settle(reader, statement)
    return _states(reader, statement)


def _ended_by_no_rejection(known: ClaimState) -> bool:
    """Tells whether another system had ended the claim before it came here, or an undone change had made it.

    What a person rejected here never comes so far: the gate has answered.
    """
    return known.status == "forgotten" or (known.status == "denied" and known.basis == "imported")


def _reaffirm(reader: _Reader, statement: _Statement, known: ClaimState, first: ClaimState, *, revived: bool) -> None:
    """Adds the restatement and its signal. Confidence rises by a step to the cap and never falls (D6, D12 restated).

    It rises so often a day and no more; what was said before a contradiction takes nothing of that back.
    """
    command, index = reader.command, reader.index
    at, step = reader.evidence.occurred_at, index.policy.confidence.restated
    risen = boosted(known, step, local_day(at, command.zone), index.policy, first=first.confidence)
    known = confirmed(risen or known, at, index.policy)
    status = {"status": "active", "superseded_by": None, "bound_to": None, "since": at} if revived else {}
    label = {} if known.asserted else {"basis": reader.evidence.basis, "method": command.method}
    after = known.with_(
        evidence_at=latest(known.evidence_at, at),
        **status,
        **label,
    )
    reaffirmed = ClaimReaffirmed(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=(command.item,),
        claim=statement.claim,
        state=after,
        places=reader.places(statement),
        extractor=command.extractor,
        generation=index.generation,
    )
    reader.draft.add(reaffirmed)
    tally = index.tally(statement.claim)
    tally = Tally(tally.sources | {reader.evidence.source}, tally.sessions | {reader.evidence.session})
    counted, weight = reinforced(after, _repeated_at(reader, statement, known), tally, index.policy)
    reader.draft.add(
        SignalApplied(
            id=command.new_id(),
            occurred_at=command.at,
            cause=reaffirmed.id,
            evidence=(command.item,),
            claim=statement.claim,
            state=counted,
            source="user_fact",
            effect="reinforces",
            weight=weight,
        ),
    )


def _repeated_at(reader: _Reader, statement: _Statement, known: ClaimState) -> int:
    """Returns when the user last said it: where the older of two statements comes later, the newer is the repetition."""
    at, last, clock = reader.evidence.occurred_at, known.evidence_at, known.rein_last_signal_at
    if last is None or last <= at or (clock is not None and last <= clock):
        return at
    return max((at, *testimony(reader.index, (statement.claim,)).values()))


def _other_kind(known: ClaimState | None, old: ClaimState) -> Refused | None:
    """Returns what stands against a known claim taking the place of one of another kind, whatever the answer calls it."""
    if known is None or known.kind == old.kind:
        return None
    return Refused("kind", actual=f"a {known.kind}", required=f"a {old.kind}")


def _settle(reader: _Reader, statement: _Statement) -> None:
    """Lets one value of a one-value attribute stand: the newest whose source may replace the others, in whatever order.

    A claim stands unless a conflicting one has newer evidence, superseded or not: so every order of arrival ends the same.
    What is newer than a claim that its source may not replace, or that is pinned, is held for a person.
    """
    state = reader.draft.claim(statement.claim)
    if state is None or not state.live or not state.topic or not (reader.first_hand or reader.evidence.basis == "summary"):
        return
    if not holds_one_value(statement.content.attribute):
        return
    rivals = [
        (claim, rival)
        for claim, rival in reader.draft.holders(state.topic, but=statement.claim)
        if rival.status in {"active", "superseded"}
        and claim not in state.beside
        and statement.claim not in rival.beside
        and _conflict(reader, statement, state, rival)
    ]
    at = _stands_since(state)
    rule, holder = next(((rule, claim) for claim, rival in rivals if (rule := _against(state, rival))), ("", b""))
    if rule:
        reader.withheld.extend([holder] if rule == WEAKER else [])
        _hold_known(reader, statement.claim, state, holder, rule)
        return
    stronger = [one for one in rivals if outranks(one[1].basis, one[1].kind, state)]
    newest = max(stronger, key=lambda rival: _stands_since(rival[1]), default=None)
    if newest and _stands_since(newest[1]) > at and not (state.pinned or state.protected):
        _supersede(reader, statement.claim, state, by=newest[0])
    for claim, rival in rivals:
        then = _stands_since(rival)
        if rival.live and (then < at or (then == at and outranks(rival.basis, rival.kind, state))):
            _supersede(reader, claim, rival, by=statement.claim)
        elif rival.live and (rule := _against(rival, reader.draft.claim(statement.claim) or state)):
            _hold_known(reader, claim, rival, statement.claim, rule)


def _against(new: ClaimState, old: ClaimState) -> str:
    """Returns the rule that stands against the newer of two claims taking the place of the older; empty if none does."""
    if not old.live or _stands_since(new) < _stands_since(old):
        return ""
    if not outranks(new.basis, new.kind, old):
        return WEAKER
    return PINNED if old.pinned else ""


def _stands_since(state: ClaimState) -> int:
    """Returns when a claim was last said, or, where that is later, when a person decided for it."""
    decided = state.since if state.vouched and state.live else None
    return max(state.evidence_at or 0, decided or 0)


def _conflict(reader: _Reader, statement: _Statement, state: ClaimState, rival: ClaimState) -> bool:
    """Tells whether two claims of a one-value attribute cannot both hold.

    Two values cannot, nor can a value and its own negation; the negation of another value says nothing against one. What
    a person rejected is nobody's rival.
    """
    if rival.protected:
        return False
    if any(reader.index.rejections(digest) for digest in (rival.value, rival.sentence) if digest):
        return False
    if state.polarity == rival.polarity:
        return state.polarity == "positive" and state.value != rival.value
    negated = digests(reader.index, reader.command.namespace, statement.content, rival.polarity)
    return bool(rival.value == negated["value"])


def _supersede(reader: _Reader, claim: bytes, state: ClaimState, *, by: bytes) -> None:
    after = state.with_(status="superseded", superseded_by=by, since=reader.command.at, review="")
    reader.draft.add(
        ClaimSuperseded(
            id=reader.command.new_id(),
            occurred_at=reader.command.at,
            evidence=(reader.command.item,),
            claim=claim,
            state=after,
            by=by,
        ),
    )
