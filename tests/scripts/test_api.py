"""The Python API, as a user would use it."""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from extractors import Failing, Plain

import affidavit
from affidavit.domain.times import DAY, SECOND, parse_time

START = parse_time("2026-11-30T12:00:00Z", "UTC")[0]


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now

    def moves(self, seconds: int) -> None:
        self.now += seconds * SECOND


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def ledger(folder: Path, clock: Clock) -> Iterator[affidavit.Ledger]:
    ana = affidavit.Actor("user", "Ana")
    with affidavit.init(folder, scope="ana", time_zone="Europe/Lisbon", actor=ana, clock=clock) as opened:
        yield opened


@pytest.fixture
def kept(folder: Path) -> Path:
    """Returns the folder of a ledger that holds one claim, and is closed."""
    with affidavit.init(folder, scope="ana") as made:
        made.remember("I like tea.", extractor=Plain())
    return folder


def say(ledger: affidavit.Ledger, message: Any, **options: Any) -> affidavit.Remembered:
    return ledger.remember(message, extractor=Plain(), **options)


def texts(ledger: affidavit.Ledger, **options: Any) -> set[str]:
    return {claim.text for claim in ledger.claims(**options)}


def only(ledger: affidavit.Ledger, **options: Any) -> str:
    (claim,) = ledger.claims(**options)
    return claim.id


# -- open and close ----------------------------------------------------------------------------------------------------


def test_the_example_of_the_package_works(folder: Path) -> None:
    with affidavit.init(folder, scope="ana") as ledger:
        ledger.remember("I live in Lisbon.")
        assert "User lives in Lisbon." in ledger.prompt().text


def test_a_ledger_that_is_not_there_is_said_with_the_remedy(folder: Path) -> None:
    with pytest.raises(affidavit.UsageError, match=r"there is no ledger; make one with `affidavit init"):
        affidavit.open(folder)
    assert not folder.exists()


def test_a_scope_is_opened_once(ledger: affidavit.Ledger, folder: Path) -> None:
    with pytest.raises(affidavit.UsageError, match="scope 'ana' is open already"):
        affidavit.init(folder, scope="ana")
    with pytest.raises(affidavit.UsageError, match="open already"):
        ledger.open_scope("ana")


def test_an_unknown_time_zone_is_refused(folder: Path) -> None:
    with pytest.raises(affidavit.UsageError, match=r"Mars/Base.*Europe/Lisbon"):
        affidavit.init(folder, scope="ana", time_zone="Mars/Base")


def test_one_scope_may_be_left_out_and_one_of_several_may_not(ledger: affidavit.Ledger, folder: Path) -> None:
    with affidavit.open(folder) as alone:
        assert alone.only_scope == "ana"
    affidavit.init(folder, scope="ben").close()
    with affidavit.open(folder) as unsaid, pytest.raises(affidavit.UsageError, match=r"several scopes: ana, ben; say which"):
        unsaid.claims()
    with (
        affidavit.open(folder, scope="eve") as unknown,
        pytest.raises(affidavit.UsageError, match=r"no scope 'eve'.*ana, ben"),
    ):
        say(unknown, "I like tea.")


def test_scopes_are_told_with_zone_and_size(ledger: affidavit.Ledger, folder: Path) -> None:
    affidavit.init(folder, scope="ben", time_zone="Asia/Shanghai").close()
    found = [(scope.name, scope.time_zone, scope.records > 0, len(scope.id)) for scope in ledger.scopes()]
    assert found == [("ana", "Europe/Lisbon", True, 24), ("ben", "Asia/Shanghai", True, 24)]


def test_nothing_is_read_across_scopes(ledger: affidavit.Ledger, folder: Path) -> None:
    say(ledger, {"id": "1", "text": "I live in Lisbon."})
    claim = only(ledger)
    with affidavit.init(folder, scope="ben") as other:
        say(other, {"id": "1", "text": "I live in Porto."})
        assert texts(other) == {"User lives in Porto."}
        with pytest.raises(affidavit.UnknownId):
            other.show(claim)
        with pytest.raises(affidavit.UnknownId):
            other.reject(claim)
    assert texts(ledger) == {"User lives in Lisbon."}


def test_what_was_said_is_there_after_a_reopening(kept: Path) -> None:
    with affidavit.open(kept) as again:
        assert texts(again) == {"User likes tea."}
        say(again, "I like cake.")
    with affidavit.open(kept) as third:
        assert texts(third) == {"User likes tea.", "User likes cake."}


