"""Supersession: what takes the place of what, where an attribute holds one value or a claim names another.

`domain.replacement` says who may; here it is done. What its source is too weak for, or a pin stands against, is held for a
person; what may not be at all is refused. One value of a one-value attribute stands: the newest of the apt ones, whatever
order they came in.
"""

from affidavit.domain.claims import (
    ClaimQuarantined,
    ClaimState,
    ClaimSuperseded,
    Place,
    digests,
)
from affidavit.domain.decisions import Refused
from affidavit.domain.proposals import Span, holds_one_value
from affidavit.domain.replacement import PINNED, WEAKER, Incoming, may_replace, outranks
from affidavit.domain.statements import Hindered, Reader, Statement


def weigh(reader: Reader, statements: list[Statement]) -> None:
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
            why = may_replace(incoming, claim, old) or other_kind(index.claim(statement.claim), old)
            if why is None:
                continue
            if why.rule == WEAKER:
                reader.withheld.append(claim)
            said = digests(index, command.namespace, statement.content, proposal.polarity)
            for digest in (said["sentence"], said["value"]):
                if digest:
                    reader.hindered.setdefault(digest, Hindered(claim, why))


def is_its_own(reader: Reader, claim: bytes, state: ClaimState) -> bool:
    """Tells whether a live claim stands on this revision alone, and no person has anything to do with it."""
    here = reader.command.item, reader.command.revision
    alone = all((cited.evidence, cited.revision) == here for cited in reader.index.citations(claim))
    return state.live and alone and not (state.asserted or state.person_protected or state.protected)


def hold_variants(reader: Reader) -> None:
    """Holds what another extractor drew from the same revision and says what was held, by value, sentence or place."""
    command, weaker = reader.command, {key: one for key, one in reader.hindered.items() if one.why.rule == WEAKER}
    if not weaker:
        return
    drafted = [event for event in reader.draft.events if isinstance(event, ClaimQuarantined) and event.rule == WEAKER]
    for claim, place in reader.index.citing(command.item):
        state = reader.draft.claim(claim)
        if state is None or place.extractor == command.extractor or not is_its_own(reader, claim, state):
            continue
        said = next((weaker[digest] for digest in (state.sentence, state.value) if digest in weaker), None)
        bound_to = said.claim if said else _held_there(drafted, Span(place.start, place.end), state)
        if bound_to:
            hold_known(reader, claim, state, bound_to, WEAKER)


def _held_there(held: list[ClaimQuarantined], span: Span, state: ClaimState) -> bytes | None:
    """Returns what a claim would have replaced that was held and was read at the same place, of the same kind and entity."""
    for event in held:
        alike = (event.state.kind, event.state.about, event.state.form) == (state.kind, state.about, state.form)
        if alike and any(span.overlaps(Span(place.start, place.end)) for place in event.places):
            return event.state.bound_to
    return None


def hold_known(
    reader: Reader, claim: bytes, state: ClaimState, bound_to: bytes, rule: str, cited: tuple[Place, ...] = ()
) -> None:
    """Holds a known claim for a person, bound to what stands against it."""
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


def replace_named(reader: Reader, statement: Statement) -> None:
    """Lets the claim take the place of those that it says it replaces, if it is live itself."""
    for claim in statement.replaces:
        new, old = reader.draft.claim(statement.claim), reader.draft.claim(claim)
        if claim != statement.claim and new is not None and new.live and old is not None and old.live:
            supersede(reader, claim, old, by=statement.claim)


def other_kind(known: ClaimState | None, old: ClaimState) -> Refused | None:
    """Returns what stands against a known claim taking the place of one of another kind, whatever the answer calls it."""
    if known is None or known.kind == old.kind:
        return None
    return Refused("kind", actual=f"a {known.kind}", required=f"a {old.kind}")


def settle(reader: Reader, statement: Statement) -> None:
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
    at = stands_since(state)
    rule, holder = next(((rule, claim) for claim, rival in rivals if (rule := _against(state, rival))), ("", b""))
    if rule:
        reader.withheld.extend([holder] if rule == WEAKER else [])
        hold_known(reader, statement.claim, state, holder, rule)
        return
    stronger = [one for one in rivals if outranks(one[1].basis, one[1].kind, state)]
    newest = max(stronger, key=lambda rival: stands_since(rival[1]), default=None)
    if newest and stands_since(newest[1]) > at and not (state.pinned or state.protected):
        supersede(reader, statement.claim, state, by=newest[0])
    for claim, rival in rivals:
        then = stands_since(rival)
        if rival.live and (then < at or (then == at and outranks(rival.basis, rival.kind, state))):
            supersede(reader, claim, rival, by=statement.claim)
        elif rival.live and (rule := _against(rival, reader.draft.claim(statement.claim) or state)):
            hold_known(reader, claim, rival, statement.claim, rule)


def _against(new: ClaimState, old: ClaimState) -> str:
    """Returns the rule that stands against the newer of two claims taking the place of the older; empty if none does."""
    if not old.live or stands_since(new) < stands_since(old):
        return ""
    if not outranks(new.basis, new.kind, old):
        return WEAKER
    return PINNED if old.pinned else ""


def stands_since(state: ClaimState) -> int:
    """Returns when a claim was last said, or, where that is later, when a person decided for it."""
    decided = state.since if state.vouched and state.live else None
    return max(state.evidence_at or 0, decided or 0)


def _conflict(reader: Reader, statement: Statement, state: ClaimState, rival: ClaimState) -> bool:
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


def supersede(reader: Reader, claim: bytes, state: ClaimState, *, by: bytes) -> None:
    """Lets one claim take another's place; nothing is rejected."""
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
