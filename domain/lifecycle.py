"""The life of a claim: pending to confirmed, confirmed to promoted or merged, and what may stand in the way (seed 000).

    pending --score 1.0--> confirmed --score 2.0--> promoted: a persona claim of its own, or merged into one that is there

Facts are promoted from `active`, since they are observations too (model.md §2). Both steps need two distinct sessions, or
one direct confirmation by the user. While powerful memory is off reflections climb by age. Whether a claim is promoted
freshly or merged is a question to a model, asked outside any lock; the decision is taken again inside, on what is then, so a
late answer never overwrites a newer denial or archive. Each decision keeps what was found and what was required.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from affidavit.domain.claims import (
    ClaimContent,
    ClaimDenied,
    ClaimEvent,
    ClaimState,
    ClaimSuperseded,
    Place,
    ReviewRequired,
    Wording,
    claim_id,
    digests,
    places,
)
from affidavit.domain.commands import Command, OfClaim
from affidavit.domain.decisions import Decision
from affidavit.domain.draft import Draft
from affidavit.domain.events import Event, Id, Millionths, Value, event_type
from affidavit.domain.index import Index, Mode
from affidavit.domain.mentions import overlap
from affidavit.domain.normalise import normalise
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.proposals import holds_one_value
from affidavit.domain.questions import Merge
from affidavit.domain.rejections import rejected_within
from affidavit.domain.scopes import WriteRefused
from affidavit.domain.score import score
from affidavit.domain.signals import latest
from affidavit.domain.times import SECOND, age_days

By = Literal["score", "age"]
Deferral = Literal["asked", "no answer", "invalid target", "stale", "rejected value"]
PROMOTION, CORRECTION, KEPT_OLD = "promotion", "correction queued", "kept old"


class Measure(Value):
    """What a decision found and what it required: score in millionths and distinct sessions, or age in days."""

    by: By
    actual: Millionths
    required: Millionths
    sessions: int = 0
    sessions_required: int = 0
    vouched: bool = False


class Clause(Value):
    """A part of a merged sentence, and the claim it comes from."""

    text: str
    claim: Id


@event_type("claim-confirmed.v1", public="claim state measure")
class ClaimConfirmed(ClaimEvent):
    """A pending reflection is confirmed, by its score or, with powerful memory off, by its age."""

    measure: Measure


@event_type("claim-promoted.v1", public="claim state of into measure places extractor")
class ClaimPromoted(ClaimEvent):
    """The claim `of` became the persona claim `into`; one such event stands in the stream of each.

    The persona claim's own has its content, and the places of the claim it came from.
    """

    of: Id
    into: Id
    measure: Measure
    places: tuple[Place, ...] = ()
    extractor: str = ""
    content: ClaimContent | None = None


@event_type("claim-merged.v1", public="claim state of into measure places extractor")
class ClaimMerged(ClaimEvent):
    """The claim `of` was merged into the persona claim `into`; one such event stands in the stream of each.

    The target's own has the new wording, where it changed, and which clause of it comes from which of the two.
    """

    of: Id
    into: Id
    measure: Measure
    places: tuple[Place, ...] = ()
    extractor: str = ""
    content: ClaimContent | None = None
    clauses: tuple[Clause, ...] | None = None


@event_type("promotion-deferred.v1", public="claim state rule measure")
class PromotionDeferred(ClaimEvent):
    """The question of the promotion is asked, which spends an attempt, or had no usable answer; it is asked again later."""

    rule: Deferral
    measure: Measure


@event_type("promotion-blocked.v1", public="claim state rule actual required")
class PromotionBlocked(ClaimEvent):
    """The question was asked as often as it may be, without an answer; only a person decides from here."""

    rule: str
    actual: int
    required: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb(OfClaim):
    """Confirm a pending reflection, if it is time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt(OfClaim):
    """Note that the question of a promotion is about to be asked.

    `again` says that whoever asked it last was killed before anything came of it, so that nobody is asking now.
    """

    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Promote(OfClaim):
    """Promote a claim, if it is time. `answer` is what a model said of it; None where nobody can say.

    `asked` says that an attempt was spent on the answer, and `read` which wording it had read of each claim, by the event
    that sealed it: an answer on another wording is late. `namespace` is the claim's namespace by name.
    """

    namespace: str
    answer: Merge | None = None
    asked: bool = False
    read: Mapping[bytes, bytes] = field(default_factory=dict)


