"""Given, when, then: a story told to the pure domain, with a dictionary in place of the decision index.

A `Story` records what people say, lets extractors read it and people judge it. Each step decides, keeps what was decided,
and returns an `Outcome` that can be asked what came of it. Ids count up, the clock stands still, and nothing is sealed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, TypeVar

from blake3 import blake3

from affidavit.domain.claims import (
    ClaimAsserted,
    ClaimContent,
    ClaimDerived,
    ClaimEvent,
    ClaimQuarantined,
    ClaimReaffirmed,
    ClaimState,
    Place,
    SignalApplied,
    Wording,
    claim_id,
    digests,
)
from affidavit.domain.commands import OfClaim, OfScope
from affidavit.domain.corrections import Assert, ClaimCorrected, Correct, Reject, assert_claim, correct, reject
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.derivation import complete
from affidavit.domain.events import Event
from affidavit.domain.evidence import EvidenceContent, EvidenceEvent, EvidenceState, Record, evidence_id, record
from affidavit.domain.index import Citation, Mode, RejectedSpan, Rejection, Tally
from affidavit.domain.lifecycle import ClaimMerged, ClaimPromoted
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Proposal, Span, VoiceRole
from affidavit.domain.readings import Complete, Seen
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import Actor
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.times import DAY
from affidavit.domain.undoing import ChangeUndone

E = TypeVar("E", bound=Event)
C = TypeVar("C", bound=OfScope | OfClaim)

ana, operator, assistant = Actor("user", "Ana"), Actor("operator", "Olga"), Actor("assistant", "bot")
extractor = Actor("extractor", "extraction")
SCOPE = b"scope".ljust(16, b".")
NOW = 20_000 * DAY
RULES, MODEL = "rules@1/00000000", "model@1/00000000"


_PLACED = (
    *(ClaimDerived, ClaimAsserted, ClaimReaffirmed, ClaimQuarantined, ClaimCorrected),
    *(ClaimPromoted, ClaimMerged, SignalApplied),
)


class Ids:
    """Yields 16 bytes that count up, the same in every run."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self) -> bytes:
        return next(self._numbers).to_bytes(16, "big")


class FakeIndex:
    """The decision index as dictionaries, kept by the rules of `journal.index`."""

    def __init__(self, policy: Policy | None = None, generation: int = 1) -> None:
        self.policy = policy or Policy()
        self.generation = generation
        self.mode = Mode()
        self.states: dict[bytes, ClaimState] = {}
        self.items: dict[bytes, EvidenceState] = {}
        self._contents: dict[bytes, Any] = {}
        self._cited: dict[tuple[bytes, Citation], None] = {}
        self._valued: dict[bytes, tuple[bytes | None, bytes | None]] = {}
        self._rejected: dict[tuple[bytes, bytes], int] = {}
        self._spans: dict[tuple[bytes, RejectedSpan], None] = {}

    def apply(self, events: Iterable[Event]) -> None:
        for event in events:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        content = getattr(event, "content", None)
        if content is not None:
            self._contents[event.id] = content
        if isinstance(event, EvidenceEvent):
            self.items[event.item] = event.state
        if isinstance(event, ClaimEvent):
            self.states[event.claim] = event.state
        if isinstance(event, ValueRejected):
            self._reject(event)
        elif isinstance(event, RejectionLifted):
            self._rejected = {key: at for key, at in self._rejected.items() if key[1] != event.claim}
            self._spans = {key: None for key in self._spans if key[1].claim != event.claim}
        elif isinstance(event, ChangeUndone):
            self._valued[event.claim] = event.state.topic, event.state.value
        elif isinstance(event, _PLACED):
            for at in event.places:
                cited = Citation(at.evidence, at.revision, at.start, at.end, getattr(event, "extractor", ""))
                self._cited[event.claim, cited] = None
            if not isinstance(event, ClaimReaffirmed | SignalApplied):
                self._valued[event.claim] = event.state.topic, event.state.value

    def _reject(self, event: ValueRejected) -> None:
        for digest in event.rejected:
            self._rejected[digest, event.claim] = event.occurred_at
        for at in event.places:
            span = RejectedSpan(event.claim, at.revision, at.start, at.end, event.about, event.extractors)
            self._spans[at.evidence, span] = None

    def keyed(self, purpose: str, *parts: str) -> bytes:
        encoded = [part.encode() for part in (purpose, *parts)]
        framed = b"".join(len(part).to_bytes(4, "big") + part for part in encoded)
        return blake3(framed, key=b"k" * 32).digest(16)

    def claim(self, claim: bytes) -> ClaimState | None:
        return self.states.get(claim)

    def content(self, state: ClaimState) -> ClaimContent:
        found: ClaimContent = self._contents[state.wording(self.generation)]
        return found

    def evidence(self, item: bytes) -> EvidenceState | None:
        return self.items.get(item)

    def text(self, item: bytes, revision: int) -> EvidenceContent:
        found: EvidenceContent = self._contents[self.items[item].contents[revision - 1]]
        return found

    def holders(self, topic: bytes) -> tuple[bytes, ...]:
        return tuple(claim for claim, (of, _) in self._valued.items() if of == topic)

    def same_value(self, value: bytes) -> tuple[bytes, ...]:
        return tuple(claim for claim, (_, of) in self._valued.items() if of == value)

    def personas(self, about: bytes) -> tuple[bytes, ...]:
        return tuple(
            claim for claim in self._valued if self.states[claim].form == "persona" and self.states[claim].about == about
        )

    def citations(self, claim: bytes) -> tuple[Citation, ...]:
        return tuple(cited for of, cited in self._cited if of == claim)

    def citing(self, item: bytes) -> tuple[tuple[bytes, Citation], ...]:
        return tuple((claim, cited) for claim, cited in self._cited if cited.evidence == item)

    def tally(self, claim: bytes) -> Tally:
        cited = [self.items[cited.evidence] for cited in self.citations(claim)]
        heard = [item for item in cited if item.role == "user" and item.basis == "user_statement"]
        return Tally(frozenset(item.source for item in heard), frozenset(item.session for item in heard))

    def rejections(self, digest: bytes) -> tuple[Rejection, ...]:
        return tuple(Rejection(claim, at) for (of, claim), at in self._rejected.items() if of == digest)

    def rejected_spans(self, item: bytes) -> tuple[RejectedSpan, ...]:
        return tuple(span for of, span in self._spans if of == item)


