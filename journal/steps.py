"""One function a step of the evidence mechanism: load, decide, append. There is no rule here; the rules are in `domain`.

A step over many claims is one transaction, decided claim by claim on what is then; `now` is the moment it is judged at.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

from affidavit.domain import archives, injections, lifecycle, modes, questions, reflections, relations, repetition, surfacing
from affidavit.domain.archives import Sweep
from affidavit.domain.claims import ClaimState
from affidavit.domain.commands import OfClaim
from affidavit.domain.decisions import Decision
from affidavit.domain.injections import Inject
from affidavit.domain.lifecycle import Attempt, Climb, Promote, Refine, Resolve
from affidavit.domain.modes import SwitchMode
from affidavit.domain.proposals import Span
from affidavit.domain.questions import Answered, Merge, NoteAnswer, Question, Reflection
from affidavit.domain.reflections import Reflect
from affidavit.domain.relations import Found, Rebut, Relate
from affidavit.domain.repetition import Mention
from affidavit.domain.roles import Actor
from affidavit.domain.surfacing import Reply, Report, Surface, Verdict
from affidavit.journal.log import Log, Receipt, Transaction

SCHEDULER = Actor("scheduler", "loops")
C = TypeVar("C", bound=OfClaim)


def switch_mode(log: Log, scope: bytes, actor: Actor, *, powerful: bool, now: int) -> Receipt:
    """Switches powerful memory on or off."""

    def work(tx: Transaction) -> Receipt:
        command = SwitchMode(actor=actor, at=now, new_id=log.new_id, scope=scope, powerful=powerful)
        return tx.transact(command, lambda: modes.switch(command, tx.mode))

    return log.write(scope, work)


def inject(
    log: Log, scope: bytes, claims: Iterable[bytes], actor: Actor, *, shown_at: int, tokens: int, policy: bytes
) -> Receipt:
    """Notes that a prompt with these claims went to a model."""

    def work(tx: Transaction) -> Receipt:
        command = Inject(
            actor=actor,
            at=log.clock(),
            new_id=log.new_id,
            scope=scope,
            claims=tuple(claims),
            shown_at=shown_at,
            tokens=tokens,
            policy=policy,
        )
        return tx.transact(command, lambda: injections.inject(command, tx))

    return log.write(scope, work)


def mention(log: Log, scope: bytes, item: bytes, claims: Iterable[bytes], actor: Actor, names: tuple[str, ...]) -> Receipt:
    """Counts which claims a message of the agent mentions."""

    def work(tx: Transaction) -> Receipt:
        command = Mention(
            actor=actor,
            at=log.clock(),
            new_id=log.new_id,
            scope=scope,
            item=item,
            claims=tuple(claims),
            names=names,
        )
        return tx.transact(command, lambda: repetition.mention(command, tx))

    return log.write(scope, work)


def surface(log: Log, scope: bytes, claims: Iterable[bytes], actor: Actor, now: int) -> Receipt:
    """Marks claims as surfaced; those that may not be are left out."""

    def work(tx: Transaction) -> Receipt:
        command = Surface(actor=actor, at=now, new_id=log.new_id, scope=scope, claims=tuple(claims))
        return tx.transact(command, lambda: surfacing.surface(command, tx))

    return log.write(scope, work)


def report(log: Log, scope: bytes, actor: Actor) -> Receipt:
    """Asks whether an actor may report a reply; the receipt holds the refusal."""

    def work(tx: Transaction) -> Receipt:
        command = Report(actor=actor, at=log.clock(), new_id=log.new_id, scope=scope)
        return tx.transact(command, lambda: surfacing.report(command))

    return log.write(scope, work)


def reply(
    log: Log,
    scope: bytes,
    item: bytes,
    verdicts: Iterable[tuple[bytes, Verdict, Span | None]],
    actor: Actor,
    now: int,
    by: str = "",
) -> list[Receipt]:
    """Takes what a recorded reply says of surfaced claims, all in one transaction."""

    def one(tx: Transaction, claim: bytes, verdict: Verdict, span: Span | None) -> Receipt:
        state = tx.known(claim)
        command = Reply(
            actor=actor,
            at=now,
            new_id=log.new_id,
            scope=scope,
            claim=claim,
            namespace=tx.name_of(state.namespace),
            item=item,
            verdict=verdict,
            span=span,
            by=by,
        )
        return tx.transact(command, lambda: surfacing.reply(command, state, tx))

    return log.write(scope, lambda tx: [one(tx, *verdict) for verdict in verdicts])


def climb(log: Log, scope: bytes, claims: Iterable[bytes], now: int) -> list[Receipt]:
    """Confirms the pending reflections whose time has come."""
    return _each(log, scope, claims, now, Climb, lifecycle.climb)


def sweep(log: Log, scope: bytes, claims: Iterable[bytes], now: int, day: str) -> list[Receipt]:
    """Counts a day below zero for each claim, and archives those that have enough."""

    def decide(command: Sweep, state: ClaimState, tx: Transaction) -> Decision:
        return archives.sweep(command, state, tx.policy)

    return _each(log, scope, claims, now, partial(Sweep, day=day), decide)


def attempt(log: Log, scope: bytes, claim: bytes, now: int, *, again: bool = False) -> Receipt:
    """Spends an attempt at a claim's promotion, before the question is asked; `again` after a kill, without waiting."""
    return _each(log, scope, [claim], now, partial(Attempt, again=again), lifecycle.attempt)[0]


