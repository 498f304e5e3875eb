"""The key store: random data keys, wrapped, in a file apart from the log. Losing it loses the text.

Every piece of evidence and every word of a person's own has a random key of 32 bytes; so has every scope, whose digests
and names hang on it. Keys are wrapped with AES-GCM under one key-encryption key (AFFIDAVIT_KEK, or a generated file of
mode 0600 beside the store) and are durable before the record that needs them commits: an orphan key is harmless, a
record without its key is not. The remembered head of the log lies here too, so that a log cut short is noticed.
"""

import base64
import binascii
import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from blake3 import blake3
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from affidavit.domain.errors import IntegrityFault, KeyMissing, UsageError
from affidavit.journal.files import use_wal

KEY_SIZE = 32
NONCE_SIZE = 12
KEK_VARIABLE = "AFFIDAVIT_KEK"

_TABLES = (
    "CREATE TABLE IF NOT EXISTS store (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID, STRICT",
    "CREATE TABLE IF NOT EXISTS keys (id BLOB PRIMARY KEY, wrapped BLOB NOT NULL) WITHOUT ROWID, STRICT",
    "CREATE TABLE IF NOT EXISTS head (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, "
    "link BLOB NOT NULL) STRICT",
)

Random = Callable[[int], bytes]


class KeyStore:
    """Data keys by their ids of 16 bytes. One instance serves all threads of a process."""

    def __init__(self, path: Path, random: Random = os.urandom, *, create: bool = False) -> None:
        if not create and not path.exists():
            msg = f"{path}: the key store is missing, and without it no text of this ledger can be read"
            raise KeyMissing(msg, remedy="restore it from a backup of log and keys")
        self.path = path
        self._random = random
        self._lock = threading.RLock()
        self._known: dict[bytes, bytes] = {}
        self._added: dict[bytes, bytes] = {}
        kek = _kek(path, random, create=create and not path.exists())
        self._wrapping = AESGCM(kek)
        self.view_key = blake3(kek, derive_key_context="affidavit 2026 view seals v1").digest()
        if create:
            path.touch(mode=0o600)
        self._connection = _connect(path)
        if create:
            for statement in _TABLES:
                self._connection.execute(statement)
        self.ledger = self._ledger_id(kek, create=create)

    def add(self, key_id: bytes) -> bytes:
        """Makes a new random key under an id; it is stored by the next `commit`. Returns the key."""
        with self._lock:
            key = self._random(KEY_SIZE)
            self._known[key_id] = self._added[key_id] = key
            return key

    def get(self, key_id: bytes) -> bytes:
        """Returns a key. Raises KeyMissing if the store does not hold it, IntegrityFault if it does not unwrap."""
        with self._lock:
            key = self._known.get(key_id)
            if key is None:
                row = self._connection.execute("SELECT wrapped FROM keys WHERE id = ?", (key_id,)).fetchone()
                if row is None:
                    msg = f"{self.path}: key {key_id.hex()[:24]} is not in the key store"
                    raise KeyMissing(msg, remedy="open the ledger with the key store it was written with")
                key = self._known[key_id] = self._unwrap(key_id, row[0])
            return key

    def load_all(self) -> None:
        """Unwraps every key at once: one at a time costs four times as much where all are needed.

        One that does not unwrap is left to `get`, which says so to whoever needs it; the others are not held up by it.
        """
        with self._lock:
            for key_id, wrapped in self._connection.execute("SELECT id, wrapped FROM keys"):
                if key_id not in self._known:
                    with contextlib.suppress(IntegrityFault):
                        self._known[key_id] = self._unwrap(key_id, wrapped)

    def damage(self, most: int) -> list[str]:
        """Returns what SQLite finds wrong with the file itself, up to so many sentences; none where it is sound."""
        with self._lock:
            rows = self._connection.execute(f"PRAGMA integrity_check({most})").fetchall()
        return [row[0] for row in rows if row[0] != "ok"]

    def commit(self) -> None:
        """Makes the added keys durable."""
        with self._lock:
            if not self._added:
                return
            rows = [(key_id, self._wrap(key_id, key)) for key_id, key in self._added.items()]
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany("INSERT INTO keys (id, wrapped) VALUES (?, ?)", rows)
            self._added.clear()

    def discard(self) -> None:
        """Forgets the keys that were added and not committed: their records were not written."""
        with self._lock:
            for key_id in self._added:
                self._known.pop(key_id, None)
            self._added.clear()

    def remembered_head(self) -> tuple[int, bytes] | None:
        """Returns (position, link) of the log as it was last remembered, or None."""
        with self._lock:
            found = self._connection.execute("SELECT position, link FROM head").fetchone()
            if found is None:
                return None
            position, link = found
            if not (isinstance(position, int) and isinstance(link, bytes)):
                msg = f"{self.path}: the remembered head is not what was put there"
                raise IntegrityFault(msg)
            return position, link

    def remember_head(self, position: int, link: bytes) -> None:
        """Remembers the end of the log; an older head never replaces a newer one."""
        with self._lock:
            self._connection.execute(
                "INSERT INTO head VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET position = excluded.position, "
                "link = excluded.link WHERE excluded.position > position",
                (position, link),
            )

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._connection.close()
            self._known.clear()

    def _wrap(self, key_id: bytes, key: bytes) -> bytes:
        nonce = self._random(NONCE_SIZE)
        return nonce + self._wrapping.encrypt(nonce, key, b"key " + key_id)

    def _unwrap(self, key_id: bytes, wrapped: bytes) -> bytes:
        try:
            return self._wrapping.decrypt(wrapped[:NONCE_SIZE], wrapped[NONCE_SIZE:], b"key " + key_id)
        except (InvalidTag, ValueError, TypeError) as error:
            named = key_id.hex()[:24] if isinstance(key_id, bytes) else repr(key_id)  # What was changed may be no bytes.
            msg = f"{self.path}: key {named} does not unwrap"
            raise IntegrityFault(msg, remedy=f"check {KEK_VARIABLE}, or restore the key store") from error

    def _ledger_id(self, kek: bytes, *, create: bool) -> bytes:
        """Returns the ledger's id, made once; a wrong key-encryption key is noticed here, before any read."""
        check = blake3(kek, derive_key_context="affidavit 2026 key check v1").digest(16)
        if create:
            made = {"ledger": self._random(16), "check": check}
            self._connection.executemany("INSERT OR IGNORE INTO store VALUES (?, ?)", made.items())
        stored = dict(self._connection.execute("SELECT name, value FROM store"))
        if stored.get("check") != check:
            msg = f"{self.path}: the key-encryption key is not the one this key store was made with"
            raise KeyMissing(msg, remedy=f"set {KEK_VARIABLE}, or restore {kek_file(self.path).name} beside it")
        ledger = stored.get("ledger")
        if not isinstance(ledger, bytes):
            msg = f"{self.path}: the ledger's id is not in the key store"
            raise IntegrityFault(msg)
        return ledger


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30, cached_statements=64)
    use_wal(connection, timeout=30)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    return connection


