"""The canonical form of a record's body, and its narrow reading.

A body is a msgpack map with keys in byte order, shortest integers, no floats, no extension types and no key twice. It is
stored and hashed as its exact bytes. It is written by msgspec and checked by `verify` with another library, msgpack.
Nothing of the record's place in the log is in it, so that what is sealed and hashed does not depend on who came first.
"""

from typing import Any

import msgpack
import msgspec

_encoder = msgspec.msgpack.Encoder(order="sorted")
LARGEST = 2**63 - 1


class Voice(msgspec.Struct, frozen=True, gc=False):
    """Who gave the command: a role, and the random id of a sealed name."""

    role: str
    id: bytes


class Body(msgspec.Struct, frozen=True):
    """A record's body, as reading needs it; `public` is left encoded until its type is known.

    `sealed` is the digest of the blob (header and ciphertext) that holds the private fields, or None.
    """

    id: bytes
    command: bytes
    command_digest: bytes
    scope: bytes
    stream: bytes
    version: int
    type: str
    occurred_at: int
    actor: Voice
    policy: bytes
    public: msgspec.Raw
    evidence: tuple[bytes, ...] = ()
    parents: tuple[bytes, ...] = ()
    cause: bytes | None = None
    sealed: bytes | None = None
    key: bytes | None = None


_body = msgspec.msgpack.Decoder(Body)
_any = msgspec.msgpack.Decoder()


def encode(value: Any) -> bytes:
    """Returns plain data in canonical form."""
    return _encoder.encode(value)


def decode(data: bytes | msgspec.Raw) -> Any:
    """Returns the plain data of an encoded value."""
    return _any.decode(data)


def body(data: bytes) -> Body:
    """Reads a record's body. Raises ValueError where it has not the shape of one."""
    return _body.decode(data)


def is_canonical(data: bytes) -> bool:
    """Tells whether these bytes are the one canonical form of what they say."""
    try:
        value = msgpack.unpackb(data, raw=False, strict_map_key=True, object_pairs_hook=_map)
        return bool(msgpack.packb(value, use_bin_type=True) == data)
    except (ValueError, TypeError, msgpack.UnpackException):
        return False


def _map(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Returns a map whose keys are strings in byte order, each once; floats and extension types are refused."""
    keys = [key for key, _ in pairs]
    if any(not isinstance(key, str) for key in keys) or keys != sorted(set(keys)):
        raise ValueError("keys out of order")
    if any(isinstance(value, float | msgpack.ExtType) for _, value in pairs):
        raise ValueError("a float or an extension type")
    return dict(pairs)