def confirmable(state: ClaimState, now: int, policy: Policy, mode: Mode) -> Measure | None:
    """Returns by what a pending reflection is confirmed at a moment, or None."""
    if state.form != "reflection" or state.status != "pending" or not state.live:
        return None
    if mode.powerful:
        return _by_score(state, now, policy.score.confirmed, policy)
    return _by_age(state.since, now, policy.ladder.confirm_days)


def promotable(state: ClaimState, now: int, policy: Policy, mode: Mode) -> Measure | None:
    """Returns by what a claim is promoted at a moment, or None."""
    reflection = state.form == "reflection" and state.status == "confirmed"
    fact = state.form == "fact" and state.status == "active"
    if not state.live or not (reflection or fact) or state.protected:
        return None
    if mode.powerful:
        return _by_score(state, now, policy.score.promoted, policy)
    if not reflection or state.since is None:
        return None
    # Switching powerful memory off starts the second step of the ladder anew.
    return _by_age(max(state.since, mode.since), now, policy.ladder.promote_days)


def _by_score(state: ClaimState, now: int, required: int, policy: Policy) -> Measure | None:
    found = score(state, now, policy)
    enough = state.vouched or state.sessions >= policy.score.distinct_sessions
    if found * ONE < required or not enough:
        return None
    return Measure(
        by="score",
        actual=round(found * ONE),
        required=required,
        sessions=state.sessions,
        sessions_required=0 if state.vouched else policy.score.distinct_sessions,
        vouched=state.vouched,
    )


def _by_age(since: int | None, now: int, required: int) -> Measure | None:
    if since is None or age_days(since, now) < required:
        return None
    return Measure(by="age", actual=round(age_days(since, now) * ONE), required=required * ONE)


def climb(command: Climb, state: ClaimState, index: Index) -> Decision:
    """Confirms a pending reflection whose time has come; quiet otherwise."""
    confirmed = confirmation(command, command.claim, state, index)
    return (confirmed,) if confirmed else ()


def confirmation(
    command: Command, claim: bytes, state: ClaimState, index: Index, *, at: int | None = None, cause: bytes | None = None
) -> ClaimConfirmed | None:
    """Returns the event that confirms a claim at a moment, the command's unless told, or None where it is not time.

    A signal asks at its own moment, before anything has decayed: one confirmation by the user is worth exactly 1.0.
    """
    measure = confirmable(state, command.at if at is None else at, index.policy, index.mode)
    if measure is None:
        return None
    return ClaimConfirmed(
        id=command.new_id(),
        occurred_at=command.at,
        cause=cause,
        claim=claim,
        state=state.with_(status="confirmed", since=command.at),
        measure=measure,
    )


def may_ask(state: ClaimState, now: int, policy: Policy) -> bool:
    """Tells whether the question of a promotion may be asked again: its last attempt is long enough ago (row N27)."""
    wait = policy.promotion.retry_minutes * 60 * SECOND
    # An attempt in the future is a wrong clock's, and holds nobody up.
    return state.attempt_at is None or not state.attempt_at <= now < state.attempt_at + wait


def mergeable(state: ClaimState) -> bool:
    """Tells whether a model may reword a persona claim by a merge: never what a person or a card holds as it is."""
    attested = state.accuracy is not None and state.accuracy.verdict == "accurate"
    held = state.protected or state.person_protected or state.asserted or attested
    return state.form == "persona" and state.live and not held


