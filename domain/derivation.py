"""Derivation: from an extractor's proposals about one evidence revision to events.

Each quote is checked against the evidence, code point by code point, before anything is written. What an extractor says
of known evidence adds support and moves nothing; a new first-hand statement of a known claim reaffirms it; a newer value
of a one-value attribute, and a claim that says which one it replaces, supersede the older one where their source may
(`domain.replacement`), and are held for a person where it may not. The gate stands before all of it. A failure backs off
and becomes a dead letter in the end; the evidence stays, and nothing advances silently.
"""

from affidavit.domain.archives import restored
from affidavit.domain.claims import (
    ClaimDerived,
    ClaimQuarantined,
    ClaimReaffirmed,
    ClaimState,
    SignalApplied,
    Wording,
    claim_id,
    digests,
)
from affidavit.domain.decisions import Decision
from affidavit.domain.draft import Draft
from affidavit.domain.evidence import EvidenceState, Reading, derivable
from affidavit.domain.freshness import priority
from affidavit.domain.index import Index, Tally
from affidavit.domain.opposition import oppose, testimony
from affidavit.domain.readings import SHOWN, Complete, ExtractionCompleted, ExtractionFailed, back_off, changed, overtaken
from affidavit.domain.rejections import Answer, ask
from affidavit.domain.replacement import WEAKER, Named, contract_fault
from affidavit.domain.signals import boosted, confirmed, latest, reinforced
from affidavit.domain.statements import Hindered, Reader, Statement, happens, sound_statements
from affidavit.domain.supersession import hold_known, hold_variants, is_its_own, replace_named, settle, weigh
from affidavit.domain.times import local_day


def complete(command: Complete, evidence: EvidenceState, index: Index) -> Decision:
    """Takes an extractor's answer: claims derived, supported, reaffirmed, superseded, held or refused, in one decision.

    Quiet where the answer brings nothing that the log does not hold. Every proposal about a revision that is not the
    newest is refused, and the reading does not count as completed; nor does one that was shown a claim whose wording or
    status changed meanwhile, or whose answer breaks the contract of replacing.
    """
    last = evidence.reading(command.extractor)
    reader = Reader(command, evidence, Draft(index), list(last.refused) if last else [])
    current = command.revision == evidence.revision
    if not current:
        return _late(reader, last)
    if any(changed(index.claim(seen.claim), seen, index) for seen in command.shown):
        return overtaken(command, evidence, last)
    fault = _breach(reader)
    if fault:
        return back_off(command, evidence, index.policy, "output", f"the answer cannot be taken: {fault}")
    statements = sound_statements(reader)
    weigh(reader, statements)
    touched = [statement.claim for statement in statements if _take(reader, statement)]
    hold_variants(reader)
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


def _late(reader: Reader, last: Reading | None) -> Decision:
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


def _breach(reader: Reader) -> str:
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


def _take(reader: Reader, statement: Statement) -> bool:
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
        settle(reader, statement)
        took = _states(reader, statement)
    elif statement.replaces and not reader.first_hand:
        took = _attach(reader, statement, known, first)
    else:
        took = _restate(reader, statement, known, first)
    replace_named(reader, statement)
    return took


def _states(reader: Reader, statement: Statement) -> bool:
    """Notes that the message newly states the claim; what had to be held for a person speaks against nothing."""
    state = reader.draft.claim(statement.claim)
    if state is not None and state.status == "quarantined":
        return False
    reader.states(statement)
    return True


def _hold(reader: Reader, statement: Statement, known: ClaimState | None, first: ClaimState, hindered: Hindered) -> bool:
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
    if is_its_own(reader, statement.claim, known):
        hold_known(reader, statement.claim, known, hindered.claim, WEAKER, reader.places(statement))
        return False
    return _restate(reader, statement, known, first)


def _attach(reader: Reader, statement: Statement, known: ClaimState, first: ClaimState) -> bool:
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


