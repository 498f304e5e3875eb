"""Feedback through a real ledger: given by hand and in whole messages, replayed, late, across scopes, and rebuilt."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from extractors import Otherwise, Plain
from mechanism import Clock, World
from reasoners import FRESH, Scripted

import affidavit
from affidavit.domain.errors import UnknownId, UsageError
from affidavit.domain.proposals import ExtractorId, Passage, Proposal, Span
from affidavit.domain.questions import Asked, Merge, MergeClause
from affidavit.domain.roles import ROLES
from affidavit.domain.times import DAY, SECOND
from affidavit.projections.answers import Claim
from affidavit.rebuild.extractors.rules import Rules
from affidavit.scripts.ledger import Ledger

LISBON = "User lives in Lisbon."
UNKNOWN = "0123456789abcdef01234567"
WORDS = {
    "useful": "有用",
    "unhelpful": "没用",
    "accurate": "正确",
    "incorrect": "错误",
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana", clock=clock) as opened:
        opened.remember("I live in Lisbon.", extractor=Plain())
        clock.now += 10 * DAY
        yield opened
        assert all(one.agree for one in opened.check_views())
        assert opened.verify().clean
        opened.rebuild_index()
        assert opened.verify().clean


def the(ledger: Ledger, text: str = LISBON) -> Claim:
    (found,) = [claim for claim in ledger.claims(every=True) if claim.text == text]
    return found


def state(ledger: Ledger, text: str = LISBON) -> dict[str, Any]:
    return ledger.show(the(ledger, text).id).state


def slots(ledger: Ledger) -> tuple[str | None, str | None]:
    found = state(ledger)
    utility, accuracy = (found.get(name, {}).get("verdict") for name in ("utility", "accuracy"))
    return utility, accuracy


# By hand


def test_a_verdict_is_shown_with_its_factor_and_in_history_why_and_funnel(ledger: Ledger) -> None:
    done = ledger.feedback(the(ledger).id, "useful")
    assert (done.counted, done.events, done.claim) == ("set", ("feedback-given",), the(ledger).id)
    ledger.feedback(the(ledger).id, "accurate")
    shown = ledger.show(the(ledger).id)
    assert shown.formula[-2:] == ["utility = 1.05, being useful", "accuracy = 1.05, being accurate"]
    assert shown.state["utility"] == {"verdict": "useful", "at": "2027-03-11T08:00:00Z"}
    step = ledger.history(the(ledger).id)[-1]
    assert (step.type, step.changed) == ("feedback-given", {"confirmation": "confirmed", "accuracy": "accurate"})
    assert [one["what"] for one in ledger.why(the(ledger).id).corrections] == ["found useful", "found accurate"]
    assert [one["verdict"] for one in ledger.timeline()[-2:]] == ["useful", "accurate"]
    (stage,) = [one for one in ledger.funnel() if one["stage"] == "feedback given"]
    assert (stage["count"], stage["by"]) == (2, {"accurate": 1, "useful": 1})


def test_no_verdict_moves_score_confidence_clock_or_evidence_date(ledger: Ledger) -> None:
    before = ledger.show(the(ledger).id)
    for verdict in ("useful", "unhelpful", "accurate"):
        ledger.feedback(the(ledger).id, verdict)
    after = ledger.show(the(ledger).id)
    kept = ("evidence_at", "confirmed_at", "confidence", "reinforcement", "disputation", "signals", "sessions", "basis")
    assert {name: after.state[name] for name in kept} == {name: before.state[name] for name in kept}
    assert (after.score, after.freshness, after.evidence_weight) == (before.score, before.freshness, before.evidence_weight)


@pytest.mark.row("P11")
def test_of_two_facts_the_useful_one_stands_first(ledger: Ledger) -> None:
    when = "2027-03-11T07:00:00Z"
    ledger.remember([{"text": f"I like {thing}.", "time": when} for thing in ("tea", "jazz")], extractor=Plain())
    tea, jazz = the(ledger, "User likes tea.").id, the(ledger, "User likes jazz.").id
    ledger.feedback(tea, "useful")
    assert ledger.prompt().text.index("tea") < ledger.prompt().text.index("jazz")
    ledger.feedback(jazz, "useful")
    ledger.feedback(tea, "unhelpful")
    assert ledger.prompt().text.index("jazz") < ledger.prompt().text.index("tea")
    assert ledger.show(tea).evidence_weight == ledger.show(jazz).evidence_weight


@pytest.mark.row("P12")
def test_a_feedback_is_taken_once_through_restart_and_whatever_came_after(
    ledger: Ledger, tmp_path: Path, clock: Clock
) -> None:
    claim = the(ledger).id
    first = ledger.feedback(claim, "useful", id="f1")
    ledger.feedback(claim, "unhelpful", id="f2")
    position = ledger.position
    # The same event again, and its id with another verdict or time: answered with the first receipt.
    assert ledger.feedback(claim, "useful", id="f1").counted == "known"
    assert ledger.feedback(claim, "incorrect", id="f1", at="2027-03-11").position == first.position
    with affidavit.open(tmp_path / "ledger", clock=clock) as again:
        assert again.feedback(claim, "useful", id="f1").counted == "known"
        assert again.feedback(claim, "useful", id="f1").events == ()
    assert (ledger.position, slots(ledger)) == (position, ("unhelpful", None))


@pytest.mark.row("P12")
def test_what_was_taken_back_is_not_reapplied_by_a_replay(ledger: Ledger) -> None:
    claim = the(ledger).id
    ledger.feedback(claim, "incorrect", id="f1")
    assert not the(ledger).live
    ledger.correct(claim, LISBON)
    assert ledger.feedback(claim, "incorrect", id="f1").counted == "known"
    assert (the(ledger).live, slots(ledger)) == (True, (None, None))


@pytest.mark.row("P12")
def test_a_new_feedback_with_the_same_verdict_adds_no_weight(ledger: Ledger) -> None:
    claim = the(ledger).id
    ledger.feedback(claim, "useful")
    before = ledger.show(claim)
    for _ in range(3):
        assert ledger.feedback(claim, "useful").counted == "repeated"
    assert ledger.show(claim).formula == before.formula


def test_a_verdict_may_be_dated_and_an_older_one_does_not_win(ledger: Ledger) -> None:
    claim = the(ledger).id
    ledger.feedback(claim, "unhelpful")
    assert ledger.feedback(claim, "useful", at="2027-03-10").counted == "older"
    assert slots(ledger) == ("unhelpful", None)
    assert ledger.history(claim)[-1].occurred_at == "2027-03-10T00:00:00Z"


def test_an_unknown_id_and_an_unknown_verdict_are_usage_errors(ledger: Ledger) -> None:
    before = ledger.position
    with pytest.raises(UnknownId):
        ledger.feedback(UNKNOWN, "useful")
    with pytest.raises(UsageError, match="one of useful, unhelpful, accurate, incorrect is required"):
        ledger.feedback(the(ledger).id, "wrong")
    assert ledger.position == before


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator"}))
def test_nobody_but_a_judge_gives_feedback_and_each_attempt_is_told(ledger: Ledger, role: Any) -> None:
    before = state(ledger)
    ledger.actor = affidavit.Actor(role, "bot")
    for _ in range(2):
        assert ledger.feedback(the(ledger).id, "incorrect", id="f1").rule == "role"
    assert state(ledger) == before
    assert len([one for one in ledger.inbox() if one["rule"] == "role"]) == 2
    ledger.actor = affidavit.Actor("user", "Ana")
    assert ledger.feedback(the(ledger).id, "useful", id="f1").counted == "set"


# Incorrect


@pytest.mark.row("P15")
def test_incorrect_takes_the_claim_and_its_duplicates_out_in_its_namespace_alone(ledger: Ledger) -> None:
    ledger.extract(Otherwise(Plain()))
    ledger.remember("I live in Lisbon.", namespace="work", extractor=Plain())
    pending = ledger.remember("I live in Lisbon.", extractor=None)
    (mine,) = [one for one in ledger.claims() if one.text == LISBON and not one.namespace]
    others = [one.id for one in ledger.claims() if one.id != mine.id and not one.namespace]
    done = ledger.feedback(mine.id, "incorrect")
    assert done.events[:2] == ("feedback-given", "value-rejected")
    assert [claim.namespace for claim in ledger.claims()] == ["work"]
    assert {ledger.show(one).claim.status for one in others} <= {"quarantined"}
    # The queued repeat is retired when it is read; the message itself stays evidence.
    tally = ledger.extract(Plain())
    assert (tally.read, tally.derived, [event.rule for event in tally.refused]) == (1, 0, ["rejected value"])
    assert ledger.evidence(pending.evidence[0])[0].claims == []
    assert "Lisbon" not in ledger.prompt().text
    assert "Lisbon" in ledger.prompt(namespace="work").text
    refused = ledger.feedback(mine.id, "accurate")
    assert (refused.rule, refused.counted) == ("not live", "")
    (matter,) = [one for one in ledger.inbox() if one.get("claim") == mine.id]
    assert (matter["class"], matter["rule"]) == ("quarantined", "incorrect")
    ledger.remember("I live in Porto.", extractor=Plain())
    assert "Porto" in ledger.prompt().text


def test_it_stays_out_through_rebuild_and_other_extractors(ledger: Ledger) -> None:
    ledger.feedback(the(ledger).id, "incorrect")
    ledger.rebuild()
    ledger.extract(Plain(), again=True)
    ledger.extract(Otherwise(Plain()))
    assert ledger.claims() == []
    assert ledger.prompt().text == ""


# Late answers


class Late(Plain):
    """Reads as `Plain` does; while it is at work, somebody gives feedback."""

    identity = ExtractorId("late", "1", "6" * 64)

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Answers after the claim has been found incorrect."""
        self.ledger.feedback(the(self.ledger).id, "incorrect", id="meanwhile")
        return super().extract(passage)