def attempt(command: Attempt, state: ClaimState, index: Index) -> Decision:
    """Spends an attempt before the question is asked, so that a question that kills its asker is not asked for ever.

    Quiet where it is not time, or another asks already; blocks the claim once every attempt was spent (rows N27, N29).
    """
    policy = index.policy
    measure = promotable(state, command.at, policy, index.mode)
    if measure is None or not (command.again or may_ask(state, command.at, policy)):
        return ()
    if state.attempts < policy.promotion.most_attempts:
        asked = state.with_(attempts=state.attempts + 1, attempt_at=command.at)
        return (_deferred(command, asked, "asked", measure),)
    if state.form == "fact":
        # A fact stays active: it only stops asking to be more than that.
        return () if state.review else (_review(command, state, "llm_unavailable", measure),)
    return (
        PromotionBlocked(
            id=command.new_id(),
            occurred_at=command.at,
            claim=command.claim,
            state=state.with_(status="promote_blocked", since=command.at),
            rule="llm_unavailable",
            actual=state.attempts,
            required=policy.promotion.most_attempts,
        ),
    )


def promote(command: Promote, state: ClaimState, index: Index) -> Decision:
    """Promotes a claim, merges it, denies it, or leaves it for a person, by what a model said or by the rules alone.

    Quiet where it is not time any more: a denial or archive that came meanwhile stands (row N28).
    """
    measure = promotable(state, command.at, index.policy, index.mode)
    if measure is None:
        return ()
    if any(index.rejections(digest) for digest in (state.value, state.sentence) if digest):
        return (_denied(command, state, "rejected value", None, index),)
    if command.answer is None and command.asked:
        # No answer spends no attempt. The rules decide in its place, so that it is not asked for ever.
        state = state.with_(attempts=max(0, state.attempts - 1))
    step = _Step(command, state, index.content(state), measure, Draft(index))
    if step.is_stale(command.claim, state):
        return (_deferred(command, state, "stale", measure),)
    rivals = step.rivals()
    if any(rival.protected and step.conflicts(rival) for _, rival in rivals):
        return (_denied(command, state, "character card", None, index),)
    return _by_rules(step, rivals) if command.answer is None else _by_answer(step, rivals, command.answer)


def _by_answer(step: "_Step", rivals: list[tuple[bytes, ClaimState]], answer: Merge) -> Decision:
    """Does what a model said, as far as it holds up: it never overrides a conflict, and denies no fact."""
    command, state, measure = step.command, step.state, step.measure
    if answer.action == "merge_into":
        target = step.target(answer)
        return (_deferred(command, state, "invalid target", measure),) if target is None else step.merge_by(target, answer)
    if answer.action == "reject" and state.form == "reflection":
        return (_denied(command, state, "merge", answer.reason, step.index),)
    if answer.action == "reject" or any(step.conflicts(rival) for _, rival in rivals):
        rule = PROMOTION if answer.action == "reject" else CORRECTION
        return () if state.review == rule else (_review(command, state, rule, measure),)
    return step.fresh()


def _by_rules(step: "_Step", rivals: list[tuple[bytes, ClaimState]]) -> Decision:
    """Promotes without a model's word: freshly where no persona claim says anything of the kind, else a person decides."""
    same = step.same_persona()
    if same is not None:
        return step.merge(same, None)
    if not rivals or step.measure.by == "age":
        return step.fresh()
    rule = CORRECTION if any(step.conflicts(rival) for _, rival in rivals) else PROMOTION
    return () if step.state.review == rule else (_review(step.command, step.state, rule, step.measure),)


