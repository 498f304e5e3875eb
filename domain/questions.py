"""Questions to a model: each is one typed method of the extractor port, with one closed schema for its answer.

None means *no answer*: whoever cannot know says so, and nothing is invented in its place. Rules answer what they can and
nothing else. A field beyond the schema refuses the whole answer. What is asked and not answered is an event, so that the
funnel tells it, a failure is tried again, and one that repeats becomes a dead letter instead of going round for ever.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from affidavit.domain.candidates import Relation
from affidavit.domain.commands import OfScope
from affidavit.domain.decisions import Decision
from affidavit.domain.events import Digest, Id, event_type
from affidavit.domain.proposals import Extractor, Kind
from affidavit.domain.scopes import ScopeEvent

Question = Literal["reflect", "relate", "judge reply", "targets", "merge", "resolve", "refine", "summarise"]
Answered = Literal["no answer", "failed", "dead letter", "answered"]


class Asked(msgspec.Struct, frozen=True):
    """A claim as a question shows it: its id in 24 hex digits, its sentence, entity, form and importance."""

    id: str
    text: str
    entity: str = "user"
    form: str = "fact"
    importance: int | None = None


class Said(msgspec.Struct, frozen=True):
    """A message as a question shows it: evidence id in 24 hex digits, the voice's role, and its text."""

    id: str
    role: str
    text: str


class Reflection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to `reflect`: one sentence that the facts support together, about whom, and its kind."""

    text: str
    entity: str = "user"
    kind: Kind = "pattern"


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a reply says of one surfaced claim, with the words that say so; `ignores` and `unclear` need none."""

    claim: str
    verdict: Literal["confirms", "denies", "ignores", "unclear"]
    quote: str = ""


class MergeClause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a merged sentence, word by word, and the input that it comes from."""

    text: str
    of: Literal["claim", "target"]


class Merge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to `merge`: how a claim is promoted beside the persona claims that are there."""

    action: Literal["promote_fresh", "merge_into", "reject"]
    target_id: str = ""
    merged_text: str = ""
    clauses: tuple[MergeClause, ...] = ()
    reason: str = ""


class Resolution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to `resolve`: which of two claims that conflict stands."""

    keep: Literal["old", "new", "both"]
    reason: str = ""


class Refinement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to `refine`: one persona claim says what another says too, and this is both in one sentence."""

    claim_id: str
    merge: Merge


@runtime_checkable
class Questions(Protocol):
    """The questions beside extraction. An implementation overrides what it can answer and names it in `answers`."""

    answers: frozenset[Question] = frozenset()
    """What is worth asking: a question that is not among them is not asked, and counts as no answer."""

    def reflect(self, facts: Sequence[Asked], context: Sequence[Asked]) -> Reflection | None:
        """Returns what the facts say together; `context` are facts that earlier reflections absorbed."""
        del facts, context
        return None

    def relate(self, facts: Sequence[Asked], observations: Sequence[Asked]) -> tuple[Relation, ...] | None:
        """Returns which observations each fact speaks for or against; an empty tuple says that none does."""
        del facts, observations
        return None

    def judge_reply(self, reply: str, surfaced: Sequence[Asked]) -> tuple[Verdict, ...] | None:
        """Returns what a user's reply says of the claims that were surfaced before it."""
        del reply, surfaced
        return None

    def targets(self, messages: Sequence[Said], observations: Sequence[Asked]) -> tuple[str, ...] | None:
        """Returns the ids of the claims that the last message wants to hear no more of; the ones before are context."""
        del messages, observations
        return None

    def merge(self, claim: Asked, personas: Sequence[Asked]) -> Merge | None:
        """Returns how a claim is promoted beside the persona claims."""
        del claim, personas
        return None

    def resolve(self, new: Asked, old: Asked) -> Resolution | None:
        """Returns which of two conflicting claims stands."""
        del new, old
        return None

    def refine(self, personas: Sequence[Asked]) -> tuple[Refinement, ...] | None:
        """Returns which persona claims say the same and how they read as one; an empty tuple says that none does."""
        del personas
        return None

    def summarise(self, messages: Sequence[Said]) -> str | None:
        """Returns a summary of recent messages."""
        del messages
        return None


class Reasoner(Extractor, Questions, Protocol):
    """An extractor that is asked the other questions too."""


@event_type("model-answered.v1", public="scope question request outcome extractor claims items")
class ModelAnswered(ScopeEvent):
    """A question was asked: `request` is a keyed digest of who was asked what, `outcome` what came of it.

    `claims` and `items` are what it was about. `error` says why it failed.
    """

    question: Question
    request: Digest
    outcome: Answered
    extractor: str
    claims: tuple[Id, ...] = ()
    items: tuple[Id, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAnswer(OfScope):
    """Note that a question had no answer, or failed. No answer to the same request is noted once."""

    question: Question
    request: bytes
    outcome: Answered
    extractor: str
    claims: tuple[bytes, ...] = ()
    items: tuple[bytes, ...] = ()
    error: str | None = None

    @property
    def natural_key(self) -> tuple[str, ...]:
        """Returns the request, where it had no answer or was answered: that is said once; each failure counts."""
        if self.outcome in {"failed", "dead letter"}:
            return ("model answered", self.outcome, self.new_id().hex())
        return ("model answered", self.outcome, self.request.hex())

    @property
    def content(self) -> tuple[Any, ...]:
        """Returns what was asked."""
        return (self.question, self.extractor)


def note_answer(command: NoteAnswer) -> Decision:
    """Notes what came of a question."""
    return (
        ModelAnswered(
            id=command.new_id(),
            occurred_at=command.at,
            scope=command.scope,
            question=command.question,
            request=command.request,
            outcome=command.outcome,
            extractor=command.extractor,
            claims=command.claims,
            items=command.items,
            error=command.error,
        ),
    )