@pytest.mark.row("P17")
def test_an_extraction_in_flight_does_not_bring_back_what_was_found_incorrect(ledger: Ledger) -> None:
    done = ledger.remember({"text": "I live in Lisbon.", "time": "2027-03-11T07:00:00Z"}, extractor=Late(ledger))
    assert [one["rule"] for one in done.refused] == ["rejected value"]
    assert the(ledger).status == "quarantined"


@pytest.mark.row("P17")
def test_a_merge_into_a_claim_that_was_meanwhile_found_incorrect_is_not_taken(tmp_path: Path) -> None:
    world = World(tmp_path / "world")
    with world.ledger as ledger:
        world.persona("tea")
        tea = world.the("likes tea", "persona").id
        world.like(*["cake"] * 5)

        def merge(claim: Asked, personas: Sequence[Asked]) -> Merge:
            ledger.feedback(tea, "incorrect")
            clauses = (MergeClause("tea", "target"), MergeClause("cake", "claim"))
            return Merge("merge_into", personas[0].id, "User likes tea and cake.", clauses)

        world.model = Scripted(merge=merge)
        world.ticks(5)
        assert world.model.times("merge") >= 1
        assert ledger.show(tea).claim.status == "quarantined"
        assert "User likes tea and cake." not in {claim.text for claim in ledger.claims(every=True)}
        assert world.the("likes cake", "fact").live
        assert ledger.verify().clean


