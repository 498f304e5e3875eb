"""Statements: what an answer says of each claim, checked against its evidence before anything is decided.

Each quote is compared code point by code point. What fails a check is refused, once for each extractor, proposal and rule.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from affidavit.domain.claims import (
    ClaimContent,
    ClaimState,
    Place,
    claim_id,
)
from affidavit.domain.decisions import Refused
from affidavit.domain.draft import Draft
from affidavit.domain.evidence import EvidenceState, derivable
from affidavit.domain.feedback import feedback_in
from affidavit.domain.index import Index
from affidavit.domain.proposals import Proposal, Span
from affidavit.domain.readings import SHOWN, Complete
from affidavit.domain.rejections import Answer
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.times import shifted


@dataclass(slots=True)
class Statement:
    """What the proposals of one answer say of one claim, with all its spans in this evidence, and what it is to replace."""

    claim: bytes
    proposal: Proposal
    content: ClaimContent
    spans: list[Span]
    hedged: bool
    replaces: dict[bytes, None] = field(default_factory=dict)


class Hindered(NamedTuple):
    """A claim that may not be replaced, and what stands against it."""

    claim: bytes
    why: Refused


@dataclass(frozen=True, slots=True)
class Reader:
    """What every step of one reading needs. `stated` are the claims that it newly states, or teaches their value.

    `hindered` has, by the digests of their sentence and value, what the answer may not say in another's place; `withheld`
    the claims that a weaker source was to replace.
    """

    command: Complete
    evidence: EvidenceState
    draft: Draft
    refused: list[bytes]
    stated: dict[bytes, ClaimContent] = field(default_factory=dict)
    hindered: dict[bytes, Hindered] = field(default_factory=dict)
    withheld: list[bytes] = field(default_factory=list)

    @property
    def index(self) -> Index:
        """Returns the decision index as it was before this answer."""
        return self.draft.index

    @property
    def first_hand(self) -> bool:
        """Tells whether the evidence is the user's own testimony."""
        return self.evidence.first_hand

    def places(self, statement: Statement) -> tuple[Place, ...]:
        """Returns where the statement stands in this revision."""
        where = self.command.item, self.command.revision
        return tuple(Place(evidence=where[0], revision=where[1], start=span.start, end=span.end) for span in statement.spans)

    def states(self, statement: Statement) -> None:
        """Remembers what the statement says; where this extractor cannot tell the value, the claim itself may know."""
        known, content = self.index.claim(statement.claim), statement.content
        if known is not None and known.value and not content.value:
            content = self.index.content(known)
        self.stated[statement.claim] = content

    def hinders(self, state: ClaimState) -> Hindered | None:
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


def sound_statements(reader: Reader) -> list[Statement]:
    """Returns what the sound proposals say, one entry a claim, in the order they were said, and refuses the others."""
    found: dict[bytes, Statement] = {}
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
        statement = found.setdefault(claim, Statement(claim, proposal, content, [], hedged=True))
        statement.spans.append(proposal.span)
        statement.hedged = statement.hedged and proposal.hedged
        if proposal.replaces in shown:
            statement.replaces[shown[proposal.replaces]] = None
    return list(found.values())


def check(proposal: Proposal, reader: Reader, text: str, adopted: tuple[Span, ...]) -> tuple[str, str, str] | None:
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


def _within_calendar(proposal: Proposal, reader: Reader) -> bool:
    try:
        happens(reader, proposal)
    except ValueError:
        return False
    return True


def happens(reader: Reader, proposal: Proposal) -> tuple[int | None, int | None]:
    """Returns from when to when it takes place, resolved against the time of the message; None where that is not said."""
    if proposal.when is None:
        return None, None
    zone, said_at = reader.command.zone, reader.evidence.occurred_at
    start, end = proposal.when.start, proposal.when.end or proposal.when.start
    moments = [shifted(said_at, offset.amount, offset.unit, zone) for offset in (start, end)]
    return min(moments), max(moments)
