"""Derivation: from an extractor's proposals about one evidence revision to events.

Each quote is checked against the evidence, code point by code point, before anything is written. What an extractor says
of known evidence adds support and moves nothing; a new first-hand statement of a known claim reaffirms it; a newer value
of a one-value attribute supersedes the older one. The gate stands before all of it. A failure backs off and becomes a
dead letter in the end; the evidence stays, and nothing advances silently.
"""

from dataclasses import dataclass, field

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
from affidavit.domain.decisions import Decision
from affidavit.domain.draft import Draft
from affidavit.domain.events import Id, event_type
from affidavit.domain.evidence import EvidenceEvent, EvidenceState, Reading
from affidavit.domain.feedback import feedback_in
from affidavit.domain.index import Index, Tally
from affidavit.domain.opposition import oppose, testimony
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Proposal, Span, holds_one_value
from affidavit.domain.rejections import Answer, ask
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.signals import latest, reinforced
from affidavit.domain.times import SECOND, shifted

DERIVABLE_BASES = frozenset({"user_statement", "summary"})
"""Bases whose evidence an extractor may derive claims from. An assistant's or tool's words are kept and derive nothing.

A memory of another system is one claim already (`domain.migration`); nothing else is read out of it.
"""


@event_type("extraction-completed.v1", public="item state extractor revision claims")
class ExtractionCompleted(EvidenceEvent):
    """An extractor has read this revision; `claims` are those it derived, supported or reaffirmed."""

    extractor: str
    revision: int
    claims: tuple[Id, ...]


@event_type("extraction-failed.v1", public="item state extractor revision")
class ExtractionFailed(EvidenceEvent):
    """An extractor gave no answer; the state says when it is tried again, or that it is a dead letter."""

    extractor: str
    revision: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete(Command):
    """Take these proposals of an extractor about one revision of one piece of evidence."""

    scope: bytes
    item: bytes
    revision: int
    extractor: str
    namespace: str
    proposals: tuple[Proposal, ...]
    zone: str = "UTC"

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
    """Note that an extractor gave no answer about one revision."""

    item: bytes
    revision: int
    extractor: str
    error: str

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
    """What the proposals of one answer say of one claim, with all its spans in this evidence."""

    claim: bytes
    proposal: Proposal
    content: ClaimContent
    spans: list[Span]
    hedged: bool