@pytest.mark.row("P17")
def test_a_promotion_of_a_claim_that_was_meanwhile_found_incorrect_is_not_taken(tmp_path: Path) -> None:
    world = World(tmp_path / "world")
    with world.ledger as ledger:
        world.persona("tea")
        world.like(*["cake"] * 5)

        def merge(claim: Asked, personas: Sequence[Asked]) -> Merge:
            ledger.feedback(world.the("likes cake").id, "incorrect")
            return FRESH

        world.model = Scripted(merge=merge)
        world.ticks(5)
        assert world.model.times("merge") == 1
        assert world.the("likes cake").status == "quarantined"
        assert ledger.verify().clean


# In whole messages


@pytest.mark.row("P18")
@pytest.mark.parametrize(("verdict", "word"), WORDS.items())
def test_a_whole_message_of_the_user_is_feedback_in_two_languages(ledger: Ledger, verdict: str, word: str) -> None:
    claim = the(ledger).id
    done = ledger.remember({"text": f"记忆 {claim} {word}。", "name": "Ana"})
    assert done.feedback == [{"claim": claim, "text": LISBON, "verdict": verdict, "counted": "set"}]
    assert (done.claims, done.refused, len(done.evidence)) == ([], [], 1)
    (decision, *_) = [one for one in ledger.why(claim).corrections if one["what"] == f"found {verdict}"]
    assert (decision["by"], decision["role"]) == ("Ana", "user")
    assert slots(ledger) == ((verdict, None) if verdict in ("useful", "unhelpful") else (None, verdict))
    other = ledger.remember(f"Memory {claim} is {verdict}.")
    assert [one["counted"] for one in other.feedback] == ([] if verdict == "incorrect" else ["repeated"])


