"""The command line: stdout is data, stderr the rest, the exit code says how it went, an error is one sentence."""

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import click
import pytest
from command import affidavit, claim, the_error

from affidavit.journal.recorder import LedgerDatastore
from affidavit.scripts import bootstrap
from affidavit.scripts.cli import app

COMMANDS = [
    *("init", "remember", "import", "extract", "jobs", "claims", "show", "why", "history", "evidence", "timeline", "prompt"),
    *(
        "context",
        "envelope",
        "correct",
        "reject",
        *("pin", "unpin", "feedback", "forget", "undo", "inbox", "resolve"),
        *("surface", "reply", "injected", "archive", "unarchive", "mode", "funnel", "tick", "run"),
        "scopes",
        "policy",
        "rebuild",
        "verify",
        "backup",
        "restore",
        "status",
    ),
    "completion",
]
CHAT = '{"id": "1", "role": "user", "time": "2026-11-30T12:00:00Z", "text": "I like tea."}\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Makes one ledger with a claim that was superseded, one that stands and a Chinese one; each test copies it."""
    folder = tmp_path_factory.mktemp("made") / "ledger"
    for arguments in (
        ("init", "--scope", "ana", "--time-zone", "Europe/Lisbon"),
        ("remember", "I live in Lisbon. I like tea.", "--id", "1", "--name", "Ana", "--session", "first"),
        ("remember", "I live in Porto.", "--id", "2"),
        ("remember", "我喜欢绿茶。", "--id", "3"),
    ):
        done = affidavit(*arguments, "--ledger", folder)
        assert done.code == 0, done.err
    return folder