@dataclass(frozen=True, slots=True)
class _Reader:
    """What every step of one reading needs. `stated` are the claims that it newly states, or teaches their value."""

    command: Complete
    evidence: EvidenceState
    draft: Draft
    refused: list[bytes]
    stated: dict[bytes, ClaimContent] = field(default_factory=dict)

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

    def refuse(self, proposal: Proposal, rule: str, actual: str, required: str, answer: Answer | None = None) -> None:
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
                bound_to=answer.claim if answer else None,
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
    newest is refused, and the reading does not count as completed.
    """
    last = evidence.reading(command.extractor)
    reader = _Reader(command, evidence, Draft(index), list(last.refused) if last else [])
    current = command.revision == evidence.revision
    if not current:
        return _late(reader, last)
    statements = _statements(reader)
    touched = [statement.claim for statement in statements if _take(reader, statement)]
    oppose(reader.draft, command, command.namespace, reader.stated, command.item)
    done = last is not None and last.outcome == "completed" and last.revision == command.revision
    if not done or reader.draft.events:
        retried = last is not None and not done and last.revision == command.revision
        reading = Reading(
            extractor=command.extractor,
            revision=command.revision,
            outcome="completed",
            attempts=last.attempts + 1 if last is not None and retried else 1,
            refused=tuple(reader.refused),
        )
        completed = ExtractionCompleted(
            id=command.new_id(),
            occurred_at=command.at,
            item=command.item,
            state=evidence.read_by(reading),
            extractor=command.extractor,
            revision=command.revision,
            claims=tuple(touched),
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
        ),
    )
    return tuple(reader.draft.events)


def fail(command: Fail, evidence: EvidenceState, policy: Policy) -> Decision:
    """Notes a failure: backs off by the policy, and after the last attempt makes the reading a dead letter.

    Quiet where the same revision was read meanwhile.
    """
    last = evidence.reading(command.extractor)
    same = last is not None and last.revision == command.revision
    if last is not None and same and last.outcome == "completed":
        return ()
    attempts = last.attempts + 1 if last is not None and same else 1
    dead = attempts >= policy.extraction.dead_letter_after
    waits = policy.extraction.backoff_seconds
    wait = waits[min(attempts, len(waits)) - 1]
    reading = Reading(
        extractor=command.extractor,
        revision=command.revision,
        outcome="dead letter" if dead else "failed",
        attempts=attempts,
        retry_at=None if dead else command.at + wait * SECOND,
        refused=last.refused if last is not None else (),
    )
    return (
        ExtractionFailed(
            id=command.new_id(),
            occurred_at=command.at,
            evidence=(command.item,),
            item=command.item,
            state=evidence.read_by(reading),
            extractor=command.extractor,
            revision=command.revision,
            error=command.error,
        ),
    )


def check(proposal: Proposal, reader: _Reader, text: str, adopted: tuple[Span, ...]) -> tuple[str, str, str] | None:
    """Checks one proposal against its evidence; returns (rule, actual, required) where it fails, else None."""
    span = proposal.span
    verdict = feedback_in(text) is not None
    if verdict or reader.evidence.basis not in DERIVABLE_BASES:
        found = "feedback" if verdict else f"evidence of a {reader.evidence.role}, basis {reader.evidence.basis}"
        return "not testimony", found, "a user's own words or a summary"
    misquoted = _misquoted(proposal, text)
    if misquoted:
        return misquoted
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
    return list(found.values())


def _take(reader: _Reader, statement: _Statement) -> bool:
    """Decides one statement; tells whether its claim was derived, supported or reaffirmed."""
    first = _first_state(reader, statement)
    _follow_rewording(reader, statement, first)
    known = reader.draft.claim(statement.claim)
    answer = _asked(reader, statement, first, known)
    if answer and answer.held == "same span" and known is None:
        _quarantine(reader, statement, first, answer)
        return False
    if answer:
        if answer.held != "same span" or not _cited_by(reader, statement):
            actual = f"the {answer.held} as a rejected claim"
            reader.refuse(statement.proposal, "rejected value", actual, "a value that no person rejected", answer)
        return False
    if known is None:
        _derive(reader, statement, first, new=True)
        _settle(reader, statement)
        reader.states(statement)
        return True
    return _restate(reader, statement, known, first)


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
        method="local",
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


def _quarantine(reader: _Reader, statement: _Statement, first: ClaimState, answer: Answer) -> None:
    reader.draft.add(
        ClaimQuarantined(
            id=first.wordings[0].content,
            occurred_at=reader.command.at,
            evidence=(reader.command.item,),
            claim=statement.claim,
            state=first.with_(status="quarantined", bound_to=answer.claim),
            rule=answer.held,
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
            reader.states(statement)
            return True
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
    revived = newer and (known.status == "superseded" or _ended_by_no_rejection(known))
    if not (known.live or revived or known.status == "absorbed"):
        _derive(reader, statement, known.with_(generations=generations), new=False)
        return True
    _reaffirm(reader, statement, known.with_(generations=generations), first, revived=revived)
    _settle(reader, statement)
    reader.states(statement)
    return True


def _ended_by_no_rejection(known: ClaimState) -> bool:
    """Tells whether another system had ended the claim before it came here, or an undone change had made it.

    What a person rejected here never comes so far: the gate has answered.
    """
    return known.status == "forgotten" or (known.status == "denied" and known.basis == "imported")


def _reaffirm(reader: _Reader, statement: _Statement, known: ClaimState, first: ClaimState, *, revived: bool) -> None:
    """Adds the restatement and its signal. Confidence rises by a step to the cap and never falls (D6, D12 restated)."""
    command, index = reader.command, reader.index
    table, at = index.policy.confidence, reader.evidence.occurred_at
    risen = min(max(known.confidence, first.confidence) + table.restated, table.cap)
    status = {"status": "active", "superseded_by": None} if revived else {}
    label = {} if known.asserted else {"basis": reader.evidence.basis, "method": "local"}
    after = known.with_(
        evidence_at=latest(known.evidence_at, at),
        confirmed_at=latest(known.confirmed_at, at),
        confidence=max(known.confidence, risen),
        confirmation="confirmed",
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


def _settle(reader: _Reader, statement: _Statement) -> None:
    """Lets one value of a one-value attribute stand: the newest first-hand one, whatever order they came in.

    A claim stands unless a conflicting one has newer evidence, superseded or not: so every order of arrival ends the same.
    """
    state = reader.draft.claim(statement.claim)
    if state is None or not state.live or not state.topic or not reader.first_hand:
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
    newest = max(rivals, key=lambda rival: _stands_since(rival[1]), default=None)
    if newest and _stands_since(newest[1]) > _stands_since(state):
        _supersede(reader, statement.claim, state, by=newest[0])
    for claim, rival in rivals:
        if rival.live and _stands_since(rival) <= _stands_since(state):
            _supersede(reader, claim, rival, by=statement.claim)


def _stands_since(state: ClaimState) -> int:
    """Returns when a claim was last said, or, where that is later, when a person decided for it."""
    decided = state.since if state.vouched and state.live else None
    return max(state.evidence_at or 0, decided or 0)


def _conflict(reader: _Reader, statement: _Statement, state: ClaimState, rival: ClaimState) -> bool:
    """Tells whether two claims of a one-value attribute cannot both hold.

    Two values cannot, nor can a value and its own negation; the negation of another value says nothing against one. What
    a person rejected is nobody's rival.
    """
    if rival.basis not in {"user_statement", "manual_correction"}:
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