@dataclass(frozen=True, slots=True)
class _Step:
    """One promotion: what every part of it needs."""

    command: Promote
    state: ClaimState
    content: ClaimContent
    measure: Measure
    draft: Draft

    @property
    def index(self) -> Index:
        return self.draft.index

    @property
    def persona(self) -> bytes:
        """Returns the id that the persona claim has, or would have."""
        return claim_id(self.index, self.command.namespace, "persona", self.content.entity, self.content.text)

    def same_persona(self) -> bytes | None:
        """Returns the live persona claim that says it in the same words, or None."""
        known = self.draft.claim(self.persona)
        return self.persona if known and known.live else None

    def rivals(self) -> list[tuple[bytes, ClaimState]]:
        """Returns the other live persona claims that this one may conflict or merge with.

        Those of the same entity and attribute; where an attribute is not known, those whose words overlap enough.
        """
        found = []
        for claim in self._personas():
            known = self.draft.claim(claim)
            if known is None or not known.live or claim == self.persona:
                continue
            structured = self.state.topic and known.topic
            if (structured and known.topic == self.state.topic) or (not structured and self._overlaps(known)):
                found.append((claim, known))
        return found

    def _personas(self) -> list[bytes]:
        by_topic = self.index.holders(self.state.topic) if self.state.topic else ()
        held = [claim for claim in by_topic if (known := self.draft.claim(claim)) and known.form == "persona"]
        return list(dict.fromkeys([*held, *self.index.personas(self.state.about)]))

    def _overlaps(self, other: ClaimState) -> bool:
        alike = overlap(self.content.text, self.index.content(other).text)
        return alike * ONE >= self.index.policy.promotion.overlap

    def conflicts(self, rival: ClaimState) -> bool:
        """Tells whether the two cannot both hold, as far as rules can tell; where nothing is known, overlap is enough."""
        if not (self.state.topic and rival.topic):
            return True
        if self.state.polarity != rival.polarity:
            return self.index.content(rival).value == self.content.value
        one = holds_one_value(self.content.attribute) and self.state.polarity == "positive"
        return one and rival.value != self.state.value

    def target(self, answer: Merge) -> bytes | None:
        """Returns the persona claim that an answer wants to merge into, if it is one of ours and the clauses add up."""
        shown = [claim for claim in self._personas() if not self.command.read or claim in self.command.read]
        found = [claim for claim in shown if claim.hex().startswith(answer.target_id or "-")]
        known = self.draft.claim(found[0]) if len(found) == 1 else None
        if known is None or not mergeable(known) or known.namespace != self.state.namespace:
            return None
        from_both = {clause.of for clause in answer.clauses} == {"claim", "target"}
        all_there = all(clause.text and clause.text in answer.merged_text for clause in answer.clauses)
        return found[0] if answer.merged_text.strip() and from_both and all_there else None

    def fresh(self) -> tuple[Event, ...]:
        """Ends the claim as promoted and begins a persona claim with its counters, as they are at this moment."""
        known = self.draft.claim(self.persona)
        cited = self.index.citations(self.command.claim)
        event_id = self.command.new_id()
        derived = self.state.generations and not self.state.asserted
        wording = Wording(generation=self.state.generations[0] if derived else 0, content=event_id)
        begun = self.state.with_(
            form="persona",
            status="active",
            wordings=(wording,),
            parents=tuple(dict.fromkeys((*(known.parents if known else ()), self.command.claim))),
            since=self.command.at,
            sub_zero_days=0,
            attempts=0,
            attempt_at=None,
            review="",
            surfaced_at=None,
            eligible_at=None,
            superseded_by=None,
            bound_to=None,
        )
        evidence = tuple(dict.fromkeys(place.evidence for place in cited))
        begin = ClaimPromoted(
            id=event_id,
            occurred_at=self.command.at,
            evidence=evidence,
            parents=(self.command.claim,),
            claim=self.persona,
            state=begun,
            of=self.command.claim,
            into=self.persona,
            measure=self.measure,
            places=places(cited),
            extractor=_extractor(cited),
            content=self.content,
        )
        ended = self.state.with_(status="promoted", superseded_by=self.persona, since=self.command.at, review="")
        end = ClaimPromoted(
            id=self.command.new_id(),
            occurred_at=self.command.at,
            cause=event_id,
            claim=self.command.claim,
            state=ended,
            of=self.command.claim,
            into=self.persona,
            measure=self.measure,
        )
        return (begin, end)

    def is_stale(self, claim: bytes, state: ClaimState) -> bool:
        """Tells whether an answer had read another wording of this claim than it has now."""
        return claim in self.command.read and self.command.read[claim] != state.wording(self.index.generation)

    def merge_by(self, into: bytes, answer: Merge) -> Decision:
        """Merges by a model's words, if they are not late and bring back nothing that a person rejected."""
        known = self.draft.claim(into)
        if known is None or self.is_stale(into, known):
            return (_deferred(self.command, self.state, "stale", self.measure),)
        told = [self.content, self.index.content(known)]
        rejection = rejected_within(self.index, self.command.namespace, told, answer.merged_text)
        if rejection is None:
            return self.merge(into, answer)
        refused = WriteRefused(
            id=self.command.new_id(),
            occurred_at=self.command.at,
            evidence=tuple(dict.fromkeys(place.evidence for place in self.index.citations(self.command.claim))),
            scope=self.command.scope,
            rule="rejected value",
            actual="a merged sentence that says what a person rejected",
            required="a value that no person rejected",
            bound_to=rejection.claim,
            text=answer.merged_text,
        )
        return (refused, _deferred(self.command, self.state, "rejected value", self.measure))

    @staticmethod
    def _merged(before: ClaimContent, text: str) -> ClaimContent:
        """Returns the content of a merged sentence; attribute and value are kept where it still says the value."""
        if before.value and normalise(before.value) in normalise(text):
            return before.with_(text=text)
        return ClaimContent(text=text, entity=before.entity)

    def merge(self, into: bytes, answer: Merge | None) -> Decision:
        """Ends the claim as merged and gives the persona claim what it brings: counters, places and, by a model, words.

        The greater of each counter and the later of each clock (rows N21, N22); merged again, only the end is written.
        """
        known = self.draft.claim(into)
        if known is None:
            return ()
        command, state = self.command, self.state
        ended = ClaimMerged(
            id=command.new_id(),
            occurred_at=command.at,
            claim=command.claim,
            state=state.with_(status="merged", superseded_by=into, since=command.at, review=""),
            of=command.claim,
            into=into,
            measure=self.measure,
        )
        if command.claim in known.parents:
            return (ended,)
        mine, theirs = self.index.citations(command.claim), self.index.citations(into)
        event_id = command.new_id()
        after = known.with_(
            reinforcement=max(known.reinforcement, state.reinforcement),
            disputation=max(known.disputation, state.disputation),
            rein_last_signal_at=latest(known.rein_last_signal_at, state.rein_last_signal_at),
            disp_last_signal_at=latest(known.disp_last_signal_at, state.disp_last_signal_at),
            evidence_at=latest(known.evidence_at, state.evidence_at),
            confirmed_at=latest(known.confirmed_at, state.confirmed_at),
            sessions=len(self.index.tally(into).sessions | self.index.tally(command.claim).sessions),
            sources=len(self.index.tally(into).sources | self.index.tally(command.claim).sources),
            vouched=known.vouched or state.vouched,
            sub_zero_days=0,
            parents=(*known.parents, command.claim),
        )
        content, clauses = None, None
        if answer is not None:
            content = self._merged(self.index.content(known), answer.merged_text.strip())
            clauses = tuple(
                Clause(text=clause.text, claim=command.claim if clause.of == "claim" else into) for clause in answer.clauses
            )
            mark = self.index.generation
            others = tuple(wording for wording in known.wordings if wording.generation not in {0, mark})
            compared = digests(self.index, self.command.namespace, content, known.polarity)
            after = after.with_(wordings=(*others, Wording(generation=mark, content=event_id)), **compared)
        merged = ClaimMerged(
            id=event_id,
            occurred_at=command.at,
            evidence=tuple(dict.fromkeys(place.evidence for place in (*mine, *theirs))),
            parents=(command.claim, into),
            claim=into,
            state=after,
            of=command.claim,
            into=into,
            measure=self.measure,
            places=places(mine),
            extractor=_extractor(mine),
            content=content,
            clauses=clauses,
        )
        return (merged, ended)


