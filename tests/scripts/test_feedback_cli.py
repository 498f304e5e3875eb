"""Feedback as a person types it."""

from pathlib import Path

import pytest
from command import affidavit, claim, the_error

LISBON = "User lives in Lisbon."
UNKNOWN = "0123456789abcdef01234567"
pytestmark = pytest.mark.usefixtures("ledger")


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(tmp_path / "ledger"))
    said = ("remember", "I live in Lisbon.", "--time", "2026-01-01T00:00:00Z")
    for arguments in (("init", "--scope", "ana", "--time-zone", "Europe/Lisbon"), said):
        done = affidavit(*arguments)
        assert done.code == 0, done.err
    return tmp_path / "ledger"


def test_a_verdict_is_printed_and_shown() -> None:
    found = claim(LISBON)
    done = affidavit("feedback", found, "useful")
    assert (done.code, done.out, done.err) == (0, f"useful  {found[:8]}  {LISBON}\n", "")
    shown = affidavit("show", found).out
    assert "  found       useful by a person, 20" in shown
    assert "  utility = 1.05, being useful\n" in shown


def test_what_changes_nothing_says_so() -> None:
    found = claim(LISBON)
    affidavit("feedback", found, "useful", "--id", "f1")
    assert affidavit("feedback", found, "useful").out.endswith("  (as before)\n")
    assert "(older than what is known" in affidavit("feedback", found, "unhelpful", "--time", "2026-01-02").out
    assert "(taken already" in affidavit("feedback", found, "incorrect", "--id", "f1").out
    assert affidavit("show", found, "--json").json["claim"]["live"] is True


def test_json_has_the_documented_fields() -> None:
    done = affidavit("feedback", claim(LISBON), "accurate", "--json")
    assert done.json == {
        "claim": claim(LISBON),
        "verdict": "accurate",
        "counted": "set",
        "position": affidavit("status", "--json").json["position"],
        "refused": "",
        "rule": "",
        "events": ["feedback-given"],
    }


def test_an_incorrect_claim_is_held_back_and_stands_in_the_inbox() -> None:
    found = claim(LISBON)
    done = affidavit("feedback", found, "incorrect")
    assert (done.code, done.out) == (0, f"incorrect  {found[:8]}  {LISBON}\n")
    assert done.err == f'"{LISBON}" is held back with what says the same: nothing automatic brings it back\n'
    assert "(incorrect)" in affidavit("inbox").out
    assert LISBON not in affidavit("prompt", "--now", "2026-01-03").out
    again = affidavit("feedback", found, "accurate")
    assert again.code == 1
    assert again.out.startswith("refused  not live: status quarantined was found")


def test_a_role_that_may_not_judge_is_refused() -> None:
    done = affidavit("feedback", claim(LISBON), "useful", "--role", "assistant", "--actor", "bot")
    assert (done.code, done.out) == (1, "refused  role: role assistant was found, role user or operator is required\n")


def test_a_message_is_heard_in_remember() -> None:
    found = claim(LISBON)
    done = affidavit("remember", f"记忆 {found} 有用。")
    assert (done.code, done.out) == (0, f"useful  {found[:8]}  {LISBON}\n")
    assert "no claim derived" in done.err
    told = affidavit("remember", f"memory {found} is accurate", "--json").json["feedback"]
    assert told == [{"claim": found, "text": LISBON, "verdict": "accurate", "counted": "set"}]


def test_an_unknown_id_in_a_message_is_told_and_the_message_is_kept() -> None:
    done = affidavit("remember", f"memory {UNKNOWN} is incorrect.")
    assert (done.code, done.out) == (1, "")
    told, recorded = done.err.splitlines()
    assert told.startswith(f"refused: feedback: no claim {UNKNOWN}")
    assert recorded.startswith("recorded ")


def test_an_unknown_id_an_unknown_word_and_an_unknown_time_are_usage_errors() -> None:
    the_error(affidavit("feedback", UNKNOWN, "useful"), 2)
    assert affidavit("feedback", claim(LISBON), "wrong").code == 2
    the_error(affidavit("feedback", claim(LISBON), "useful", "--time", "yesterday"), 2)
