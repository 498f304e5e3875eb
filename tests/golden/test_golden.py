"""Golden journals stay readable for ever, and event schemas change only in compatible ways."""

import copy
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from golden.make_v1 import answers

import affidavit
from affidavit.scripts.ledger import Ledger
from affidavit.scripts.schemas import incompatible, schemas

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    monkeypatch.delenv("AFFIDAVIT_KEK", raising=False)
    return affidavit.open(shutil.copytree(HERE / "v1", tmp_path / "v1"))


def test_v1_is_sound_and_answers_as_it_did(golden: Ledger) -> None:
    with golden:
        expected = json.loads((HERE / "v1" / "expected.json").read_text(encoding="utf-8"))
        found = json.loads(json.dumps(answers(golden)))
        assert golden.verify().clean
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert _kept(value, found[name]) == value, name


def _kept(expected: Any, found: Any) -> Any:
    """Returns what was found without the fields that answers have gained since."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {name: _kept(value, found.get(name)) for name, value in expected.items()}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [_kept(one, other) for one, other in zip(expected, found, strict=True)]
    return found


def test_v1_holds_every_event_type_of_its_format() -> None:
    written = set(json.loads((HERE / "v1" / "schemas.json").read_text(encoding="utf-8")))
    connection = sqlite3.connect(f"file:{HERE / 'v1' / 'log.db'}?mode=ro&immutable=1", uri=True)
    found = {row[0] for row in connection.execute("SELECT DISTINCT type FROM records")}
    connection.close()
    assert found == written


def test_every_schema_of_v1_can_still_be_read() -> None:
    written = json.loads((HERE / "v1" / "schemas.json").read_text(encoding="utf-8"))
    now = json.loads(json.dumps(schemas()))
    broken = {name: incompatible(schema, now.get(name, {})) for name, schema in written.items()}
    assert len(broken) > 10
    assert not any(broken.values())


def test_the_schemas_in_the_docs_are_those_of_the_code() -> None:
    committed = {path.name[: -len(".json")]: json.loads(path.read_text()) for path in (ROOT / "docs" / "schemas").iterdir()}
    assert committed == json.loads(json.dumps(schemas())), "run `python -m affidavit.scripts.schemas docs/schemas`"


def _changed(change: str) -> dict[str, Any]:
    schema: dict[str, Any] = copy.deepcopy(json.loads(json.dumps(schemas()))["claim-derived.v1"])
    state = schema["$defs"]["ClaimState"]
    if change == "gone":
        del state["properties"]["confidence"]
    elif change == "required":
        state["required"].append("pinned")
    elif change == "type":
        state["properties"]["confidence"]["type"] = "string"
    elif change == "word":
        state["properties"]["status"]["enum"].remove("denied")
    elif change == "private":
        schema["x-public"].remove("places")
    return schema


@pytest.mark.parametrize("change", ["gone", "required", "type", "word", "private"])
def test_an_incompatible_change_is_seen(change: str) -> None:
    assert incompatible(json.loads(json.dumps(schemas()))["claim-derived.v1"], _changed(change))


def test_an_optional_field_with_a_default_is_compatible() -> None:
    old, new = _changed(""), _changed("")
    new["$defs"]["ClaimState"]["properties"]["mood"] = {"type": "string", "default": "calm"}
    new["$defs"]["ClaimState"]["properties"]["status"]["enum"].append("dreamt")
    assert incompatible(old, new) == []
