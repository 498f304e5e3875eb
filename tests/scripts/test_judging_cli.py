"""The commands forget, resolve and undo, as a person types them."""

from pathlib import Path

import pytest
from command import affidavit, claim

TEA = "User likes tea."


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(tmp_path / "ledger"))
    for arguments in (("init", "--scope", "ana"), ("remember", "I like tea.")):
        assert affidavit(*arguments).code == 0
    return tmp_path / "ledger"


def test_what_is_forgotten_is_not_listed_and_is_refused_when_said_again() -> None:
    done = affidavit("forget", claim(TEA), "--json")
    assert (done.code, done.json["events"]) == (0, ["claim-forgotten", "value-rejected"])
    assert affidavit("claims").out == ""
    assert affidavit("remember", "I like tea!").code == 1
    assert affidavit("forget", done.json["claim"]).out.startswith("nothing to do")
    assert affidavit("forget", "abcdef").code == 2
    assert affidavit("forget", done.json["claim"], "--role", "tool").code == 1


@pytest.mark.parametrize("disposition", ["keep-new", "keep-both"])
def test_what_the_inbox_holds_is_resolved(disposition: str) -> None:
    tea = claim(TEA)
    affidavit("feedback", tea, "incorrect")
    assert "resolve it: keep-new believes it" in affidavit("inbox").out
    done = affidavit("resolve", tea, disposition)
    assert (done.code, done.out.split("  ")[0]) == (0, f"resolved by {disposition}")
    assert affidavit("inbox").out == ""
    assert TEA in affidavit("claims").out
    assert f"resolved by {disposition}" in affidavit("why", tea).out
    assert affidavit("resolve", tea, disposition).code == 1


def test_a_conflict_is_resolved_at_the_rejected_claim() -> None:
    tea = claim(TEA)
    affidavit("reject", tea)
    affidavit("remember", "I like tea, really.", "--time", "2099-01-01")
    line = affidavit("inbox").out
    assert line.startswith("conflict")
    assert tea[:8] in line
    assert affidavit("resolve", tea, "manual", "--text", "User likes white tea.").code == 0
    assert affidavit("inbox").out == ""
    assert "User likes white tea." in affidavit("claims").out
    assert affidavit("resolve", tea, "manual").code == 1
    assert affidavit("resolve", tea, "perhaps").code == 2


def test_the_last_change_is_undone_by_its_position() -> None:
    position = affidavit("pin", claim(TEA), "--json").json["position"]
    done = affidavit("undo", str(position))
    assert (done.code, done.out.split()[0]) == (0, "undone")
    assert affidavit("show", claim(TEA), "--json").json["state"]["pinned"] is False
    assert "a change was undone" in affidavit("why", claim(TEA)).out
    done = affidavit("undo", str(position))
    assert (done.code, "changed since" in done.out) == (1, True)
    assert affidavit("undo", "999999").code == 2
    assert affidavit("undo", "abc").code == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("tick", "--now", "soon"), "now is 'soon', an ISO 8601 time is required"),
        (("funnel", "--since", "2020"), "since is '2020', an ISO 8601 time is required"),
        (("funnel", "--until", "x"), "until is 'x', an ISO 8601 time is required"),
        (("claims", "--as-of", "x"), "as-of is 'x', a position or an ISO 8601 time is required"),
        (("claims", "--now", "x"), "now is 'x', an ISO 8601 time is required"),
    ],
)
def test_a_time_that_is_none_is_called_by_its_name(arguments: tuple[str, ...], sentence: str) -> None:
    done = affidavit(*arguments)
    assert (done.code, done.err) == (2, f"affidavit: {sentence}\n")