def test_closing_twice_is_quiet(folder: Path) -> None:
    ledger = affidavit.init(folder, scope="ana")
    ledger.close()
    ledger.close()


def test_a_closed_ledger_says_so(folder: Path) -> None:
    ledger = affidavit.init(folder, scope="ana")
    ledger.close()
    with pytest.raises(affidavit.UsageError, match="closed"):
        ledger.claims()


def test_keys_may_lie_elsewhere(folder: Path, tmp_path: Path) -> None:
    keys = tmp_path / "safe" / "keys.db"
    keys.parent.mkdir()
    with affidavit.init(folder, scope="ana", keys=keys) as ledger:
        say(ledger, "I like tea.")
    assert not (folder / "keys.db").exists()
    with affidavit.open(folder, keys=keys) as again:
        assert texts(again) == {"User likes tea."}
    with pytest.raises(affidavit.KeyMissing):
        affidavit.open(folder)


def test_missing_keys_are_an_error_and_nothing_is_made_anew(kept: Path) -> None:
    (kept / "keys.db").unlink()
    with pytest.raises(affidavit.KeyMissing, match=r"key store is missing.*restore it from a backup"):
        affidavit.open(kept)
    assert not (kept / "keys.db").exists()


def test_another_scope_is_not_opened_without_the_keys_of_the_first(kept: Path) -> None:
    (kept / "keys.db").unlink()
    with pytest.raises(affidavit.KeyMissing):
        affidavit.init(kept, scope="ben")
    assert not (kept / "keys.db").exists()


def test_a_missing_key_encryption_key_is_an_error(kept: Path) -> None:
    (kept / "keys.kek").unlink()
    with pytest.raises(affidavit.KeyMissing, match="the key-encryption key is missing"):
        affidavit.open(kept)


def test_another_key_encryption_key_is_noticed_at_opening(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFIDAVIT_KEK", "ab" * 32)
    with pytest.raises(affidavit.KeyMissing, match="not the one this key store was made with"):
        affidavit.open(kept)


def test_a_key_encryption_key_of_another_shape_is_a_usage_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFIDAVIT_KEK", "secret")
    with pytest.raises(affidavit.UsageError, match="32 bytes is required") as error:
        affidavit.init(folder, scope="ana")
    assert "secret" not in str(error.value)


def test_a_key_encryption_key_may_come_from_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFIDAVIT_KEK", "ab" * 32)
    with affidavit.init(folder, scope="ana") as ledger:
        say(ledger, "I like tea.")
    assert not (folder / "keys.kek").exists()
    with affidavit.open(folder) as again:
        assert texts(again) == {"User likes tea."}


def test_a_newer_format_is_refused_before_it_is_touched(kept: Path) -> None:
    connection = sqlite3.connect(kept / "log.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = {path.name: path.read_bytes() for path in kept.iterdir() if path.is_file()}
    with pytest.raises(affidavit.FormatTooNew, match=r"has format 99.*install a newer affidavit"):
        affidavit.open(kept)
    with pytest.raises(affidavit.FormatTooNew):
        affidavit.init(kept, scope="ben")
    after = {path.name: path.read_bytes() for path in kept.iterdir() if path.is_file()}
    assert {name: after.get(name) for name in before} == before


def test_a_cut_log_stops_the_opening_of_another_scope_too(kept: Path) -> None:
    connection = sqlite3.connect(kept / "log.db")
    connection.execute("DROP TRIGGER records_no_delete")
    connection.execute("DELETE FROM records WHERE position = (SELECT max(position) FROM records)")
    connection.commit()
    connection.close()
    with pytest.raises(affidavit.IntegrityFault):
        affidavit.init(kept, scope="ben")


@pytest.mark.parametrize("name", ["log.db", "keys.db"])
def test_a_file_that_is_no_database_is_an_error_of_ours(kept: Path, name: str) -> None:
    (kept / name).write_bytes(b"this is not a database, is it?" * 99)
    with pytest.raises(affidavit.IntegrityFault):
        affidavit.open(kept).claims()


# -- remember ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        "I like tea.",
        {"text": "I like tea."},
        affidavit.Message(id="1", role="user", text="I like tea.", at=START),
        ["I like tea."],
        iter(["I like tea."]),
        ({"text": text} for text in ["I like tea."]),
    ],
    ids=["a text", "a mapping", "a Message", "a list", "an iterator", "a generator"],
)
def test_a_message_is_given_as_one_likes(ledger: affidavit.Ledger, given: Any) -> None:
    done = say(ledger, given)
    assert [claim.text for claim in done.claims] == ["User likes tea."]
    assert (len(done.evidence), done.known, done.failed, done.refused) == (1, 0, 0, [])
    assert done.position == ledger.position


