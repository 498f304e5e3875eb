"""A snapshot: everything one answer is read from, at one position of the log, judged at one moment.

Reads take two times: `as_of` says what was recorded, `now` when it is judged. Without an `as_of` the views catch up with
the log and are read; with one, they are built in memory up to that position.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from affidavit.domain.errors import UnknownId, UsageError
from affidavit.domain.policy import Policy
from affidavit.journal.reading import Reader
from affidavit.projections.rows import Row, Rows, after_prefix
from affidavit.projections.views import Projection, Views

SHORTEST_PREFIX = 6
SHOWN = 24


class Snapshot:
    """One scope at one position. `position` is the last record that counts, `now` in microseconds."""

    def __init__(self, reader: Reader, views: Views, scope: bytes, as_of: int | None, now: int, stack: ExitStack) -> None:
        self.reader = reader
        self.scope = scope
        self.as_of = as_of
        self.now = now
        self._views = views
        self._stack = stack
        self._opened: dict[str, Rows] = {}
        self._position = as_of
        self._policy: tuple[Policy, bytes] | None = None

    @property
    def position(self) -> int:
        """Returns the last position that this snapshot sees; it stays there from then on."""
        if self._position is None:
            self._position = self.reader.head().position
        return self._position

    @property
    def policy(self) -> Policy:
        """Returns the policy in force at the position."""
        return self._adopted()[0]

    @property
    def policy_digest(self) -> bytes:
        """Returns the digest under which that policy was recorded."""
        return self._adopted()[1]

    def _adopted(self) -> tuple[Policy, bytes]:
        if self._policy is None:
            _ = self.position
            self._policy = self.reader.adopted(self.scope, self.as_of)
        return self._policy

    def rows(self, projection: Projection) -> Rows:
        """Returns a view's rows at the position."""
        if projection.name not in self._opened:
            if self.as_of is None:
                # Only the first view may move the reader on: what was read before belongs to the same state of the log.
                view = self._views.current(projection, self.reader, may_move=self._position is None)
            else:
                view = self._views.as_of(projection, self.reader, self.as_of)
            self._opened[projection.name] = self._stack.enter_context(view)
            _ = self.position
        return self._opened[projection.name]

    def find(self, rows: Rows, kind: str, prefix: str) -> Row:
        """Returns the one row whose id begins with `prefix`, of 6 hex digits or more. Raises UnknownId."""
        text = prefix.strip().lower()
        if len(text) < SHORTEST_PREFIX or any(digit not in "0123456789abcdef" for digit in text):
            msg = f"{prefix!r} is not an id: {SHORTEST_PREFIX} to {SHOWN} hex digits are required"
            raise UnknownId(msg)
        begin = bytes.fromhex(text[: len(text) // 2 * 2])
        found = rows.prefixed(self.scope, kind, begin)
        if self.as_of is None:
            self._miss_none(rows, kind, begin, {row.key for row in found})
        found = [row for row in found if row.key.hex().startswith(text)]
        if len(found) == 1:
            return found[0]
        if not found:
            msg = f"no {kind} of this scope has an id that begins with {text}"
            raise UnknownId(msg, remedy="list them to see their ids")
        several = ", ".join(row.key.hex()[:SHOWN] for row in found[:4])
        msg = f"{len(found)} ids begin with {text}: {several}"
        raise UnknownId(msg, remedy="give more digits")

    def _miss_none(self, rows: Rows, kind: str, prefix: bytes, found: set[bytes]) -> None:
        """Compares the keys of rows that were found with the streams of the log. Raises DamagedRow where one vanished."""
        streams = self.reader.connection.execute(
            "SELECT s.name FROM streams s JOIN scopes c ON c.id = s.scope "
            "WHERE s.name >= ? AND s.name < ? AND s.class = ? AND c.name = ?",
            (prefix, after_prefix(prefix), kind, self.scope),
        )
        for (name,) in streams:
            if name not in found:
                raise rows.missing(kind, name)


@contextmanager
def snapshot(reader: Reader, views: Views, scope: bytes, as_of: int | None, now: int) -> Iterator[Snapshot]:
    """Yields a snapshot; its views are closed after."""
    with ExitStack() as stack:
        yield Snapshot(reader, views, scope, as_of, now, stack)


def position_of(reader: Reader, as_of: int) -> int:
    """Returns a position of the log. Raises UsageError for one that it has not."""
    head = reader.head().position
    if not 0 < as_of <= head:
        msg = f"position {as_of} is not in the log, which has 1 to {head}"
        raise UsageError(msg)
    return as_of


def position_at(reader: Reader, moment: int) -> int:
    """Returns the last position recorded at or before a moment in microseconds; 0 if there is none."""
    row = reader.connection.execute(
        "SELECT position FROM records WHERE recorded_at <= ? ORDER BY position DESC LIMIT 1",
        (moment,),
    ).fetchone()
    return int(row[0]) if row else 0


def shown(identity: bytes | None) -> str:
    """Returns an id as people see it: its first 24 hex digits."""
    return identity.hex()[:SHOWN] if identity else ""
