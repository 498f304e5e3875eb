"""Rebuild of views, checked: a view as it stands against one built anew from the log, row by row."""

from dataclasses import dataclass, field
from typing import NamedTuple

from affidavit.domain.errors import IntegrityFault
from affidavit.journal.reading import Reader
from affidavit.projections.rows import Rows
from affidavit.projections.views import Projection, Views

ROWS_NAMED = 20


@dataclass(frozen=True, slots=True)
class Comparison:
    """One view of one scope: the digest as it stands, the digest built anew, and the rows that differ.

    `live` is empty where the stored view cannot be read; `rows` then says why.
    """

    view: str
    scope: str
    position: int
    live: str
    rebuilt: str
    rows: list[str] = field(default_factory=list)

    @property
    def agree(self) -> bool:
        """Tells whether the two digests, and all rows, are the same."""
        return self.live == self.rebuilt and not self.rows


class _Damaged(NamedTuple):
    """A scope of a view that cannot be served: why, and which rows are stored, sound or not."""

    why: str
    stored: dict[tuple[str, bytes], bool]


class _Side(NamedTuple):
    """One scope of a view: its digest, and its rows by kind and key."""

    digest: str
    rows: dict[tuple[str, bytes], tuple[object, object]]


def compare(projection: Projection, views: Views, reader: Reader) -> list[Comparison]:
    """Builds the view anew in memory at the stored view's position and compares the two, scope by scope."""
    stored = _stored(projection, views, reader)
    position = reader.head().position
    with views.as_of(projection, reader, position) as built:
        return [
            _comparison(projection, scope, position, found, built, reader)
            for (scope, _), found in zip(reader.scopes(), stored, strict=True)
        ]


def _stored(projection: Projection, views: Views, reader: Reader) -> list[_Side | _Damaged]:
    """Returns each scope's digest and rows as the view stands, or why they cannot be read."""
    try:
        with views.current(projection, reader) as live:
            return [_side(live, scope) for scope, _ in reader.scopes()]
    except IntegrityFault as fault:
        return [_Damaged(fault.message, {}) for _ in reader.scopes()]


def _side(rows: Rows, scope: bytes) -> _Side | _Damaged:
    try:
        return _Side(rows.view_digest(scope), _rows(rows, scope))
    except IntegrityFault as fault:
        return _Damaged(fault.message, rows.damage(scope))


def _comparison(
    projection: Projection,
    scope: bytes,
    position: int,
    found: _Side | _Damaged,
    built: Rows,
    reader: Reader,
) -> Comparison:
    name, rebuilt = reader.scope_name(scope), built.view_digest(scope)
    if isinstance(found, _Damaged):
        wanted = set(built.damage(scope)) if found.stored else set()
        named = [f"{kind} {key.hex()[:24]} is missing" for kind, key in sorted(wanted - found.stored.keys())]
        named += [f"{kind} {key.hex()[:24]} follows from no record" for kind, key in sorted(found.stored.keys() - wanted)]
        named += [f"{kind} {key.hex()[:24]} was changed" for (kind, key), sound in sorted(found.stored.items()) if not sound]
        return Comparison(projection.name, name, position, "", rebuilt, [*named[:ROWS_NAMED], found.why])
    return Comparison(projection.name, name, position, found.digest, rebuilt, _differences(found.rows, _rows(built, scope)))


def _rows(rows: Rows, scope: bytes) -> dict[tuple[str, bytes], tuple[object, object]]:
    return {(kind, row.key): (row.natural, row.local) for kind in rows.kinds(scope) for row in rows.all(scope, kind)}


def _differences(
    stored: dict[tuple[str, bytes], tuple[object, object]],
    built: dict[tuple[str, bytes], tuple[object, object]],
) -> list[str]:
    found = []
    for kind, key in sorted(stored.keys() | built.keys()):
        one, other = stored.get((kind, key)), built.get((kind, key))
        if one != other:
            what = "is missing" if one is None else "follows from no record" if other is None else "differs"
            found.append(f"{kind} {key.hex()[:24]} {what}")
    return found[:ROWS_NAMED]
