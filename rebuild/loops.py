"""The loops: what the mechanism does by itself, at its intervals, on one scope (seed 000).

Extraction that is due, relations, rebuttals, confirmation and promotion, the correction queue, reflections, the archive
sweep, summaries, refinement. What is due follows from the log and the moment alone, so a kill between two steps loses
nothing and the next run goes on. A question to a model is asked outside any lock, and what comes of it is decided again
inside. A question that nobody can answer is noted once; one that fails is asked again after a while, and dropped, visibly,
in the end.
"""

import logging
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from affidavit.domain.archives import RULE as ARCHIVE
from affidavit.domain.archives import due
from affidavit.domain.candidates import Observation, Relation, batch, pool, settle, shortlist, within
from affidavit.domain.errors import ExtractionError, IntegrityFault, LockTimeout
from affidavit.domain.lifecycle import CORRECTION, PROMOTION, confirmable, may_ask, mergeable, promotable
from affidavit.domain.mentions import is_suppressed, overlap
from affidavit.domain.messages import Message
from affidavit.domain.proposals import Extractor
from affidavit.domain.questions import (
    Asked,
    Merge,
    NoteAnswer,
    Question,
    Questions,
    Refinement,
    Reflection,
    Resolution,
    Said,
)
from affidavit.domain.rebuttals import rebuts
from affidavit.domain.reflections import absorbable
from affidavit.domain.relations import Found, observed, relatable
from affidavit.domain.score import score
from affidavit.domain.times import DAY, SECOND, local_day
from affidavit.domain.tokens import TokenCounter
from affidavit.journal import steps
from affidavit.journal.log import Log, Receipt
from affidavit.journal.reading import EvidenceFields, Reader
from affidavit.journal.verbs import record
from affidavit.rebuild.extraction import extract
from affidavit.rebuild.jobs import Kept
from affidavit.rebuild.lease import lease
from affidavit.rebuild.watch import RECENT, Failing, Heard, Watch

logger = logging.getLogger("affidavit.loops")
A = TypeVar("A")
HOUR = 3600 * SECOND
SHOWN = 24
AT_ONCE = 500
"""How many claims one transaction of the sweep decides: others want to write too."""
_UNDECIDED = frozenset({PROMOTION, CORRECTION})
"""What a claim waits for only as long as the persona claims beside it are what they are."""


class _NoAnswers(Questions):
    """Answers nothing: for an extractor that only extracts."""


class _Batch(NamedTuple):
    """Facts about one entity in one namespace, oldest first."""

    namespace: bytes | None
    entity: str
    facts: list[bytes]


@dataclass(slots=True)
class Done:
    """What a tick did: how many events of each type it appended, messages read, and readings that failed."""

    events: Counter[str] = field(default_factory=Counter)
    read: int = 0
    failed: int = 0
    position: int = 0

    def add(self, *receipts: Receipt) -> None:
        """Counts what was appended."""
        for receipt in receipts:
            self.events.update(event.type_name.partition(".")[0] for event in receipt.events)
            self.position = max(self.position, receipt.position + receipt.count - 1)

    def merge(self, other: "Done") -> None:
        """Adds what another tick did."""
        self.events.update(other.events)
        self.read, self.failed = self.read + other.read, self.failed + other.failed
        self.position = max(self.position, other.position)


