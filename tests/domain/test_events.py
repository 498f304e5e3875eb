"""Events are frozen, named in an allow-list, and show in the open only ids, numbers, digests and closed words."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError
from spec import NOW, a_claim

from affidavit.domain import evidence, scopes
from affidavit.domain.claims import ClaimDenied
from affidavit.domain.events import ENVELOPE, EVENT_TYPES, Event, event_type, split
from affidavit.scripts.schemas import schemas

assert schemas()  # Every event is registered by now.

OPEN_WORDS = {
    "ClaimDerived.extractor": "our extractor's name, version and schema digest",
    "ClaimReaffirmed.extractor": "the same",
    "ClaimQuarantined.extractor": "the same",
    "SignalApplied.extractor": "the same",
    "ClaimPromoted.extractor": "the same",
    "ClaimMerged.extractor": "the same",
    "ClaimRelated.extractor": "the same",
    "ModelAnswered.extractor": "the same",
    "ReplyJudged.read_by": "the same, empty for a person",
    "ExtractionCompleted.extractor": "the same",
    "ExtractionFailed.extractor": "the same",
    "WriteRefused.extractor": "the same",
    "ValueRejected.extractors": "the same",
    "Reading.extractor": "the same",
    "ClaimQuarantined.rule": "the name of one of our rules",
    "WriteRefused.rule": "the same",
    "ClaimDenied.rule": "the same",
    "ReviewRequired.rule": "the same",
    "PromotionBlocked.rule": "the same",
    "ClaimState.review": "the same",
    "ScopeOpened.time_zone": "a zone of the IANA database, checked when the scope opens",
    "PolicyAdopted.policy": "the constants of the rules, written out by us",
    "ClaimState.sub_zero_last_increment_date": "a calendar day",
    "ClaimState.boosted_on": "the same",
    "SubZeroDayCounted.day": "a calendar day",
    "ClaimArchived.day": "a calendar day",
}
"""Public fields that hold text, each with the reason why that text is no content and no name."""

ALL = pytest.mark.parametrize("kind", EVENT_TYPES.values(), ids=EVENT_TYPES.keys())


def texts(owner: str, name: str, annotation: Any) -> Iterator[str]:
    """Yields every place below a field where free text may stand."""
    if annotation in {str, Any}:
        yield f"{owner}.{name}"
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for inner, field in annotation.model_fields.items():
            yield from texts(annotation.__name__, inner, field.annotation)
    else:
        for part in (part for part in get_args(annotation) if not isinstance(part, str)):
            yield from texts(owner, name, part)


def shown(kind: type[Event]) -> set[str]:
    public = {name: kind.model_fields[name].annotation for name in kind.public | ENVELOPE}
    return {found for name, annotation in public.items() for found in texts(kind.__name__, name, annotation)}


@ALL
def test_no_public_field_holds_content_or_a_name(kind: type[Event]) -> None:
    assert shown(kind) <= OPEN_WORDS.keys()


def test_no_reason_outlives_its_field() -> None:
    assert set().union(*(shown(kind) for kind in EVENT_TYPES.values())) == OPEN_WORDS.keys()


@ALL
def test_an_event_has_a_name_with_a_version_and_a_stream(kind: type[Event]) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*\.v[1-9][0-9]*", kind.type_name)
    assert EVENT_TYPES[kind.type_name] is kind
    assert kind.stream_class in {"claim", "evidence", "scope"}
    assert kind.__doc__


@ALL
def test_an_event_refuses_unknown_fields(kind: type[Event]) -> None:
    with pytest.raises(ValidationError) as refused:
        kind.model_validate({"surprise": 1})
    assert ("extra_forbidden", ("surprise",)) in [(error["type"], error["loc"]) for error in refused.value.errors()]


@ALL
def test_an_event_is_frozen(kind: type[Event]) -> None:
    event = kind.model_construct(id=bytes(16))
    with pytest.raises(ValidationError, match="frozen"):
        event.id = bytes(16)


@ALL
def test_the_schema_of_an_event_can_be_written(kind: type[Event]) -> None:
    properties = set(kind.model_json_schema()["properties"])
    assert properties == set(kind.model_fields)


def test_errors_never_repeat_the_input() -> None:
    with pytest.raises(ValidationError) as refused:
        evidence.EvidenceContent.model_validate({"text": ["a secret"]})
    assert "secret" not in str(refused.value)


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered twice"):
        event_type("claim-denied.v1")(ClaimDenied)


def test_only_fields_that_exist_can_be_public() -> None:
    with pytest.raises(ValueError, match=r"does not have: \['weather'\]"):
        event_type("claim-rained-on.v1", public="claim weather")(ClaimDenied)
    assert "claim-rained-on.v1" not in EVENT_TYPES


def test_an_event_splits_into_public_and_private_without_its_envelope() -> None:
    refused = scopes.WriteRefused(
        id=bytes(16), occurred_at=NOW, scope=bytes(16), rule="quote", actual="the words", required="other words"
    )
    public, private = split(refused)
    assert public.keys() == {"scope", "rule", "conflict", "extractor"}
    assert private.keys() == {"actual", "required", "remedy", "text", "start", "end", "quote"}
    assert not ENVELOPE & (public.keys() | private.keys())


@pytest.mark.parametrize("wrong", [{"status": "nonsense"}, {"disputation": -5}])
def test_a_state_is_validated_when_it_changes(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        a_claim().with_(**wrong)


def test_an_id_has_sixteen_bytes() -> None:
    with pytest.raises(ValidationError):
        ClaimDenied(id=bytes(15), occurred_at=NOW, claim=bytes(16), state=a_claim())


@pytest.mark.parametrize("moment", [-(10**18), 10**18])
def test_a_moment_lies_within_the_years_1_and_9999(moment: int) -> None:
    with pytest.raises(ValidationError):
        ClaimDenied(id=bytes(16), occurred_at=moment, claim=bytes(16), state=a_claim())
