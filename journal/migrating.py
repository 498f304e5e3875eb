"""Migrating: memories of another system, each recorded and made a claim in one go. There is no rule here.

Groups share a commit, like those of `verbs.record`. What each memory is, and what it hangs together with, is settled once,
before the first group, over all of them: an import that broke off is taken up by the next one where it ended.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from affidavit.domain import evidence, migration
from affidavit.domain.decisions import Decision
from affidavit.domain.evidence import Record
from affidavit.domain.memories import Legacy
from affidavit.domain.migration import Kin, Migrate
from affidavit.domain.roles import Actor
from affidavit.domain.secrets import Secret, redact
from affidavit.journal.log import Log, Receipt, Transaction
from affidavit.journal.verbs import GROUP


class Migrated(NamedTuple):
    """What became of a memory: as it was kept, its evidence id, the receipts of evidence and claim, and secrets found.

    Where the evidence was refused, `claimed` is that refusal.
    """

    memory: Legacy
    item: bytes
    recorded: Receipt
    claimed: Receipt
    secrets: tuple[Secret, ...] = ()


class _Import(NamedTuple):
    """What all memories of one import have in common."""

    source: str
    namespace: str
    kin: Kin
    actor: Actor
    kept: bool


def migrate(
    log: Log,
    scope: bytes,
    memories: Iterable[Legacy],
    actor: Actor,
    *,
    source: str,
    namespace: str = "",
    keep_secrets: bool = False,
) -> Iterator[Migrated]:
    """Makes memories evidence and claims, in groups that share a commit; yields each once it is durable.

    Secrets are found before anything is written, and replaced by markers, unless they are kept on purpose.
    """
    redacted = [(memory, redact(memory.text)) for memory in migration.in_order(memories)]
    found = [(memory if keep_secrets else replace(memory, text=clean.text), clean.found) for memory, clean in redacted]
    if not found:
        return
    kept = [memory for memory, _ in found]
    kin = log.write(scope, lambda tx: migration.kin(kept, source, namespace, tx))
    shared = _Import(source, namespace, kin, actor, keep_secrets)
    for start in range(0, len(found), GROUP):
        yield from log.write(scope, partial(_migrate_all, group=found[start : start + GROUP], shared=shared))


def _migrate_all(tx: Transaction, group: list[tuple[Legacy, tuple[Secret, ...]]], shared: _Import) -> list[Migrated]:
    return [_migrate(tx, memory, secrets, shared) for memory, secrets in group]


def _migrate(tx: Transaction, memory: Legacy, secrets: tuple[Secret, ...], shared: _Import) -> Migrated:
    now, new_id = tx.log.clock(), tx.log.new_id
    item = evidence.evidence_id(tx, shared.source, "", memory.key)
    namespace = migration.home(memory, shared.namespace)
    record = Record(
        actor=shared.actor,
        at=now if memory.created_at is None else memory.created_at,
        new_id=new_id,
        item=item,
        role="system",
        text=memory.text,
        source=shared.source,
        source_id=tx.name("source", shared.source),
        message=memory.key,
        namespace_id=tx.name("namespace", namespace) if namespace else None,
        time_assumed=memory.assumed or memory.created_at is None,
        basis="card" if migration.is_card(memory) else "imported",
        secrets="none" if not secrets else "kept" if shared.kept else "replaced",
        zone=tx.zone,
    )
    recorded = tx.transact(record, lambda: evidence.record(record, tx.evidence(item), tx))
    if recorded.refused:
        return Migrated(memory, item, recorded, recorded, secrets)
    command = Migrate(
        actor=shared.actor,
        at=now,
        new_id=new_id,
        scope=tx.scope,
        item=item,
        namespace=namespace,
        memory=memory,
        kin=shared.kin,
    )

    def decide() -> Decision:
        return migration.migrate(command, tx.claim(command.claim), tx)

    return Migrated(memory, item, recorded, tx.transact(command, decide), secrets)
