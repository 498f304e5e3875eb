"""Each question has one closed schema for its answer; who cannot know gives no answer, and what came of it is noted."""

from typing import Any

import msgspec
import pytest
from spec import SCOPE, Outcome, Story, asks

from affidavit.domain.candidates import Relation
from affidavit.domain.events import split
from affidavit.domain.questions import (
    Asked,
    Merge,
    MergeClause,
    ModelAnswered,
    NoteAnswer,
    Questions,
    Refinement,
    Reflection,
    Resolution,
    Said,
    Verdict,
    note_answer,
)

ANSWERS: list[tuple[type, dict[str, Any]]] = [
    (Reflection, {"text": "User lives for the night."}),
    (Relation, {"fact": "aa", "target": "bb", "signal": "negates"}),
    (Verdict, {"claim": "aa", "verdict": "unclear"}),
    (MergeClause, {"text": "at night", "of": "claim"}),
    (Merge, {"action": "promote_fresh"}),
    (Resolution, {"keep": "both"}),
    (Refinement, {"claim_id": "aa", "merge": {"action": "reject"}}),
]
OUTSIDE: list[tuple[type, dict[str, Any]]] = [
    (Reflection, {"kind": "whim"}),
    (Reflection, {"text": None}),
    (Relation, {"signal": "proves"}),
    (Verdict, {"verdict": "confirmed"}),
    (Verdict, {"quote": 7}),
    (MergeClause, {"of": "someone"}),
    (Merge, {"action": "promote"}),
    (Merge, {"clauses": [{"text": "x", "of": "claim", "why": "y"}]}),
    (Resolution, {"keep": "newest"}),
    (Refinement, {"merge": {"action": "reject", "extra": 1}}),
]
GIVEN = dict(ANSWERS)


class Rules(Questions):
    """Answers nothing beside extraction."""


# Answers


@pytest.mark.parametrize(("kind", "fields"), ANSWERS)
def test_an_answer_within_its_schema_is_taken(kind: type, fields: dict[str, Any]) -> None:
    found = msgspec.to_builtins(msgspec.convert(fields, kind))
    assert {name: found[name] for name in fields if name != "merge"} == {
        name: fields[name] for name in fields if name != "merge"
    }


@pytest.mark.parametrize(("kind", "fields"), ANSWERS)
@pytest.mark.parametrize("extra", ["confidence", "actor", "role", "x"])
def test_a_field_beyond_the_schema_refuses_the_whole_answer(kind: type, fields: dict[str, Any], extra: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=extra):
        msgspec.convert({**fields, extra: 1}, kind)


@pytest.mark.parametrize(("kind", "fields"), OUTSIDE)
def test_a_value_outside_the_schema_refuses_the_whole_answer(kind: type, fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**GIVEN[kind], **fields}, kind)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, fields in ANSWERS for name in fields])
def test_an_answer_that_leaves_out_what_is_required_is_none(kind: type, name: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({other: value for other, value in GIVEN[kind].items() if other != name}, kind)


def test_rules_give_no_answer() -> None:
    rules, one, said = Rules(), Asked("aa", "User likes tea."), Said("bb", "user", "Yes.")
    answers = (
        *(
            rules.reflect([one], []),
            rules.relate([one], [one]),
            rules.judge_reply("Yes.", [one]),
            rules.targets([said], [one]),
        ),
        *(rules.merge(one, [one]), rules.resolve(one, one), rules.refine([one]), rules.summarise([said])),
    )
    assert answers == (None,) * 8
    assert rules.answers == frozenset()


# What came of a question


def noted(story: Story, outcome: Any = "failed", **fields: Any) -> NoteAnswer:
    known = {"question": "merge", "request": bytes(16), "extractor": "model@1", "claims": (bytes(16),), **fields}
    return asks(story, NoteAnswer, outcome=outcome, **known)


def test_what_came_of_a_question_is_kept() -> None:
    command = noted(Story(), "dead letter", error="it timed out")
    event = Outcome(note_answer(command)).then(ModelAnswered).the(ModelAnswered)
    assert (event.question, event.outcome, event.request, event.extractor) == ("merge", "dead letter", bytes(16), "model@1")
    assert (event.claims, event.items, event.scope, event.stream) == ((bytes(16),), (), SCOPE, SCOPE)
    assert split(event)[1] == {"error": "it timed out"}


@pytest.mark.parametrize("outcome", ["no answer", "answered"])
def test_an_answer_or_none_to_the_same_request_is_noted_once(outcome: str) -> None:
    story = Story()
    assert noted(story, outcome).natural_key == noted(story, outcome).natural_key
    assert noted(story, outcome).natural_key != noted(story, outcome, request=bytes(15) + b"1").natural_key


@pytest.mark.parametrize("outcome", ["failed", "dead letter"])
def test_each_failure_counts(outcome: str) -> None:
    story = Story()
    assert noted(story, outcome).natural_key != noted(story, outcome).natural_key


def test_no_answer_and_an_answer_to_one_request_are_two_notes() -> None:
    story = Story()
    assert noted(story, "no answer").natural_key != noted(story, "answered").natural_key
