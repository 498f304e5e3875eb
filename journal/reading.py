"""The read side of the log: records as narrow structs, sealed text, names, policy. It loads no pydantic.

A struct here decodes what replay needs of an event's public fields; a test holds it to the event's model. Everything is
read inside one read transaction, so that one answer comes from one state of the log; as-of answers are bounded by a
position. Records are checked against their links, and blobs by their seals, on every read.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from affidavit.domain.errors import IntegrityFault
from affidavit.domain.index import Citation, Mode
from affidavit.domain.policy import Policy, from_toml
from affidavit.journal import encoding, records
from affidavit.journal.encoding import Body
from affidavit.journal.records import Recorded
from affidavit.journal.upcast import upcast
from affidavit.journal.vault import Vault

KEPT_OPEN = 1 << 15
"""How many sealed texts a reader keeps open: one wording is asked for by every event of its claim."""
LIVE = frozenset({"active", "pending", "confirmed", "promote_blocked"})


class Wording(msgspec.Struct, frozen=True, gc=False):
    """A wording of a claim: its generation, and the event that sealed it."""

    generation: int
    content: bytes


class Place(msgspec.Struct, frozen=True, gc=False):
    """A citation as an event keeps it."""

    evidence: bytes
    revision: int
    start: int
    end: int


class Slot(msgspec.Struct, frozen=True):
    """The last feedback verdict of its kind, and when it was given."""

    verdict: str
    at: int


class ClaimState(msgspec.Struct, frozen=True):
    """A claim's state as replay needs it; see `domain.claims.ClaimState` for the meaning of each field."""

    form: str
    kind: str
    polarity: str
    status: str
    wordings: tuple[Wording, ...]
    basis: str
    method: str
    confidence: int
    namespace: bytes | None = None
    generations: tuple[int, ...] = ()
    asserted: bool = False
    evidence_at: int | None = None
    confirmed_at: int | None = None
    confirmation: str = "unconfirmed"
    reinforcement: int = 0
    disputation: int = 0
    rein_last_signal_at: int | None = None
    disp_last_signal_at: int | None = None
    sub_zero_days: int = 0
    sub_zero_last_increment_date: str | None = None
    user_fact_reinforce_count: int = 0
    signals: int = 0
    sources: int = 0
    sessions: int = 0
    attempts: int = 0
    attempt_at: int | None = None
    corrected: bool = False
    pinned: bool = False
    vouched: bool = False
    superseded_by: bytes | None = None
    bound_to: bytes | None = None
    beside: tuple[bytes, ...] = ()
    topic: bytes | None = None
    about: bytes = b""
    parents: tuple[bytes, ...] = ()
    importance: int | None = None
    happens_from: int | None = None
    happens_to: int | None = None
    since: int | None = None
    review: str = ""
    related: bool = False
    surfaced_at: int | None = None
    eligible_at: int | None = None
    mentions: tuple[int, ...] = ()
    suppressed_at: int | None = None
    utility: Slot | None = None
    accuracy: Slot | None = None
    tone: str = ""
    expires_at: int | None = None
    boosted_on: str | None = None
    boosts: int = 0
    contradicted_at: int | None = None
    uncontradicted: int | None = None

    @property
    def live(self) -> bool:
        """Tells whether the claim may be shown."""
        return self.status in LIVE and bool(self.generations or self.asserted)

    @property
    def protected(self) -> bool:
        """Tells whether the claim stands on the character card."""
        return self.basis == "card"

    @property
    def person_protected(self) -> bool:
        """Tells whether a person holds the claim."""
        return self.corrected or self.pinned or self.vouched

    def wording(self, generation: int) -> bytes:
        """Returns the event that sealed the wording shown under this generation."""
        found = self.wordings[0].content
        for wording in self.wordings:
            if wording.generation == 0:
                return wording.content
            if wording.generation == generation:
                found = wording.content
        return found


class Reading(msgspec.Struct, frozen=True):
    """How an extractor fared with a revision."""

    extractor: str
    revision: int
    outcome: str
    attempts: int = 1
    retry_at: int | None = None
    output_failures: int = 0
    withheld: int = 0


class EvidenceState(msgspec.Struct, frozen=True):
    """A piece of evidence's state as replay needs it; see `domain.evidence.EvidenceState`."""

    role: str
    source: bytes
    session: bytes
    key: bytes
    occurred_at: int
    namespace: bytes | None = None
    basis: str = "unknown"
    secrets: str = "none"
    time_assumed: bool = False
    contents: tuple[bytes, ...] = ()
    parents: tuple[bytes, ...] = ()
    targets: tuple[bytes, ...] = ()
    readings: tuple[Reading, ...] = ()

    @property
    def revision(self) -> int:
        """Returns the number of the newest revision."""
        return len(self.contents)