def kek_file(path: Path) -> Path:
    """Returns where the generated key-encryption key of a key store lies: beside it."""
    return path.with_suffix(".kek")


def _kek(path: Path, random: Random, *, create: bool) -> bytes:
    """Returns the key-encryption key from the environment, or from the file beside the store, made if need be."""
    given = os.environ.get(KEK_VARIABLE)
    if given:
        return _parse_kek(given, KEK_VARIABLE)
    file = kek_file(path)
    if create and not file.exists():
        _make_kek(file, random)
    if not file.exists():
        msg = f"{file}: the key-encryption key is missing"
        raise KeyMissing(msg, remedy=f"set {KEK_VARIABLE} or restore the file; without it no text can be read")
    return _parse_kek(file.read_text().strip(), str(file))


def _make_kek(file: Path, random: Random) -> None:
    """Makes the file of the key-encryption key: whole or not at all, and of several processes that try one makes it."""
    unfinished = file.with_suffix(f".kek-{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as out:
            out.write(random(KEY_SIZE).hex() + "\n")
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(FileExistsError):
            file.hardlink_to(unfinished)
    finally:
        unfinished.unlink()
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _parse_kek(text: str, where: str) -> bytes:
    try:
        key = bytes.fromhex(text) if len(text) == 2 * KEY_SIZE else base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_SIZE:
        msg = f"{where}: a key-encryption key of {KEY_SIZE} bytes is required, as 64 hex digits or base64"
        raise UsageError(msg)
    return key
