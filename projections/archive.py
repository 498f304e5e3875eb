"""The archive: claims that left the active view, in shards named by day and bounded in size (seed 000).

A shard is a local day of the scope and a number; it takes claims until it holds 500, and one that has room again is filled
before a new one begins. Shards follow from the log like every view: deleted, they are built again; one that is damaged is
refused and never written over, since a rebuild is made beside it.
"""

from typing import Any

from affidavit.domain.times import local_day
from affidavit.journal.reading import ClaimFields, Entry, Reader
from affidavit.projections.rows import Draft, Row, Rows
from affidavit.projections.views import fold_all

ARCHIVED, SHARD = "archived", "shard"


class Archive:
    """The projection of archived claims into shards."""

    name = "archive"
    version = 1

    def fold(self, entry: Entry, rows: Draft, reader: Reader) -> None:
        """Puts a claim into a shard when it is archived, and takes it out when it is not any more."""
        fields, scope = entry.fields, entry.body.scope
        if not isinstance(fields, ClaimFields):
            return
        known = rows.peek(scope, ARCHIVED, fields.claim)
        if known is None and entry.type != "claim-archived.v1" and _was_archived(entry, reader):
            raise rows.missing(ARCHIVED, fields.claim)
        if fields.state.status != "archived":
            if known:
                _take_out(scope, fields.claim, known.natural, rows)
            return
        at = fields.state.since if fields.state.since is not None else entry.body.occurred_at
        day = fields.day or (known.natural["day"] if known else local_day(at, reader.time_zone(scope)))
        shard = known.natural["shard"] if known else _with_room(scope, day, rows, reader)
        content = reader.sealed(fields.state.wording(reader.generation(scope)))["content"]
        natural = {
            "text": content["text"],
            "form": fields.state.form,
            "kind": fields.state.kind,
            "namespace": reader.name(fields.state.namespace),
            "day": day,
            "archived_at": at,
            "sub_zero_days": fields.state.sub_zero_days,
            "shard": shard,
        }
        rows.put(scope, ARCHIVED, fields.claim, natural, {"claim": fields.claim})

    def build(self, rows: Draft, reader: Reader, upto: int) -> None:
        """Folds every record up to the position: the order of archiving says which shard a claim is in."""
        reader.vault.keys.load_all()
        fold_all(self, rows, reader, upto)


def _was_archived(entry: Entry, reader: Reader) -> bool:
    """Tells whether the claim was archived before this event, by the log: only few events can follow that."""
    if entry.body.version == 1:
        return False
    if entry.type == "signal-applied.v1":
        # What was archived in another system gets its counters next; no signal archives.
        return isinstance(entry.fields, ClaimFields) and entry.fields.state.status == "archived"
    if entry.type not in _AFTER:
        return False
    earlier = reader.stream(entry.body.stream, entry.record.position - 1)[-1].fields
    return isinstance(earlier, ClaimFields) and earlier.state.status == "archived"


_AFTER = frozenset(
    {
        *("claim-unarchived.v1", "claim-asserted.v1", "claim-derived.v1"),
        *("claim-corrected.v1", "claim-promoted.v1", "claim-merged.v1", "value-rejected.v1"),
    },
)
"""What may happen to an archived claim."""


def _with_room(scope: bytes, day: str, rows: Draft, reader: Reader) -> str:
    """Returns the first shard of the day with room, counting the claim in; a new one where all are full."""
    most = reader.policy(scope).archive.shard
    shards = rows.prefixed(scope, SHARD, f"{day}_".encode())
    for row in shards:
        if row.natural["count"] < most:
            rows.put(scope, SHARD, row.key, {**row.natural, "count": row.natural["count"] + 1}, {})
            return str(row.natural["shard"])
    shard = f"{day}_{len(shards) + 1:04}"
    rows.put(scope, SHARD, shard.encode(), {"shard": shard, "day": day, "count": 1}, {})
    return shard


def _take_out(scope: bytes, claim: bytes, natural: dict[str, Any], rows: Draft) -> None:
    rows.delete(scope, ARCHIVED, claim)
    key = natural["shard"].encode()
    shard = rows.peek(scope, SHARD, key)
    if shard:
        # An empty shard stays: its number is taken, and the next claim of that day finds room in it.
        rows.put(scope, SHARD, key, {**shard.natural, "count": shard.natural["count"] - 1}, {})


def archived(rows: Rows, scope: bytes) -> list[Row]:
    """Returns every archived claim, by shard, then by when it was archived."""
    # A fold that misses a shard's row puts claims where they do not belong, so all of those are read first.
    rows.check(scope, SHARD)
    return sorted(rows.all(scope, ARCHIVED), key=lambda row: (row.natural["shard"], row.natural["archived_at"], row.key))


def shards(rows: Rows, scope: bytes) -> list[dict[str, Any]]:
    """Returns the shards that hold anything: name, day and count."""
    return [row.natural for row in rows.all(scope, SHARD) if row.natural["count"]]
