"""Jobs and nominations as they are typed."""

from pathlib import Path

import pytest
from answering import Answering, says
from command import affidavit, claim

from affidavit.scripts.ledger import open_ledger

PENDING = "The push is pending."


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(tmp_path / "ledger"))
    assert affidavit("init", "--scope", "ana", "--time-zone", "Europe/Lisbon").code == 0
    with open_ledger(tmp_path / "ledger") as opened:
        opened.remember({"text": PENDING}, extractor=Answering(says(PENDING, kind="project_state")))
    return tmp_path / "ledger"


def test_the_state_of_an_extractors_work_is_told(ledger: Path) -> None:
    done = affidavit("jobs")
    assert (done.code, done.out.partition(": ")[2]) == (0, "1 pending, 0 running, 0 done, 0 failed\n")
    affidavit("extract")
    found = affidavit("jobs", "--json").json
    assert {name: found[name] for name in ("pending", "running", "done", "failed", "paused")} == {
        **dict.fromkeys(("pending", "running", "failed", "paused"), 0),
        "done": 1,
    }
    assert (found["calls"], found["calls_an_hour"]) == (0, 0)


def test_an_unknown_extractor_is_a_usage_error(ledger: Path) -> None:
    assert affidavit("jobs", "--extractor", "nobody").code == 2


def test_a_tools_result_names_what_it_is_about(ledger: Path) -> None:
    done = affidavit("remember", "push completed", "--role", "tool", "--target", claim(PENDING), "--json")
    assert done.code == 0, done.err
    (item,) = affidavit("evidence", done.json["evidence"][0], "--json").json["evidence"]
    assert [one[:8] for one in item["targets"]] == [claim(PENDING)[:8]]


def test_what_may_not_be_named_is_a_usage_error(ledger: Path) -> None:
    affidavit("remember", "I like tea.")
    liking = claim("User likes tea.")
    assert affidavit("remember", "x", "--target", claim(PENDING)).code == 2
    assert affidavit("remember", "x", "--role", "tool", "--target", liking).code == 2
    assert affidavit("remember", "x", "--role", "tool", "--target", "000000").code == 2


def test_extract_tells_what_was_withheld_and_what_is_left(ledger: Path) -> None:
    done = affidavit("extract", "--json").json
    assert {name: done[name] for name in ("read", "withheld", "pending", "running")} == {
        "read": 1,
        "withheld": 0,
        "pending": 0,
        "running": 0,
    }