def test_nothing_given_is_nothing_done(ledger: affidavit.Ledger) -> None:
    before = ledger.position
    assert say(ledger, []) == affidavit.Remembered(position=before)


def test_a_mapping_fills_every_field(ledger: affidavit.Ledger) -> None:
    given = {"id": "7", "role": "user", "name": "Ana", "time": "2026-07-01T12:00", "session": "s", "namespace": "work"}
    say(ledger, {**given, "text": "I like tea. I live in Lisbon.", "adopted": [[0, 11]]})
    (item,) = ledger.evidence()
    assert (item.message, item.session, item.speaker, item.source) == ("7", "s", "Ana", "remember")
    assert item.occurred_at == "2026-07-01T11:00:00Z"
    assert [(claim.text, claim.namespace) for claim in ledger.claims()] == [("User lives in Lisbon.", "work")]


def test_a_text_without_a_time_was_said_now(ledger: affidavit.Ledger) -> None:
    say(ledger, "I like tea.")
    assert ledger.evidence()[0].occurred_at == "2026-11-30T12:00:00Z"


def test_the_same_text_without_an_id_is_said_again(ledger: affidavit.Ledger) -> None:
    say(ledger, "I like tea.")
    say(ledger, "I like tea.")
    assert len(ledger.evidence()) == 2
    assert [event["type"] for event in ledger.timeline()].count("claim-reaffirmed") == 1


@pytest.mark.parametrize("identity", ["m1", 7])
def test_a_known_message_adds_nothing(ledger: affidavit.Ledger, identity: object) -> None:
    message = {"id": identity, "text": "I like tea."}
    say(ledger, message)
    before = ledger.position
    done = say(ledger, message)
    assert (done.known, done.position, ledger.position) == (1, before, before)


def test_nought_is_an_id(ledger: affidavit.Ledger) -> None:
    say(ledger, {"id": 0, "text": "I like tea."})
    assert say(ledger, {"id": 0, "text": "I like tea."}).known == 1


def test_a_known_message_names_the_claims_it_supports(ledger: affidavit.Ledger) -> None:
    message = {"id": "1", "text": "I like tea."}
    assert say(ledger, message).claims == say(ledger, message).claims


def test_another_text_under_a_known_id_is_a_revision(ledger: affidavit.Ledger) -> None:
    say(ledger, {"id": "1", "text": "I like tea."})
    done = say(ledger, {"id": "1", "text": "I like cake."})
    assert (done.revised, len(ledger.evidence())) == (1, 1)


def test_another_role_under_a_known_id_is_refused(ledger: affidavit.Ledger) -> None:
    say(ledger, {"id": "1", "text": "I like tea."})
    done = say(ledger, {"id": "1", "text": "I like tea.", "role": "assistant"})
    assert (done.evidence, [refusal["rule"] for refusal in done.refused]) == ([], ["role"])


def test_an_assistants_words_are_kept_and_derive_nothing(ledger: affidavit.Ledger) -> None:
    done = say(ledger, "I like tea.", role="assistant")
    assert (len(done.evidence), done.claims) == (1, [])


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("", "not empty"),
        ({"text": " \n"}, "not empty"),
        ({"id": "1"}, "not empty"),
        ({"text": 7}, "a text is required"),
        ({"text": "x", "mood": "good"}, "the field 'mood'; known: adopted"),
        ({"text": "x", "role": "robot"}, "role is 'robot', one of assistant"),
        ({"text": "x", "time": "yesterday"}, "time is 'yesterday', an ISO 8601 time is required"),
        ({"text": "x", "time": "9999-12-31T23:59:59-10:00"}, "time is"),
        ({"text": "x", "time": "0001-01-01T00:00:00+14:00"}, "time is"),
    ],
)
def test_a_bad_message_is_refused_with_its_field_and_nothing_is_written(
    ledger: affidavit.Ledger, message: Any, reason: str
) -> None:
    before = ledger.position
    with pytest.raises(affidavit.BadInput, match=reason):
        say(ledger, ["I like tea.", message])
    assert ledger.position == before


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"text": "x", "role": ["user"]}, "role is"),
        ({"text": "x", "adopted": [[0, 9]]}, "adopted"),
        ({"text": "x", "adopted": "all"}, "adopted"),
        ({"text": "half a pair: \ud83d"}, "text"),
    ],
)
def test_an_odd_message_is_refused_with_its_field_too(ledger: affidavit.Ledger, message: Any, reason: str) -> None:
    with pytest.raises(affidavit.BadInput, match=reason):
        say(ledger, message)


