"""JSON Schemas of all events: `python -m affidavit.scripts.schemas FOLDER` writes one file a type.

An optional field with a default is a compatible change. A field that went, a new required one, or another type is not:
it needs a new version of the type and an upcaster.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from affidavit.domain.events import EVENT_TYPES

_MODULES = (
    *("archives", "claims", "corrections", "derivation", "evidence", "feedback", "forgetting", "injections", "lifecycle"),
    *(
        "modes",
        "pins",
        "questions",
        "readings",
        "reflections",
        "rejections",
        "relations",
        "repetition",
        "resolutions",
        "scopes",
    ),
    *("surfacing", "undoing", "narratives", "memorable"),
)


def schemas() -> dict[str, dict[str, Any]]:
    """Returns the JSON Schema of every event type, by the type's name, with the names of its public fields."""
    for module in _MODULES:
        import_module(f"affidavit.domain.{module}")
    return {
        name: {**kind.model_json_schema(), "x-public": sorted(kind.public), "x-stream": kind.stream_class}
        for name, kind in sorted(EVENT_TYPES.items())
    }


def incompatible(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Returns what records of the old schema could not be read under the new one, as sentences; empty if all can."""
    found = _fields(old, new, "")
    for name, definition in old.get("$defs", {}).items():
        found += _fields(definition, new.get("$defs", {}).get(name, {}), f"{name}.")
    if not set(old.get("x-public", ())) <= set(new.get("x-public", ())):
        found.append("a public field is private now")
    return found


def _fields(old: dict[str, Any], new: dict[str, Any], path: str) -> list[str]:
    before, after = old.get("properties", {}), new.get("properties", {})
    found = [f"{path}{name} is gone" for name in sorted(before.keys() - after.keys())]
    added = sorted(set(new.get("required", ())) - set(old.get("required", ())))
    found += [f"{path}{name} is required and was not" for name in added]
    for name in sorted(before.keys() & after.keys()):
        if not _accepts(before[name], after[name]):
            found.append(f"{path}{name} has another type")
    return found


def _accepts(old: Any, new: Any) -> bool:
    """Tells whether a value of the old shape is one of the new; closed lists of words may grow."""
    if isinstance(old, dict) and isinstance(new, dict):
        if "enum" in old and "enum" in new:
            return set(old["enum"]) <= set(new["enum"])
        if "anyOf" in new and "anyOf" in old:
            return all(any(_accepts(one, other) for other in new["anyOf"]) for one in old["anyOf"])
        if "const" in old and "enum" in new:
            return old["const"] in new["enum"]
        kept = {key for key in old if key not in {"title", "description", "default"}}
        return all(key in new and _accepts(old[key], new[key]) for key in kept)
    return bool(old == new)


def main(folder: Path) -> None:
    """Writes the schemas, one file a type."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / f"{name}.json").write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
