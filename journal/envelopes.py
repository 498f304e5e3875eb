"""The verbs of typed memory: narratives, facts that a host holds, and their reinforcement. There is no rule here."""

from affidavit.domain import memorable, narratives
from affidavit.domain.claims import Confirmation
from affidavit.domain.evidence import Method
from affidavit.domain.memorable import AddFact, Reinforce
from affidavit.domain.narratives import AddNarrative
from affidavit.domain.proposals import Kind
from affidavit.domain.roles import Actor
from affidavit.journal.log import Log, Receipt, Transaction
from affidavit.journal.verbs import Recorded


def add_narrative(
    log: Log, scope: bytes, text: str, actor: Actor, *, tone: str, expires_at: int | None, namespace: str
) -> Receipt:
    """Adds a shared narrative; the receipt holds the event or the refusal."""

    def work(tx: Transaction) -> Receipt:
        command = AddNarrative(
            actor=actor,
            at=log.clock(),
            new_id=log.new_id,
            scope=scope,
            namespace=namespace,
            namespace_id=tx.name("namespace", namespace) if namespace else None,
            text=text,
            tone=tone,
            expires_at=expires_at,
        )
        return tx.transact(command, lambda: narratives.add_narrative(command, tx))

    return log.write(scope, work)


def add_fact(
    log: Log,
    scope: bytes,
    recorded: Recorded,
    actor: Actor,
    *,
    kind: Kind,
    method: Method,
    confidence: int | None,
    confirmation: Confirmation,
    again: bool,
) -> Receipt:
    """Holds a recorded sentence as a host's; the receipt holds the event or the refusal."""
    message = recorded.message

    def work(tx: Transaction) -> Receipt:
        command = AddFact(
            actor=actor,
            at=message.at,
            new_id=log.new_id,
            scope=scope,
            item=recorded.item,
            namespace=message.namespace,
            namespace_id=tx.name("namespace", message.namespace) if message.namespace else None,
            text=message.text,
            kind=kind,
            method=method,
            confidence=confidence,
            confirmation=confirmation,
            again=again,
            zone=tx.zone,
        )
        return tx.transact(command, lambda: memorable.add_fact(command, tx))

    return log.write(scope, work)


def reinforce(log: Log, scope: bytes, claim: bytes, step: int, actor: Actor) -> Receipt:
    """Raises a claim's confidence by a step in millionths. Raises UnknownId; the receipt holds the event or the refusal."""

    def work(tx: Transaction) -> Receipt:
        state = tx.known(claim)
        command = Reinforce(
            actor=actor,
            at=log.clock(),
            new_id=log.new_id,
            scope=scope,
            claim=claim,
            namespace=tx.name_of(state.namespace),
            step=step,
            zone=tx.zone,
        )
        return tx.transact(command, lambda: memorable.reinforce(command, state, tx))

    return log.write(scope, work)
