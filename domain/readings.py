"""Readings: what came of an extractor's reading of one revision of evidence.

An answer is taken or fails. A failure backs off by the policy, and after the last attempt is a dead letter; answers that are
not what was asked for make one sooner. An answer about a claim that changed while it was read is refused, and due again at
once. The evidence stays, and nothing advances silently.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import Field

from affidavit.domain.claims import (
    ClaimState,
)
from affidavit.domain.commands import Command
from affidavit.domain.decisions import Decision
from affidavit.domain.events import Id, event_type, nothing
from affidavit.domain.evidence import EvidenceEvent, EvidenceState, Method, Reading
from affidavit.domain.index import Index
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Proposal
from affidavit.domain.times import SECOND

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


def changed(state: ClaimState | None, seen: Seen, index: Index) -> bool:
    """Tells whether a claim is not what an extractor was shown; that it was mentioned or judged useful changes nothing."""
    return state is None or (state.wording(index.generation), state.status) != (seen.wording, seen.status)


def overtaken(command: Complete, evidence: EvidenceState, last: Reading | None) -> Decision:
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
    return (failed_reading(command, evidence, reading, "late", "a claim that it was shown changed while it was read"),)


def fail(command: Fail, evidence: EvidenceState, policy: Policy) -> Decision:
    """Notes a failure: backs off by the policy, and after the last attempt makes the reading a dead letter.

    Answers in a row that are not what was asked for make it one sooner: asking again does not help. Quiet where the same
    revision was read meanwhile.
    """
    return back_off(command, evidence, policy, command.failure, command.error)


def back_off(command: Fail | Complete, evidence: EvidenceState, policy: Policy, failure: Failure, error: str) -> Decision:
    """Decides a failure: when the reading is tried again, or that it is a dead letter; quiet where it was completed."""
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
    return (failed_reading(command, evidence, reading, failure, error),)


def failed_reading(
    command: Fail | Complete, evidence: EvidenceState, reading: Reading, failure: Failure, error: str
) -> ExtractionFailed:
    """Returns the event of a reading that failed."""
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