def _extractor(cited: tuple[Place, ...] | tuple[object, ...]) -> str:
    """Returns under which extractor's name places are cited: the first of those that found them."""
    return next((name for name in sorted({getattr(place, "extractor", "") for place in cited}) if name), "")


def _denied(command: Promote, state: ClaimState, rule: str, reason: str | None, index: Index) -> ClaimDenied:
    items = tuple(dict.fromkeys(place.evidence for place in index.citations(command.claim))) if reason else ()
    return ClaimDenied(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=items,
        claim=command.claim,
        state=state.with_(status="denied", since=command.at, review=""),
        rule=rule,
        reason=reason or None,
    )


def _deferred(command: OfClaim, state: ClaimState, rule: Deferral, measure: Measure) -> PromotionDeferred:
    return PromotionDeferred(
        id=command.new_id(),
        occurred_at=command.at,
        claim=command.claim,
        state=state,
        rule=rule,
        measure=measure,
    )


def _review(command: OfClaim, state: ClaimState, rule: str, measure: Measure) -> ReviewRequired:
    return ReviewRequired(
        id=command.new_id(),
        occurred_at=command.at,
        claim=command.claim,
        state=state.with_(review=rule),
        rule=rule,
        actual=measure.actual,
        required=measure.required,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve(Promote):
    """Take an answer to the correction queue: which of two claims that conflict stands. `old` is the persona claim."""

    old: bytes
    keep: Literal["old", "new", "both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refine(Promote):
    """Take an answer to the refinement of persona claims: this one is merged into another that says the same."""


def resolve(command: Resolve, state: ClaimState, index: Index) -> Decision:
    """Lets the new claim stand beside the old one or in its place, or leaves it a fact or reflection like others.

    Quiet where it waits in the queue no more, it is not time any more, a claim is not as it was read, or what is promoted
    says what a person rejected meanwhile. Nothing is rejected: no person has spoken. What a person or a card holds stays.
    """
    measure = promotable(state, command.at, index.policy, index.mode)
    old = index.claim(command.old)
    if measure is None or state.review != CORRECTION or old is None:
        return ()
    step = _Step(command, state, index.content(state), measure, Draft(index))
    late = step.is_stale(command.claim, state) or step.is_stale(command.old, old)
    if late or any(index.rejections(digest) for digest in (state.value, state.sentence) if digest):
        return ()
    rivals = dict(step.rivals())
    held = [rival for rival in rivals.values() if step.conflicts(rival) and (rival.protected or rival.person_protected)]
    if command.keep == "old" or (held and command.keep == "new"):
        return (_review(command, state, KEPT_OLD, measure),)
    promoted = step.fresh()
    if command.keep == "both" or command.old not in rivals:
        return promoted
    return (*promoted, _superseded(command, command.old, old, step.persona))


def refine(command: Refine, state: ClaimState, index: Index) -> Decision:
    """Merges a live persona claim into another; quiet where either is not what it was, or a person or card holds it."""
    if not mergeable(state) or command.answer is None:
        return ()
    found = round(score(state, command.at, index.policy) * ONE)
    step = _Step(command, state, index.content(state), Measure(by="score", actual=found, required=0), Draft(index))
    target = step.target(command.answer)
    late = step.is_stale(command.claim, state)
    if target is None or target == command.claim or late:
        return ()
    merged = step.merge_by(target, command.answer)
    # A refusal is told; a promotion is not deferred by it, since there is none.
    return tuple(event for event in merged if not isinstance(event, PromotionDeferred)) if isinstance(merged, tuple) else ()


def _superseded(command: OfClaim, claim: bytes, state: ClaimState, by: bytes) -> ClaimSuperseded:
    gone = state.with_(status="superseded", superseded_by=by, since=command.at, review="")
    return ClaimSuperseded(id=command.new_id(), occurred_at=command.at, claim=claim, state=gone, by=by)
