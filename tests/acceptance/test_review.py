"""Faults that a review found, each pinned as the kind it is."""

import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain

import affidavit
from affidavit.domain.proposals import ExtractorId, Passage, Proposal, Span
from affidavit.scripts.ledger import Ledger

CANARY = "Xanaduville"


class Broken:
    """Answers in a shape that no schema knows, where it reads its word; elsewhere as `Plain`."""

    identity = ExtractorId("broken", "1", "0" * 64)

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        if "poison" not in passage.text:
            return Plain().extract(passage)
        if isinstance(self.answer, Exception):
            raise self.answer
        return (self.answer,)


def proposal(**fields: Any) -> Any:
    return Proposal(**{"text": "User likes it.", "kind": "fact", "span": Span(0, 1), "quote": "p", **fields})


@pytest.mark.parametrize(
    "answer",
    [
        proposal(kind="banana"),
        proposal(value=None),
        proposal(text="half \ud83d"),
        proposal(entity=""),
        proposal(entity="a\nb"),
        proposal(span=Span(0.5, 1)),  # type: ignore[arg-type]
        "no proposal at all",
        KeyError(CANARY),
    ],
    ids=["kind", "value", "surrogate", "no entity", "line break", "float", "no proposal", "error"],
)
def test_one_poison_message_stops_nothing(tmp_path: Path, answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        texts = ["I like tea", f"poison {CANARY}", "I like cake"]
        ledger.remember(texts, extractor=Broken(answer))
        assert {claim.text for claim in ledger.claims()} == {"User likes tea.", "User likes cake."}
        assert "extraction-failed" in {event["type"] for event in ledger.timeline()}
    assert CANARY not in caplog.text


def test_a_scope_name_is_opened_once_however_many_ask(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    affidavit.init(folder, scope="ana").close()
    outcomes: list[str] = []

    def open_it() -> None:
        with affidavit.open(folder, scope="ana") as ledger:
            try:
                ledger.open_scope("ben")
            except affidavit.UsageError:
                outcomes.append("open already")
            else:
                outcomes.append("opened")

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["open already"] * 5 + ["opened"]
    with affidavit.open(folder, scope="ana") as ledger:
        assert [scope.name for scope in ledger.scopes()] == ["ana", "ben"]


def test_ledgers_of_one_store_write_through_one_log(tmp_path: Path) -> None:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        other = ledger.at("ana")
        logs = set()
        threads = [threading.Thread(target=lambda at=at: logs.add(id(at.log))) for at in (ledger, other) * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(logs) == 1


def test_programs_may_begin_a_ledger_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    affidavit.init(folder, scope="ana").close()
    failed: list[Exception] = []

    def begin(name: str) -> None:
        try:
            affidavit.init(folder, scope=name).close()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=begin, args=(f"s{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_restore_leaves_other_folders_alone(tmp_path: Path) -> None:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.back_up(tmp_path / "backup")
    mine = tmp_path / "mine.restoring"
    mine.mkdir()
    (mine / "f").write_text("mine")
    affidavit.restore(tmp_path / "backup", tmp_path / "mine")
    assert (mine / "f").read_text() == "mine"


def conflict(ledger: Ledger) -> None:
    ledger.remember("I like tea", extractor=Plain())
    ledger.reject(ledger.claims()[0].id)
    ledger.remember("I like tea, again", extractor=Plain())
    assert [matter["class"] for matter in ledger.inbox()] == ["conflict"]


def test_a_conflict_leaves_the_inbox_when_a_person_decides_it(tmp_path: Path) -> None:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        conflict(ledger)
        (denied,) = ledger.claims(status="denied")
        assert not ledger.correct(denied.id, "User likes tea.").refused
        assert ledger.inbox() == []
        assert [claim.text for claim in ledger.claims()] == ["User likes tea."]


def test_a_secret_in_a_correction_is_not_kept(tmp_path: Path) -> None:
    key = "ghp_" + "A1b2" * 9
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember("I like tea", extractor=Plain())
        ledger.correct(ledger.claims()[0].id, f"User's token is {key}.")
        assert key not in ledger.prompt().text
        assert "[secret: " in ledger.prompt().text


def test_what_a_correction_cites_supports_no_one_elses_word(tmp_path: Path) -> None:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember({"text": "I live in Lisbon", "session": "s1"}, extractor=Plain())
        ledger.correct(ledger.claims()[0].id, "User lives in Porto.")
        ledger.remember({"text": "I live in Porto", "session": "s2"}, extractor=Plain())
        (claim,) = ledger.claims()
        assert ledger.show(claim.id).state["sessions"] == 1


def test_a_stray_file_or_a_spoilt_pointer_among_the_views_does_no_harm(tmp_path: Path) -> None:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        ledger.remember("I like tea", extractor=Plain())
        ledger.claims()
        views = tmp_path / "ledger" / "views"
        (views / "active.copy.db").write_text("x")
        (views / "active.current").write_bytes(b"\xff\xfe")
        assert len(ledger.claims()) == 1
        ledger.rebuild()
        assert len(ledger.claims()) == 1
