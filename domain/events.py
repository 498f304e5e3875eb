"""Events: immutable facts in the past tense, each a frozen model with a name in an allow-list.

An event has an envelope (its id, when it occurred, what caused it, its own evidence and parent claims) and fields. A
field is private, and so sealed in the log, unless its class marks it public. Public fields hold ids, integers, keyed
digests and words of closed lists, never content or a name. Pydantic validates each event once, when it is written.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[bytes, Field(min_length=16, max_length=16)]
"""An identity of 16 bytes: a time-ordered id or a keyed digest. People see its first 24 hex digits."""
Digest = Annotated[bytes, Field(min_length=16, max_length=16)]
"""A digest of 16 bytes, keyed by the scope's secret: it compares content without revealing it."""
Micros = Annotated[int, Field(ge=-62_135_596_800_000_000, le=253_402_300_799_999_999)]
"""A moment in microseconds since 1970 UTC."""
Millionths = int
"""A weight, counter or confidence in millionths of one."""
StreamClass = Literal["claim", "evidence", "scope"]


def nothing(value: object) -> bool:
    """Tells whether a field has nothing in it: it is then left out of the record, which is read as its default."""
    return not value


class Value(BaseModel):
    """A frozen part of an event. Unknown fields are refused; error texts never repeat the input."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    def with_(self, **changes: Any) -> Self:
        """Returns the same with these fields changed, validated. Raises ValueError for a value that may not be."""
        return type(self)(**{**dict(self), **changes})


@dataclass(frozen=True, slots=True)
class Sealing:
    """Under which key an event's private fields are sealed.

    `own` names a random data key (evidence, people's own words), made with this event if it is `fresh`; `parents` are the
    evidence whose keys the derived key needs, all of them; neither means the scope's own key, for names.
    """

    own: bytes | None = None
    fresh: bool = False
    parents: tuple[bytes, ...] = ()


class Event(Value):
    """The base of all events; `public` names the fields that are not sealed."""

    type_name: ClassVar[str] = ""
    stream_class: ClassVar[StreamClass]
    public: ClassVar[frozenset[str]] = frozenset()

    id: Id
    occurred_at: Micros
    cause: Id | None = None
    evidence: tuple[Id, ...] = ()
    parents: tuple[Id, ...] = ()

    @property
    @abstractmethod
    def stream(self) -> bytes:
        """Returns the id of the claim, evidence or scope whose stream this event extends."""

    @property
    def sealing(self) -> Sealing:
        """Returns how the private fields are sealed: by default under the keys of the event's own evidence."""
        return Sealing(parents=self.evidence)


ENVELOPE = frozenset(Event.model_fields)
EVENT_TYPES: dict[str, type[Event]] = {}
"""The allow-list: a record names one of these types, never a module path."""


E = TypeVar("E", bound="Event")


def event_type(name: str, *, public: str = "") -> Callable[[type[E]], type[E]]:
    """Registers an event class under `name`; `public` lists its public fields, separated by spaces."""

    def register(cls: type[E]) -> type[E]:
        if name in EVENT_TYPES:
            msg = f"event type {name} is registered twice"
            raise ValueError(msg)
        fields = frozenset(public.split())
        unknown = fields - frozenset(cls.model_fields)
        if unknown:
            msg = f"{name} marks fields public that it does not have: {sorted(unknown)}"
            raise ValueError(msg)
        cls.type_name = name
        cls.public = fields
        EVENT_TYPES[name] = cls
        return cls

    return register


def split(event: Event) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns (public fields, private fields) of an event as plain data, without the envelope and without nothings."""
    fields = event.model_dump(exclude_none=True, exclude_defaults=False)
    public = {name: value for name, value in fields.items() if name in event.public}
    private = {name: value for name, value in fields.items() if name not in event.public and name not in ENVELOPE}
    return public, private
