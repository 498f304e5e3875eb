"""Claims: one third-person sentence each about an entity, with everything known of it after its last event.

A claim's id is a keyed digest of (namespace, form, entity, normalised text): no extractor, generation, kind or attribute
is in it, so what a better extractor says again in the same words is the same claim. An event carries the whole claim
state after it; the last event of a stream is the claim. Wording is sealed; the state names the event that sealed it.
"""

from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from affidavit.domain.events import Digest, Event, Id, Micros, Millionths, Sealing, Value, event_type, nothing
from affidavit.domain.evidence import Basis, Method, label_fault
from affidavit.domain.index import Citation, Index
from affidavit.domain.normalise import VERSION, normalise
from affidavit.domain.proposals import Form, Kind, Polarity
from affidavit.domain.signals import Effect, Source

Status = Literal[
    "active",
    "pending",
    "confirmed",
    "quarantined",
    "superseded",
    "absorbed",
    "promoted",
    "merged",
    "promote_blocked",
    "denied",
    "forgotten",
    "withdrawn",
    "archived",
]
LIVE: frozenset[str] = frozenset({"active", "pending", "confirmed", "promote_blocked"})
"""Statuses of a live claim (model.md §2), given that a generation or a person supports it."""
Confirmation = Literal["unconfirmed", "confirmed", "contradicted"]
Utility = Literal["useful", "unhelpful"]
Accuracy = Literal["accurate", "incorrect"]
_UTILITIES, _ACCURACIES = get_args(Utility), get_args(Accuracy)
Tone = Literal["", "playful", "warm", "funny", "inside_joke"]
"""How a narrative is meant; empty for every other form (seed 004)."""


class ClaimContent(Value):
    """The private part of a claim: its sentence, and what is said of whom where the extractor could tell."""

    text: str
    entity: str = "user"
    attribute: str = ""
    value: str = ""


class Wording(Value):
    """A wording of the claim: the event that sealed it, and the generation it is from (0: a person's)."""

    generation: int
    content: Id


class Place(Value):
    """A citation in an event: evidence id, revision, and a span in code points, the quote being the text there."""

    evidence: Id
    revision: int
    start: int
    end: int


class Slot(Value):
    """The last feedback verdict of its kind on a claim, and when it was given; utility and accuracy have a slot each."""

    verdict: Utility | Accuracy
    at: Micros


