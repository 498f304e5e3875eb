"""Rows of a view: what a view keeps, each row checked when it is read, all of them summed.

A row has a scope, a kind, a key, and content in two parts: `natural`, which follows from what was said and decided alone
(no position, no id of ours, no recorded_at), and `local`, the ids that answer questions in this ledger. The view's digest
is the hash of the sorted keyed hashes of the natural parts. Each row carries a keyed digest of itself, and each kind the
count and sum of its rows' digests; the view seals the sum of those with its position. So neither a changed nor a
vanished nor an older row answers silently.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from blake3 import blake3

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
_MODULUS = 1 << 128


class Row(NamedTuple):
    """One row: its key, what is natural of it, and what belongs to this ledger alone."""

    key: bytes
    natural: dict[str, Any]
    local: dict[str, Any]


class DamagedRow(IntegrityFault):
    """A row of a view is not what was put there. The log is not concerned: the view can be rebuilt."""


class Rows:
    """The rows of one view, in one connection. Puts and deletes belong to the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, vault: Vault, name: str) -> None:
        self.connection = connection
        self.name = name
        self._vault = vault
        self._keys: dict[bytes, bytes] = {}
        self._changed: dict[tuple[bytes, str], list[int]] = {}

    def put(self, scope: bytes, kind: str, key: bytes, natural: dict[str, Any], local: dict[str, Any]) -> None:
        """Writes a row, in place of the one with the same key."""
        content = encode([encode(natural), encode(local)])
        digest = self._digest(scope, kind, key, content)
        old = self._stored_digest(scope, kind, key)
        row = (scope, kind, key, content, digest)
        self.connection.execute("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)", row)
        self._count(scope, kind, added=digest, removed=old)

    def delete(self, scope: bytes, kind: str, key: bytes) -> None:
        """Removes a row; quiet if there is none."""
        old = self._stored_digest(scope, kind, key)
        if old is not None:
            self.connection.execute("DELETE FROM rows WHERE scope = ? AND kind = ? AND key = ?", (scope, kind, key))
            self._count(scope, kind, added=None, removed=old)

    def get(self, scope: bytes, kind: str, key: bytes) -> Row | None:
        """Returns a row, or None. Before it says None, it makes sure that no row has vanished."""
        found = self.peek(scope, kind, key)
        if found is None:
            self.check(scope, kind)
        return found

    def prefixed(self, scope: bytes, kind: str, prefix: bytes) -> list[Row]:
        """Returns the rows whose key begins so, in key order; an empty answer is checked as in `get`."""
        found = self.peek_prefixed(scope, kind, prefix)
        if not found:
            self.check(scope, kind)
        return found

    def peek(self, scope: bytes, kind: str, key: bytes) -> Row | None:
        """Returns a row, or None, for a fold: it need not be told apart there whether a row vanished."""
        found = self.connection.execute(
            "SELECT key, content, digest FROM rows WHERE scope = ? AND kind = ? AND key = ?",
            (scope, kind, key),
        ).fetchone()
        return None if found is None else self._row(scope, kind, *found)

    def peek_prefixed(self, scope: bytes, kind: str, prefix: bytes) -> list[Row]:
        """Returns the rows whose key begins so, in key order, for a fold."""
        found = self.connection.execute(
            "SELECT key, content, digest FROM rows WHERE scope = ? AND kind = ? AND key >= ? AND key < ? ORDER BY key",
            (scope, kind, prefix, _after(prefix)),
        )
        return [self._row(scope, kind, *row) for row in found]

    def all(self, scope: bytes, kind: str) -> list[Row]:
        """Returns every row of a kind, in key order, none missing."""
        return [row for row, _ in self._checked(scope, kind)]

    def check(self, scope: bytes, kind: str) -> None:
        """Reads every row of a kind. Raises DamagedRow where one was changed, added or has vanished."""
        for _ in self._checked(scope, kind):
            pass

    def damage(self, scope: bytes) -> dict[tuple[str, bytes], bool]:
        """Returns the kind and key of every row that is stored, and whether it is what was put there."""
        found = self.connection.execute("SELECT kind, key, content, digest FROM rows WHERE scope = ?", (scope,))
        return {(row[0], row[1]): self._digest(scope, row[0], row[1], row[2]) == row[3] for row in found}

    def kinds(self, scope: bytes) -> list[str]:
        """Returns the kinds of rows that a scope has."""
        found = self.connection.execute("SELECT kind FROM sums WHERE scope = ? ORDER BY kind", (scope,))
        return [row[0] for row in found]

    def view_digest(self, scope: bytes, key: bytes | None = None) -> str:
        """Returns the digest of a scope's natural rows, keyed by the scope's secret or by the caller's key.

        The same across rebuild and increment, processes, hash seeds, time zones and locales.
        """
        secret = key or self._key(scope)
        hashes = []
        for kind in self.kinds(scope):
            for _, natural in self._checked(scope, kind):
                hashes.append(blake3(encode([kind, natural]), key=secret).digest())
        return blake3(b"".join(sorted(hashes)), key=secret).hexdigest()

    def flush(self, position: int, link: bytes) -> None:
        """Writes the sums that puts and deletes have changed, and seals them with the position; called before a commit."""
        whole = int.from_bytes(self.connection.execute("SELECT total FROM view").fetchone()[0], "big")
        for (scope, kind), (count, total) in self._changed.items():
            packed = total.to_bytes(16, "big")
            digest = self._digest(scope, kind, b"sum", encode([count, packed]))
            old = self.connection.execute(
                "SELECT digest FROM sums WHERE scope = ? AND kind = ?",
                (scope, kind),
            ).fetchone()
            whole += int.from_bytes(digest, "big") - (int.from_bytes(old[0], "big") if old else 0)
            row = (scope, kind, count, packed, digest)
            self.connection.execute("INSERT OR REPLACE INTO sums VALUES (?, ?, ?, ?, ?)", row)
        self._changed.clear()
        total_bytes = (whole % _MODULUS).to_bytes(16, "big")
        self.connection.execute("UPDATE view SET position = ?, link = ?, total = ?", (position, link, total_bytes))
        self.connection.execute("UPDATE view SET seal = ?", (self.seal(),))

    def seal(self) -> bytes:
        """Returns the seal of the view as it stands: of its name, version, position, link and the sum of its sums."""
        row = self.connection.execute("SELECT name, version, position, link, total FROM view").fetchone()
        return blake3(encode(list(row)), key=self._vault.keys.view_key).digest(16)

    def check_sums(self) -> None:
        """Adds the sums up. Raises DamagedRow where they are not those that the view has sealed."""
        found = self.connection.execute("SELECT digest FROM sums").fetchall()
        whole = sum(int.from_bytes(row[0], "big") for row in found) % _MODULUS
        if whole.to_bytes(16, "big") != self.connection.execute("SELECT total FROM view").fetchone()[0]:
            msg = f"view {self.name}: the sums of its rows are not those that were put there"
            raise DamagedRow(msg, remedy="run `affidavit rebuild`: views follow from the log")

    def _checked(self, scope: bytes, kind: str) -> Iterator[tuple[Row, bytes]]:
        count, total = self._sum(scope, kind)
        rows = self.connection.execute(
            "SELECT key, content, digest FROM rows WHERE scope = ? AND kind = ? ORDER BY key",
            (scope, kind),
        )
        for key, content, digest in rows:
            row = self._row(scope, kind, key, content, digest)
            count, total = count - 1, (total - int.from_bytes(digest, "big")) % _MODULUS
            yield row, decode(content)[0]
        if count or total:
            what = "vanished" if count >= 0 else "were added"
            msg = f"view {self.name}: {abs(count) or 'some'} row(s) of kind {kind} {what}"
            raise DamagedRow(msg, remedy="run `affidavit rebuild`: views follow from the log")

    def _row(self, scope: bytes, kind: str, key: bytes, content: bytes, digest: bytes) -> Row:
        if self._digest(scope, kind, key, content) != digest:
            msg = f"view {self.name}: row {kind} {key.hex()[:24]} is not what was put there"
            raise DamagedRow(msg, remedy="run `affidavit rebuild`: views follow from the log")
        natural, local = decode(content)
        return Row(key, decode(natural), decode(local))

    def _count(self, scope: bytes, kind: str, *, added: bytes | None, removed: bytes | None) -> None:
        if (scope, kind) not in self._changed:
            self._changed[scope, kind] = list(self._sum(scope, kind))
        changed = self._changed[scope, kind]
        if added is not None:
            changed[0] += 1
            changed[1] = (changed[1] + int.from_bytes(added, "big")) % _MODULUS
        if removed is not None:
            changed[0] -= 1
            changed[1] = (changed[1] - int.from_bytes(removed, "big")) % _MODULUS

    def _sum(self, scope: bytes, kind: str) -> tuple[int, int]:
        changed = self._changed.get((scope, kind))
        if changed:
            return changed[0], changed[1]
        row = self.connection.execute(
            "SELECT count, total, digest FROM sums WHERE scope = ? AND kind = ?",
            (scope, kind),
        ).fetchone()
        if row is None:
            return 0, 0
        if self._digest(scope, kind, b"sum", encode([row[0], row[1]])) != row[2]:
            msg = f"view {self.name}: the sum of its rows of kind {kind} is not what was put there"
            raise DamagedRow(msg, remedy="run `affidavit rebuild`: views follow from the log")
        return int(row[0]), int.from_bytes(row[1], "big")

    def _stored_digest(self, scope: bytes, kind: str, key: bytes) -> bytes | None:
        row = self.connection.execute(
            "SELECT digest FROM rows WHERE scope = ? AND kind = ? AND key = ?",
            (scope, kind, key),
        ).fetchone()
        return row[0] if row else None

    def _digest(self, scope: bytes, kind: str, key: bytes, content: bytes) -> bytes:
        return blake3(encode([self.name, kind, key, content]), key=self._key(scope)).digest(16)

    def _key(self, scope: bytes) -> bytes:
        if scope not in self._keys:
            self._keys[scope] = self._vault.digest_key(scope)
        return self._keys[scope]


def _after(prefix: bytes) -> bytes:
    """Returns the first key that does not begin with `prefix`."""
    head = prefix.rstrip(b"\xff")
    return head[:-1] + bytes([head[-1] + 1]) if head else b"\xff" * 256
