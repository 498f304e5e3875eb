"""The MCP reference server's memory: `memory.jsonl`, a graph of entities with observations, and relations between them.

A line is an entity or a relation, as that server writes them. Nothing there has a time, an id or a source. An observation is
told with the name of its entity, since it seldom says whom it is about.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from affidavit.scripts.importers import Options
from affidavit.scripts.importers.lines import Bad, noise_name, rows
from affidavit.scripts.importers.stores import CORRECT, Gathering, Store, filled, memory, named_by, shown

_USER = frozenset({"user", "default_user"})
"""Names that the server's own prompt gives the person it talks with."""


def read(path: Path, options: Options) -> Iterator[Store]:  # noqa: ARG001 - nothing here depends on them
    """Yields what the file holds, for the caller's scope."""
    found = Gathering()
    for row in rows(path):
        place = f"line {row.number}"
        if row.fields is None:
            found.skip(place, row.reason)
            continue
        try:
            if row.fields.get("type") == "entity":
                _entity(place, row.fields, found)
            elif row.fields.get("type") == "relation":
                _relation(place, row.fields, found)
            else:
                found.leave(f"lines of the type {noise_name(row.fields.get('type'))}")
        except Bad as bad:
            found.skip(place, bad)
    yield found.store()


def _entity(place: str, fields: dict[str, Any], found: Gathering) -> None:
    name = filled(fields, "name")
    observations = fields.get("observations")
    if not isinstance(observations, list):
        raise Bad(f'field "observations" is {shown(observations)}, a list is required')
    found.leave("types of entities", bool(fields.get("entityType")))
    found.leave("entities without an observation", not observations)
    for number, said in enumerate(observations):
        try:
            observation = filled({"observation": said}, "observation")
            key = f"observation/{name}/{named_by(name, observation)}"
            found.admit(memory(key, f"{name}: {observation}", f"{place}.observations[{number}]", entity=_about(name)))
        except Bad as bad:
            found.skip(f"{place}.observations[{number}]", bad, CORRECT)


def _relation(place: str, fields: dict[str, Any], found: Gathering) -> None:
    start, kind, end = (filled(fields, name) for name in ("from", "relationType", "to"))
    key = f"relation/{start}/{named_by(start, kind, end)}"
    found.admit(memory(key, f"{start} {kind} {end}", place, entity=_about(start)))


def _about(name: str) -> str:
    return "user" if name.casefold() in _USER else name