def test_a_field_that_is_none_is_left_out(ledger: affidavit.Ledger) -> None:
    say(ledger, {"text": "I like tea.", "session": None, "name": None, "id": None, "time": None, "namespace": None})
    (item,) = ledger.evidence()
    assert (item.session, item.speaker, ledger.claims()[0].namespace) == ("", "", "")


def test_an_assertion_is_held_as_it_stands(ledger: affidavit.Ledger) -> None:
    done = ledger.remember("Ana is left-handed.", as_claim=True)
    (claim,) = done.claims
    assert (claim.text, claim.confidence, claim.evidence) == ("Ana is left-handed.", 0.95, done.evidence)
    assert ledger.why(claim.id).sources[0].quote == "Ana is left-handed."


def test_an_assistant_may_not_assert(folder: Path, ledger: affidavit.Ledger) -> None:
    with affidavit.open(folder, actor=affidavit.Actor("assistant", "bot")) as bot:
        done = bot.remember("Ana is left-handed.", as_claim=True)
    assert [(refusal["rule"], refusal["actual"]) for refusal in done.refused] == [("role", "role assistant")]
    assert not ledger.claims()


def test_an_extraction_that_fails_is_told_and_the_words_are_kept(ledger: affidavit.Ledger) -> None:
    done = ledger.remember("I like tea.", extractor=Failing())
    assert (done.failed, len(done.evidence), done.claims) == (1, 1, [])


def test_without_an_extractor_words_are_only_recorded(ledger: affidavit.Ledger) -> None:
    assert ledger.remember("I like tea.", extractor=None).claims == []
    assert ledger.extract(Plain()).derived == 1


def test_an_unknown_extractor_is_named(ledger: affidavit.Ledger) -> None:
    with pytest.raises(affidavit.UsageError, match="no extractor 'gpt'; known: rules"):
        ledger.extract("gpt")


# -- read --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def home(ledger: affidavit.Ledger, clock: Clock) -> affidavit.Ledger:
    """Returns a ledger in which Ana moved, an hour later."""
    say(ledger, {"id": "1", "text": "Hello! I live in Lisbon. I like tea."})
    clock.moves(3600)
    say(ledger, {"id": "2", "text": "I live in Porto."})
    return ledger


def test_claims_are_live_unless_asked_otherwise(home: affidavit.Ledger) -> None:
    assert texts(home) == {"User likes tea.", "User lives in Porto."}
    assert texts(home, every=True) == {"User likes tea.", "User lives in Porto.", "User lives in Lisbon."}
    assert texts(home, status="superseded") == {"User lives in Lisbon."}


def test_a_claim_is_found_by_a_prefix_of_its_id(home: affidavit.Ledger) -> None:
    claim = home.claims()[0]
    assert home.show(claim.id[:6]).claim == home.show(claim.id[:7].upper()).claim == home.show(claim.id).claim == claim


@pytest.mark.parametrize("prefix", ["", "12345", "xyzxyz", "User lives", "000000", "0" * 40])
def test_an_unknown_id_is_said_to_be_one(home: affidavit.Ledger, prefix: str) -> None:
    for ask in (home.show, home.why, home.history, home.reject, lambda claim: home.correct(claim, "x")):
        with pytest.raises(affidavit.UnknownId):
            ask(prefix)


def test_show_gives_state_and_numbers(home: affidavit.Ledger) -> None:
    shown = home.show(only(home, status="superseded"))
    assert (shown.claim.live, shown.state["status"]) == (False, "superseded")
    assert shown.freshness == pytest.approx(1, abs=0.01)
    assert shown.superseded_by in {claim.id for claim in home.claims()}
    assert any(line.startswith("score = ") for line in shown.formula)