@pytest.mark.row("P18")
@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_nobody_elses_message_is_scanned(ledger: Ledger, role: Any) -> None:
    done = ledger.remember(f"memory {the(ledger).id} is incorrect.", role=role)
    assert (done.feedback, done.refused) == ([], [])
    assert the(ledger).live


def test_what_a_source_marks_as_adopted_or_the_user_asserts_is_not_heard(ledger: Ledger) -> None:
    text = f"memory {the(ledger).id} is incorrect."
    assert ledger.remember({"text": text, "adopted": [[0, len(text)]]}).feedback == []
    assert ledger.remember(text, as_claim=True).feedback == []
    assert the(ledger).live


def test_an_imported_file_judges_nothing(ledger: Ledger, tmp_path: Path) -> None:
    text = f"memory {the(ledger).id} is incorrect."
    lines = [{"id": "1", "role": "user", "text": text, "time": "2027-03-11T07:00:00Z"}]
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    (done,) = ledger.import_file(path, extractor=Plain())
    assert (done.recorded, done.derived) == (1, 0)
    assert the(ledger).live


@pytest.mark.parametrize("text", ["memory {} is incorrect.", "记忆 {} 错误。"])
def test_an_unknown_id_costs_the_turn_nothing_else(ledger: Ledger, text: str) -> None:
    said = [text.format(UNKNOWN), "I like tea."]
    done = ledger.remember(said, extractor=Plain())
    assert [(one["rule"], one["required"]) for one in done.refused] == [("feedback", "a claim of this scope")]
    assert [claim.text for claim in done.claims] == ["User likes tea."]
    assert len(done.evidence) == 2
    assert done.feedback == []


def test_a_refused_verdict_costs_the_turn_nothing_else(ledger: Ledger) -> None:
    ledger.reject(the(ledger).id)
    said = [f"memory {the(ledger).id} is accurate.", "I like tea."]
    done = ledger.remember(said, extractor=Plain())
    assert [(one["rule"], one["actual"]) for one in done.refused] == [("feedback", "status denied")]
    assert [claim.text for claim in done.claims] == ["User likes tea."]


def test_a_claim_of_another_scope_is_unknown(ledger: Ledger) -> None:
    claim = the(ledger).id
    ledger.at("ana").open_scope("bea")
    done = ledger.at("bea").remember(f"memory {claim} is incorrect.")
    assert [one["rule"] for one in done.refused] == ["feedback"]
    with pytest.raises(UnknownId):
        ledger.at("bea").feedback(claim, "incorrect")
    assert the(ledger).live


@pytest.mark.parametrize("role", sorted(ROLES - {"user", "operator", "host"}))
def test_who_vouches_for_nothing_passes_no_verdict_off_as_the_users(ledger: Ledger, role: Any) -> None:
    ledger.actor = affidavit.Actor(role, "bot")
    done = ledger.remember(f"memory {the(ledger).id} is incorrect.")
    assert [(one["rule"], one["actual"]) for one in done.refused] == [("feedback", f"role {role}")]
    assert the(ledger).live


def test_a_host_passes_on_what_its_user_said(ledger: Ledger) -> None:
    ledger.actor = affidavit.Actor("host", "bridge")
    assert ledger.remember(f"memory {the(ledger).id} is useful.").feedback[0]["counted"] == "set"
    assert ledger.feedback(the(ledger).id, "useful").rule == "role"


