"""What an extractor is shown, and what it may answer.

An extractor reads one passage (a chunk of one evidence revision) and proposes claims. It decides nothing: the host
checks each quote against the evidence, asks the rejected-value gate, sets basis and confidence, and writes the events.
Offsets are Unicode code points of the whole evidence revision, never of the chunk.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

import msgspec

Form = Literal["fact", "reflection", "persona", "narrative"]
Kind = Literal["fact", "preference", "decision", "project_state", "pattern", "narrative"]
Polarity = Literal["positive", "negative"]
VoiceRole = Literal["user", "assistant", "tool", "system"]

ONE_VALUE_ATTRIBUTES = frozenset(
    {
        "name",
        "age",
        "birthday",
        "contact",
        "employer",
        "home",
        "job",
        "nationality",
        "origin",
        "partner",
        "status",
        "timezone",
    },
)
"""Attributes that hold one value at a time: a newer first-hand value supersedes the older (model.md §3).

`status` holds one value per entity, the entity being the piece of work. A rule may also name a setting of its own,
as `setting: port`; every attribute that begins with `setting: ` holds one value.
"""


def holds_one_value(attribute: str) -> bool:
    """Tells whether an entity has at most one live value of this attribute."""
    return attribute in ONE_VALUE_ATTRIBUTES or attribute.startswith("setting: ")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an evidence revision: `start` up to, not including, `end`, in Unicode code points."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Tells whether the two share at least one code point."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class ExtractorId:
    """Who derived something: the extractor's name, its version, and the digest of the answer's schema.

    `method` says whether it asks a model, and so how the claims it derives came from their evidence. `replaces` says that it
    wants to be shown what its passage mentions, and may say which of that its own claims replace.
    """

    name: str
    version: str
    schema: str
    method: Literal["local", "model"] = "local"
    replaces: bool = False

    def __str__(self) -> str:
        return f"{self.name}@{self.version}/{self.schema[:8]}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A claim that a passage mentions, as an extractor is shown it: its id in 24 hex digits, and what it stands on.

    `basis` is its evidence's, `evidence_at` when that occurred in microseconds since 1970 UTC. All of it is history to read,
    nothing in it is to be repeated in an answer but the id.
    """

    id: str
    text: str
    kind: Kind
    basis: str
    evidence_at: int | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """What an extractor is shown: one chunk of one evidence revision, with what the host knows about it.

    `text` is the whole revision; only `text[chunk.start:chunk.end]` is to be read for claims. `adopted` are the spans
    that are not the speaker's own testimony (fences, quoted lines, pastes, quotations, and what the importer marked).
    `occurred_at` is in microseconds since 1970 UTC, or None where the source did not say. `shown` are the claims that the
    message mentions, newest first: for an extractor that replaces, what its proposals may name; for another, nothing.
    """

    text: str
    chunk: Span
    role: VoiceRole
    adopted: tuple[Span, ...] = ()
    occurred_at: int | None = None
    shown: tuple[Shown, ...] = ()


Unit = Literal["minute", "hour", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class Offset:
    """A time relative to the message: so many units after it, before it where negative."""

    amount: Annotated[int, msgspec.Meta(ge=-10_000, le=10_000)]
    unit: Unit


@dataclass(frozen=True, slots=True)
class When:
    """When what a claim tells of takes place, relative to the message; without an `end` it is one moment."""

    start: Offset
    end: Offset | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """One claim that an extractor proposes.

    `text` is one third-person sentence in the language of the source ("User prefers green tea." "用户喜欢绿茶。").
    `quote` must equal the evidence at `span`, code point by code point. `attribute` and `value` are empty where the
    extractor cannot tell. `hedged` says that the speaker was not sure ("I think", "可能"). `importance` is 1 to 10, where
    the extractor can tell; `when` is resolved against the time of the message by the host. `replaces` is the id of a claim
    that it was shown and whose place this one takes; the host decides whether it may.
    """

    text: str
    kind: Kind
    span: Span
    quote: str
    form: Form = "fact"
    entity: str = "user"
    attribute: str = ""
    value: str = ""
    polarity: Polarity = "positive"
    hedged: bool = False
    importance: Annotated[int, msgspec.Meta(ge=1, le=10)] | None = None
    when: When | None = None
    replaces: str = ""


class Extractor(Protocol):
    """The port of extraction. Implementations are deterministic or keep their model's answers as events."""

    @property
    def identity(self) -> ExtractorId:
        """Name, version and schema digest; a changed rule, prompt or schema is a new identity."""
        ...

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns the claims that the passage supports, in the order of their spans.

        Raises ExtractionError when no answer can be given; an empty tuple means that there is nothing to claim.
        """
        ...
