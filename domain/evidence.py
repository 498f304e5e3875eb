"""Evidence: what was said or done, with source, actor, role, time, revision and exact text.

It is never edited: another text under the same natural key (scope, source, session, message id) is a revision, by a new
event, and every revision stays readable at its number. Evidence is kept before anything is derived from it (seed 003).
Each item has one random data key, under which its revisions are sealed.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import Field

from affidavit.domain.commands import Command
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.events import Digest, Event, Id, Micros, Sealing, Value, event_type, nothing
from affidavit.domain.index import Index
from affidavit.domain.proposals import Kind, Span, VoiceRole
from affidavit.domain.times import local_day

Basis = Literal["user_statement", "summary", "tool_observation", "manual_correction", "card", "imported", "unknown"]
Method = Literal["local", "model", "manual", "unknown"]
METHODS: dict[Basis, frozenset[Method]] = {
    "user_statement": frozenset({"local", "model"}),
    "summary": frozenset({"local", "model"}),
    "tool_observation": frozenset({"local", "model"}),
    "manual_correction": frozenset({"manual"}),
    "card": frozenset({"local", "model", "manual", "unknown"}),
    "imported": frozenset({"local", "model", "unknown"}),
    "unknown": frozenset({"local", "model", "unknown"}),
}
"""By which methods a claim may come from evidence of a basis (seed 002): the host says both, an extractor neither."""
Secrets = Literal["none", "replaced", "kept"]
"""Whether secrets were found in a text before it was kept, and what was done with them."""


class EvidenceContent(Value):
    """The private part of one revision. `adopted` are spans that are not the speaker's own testimony."""

    text: str
    speaker: str = ""
    message: str = ""
    session: str = ""
    parent: str = ""
    adopted: tuple[tuple[int, int], ...] = ()


class Reading(Value):
    """How one extractor fared with one revision. `refused` are keyed digests of refusals already recorded.

    `output_failures` counts the answers in a row, to the last, that were not what was asked for; `withheld` the replacements
    that were held for a person, their source being weaker than what they would replace.
    """

    extractor: str
    revision: int
    outcome: Literal["completed", "failed", "dead letter"]
    attempts: int = 1
    retry_at: Micros | None = None
    refused: tuple[Digest, ...] = ()
    output_failures: int = Field(default=0, exclude_if=nothing)
    withheld: int = Field(default=0, exclude_if=nothing)


class EvidenceState(Value):
    """Everything known of one piece of evidence after an event. A source that gave no time gets the time of recording.

    `parents` is the evidence that a summary of ours sums up; `targets` are the project states that a host nominated with
    what a tool observed: without them nothing is read of it.
    """

    role: VoiceRole
    source: Id
    session: Digest
    key: Id
    namespace: Id | None = None
    basis: Basis = "unknown"
    secrets: Secrets = "none"
    occurred_at: Micros
    time_assumed: bool = False
    contents: tuple[Id, ...] = ()
    parents: tuple[Id, ...] = Field(default=(), exclude_if=nothing)
    targets: tuple[Id, ...] = Field(default=(), exclude_if=nothing)
    readings: tuple[Reading, ...] = ()

    @property
    def revision(self) -> int:
        """Returns the number of the newest revision, the first being 1."""
        return len(self.contents)

    @property
    def first_hand(self) -> bool:
        """Tells whether these are the user's own words about themself: testimony, which alone counts for a claim."""
        return self.role == "user" and self.basis == "user_statement"

    def reading(self, extractor: str) -> Reading | None:
        """Returns how this extractor fared last, or None if it has not read this evidence."""
        return next((reading for reading in self.readings if reading.extractor == extractor), None)

    def read_by(self, reading: Reading) -> "EvidenceState":
        """Returns the state with this reading in place of the extractor's last one."""
        others = tuple(other for other in self.readings if other.extractor != reading.extractor)
        return self.with_(readings=(*others, reading))


class EvidenceEvent(Event):
    """An event of one piece of evidence; `state` is the evidence after it."""

    stream_class = "evidence"

    item: Id
    state: EvidenceState

    @property
    def stream(self) -> bytes:
        """Returns the evidence id."""
        return self.item


@event_type("evidence-recorded.v1", public="item state")
class EvidenceRecorded(EvidenceEvent):
    """A message, file, tool result, summary or assertion was kept, word by word."""

    content: EvidenceContent

    @property
    def sealing(self) -> Sealing:
        """Returns the evidence's own key; a summary of ours is readable only with the keys of all that it sums up."""
        return Sealing(parents=self.state.parents) if self.state.parents else Sealing(own=self.state.key, fresh=True)