class ClaimState(Value):
    """Everything known of a claim after an event. Counted quantities are integers of a millionth.

    `parents` are claims it stands on, `beside` those that a person lets it hold beside, one value or not; `since` is when it
    got its status, and `before` the status an archive took it from; `review` names the matter for which it waits in the
    inbox; `related` says that stage 2 has weighed it; `happens_from` and `happens_to` are when what it tells of takes place;
    `tone` and `expires_at` are a narrative's. `boosts` counts how often its confidence was raised on the scope's local day
    `boosted_on`; `contradicted_at` is when the user last said the contrary, and `uncontradicted` its confidence but for it.
    """

    form: Form
    kind: Kind
    polarity: Polarity
    status: Status
    sentence: Digest
    topic: Digest | None = None
    value: Digest | None = None
    about: Digest
    namespace: Id | None = None
    wordings: tuple[Wording, ...]
    generations: tuple[int, ...] = ()
    asserted: bool = False
    basis: Basis
    method: Method
    evidence_at: Micros | None = None
    confirmed_at: Micros | None = None
    confidence: Millionths
    confirmation: Confirmation = "unconfirmed"
    reinforcement: Millionths = 0
    disputation: Millionths = Field(default=0, ge=0)
    rein_last_signal_at: Micros | None = None
    disp_last_signal_at: Micros | None = None
    sub_zero_days: int = 0
    sub_zero_last_increment_date: str | None = None
    user_fact_reinforce_count: int = 0
    signals: int = 0
    sources: int = 0
    sessions: int = 0
    attempts: int = 0
    attempt_at: Micros | None = None
    corrected: bool = False
    pinned: bool = False
    vouched: bool = False
    superseded_by: Id | None = None
    bound_to: Id | None = None
    beside: tuple[Id, ...] = Field(default=(), exclude_if=nothing)
    parents: tuple[Id, ...] = Field(default=(), exclude_if=nothing)
    importance: int | None = Field(default=None, ge=1, le=10)
    happens_from: Micros | None = None
    happens_to: Micros | None = None
    since: Micros | None = None
    before: Status | None = None
    review: str = Field(default="", exclude_if=nothing)
    related: bool = Field(default=False, exclude_if=nothing)
    surfaced_at: Micros | None = None
    eligible_at: Micros | None = None
    mentions: tuple[Micros, ...] = Field(default=(), exclude_if=nothing)
    suppressed_at: Micros | None = None
    utility: Slot | None = None
    accuracy: Slot | None = None
    tone: Tone = Field(default="", exclude_if=nothing)
    expires_at: Micros | None = None
    boosted_on: str | None = None
    boosts: int = Field(default=0, exclude_if=nothing)
    contradicted_at: Micros | None = None
    uncontradicted: Millionths | None = None

    @model_validator(mode="after")
    def _sound(self) -> Self:
        """Holds the evidence label and the verdicts to what they may say. Raises ValueError."""
        fault = label_fault(self.basis, self.method, self.kind)
        if fault:
            raise ValueError(fault)
        if self.utility is not None and self.utility.verdict not in _UTILITIES:
            msg = f"the verdict of utility is {self.utility.verdict}, one of {', '.join(_UTILITIES)} is required"
            raise ValueError(msg)
        if self.accuracy is not None and self.accuracy.verdict not in _ACCURACIES:
            msg = f"the verdict of accuracy is {self.accuracy.verdict}, one of {', '.join(_ACCURACIES)} is required"
            raise ValueError(msg)
        return self

    @property
    def live(self) -> bool:
        """Tells whether the claim may be shown: its status is a live one, and a generation or a person supports it."""
        return self.status in LIVE and bool(self.generations or self.asserted)

    @property
    def protected(self) -> bool:
        """Tells whether a host put it on the character card: it is never archived, and outside the prompt's budget."""
        return self.basis == "card"

    @property
    def person_protected(self) -> bool:
        """Tells whether a person holds it: it was corrected, pinned or vouched for."""
        return self.corrected or self.pinned or self.vouched

    def wording(self, generation: int) -> bytes:
        """Returns the event that sealed the wording shown under this generation: a person's, its own, or the first."""
        by_generation = {wording.generation: wording.content for wording in self.wordings}
        return by_generation.get(0) or by_generation.get(generation) or self.wordings[0].content


class ClaimEvent(Event):
    """An event of one claim; `state` is the claim after it."""

    stream_class = "claim"

    claim: Id
    state: ClaimState

    @property
    def stream(self) -> bytes:
        """Returns the claim id."""
        return self.claim


@event_type("claim-derived.v1", public="claim state places extractor generation")
class ClaimDerived(ClaimEvent):
    """An extractor derived the claim from evidence: its first event, or more support for it.

    `content` is present where the wording is new. A derivation leaves counters and clocks of a known claim alone.
    """

    places: tuple[Place, ...]
    extractor: str
    generation: int
    content: ClaimContent | None = None


@event_type("claim-asserted.v1", public="claim state places key")
class ClaimAsserted(ClaimEvent):
    """A person or host stated the claim itself; it belongs to no generation and stands by itself."""

    places: tuple[Place, ...] = ()
    key: Id
    content: ClaimContent

    @property
    def sealing(self) -> Sealing:
        """Returns a key of its own: these are a person's words."""
        return Sealing(own=self.key, fresh=True)