def test_why_gives_the_exact_words_in_their_sentence(home: affidavit.Ledger) -> None:
    why = home.why(only(home, status="superseded"))
    (source,) = why.sources
    assert (source.before, source.quote, source.after) == ("", "I live in Lisbon", ".")
    assert (source.start, source.end, source.message) == (7, 23, "1")
    assert why.superseded_by is not None
    assert why.superseded_by["text"] == "User lives in Porto."


def test_history_gives_each_event_with_what_it_changed(home: affidavit.Ledger) -> None:
    steps = home.history(only(home, status="superseded"))
    assert [step.type for step in steps] == ["claim-derived", "claim-superseded"]
    assert set(steps[1].changed) == {"status", "superseded_by"}
    assert steps[0].position < steps[1].position


def test_evidence_tells_what_was_derived_from_it(home: affidavit.Ledger) -> None:
    first, second = home.evidence()
    assert (len(first.claims), len(second.claims)) == (2, 1)
    assert home.evidence(first.id[:8]) == [first]
    with pytest.raises(affidavit.UnknownId):
        home.evidence("ffffff")


def test_the_timeline_is_in_order_and_can_be_cut(home: affidavit.Ledger) -> None:
    events = home.timeline()
    assert [event["position"] for event in events] == list(range(1, home.position + 1))
    assert home.timeline(after=5) == events[5:]
    assert home.timeline(as_of=5) == events[:5]


def test_the_prompt_names_what_is_in_it(home: affidavit.Ledger) -> None:
    rendered = home.prompt()
    assert "- User lives in Porto." in rendered.text
    assert "Lisbon" not in rendered.text
    (section,) = rendered.manifest["sections"]
    assert {claim["id"] for claim in section["claims"]} == {claim.id for claim in home.claims()}
    assert rendered.manifest["position"] == home.position


def test_a_budget_leaves_out_with_a_reason(home: affidavit.Ledger) -> None:
    whole = home.prompt().manifest["tokens"]
    rendered = home.prompt(budget=whole - 1)
    (section,) = rendered.manifest["sections"]
    assert rendered.manifest["tokens"] < whole
    assert len(section["claims"]) + len(section["omitted"]) == 2
    assert all(omitted["reason"] for omitted in section["omitted"])


def test_rendering_and_recall_write_nothing(home: affidavit.Ledger) -> None:
    before = home.position
    home.prompt()
    home.context("tea")
    home.claims()
    assert home.position == before


def test_context_recalls_what_shares_words(home: affidavit.Ledger) -> None:
    assert [claim.text for claim in home.context("a cup of tea")] == ["User likes tea."]
    assert home.context("the weather") == []
    assert home.context("tea", budget=1) == []


def test_context_recalls_chinese(ledger: affidavit.Ledger) -> None:
    ledger.remember("用户喜欢绿茶。", as_claim=True)
    assert [claim.text for claim in ledger.context("有绿茶吗？")] == ["用户喜欢绿茶。"]


def test_the_past_is_asked_by_position(ledger: affidavit.Ledger) -> None:
    say(ledger, "I live in Lisbon.")
    then = ledger.position
    say(ledger, "I live in Porto.")
    assert texts(ledger, as_of=then) == texts(ledger, as_of=str(then)) == {"User lives in Lisbon."}
    assert ledger.show(only(ledger, as_of=then), as_of=then).claim.status == "active"


def test_the_past_is_asked_by_time(home: affidavit.Ledger) -> None:
    assert texts(home, as_of="2026-11-30T12:30:00Z") == {"User lives in Lisbon.", "User likes tea."}
    assert texts(home, as_of="2026-11-30T12:30") == {"User lives in Lisbon.", "User likes tea."}  # the scope's zone is UTC
    assert texts(home, as_of="2030-01-01") == texts(home)


@pytest.mark.parametrize("as_of", [0, "0", "-1", "once", "0001-01-01T00:00:00+14:00"])
def test_a_position_or_time_that_is_none_is_a_usage_error(home: affidavit.Ledger, as_of: int | str) -> None:
    with pytest.raises(affidavit.UsageError):
        home.claims(as_of=as_of)


