"""One function a verb: load, decide, append. There is no rule here; the rules are in `domain`."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

from affidavit.domain import archives, corrections, derivation, forgetting, pins, readings, resolutions, scopes
from affidavit.domain import evidence as evidence_rules
from affidavit.domain import feedback as feedback_rules
from affidavit.domain.adopted import detect
from affidavit.domain.archives import Unarchive
from affidavit.domain.claims import ClaimState
from affidavit.domain.corrections import Assert, Correct, Judgement, Reject
from affidavit.domain.decisions import Decision
from affidavit.domain.errors import UnknownId
from affidavit.domain.evidence import Method, Record
from affidavit.domain.feedback import GiveFeedback, Verdict
from affidavit.domain.forgetting import Forget
from affidavit.domain.messages import Message
from affidavit.domain.nominations import nominate
from affidavit.domain.pins import Pin, Unpin
from affidavit.domain.policy import Policy
from affidavit.domain.proposals import Kind, Proposal
from affidavit.domain.readings import Complete, Fail, Failure, Seen
from affidavit.domain.resolutions import Disposition, ResolveConflict
from affidavit.domain.roles import Actor
from affidavit.domain.scopes import AdoptPolicy, OpenScope
from affidavit.domain.secrets import Secret, redact
from affidavit.journal.log import Log, Receipt, Transaction

J = TypeVar("J", bound=Judgement)
GROUP = 500
"""How many messages or answers share one commit in bulk."""
LONGEST_WAIT = 1.0
"""How many seconds an extractor's answer waits for others before it is written: a slow one is worth keeping soon."""


class Recorded(NamedTuple):
    """What became of a message: as it was kept, its evidence id, the receipt, and the secrets that were found in it."""

    message: Message
    item: bytes
    receipt: Receipt
    secrets: tuple[Secret, ...] = ()


class Reading(NamedTuple):
    """An extractor's answer about one revision of one piece of evidence: proposals, or the sentence of its failure.

    `kind` says what failed, `method` how it read, `shown` what it was shown beside, `calls` how often it asked a model.
    """

    item: bytes
    revision: int
    extractor: str
    proposals: tuple[Proposal, ...] = ()
    failure: str | None = None
    kind: Failure = ""
    method: Method = "local"
    shown: tuple[Seen, ...] = ()
    calls: int = 0


def open_scope(log: Log, name: str, time_zone: str, actor: Actor) -> tuple[bytes, Receipt]:
    """Opens a new scope under the default policy; returns its id and the receipt, which may be a refusal."""
    scope = log.new_id()

    def work(tx: Transaction) -> Receipt:
        taken = name in tx.scope_names()
        log.vault.keys.add(scope)  # Every digest of the new scope hangs on it; without a record it is harmless.
        command = OpenScope(actor=actor, at=log.clock(), new_id=log.new_id, scope=scope, name=name, time_zone=time_zone)
        return tx.transact(command, lambda: scopes.open_scope(command, Policy(), taken=taken))

    return scope, log.write(scope, work)


def adopt_policy(log: Log, scope: bytes, policy: Policy, actor: Actor) -> Receipt:
    """Puts a policy in force."""

    def work(tx: Transaction) -> Receipt:
        command = AdoptPolicy(actor=actor, at=log.clock(), new_id=log.new_id, scope=scope, policy=policy)
        return tx.transact(command, lambda: scopes.adopt(command, tx.policy))

    return log.write(scope, work)


def record(
    log: Log,
    scope: bytes,
    messages: Iterable[Message],
    actor: Actor,
    *,
    keep_secrets: bool = False,
) -> Iterator[Recorded]:
    """Records messages as evidence, in groups that share a commit; yields each once it is durable.

    Secrets are found before anything is written, and replaced by markers, unless they are kept on purpose.
    """
    rest = iter(messages)
    while group := list(islice(rest, GROUP)):
        found = [_without_secrets(message, keep=keep_secrets) for message in group]
        yield from log.write(scope, partial(_record_all, group=found, actor=actor, kept=keep_secrets))