class Loops:
    """The loops of one scope, with one extractor. Used by one thread, by one program at a time: take the `lease`."""

    def __init__(self, log: Log, scope: bytes, extractor: Extractor, counter: TokenCounter) -> None:
        self.scope = scope
        self._log = log
        self._extractor = extractor
        self._name = str(extractor.identity)
        self._questions: Questions = extractor if isinstance(extractor, Questions) else _NoAnswers()
        self._counter = counter
        # Who can sum up works all of them off; who cannot need not remember more than it takes to say so.
        most = sys.maxsize if "summarise" in self._questions.answers else RECENT
        self._watch = Watch(scope, self._name, most_talk=most, replaces=extractor.identity.replaces)
        self._kept = Kept(scope)
        self._zone = ""
        self._alone = False
        self._looked: dict[str, int] = {}
        self._steps: dict[str, Callable[[int, Done], None]] = {
            "extraction": self._extract,
            "relations": self._relate,
            "rebuttals": self._rebut,
            "promotion": self._promote,
            "synthesis": self._reflect,
            "archive": self._sweep,
            "summaries": self._summarise,
            "refinement": self._refine,
        }

    @contextmanager
    def lease(self) -> Iterator[None]:
        """Holds the scope's lease meanwhile. Raises LockTimeout where another program does."""
        with lease(Path(self._log.datastore.pool.db_name).parent, self.scope):
            self._alone = True
            try:
                yield
            finally:
                self._alone = False

    def tick(self, now: int) -> Done:
        """Does once whatever is due at a moment; nothing is due twice."""
        done = Done()
        for step in self._steps.values():
            step(now, done)
        return done

    def run(
        self,
        clock: Callable[[], int],
        stopped: Callable[[float], bool],
        told: Callable[[Done], None] = lambda _: None,
    ) -> Done:
        """Works at the policy's intervals until `stopped`, which waits so many seconds and tells whether to end.

        The clock is the ledger's: microseconds since 1970. A step that was begun is finished first.
        """
        self._look()
        begun = clock()
        intervals = {name: getattr(self._watch.policy.loops, name) for name in self._steps}
        due_at = {name: begun + first * SECOND for name, (_, first) in intervals.items()}
        total = Done()
        while True:
            name = min(due_at, key=lambda name: (due_at[name], name))
            if stopped(max(0.0, (due_at[name] - clock()) / SECOND)):
                return total
            now = clock()
            if now < due_at[name]:
                continue
            done = Done()
            try:
                self._steps[name](now, done)
            except LockTimeout as error:
                # Somebody writes for long. What is due stays due.
                logger.warning("%s: %s", name, error)
            # What a pause or a slow step missed is not caught up: the next time counts from now.
            due_at[name] = now + intervals[name][0] * SECOND
            total.merge(done)
            told(done)

    # -- steps -----------------------------------------------------------------------------------------------------------

    def _extract(self, now: int, done: Done) -> None:
        self._look()
        items = [item for item, at in self._watch.unread.items() if at <= now]
        if items:
            tally = extract(self._log, self.scope, self._extractor, items=items, now=now, kept=self._kept)
            done.events.update(tally.events)
            done.read, done.failed = done.read + tally.read, done.failed + tally.failed
            done.position = max(done.position, tally.position)

    def _relate(self, now: int, done: Done) -> None:
        watch = self._look()
        if not watch.mode.powerful or not self._is_new("relate", now):
            return
        dead = self._dead("relate", now)
        waiting: dict[tuple[bytes | None, int], list[tuple[bytes, int | None, int]]] = {}
        for claim in watch.facts:
            state = watch.states[claim]
            if relatable(state) and claim not in dead and (state.since or 0) >= watch.mode.since:
                # What failed together is tried again together, and spoils nobody else's question.
                group = state.namespace, watch.dead["relate"].get(claim, 0)
                waiting.setdefault(group, []).append((claim, state.importance, state.since or 0))
        for (namespace, _), ordered in sorted(waiting.items(), key=lambda one: (one[0][1], one[0][0] or b"")):
            for facts in _windows(batch(ordered, len(ordered)), watch.policy.relations.facts):
                self._relate_batch(namespace, facts, now, done)

    def _relate_batch(self, namespace: bytes | None, facts: list[bytes], now: int, done: Done) -> None:
        if not self._may_ask("relate", facts, now) or self._nobody_can("relate", facts, now, done):
            return
        with self._reading() as reader:
            asked = [self._asked(reader, claim) for claim in facts]
            shown = self._pool(reader, now, [one.text for one in asked], namespace, but=set(facts))
        if not shown:
            self._looked.pop("relate", None)  # Nothing to hold the facts against yet: they stay eligible.
            return
        answer = self._ask(
            "relate",
            facts,
            now,
            done,
            lambda: self._questions.relate(asked, [one for _, one in shown]),
            tuple[Relation, ...],
        )
        if answer is None:
            return
        settled = settle(answer, {one.id for one in asked}, {one.id for _, one in shown})
        for dropped in settled.dropped:
            logger.warning("relate: %s", dropped)
        ids = {claim.hex()[:SHOWN]: claim for claim in (*facts, *(claim for claim, _ in shown))}
        found = [
            Found(ids[relation.fact], ids[relation.target], relation.signal == "reinforces", relation.reason)
            for relation in settled.relations
        ]
        done.add(steps.relate(self._log, self.scope, tuple(facts), found, self._name, now))
        self._answered("relate", facts, now, done)

    def _rebut(self, now: int, done: Done) -> None:
        watch = self._look()
        if not watch.mode.powerful:
            watch.heard.clear()
            return
        for one in list(watch.heard):
            # What fails half way is still there for the next time.
            if one.occurred_at < max(now - DAY, watch.mode.since) or self._rebut_by(one, now, done):
                watch.heard.remove(one)

    def _rebut_by(self, heard: Heard, now: int, done: Done) -> bool:
        """Asks whom a message rebuts, if it rebuts anyone; tells whether it need not be looked at again."""
        item, context = heard.item, self._watch.policy.relations.messages - 1
        if self._is_settled("targets", [item]):
            return True
        with self._reading() as reader:
            message = self._said(reader, item)
            if not rebuts(message.text) or self._nobody_can("targets", [], now, done, items=[item]):
                return True
            before = [self._said(reader, other) for other in heard.before[-context:]] if context else []
            shown = self._pool(reader, now, [message.text], heard.namespace, but=set())
        if not shown:
            # It rebuts what was there when it was heard, and nothing that comes later.
            self._answered("targets", [], now, done, items=[item])
            return True
        answer = self._ask(
            "targets",
            [],
            now,
            done,
            lambda: self._questions.targets([*before, message], [one for _, one in shown]),
            tuple[str, ...],
            items=[item],
        )
        if answer is not None:
            targets = [claim for claim, one in shown if one.id in answer]
            note = self._noting("targets", [], now, items=[item])
            done.add(*steps.rebut(self._log, self.scope, item, targets, self._name, now, note))
            self._look()
        return self._is_settled("targets", [item])

    def _promote(self, now: int, done: Done) -> None:
        watch = self._look()
        policy, mode = watch.policy, watch.mode
        rising = [(claim, watch.states[claim]) for claim in self._by_age(watch.rising)]
        climbing = [claim for claim, state in rising if confirmable(state, now, policy, mode)]
        done.add(*steps.climb(self._log, self.scope, climbing, now))
        # What was confirmed just now, even by a run that was killed, is promoted by a later tick: never two steps at once.
        ready = [
            claim
            for claim, state in rising
            if promotable(state, now, policy, mode)
            and self._may_decide(claim)
            and (state.form == "fact" or state.since != now)
        ]
        if mode.powerful and "merge" in self._questions.answers:
            for claim in ready:
                # An attempt that is open though nobody else may be asking belongs to a run that was killed.
                broken_off = self._alone and claim in watch.asking
                if broken_off or may_ask(watch.states[claim], now, policy):
                    self._promote_by_answer(claim, now, done, again=broken_off)
        else:
            done.add(*steps.promote(self._log, self.scope, ready, now))
        if mode.powerful:
            self._resolve(now, done)

    def _may_decide(self, claim: bytes) -> bool:
        """Tells whether a claim waits for nobody, or may be decided after all: what it waits for changed."""
        watch = self._watch
        state = watch.states[claim]
        if state.review in {"", ARCHIVE}:
            return True
        unasked = state.attempts == 0 and "merge" in self._questions.answers
        return state.review in _UNDECIDED and (watch.moved_at > watch.at[claim] or unasked)

    def _promote_by_answer(self, claim: bytes, now: int, done: Done, *, again: bool) -> None:
        tried = steps.attempt(self._log, self.scope, claim, now, again=again)
        done.add(tried)
        if not any(event.type_name == "promotion-deferred.v1" for event in tried.events):
            return
        states = self._look().states
        with self._reading() as reader:
            asked = self._asked(reader, claim)
            others = [
                other
                for other in self._by_age(self._watch.personas)
                if states[other].namespace == states[claim].namespace and mergeable(states[other])
            ][: self._watch.policy.relations.observations]
            personas = [self._asked(reader, other) for other in others]
            read = self._wordings(reader, (claim, *others))
        try:
            answer = self._questions.merge(asked, personas)
            answer = None if answer is None else msgspec.convert(msgspec.to_builtins(answer), Merge)
        except Exception as error:
            # A model is anyone's code; the attempt is spent, the claim stays as it is, and the question is asked again.
            self._failed("merge", [claim], now, done, error)
            return
        done.add(*steps.promote(self._log, self.scope, [claim], now, answer, asked=True, read=read))

    def _resolve(self, now: int, done: Done) -> None:
        watch = self._look()
        if "resolve" not in self._questions.answers:
            return
        for claim in self._by_age(watch.queued):
            state = watch.states[claim]
            if claim in self._dead("resolve", now) or not promotable(state, now, watch.policy, watch.mode):
                continue
            with self._reading() as reader:
                rival = self._rival(reader, claim)
                if rival is None:
                    continue
                asked, old = self._asked(reader, claim), self._asked(reader, rival)
                read = self._wordings(reader, (claim, rival))
            answer = self._ask(
                "resolve",
                [claim],
                now,
                done,
                lambda: self._questions.resolve(asked, old),  # noqa: B023
                Resolution,
            )
            if answer is not None:
                done.add(steps.resolve(self._log, self.scope, claim, rival, answer.keep, now, read))
                self._answered("resolve", [claim], now, done)

    def _rival(self, reader: Reader, claim: bytes) -> bytes | None:
        """Returns the persona claim that a queued claim conflicts with most: on the same attribute, else by its words."""
        watch, mine = self._watch, self._watch.states[claim]
        personas = self._by_age(watch.personas)
        same = [other for other in personas if mine.topic and watch.states[other].topic == mine.topic]
        if same:
            return same[0]
        text = self._asked(reader, claim).text
        others = [other for other in personas if watch.states[other].about == mine.about]
        return max(others, key=lambda other: overlap(text, self._asked(reader, other).text), default=None)

    def _reflect(self, now: int, done: Done) -> None:
        watch = self._look()
        rules = watch.policy.synthesis
        pause = watch.policy.surfacing.cooldown_minutes * 60 * SECOND
        cooling = now < watch.cooling_until <= now + pause
        if cooling or not self._is_new("reflect", now):
            return
        waiting = self._absorbable(now)
        if len(waiting) < rules.least or self._nobody_can("reflect", waiting[: rules.most], now, done):
            return
        with self._reading() as reader:
            batches = list(self._batches(reader, waiting))
        for one in batches:
            if len(one.facts) >= rules.least and self._may_ask("reflect", one.facts, now):
                self._reflect_on(one, now, done)

    def _reflect_on(self, batch: _Batch, now: int, done: Done) -> None:
        self._look()
        with self._reading() as reader:
            asked = [self._asked(reader, fact) for fact in batch.facts]
            context = self._context(reader, batch.namespace, now)
            namespace = reader.name(batch.namespace)
        answer = self._ask(
            "reflect",
            batch.facts,
            now,
            done,
            lambda: self._questions.reflect(asked, context),
            Reflection,
        )
        if answer is None:
            return
        made = steps.reflect(self._log, self.scope, tuple(batch.facts), namespace, answer, self._name, now)
        done.add(made)
        if made.refused is None:
            self._answered("reflect", batch.facts, now, done)
        else:
            logger.warning("reflect: %s", made.refused)
            self._failed("reflect", batch.facts, now, done, ExtractionError(made.refused.rule))

    def _absorbable(self, now: int) -> list[bytes]:
        """Returns the facts that no reflection has absorbed, the oldest first."""
        watch, dead = self._watch, self._dead("reflect", now)
        facts = [claim for claim in watch.facts if absorbable(watch.states[claim]) and claim not in dead]
        return sorted(facts, key=lambda claim: (watch.states[claim].evidence_at or 0, claim))

    def _batches(self, reader: Reader, facts: list[bytes]) -> Iterator[_Batch]:
        """Yields these facts by namespace and entity, in batches of at most so many."""
        watch = self._watch
        groups: dict[tuple[bytes | None, str, int], list[bytes]] = {}
        for claim in facts:
            entity, failed_at = self._content(reader, claim)["entity"], watch.dead["reflect"].get(claim, 0)
            groups.setdefault((watch.states[claim].namespace, entity, failed_at), []).append(claim)
        for (namespace, entity, _), claims in groups.items():
            for part in _windows(claims, watch.policy.synthesis.most):
                yield _Batch(namespace, entity, part)

    def _context(self, reader: Reader, namespace: bytes | None, now: int) -> list[Asked]:
        rules = self._watch.policy.synthesis
        absorbed = [
            (state.since or 0, claim)
            for claim, state in self._watch.states.items()
            if state.status == "absorbed"
            and state.namespace == namespace
            and (state.since or 0) >= now - rules.context_days * DAY
        ]
        absorbed.sort(reverse=True)
        return [self._asked(reader, claim) for _, claim in absorbed[: rules.context]]

    def _sweep(self, now: int, done: Done) -> None:
        watch = self._look()
        if not watch.sinking:
            return
        day = local_day(now, self._zone)
        claims = [claim for claim in watch.sinking if due(watch.states[claim], now, day, watch.policy)]
        for part in _windows(claims, AT_ONCE):
            done.add(*steps.sweep(self._log, self.scope, part, now, day))

    def _summarise(self, now: int, done: Done) -> None:
        """Keeps a summary of the oldest messages that have none, as evidence of its own: it is no testimony."""
        watch, dead = self._look(), self._dead("summarise", now)
        groups: dict[tuple[bytes | None, int], list[bytes]] = {}
        for item, namespace in watch.talk.items():
            if item not in dead:
                groups.setdefault((namespace, watch.dead["summarise"].get(item, 0)), []).append(item)
        wanted = watch.policy.summaries.messages
        for (namespace, _), waiting in groups.items():
            for items in _windows(waiting, wanted):
                if len(items) == wanted and self._may_ask("summarise", items, now):
                    self._sum_up(namespace, items, now, done)

    def _sum_up(self, namespace: bytes | None, items: list[bytes], now: int, done: Done) -> None:
        with self._reading() as reader:
            said = [self._said(reader, item) for item in items]
            label = reader.name(namespace)
        answer = self._ask("summarise", [], now, done, lambda: self._questions.summarise(said), str, items=items)
        if answer is None:
            return
        if not answer.strip():
            self._answered("summarise", [], now, done, items=items)
            return
        name = self._request("summarise", items).hex()
        summary = Message(
            id=name,
            role="system",
            text=answer.strip(),
            at=now,
            source="affidavit",
            namespace=label,
            summary=True,
            parents=tuple(items),
        )
        done.add(*(one.receipt for one in record(self._log, self.scope, [summary], steps.SCHEDULER)))
        self._answered("summarise", [], now, done, items=items)

    def _refine(self, now: int, done: Done) -> None:
        watch = self._look()
        if not watch.mode.powerful or not self._is_new("refine", now):
            return
        dead = self._dead("refine", now)
        groups: dict[bytes | None, list[bytes]] = {}
        for claim in self._by_age(watch.personas):
            state = watch.states[claim]
            if not state.protected and not state.person_protected and claim not in dead:
                groups.setdefault(state.namespace, []).append(claim)
        for personas in groups.values():
            if len(personas) > 1:
                self._refine_among(personas[: watch.policy.relations.observations], now, done)

    def _refine_among(self, personas: list[bytes], now: int, done: Done) -> None:
        with self._reading() as reader:
            asked = [self._asked(reader, claim) for claim in personas]
            read = self._wordings(reader, personas)
        answer = self._ask("refine", personas, now, done, lambda: self._questions.refine(asked), tuple[Refinement, ...])
        ids = {claim.hex()[:SHOWN]: claim for claim in personas}
        if answer is None:
            return
        merges = [(ids[one.claim_id], one.merge) for one in answer if one.claim_id in ids]
        done.add(*steps.refine(self._log, self.scope, merges, now, read, self._noting("refine", personas, now)))

    # -- questions -------------------------------------------------------------------------------------------------------

    def _ask(
        self,
        question: Question,
        claims: Sequence[bytes],
        now: int,
        done: Done,
        call: Callable[[], object],
        schema: type[A],
        *,
        items: Sequence[bytes] = (),
    ) -> A | None:
        """Returns an answer that fits its schema, or None: it was asked before, cannot be answered, or failed.

        Whoever took the answer calls `_answered` after that, so that a kill in between lets it be asked again.
        """
        if self._nobody_can(question, claims, now, done, items=items):
            return None
        if not self._may_ask(question, (*claims, *items), now):
            return None
        try:
            answer = call()
            checked = None if answer is None else msgspec.convert(msgspec.to_builtins(answer), schema)
        except Exception as error:
            # A model is anyone's code. What it did not foresee must not stop the other loops.
            self._failed(question, claims, now, done, error, items=items)
            return None
        if checked is None:
            request = self._request(question, (*claims, *items))
            self._note(question, request, "no answer", now, done, claims=tuple(claims), items=tuple(items))
        return checked

    def _answered(
        self,
        question: Question,
        claims: Sequence[bytes],
        now: int,
        done: Done,
        *,
        items: Sequence[bytes] = (),
    ) -> None:
        """Notes that an answer was taken, where that has to be known: the question failed before, or is asked but once."""
        was_dead = any(one in self._watch.dead[question] for one in (*claims, *items))
        if items or was_dead or self._watch.failing.get(question, Failing()).count:
            request = self._request(question, (*claims, *items))
            self._note(question, request, "answered", now, done, claims=tuple(claims), items=tuple(items))

    def _noting(self, question: Question, claims: Sequence[bytes], now: int, *, items: Sequence[bytes] = ()) -> NoteAnswer:
        """Returns the command that notes that a question was answered, for a step that takes the answer and does so."""
        request = self._request(question, (*claims, *items))
        about: dict[str, Any] = {"claims": tuple(claims), "items": tuple(items), "extractor": self._name}
        return steps.note(self._log, self.scope, question, request, "answered", now, **about)

    def _may_ask(self, question: Question, about: Collection[bytes], now: int) -> bool:
        """Tells whether a question is open, and is not resting after a failure."""
        if self._is_settled(question, about):
            return False
        failing = self._watch.failing.get(question, Failing())
        return not failing.count or now >= failing.at + self._wait(failing.count)

    def _dead(self, question: Question, now: int) -> set[bytes]:
        """Returns what is a dead letter of a question; it is tried once more after a rest, in case the model was away."""
        rest = self._watch.policy.loops.probe_hours * HOUR
        return {one for one, at in self._watch.dead[question].items() if at <= now < at + rest}

    def _is_settled(self, question: Question, about: Collection[bytes]) -> bool:
        """Tells whether a question was answered for good, has no answer, or is a dead letter."""
        return self._request(question, about) in self._watch.settled

    def _nobody_can(
        self, question: Question, claims: Sequence[bytes], now: int, done: Done, *, items: Sequence[bytes] = ()
    ) -> bool:
        """Tells whether the extractor answers no such question; then that is noted, once for each request."""
        if question in self._questions.answers:
            return False
        request = self._request(question, (*claims, *items))
        if request not in self._watch.settled:
            about = {"claims": tuple(claims), "items": tuple(items)}
            self._note(question, request, "no answer", now, done, **about)
        return True

    def _failed(
        self,
        question: Question,
        claims: Sequence[bytes],
        now: int,
        done: Done,
        error: Exception,
        *,
        items: Sequence[bytes] = (),
    ) -> None:
        """Notes a failure; the fifth in a row makes what was asked about a dead letter of this question."""
        # The error's own words may quote what was asked, so only those of our own errors are told.
        said = str(error) if isinstance(error, ExtractionError) else type(error).__name__
        logger.warning("question %s failed (%s)", question, type(error).__name__)
        count = self._watch.failing.get(question, Failing()).count + 1
        # A dead letter that is tried once more and fails is one again: it stays in sight until it is answered.
        letters = self._watch.dead[question]
        probed = any(one in letters for one in (*claims, *items))
        dead = question != "merge" and (probed or count >= self._watch.policy.loops.dead_letter_after)
        outcome = "dead letter" if dead else "failed"
        request = self._request(question, (*claims, *items))
        self._note(question, request, outcome, now, done, claims=tuple(claims), items=tuple(items), error=said)

    def _note(self, question: Question, request: bytes, outcome: Any, now: int, done: Done, **about: Any) -> None:
        done.add(steps.note_answer(self._log, self.scope, question, request, outcome, now, extractor=self._name, **about))
        self._look()

    def _request(self, question: Question, about: Collection[bytes]) -> bytes:
        ids = [claim.hex() for claim in about]
        return self._log.vault.keyed(self.scope, "request", question, self._name, *ids)

    def _wait(self, failures: int) -> int:
        waits = self._watch.policy.extraction.backoff_seconds
        return waits[min(failures, len(waits)) - 1] * SECOND

    def _is_new(self, step: str, now: int) -> bool:
        """Tells whether anything changed since a step last looked, or a failed question may be asked again."""
        failing = self._watch.failing.get(step)
        again = failing is not None and failing.count > 0 and now >= failing.at + self._wait(failing.count)
        rest = self._watch.policy.loops.probe_hours * HOUR
        again = again or any(now >= at + rest for at in self._watch.dead[step].values())
        new = self._looked.get(step) != self._watch.changes
        self._looked[step] = self._watch.changes
        return new or again

    # -- reading ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Reader]:
        with self._log.datastore.read() as connection:
            yield Reader(connection, self._log.vault, self._log.policies)

    def _look(self) -> Watch:
        with self._reading() as reader:
            self._watch.advance(reader)
            self._zone = self._zone or reader.time_zone(self.scope)
        return self._watch

    def _by_age(self, claims: Collection[bytes]) -> list[bytes]:
        """Returns claims by when they got their status: an order that the log gives, whoever reads it and when."""
        return sorted(claims, key=lambda claim: (self._watch.states[claim].since or 0, claim))

    def _content(self, reader: Reader, claim: bytes) -> dict[str, Any]:
        state = self._watch.states[claim]
        content: dict[str, Any] = reader.sealed(state.wording(reader.generation(self.scope)))["content"]
        return content

    def _wordings(self, reader: Reader, claims: Collection[bytes]) -> dict[bytes, bytes]:
        """Returns which wording of each claim a question shows, by the event that sealed it."""
        generation = reader.generation(self.scope)
        return {claim: self._watch.states[claim].wording(generation) for claim in claims}

    def _asked(self, reader: Reader, claim: bytes) -> Asked:
        content, state = self._content(reader, claim), self._watch.states[claim]
        return Asked(claim.hex()[:SHOWN], content["text"], content["entity"], state.form, state.importance)

    def _said(self, reader: Reader, item: bytes) -> Said:
        found = reader.last(item)
        if found is None or not isinstance(found.fields, EvidenceFields):
            msg = f"evidence {item.hex()[:SHOWN]} is not in the log"
            raise IntegrityFault(msg)
        state = found.fields.state
        return Said(item.hex()[:SHOWN], state.role, reader.message(state.contents[-1])["text"])

    def _pool(
        self, reader: Reader, now: int, texts: list[str], namespace: bytes | None, *, but: set[bytes]
    ) -> list[tuple[bytes, Asked]]:
        """Returns the observations of a namespace that facts are held against, within the budgets of the policy."""
        policy = self._watch.policy
        window = policy.repetition.window_hours * HOUR
        observations = [
            Observation(
                claim=claim,
                text=self._content(reader, claim)["text"],
                form=state.form,
                status=state.status,
                score=score(state, now, policy),
                protected=state.protected,
                suppressed=is_suppressed(state.suppressed_at, now, window=window),
                importance=state.importance,
                live=state.live,
            )
            for claim, state in self._watch.states.items()
            if observed(state) and state.namespace == namespace and claim not in but
        ]
        chosen = shortlist(texts, pool(observations), policy.relations.observations)
        budgets = policy.relations
        kept = within(chosen, self._counter, each=budgets.tokens_each, total=budgets.tokens)
        return [(one.claim, msgspec.structs.replace(self._asked(reader, one.claim), text=text)) for one, text in kept]


def _windows(ids: list[bytes], size: int) -> Iterator[list[bytes]]:
    """Yields ids in parts of at most `size`, in their order."""
    for at in range(0, len(ids), size):
        yield ids[at : at + size]
