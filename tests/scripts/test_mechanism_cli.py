"""The commands of the evidence mechanism, as a person and a host type them."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import Run, affidavit, claim, the_error

HEDGED = "I think I prefer tea."
SENTENCE = "User prefers tea."


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(tmp_path / "ledger"))
    for arguments in (("init", "--scope", "ana", "--time-zone", "Europe/Lisbon"), ("remember", HEDGED)):
        done = affidavit(*arguments)
        assert done.code == 0, done.err
    return tmp_path / "ledger"


def surfaced() -> str:
    (one,) = affidavit("surface", "--json").json["claims"]
    assert set(one) == {"claim", "text", "form", "score"}
    return str(one["claim"])


def shown(text: str = SENTENCE) -> dict[str, object]:
    state: dict[str, object] = affidavit("show", claim(text), "--json").json["state"]
    return state


# -- surface and reply -------------------------------------------------------------------------------------------------


def test_what_the_user_was_not_sure_of_is_asked_once_within_half_an_hour(ledger: Path) -> None:
    assert SENTENCE in affidavit("surface", "--now", "2027-01-01T12:00:00Z").out
    done = affidavit("surface", "--now", "2027-01-01T12:29:00Z")
    assert (done.code, done.out, done.err) == (0, "", "nothing to ask about now\n")
    assert SENTENCE in affidavit("surface", "--now", "2027-01-01T12:30:00Z").out


@pytest.mark.parametrize("text", ["Yes, that's right.", "yes", "  Exactly!  ", "是的。", "对"])
def test_a_plain_yes_confirms(ledger: Path, text: str) -> None:
    surfaced()
    done = affidavit("reply", text, "--json")
    (verdict,) = done.json["verdicts"]
    assert (done.code, verdict["verdict"], verdict["text"], verdict["refused"]) == (0, "confirms", SENTENCE, "")
    assert {name: shown()[name] for name in ("reinforcement", "vouched", "confirmation")} == {
        "reinforcement": 1.0,
        "vouched": True,
        "confirmation": "confirmed",
    }


@pytest.mark.parametrize("text", ["No.", "不是", "No, that's wrong!"])
def test_a_plain_no_denies_and_the_claim_does_not_come_back(ledger: Path, text: str) -> None:
    surfaced()
    assert affidavit("reply", text).out.startswith("denies")
    assert affidavit("claims").out == ""
    again = affidavit("remember", "I prefer tea.")
    assert "refused" in again.err
    assert affidavit("claims").out == ""


@pytest.mark.parametrize("text", ["Well, it depends.", "Yes, but only in the morning.", "no idea", "也许吧", "."])
def test_what_is_not_clear_counts_for_nothing_and_is_asked_again(ledger: Path, text: str) -> None:
    surfaced()
    before = shown()
    done = affidavit("reply", text)
    assert (done.code, done.out) == (0, "")
    assert "ask again" in done.err
    assert shown() == before
    assert "judge reply: no answer" in affidavit("funnel").out
    assert affidavit("reply", "Yes.").out.startswith("confirms")


def test_a_verdict_by_hand_needs_words_only_from_a_host(ledger: Path) -> None:
    surfaced()
    done = affidavit("reply", "I guess so, yes", "--verdict", "confirms", "--role", "host")
    assert (done.code, done.out.split()[0]) == (1, "refused")
    done = affidavit("reply", "I guess so, really", "--verdict", "confirms", "--role", "host", "--quote", "I guess so")
    assert (done.code, done.out.split()[0]) == (0, "confirms")
    assert affidavit("surface", "--now", "2030-01-01").out == ""


def test_an_ignored_question_lowers_the_score_a_little(ledger: Path) -> None:
    surfaced()
    assert affidavit("reply", "What's for dinner?", "--verdict", "ignores").code == 0
    assert shown()["reinforcement"] == -0.2


@pytest.mark.parametrize("role", ["assistant", "tool", "system", "extractor", "scheduler"])
def test_no_other_role_gives_a_verdict(ledger: Path, role: str) -> None:
    surfaced()
    done = affidavit("reply", "Yes indeed", "--verdict", "confirms", "--role", role)
    assert (done.code, done.out.split()[0]) == (1, "refused")
    assert shown()["reinforcement"] == 0


def test_errors_of_a_reply_say_what_to_do(ledger: Path) -> None:
    assert "affidavit surface" in the_error(affidavit("reply", "yes"), 2)
    one = surfaced()
    assert "quote" in the_error(affidavit("reply", "yes", "--verdict", "confirms", "--quote", "no"), 2)
    assert "begins with" in the_error(affidavit("reply", "yes", "--claim", "0" * 24), 2)
    affidavit("reject", one)
    assert affidavit("reply", "yes", "--claim", one, "--verdict", "confirms").code == 1


def test_a_reply_counts_at_its_own_moment(ledger: Path) -> None:
    affidavit("surface", "--now", "2030-01-01T12:00:00Z")
    affidavit("reply", "yes", "--now", "2030-01-02T12:00:00Z")
    found = affidavit("show", claim(SENTENCE), "--now", "2030-01-02T12:00:00Z", "--json").json
    assert found["state"]["rein_last_signal_at"] == "2030-01-02T12:00:00Z"
    assert found["score"] == 1.0


def test_a_plain_yes_is_about_what_was_asked_last(ledger: Path) -> None:
    affidavit("surface", "--now", "2027-01-01T12:00:00Z")
    affidavit("remember", "I think I prefer jazz.")
    assert "jazz" in affidavit("surface", "--now", "2027-01-01T12:05:00Z").out
    assert "jazz" in affidavit("reply", "yes", "--now", "2027-01-01T12:06:00Z").out
    assert shown()["vouched"] is False


def test_a_quote_that_is_not_there_records_nothing(ledger: Path) -> None:
    surfaced()
    before = affidavit("status", "--json").json["position"]
    assert "quote" in the_error(affidavit("reply", "yes", "--verdict", "confirms", "--quote", "no"), 2)
    assert affidavit("status", "--json").json["position"] == before


def test_a_switch_that_is_refused_is_json_too(ledger: Path) -> None:
    done = affidavit("mode", "off", "--role", "assistant", "--json")
    assert (done.code, done.json["rule"]) == (1, "role")


def test_a_reply_that_says_something_is_read_like_any_message(ledger: Path) -> None:
    surfaced()
    affidavit("reply", "I live in Porto.")
    assert "User lives in Porto." in affidavit("claims").out


# -- injected ----------------------------------------------------------------------------------------------------------


def test_a_prompt_that_was_used_is_noted_by_its_manifest(ledger: Path, tmp_path: Path) -> None:
    manifest = affidavit("prompt", "--manifest").out
    assert affidavit("injected", "-", stdin=manifest).code == 0
    (tmp_path / "prompt.json").write_text(affidavit("prompt", "--json").out)
    assert affidavit("injected", tmp_path / "prompt.json", "--role", "host", "--json").json["events"] == ["prompt-injected"]
    assert "2  prompts injected" in affidavit("funnel").out
    done = affidavit("injected", "-", "--role", "assistant", stdin=manifest)
    assert (done.code, done.out.split()[0]) == (1, "refused")


@pytest.mark.parametrize(
    "manifest",
    ["", "{", "[]", "7", "{}", '{"now": "x", "sections": [], "tokens": 1, "policy": ""}', "[" * 100_000, '{"sections": 3}'],
)
def test_what_is_no_manifest_is_refused_with_one_sentence(ledger: Path, manifest: str) -> None:
    before = affidavit("status", "--json").json["position"]
    assert "manifest" in the_error(affidavit("injected", "-", stdin=manifest), 2)
    assert affidavit("status", "--json").json["position"] == before


@pytest.mark.parametrize(
    "field", ['"tokens": 1e999', '"tokens": -5', '"tokens": 1e30', '"policy": "a secret"', '"now": "soon"']
)
def test_a_field_of_a_manifest_that_does_not_fit_is_named(ledger: Path, field: str) -> None:
    manifest = affidavit("prompt", "--manifest").json
    name = field.split('"')[1]
    text = json.dumps({**manifest, name: "HERE"}).replace(f'"{name}": "HERE"', field)
    said = the_error(affidavit("injected", "-", stdin=text), 2)
    assert name in said or "ISO" in said or "Invalid isoformat" in said or "number" in said.lower()


def test_a_manifest_of_another_scope_is_refused(ledger: Path) -> None:
    manifest = affidavit("prompt", "--manifest").out
    affidavit("init", "--scope", "ben")
    assert "id" in the_error(affidavit("injected", "-", "--scope", "ben", stdin=manifest), 2)


def test_a_file_that_is_no_text_is_refused(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "odd").write_bytes(b"\xff\xfe\x00")
    assert the_error(affidavit("injected", tmp_path / "odd"), 2)
    assert the_error(affidavit("injected", tmp_path / "none"), 2)


# -- archive, mode, funnel, tick ---------------------------------------------------------------------------------------


def disputed(days: int) -> Run:
    """Lets a claim be disputed and looked at on so many days; returns the last look."""
    affidavit("remember", "I like rain.", "--time", "2026-11-01")
    affidavit("remember", "I don't like rain.", "--time", "2026-11-02")
    done = Run(0, "", "")
    for day in range(days):
        done = affidavit("tick", "--now", f"2026-11-{day + 3:02}T12:00:00")
    return done


def test_fourteen_days_below_zero_are_the_archive_and_back(ledger: Path) -> None:
    assert "claim-archived" not in disputed(13).out
    assert affidavit("archive", "list").err == "nothing is archived\n"
    done = affidavit("tick", "--now", "2026-11-16T12:00:00", "--json").json
    assert done["events"] == {"claim-archived": 1, "sub-zero-day-counted": 1}
    rain = claim("User likes rain.")
    (one,) = affidavit("archive", "list", "--json").json["archived"]
    assert (one["id"], one["shard"], one["sub_zero_days"]) == (rain, "2026-11-16_0001", 14)
    told = affidavit("archive", "show", rain[:8]).out
    assert "shard 2026-11-16_0001" in told
    assert "claim-archived: 14, 14 required" in told
    assert affidavit("unarchive", rain, "--role", "assistant").code == 1
    assert affidavit("unarchive", rain).out.startswith("unarchived")
    assert affidavit("unarchive", rain).out == "nothing to do: it is unarchived already\n"
    assert affidavit("archive", "list").out == ""
    assert "archived one is required" in the_error(affidavit("archive", "show", rain), 2)


def test_the_mode_is_told_and_switched(ledger: Path) -> None:
    assert affidavit("mode").out == "powerful memory is on\n"
    assert affidavit("mode", "off", "--now", "2026-12-01T10:00:00Z").out == (
        "powerful memory is off, since 2026-12-01 10:00 UTC\n"
    )
    assert affidavit("mode", "--json").json == {"powerful": False, "since": "2026-12-01T10:00:00Z"}
    assert affidavit("mode", "on", "--role", "host").code == 1
    assert affidavit("mode", "on").out.startswith("powerful memory is on")


def test_the_funnel_takes_a_window(ledger: Path) -> None:
    whole = affidavit("funnel", "--json").json["stages"]
    assert [one["stage"] for one in whole] == ["evidence recorded", "evidence read", "claims derived"]
    assert affidavit("funnel", "--until", "2000-01-01").err == "nothing occurred in this window\n"
    assert "ISO 8601" in the_error(affidavit("funnel", "--since", "yesterday"), 2)


@pytest.mark.parametrize("moment", ["yesterday", "0001-01-01", "9999-12-31T23:59:59Z", ""])
def test_a_tick_at_no_moment_is_refused(ledger: Path, moment: str) -> None:
    assert "ISO 8601" in the_error(affidavit("tick", "--now", moment), 2)


@pytest.mark.parametrize("moment", ["0002-06-01", "9998-06-01", "1969-12-31T23:59:59Z"])
def test_a_tick_at_any_moment_of_the_calendar_works(ledger: Path, moment: str) -> None:
    assert affidavit("tick", "--now", moment).code == 0


def test_an_empty_ledger_has_nothing_due(tmp_path: Path) -> None:
    affidavit("init", "--ledger", tmp_path / "new", "--scope", "ana")
    done = affidavit("tick", "--ledger", tmp_path / "new")
    assert (done.code, done.out) == (0, "nothing was due\n")


def test_run_works_until_it_is_told_to_stop_and_alone(ledger: Path) -> None:
    command = [sys.executable, "-m", "affidavit", "run", "--ledger", str(ledger)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "running" in process.stderr.readline()
        refused = affidavit("tick")
        assert "another program" in the_error(refused, 4)
        process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        out, err = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in err, out) == (0, False, "nothing was due\n")
    assert time.monotonic() - begun < 10
    assert affidavit("tick").code == 0
    assert json.loads(affidavit("status", "--json").out)["position"] > 0
