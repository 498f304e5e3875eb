"""Rows of a view: what a view keeps, each row checked when it is read, all of them summed.

A row has a scope, a kind, a key, and content in two parts: `natural`, which follows from what was said and decided alone
(no position, no id of ours, no recorded_at), and `local`, the ids that answer questions in this ledger. The view's digest
is the hash of the sorted keyed hashes of the natural parts. Each row carries a keyed digest of itself, and each kind the
count and sum of its rows' digests; the view seals the sum of those with its position. So neither a changed nor a
vanished nor an older row answers silently.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

from blake3 import blake3
from msgspec.msgpack import Decoder

from affidavit.domain.errors import IntegrityFault
from affidavit.journal.encoding import decode, encode
from affidavit.journal.vault import Vault

TABLES = (
    """CREATE TABLE rows (
        scope BLOB NOT NULL, kind TEXT NOT NULL, key BLOB NOT NULL, content BLOB NOT NULL, digest BLOB NOT NULL,
        PRIMARY KEY (scope, kind, key)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE sums (
        scope BLOB NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, total BLOB NOT NULL, digest BLOB NOT NULL,
        PRIMARY KEY (scope, kind)
    ) WITHOUT ROWID, STRICT""",
    """CREATE TABLE view (
        one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, version INTEGER NOT NULL,
        position INTEGER NOT NULL, link BLOB NOT NULL, total BLOB NOT NULL, seal BLOB NOT NULL
    ) STRICT""",
)
REMEDY = "run `affidavit rebuild`: views follow from the log"
PENDING = 50_000
"""How many rows wait in memory at most; 40 MB of claims. Fewer cost more: each touches another page."""
_MODULUS = 1 << 128
T = TypeVar("T")


class Row(NamedTuple):
    """One row: its key, what is natural of it, and what belongs to this ledger alone."""

    key: bytes
    natural: dict[str, Any]
    local: dict[str, Any]


class DamagedRow(IntegrityFault):
    """A row of a view is not what was put there. The log is not concerned: the view can be rebuilt."""


class Rows:
    """The rows of one view, read through one connection."""

    def __init__(self, connection: sqlite3.Connection, vault: Vault, name: str) -> None:
        self.connection = connection
        self.name = name
        self._vault = vault
        self._scope_keys: dict[bytes, bytes] = {}
        self._kind_keys: dict[tuple[bytes, str], bytes] = {}

    def get(self, scope: bytes, kind: str, key: bytes) -> Row | None:
        """Returns a row, or None. Before it says None, it makes sure that no row has vanished."""
        found = self._stored(scope, kind, key)
        if found is None and any(other == key for other, _ in self._sound(scope, kind)):
            raise self.missing(kind, key)
        return found

    def prefixed(self, scope: bytes, kind: str, prefix: bytes) -> list[Row]:
        """Returns the rows whose key begins so, in key order. Whether one has vanished, only the log can tell."""
        found = self.connection.execute(
            "SELECT key, content, digest FROM rows WHERE scope = ? AND kind = ? AND key >= ? AND key < ? ORDER BY key",
            (scope, kind, prefix, after_prefix(prefix)),
        )
        return [self._row(scope, kind, *row) for row in found]

    def all(self, scope: bytes, kind: str) -> list[Row]:
        """Returns every row of a kind, in key order, none missing."""
        return [Row(key, *decode(content)) for key, content in self._sound(scope, kind)]

    def each(self, scope: bytes, kind: str, reading: Decoder[T]) -> Iterator[tuple[bytes, T]]:
        """Yields, as `all` does, the key of every row of a kind, and what `reading` takes of its [natural, local]."""
        return ((key, reading.decode(content)) for key, content in self._sound(scope, kind))

    def check(self, scope: bytes, kind: str) -> None:
        """Reads every row of a kind. Raises DamagedRow where one was changed, added or has vanished."""
        for _ in self._sound(scope, kind):
            pass

    def missing(self, kind: str, key: bytes) -> DamagedRow:
        """Returns the error for a row that is not there, though the log says that it must be."""
        return DamagedRow(f"view {self.name}: row {kind} {key.hex()[:24]} vanished", remedy=REMEDY)

    def damage(self, scope: bytes) -> dict[tuple[str, bytes], bool]:
        """Returns the kind and key of every row that is stored, and whether it is what was put there."""
        found = self.connection.execute("SELECT kind, key, content, digest FROM rows WHERE scope = ?", (scope,))
        return {
            (kind, key): _digest(self._kind_key(scope, kind), key, content) == digest for kind, key, content, digest in found
        }

    def kinds(self, scope: bytes) -> list[str]:
        """Returns the kinds of rows that a scope has."""
        found = self.connection.execute("SELECT kind FROM sums WHERE scope = ? ORDER BY kind", (scope,))
        return [row[0] for row in found]

    def view_digest(self, scope: bytes, key: bytes | None = None) -> str:
        """Returns the digest of a scope's natural rows, keyed by the scope's secret or by the caller's key.

        The same across rebuild and increment, processes, hash seeds, time zones and locales.
        """
        secret = key or self._scope_key(scope)
        hashes = []
        for kind in self.kinds(scope):
            for _, content in self._sound(scope, kind):
                hashes.append(blake3(encode([kind, encode(decode(content)[0])]), key=secret).digest())
        return blake3(b"".join(sorted(hashes)), key=secret).hexdigest()

    def seal(self) -> bytes:
        """Returns the seal of the view as it stands: of its name, version, position, link and the sum of its sums."""
        row = self.connection.execute("SELECT name, version, position, link, total FROM view").fetchone()
        return blake3(encode(list(row)), key=self._vault.keys.view_key).digest(16)

    def check_sums(self) -> None:
        """Adds the sums up. Raises DamagedRow where they are not those that the view has sealed."""
        found = self.connection.execute("SELECT digest FROM sums").fetchall()
        if not all(isinstance(row[0], bytes) for row in found):
            raise DamagedRow(f"view {self.name}: a sum of its rows is not what was put there", remedy=REMEDY)
        whole = sum(int.from_bytes(row[0], "big") for row in found) % _MODULUS
        if whole.to_bytes(16, "big") != self.connection.execute("SELECT total FROM view").fetchone()[0]:
            msg = f"view {self.name}: the sums of its rows are not those that were put there"
            raise DamagedRow(msg, remedy=REMEDY)

    def _stored(self, scope: bytes, kind: str, key: bytes) -> Row | None:
        found = self.connection.execute(
            "SELECT key, content, digest FROM rows WHERE scope = ? AND kind = ? AND key = ?",
            (scope, kind, key),
        ).fetchone()
        if found is None:
            return None
        if found[0] != key:  # A search goes astray where bytes that tell the columns' lengths have changed.
            raise self._changed(kind, key)
        return self._row(scope, kind, *found)

    def _sound(self, scope: bytes, kind: str) -> Iterator[tuple[bytes, bytes]]:
        """Yields key and content of every row of a kind, in key order; the last one only if none is missing or added."""
        count, total = self._sum(scope, kind)
        rows = self.connection.execute(
            "SELECT scope, kind, key, content, digest FROM rows WHERE scope = ? AND kind = ? ORDER BY key",
            (scope, kind),
        )
        secret = self._kind_key(scope, kind)
        for of_scope, of_kind, key, content, digest in rows:
            # A search that has begun runs over a row whose scope or kind was changed; one for its key does not find it.
            if of_scope != scope or of_kind != kind or _digest(secret, key, content) != digest:
                raise self._changed(kind, key)
            count -= 1
            total -= int.from_bytes(digest, "big")
            yield key, content
        if count or total % _MODULUS:
            what = "vanished" if count >= 0 else "were added"
            msg = f"view {self.name}: {abs(count) or 'some'} row(s) of kind {kind} {what}"
            raise DamagedRow(msg, remedy=REMEDY)

    def _row(self, scope: bytes, kind: str, key: bytes, content: bytes, digest: bytes) -> Row:
        if _digest(self._kind_key(scope, kind), key, content) != digest:
            raise self._changed(kind, key)
        return Row(key, *decode(content))

    def _changed(self, kind: str, key: bytes) -> DamagedRow:
        named = key.hex()[:24] if isinstance(key, bytes) else repr(key)  # A changed file may hold another type.
        return DamagedRow(f"view {self.name}: row {kind} {named} is not what was put there", remedy=REMEDY)

    def _sum(self, scope: bytes, kind: str) -> tuple[int, int]:
        row = self.connection.execute(
            "SELECT count, total, digest FROM sums WHERE scope = ? AND kind = ?",
            (scope, kind),
        ).fetchone()
        if row is None:
            return 0, 0
        if _digest(self._kind_key(scope, kind), b"sum", encode([row[0], row[1]])) != row[2]:
            msg = f"view {self.name}: the sum of its rows of kind {kind} is not what was put there"
            raise DamagedRow(msg, remedy=REMEDY)
        return int(row[0]), int.from_bytes(row[1], "big")

    def _kind_key(self, scope: bytes, kind: str) -> bytes:
        """Returns the key under which the rows of a kind are digested, which no other view, scope or kind has."""
        if (scope, kind) not in self._kind_keys:
            named = encode([self.name, kind])
            self._kind_keys[scope, kind] = blake3(named, key=self._scope_key(scope)).digest()
        return self._kind_keys[scope, kind]

    def _scope_key(self, scope: bytes) -> bytes:
        if scope not in self._scope_keys:
            self._scope_keys[scope] = self._vault.digest_key(scope)
        return self._scope_keys[scope]


class Draft(Rows):
    """The rows of a view while folds write them, inside the caller's transaction.

    What is put stays in memory, encoded, until there is much of it or until `flush`. It is then written in key order,
    which costs a third of what it costs as it comes. A draft of an `empty` view looks up no older digests: it counts the
    sums once, when all is written.
    """

    def __init__(self, connection: sqlite3.Connection, vault: Vault, name: str, *, empty: bool = False) -> None:
        super().__init__(connection, vault, name)
        self._empty = empty
        self._pending: defaultdict[tuple[bytes, str], dict[bytes, bytes | None]] = defaultdict(dict)
        self._waiting = 0
        self._sums: dict[tuple[bytes, str], list[int]] = {}

    def put(self, scope: bytes, kind: str, key: bytes, natural: dict[str, Any], local: dict[str, Any]) -> None:
        """Writes a row, in place of the one with the same key."""
        self._keep(scope, kind, key, encode([natural, local]))

    def delete(self, scope: bytes, kind: str, key: bytes) -> None:
        """Removes a row; quiet if there is none."""
        self._keep(scope, kind, key, None)

    def peek(self, scope: bytes, kind: str, key: bytes) -> Row | None:
        """Returns a row as the fold has left it, or None.

        To say that none has vanished, all would have to be read. So a fold that finds none calls `missing` where the log
        says that there must be one, or a reader reads all rows of the kind.
        """
        pending = self._pending[scope, kind]
        if key not in pending:
            return self._stored(scope, kind, key)
        content = pending[key]
        return None if content is None else Row(key, *decode(content))

    def prefixed(self, scope: bytes, kind: str, prefix: bytes) -> list[Row]:
        """Returns the rows whose key begins so, in key order, as the fold has left them."""
        if self._pending[scope, kind]:
            self._write()
        return super().prefixed(scope, kind, prefix)

    def flush(self, position: int, link: bytes) -> None:
        """Writes what was put, and the sums, and seals them with the position; called before a commit."""
        self._write()
        if self._empty:
            self._count_all()
        whole = int.from_bytes(self.connection.execute("SELECT total FROM view").fetchone()[0], "big")
        for (scope, kind), (count, total) in self._sums.items():
            packed = (total % _MODULUS).to_bytes(16, "big")
            digest = _digest(self._kind_key(scope, kind), b"sum", encode([count, packed]))
            old = self.connection.execute(
                "SELECT digest FROM sums WHERE scope = ? AND kind = ?",
                (scope, kind),
            ).fetchone()
            whole += int.from_bytes(digest, "big") - (int.from_bytes(old[0], "big") if old else 0)
            row = (scope, kind, count, packed, digest)
            self.connection.execute("INSERT OR REPLACE INTO sums VALUES (?, ?, ?, ?, ?)", row)
        self._sums.clear()
        total_bytes = (whole % _MODULUS).to_bytes(16, "big")
        self.connection.execute("UPDATE view SET position = ?, link = ?, total = ?", (position, link, total_bytes))
        self.connection.execute("UPDATE view SET seal = ?", (self.seal(),))

    def _keep(self, scope: bytes, kind: str, key: bytes, content: bytes | None) -> None:
        self._pending[scope, kind][key] = content
        self._waiting += 1
        if self._waiting >= PENDING:
            self._write()

    def _write(self) -> None:
        put, gone = [], []
        for (scope, kind), pending in sorted(self._pending.items()):
            secret = self._kind_key(scope, kind)
            for key in sorted(pending):
                content = pending[key]
                digest = None if content is None else _digest(secret, key, content)
                if not self._empty:
                    self._count(scope, kind, key, digest)
                if content is None:
                    gone.append((scope, kind, key))
                else:
                    put.append((scope, kind, key, content, digest))
        self._pending.clear()
        self._waiting = 0
        self.connection.executemany("DELETE FROM rows WHERE scope = ? AND kind = ? AND key = ?", gone)
        self.connection.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)", put)

    def _count(self, scope: bytes, kind: str, key: bytes, digest: bytes | None) -> None:
        """Takes the digest of the stored row out of the sum, and that of the new one, if there is one, in."""
        old = self.connection.execute(
            "SELECT digest FROM rows WHERE scope = ? AND kind = ? AND key = ?",
            (scope, kind, key),
        ).fetchone()
        if old is None and digest is None:
            return
        if (scope, kind) not in self._sums:
            self._sums[scope, kind] = list(self._sum(scope, kind))
        summed = self._sums[scope, kind]
        if old is not None:
            summed[0] -= 1
            summed[1] -= int.from_bytes(old[0], "big")
        if digest is not None:
            summed[0] += 1
            summed[1] += int.from_bytes(digest, "big")

    def _count_all(self) -> None:
        for scope, kind, digest in self.connection.execute("SELECT scope, kind, digest FROM rows"):
            summed = self._sums.setdefault((scope, kind), [0, 0])
            summed[0] += 1
            summed[1] += int.from_bytes(digest, "big")


def _digest(secret: bytes, key: bytes, content: bytes) -> bytes:
    """Returns the keyed digest of a row. Content is one encoded value, which says where it ends; the key follows it.

    Empty, and so nobody's digest, where a changed file gives key or content another type than bytes.
    """
    try:
        return blake3(content + key, key=secret).digest(16)
    except TypeError:
        return b""


def after_prefix(prefix: bytes) -> bytes:
    """Returns the first key that does not begin with `prefix`."""
    head = prefix.rstrip(b"\xff")
    return head[:-1] + bytes([head[-1] + 1]) if head else b"\xff" * 256
