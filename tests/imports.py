"""What the tests of the importers share: hand-made files with their expected numbers, and ways to read and import one."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import affidavit
from affidavit.domain.messages import Message
from affidavit.domain.times import iso
from affidavit.scripts.importers import Options, detect, importers
from affidavit.scripts.importers.lines import OFF_BRANCH
from affidavit.scripts.outcomes import Imported

FIXTURES = Path(__file__).parent / "scripts" / "fixtures"


@dataclass
class Read:
    """What an importer made of a file."""

    messages: list[Message] = field(default_factory=list)
    noise: Counter[str] = field(default_factory=Counter)
    bad: list[tuple[int, str]] = field(default_factory=list)

    @property
    def roles(self) -> dict[str, int]:
        """Returns the number of messages by role."""
        return dict(Counter(message.role for message in self.messages))


def read(path: Path, form: str = "") -> Read:
    """Reads a file without a ledger."""
    found = Read()
    for part in importers()[form or detect(path)](path, Options()):
        for line in part.lines:
            assert (line.message is not None) + bool(line.reason) + bool(line.noise) == 1
            if line.message is not None:
                found.messages.append(line.message)
            elif line.noise:
                found.noise[line.noise] += 1
            else:
                found.bad.append((line.number, line.reason))
    return found


def cases(form: str) -> list[str]:
    """Returns the names of a format's hand-made files."""
    return sorted(json.loads((FIXTURES / form / "expected.json").read_text(encoding="utf-8")))


def check(form: str, name: str) -> Read:
    """Holds what is read of a hand-made file to the numbers written beside it, by hand, in expected.json."""
    expected: dict[str, Any] = json.loads((FIXTURES / form / "expected.json").read_text(encoding="utf-8"))[name]
    path = FIXTURES / form / name
    assert detect(path) == form
    found = read(path)
    assert [f"{message.id} {message.role} {message.session}" for message in found.messages] == expected["messages"]
    assert dict(found.noise) == expected.get("noise", {})
    assert [number for number, _ in found.bad] == expected.get("bad", [])
    by_id = {message.id: message for message in found.messages}
    assert [one for one, message in by_id.items() if OFF_BRANCH in message.speaker] == expected.get("off", [])
    assert [one for one, message in by_id.items() if message.summary] == expected.get("summaries", [])
    assert [one for one, message in by_id.items() if message.assumed] == expected.get("assumed", [])
    marked = {one: [[span.start, span.end] for span in message.adopted] for one, message in by_id.items() if message.adopted}
    assert marked == expected.get("adopted", {})
    if "parents" in expected:
        assert [message.parent for message in found.messages] == expected["parents"]
    if "times" in expected:
        assert {one: iso(message.at) for one, message in by_id.items()} == expected["times"]
    return found


def load(ledger: affidavit.Ledger, path: Path, **options: Any) -> Imported:
    """Imports a file without extraction."""
    (done,) = ledger.import_file(path, extractor=None, **options)
    return done


def import_twice(ledger: affidavit.Ledger, path: Path, read_alone: Read) -> None:
    """Holds an import to what was read, and a second import to adding nothing; ids, times and texts come back exact."""
    first = load(ledger, path)
    assert first.recorded == len(read_alone.messages)
    assert first.noise == read_alone.noise
    assert [(one["line"], one["reason"]) for one in first.skipped] == read_alone.bad
    kept = {(item.session, item.message): (item.role, item.occurred_at, item.text) for item in ledger.evidence()}
    assert kept == {(one.session, one.id): (one.role, iso(one.at), one.text) for one in read_alone.messages}
    again = load(ledger, path)
    assert (again.recorded, again.revised, again.known) == (0, 0, first.recorded)
    assert again.position == first.position
