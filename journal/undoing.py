"""What one command changed, read from its records, so that it can be taken back.

The records of a command follow one another and share its key. It costs what the command wrote, not the history: where a
claim's earlier rejection is looked for, the search ends where the claim was live, for no rejection of its own was in force.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from affidavit.domain import undoing
from affidavit.domain.claims import LIVE, ClaimState
from affidavit.domain.errors import UsageError
from affidavit.domain.rejections import RejectionLifted, ValueRejected
from affidavit.domain.roles import Actor
from affidavit.domain.undoing import Change, Undo
from affidavit.journal import encoding, index, records
from affidavit.journal.encoding import Body
from affidavit.journal.log import Log, Receipt, Transaction


class _Written(NamedTuple):
    """A record of a command: its position and body."""

    position: int
    body: Body


def undo(log: Log, scope: bytes, position: int, actor: Actor) -> Receipt:
    """Takes back what the command changed that wrote the record at this position. Raises UsageError for no such record."""

    def work(tx: Transaction) -> Receipt:
        written = _of_command(tx, position)
        lifting = [one for one in written if one.body.type == RejectionLifted.type_name]
        rejecting = [one for one in written if one.body.type == ValueRejected.type_name]
        command = Undo(
            actor=actor,
            at=log.clock(),
            new_id=log.new_id,
            scope=scope,
            event=next(one.body.id for one in written if one.position == position),
            changes=_changes(tx, written),
            rejected=_rejections(written),
            lifted=_rejections(found for one in lifting for found in _rejection_before(tx, one)),
            covered=_rejections(found for one in rejecting for found in _rejection_before(tx, one)),
            set_at=lambda claim, name: _set_at(tx, written, claim, name),
        )
        return tx.transact(command, lambda: undoing.undo(command, tx))

    return log.write(scope, work)


def _of_command(tx: Transaction, position: int) -> list[_Written]:
    """Returns every record of the command that wrote this one, in order."""
    end = records.head(tx.connection).position
    named = _at(tx, position) if 0 < position <= end else None
    if named is None or named.body.scope != tx.scope:
        msg = f"position {position} holds no record of this scope"
        raise UsageError(msg, remedy="`history` and `timeline` print the positions of changes")
    found = [named]
    while found[0].position > 1 and (before := _at(tx, found[0].position - 1)).body.command == named.body.command:
        found.insert(0, before)
    while found[-1].position < end and (after := _at(tx, found[-1].position + 1)).body.command == named.body.command:
        found.append(after)
    return found


def _changes(tx: Transaction, written: list[_Written]) -> tuple[Change, ...]:
    """Returns what became of each claim, in the order of the command's records."""
    first: dict[bytes, _Written] = {}
    last: dict[bytes, _Written] = {}
    for one in written:
        if "claim" in index.public_fields(one.body):
            first.setdefault(one.body.stream, one)
            last[one.body.stream] = one
    changes = []
    for claim, one in first.items():
        before = next(_earlier(tx, one), None)
        changes.append(Change(claim=claim, before=_state(before) if before else None, after=_state(last[claim])))
    return tuple(changes)


def _rejection_before(tx: Transaction, written: _Written) -> Iterator[_Written]:
    """Yields the claim's own rejection that was in force before a record, if there is one."""
    for one in _earlier(tx, written):
        if one.body.type in {ValueRejected.type_name, RejectionLifted.type_name}:
            yield one  # A lifting is no rejection, and is left out where these are read.
            return
        if index.public_fields(one.body)["state"]["status"] in LIVE:
            return


def _earlier(tx: Transaction, written: _Written) -> Iterator[_Written]:
    """Yields the records of the same stream before this one, the last first."""
    stream = _stream(tx, written.body.stream)
    for version in range(written.body.version - 1, 0, -1):
        yield _of_version(tx, stream, version)


def _set_at(tx: Transaction, written: list[_Written], claim: bytes, name: str) -> int:
    """Returns a position after the command at which a field of a claim was set to what it is now.

    It differs now from what the command left, so halving the versions since finds a step to it without reading them all.
    """
    stream = _stream(tx, claim)
    left = max(one.body.version for one in written if one.body.stream == claim)
    head = records.last_of(tx.connection, stream)
    if head is None:
        msg = f"claim {claim.hex()[:24]} has no record"
        raise LookupError(msg)
    found, low, high = _Written(head.position, encoding.body(head.body)), left, head.version
    now = getattr(_state(found), name)
    while high - low > 1:
        middle = (low + high) // 2
        one = _of_version(tx, stream, middle)
        if getattr(_state(one), name) == now:
            found, high = one, middle
        else:
            low = middle
    return found.position


def _stream(tx: Transaction, name: bytes) -> int:
    return index.stream_of(tx.connection, name)


def _of_version(tx: Transaction, stream: int, version: int) -> _Written:
    record = records.of_version(tx.connection, stream, version)
    return _Written(record.position, encoding.body(record.body))


def _rejections(written: Iterable[_Written]) -> tuple[ValueRejected, ...]:
    """Returns the rejections among these records, as they were written."""
    return tuple(
        ValueRejected.model_validate(
            {"id": body.id, "occurred_at": body.occurred_at, "evidence": body.evidence, **index.public_fields(body)},
        )
        for _, body in written
        if body.type == ValueRejected.type_name
    )


def _state(written: _Written) -> ClaimState:
    return ClaimState.model_validate(index.public_fields(written.body)["state"])


def _at(tx: Transaction, position: int) -> _Written:
    return _Written(position, encoding.body(records.at(tx.connection, position).body))
