"""A row whose place was changed is hidden from those who look for it. What is folded after that is right, or refused."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from extractors import Failing, Plain, archive

import affidavit
from affidavit.domain.errors import AffidavitError
from affidavit.domain.proposals import ExtractorId
from affidavit.domain.tokens import Estimate
from affidavit.projections import answers, snapshot
from affidavit.projections.rows import DamagedRow
from affidavit.projections.snapshot import Snapshot
from affidavit.scripts.bootstrap import PROJECTIONS

Place = tuple[bytes, str, bytes]
VIEWS = [kind.name for kind in PROJECTIONS]
COLUMNS = ("scope", "kind", "key")


class Twin(Plain):
    """Finds what `Plain` finds: every claim is said again, by another extractor."""

    identity = ExtractorId("twin", "1", "2" * 64)


def claims(at: Snapshot) -> list[str]:
    """Returns the ids of all claims, from the log: the views are what is doubted."""
    rows = at.reader.connection.execute("SELECT name FROM streams WHERE class = 'claim' ORDER BY id")
    return [row[0].hex()[:24] for row in rows]


QUESTIONS: dict[str, Callable[[Snapshot], Any]] = {
    "claims": lambda at: answers.claims(at, every=True),
    "why": lambda at: [answers.why(at, claim) for claim in claims(at)],
    "history": lambda at: [answers.history(at, claim) for claim in claims(at)],
    "evidence": answers.evidence,
    "prompt": lambda at: answers.rendered(at, Estimate()),
    "inbox": answers.matters,
    "timeline": answers.events,
    "archive": answers.archive,
}


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes a ledger that has a row of every kind in every view; closed, its views as a rebuild leaves them."""
    folder = tmp_path_factory.mktemp("pristine") / "ledger"
    with affidavit.init(folder, scope="ana") as ledger:
        ledger.remember(
            [{"id": "1", "text": "I like tea."}, {"id": "2", "text": "I live in Lisbon. I like cake."}], extractor=Plain()
        )
        ledger.remember({"id": "3", "text": "I live in Porto."}, extractor=Failing())
        ledger.correct(ledger.claims()[0].id, "User likes mate.")
        ledger.extract(Plain(), again=True)
        archive(ledger, "rain", "wind")
        ledger.rebuild()
    return folder


def places(folder: Path, view: str) -> list[Place]:
    """Returns scope, kind and key of the first and the last row of each kind of a view."""
    with affidavit.open(folder, scope="ana") as ledger, ledger.snapshot() as at:
        rows = next(at.rows(kind()) for kind in PROJECTIONS if kind.name == view)
        found = [(kind, rows.all(at.scope, kind)) for kind in rows.kinds(at.scope)]
        return [(at.scope, kind, row.key) for kind, kept in found if kept for row in {0: kept[0], 1: kept[-1]}.values()]


def hide(folder: Path, view: str, place: Place, column: str) -> None:
    """Flips a bit of the first byte of one column of a row, in the file itself; in what SQLite left behind of it too."""
    parts = [place[0], place[1].encode(), place[2]]
    stored = b"".join(parts)
    changed = bytearray(stored)
    changed[sum(map(len, parts[: COLUMNS.index(column)]))] ^= 1
    path = folder / "views" / (folder / "views" / f"{view}.current").read_text()
    content = path.read_bytes()
    assert stored in content
    path.write_bytes(content.replace(stored, changed))


def asked(ledger: affidavit.Ledger, question: Callable[[Snapshot], Any], as_of: int | None) -> Any:
    with ledger.snapshot(as_of, "2027-01-01") as at:
        return question(at)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("view", VIEWS)
def test_what_is_folded_beside_a_hidden_row_is_right_or_refused(
    pristine: Path, tmp_path: Path, view: str, column: str
) -> None:
    refused = 0
    for number, place in enumerate(dict.fromkeys(places(pristine, view))):
        folder = Path(shutil.copytree(pristine, tmp_path / str(number)))
        hide(folder, view, place, column)
        with affidavit.open(folder, scope="ana") as ledger:
            ledger.extract(Twin())
            for name, question in QUESTIONS.items():
                try:
                    found = asked(ledger, question, None)
                except AffidavitError as error:
                    assert isinstance(error, DamagedRow), (place, name)
                    refused += 1
                else:
                    assert found == asked(ledger, question, ledger.position), (place, name)
    assert refused


def test_a_hidden_claim_is_missed_beside_others_whose_ids_begin_so(
    pristine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "SHORTEST_PREFIX", 0)
    folder = Path(shutil.copytree(pristine, tmp_path / "ledger"))
    hidden = places(folder, "active")[0]
    hide(folder, "active", hidden, "scope")
    with affidavit.open(folder, scope="ana") as ledger, ledger.snapshot() as at:
        rows = at.rows(PROJECTIONS[0]())
        with pytest.raises(DamagedRow, match="vanished"):
            at.find(rows, "claim", "")
