"""What the log writes of an event, the narrow structs of the read side decode, field for field."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
from pydantic import BaseModel

from affidavit.domain.claims import ClaimState, Slot
from affidavit.domain.events import EVENT_TYPES, Event, split
from affidavit.domain.evidence import EvidenceState
from affidavit.journal import reading
from affidavit.journal.encoding import encode
from affidavit.journal.reading import FIELDS
from affidavit.scripts.schemas import schemas

assert schemas()  # Every event is registered by now.

ALL = pytest.mark.parametrize("kind", EVENT_TYPES.values(), ids=EVENT_TYPES.keys())
STATES = pytest.mark.parametrize(
    ("model", "narrow"),
    [(ClaimState, reading.ClaimState), (EvidenceState, reading.EvidenceState)],
    ids=["claim", "evidence"],
)
LEAVES: dict[Any, Any] = {bytes: b"a digest of 16 b", int: 7, str: "words", bool: True}
"""One value of each plain type that is nobody's default; 7 is an importance, a count, a weight and a moment."""

FITTING = {"accuracy": Slot(verdict="incorrect", at=7)}
"""Fields whose values have to go together."""


def example(annotation: Any, default: Any = None) -> Any:
    """Returns a value of this type that is not the default, with something in every field and element."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation is bool:
        return not default
    if annotation in LEAVES:
        return LEAVES[annotation]
    if origin is Annotated:
        return example(inner[0], default)
    if origin is Literal:
        return next(word for word in reversed(inner) if word != default)
    if origin in {Union, types.UnionType}:
        return example(next(one for one in inner if one is not type(None)), default)
    if origin is tuple:
        return (example(inner[0]),) * 2
    assert issubclass(annotation, BaseModel), annotation
    fields = {name: example(field.annotation, field.default) for name, field in annotation.model_fields.items()}
    return annotation(**fields | {name: fits for name, fits in FITTING.items() if name in fields})


def whole(kind: type[Event]) -> Event:
    """Returns an event of this type in which no field is left out."""
    made: Event = example(kind)
    return made


def plain(value: Any) -> Any:
    """Returns structs as maps and tuples as lists, as the log writes them."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(inner) for name, inner in msgspec.structs.asdict(value).items()}
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def differences(written: Any, read: Any, path: str) -> Iterator[str]:
    """Yields where what was read is not what was written; a narrow struct may leave out what it does not need."""
    if isinstance(written, dict) and isinstance(read, dict):
        for name, value in read.items():
            if name not in written:
                yield f"{path}.{name} was not written"
            else:
                yield from differences(written[name], value, f"{path}.{name}")
    elif isinstance(written, list) and isinstance(read, list) and len(written) == len(read):
        for at, (one, other) in enumerate(zip(written, read, strict=True)):
            yield from differences(one, other, f"{path}[{at}]")
    elif written != read:
        yield f"{path}: {written!r} was read as {read!r}"


@ALL
def test_every_public_field_is_read_as_it_was_written(kind: type[Event]) -> None:
    public, _ = split(whole(kind))
    assert public.keys() == kind.public
    read = plain(msgspec.msgpack.decode(encode(public), type=FIELDS[kind.type_name]))
    known = {name: value for name, value in read.items() if name in kind.public}
    assert list(differences(plain(public), known, kind.__name__)) == []


@ALL
def test_no_field_of_an_example_has_its_default(kind: type[Event]) -> None:
    event = whole(kind)
    fields = {name: field for name, field in kind.model_fields.items() if name in kind.public and not field.is_required()}
    assert [name for name, field in fields.items() if getattr(event, name) == field.default] == []


def test_the_read_side_knows_every_event_type_and_no_other() -> None:
    assert FIELDS.keys() == EVENT_TYPES.keys()


@STATES
def test_a_narrow_state_has_no_field_that_the_model_has_not(model: type[BaseModel], narrow: type[msgspec.Struct]) -> None:
    assert set(narrow.__struct_fields__) <= set(model.model_fields)


@STATES
def test_what_a_record_leaves_out_means_the_same_to_both(model: type[BaseModel], narrow: type[msgspec.Struct]) -> None:
    read = {field.name: field.default for field in msgspec.structs.fields(narrow) if not field.required}
    for name, field in model.model_fields.items():
        if name in read and not field.is_required():
            assert read[name] == field.default, name


@ALL
def test_a_field_that_a_record_leaves_out_is_read_as_what_it_was(kind: type[Event]) -> None:
    fields = {field.name: field for field in msgspec.structs.fields(FIELDS[kind.type_name])}
    for name in kind.public:
        field = kind.model_fields[name]
        if field.exclude_if is None or name not in fields:
            continue
        assert field.exclude_if(field.default), name
        assert fields[name].default == field.default, name


def test_the_comparison_sees_a_value_that_was_lost() -> None:
    assert list(differences({"a": [{"b": 1}]}, {"a": [{"b": 0, "c": 2}]}, "x")) == [
        "x.a[0].b: 1 was read as 0",
        "x.a[0].c was not written",
    ]