def promote(
    log: Log,
    scope: bytes,
    claims: Iterable[bytes],
    now: int,
    answer: Merge | None = None,
    *,
    asked: bool = False,
    read: Mapping[bytes, bytes] | None = None,
) -> list[Receipt]:
    """Promotes claims by a model's answer, or by the rules alone; `read` are the wordings that the answer had read."""

    def decide(command: Promote, state: ClaimState, tx: Transaction) -> Decision:
        return lifecycle.promote(command, state, tx)

    make = partial(Promote, answer=answer, asked=asked, read=read or {})
    return _each(log, scope, claims, now, make, decide, named=True)


def resolve(
    log: Log,
    scope: bytes,
    claim: bytes,
    old: bytes,
    keep: Literal["old", "new", "both"],
    now: int,
    read: Mapping[bytes, bytes],
) -> Receipt:
    """Takes an answer to the correction queue."""

    def decide(command: Resolve, state: ClaimState, tx: Transaction) -> Decision:
        return lifecycle.resolve(command, state, tx)

    make = partial(Resolve, old=old, keep=keep, read=read)
    return _each(log, scope, [claim], now, make, decide, named=True)[0]


def refine(
    log: Log, scope: bytes, merges: Iterable[tuple[bytes, Merge]], now: int, read: Mapping[bytes, bytes], note: NoteAnswer
) -> list[Receipt]:
    """Merges persona claims into others that say the same, and notes the answer that says so, in one transaction."""

    def one(tx: Transaction, claim: bytes, answer: Merge) -> Receipt:
        state = tx.known(claim)
        command = Refine(
            actor=SCHEDULER,
            at=now,
            new_id=log.new_id,
            scope=scope,
            claim=claim,
            namespace=tx.name_of(state.namespace),
            answer=answer,
            read=read,
        )
        return tx.transact(command, lambda: lifecycle.refine(command, state, tx))

    return log.write(scope, lambda tx: [*(one(tx, *merge) for merge in merges), _noted(tx, note)])


def reflect(
    log: Log, scope: bytes, facts: tuple[bytes, ...], namespace: str, answer: Reflection, extractor: str, now: int
) -> Receipt:
    """Derives a reflection of facts."""

    def work(tx: Transaction) -> Receipt:
        command = Reflect(
            actor=SCHEDULER,
            at=now,
            new_id=log.new_id,
            scope=scope,
            facts=facts,
            namespace=namespace,
            extractor=extractor,
            answer=answer,
        )
        return tx.transact(command, lambda: reflections.reflect(command, tx))

    return log.write(scope, work)


def relate(log: Log, scope: bytes, facts: tuple[bytes, ...], found: Iterable[Found], extractor: str, now: int) -> Receipt:
    """Applies what facts were found to say of observations, and marks the facts."""

    def work(tx: Transaction) -> Receipt:
        command = Relate(
            actor=SCHEDULER,
            at=now,
            new_id=log.new_id,
            scope=scope,
            facts=facts,
            found=tuple(found),
            extractor=extractor,
        )
        return tx.transact(command, lambda: relations.relate(command, tx))

    return log.write(scope, work)


def rebut(
    log: Log, scope: bytes, item: bytes, targets: Iterable[bytes], extractor: str, now: int, note: NoteAnswer
) -> list[Receipt]:
    """Applies a message's rebuttal to the claims that it is about, each claim once, whoever names it again.

    The answer that names them is noted in the same transaction: asked again, a model might name others.
    """

    def one(tx: Transaction, target: bytes) -> Receipt:
        command = Rebut(
            actor=SCHEDULER,
            at=now,
            new_id=log.new_id,
            scope=scope,
            item=item,
            targets=(target,),
            extractor=extractor,
        )
        return tx.transact(command, lambda: relations.rebut(command, tx))

    return log.write(scope, lambda tx: [*(one(tx, target) for target in targets), _noted(tx, note)])


def note_answer(
    log: Log,
    scope: bytes,
    question: Question,
    request: bytes,
    outcome: Answered,
    now: int,
    **about: Any,
) -> Receipt:
    """Notes what came of a question."""
    command = note(log, scope, question, request, outcome, now, **about)
    return log.write(scope, lambda tx: _noted(tx, command))


def note(
    log: Log,
    scope: bytes,
    question: Question,
    request: bytes,
    outcome: Answered,
    now: int,
    **about: Any,
) -> NoteAnswer:
    """Returns the command that notes what came of a question, for a step that does so in its own transaction."""
    return NoteAnswer(
        actor=SCHEDULER,
        at=now,
        new_id=log.new_id,
        scope=scope,
        question=question,
        request=request,
        outcome=outcome,
        **about,
    )


def _noted(tx: Transaction, command: NoteAnswer) -> Receipt:
    return tx.transact(command, lambda: questions.note_answer(command))


def _each(
    log: Log,
    scope: bytes,
    claims: Iterable[bytes],
    now: int,
    make: Callable[..., C],
    decide: Callable[[C, ClaimState, Transaction], Decision],
    *,
    named: bool = False,
) -> list[Receipt]:
    """Carries out a command for each claim, in one transaction. Raises UnknownId."""

    def one(tx: Transaction, claim: bytes) -> Receipt:
        state = tx.known(claim)
        of = {"namespace": tx.name_of(state.namespace)} if named else {}
        command = make(actor=SCHEDULER, at=now, new_id=log.new_id, scope=scope, claim=claim, **of)
        return tx.transact(command, lambda: decide(command, state, tx))

    chosen = list(claims)
    return log.write(scope, lambda tx: [one(tx, claim) for claim in chosen]) if chosen else []
