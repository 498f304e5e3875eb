"""The canonical form: one sequence of bytes for each body, and whatever else says the same is refused."""

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.journal.encoding import CanonicalForm, encode

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40) | st.binary(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=3), inner, max_size=20),
    max_leaves=40,
)
ANY = st.recursive(
    st.none() | st.integers(-300, 300) | st.text(max_size=3) | st.floats() | st.just(msgpack.Timestamp(1)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


def sound(value: Any) -> bool:
    """Tells by the definition, a walk over the value, whether what it says may stand in a body."""
    if isinstance(value, dict):
        return list(value) == sorted(value, key=str.encode) and all(map(sound, value.values()))
    if isinstance(value, list):
        return all(map(sound, value))
    return not isinstance(value, float | msgpack.ExtType | msgpack.Timestamp)


@given(st.dictionaries(st.text(max_size=3), PLAIN, max_size=20))
def test_what_is_written_is_canonical_and_reads_as_what_it_was(value: dict[str, Any]) -> None:
    assert CanonicalForm().read(encode(value)) == value


@given(st.dictionaries(st.text(max_size=2), ANY, max_size=4), st.booleans())
def test_it_agrees_with_the_definition(value: dict[str, Any], single: bool) -> None:
    try:
        body = msgpack.packb(value, use_single_float=single)
    except OverflowError:
        return  # No float of four bytes is so large.
    assert (CanonicalForm().read(body) is not None) == sound(value)


@given(st.dictionaries(st.text(max_size=2), PLAIN, min_size=1, max_size=4), st.data())
def test_no_changed_byte_leaves_another_form_of_the_same(value: dict[str, Any], data: st.DataObject) -> None:
    body = bytearray(encode(value))
    body[data.draw(st.integers(0, len(body) - 1))] ^= data.draw(st.integers(1, 255))
    read = CanonicalForm().read(bytes(body))
    assert read is None or encode(read) == bytes(body)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\x82\xa1b\x01\xa1a\x01", id="keys out of order"),
        pytest.param(b"\x81\xa1a\x91\x82\xa1b\x01\xa1a\x01", id="keys out of order within"),
        pytest.param(b"\x82\xa1a\x01\xa1a\x01", id="a key twice"),
        pytest.param(b"\x81\x01\x01", id="a key that is no string"),
        pytest.param(b"\x81\xc4\x01a\x01", id="a key of bytes"),
        pytest.param(b"\x81\xa1a\xcb?\xf8\0\0\0\0\0\0", id="a float of eight bytes"),
        pytest.param(b"\x81\xa1a\xca?\xc0\0\0", id="a float of four bytes"),
        pytest.param(b"\x81\xa1a\xcb?\xf0\0\0\0\0\0\0", id="a whole float"),
        pytest.param(b"\x81\xa1a\xcb\x7f\xf8\0\0\0\0\0\0", id="no number"),
        pytest.param(b"\x81\xa1a\xd6\xff\0\0\0\x01", id="a time stamp"),
        pytest.param(b"\x81\xa1a\xd4\x04x", id="an extension type"),
        pytest.param(b"\x81\xa1a\xcc\x01", id="a longer integer"),
        pytest.param(b"\x81\xa1a\xd3\0\0\0\0\0\0\0\x05", id="a signed integer that is positive"),
        pytest.param(b"\x81\xd9\x01a\x01", id="a longer string"),
        pytest.param(b"\xde\0\x01\xa1a\x01", id="a longer map"),
        pytest.param(b"\x81\xa1a\x01\0", id="a byte too many"),
        pytest.param(b"\x81\xa1a", id="a byte too few"),
        pytest.param(b"\x81\xa1a\xa1\xff", id="no UTF-8"),
        pytest.param(b"\x92\x01\x02", id="no map"),
        pytest.param(b"\x81\xa1a" + b"\x91" * 5000 + b"\x01", id="too deep"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_another_form_is_refused_and_the_next_body_is_read(body: bytes) -> None:
    form = CanonicalForm()
    assert form.read(body) is None
    assert form.read(b"\x81\xa1a\x01") == {"a": 1}