@pytest.mark.row("P12")
def test_a_message_gives_its_verdict_once_whatever_it_says_later(ledger: Ledger) -> None:
    claim = the(ledger).id
    said = {"id": "m1", "text": f"memory {claim} is useful."}
    ledger.remember(said)
    position = ledger.position
    assert [one["counted"] for one in ledger.remember(said).feedback] == ["known"]
    assert ledger.position == position
    revised = ledger.remember({"id": "m1", "text": f"memory {claim} is incorrect."})
    assert (revised.revised, [one["counted"] for one in revised.feedback]) == (1, ["known"])
    assert (the(ledger).live, slots(ledger)) == (True, ("useful", None))


def test_a_message_that_was_recorded_and_not_heard_is_heard_when_it_comes_again(ledger: Ledger) -> None:
    message = ledger._message({"id": "m1", "text": f"memory {the(ledger).id} is useful."}, "user", "")
    assert len(list(ledger.record([message]))) == 1
    assert slots(ledger) == (None, None)
    assert [one["counted"] for one in ledger.remember(message).feedback] == ["set"]


def test_a_verdict_counts_from_when_it_was_said(ledger: Ledger) -> None:
    claim = the(ledger).id
    ledger.feedback(claim, "unhelpful")
    done = ledger.remember({"text": f"memory {claim} is useful.", "time": "2027-03-10T08:00:00Z"})
    assert [one["counted"] for one in done.feedback] == ["older"]
    assert slots(ledger) == ("unhelpful", None)


class Talks:
    """Derives a claim from whatever it is shown."""

    identity = ExtractorId("talks", "1", "7" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns one claim of the whole passage."""
        quote = passage.text[passage.chunk.start : passage.chunk.end]
        return (Proposal("User talks.", "fact", Span(passage.chunk.start, passage.chunk.end), quote),)


def test_nobody_derives_anything_from_a_verdict(ledger: Ledger) -> None:
    text = f"memory {the(ledger).id} is useful."
    done = ledger.remember(text, extractor=Talks())
    assert [one["rule"] for one in done.refused] == ["not testimony"]
    ledger.extract("rules")
    assert [claim.text for claim in ledger.claims(every=True)] == [LISBON]


def test_the_rules_read_nothing_out_of_any_form_of_it(ledger: Ledger) -> None:
    forms = [f"memory {UNKNOWN} is {verdict}." for verdict in WORDS] + [
        f"记忆 {UNKNOWN} {word}。" for word in WORDS.values()
    ]
    passages = [Passage(text, Span(0, len(text)), "user", (), 0) for text in forms]
    assert [Rules().extract(passage) for passage in passages] == [()] * len(forms)
    done = ledger.remember(forms)
    assert done.claims == []
    assert len(done.refused) == len(forms)


# Copies


@pytest.mark.row("P29")
def test_what_was_handed_out_can_be_changed_without_changing_the_ledger(ledger: Ledger) -> None:
    claim = the(ledger).id
    heard = ledger.remember(f"memory {claim} is useful.")
    heard.feedback[0]["verdict"] = "incorrect"
    shown = ledger.show(claim)
    shown.state["utility"]["verdict"] = "unhelpful"
    shown.state["status"] = "denied"
    shown.formula.clear()
    listed = the(ledger)
    listed.evidence.append("x")
    ledger.history(claim)[-1].changed["utility"] = "unhelpful"
    assert slots(ledger) == ("useful", None)
    assert ledger.show(claim).state["status"] == "active"
    assert ledger.show(claim).formula
    assert len(the(ledger).evidence) == 1
    assert ledger.history(claim)[-1].changed["utility"] == "useful"


def test_an_as_of_read_sees_the_verdict_that_was_recorded_then(ledger: Ledger, clock: Clock) -> None:
    claim = the(ledger).id
    ledger.feedback(claim, "useful")
    position = ledger.position
    clock.now += SECOND
    ledger.feedback(claim, "unhelpful")
    assert ledger.show(claim, as_of=position).state["utility"]["verdict"] == "useful"
    assert ledger.show(claim).state["utility"]["verdict"] == "unhelpful"