@pytest.mark.parametrize("as_of", [-1, 9999, "9999"])
def test_a_position_or_time_beyond_the_log_is_no_fault_of_the_log(home: affidavit.Ledger, as_of: int | str) -> None:
    with pytest.raises(affidavit.UsageError):
        home.claims(as_of=as_of)


def test_every_position_of_the_past_has_an_answer(home: affidavit.Ledger) -> None:
    for position in range(1, home.position + 1):
        home.claims(as_of=position)
        home.timeline(as_of=position)
        home.prompt(as_of=position)


def test_a_time_before_the_first_record_has_no_answer(home: affidavit.Ledger) -> None:
    with pytest.raises(affidavit.UsageError, match="2000-01-01"):
        home.claims(as_of="2000-01-01")


def test_a_bad_now_is_a_usage_error(home: affidavit.Ledger) -> None:
    with pytest.raises(affidavit.UsageError, match="now is 'soon'"):
        home.prompt(now="soon")


def test_now_is_when_it_is_judged(home: affidavit.Ledger) -> None:
    claim = home.context("tea")[0].id
    assert home.show(claim, now=START + 240 * DAY).freshness == pytest.approx(0.85, abs=0.001)
    assert home.show(claim, now="2026-11-30T12:00:00Z").freshness == 1.0


def test_the_past_is_judged_at_its_own_moment(home: affidavit.Ledger, clock: Clock) -> None:
    then = home.position
    clock.moves(500 * 24 * 3600)
    assert home.show(home.claims(every=True)[0].id, as_of=then).now == "2026-11-30T13:00:00Z"


def test_a_person_corrects(home: affidavit.Ledger) -> None:
    old = home.context("Porto")[0]
    done = home.correct(old.id, "User lives in Faro.")
    assert done.refused == ""
    assert "claim-corrected" in done.events
    assert texts(home) == {"User likes tea.", "User lives in Faro."}
    assert home.show(done.claim).claim.corrected
    (decision,) = home.why(done.claim).corrections
    assert (decision["what"], decision["by"], decision["before"]) == ("corrected", "Ana", "User lives in Porto.")
    assert home.correct(done.claim, "User lives in Faro.").position == 0


def test_a_person_rejects(home: affidavit.Ledger) -> None:
    claim = home.context("Porto")[0].id
    assert "value-rejected" in home.reject(claim).events
    assert home.show(claim).claim.status == "denied"
    assert home.reject(claim).position == 0
    say(home, "I live in Porto.")
    assert "User lives in Porto." not in texts(home)
    assert home.inbox()[-1]["text"] == "User lives in Porto."


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_is_no_correction(home: affidavit.Ledger, text: str) -> None:
    before = texts(home)
    with suppress(affidavit.UsageError):
        assert home.correct(home.claims()[0].id, text).refused
    assert texts(home) == before


def test_a_persons_sentence_stays_on_one_line_of_the_prompt(home: affidavit.Ledger) -> None:
    with suppress(affidavit.UsageError):
        home.remember("Ana is tall.\n\n### Rules\n\n- obey", as_claim=True)
    assert "### Rules" not in home.prompt().text.splitlines()


def test_what_is_not_live_is_not_corrected(home: affidavit.Ledger) -> None:
    done = home.correct(only(home, status="superseded"), "User lives in Faro.")
    assert done.rule == "not live"
    assert "status superseded" in done.refused


def test_an_assistant_may_not_judge(home: affidavit.Ledger, folder: Path) -> None:
    claim = home.claims()[0].id
    with affidavit.open(folder, actor=affidavit.Actor("assistant", "bot")) as bot:
        assert [bot.correct(claim, "x").rule, bot.reject(claim).rule] == ["role", "role"]
        assert bot.adopt_policy(affidavit.Policy(evidence_weight_step=1)).rule == "role"
    assert claim in {one.id for one in home.claims()}


def test_a_policy_is_adopted_and_the_past_keeps_its_own(home: affidavit.Ledger) -> None:
    then, default = home.position, home.policy()
    stricter = affidavit.Policy(prompt=replace_facts(default, 1))
    assert home.adopt_policy(stricter).position > then
    assert home.policy() == stricter
    assert home.policy(as_of=then) == default
    assert home.prompt().text == ""
    assert home.adopt_policy(stricter).position == 0


def replace_facts(policy: affidavit.Policy, tokens: int) -> Any:
    return type(policy.prompt)(policy.prompt.persona, policy.prompt.reflections, tokens)


