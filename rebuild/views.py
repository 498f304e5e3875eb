"""Rebuild of views, checked: a view as it stands against one built anew from the log, row by row."""

from dataclasses import dataclass, field

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


def compare(projection: Projection, scope: bytes, views: Views, reader: Reader) -> Comparison:
    """Builds the view anew in memory at the stored view's position and compares the two."""
    name = reader.scope_name(scope)
    try:
        with views.current(projection, reader) as live:
            position = reader.head().position
            digest, stored = live.view_digest(scope), _rows(live, scope)
            differing: list[str] = []
    except IntegrityFault as fault:
        position, digest, stored, differing = reader.head().position, "", None, [str(fault)]
    with views.as_of(projection, reader, position) as built:
        rebuilt = built.view_digest(scope)
        if stored is not None:
            differing = _differences(stored, _rows(built, scope))
    return Comparison(projection.name, name, position, digest, rebuilt, differing)


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