@event_type("evidence-revised.v1", public="item state")
class EvidenceRevised(EvidenceEvent):
    """The source now says something else under the same natural key; the earlier text stays at its revision."""

    content: EvidenceContent

    @property
    def sealing(self) -> Sealing:
        """Returns the evidence's own key, or those of what it sums up."""
        return Sealing(parents=self.state.parents) if self.state.parents else Sealing(own=self.state.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Command):
    """Keep this as evidence. `source` and `namespace` are names with their sealed ids beside them."""

    item: bytes
    role: VoiceRole
    text: str
    source: str
    source_id: bytes
    message: str
    session: str = ""
    speaker: str = ""
    parent: str = ""
    namespace_id: bytes | None = None
    time_assumed: bool = False
    adopted: tuple[Span, ...] = ()
    basis: Basis | None = None
    secrets: Secrets = "none"
    zone: str = "UTC"
    parents: tuple[bytes, ...] = ()
    targets: tuple[bytes, ...] = ()

    @property
    def stream(self) -> bytes:
        """Returns the evidence id."""
        return self.item

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns source, session and message id, and what is kept under them: each text, marked so, is recorded once."""
        return ("record", self.source, self.session, self.message, self.role, self.text, repr(self.adopted))

    @property
    def content(self) -> tuple[Any, ...]:
        """Returns what was nominated with it: the same message nominates the same claims or none."""
        return (self.targets,) if self.targets else ()


class Derivable(Protocol):
    """What decides whether claims may be derived from a piece of evidence."""

    @property
    def basis(self) -> str:
        """Returns the basis of the evidence."""
        ...

    @property
    def targets(self) -> tuple[bytes, ...]:
        """Returns the claims that a host nominated with it."""
        ...


def derivable(state: Derivable) -> bool:
    """Tells whether claims may be derived from evidence: a user's words, a summary, or an observation that nominates.

    An assistant's or tool's words are kept and derive nothing by themselves. A memory of another system is one claim already
    (`domain.migration`); nothing else is read out of it.
    """
    return state.basis in {"user_statement", "summary"} or (state.basis == "tool_observation" and bool(state.targets))


VOICE_BASIS: dict[VoiceRole, Basis] = {
    "user": "user_statement",
    "assistant": "unknown",
    "tool": "tool_observation",
    "system": "unknown",
}


def label_fault(basis: Basis, method: Method, kind: Kind) -> str:
    """Returns what is wrong with a claim's evidence label, empty if it is sound.

    Only a person's own word is manual, a summary never is, and a tool observes how a piece of work stands and nothing else.
    What is not known stays unknown.
    """
    if method not in METHODS[basis]:
        return f"evidence of basis {basis} by method {method}, one of {', '.join(sorted(METHODS[basis]))} is required"
    if basis == "tool_observation" and kind != "project_state":
        return f"a tool's observation of a {kind}, a project_state is required"
    return ""


def evidence_id(index: Index, source: str, session: str, message: str) -> bytes:
    """Returns the id of the evidence with this natural key: a digest keyed by the scope's secret."""
    return index.keyed("evidence", source, session, message)


def record(command: Record, state: EvidenceState | None, index: Index) -> Decision:
    """Records new evidence, or a revision where the text under the same key changed.

    Quiet where the newest revision says the same. Refused if a known message comes with another role. The session of a
    message without one is its local day.
    """
    content = EvidenceContent(
        text=command.text,
        speaker=command.speaker,
        message=command.message,
        session=command.session,
        parent=command.parent,
        adopted=tuple((span.start, span.end) for span in command.adopted),
    )
    event_id = command.new_id()
    if state is not None:
        if state.role != command.role:
            return Refused(
                "role",
                actual=f"role {command.role}",
                required=f"role {state.role}, as this message was recorded",
                remedy="give the message an id of its own",
            )
        if index.text(command.item, state.revision) == content:
            return ()
        revised = state.with_(contents=(*state.contents, event_id), secrets=command.secrets)
        return (EvidenceRevised(id=event_id, occurred_at=command.at, item=command.item, state=revised, content=content),)
    first = EvidenceState(
        role=command.role,
        source=command.source_id,
        session=session_digest(command, index),
        key=command.new_id(),
        namespace=command.namespace_id,
        basis=command.basis or VOICE_BASIS[command.role],
        secrets=command.secrets,
        occurred_at=command.at,
        time_assumed=command.time_assumed,
        contents=(event_id,),
        parents=command.parents,
        targets=command.targets,
    )
    return (
        EvidenceRecorded(
            id=event_id,
            occurred_at=command.at,
            evidence=command.parents,
            item=command.item,
            state=first,
            content=content,
        ),
    )


def session_digest(command: Record, index: Index) -> bytes:
    """Returns the keyed digest under which distinct sessions are counted (model.md §2)."""
    session = command.session or "day " + local_day(command.at, command.zone)
    return index.keyed("session", command.source, session)
