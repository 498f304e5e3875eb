"""Rows of the upstream journal that hold here in another way: positions and transactions in place of a sentinel.

Upstream appends an event, changes a view and remembers the id of the last event applied, in three steps. Here a command is
one transaction of the log, and a view remembers the position and link up to which it has folded.
"""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from extractors import Dislikes, Plain, archive

import affidavit
from affidavit.domain.errors import AffidavitError, IntegrityFault
from affidavit.scripts.ledger import Ledger

NOON = "2026-11-30T12:00:00Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with affidavit.init(tmp_path / "ledger", scope="ana"):
        pass
    return tmp_path / "ledger"


@pytest.fixture
def ledger(folder: Path) -> Iterator[Ledger]:
    with affidavit.open(folder) as ledger:
        yield ledger


def promoted(ledger: Ledger) -> None:
    """Lets a persona claim be there, and a fact of the same words that is ready to merge into it."""
    for number in range(5):
        message = {"id": f"m{number}", "text": "I like tea.", "session": f"s{number}", "time": NOON}
        ledger.remember(message, extractor=Plain())
    ledger.tick(now=NOON, extractor=Plain())


def fails(*_: object, **__: object) -> None:
    raise sqlite3.OperationalError("disk I/O error")


@pytest.mark.row("N20")
@pytest.mark.row("N33")
def test_a_step_whose_append_fails_leaves_log_and_views_as_they_were(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.remember({"text": "I like rain.", "time": "2026-11-01"}, extractor=Plain())
    ledger.remember({"text": "I dislike rain.", "time": "2026-11-02"}, extractor=Dislikes())
    ledger.extract(Dislikes())
    position, before = ledger.position, ledger.claims(every=True)
    with monkeypatch.context() as broken:
        broken.setattr("affidavit.journal.index.add_receipt", fails)
        with pytest.raises((AffidavitError, sqlite3.OperationalError)):
            ledger.tick(now="2026-11-03", extractor=Dislikes())
    assert (ledger.position, ledger.claims(every=True)) == (position, before)
    (rain,) = [claim for claim in before if claim.text == "User likes rain."]
    assert ledger.show(rain.id).state["sub_zero_days"] == 0
    ledger.tick(now="2026-11-03", extractor=Dislikes())
    assert ledger.show(rain.id).state["sub_zero_days"] == 1


@pytest.mark.row("N23")
@pytest.mark.row("N24")
def test_both_sides_of_a_promotion_are_there_or_neither(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        message = {"id": f"m{number}", "text": "I like tea.", "session": f"s{number}", "time": NOON}
        ledger.remember(message, extractor=Plain())
    with monkeypatch.context() as broken:
        broken.setattr("affidavit.journal.index.add_receipt", fails)
        with pytest.raises((AffidavitError, sqlite3.OperationalError)):
            ledger.tick(now=NOON, extractor=Plain())
    assert {claim.form: claim.status for claim in ledger.claims(every=True)} == {"fact": "active"}
    ledger.tick(now=NOON, extractor=Plain())
    assert {claim.form: claim.status for claim in ledger.claims(every=True)} == {"fact": "promoted", "persona": "active"}
    ends = [step for claim in ledger.claims(every=True) for step in ledger.history(claim.id) if "promoted" in step.type]
    assert abs(ends[0].position - ends[1].position) == 1


@pytest.mark.row("N32")
@pytest.mark.row("N36")
def test_a_record_that_was_changed_is_refused_and_never_skipped(folder: Path) -> None:
    with affidavit.open(folder) as ledger:
        promoted(ledger)
        position = ledger.position
    connection = sqlite3.connect(folder / "log.db")
    connection.execute("DROP TRIGGER records_no_update")
    connection.execute("UPDATE records SET body = zeroblob(length(body)) WHERE position = ?", (position - 1,))
    connection.commit()
    connection.close()
    with affidavit.open(folder, check=False) as ledger:
        with pytest.raises(IntegrityFault, match=f"position {position - 1}"):
            ledger.rebuild()
        assert not ledger.verify().clean


@pytest.mark.row("N34")
def test_five_threads_count_five(ledger: Ledger) -> None:
    ledger.remember({"id": "m", "text": "I like tea.", "session": "first"}, extractor=Plain())

    def restate(number: int) -> None:
        ledger.remember({"id": f"m{number}", "text": "I like tea.", "session": f"s{number}"}, extractor=Plain())

    threads = [threading.Thread(target=restate, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (tea,) = ledger.claims()
    assert ledger.show(tea.id).state["user_fact_reinforce_count"] == 5


@pytest.mark.row("N35")
def test_a_view_folds_what_came_after_its_position_and_all_where_that_is_unknown(ledger: Ledger, folder: Path) -> None:
    archive(ledger, "rain")
    before = ledger.archive()
    behind = (folder / "views" / (folder / "views" / "archive.current").read_text()).read_bytes()
    ledger.unarchive(before[0]["id"])
    assert ledger.archive() == []
    ledger.close()
    current = folder / "views" / (folder / "views" / "archive.current").read_text()
    current.write_bytes(behind)  # A view that is behind folds the tail.
    for beside in folder.glob("views/archive.*.db-*"):
        beside.unlink()
    with affidavit.open(folder) as again:
        assert again.archive() == []
    connection = sqlite3.connect(current)
    connection.execute("UPDATE view SET link = zeroblob(32)")
    connection.commit()
    connection.close()
    with affidavit.open(folder) as again:  # One whose place in the log is unknown is built anew.
        assert again.archive() == []
        assert all(one.agree for one in again.check_views())


@pytest.mark.row("N37")
def test_a_type_that_is_not_known_stops_the_fold_at_its_position(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(ledger, "rain")
    assert len(ledger.archive()) == 1
    ledger.unarchive(ledger.archive()[0]["id"])
    monkeypatch.delitem(affidavit.journal.reading.FIELDS, "claim-unarchived.v1")
    with pytest.raises(IntegrityFault, match=f"position {ledger.position}"):
        ledger.archive()
    monkeypatch.undo()
    assert ledger.archive() == []


@pytest.mark.row("N38")
def test_nothing_is_ever_compacted_away(ledger: Ledger) -> None:
    archive(ledger, "rain", "wind")
    position = ledger.position
    ledger.rebuild()
    ledger.rebuild_index()
    report = ledger.verify()
    assert report.clean
    assert (report.position, report.records) == (position, position)
