"""The vault: private fields, sealed with AES-256-GCM. The log holds only the digest of header and ciphertext.

A blob describes itself: its header says under which key it is sealed. Evidence and people's own words have random keys.
Derived text uses a key derived, with a salt, from the keys of all the evidence the extractor was shown for it,
transitively, and never stored: destroy one parent key and every descendant is unreadable by arithmetic. Names use the
scope's key. Associated data binds ledger, scope, event id, event type and header, so a blob opens nowhere else.
"""

import os
from typing import Any

import msgspec
from blake3 import blake3
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from affidavit.domain.errors import IntegrityFault
from affidavit.journal.encoding import decode, encode
from affidavit.journal.keys import NONCE_SIZE, KeyStore, Random

_DERIVED = "affidavit 2026 derived text v1"
_DIGESTS = "affidavit 2026 keyed digests v1"
_VIEWS = "affidavit 2026 view rows v1"
_NAMES = "affidavit 2026 names v1"


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a blob is sealed: under one key (`own`), under what its `parents` give with the `salt`, or as a scope's name."""

    own: bytes | None = None
    parents: tuple[bytes, ...] = ()
    salt: bytes | None = None


class Blob(msgspec.Struct, frozen=True, array_like=True):
    """A sealed blob: the encoded header, a nonce, and the ciphertext with its tag."""

    header: bytes
    nonce: bytes
    ciphertext: bytes


_headers = msgspec.msgpack.Decoder(Header)
_blobs = msgspec.msgpack.Decoder(Blob)


class Vault:
    """Seals and opens blobs with the keys of one key store."""

    def __init__(self, keys: KeyStore, random: Random = os.urandom) -> None:
        self.keys = keys
        self._random = random
        self._scopes: dict[bytes, tuple[bytes, bytes]] = {}

    def keyed(self, scope: bytes, purpose: str, *parts: str) -> bytes:
        """Returns a digest of 16 bytes of the parts, keyed by the scope's secret; parts are kept apart by length."""
        data = [part.encode("utf-8", "surrogatepass") for part in (purpose, *parts)]
        framed = b"".join([len(part).to_bytes(8, "big") + part for part in data])
        return blake3(framed, key=self._scope(scope)[0]).digest(16)

    def digest_key(self, scope: bytes) -> bytes:
        """Returns the key under which views of this scope are digested; another one than that of its contents."""
        return blake3(self._scope(scope)[0], derive_key_context=_VIEWS).digest()

    def seal(self, fields: dict[str, Any], header: Header, *, scope: bytes, event_id: bytes, event_type: str) -> bytes:
        """Returns the blob that holds `fields`: header, nonce and ciphertext."""
        encoded = encode(header)
        nonce = self._random(NONCE_SIZE)
        cipher = AESGCM(self._key(header, scope))
        sealed = cipher.encrypt(nonce, encode(fields), self._bound(scope, event_id, event_type, encoded))
        return encode([encoded, nonce, sealed])

    def open(self, blob: bytes, *, scope: bytes, event_id: bytes, event_type: str) -> dict[str, Any]:
        """Returns the fields of a blob. Raises KeyMissing for a missing key, IntegrityFault for a foreign blob."""
        header, parts = self._parse(blob)
        cipher = AESGCM(self._key(header, scope))
        try:
            data = cipher.decrypt(parts.nonce, parts.ciphertext, self._bound(scope, event_id, event_type, parts.header))
        except InvalidTag as error:
            msg = f"event {event_id.hex()[:24]}: its sealed text belongs to another event, or was changed"
            raise IntegrityFault(msg) from error
        fields: dict[str, Any] = decode(data)
        return fields

    def derived(self, parents: tuple[bytes, ...]) -> Header:
        """Returns a header, with a fresh salt, for text derived from what these keys seal."""
        return Header(parents=tuple(sorted(set(parents))), salt=self._random(16))

    def _parse(self, blob: bytes) -> tuple[Header, Blob]:
        try:
            parts = _blobs.decode(blob)
            return _headers.decode(parts.header), parts
        except (msgspec.MsgspecError, TypeError) as error:  # A changed file may hold no bytes where a blob was.
            raise IntegrityFault("a sealed text has not the shape of one") from error

    def _key(self, header: Header, scope: bytes) -> bytes:
        if header.own:
            return self.keys.get(header.own)
        if not header.parents:
            return self._scope(scope)[1]
        material = b"".join(key_id + self.keys.get(key_id) for key_id in sorted(header.parents))
        return blake3((header.salt or b"") + material, derive_key_context=_DERIVED).digest()

    def _scope(self, scope: bytes) -> tuple[bytes, bytes]:
        found = self._scopes.get(scope)
        if found is None:
            key = self.keys.get(scope)
            found = blake3(key, derive_key_context=_DIGESTS).digest(), blake3(key, derive_key_context=_NAMES).digest()
            self._scopes[scope] = found
        return found

    def _bound(self, scope: bytes, event_id: bytes, event_type: str, header: bytes) -> bytes:
        return encode([self.keys.ledger, scope, event_id, event_type, header])
