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


class CanonicalForm:
    """Reads bodies and tells whether their bytes are the one canonical form of what they say. One thread uses one.

    The value that was read is written twice, and both must give the bytes back.

    msgpack writes every integer and length at its shortest, so what it gives back is as short; it is another library than
    the one that wrote the body, and as its bytes are these bytes, it would read them as the same value. A key that came
    twice is once in the value and is missed. It refuses what msgspec reads an extension type as. msgspec, sorting, puts keys
    in order and refuses keys that are no strings. A float comes back from only one of the two: msgpack is told to write
    four bytes, msgspec writes eight.
    """

    def __init__(self) -> None:
        self._pack = msgpack.Packer(use_bin_type=True, use_single_float=True).pack

    def read(self, data: bytes) -> dict[str, Any] | None:
        """Returns the map that these bytes say, or None where they are not the canonical form of one."""
        try:
            value = _any.decode(data)
            if self._pack(value) == data and _encoder.encode(value) == data and type(value) is dict:
                return value
        except (ValueError, TypeError, OverflowError, RecursionError):
            pass
        return None