class Measure(msgspec.Struct, frozen=True, gc=False):
    """What a decision found and required; see `domain.lifecycle.Measure`."""

    by: str
    actual: int
    required: int
    sessions: int = 0
    sessions_required: int = 0
    vouched: bool = False


class ClaimFields(msgspec.Struct, frozen=True):
    """The public fields of any claim event."""

    claim: bytes
    state: ClaimState
    places: tuple[Place, ...] = ()
    extractor: str = ""
    generation: int = 0
    corrects: bytes | None = None
    before: bytes | None = None
    by: bytes | None = None
    rule: str = ""
    source: str = ""
    effect: str = ""
    weight: int = 0
    against: int = 0
    extractors: tuple[str, ...] = ()
    day: str = ""
    verdict: str = ""
    counted: str = ""
    disposition: str = ""
    undone: bytes | None = None
    item: bytes | None = None
    of: bytes | None = None
    into: bytes | None = None
    actual: int = 0
    required: int = 0
    measure: Measure | None = None
    targets: tuple[bytes, ...] = ()


class EvidenceFields(msgspec.Struct, frozen=True):
    """The public fields of any evidence event."""

    item: bytes
    state: EvidenceState
    extractor: str = ""
    revision: int = 0
    claims: tuple[bytes, ...] = ()
    withheld: int = 0
    failure: str = ""
    calls: int = 0


class ScopeFields(msgspec.Struct, frozen=True):
    """The public fields of any event of a scope's control stream."""

    scope: bytes
    time_zone: str = ""
    generation: int = 0
    kind: str = ""
    name_id: bytes | None = None
    policy: str = ""
    digest: bytes = b""
    rule: str = ""
    bound_to: bytes | None = None
    conflict: bool = False
    extractor: str = ""
    item: bytes | None = None
    powerful: bool = True
    since: int = 0
    question: str = ""
    request: bytes = b""
    outcome: str = ""
    claims: tuple[bytes, ...] = ()
    items: tuple[bytes, ...] = ()
    tokens: int = 0


Fields = ClaimFields | EvidenceFields | ScopeFields

FIELDS: dict[str, type[Fields]] = {
    "evidence-recorded.v1": EvidenceFields,
    "evidence-revised.v1": EvidenceFields,
    "extraction-completed.v1": EvidenceFields,
    "extraction-failed.v1": EvidenceFields,
    "claim-derived.v1": ClaimFields,
    "claim-asserted.v1": ClaimFields,
    "claim-reaffirmed.v1": ClaimFields,
    "signal-applied.v1": ClaimFields,
    "claim-superseded.v1": ClaimFields,
    "claim-quarantined.v1": ClaimFields,
    "claim-denied.v1": ClaimFields,
    "claim-corrected.v1": ClaimFields,
    "value-rejected.v1": ClaimFields,
    "rejection-lifted.v1": ClaimFields,
    "claim-pinned.v1": ClaimFields,
    "feedback-given.v1": ClaimFields,
    "claim-forgotten.v1": ClaimFields,
    "conflict-resolved.v1": ClaimFields,
    "change-undone.v1": ClaimFields,
    "narrative-added.v1": ClaimFields,
    "confidence-raised.v1": ClaimFields,
    "claim-unpinned.v1": ClaimFields,
    "review-required.v1": ClaimFields,
    "sub-zero-day-counted.v1": ClaimFields,
    "claim-archived.v1": ClaimFields,
    "claim-unarchived.v1": ClaimFields,
    "claim-confirmed.v1": ClaimFields,
    "claim-promoted.v1": ClaimFields,
    "claim-merged.v1": ClaimFields,
    "promotion-deferred.v1": ClaimFields,
    "promotion-blocked.v1": ClaimFields,
    "claim-surfaced.v1": ClaimFields,
    "reply-judged.v1": ClaimFields,
    "claim-related.v1": ClaimFields,
    "claim-mentioned.v1": ClaimFields,
    "scope-opened.v1": ScopeFields,
    "mode-switched.v1": ScopeFields,
    "model-answered.v1": ScopeFields,
    "prompt-injected.v1": ScopeFields,
    "name-introduced.v1": ScopeFields,
    "policy-adopted.v1": ScopeFields,
    "write-refused.v1": ScopeFields,
}
"""The allow-list on the read side: the struct of each type."""