@dataclass(frozen=True)
class Outcome:
    """What was decided."""

    decision: Decision

    @property
    def events(self) -> tuple[Event, ...]:
        return self.decision.events if isinstance(self.decision, Refused) else self.decision

    def then(self, *kinds: type[Event]) -> "Outcome":
        assert [type(event).__name__ for event in self.events] == [kind.__name__ for kind in kinds]
        return self

    def then_nothing(self) -> None:
        assert self.decision == ()

    def refused(self, rule: str, **said: str) -> Refused:
        assert isinstance(self.decision, Refused)
        assert self.decision.rule == rule
        assert {name: getattr(self.decision, name) for name in said} == said
        return self.decision

    def the(self, kind: type[E]) -> E:
        """Returns the one event of this kind."""
        (found,) = self.all(kind)
        return found

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def refusals(self) -> list[str]:
        return [event.rule for event in self.all(WriteRefused)]


@dataclass(frozen=True)
class Saying:
    """A proposal whose quote has no place yet: the first in the text, or the whole text."""

    proposal: Proposal

    def within(self, text: str) -> Proposal:
        quote = self.proposal.quote or text
        start = text.index(quote)
        return replace(self.proposal, quote=quote, span=Span(start, start + len(quote)))


def saying(text: str, attribute: str = "", value: str = "", quote: str = "", **fields: Any) -> Saying:
    """Returns a proposal that the text says so, of kind fact unless told."""
    fields = {"kind": "fact", **fields}
    return Saying(Proposal(text=text, span=Span(0, 0), quote=quote, attribute=attribute, value=value, **fields))


def home(city: str, **fields: Any) -> Saying:
    """Returns the proposal that the user lives there, a one-value attribute."""
    return saying(f"User lives in {city}.", "home", city, **fields)