def assert_claim(log: Log, scope: bytes, recorded: Recorded, actor: Actor, kind: Kind = "fact") -> Receipt:
    """Holds a recorded message as its actor's own assertion."""
    message = recorded.message

    def work(tx: Transaction) -> Receipt:
        command = Assert(
            actor=actor,
            at=message.at,
            new_id=log.new_id,
            scope=scope,
            item=recorded.item,
            namespace=message.namespace,
            namespace_id=_namespace(tx, message.namespace),
            text=message.text,
            kind=kind,
        )
        return tx.transact(command, lambda: corrections.assert_claim(command, tx))

    return log.write(scope, work)


def correct(log: Log, scope: bytes, claim: bytes, text: str, actor: Actor, value: str = "") -> Receipt:
    """Lets a claim say `text`. Raises UnknownId; the receipt holds the events or the refusal."""
    return _judge(log, scope, claim, actor, partial(Correct, text=text, value=value), corrections.correct)


def reject(log: Log, scope: bytes, claim: bytes, actor: Actor) -> Receipt:
    """Rejects a claim's value. Raises UnknownId; the receipt holds the events or the refusal."""
    return _judge(log, scope, claim, actor, Reject, corrections.reject)


def pin(log: Log, scope: bytes, claim: bytes, actor: Actor) -> Receipt:
    """Keeps a claim in sight. Raises UnknownId; the receipt holds the event or the refusal."""
    return _judge(log, scope, claim, actor, Pin, lambda command, state, _: pins.pin(command, state))


def unpin(log: Log, scope: bytes, claim: bytes, actor: Actor) -> Receipt:
    """Lets a claim age again. Raises UnknownId; the receipt holds the event or the refusal."""
    return _judge(log, scope, claim, actor, Unpin, lambda command, state, _: pins.unpin(command, state))


def feedback(
    log: Log,
    scope: bytes,
    claim: bytes,
    verdict: Verdict,
    actor: Actor,
    *,
    source: bytes,
    given_at: int,
    item: bytes | None = None,
) -> Receipt:
    """Takes a verdict on a claim; the same `source` again is a repeat. Raises UnknownId."""
    judgement = partial(GiveFeedback, verdict=verdict, source=source, given_at=given_at, item=item)
    return _judge(log, scope, claim, actor, judgement, feedback_rules.give_feedback)


def forget(log: Log, scope: bytes, claim: bytes, actor: Actor) -> Receipt:
    """Hides a claim and rejects its value. Raises UnknownId; the receipt holds the events or the refusal."""
    return _judge(log, scope, claim, actor, Forget, forgetting.forget)


def resolve(log: Log, scope: bytes, claim: bytes, disposition: Disposition, actor: Actor, text: str = "") -> Receipt:
    """Decides a matter of the inbox. Raises UnknownId; the receipt holds the events or the refusal."""
    make = partial(ResolveConflict, disposition=disposition, text=text)
    return _judge(log, scope, claim, actor, make, resolutions.resolve)


def unarchive(log: Log, scope: bytes, claim: bytes, actor: Actor) -> Receipt:
    """Takes a claim back from the archive. Raises UnknownId; the receipt holds the event or the refusal."""
    return _judge(log, scope, claim, actor, Unarchive, archives.unarchive)


def _judge(
    log: Log,
    scope: bytes,
    claim: bytes,
    actor: Actor,
    judgement: Callable[..., J],
    decide: Callable[[J, ClaimState, Transaction], Decision],
) -> Receipt:
    """Carries out a person's judgement of one claim. Raises UnknownId."""

    def work(tx: Transaction) -> Receipt:
        state = tx.known(claim)
        command = judgement(
            actor=actor,
            at=log.clock(),
            new_id=log.new_id,
            scope=scope,
            claim=claim,
            namespace=tx.name_of(state.namespace),
        )
        return tx.transact(command, lambda: decide(command, state, tx))

    return log.write(scope, work)