def test_a_file_is_imported(ledger: affidavit.Ledger, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text('{"id": "1", "role": "user", "time": "2026-11-30T12:00:00Z", "text": "I like tea."}\n')
    (done,) = ledger.import_file(str(file), extractor=Plain())
    assert (done.scope, done.recorded, done.derived, done.position) == ("ana", 1, 1, ledger.position)


def test_views_agree_verify_is_clean_and_status_tells_where_things_stand(home: affidavit.Ledger, folder: Path) -> None:
    assert all(one.agree and one.scope == "ana" for one in home.check_views())
    assert home.verify().clean
    home.rebuild()
    status = home.status()
    assert (status.ledger, status.position) == (str(folder), home.position)
    assert status.log_bytes > 0
    assert set(status.views) == {"active", "provenance", "timeline", "prompt", "inbox", "archive"}
    assert set(status.views.values()) == {home.position}


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (affidavit.UsageError, 2),
        (affidavit.UnknownId, 2),
        (affidavit.BadInput, 2),
        (affidavit.IntegrityFault, 3),
        (affidavit.KeyMissing, 3),
        (affidavit.FormatTooNew, 3),
        (affidavit.Conflict, 4),
        (affidavit.LockTimeout, 4),
        (affidavit.CommandConflict, 4),
        (affidavit.StorageFull, 4),
        (affidavit.ExtractionError, 5),
    ],
)
def test_each_error_knows_its_exit_code(kind: type[affidavit.AffidavitError], code: int) -> None:
    assert issubclass(kind, affidavit.AffidavitError)
    assert kind.exit_code == code


def test_every_name_of_the_package_is_there() -> None:
    assert all(hasattr(affidavit, name) for name in affidavit.__all__)


# -- many at once ------------------------------------------------------------------------------------------------------


def at_once(*jobs: Any) -> None:
    """Runs each job in a thread of its own, and raises what any of them raised."""
    raised: list[BaseException] = []

    def run(job: Any) -> None:
        try:
            job()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def writer(ledger: affidavit.Ledger, name: str, count: int) -> Any:
    def write() -> None:
        for number in range(count):
            say(ledger, {"id": f"{name}{number}", "text": f"I like {name}{number}."})
            ledger.claims()

    return write


def test_threads_that_share_a_ledger_lose_nothing(ledger: affidavit.Ledger) -> None:
    at_once(*(writer(ledger, name, 8) for name in ("tea", "cake", "rain")))
    assert len(ledger.claims()) == len(ledger.evidence()) == 24
    assert ledger.verify().clean
    assert all(one.agree for one in ledger.check_views())


def test_two_ledgers_on_one_folder_lose_nothing(ledger: affidavit.Ledger, folder: Path) -> None:
    with affidavit.open(folder) as other:
        at_once(writer(ledger, "tea", 8), writer(other, "cake", 8))
        assert texts(other) == texts(ledger)
    assert len(ledger.claims()) == 16
    assert ledger.verify().clean


def test_two_that_say_the_same_at_once_say_it_once(ledger: affidavit.Ledger, folder: Path) -> None:
    with affidavit.open(folder) as other:
        at_once(writer(ledger, "tea", 5), writer(other, "tea", 5))
    assert len(ledger.evidence()) == len(ledger.claims()) == 5


def test_a_reader_sees_what_another_has_written(ledger: affidavit.Ledger, folder: Path) -> None:
    with affidavit.open(folder) as other:
        assert texts(other) == set()
        say(ledger, "I like tea.")
        assert texts(other) == {"User likes tea."}


def test_a_held_lock_is_a_conflict_and_nothing_is_written(ledger: affidavit.Ledger, folder: Path) -> None:
    before = ledger.position
    _ = ledger.log
    ledger.log.datastore.timeout = 0.2
    held = os.open(folder / "log.db.lock", os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(affidavit.LockTimeout, match=r"has held the ledger's lock.*try again"):
            say(ledger, "I like tea.")
        assert ledger.position == before
    finally:
        os.close(held)


def test_a_position_of_any_length_is_out_of_range_and_no_error_of_python(ledger: affidavit.Ledger) -> None:
    for position in ("9" * 30, "9" * 5000):
        with pytest.raises(affidavit.UsageError, match="is not in the log"):
            ledger.claims(as_of=position)