@dataclass
class Story:
    """One scope: what was said, read and judged so far. `index` answers what is known after the last step."""

    index: FakeIndex = field(default_factory=FakeIndex)
    new_id: Ids = field(default_factory=Ids)

    def says(self, text: str, *, days: float = 0, message: str = "", by: VoiceRole = "user", **fields: Any) -> bytes:
        """Records a message that occurred so many days after NOW; returns its evidence id."""
        message = message or f"message {len(self.index.items)}"
        source, session = fields.pop("source", "chat"), fields.get("session", "")
        item = evidence_id(self.index, source, session, message)
        fields = {"source": source, "source_id": self.index.keyed("source", source), "message": message, **fields}
        command = Record(**self._who(Actor("host", "bridge"), days), item=item, role=by, text=text, **fields)
        self.keep(record(command, self.index.evidence(item), self.index))
        return item

    def reads(
        self, item: bytes, *said: Saying | Proposal, by: str = RULES, revision: int = 0, namespace: str = "", **how: Any
    ) -> Outcome:
        """Takes an extractor's answer about one message, of its newest revision unless told.

        It was shown what it names to replace, unless `how` says otherwise.
        """
        state = self.index.items[item]
        revision = revision or state.revision
        text = self.index.text(item, min(revision, state.revision)).text
        proposals = tuple(found.within(text) if isinstance(found, Saying) else found for found in said)
        where: dict[str, Any] = {"scope": SCOPE, "item": item, "revision": revision, "namespace": namespace}
        named = dict.fromkeys(one.replaces for one in proposals if one.replaces)
        shown = tuple(self.seen(claim) for claim in self.index.states if claim.hex()[:24] in named)
        command = Complete(**self._who(extractor), **where, extractor=by, proposals=proposals, **{"shown": shown, **how})
        return self.keep(complete(command, state, self.index))

    def hears(self, text: str, *said: Saying, days: float = 0, by: str = RULES, **fields: Any) -> Outcome:
        """Records a message and takes an extractor's answer about it."""
        namespace, how = fields.pop("namespace", ""), fields.pop("how", {})
        return self.reads(self.says(text, days=days, **fields), *said, by=by, namespace=namespace, **how)

    def seen(self, claim: bytes) -> Seen:
        """Returns a claim as an extractor would be shown it now."""
        state = self.index.states[claim]
        return Seen(claim, state.wording(self.index.generation), state.status)

    def corrects(self, claim: str, text: str, value: str = "", *, by: Actor = ana, days: float = 0) -> Outcome:
        """Lets a person correct the claim that says `claim`."""
        command = Correct(**self._judges(claim, by, days), text=text, value=value)
        return self.keep(correct(command, self.state(claim), self.index))

    def rejects(self, claim: str, *, by: Actor = ana, days: float = 0) -> Outcome:
        """Lets a person reject the claim that says `claim`."""
        return self.keep(reject(Reject(**self._judges(claim, by, days)), self.state(claim), self.index))

    def asserts(self, text: str, *, by: Actor = ana, **fields: Any) -> Outcome:
        """Lets the actor assert a sentence, in a message of its own."""
        where: dict[str, Any] = {"scope": SCOPE, "item": self.says(text), "namespace": "", "namespace_id": None}
        command = Assert(**self._who(by), **where, text=text, **fields)
        return self.keep(assert_claim(command, self.index))

    def id(self, text: str, entity: str = "user", namespace: str = "") -> bytes:
        return claim_id(self.index, namespace, "fact", entity, text)

    def state(self, text: str, entity: str = "user", namespace: str = "") -> ClaimState:
        return self.index.states[self.id(text, entity, namespace)]

    def statuses(self) -> dict[str, str]:
        """Returns the status of every claim by its sentence."""
        return {self.index.content(state).text: state.status for state in self.index.states.values()}

    def keep(self, decision: Decision) -> Outcome:
        """Applies what was decided, and returns it."""
        outcome = Outcome(decision)
        self.index.apply(outcome.events)
        return outcome

    def _judges(self, claim: str, by: Actor, days: float) -> dict[str, Any]:
        return {**self._who(by, days), "scope": SCOPE, "claim": self.id(claim), "namespace": ""}

    def _who(self, actor: Actor, days: float = 0) -> dict[str, Any]:
        return {"actor": actor, "at": at(days), "new_id": self.new_id}


def at(days: float = 0) -> int:
    """Returns the moment so many days after NOW."""
    return NOW + round(days * DAY)


def a_claim(text: str = "User likes tea.", attribute: str = "likes", value: str = "tea", **changes: Any) -> ClaimState:
    """Returns a live fact that the first generation derived from the user's own words."""
    content = ClaimContent(text=text, attribute=attribute, value=value)
    known: dict[str, Any] = {"wordings": (Wording(generation=1, content=bytes(16)),), "generations": (1,)}
    known |= {"form": "fact", "kind": "fact", "polarity": "positive", "status": "active"}
    known |= {"basis": "user_statement", "method": "local", "confidence": 850_000}
    if changes.get("basis") == "manual_correction":
        known["method"] = "manual"
    if changes.get("basis") == "tool_observation":
        known["kind"] = "project_state"
    known |= {"evidence_at": NOW, "confirmed_at": NOW, **digests(FakeIndex(), "", content, "positive")}
    return ClaimState.model_validate(known | changes)


def some_evidence(**changes: Any) -> EvidenceState:
    """Returns a user's message that nobody has read."""
    one = {"role": "user", "source": bytes(16), "session": bytes(16), "key": bytes(16), "basis": "user_statement"}
    return EvidenceState.model_validate({**one, "occurred_at": NOW, "contents": (bytes(16),), **changes})


def holds(story: Story, text: str, *items: bytes, **changes: Any) -> bytes:
    """Lets the story hold a claim as if it had been derived, from the whole of these messages; returns its id."""
    event_id, index = story.new_id(), story.index
    content = ClaimContent(text=text, attribute=changes.pop("attribute", ""), value=changes.pop("value", ""))
    wordings = (Wording(generation=1, content=event_id),)
    state = a_claim(**{**content.model_dump(exclude={"entity"}), "wordings": wordings, **changes})
    claim = claim_id(index, "", state.form, content.entity, text)
    cited = tuple(Place(evidence=item, revision=1, start=0, end=len(index.text(item, 1).text)) for item in items)
    who: dict[str, Any] = {"places": cited, "extractor": RULES, "generation": 1, "content": content}
    story.keep((ClaimDerived(id=event_id, occurred_at=NOW, evidence=items, claim=claim, state=state, **who),))
    return claim


def asks(story: Story, kind: type[C], *, actor: Actor = ana, days: float = 0, **fields: Any) -> C:
    """Returns a command of this kind in the story's scope."""
    return kind(actor=actor, at=at(days), new_id=story.new_id, scope=SCOPE, **fields)
