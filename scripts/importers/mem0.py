"""mem0: `history.db`, the table beside its vector store that holds what each memory became.

The last row of a memory, in the order in which rows were written, says what it is; the times there do not order them, since
a deletion has none of its own. The file does not say whose a memory is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from affidavit.domain.errors import BadInput
from affidavit.scripts.importers import Options
from affidavit.scripts.importers.lines import Bad
from affidavit.scripts.importers.sqlite_files import count, opened, tables, text
from affidavit.scripts.importers.stores import Gathering, Store, filled, memory, one_of, time_of

COLUMNS = frozenset({"memory_id", "old_memory", "new_memory", "event"})
"""The columns of the table `history` without which it is none that is known."""

_OPTIONAL = ("created_at", "updated_at", "is_deleted")
_EVENTS = ("ADD", "UPDATE", "DELETE")


@dataclass(slots=True)
class _Memory:
    """The last row of a memory: its place, its fields, or why it cannot be read; `times` counts its texts."""

    place: str
    fields: dict[str, Any]
    bad: str = ""
    times: int = 0


def read(path: Path, options: Options) -> Iterator[Store]:
    """Yields what the file holds, for the caller's scope. Raises BadInput for an unknown table or a spoilt file."""
    found = Gathering()
    with opened(path) as database:
        known = tables(database)
        if not known.get("history", frozenset()) >= COLUMNS:
            msg = f"{path}: no table history with the columns {', '.join(sorted(COLUMNS))} is there"
            raise BadInput(msg, remedy="an older mem0 wrote another table, which is not read")
        names = (*sorted(COLUMNS), *(name for name in _OPTIONAL if name in known["history"]))
        memories: dict[str, _Memory] = {}
        rows = database.execute(f"SELECT rowid, {', '.join(names)} FROM history ORDER BY rowid")  # noqa: S608 - our own names
        for number, *row in rows:
            _note(f"history[{number}]", dict(zip(names, row, strict=True)), memories, found)
        if "messages" in known:
            found.leave("messages, the last few of each session", count(database, "messages"))
    for name, one in memories.items():
        _carry(name, one, options.zone, found)
    yield found.store()


def _note(place: str, row: dict[str, Any], memories: dict[str, _Memory], found: Gathering) -> None:
    try:
        name = filled({"memory_id": text(row["memory_id"], "memory_id")}, "memory_id")
    except Bad as bad:
        found.skip(place, bad)
        return
    one = memories.setdefault(name, _Memory(place, {}))
    one.place, one.bad = place, ""
    try:
        one.fields = {column: value if column == "is_deleted" else text(value, column) for column, value in row.items()}
        if one_of(one.fields, "event", _EVENTS) != "DELETE" and not one.fields.get("is_deleted"):
            filled(one.fields, "new_memory")
            one.times += 1
    except Bad as bad:
        one.bad = str(bad)


def _carry(name: str, one: _Memory, zone: str, found: Gathering) -> None:
    """Carries what a memory says last. Where that cannot be read, what it said before is not taken for it."""
    if one.bad:
        found.skip(one.place, f"{one.bad}; the memory's last row cannot be read, so it is not carried")
        return
    fields = one.fields
    if fields["event"] == "DELETE" or fields.get("is_deleted"):
        found.leave("deleted memories")
        found.leave("earlier texts", one.times)
        return
    found.leave("earlier texts", one.times - 1)
    at, assumed = _time(one, zone, found)
    try:
        found.admit(memory(f"memory/{name}", fields["new_memory"], one.place, at=at, assumed=assumed))
    except Bad as bad:
        found.skip(one.place, bad)


def _time(one: _Memory, zone: str, found: Gathering) -> tuple[int | None, bool]:
    """Returns when a memory got its text; None, which is now, where no time there can be read."""
    for column in ("updated_at", "created_at"):
        if value := one.fields.get(column):
            try:
                return time_of(value, zone, column)
            except Bad as bad:
                found.skip(f"{one.place}.{column}", bad, "the memory is carried without this time")
    return None, False