def take_readings(
    log: Log, scope: bytes, readings: Iterable[Reading], actor: Actor, now: int | None = None
) -> Iterator[tuple[Reading, Receipt]]:
    """Takes extractors' answers, in groups that share a commit; yields each with its receipt.

    `now` is when they are taken, the clock's moment unless told.
    """
    for group in _groups(readings):
        yield from zip(group, log.write(scope, partial(_take_all, group=group, actor=actor, now=now)), strict=True)


def _groups(readings: Iterable[Reading]) -> Iterator[list[Reading]]:
    """Yields readings in groups that share a commit: at most so many, and no more than came within about a second."""
    group: list[Reading] = []
    begun = time.monotonic()
    for reading in readings:
        group.append(reading)
        if len(group) >= GROUP or time.monotonic() - begun > LONGEST_WAIT:
            yield group
            group, begun = [], time.monotonic()
    if group:
        yield group


def _without_secrets(message: Message, *, keep: bool) -> tuple[Message, tuple[Secret, ...]]:
    redacted = redact(message.text)
    if keep or not redacted.found:
        return message, redacted.found
    return replace(message, text=redacted.text, adopted=redacted.moved(message.adopted)), redacted.found


def _record_all(
    tx: Transaction,
    group: list[tuple[Message, tuple[Secret, ...]]],
    actor: Actor,
    *,
    kept: bool,
) -> list[Recorded]:
    return [_record(tx, message, found, actor, kept=kept) for message, found in group]


def _take_all(tx: Transaction, group: list[Reading], actor: Actor, now: int | None) -> list[Receipt]:
    return [_take(tx, reading, actor, tx.log.clock() if now is None else now) for reading in group]


def _record(
    tx: Transaction,
    message: Message,
    secrets: tuple[Secret, ...],
    actor: Actor,
    *,
    kept: bool,
) -> Recorded:
    item = evidence_rules.evidence_id(tx, message.source, message.session, message.id)
    command = Record(
        actor=actor,
        at=message.at,
        new_id=tx.log.new_id,
        item=item,
        role=message.role,
        text=message.text,
        source=message.source,
        source_id=tx.name("source", message.source),
        message=message.id,
        session=message.session,
        speaker=message.speaker,
        parent=message.parent,
        namespace_id=_namespace(tx, message.namespace),
        time_assumed=message.assumed,
        adopted=detect(message.text, message.adopted) if message.role == "user" else message.adopted,
        basis="summary" if message.summary else "manual_correction" if message.asserted else None,
        secrets="none" if not secrets else "kept" if kept else "replaced",
        zone=tx.zone,
        parents=message.parents,
        targets=message.targets,
    )

    def decide() -> Decision:
        return nominate(command, tx.scope, tx) or evidence_rules.record(command, tx.evidence(item), tx)

    receipt = tx.transact(command, decide)
    return Recorded(message, item, receipt, secrets)


def _take(tx: Transaction, reading: Reading, actor: Actor, now: int) -> Receipt:
    state = tx.evidence(reading.item)
    if state is None:
        msg = f"evidence {reading.item.hex()[:24]} is not in this scope"
        raise UnknownId(msg)
    new_id = tx.log.new_id
    if reading.failure is not None:
        failed = Fail(
            actor=actor,
            at=now,
            new_id=new_id,
            item=reading.item,
            revision=reading.revision,
            extractor=reading.extractor,
            error=reading.failure,
            failure=reading.kind,
            calls=reading.calls,
        )
        return tx.transact(failed, lambda: readings.fail(failed, state, tx.policy))
    command = Complete(
        actor=actor,
        at=now,
        new_id=new_id,
        scope=tx.scope,
        item=reading.item,
        revision=reading.revision,
        extractor=reading.extractor,
        namespace=tx.name_of(state.namespace),
        proposals=reading.proposals,
        zone=tx.zone,
        method=reading.method,
        shown=reading.shown,
        calls=reading.calls,
    )

    def decide() -> Decision:
        return derivation.complete(command, state, tx)

    return tx.transact(command, decide)


def _namespace(tx: Transaction, namespace: str) -> bytes | None:
    return tx.name("namespace", namespace) if namespace else None