def _held_back(reader: Reader, known: ClaimState) -> bool:
    """Tells whether a claim is held whose source was weaker than this one: what it lacked has come."""
    weaker = priority(known.basis, known.kind) < priority(reader.evidence.basis, known.kind)
    return known.status == "quarantined" and weaker and not known.asserted


def _follow_rewording(reader: Reader, statement: Statement, first: ClaimState) -> None:
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


def _asked(reader: Reader, statement: Statement, first: ClaimState, known: ClaimState | None) -> Answer | None:
    """Asks the gate. A claim that a person holds is not touched by the rejection of another at the same place."""
    command = reader.command
    cited = reader.index.citations(statement.claim) if known else ()
    before = {place.extractor for place in cited if place.evidence == command.item}
    extractors = frozenset({command.extractor, *before})
    state = known if known and known.asserted and known.live else first
    answer = ask(state, command.item, command.revision, statement.spans, extractors, reader.index)
    return None if answer and answer.held == "same span" and known and known.asserted else answer


def _first_state(reader: Reader, statement: Statement) -> ClaimState:
    """Returns the state of the claim if this were its first record; the wording names the event to come."""
    proposal, evidence, index = statement.proposal, reader.evidence, reader.index
    happens_from, happens_to = happens(reader, proposal)
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


def _first_confidence(reader: Reader, statement: Statement) -> int:
    """Returns the host's first confidence, never the model's number (model.md §3)."""
    table = reader.index.policy.confidence
    if reader.evidence.basis == "summary":
        return table.summary
    if statement.content.entity != "user" and statement.proposal.kind != "project_state":
        return table.third_person
    return table.hedged if statement.hedged else table.explicit


def _derive(reader: Reader, statement: Statement, state: ClaimState, *, new: bool) -> None:
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


def _quarantine(reader: Reader, statement: Statement, first: ClaimState, bound_to: bytes, rule: str) -> None:
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


def _cited_by(reader: Reader, statement: Statement) -> bool:
    """Tells whether the claim cites this evidence by this extractor already."""
    command = reader.command
    return any(
        cited.evidence == command.item and cited.extractor == command.extractor
        for cited in reader.index.citations(statement.claim)
    )


def _restate(reader: Reader, statement: Statement, known: ClaimState, first: ClaimState) -> bool:
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
            settle(reader, statement)
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
    revived = revived and not _was_left_behind(reader, known)
    _reaffirm(reader, statement, known.with_(generations=generations), first, revived=revived)
    settle(reader, statement)
    return _states(reader, statement)


def _was_left_behind(reader: Reader, known: ClaimState) -> bool:
    """Tells whether the value that took the claim's place was said later than this, whatever became of it since.

    A person who takes the newer value away does not bring the older one back; the user does, by saying it again.
    """
    by = reader.draft.claim(known.superseded_by) if known.superseded_by else None
    rival = by is not None and by.topic is not None and by.topic == known.topic and by.value != known.value
    return rival and by is not None and (by.evidence_at or 0) > reader.evidence.occurred_at


def _ended_by_no_rejection(known: ClaimState) -> bool:
    """Tells whether another system had ended the claim before it came here, or an undone change had made it.

    What a person rejected here never comes so far: the gate has answered.
    """
    return known.status == "forgotten" or (known.status == "denied" and known.basis == "imported")


def _reaffirm(reader: Reader, statement: Statement, known: ClaimState, first: ClaimState, *, revived: bool) -> None:
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


def _repeated_at(reader: Reader, statement: Statement, known: ClaimState) -> int:
    """Returns when the user last said it: where the older of two statements comes later, the newer is the repetition."""
    at, last, clock = reader.evidence.occurred_at, known.evidence_at, known.rein_last_signal_at
    if last is None or last <= at or (clock is not None and last <= clock):
        return at
    return max((at, *testimony(reader.index, (statement.claim,)).values()))