_decoders: dict[type[Fields], msgspec.msgpack.Decoder[Any]] = {
    kind: msgspec.msgpack.Decoder(kind) for kind in (ClaimFields, EvidenceFields, ScopeFields)
}


class Entry(NamedTuple):
    """One record as views fold it: its place, its body, and its public fields in the newest shape."""

    record: Recorded
    body: Body
    type: str
    fields: Fields


def entry(record: Recorded) -> Entry:
    """Reads a record.

    Raises IntegrityFault where it is of no known type, has not that type's shape, or its columns say something else.
    """
    try:
        body = encoding.body(record.body)
        if (body.id, body.type, body.version) != (record.event_id, record.type, record.version):
            msg = f"position {record.position}: the columns of the record say something else than its body"
            raise IntegrityFault(msg, position=record.position)
        kind = FIELDS.get(body.type)
        if kind is not None:
            return Entry(record, body, body.type, _decoders[kind].decode(body.public))
        newest, fields = upcast(body.type, encoding.decode(body.public))
        return Entry(record, body, newest, msgspec.convert(fields, FIELDS[newest]))
    except (msgspec.MsgspecError, KeyError) as error:
        msg = f"position {record.position}: the record is of no type that this affidavit knows ({record.type})"
        raise IntegrityFault(msg, position=record.position) from error


def _of(stream: bytes, record: Recorded) -> Entry:
    """Reads a record of a stream. Raises IntegrityFault where it belongs to another."""
    found = entry(record)
    if found.body.stream != stream:
        msg = f"position {record.position}: the record belongs to another stream"
        raise IntegrityFault(msg, position=record.position)
    return found