@event_type("claim-reaffirmed.v1", public="claim state places extractor generation")
class ClaimReaffirmed(ClaimEvent):
    """New first-hand evidence stated the same again: evidence date and confidence moved, a signal follows."""

    places: tuple[Place, ...]
    extractor: str
    generation: int


@event_type("signal-applied.v1", public="claim state source effect weight against places extractor generation")
class SignalApplied(ClaimEvent):
    """A weighted observation was counted: `weight` on the side that `effect` names, `against` where both sides moved.

    `places` are what supports the claim from here on too: the spans of a fact that was found to speak for it.
    """

    source: Source
    effect: Effect
    weight: Millionths
    against: Millionths = Field(default=0, exclude_if=nothing)
    places: tuple[Place, ...] = Field(default=(), exclude_if=nothing)
    extractor: str = Field(default="", exclude_if=nothing)
    generation: int = Field(default=0, exclude_if=nothing)
    reason: str | None = None


@event_type("claim-superseded.v1", public="claim state by")
class ClaimSuperseded(ClaimEvent):
    """Another claim took its place: a newer value of a one-value attribute, or a reflection that absorbed it.

    Nothing was rejected.
    """

    by: Id


@event_type("claim-quarantined.v1", public="claim state places extractor generation rule")
class ClaimQuarantined(ClaimEvent):
    """The claim is held back for a person; it stands in the inbox with the rule that held it."""

    rule: str
    places: tuple[Place, ...] = ()
    extractor: str = ""
    generation: int = 0
    content: ClaimContent | None = None


@event_type("claim-denied.v1", public="claim state rule")
class ClaimDenied(ClaimEvent):
    """The claim is not believed any more: it says a value that a person rejected with another claim, or `rule` says why."""

    rule: str = ""
    reason: str | None = None


@event_type("review-required.v1", public="claim state rule actual required")
class ReviewRequired(ClaimEvent):
    """A person has to decide: the rules cannot. `state.review` names the rule until a decision, or a new signal, comes."""

    rule: str
    actual: Millionths = 0
    required: Millionths = 0
    reason: str | None = None


def claim_id(index: Index, namespace: str, form: str, entity: str, text: str) -> bytes:
    """Returns the id of the claim that says `text` of `entity`: a digest keyed by the scope's secret."""
    return index.keyed("claim", str(VERSION), namespace, form, normalise(entity), normalise(text))


def digests(index: Index, namespace: str, content: ClaimContent, polarity: str, *, form: str = "") -> dict[str, Any]:
    """Returns the keyed digests by which a claim is compared: `sentence`, `topic`, `value` and `about`.

    `topic` and `value` are None where attribute or value are unknown: an unknown value equals nothing. A narrative's own
    digests are of another kind, so that it is compared with narratives alone.
    """
    version, entity = str(VERSION), normalise(content.entity)
    if form == "narrative":
        about = index.keyed("narrative about", version, namespace, entity)
        sentence = index.keyed("narrative", version, namespace, normalise(content.text))
        return {"sentence": sentence, "topic": None, "value": None, "about": about}
    known = bool(content.attribute and content.value)
    topic = (version, namespace, entity, content.attribute)
    return {
        "sentence": index.keyed("sentence", version, namespace, normalise(content.text)),
        "topic": index.keyed("topic", *topic) if known else None,
        "value": index.keyed("value", *topic, normalise(content.value), polarity) if known else None,
        "about": index.keyed("about", version, namespace, entity, polarity),
    }


def evolve(state: ClaimState | None, event: ClaimEvent) -> ClaimState:
    """Returns the claim after the event, which carries it whole, whatever was before."""
    del state
    return event.state


def places(citations: tuple[Citation, ...]) -> tuple[Place, ...]:
    """Returns citations as the places an event keeps."""
    return tuple(
        Place(evidence=cited.evidence, revision=cited.revision, start=cited.start, end=cited.end) for cited in citations
    )