@pytest.fixture
def ledger(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns a copy of that ledger, which the environment names."""
    folder = Path(shutil.copytree(made, tmp_path / "ledger"))
    monkeypatch.setenv("AFFIDAVIT_LEDGER", str(folder))
    return folder


# -- help and completion -----------------------------------------------------------------------------------------------


def test_every_verb_is_there() -> None:
    assert list(app.commands) == COMMANDS


@pytest.mark.parametrize("command", [*COMMANDS, "policy show", "policy adopt", ""])
def test_every_command_says_what_it_is_for(command: str) -> None:
    done = affidavit(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    usage, _, rest = done.out.partition("\n\n")
    assert usage.startswith("Usage: affidavit")
    assert rest.strip()[0].isupper()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained(command: str) -> None:
    options = [one for one in app.commands[command].params if isinstance(one, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize(
    "command", ["claims", "show", "why", "history", "evidence", "timeline", "prompt", "context", "inbox"]
)
def test_every_read_takes_both_times_and_prints_json(command: str) -> None:
    names = {name for parameter in app.commands[command].params for name in parameter.opts}
    assert {"--as-of", "--now", "--json", "--ledger", "--scope"} <= names


def test_the_policy_of_the_past_can_be_read(ledger: Path) -> None:
    assert affidavit("policy", "show", "--as-of", "5").code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(shell: str) -> None:
    done = affidavit("completion", shell)
    assert done.code == 0
    assert "_AFFIDAVIT_COMPLETE" in done.out


def test_the_version_is_printed() -> None:
    assert affidavit("--version").out.startswith("affidavit, version 0.")


# -- usage, exit 2 -----------------------------------------------------------------------------------------------------


def test_without_a_ledger_the_error_says_how_to_name_one() -> None:
    assert "name it with --ledger PATH or AFFIDAVIT_LEDGER" in the_error(affidavit("claims"), 2)


def test_a_ledger_that_is_not_there_is_named_with_the_remedy(tmp_path: Path) -> None:
    said = the_error(affidavit("claims", "--ledger", tmp_path / "none"), 2)
    assert f"{tmp_path / 'none'}: there is no ledger; make one with `affidavit init" in said


@pytest.mark.parametrize("arguments", [("claims", "--colour"), ("show",), ("fly",), ("prompt", "--budget", "0")])
def test_what_click_cannot_parse_is_a_usage_error(ledger: Path, arguments: tuple[str, ...]) -> None:
    done = affidavit(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Error: " in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", ["show", "why", "history", "evidence", "reject"])
@pytest.mark.parametrize(
    ("prefix", "reason"), [("ffffff", "begins with ffffff"), ("12", "is not an id"), ("tea", "is not an id")]
)
def test_an_unknown_id_is_a_usage_error(ledger: Path, command: str, prefix: str, reason: str) -> None:
    assert reason in the_error(affidavit(command, prefix), 2)


def test_an_unknown_id_is_not_corrected(ledger: Path) -> None:
    assert "begins with ffffff" in the_error(affidavit("correct", "ffffff", "x"), 2)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("claims", "--as-of", "once"), "as-of is 'once'"),
        (("prompt", "--now", "soon"), "now is 'soon'"),
        (("claims", "--scope", "eve"), "there is no scope 'eve'; open scopes: ana"),
        (("remember", ""), 'a message needs a "text"'),
        (("remember", "x", "--time", "yesterday"), "time is 'yesterday'"),
        (("init", "--scope", "ana"), "scope 'ana' is open already"),
        (("init",), "name the scope with --scope NAME"),
        (("init", "--scope", "ben", "--time-zone", "Mars/Base"), "Mars/Base"),
        (("import", "missing.jsonl"), "missing.jsonl: there is no such file"),
        (("extract", "--extractor", "gpt"), "there is no extractor 'gpt'"),
        (("policy", "adopt", "missing.toml"), "`affidavit policy show` prints a whole one"),
    ],
)
def test_a_wrong_word_is_named(ledger: Path, arguments: tuple[str, ...], reason: str) -> None:
    assert reason in the_error(affidavit(*arguments), 2)


def test_a_position_beyond_the_log_is_a_usage_error(ledger: Path) -> None:
    assert "position 9999 is not in the log" in the_error(affidavit("claims", "--as-of", "9999"), 2)


def test_an_unknown_status_is_a_usage_error(ledger: Path) -> None:
    assert "lost" in the_error(affidavit("claims", "--status", "lost"), 2)


POLICIES = [
    "[score]\nreinforcement_half_life = 0\n",
    "[kinds.preference]\nhalf_life = 0\nfloor = 500000\ndormant_after = 7\n",
    "[kinds.preference]\nhalf_life = 9\nfloor = 500000\ndormant_after = 7\nconfidence_days = 0\n",
    "[extraction]\nbackoff_seconds = []\n",
    "[extraction]\ndead_letter_after = -1\n",
    "[confidence]\nexplicit = 99000000\n",
    "[prompt]\nfacts = -1\n",
]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_that_cannot_be_reckoned_with_is_refused(ledger: Path, tmp_path: Path, policy: str) -> None:
    (tmp_path / "policy.toml").write_text(policy)
    the_error(affidavit("policy", "adopt", tmp_path / "policy.toml"), 2)


def test_a_policy_with_an_unknown_field_is_refused_by_name(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text("[prompt]\nfactz = 1\n")
    assert "factz" in the_error(affidavit("policy", "adopt", tmp_path / "policy.toml"), 2)


def test_a_new_ledger_where_a_file_lies_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    the_error(affidavit("init", "--ledger", tmp_path / "file", "--scope", "ana"), 2)


def test_a_refused_beginning_leaves_nothing(tmp_path: Path) -> None:
    the_error(affidavit("init", "--ledger", tmp_path / "new", "--scope", "ana", "--time-zone", "Mars/Base"), 2)
    assert not (tmp_path / "new" / "log.db").exists()


def test_a_text_that_is_no_unicode_is_a_usage_error(ledger: Path) -> None:
    the_error(affidavit("remember", "I like \udcff tea."), 2)


# -- write -------------------------------------------------------------------------------------------------------------


def test_a_new_ledger_says_that_losing_the_keys_loses_the_text(tmp_path: Path) -> None:
    done = affidavit("init", "--ledger", tmp_path / "new", "--scope", "ana", "--time-zone", "Asia/Shanghai")
    assert done.code == 0
    assert "scope ana opened, time zone Asia/Shanghai" in done.out
    assert "Losing the keys loses the text" in done.err


def test_remember_prints_the_claims_and_tells_the_rest(ledger: Path) -> None:
    done = affidavit("remember", "My name is Ana.", "--session", "s")
    assert done.code == 0
    assert "Ana" in done.out
    assert "position" in done.err
    assert affidavit("remember", "What is the weather?").out == ""


def test_remember_says_where_no_claim_was_derived(ledger: Path) -> None:
    assert "no claim derived" in affidavit("remember", "What is the weather?").err
    assert "no claim derived" in affidavit("remember", "I like tea.", "--role", "assistant").err


def test_remember_reads_stdin(ledger: Path) -> None:
    assert "User likes cake." in affidavit("remember", "-", stdin="I like cake.\n").out


def test_remember_as_json(ledger: Path) -> None:
    done = affidavit("remember", "I like cake.", "--json").json
    assert set(done) == {
        *("position", "evidence", "claims", "refused", "known", "revised", "failed", "secrets"),
        *("withheld", "pending", "feedback"),
    }
    assert [one["text"] for one in done["claims"]] == ["User likes cake."]


def test_a_known_message_adds_nothing(ledger: Path) -> None:
    before = affidavit("claims", "--json").json["position"]
    done = affidavit("remember", "I live in Porto.", "--id", "2", "--json")
    assert (done.code, done.json["known"], done.json["position"]) == (0, 1, before)


def test_a_known_message_is_not_said_to_support_no_claim(ledger: Path) -> None:
    done = affidavit("remember", "I live in Porto.", "--id", "2")
    assert "known already" in done.err
    assert "no claim derived" not in done.err


def test_an_assertion_is_held(ledger: Path) -> None:
    assert "Ana is left-handed." in affidavit("remember", "Ana is left-handed.", "--as-claim").out


def test_only_recorded_is_read_by_the_next_extraction(ledger: Path) -> None:
    assert affidavit("remember", "I like cake.", "--no-extract").out == ""
    done = affidavit("extract", "--json")
    assert done.code == 0
    assert set(done.json) == {
        *("extractor", "read", "derived", "reaffirmed", "superseded", "quarantined", "refused", "failed", "position"),
        *("withheld", "pending", "running"),
    }
    assert (done.json["read"], done.json["derived"]) == (1, 1)


def test_nothing_to_read_is_said(ledger: Path) -> None:
    assert "rules: nothing to read" in affidavit("extract").out
    assert affidavit("extract", "--all", "--json").json["read"] == 3


def test_an_import_tells_counts_on_stdout_and_bad_lines_on_stderr(ledger: Path, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(CHAT + "oops\n")
    done = affidavit("import", file)
    assert done.code == 1
    assert "ana: 1 recorded" in done.out
    assert "1 skipped" in done.out
    assert f"{file}:2: not JSON" in done.err
    file.write_text(CHAT)
    assert affidavit("import", file).code == 0


def test_an_import_as_json(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text(CHAT + "oops\n")
    (done,) = affidavit("import", tmp_path / "chat.jsonl", "--json").json["imported"]
    assert (done["scope"], done["recorded"], done["skipped"][0]["line"]) == ("ana", 1, 2)


def test_a_correction_is_told_and_holds(ledger: Path) -> None:
    done = affidavit("correct", claim("User lives in Porto.")[:8], "User lives in Faro.", "--actor", "Olga")
    assert done.code == 0
    assert done.out.startswith("corrected  ")
    assert "User lives in Faro." in affidavit("claims").out
    assert "corrected by Olga (operator)" in affidavit("why", claim("User lives in Faro.")).out


def test_a_rejection_is_told_and_repeated_in_peace(ledger: Path) -> None:
    tea = claim("User likes tea.")
    assert affidavit("reject", tea).out.startswith(f"rejected  {tea[:8]}  User likes tea.  position ")
    again = affidavit("reject", tea)
    assert (again.code, again.out) == (0, "nothing to do: it is rejected already\n")


def test_a_refusal_is_a_finding(ledger: Path) -> None:
    tea = claim("User likes tea.")
    done = affidavit("reject", tea, "--role", "assistant")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("refused  role")
    as_json = affidavit("correct", tea, "x", "--role", "tool", "--json")
    assert (as_json.code, as_json.json["rule"]) == (1, "role")


def test_what_was_rejected_and_said_again_is_a_finding(ledger: Path) -> None:
    affidavit("reject", claim("User likes tea."))
    done = affidavit("remember", "I like tea.")
    assert (done.code, done.out) == (1, "")
    assert "refused: rejected value" in done.err
    assert "User likes tea." in affidavit("inbox").out


def test_a_policy_goes_out_and_comes_in(ledger: Path, tmp_path: Path) -> None:
    shown = affidavit("policy", "show").out
    file = tmp_path / "policy.toml"
    file.write_text(shown)
    assert "it is in force already" in affidavit("policy", "adopt", file).out
    file.write_text(shown.replace("facts = 2000", "facts = 1"))
    assert affidavit("policy", "adopt", file).code == 0
    assert affidavit("prompt").out == ""
    assert affidavit("policy", "adopt", file, "--role", "assistant").code == 1


# -- read --------------------------------------------------------------------------------------------------------------

CLAIM = {
    *("id", "text", "form", "kind", "entity", "status", "evidence"),
    *("live", "namespace", "attribute", "value", "polarity", "confidence", "corrected"),
}
SOURCE = {
    *("evidence", "source", "session", "message", "role", "speaker", "occurred_at", "revision"),
    *("start", "end", "quote", "before", "after", "extractor"),
}
ITEM = {
    *("id", "source", "session", "message", "role", "speaker", "occurred_at", "revision", "text", "claims", "readings"),
    "targets",
}


def test_claims_as_json(ledger: Path) -> None:
    done = affidavit("claims", "--json")
    assert (done.code, done.err) == (0, "")
    assert set(done.json) == {"position", "claims"}
    assert all(set(one) == CLAIM for one in done.json["claims"])
    assert list(done.json["claims"][0])[:7] == ["id", "text", "form", "kind", "entity", "status", "evidence"]
    evidence = {one["id"] for one in affidavit("evidence", "--json").json["evidence"]}
    assert all(one["evidence"] and set(one["evidence"]) <= evidence for one in done.json["claims"])


def test_claims_are_lines_with_short_ids(ledger: Path) -> None:
    lines = affidavit("claims").out.splitlines()
    assert {line.split(maxsplit=2)[2] for line in lines} == {"User likes tea.", "User lives in Porto.", "用户喜欢绿茶。"}
    assert all(len(line.split()[0]) == 8 for line in lines)
    assert len(affidavit("claims", "--all").out.splitlines()) == 4
    assert "User lives in Lisbon." in affidavit("claims", "--status", "superseded").out


def test_no_claims_is_a_note_and_no_data(tmp_path: Path) -> None:
    affidavit("init", "--ledger", tmp_path / "new", "--scope", "ana")
    done = affidavit("claims", "--ledger", tmp_path / "new")
    assert (done.code, done.out) == (0, "")
    assert "no live claims" in done.err


def test_show_as_text_and_json(ledger: Path) -> None:
    tea = claim("User likes tea.")
    assert "score = 0 x .5^" in affidavit("show", tea[:6]).out
    done = affidavit("show", tea, "--json").json
    assert set(done) == {
        *(
            "claim",
            "now",
            "score",
            "freshness",
            "dormant",
            "evidence_weight",
            "formula",
            "state",
            "superseded_by",
            "bound_to",
            "tier",
            "steps",
            "decisions",
        ),
    }
    assert set(done["claim"]) == CLAIM


def test_why_shows_the_source_sentence_with_the_span_marked(ledger: Path) -> None:
    done = affidavit("why", claim("User likes tea.")).out
    assert "»I like tea" in done
    assert "I live in Lisbon." not in done
    assert "Ana (user)" in done
    as_json = affidavit("why", claim("User lives in Lisbon."), "--json").json
    assert set(as_json) == {"claim", "sources", "corrections", "superseded_by", "parents", "clauses"}
    assert set(as_json["sources"][0]) == SOURCE
    assert as_json["superseded_by"]["text"] == "User lives in Porto."


def test_history_as_text_and_json(ledger: Path) -> None:
    lisbon = claim("User lives in Lisbon.")
    assert "claim-superseded" in affidavit("history", lisbon).out
    done = affidavit("history", lisbon, "--json").json
    assert [step["type"] for step in done["events"]] == ["claim-derived", "claim-superseded"]
    assert set(done["events"][0]) == {"position", "type", "occurred_at", "recorded_at", "role", "actor", "changed"}
    assert done["claim"] == lisbon


def test_history_names_the_whole_id_of_its_claim(ledger: Path) -> None:
    lisbon = claim("User lives in Lisbon.")
    assert affidavit("history", lisbon[:7], "--json").json["claim"] == lisbon


def test_evidence_as_text_and_json(ledger: Path) -> None:
    items = affidavit("evidence", "--json").json["evidence"]
    assert all(set(item) == ITEM for item in items)
    assert [item["message"] for item in items] == ["1", "2", "3"]
    assert "role user, revision 1" in affidavit("evidence", items[0]["id"]).out
    assert len(affidavit("evidence").out.splitlines()) == 3


def test_the_timeline_as_text_and_json(ledger: Path) -> None:
    events = affidavit("timeline", "--json").json["events"]
    assert [event["position"] for event in events] == list(range(1, len(events) + 1))
    assert all({"type", "occurred_at", "recorded_at", "role", "actor"} <= set(event) for event in events)
    assert len(affidavit("timeline", "--after", "5").out.splitlines()) == len(events) - 5


def test_the_prompt_is_its_text_alone(ledger: Path) -> None:
    text = affidavit("prompt").out
    assert "- User lives in Porto." in text
    assert "- 用户喜欢绿茶。" in text
    done = affidavit("prompt", "--json").json
    assert set(done) == {"text", "manifest"}
    assert done["text"] == text
    assert affidavit("prompt", "--manifest").json["sections"] == done["manifest"]["sections"]


def test_the_prompt_says_where_age_emptied_it(ledger: Path) -> None:
    done = affidavit("prompt", "--now", "2040-01-01")
    assert (done.code, done.out) == (0, "")
    assert "section facts is empty: 3 claim(s) are dormant by age" in done.err


def test_context_as_text_and_json(ledger: Path) -> None:
    assert "User likes tea." in affidavit("context", "a cup of tea").out
    assert [one["text"] for one in affidavit("context", "绿茶", "--json").json["claims"]] == ["用户喜欢绿茶。"]
    assert "no live claim shares a word" in affidavit("context", "weather").err


def test_the_inbox_as_text_and_json(ledger: Path) -> None:
    assert affidavit("inbox", "--json").json == {"matters": []}
    assert "nothing waits" in affidavit("inbox").err


def test_scopes_and_status_as_text_and_json(ledger: Path) -> None:
    (scope,) = affidavit("scopes", "--json").json["scopes"]
    assert set(scope) == {"id", "name", "time_zone", "records"}
    assert "Europe/Lisbon" in affidavit("scopes").out
    status = affidavit("status", "--json").json
    assert set(status) == {"ledger", "position", "scopes", "log_bytes", "views"}
    assert "scope ana (Europe/Lisbon)" in affidavit("status").out


def test_a_policy_as_json(ledger: Path) -> None:
    done = affidavit("policy", "show", "--json").json
    assert set(done) == {"digest", "policy"}
    assert "dead_letter_after = 5" in done["policy"]


def test_the_past_is_read(ledger: Path) -> None:
    then = next(step for step in affidavit("timeline", "--json").json["events"] if step["type"] == "claim-superseded")
    before = str(then["position"] - 1)
    assert "Lisbon" in affidavit("claims", "--as-of", before).out
    assert affidavit("claims", "--as-of", before, "--json").json["position"] == int(before)
    assert "Lisbon" in affidavit("prompt", "--as-of", before).out


def test_json_is_not_escaped(ledger: Path) -> None:
    assert "用户喜欢绿茶。" in affidavit("claims", "--json").out


# -- derive and keep ---------------------------------------------------------------------------------------------------


def test_a_rebuild_is_told(ledger: Path) -> None:
    shutil.rmtree(ledger / "views")
    assert affidavit("rebuild").out.startswith("rebuilt active, provenance, timeline, prompt, inbox, archive; position ")
    done = affidavit("rebuild", "--json").json
    assert set(done["views"].values()) == {done["position"]}


def test_a_check_prints_both_digests(ledger: Path) -> None:
    done = affidavit("rebuild", "--check")
    live = [line.split()[-1] for line in done.out.splitlines() if " live " in line]
    rebuilt = [line.split()[-1] for line in done.out.splitlines() if " rebuilt " in line]
    assert (done.code, len(live), live) == (0, 6, rebuilt)
    for one in affidavit("rebuild", "--check", "--json").json["views"]:
        assert set(one) == {"view", "scope", "position", "live", "rebuilt", "rows", "agree"}


def damage(ledger: Path, statement: str) -> None:
    name = (ledger / "views" / "active.current").read_text()
    connection = sqlite3.connect(ledger / "views" / name)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_check_names_the_damaged_row(ledger: Path) -> None:
    affidavit("claims")
    damage(ledger, "UPDATE rows SET content = CAST(content || x'00' AS BLOB) WHERE key = (SELECT min(key) FROM rows)")
    done = affidavit("rebuild", "--check")
    assert done.code == 1
    assert "DIFFERENT" in done.out
    assert "row claim " in done.out
    assert affidavit("rebuild").code == 0
    assert affidavit("rebuild", "--check").code == 0


def test_a_damaged_view_is_an_integrity_fault_with_its_remedy(ledger: Path) -> None:
    affidavit("claims")
    damage(ledger, "DELETE FROM rows WHERE key = (SELECT min(key) FROM rows)")
    assert "run `affidavit rebuild`" in the_error(affidavit("claims"), 3)


def test_a_clean_log_is_verified(ledger: Path) -> None:
    done = affidavit("verify")
    assert done.code == 0
    assert "records verified; head " in done.out
    as_json = affidavit("verify", "--json").json
    assert as_json["clean"] is True
    assert {"position", "head", "records", "faults"} <= set(as_json)


def in_log(ledger: Path, *statements: str) -> None:
    connection = sqlite3.connect(ledger / "log.db")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_fault_in_the_log_is_exit_3(ledger: Path) -> None:
    in_log(ledger, "DROP TRIGGER records_no_update", "UPDATE records SET recorded_at = recorded_at + 1 WHERE position = 5")
    done = affidavit("verify")
    assert done.code == 3
    assert "edited: position 5: " in done.out
    assert affidavit("verify", "--json").json["clean"] is False


def test_missing_keys_are_exit_3(ledger: Path) -> None:
    (ledger / "keys.db").unlink()
    assert "restore it from a backup" in the_error(affidavit("claims"), 3)


def test_a_newer_format_is_exit_3(ledger: Path) -> None:
    in_log(ledger, "PRAGMA user_version = 99")
    assert "install a newer affidavit" in the_error(affidavit("claims"), 3)


@pytest.mark.parametrize("name", ["log.db", "keys.db"])
def test_a_file_that_is_no_database_is_exit_3(ledger: Path, name: str) -> None:
    for beside in ledger.glob(f"{name}-*"):
        beside.unlink()
    (ledger / name).write_bytes(b"this is not a database, is it?" * 99)
    the_error(affidavit("claims"), 3)


def test_a_page_of_nonsense_in_the_log_is_exit_3(ledger: Path) -> None:
    with (ledger / "log.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096 * 8)
    the_error(affidavit("claims"), 3)


def test_a_held_lock_is_exit_4(ledger: Path) -> None:
    held = os.open(ledger / "log.db.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        with patch.dict(LedgerDatastore.__init__.__kwdefaults__, {"timeout": 0.2}):
            assert "try again" in the_error(affidavit("remember", "I like cake."), 4)
        assert affidavit("claims").code == 0
    finally:
        os.close(held)


def test_a_failed_extraction_is_exit_5(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bootstrap._EXTRACTORS, "failing", ("extractors", "Failing"))
    done = affidavit("extract", "--extractor", "failing")
    assert (done.code, done.out.startswith("failing: 3 failed")) == (5, True)
    monkeypatch.setitem(bootstrap._EXTRACTORS, "rules", ("extractors", "Failing"))
    assert affidavit("remember", "I like cake.").code == 5


def test_an_import_that_fails_to_be_read_is_exit_5(ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bootstrap._EXTRACTORS, "rules", ("extractors", "Failing"))
    (tmp_path / "chat.jsonl").write_text(CHAT)
    done = affidavit("import", tmp_path / "chat.jsonl")
    assert (done.code, "failed" in done.out) == (5, True)


# -- as a program ------------------------------------------------------------------------------------------------------


def program(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "affidavit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environment}, check=False, timeout=60)


def test_the_program_runs_and_fails_as_the_entry_point_does(ledger: Path) -> None:
    good, bad = program("claims"), program("show", "ffffff")
    assert (good.returncode, bad.returncode, bad.stdout) == (0, 2, b"")
    assert "用户喜欢绿茶。" in good.stdout.decode()
    assert b"Traceback" not in bad.stderr


def test_chinese_is_printed_in_a_locale_of_ascii(ledger: Path) -> None:
    done = program("claims", "--json", LC_ALL="C", LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0


def test_a_reader_that_goes_away_is_no_error(ledger: Path) -> None:
    command = f"{sys.executable} -m affidavit timeline --json | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_colour_is_for_a_terminal_that_wants_it(ledger: Path) -> None:
    script = "import sys; from affidavit.scripts.cli import main; sys.stdout.isatty = lambda: True; main()"
    told = {}
    for name in ("", "1"):
        command = [sys.executable, "-c", script, "claims"]
        done = subprocess.run(command, capture_output=True, env={**os.environ, "NO_COLOR": name}, check=False, timeout=60)
        told[name] = done.stdout
    assert b"\x1b[" not in told["1"]
    assert b"\x1b[" not in program("claims").stdout


READS = """
import contextlib, io, sys
from affidavit.scripts.cli import main

def loaded(*arguments):
    sys.argv = ["affidavit", *arguments]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with contextlib.suppress(SystemExit):
            main()
    return "pydantic" in sys.modules

claim = sys.argv[1]
for command in (
    "claims", "claims --as-of 5", "show " + claim, "why " + claim, "history " + claim, "evidence", "timeline", "prompt",
    "context tea", "inbox", "scopes", "status", "policy show", "verify", "rebuild --check",
):
    if loaded(*command.split()):
        print(command)
        break
"""


def test_reads_load_no_pydantic(ledger: Path) -> None:
    command = [sys.executable, "-c", READS, claim("User likes tea.")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