class Reader:
    """Reads one state of the log through one connection, which is inside a read transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        vault: Vault,
        policies: dict[int, tuple[Policy, bytes]] | None = None,
    ) -> None:
        self.connection = connection
        self.vault = vault
        self._policies = {} if policies is None else policies
        self._names: dict[bytes, str] = {}
        self._rows: dict[bytes, records.ScopeRow] = {}
        self._scopes: dict[int, bytes] = {}
        self._opened: dict[bytes, dict[str, Any]] = {}

    def refresh(self) -> None:
        """Moves on to the newest state of the log."""
        self._rows.clear()
        self.connection.rollback()
        self.connection.execute("BEGIN")

    def head(self) -> records.Head:
        """Returns the end of the log."""
        return records.head(self.connection)

    def entries(self, after: int = 0, upto: int | None = None) -> Iterator[Entry]:
        """Yields what was recorded after a position, in order, up to and including another."""
        return map(entry, records.scan(self.connection, after, upto))

    def scopes(self) -> list[tuple[bytes, int]]:
        """Returns (scope id, records) of every scope that was opened, in the order of opening."""
        return [(row.name, row.number) for row in records.scope_rows(self.connection)]

    def scope_name(self, scope: bytes) -> str:
        """Returns a scope's name."""
        name: str = self.sealed(entry(self.at(self._scope(scope).opened)).body.id)["name"]
        return name

    def time_zone(self, scope: bytes) -> str:
        """Returns a scope's time zone."""
        return self._scope(scope).time_zone

    def generation(self, scope: bytes) -> int:
        """Returns the ordinal of a scope's active generation."""
        return self._scope(scope).generation

    def policy(self, scope: bytes, upto: int | None = None) -> Policy:
        """Returns the policy in force in a scope, now or as of a position."""
        return self.adopted(scope, upto)[0]

    def adopted(self, scope: bytes, upto: int | None = None) -> tuple[Policy, bytes]:
        """Returns (policy in force, its digest as it was recorded), now or as of a position."""
        position = self._scope(scope).policy
        if upto is not None and position > upto:
            position = self._last_of_scope(scope, "policy-adopted.v1", upto)
        return self._policy_at(position)

    def mode(self, scope: bytes, upto: int | None = None) -> Mode:
        """Returns whether powerful memory is on in a scope, and since when, now or as of a position."""
        row = records.scope_row(self.connection, scope)
        position = row.mode if row else 0
        if upto is not None and position > upto:
            position = self._last_of_scope(scope, "mode-switched.v1", upto)
        fields = entry(self.at(position)).fields if position else None
        return Mode(fields.powerful, fields.since) if isinstance(fields, ScopeFields) else Mode()

    def policy_digest(self, scope: bytes) -> bytes:
        """Returns the digest of the policy in force, empty before the scope has one."""
        row = records.scope_row(self.connection, scope)
        return self._policy_at(row.policy)[1] if row and row.policy else b""

    def _policy_at(self, position: int) -> tuple[Policy, bytes]:
        if position == 0:
            return Policy(), Policy().digest  # Before a scope has adopted one, the defaults are in force.
        if position not in self._policies:
            fields = entry(self.at(position)).fields
            if not isinstance(fields, ScopeFields) or not fields.policy:
                msg = f"position {position}: no policy was adopted where the log says so"
                raise IntegrityFault(msg, position=position, remedy=records.INDEX_REMEDY)
            # The digest is the one that was recorded: constants that came with a later version hold their defaults.
            self._policies[position] = from_toml(fields.policy), fields.digest
        return self._policies[position]

    def name(self, name_id: bytes | None) -> str:
        """Returns the name behind a random id; empty for none."""
        if not name_id:
            return ""
        if name_id not in self._names:
            row = self.connection.execute("SELECT position FROM names WHERE id = ?", (name_id,)).fetchone()
            introduced = entry(self.at(row[0])) if row else None
            if introduced is None or getattr(introduced.fields, "name_id", None) != name_id:
                msg = f"name {name_id.hex()[:24]} was never introduced where the log says so"
                raise IntegrityFault(msg)
            self._names[name_id] = self.sealed(introduced.body.id)["name"]
        return self._names[name_id]

    def at(self, position: int) -> Recorded:
        """Returns the record at a position. Raises IntegrityFault if there is none."""
        return records.at(self.connection, position)

    def last(self, stream: bytes, upto: int | None = None) -> Entry | None:
        """Returns the last record of a claim or evidence, now or as of a position; None if it has none there."""
        if upto is not None:
            return next(reversed(self.stream(stream, upto)), None)
        found = records.find_stream(self.connection, stream)
        record = records.last_of(self.connection, found[0]) if found else None
        return _of(stream, record) if record else None

    def version(self, stream: bytes) -> int:
        """Returns the version of the last record of a stream, 0 if it has none."""
        found = records.find_stream(self.connection, stream)
        return found[1] if found else 0

    def stream(self, stream: bytes, upto: int | None = None) -> list[Entry]:
        """Returns every record of a claim or evidence, in order, up to a position. Raises IntegrityFault if it has none."""
        found = records.find_stream(self.connection, stream)
        if found is None:
            msg = f"the stream {stream.hex()[:24]} is not in the log"
            raise IntegrityFault(msg)
        stored = records.stream_records(self.connection, found[0])
        if len(stored) != found[1]:
            msg = f"the stream {stream.hex()[:24]} has {len(stored)} records, its head says {found[1]}"
            raise IntegrityFault(msg, position=stored[-1].position if stored else None)
        return [_of(stream, record) for record in stored if upto is None or record.position <= upto]

    def command_of(self, event_id: bytes) -> bytes:
        """Returns the key of the command that wrote an event. Raises IntegrityFault for an event that is not in the log."""
        row = self.connection.execute("SELECT position FROM records WHERE event_id = ?", (event_id,)).fetchone()
        if row is None:
            msg = f"event {event_id.hex()[:24]} is not in the log"
            raise IntegrityFault(msg)
        return entry(self.at(row[0])).body.command

    def sealed(self, event_id: bytes) -> dict[str, Any]:
        """Returns the private fields of an event, which the caller leaves as they are. Raises IntegrityFault or KeyMissing.

        The seal itself says that header and ciphertext belong to this event, scope and type and to nothing else, so the
        record is not read; `verify` compares them with the digest in its body.
        """
        known = self._opened.get(event_id)
        if known is not None:
            return known
        row = self.connection.execute(
            "SELECT r.position, r.type, s.scope, b.content FROM records r JOIN streams s ON s.id = r.stream "
            "LEFT JOIN blobs b ON b.position = r.position WHERE r.event_id = ?",
            (event_id,),
        ).fetchone()
        if row is None:
            msg = f"event {event_id.hex()[:24]} is not in the log"
            raise IntegrityFault(msg)
        position, kind, scope, blob = row
        if blob is None:
            msg = f"position {position}: its sealed text is missing"
            raise IntegrityFault(msg, position=position)
        try:
            fields = self.vault.open(blob, scope=self._scope_of(scope), event_id=event_id, event_type=kind)
        except IntegrityFault as fault:
            fault.position = fault.position or position
            raise
        if len(self._opened) >= KEPT_OPEN:
            self._opened.clear()
        self._opened[event_id] = fields
        return fields

    def evidence_keys(self, item: bytes) -> tuple[bytes, ...]:
        """Returns the ids of the random keys without which a piece of evidence cannot be read.

        That is its own, or those of all that it sums up.
        """
        row = self.connection.execute(
            "SELECT e.key, e.parents FROM evidence e JOIN streams s ON s.id = e.stream WHERE s.name = ?",
            (item,),
        ).fetchone()
        if row is None or not isinstance(row[0], bytes) or not isinstance(row[1], bytes):
            msg = f"evidence {item.hex()[:24]} is not in the log, or its key is not named there"
            raise IntegrityFault(msg, remedy=records.INDEX_REMEDY)
        key, parents = row
        if not parents:
            return (key,)
        each = (parents[at : at + len(item)] for at in range(0, len(parents), len(item)))
        return tuple(dict.fromkeys(found for parent in each for found in self.evidence_keys(parent)))

    def claim_entries(self, upto: int | None = None) -> Iterator[Entry]:
        """Yields the last record of every claim, now or as of a position: its state then. Costs claims, not events.

        Raises IntegrityFault where a stream is missing, or is of no class that there is.
        """
        records.check_streams(self.connection, ("claim", "evidence", "scope"))
        if upto is None or upto >= self.head().position:
            for name, record in records.heads(self.connection, "s.class = 'claim'"):
                yield _of(name, record)
            return
        records.check_versions(self.connection)
        streams = self.connection.execute("SELECT id, name FROM streams WHERE class = 'claim' ORDER BY id").fetchall()
        for stream, name in streams:
            found = records.last_before(self.connection, stream, upto)
            if found is not None:
                yield _of(name, found)

    def claims_after(self, scope: bytes, claim: bytes | None = None) -> Iterator[bytes]:
        """Yields the ids of a scope's claims in the order they came in, from the start or after a claim of it."""
        rows = self.connection.execute(
            "SELECT name FROM streams WHERE class = 'claim' AND scope = (SELECT id FROM scopes WHERE name = ?) "
            "AND id > coalesce((SELECT id FROM streams WHERE name = ?), 0) ORDER BY id",
            (scope, claim),
        )
        return (row[0] for row in rows)

    def evidence_items(self, scope: bytes) -> list[bytes]:
        """Returns the ids of a scope's evidence, in the order of their first record."""
        rows = self.connection.execute(
            "SELECT s.name FROM streams s JOIN scopes c ON c.id = s.scope WHERE c.name = ? AND s.class = 'evidence' "
            "ORDER BY s.id",
            (scope,),
        )
        return [row[0] for row in rows]

    def message(self, event_id: bytes) -> dict[str, Any]:
        """Returns the private part of an evidence revision, by the event that sealed it."""
        content: dict[str, Any] = self.sealed(event_id)["content"]
        return content

    def citations(self, claim: bytes) -> tuple[Citation, ...]:
        """Returns every place that a claim stands on."""
        rows = self.connection.execute(
            "SELECT e.name, c.revision, c.start, c.stop, x.name FROM citations c JOIN streams e ON e.id = c.evidence "
            "JOIN extractors x ON x.id = c.extractor JOIN streams s ON s.id = c.claim WHERE s.name = ? "
            "ORDER BY c.evidence, c.revision, c.start, c.stop, x.name",
            (claim,),
        )
        return tuple(Citation(*row) for row in rows)

    def _scope(self, scope: bytes) -> records.ScopeRow:
        row = self._rows.get(scope) or records.scope_row(self.connection, scope)
        if row is None:
            msg = f"scope {scope.hex()[:24]} is not in the log"
            raise IntegrityFault(msg)
        self._rows[scope] = row
        return row

    def _scope_of(self, scope: int) -> bytes:
        """Returns the id of a scope by its integer."""
        if scope not in self._scopes:
            row = self.connection.execute("SELECT name FROM scopes WHERE id = ?", (scope,)).fetchone()
            if row is None:
                msg = f"scope {scope} is not in the log"
                raise IntegrityFault(msg)
            self._scopes[scope] = row[0]
        return self._scopes[scope]

    def _last_of_scope(self, scope: bytes, kind: str, upto: int) -> int:
        row = self.connection.execute(
            "SELECT max(r.position) FROM records r JOIN streams s ON s.id = r.stream JOIN scopes c ON c.id = s.scope "
            "WHERE c.name = ? AND s.class = 'scope' AND r.type = ? AND r.position <= ?",
            (scope, kind, upto),
        ).fetchone()
        return int(row[0] or 0)
