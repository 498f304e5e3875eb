"""The log: the ordered records of one ledger, and the one door through which it grows.

    transact(command, decide): load the state, ask the decision index, decide, append, receipt, all in one transaction.

Nothing is retried, because what was decided on cannot change before it is written. An answer that was slow to get comes
in as part of the command and is decided again inside. What the caller is told is durable: it survives power loss.
Reading goes through `journal.reading`, which needs no pydantic; this module is loaded by commands that write.
"""

import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from blake3 import blake3
from eventsourcing.persistence import PersistenceError
from eventsourcing.sqlite import SQLiteCursor
from pydantic import ValidationError

from affidavit.domain.claims import ClaimContent, ClaimState
from affidavit.domain.commands import Command
from affidavit.domain.decisions import Decision, Refused
from affidavit.domain.errors import CommandConflict, IntegrityFault, UnknownId
from affidavit.domain.events import EVENT_TYPES, Event, split
from affidavit.domain.evidence import EvidenceContent, EvidenceState
from affidavit.domain.index import Citation, Mode, RejectedSpan, Rejection, Tally
from affidavit.domain.modes import ModeSwitched
from affidavit.domain.policy import Policy
from affidavit.domain.scopes import NameIntroduced, NameKind, PolicyAdopted
from affidavit.journal import encoding, index, records
from affidavit.journal.commits import Commits
from affidavit.journal.reading import Reader
from affidavit.journal.recorder import Body as StoredBody
from affidavit.journal.recorder import LedgerDatastore, LedgerRecorder
from affidavit.journal.vault import Header, Vault

T = TypeVar("T")
logger = logging.getLogger("affidavit.log")
HEAD_REMEMBERED_EVERY = 1000
_CLAIMS = "SELECT s.name FROM claims c JOIN streams s ON s.id = c.stream"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a command: its first record's position and the count of records, or the refusal.

    `repeated` says that the command had been carried out before; a decision that found nothing to do has count 0.
    """

    position: int
    count: int
    events: tuple[Event, ...] = ()
    refused: Refused | None = None
    repeated: bool = False


class Log:
    """A ledger's log, open for writing. Threads may share it; so may processes, each with a `Log` of its own."""

    def __init__(
        self, datastore: LedgerDatastore, vault: Vault, clock: Callable[[], int], new_id: Callable[[], bytes]
    ) -> None:
        self.datastore = datastore
        self.vault = vault
        self.clock = clock
        self.new_id = new_id
        self.recorder = LedgerRecorder(datastore)
        self._prepare()
        self._commits = Commits(
            datastore.write,
            vault.keys.commit,  # New keys are durable before the records that need them.
            self._after_commit,
            self._abandoned,
            datastore.timeout,
        )
        self._remembered = (vault.keys.remembered_head() or (0, b""))[0]
        self.policies: dict[int, tuple[Policy, bytes]] = {}

    def _prepare(self) -> None:
        """Makes the tables that are not there yet; several programs may do so at once."""
        while True:
            with self.datastore.read() as connection:
                made = connection.execute(
                    "SELECT count(*) FROM sqlite_master WHERE name IN ('tracking', 'names')"
                ).fetchone()
            if made[0] == 2:
                return
            try:
                self.recorder.create_table()
            except PersistenceError as error:
                # The library notes its migration in a step of its own: another program was there first.
                if "__migration__" not in str(error):
                    raise
            with self.datastore.write() as connection:
                for statement in index.TABLES:
                    connection.execute(statement)

    def write(self, scope: bytes, work: Callable[["Transaction"], T]) -> T:
        """Runs `work` in a write transaction of one scope, and returns what it returned once that is durable.

        Raises LockTimeout, StorageFull or CommandConflict, with nothing written, or what `work` raised.
        """

        def run(connection: sqlite3.Connection) -> T:
            transaction = Transaction(self, connection, scope)
            result = work(transaction)
            transaction.finish()
            return result

        return self._commits.submit(run)

    def close(self) -> None:
        """Remembers the head beside the keys, and closes every connection."""
        with self.datastore.read() as connection:
            end = records.head(connection)
        if end.position:
            self.vault.keys.remember_head(end.position, end.link)
        self.datastore.close()

    def _abandoned(self) -> None:
        """Forgets what was made for records that were not written."""
        self.vault.keys.discard()
        self.policies.clear()

    def _after_commit(self) -> None:
        """Remembers the head beside the keys every so often; what is remembered is durable."""
        end = self.datastore.committed
        if end.position < self._remembered + HEAD_REMEMBERED_EVERY:
            return
        try:
            self.vault.keys.remember_head(end.position, end.link)
        except sqlite3.Error as error:
            # The records are durable, and their caller is to be told so; the next commit tries again.
            logger.warning("the head of the log could not be remembered beside the keys: %s", error)
            return
        self._remembered = end.position


class Transaction:
    """One scope inside one write transaction: the decision index, answered from the log's own tables."""

    def __init__(self, log: Log, connection: sqlite3.Connection, scope: bytes) -> None:
        self.log = log
        self.scope = scope
        self._connection = connection
        self._vault = log.vault
        self._reader = Reader(connection, log.vault, log.policies)
        self._introduced: list[NameIntroduced] = []
        self._named: dict[tuple[str, str], bytes] = {}
        self._streams: dict[bytes, tuple[int, int]] = {}
        self._end: records.End | None = None
        self._policy_digest: bytes | None = None
        self._zone: str | None = None

    @property
    def connection(self) -> sqlite3.Connection:
        """Returns the connection of the transaction, for reading records."""
        return self._connection

    def transact(self, command: Command, decide: Callable[[], Decision]) -> Receipt:
        """Carries out one command: answers a repeat with its receipt, else decides and appends.

        Raises CommandConflict where the same key came with other content.
        """
        key = self.keyed("command", type(command).__name__, *command.natural_key)
        digest = self.keyed("command content", repr(command.content))
        repeated = self._repeated(command.stream, key, digest)
        if repeated:
            return repeated
        decision = decide()
        refused = decision if isinstance(decision, Refused) else None
        events = refused.events if refused else tuple(decision)  # type: ignore[arg-type]
        if not events:
            return Receipt(0, 0, refused=refused)
        # A receipt lies with the command's first record, so that it can be made again from the records alone. Where that
        # is in another stream, as what a message says of a claim is, only the decision tells where to look.
        repeated = self._repeated(events[0].stream, key, digest) if events[0].stream != command.stream else None
        if repeated:
            return repeated
        positions = self._append(command, key, digest, events)
        return Receipt(positions[0], len(positions), events, refused=refused)

    def name(self, kind: NameKind, name: str) -> bytes:
        """Returns the random id of a name, giving it one, with the next command, if it is new."""
        found = self._named.get((kind, name))
        if found is None:
            digest = self.keyed("name", kind, name)
            row = self._connection.execute(
                "SELECT n.id FROM names n JOIN scopes s ON s.id = n.scope WHERE s.name = ? AND n.digest = ?",
                (self.scope, digest),
            ).fetchone()
            found = row[0] if row else self._introduce(kind, name, digest)
            self._named[kind, name] = found
        return found

    def scope_names(self) -> list[str]:
        """Returns the names of the open scopes of the whole ledger."""
        return [self._reader.scope_name(scope) for scope, _ in self._reader.scopes()]

    def name_of(self, name_id: bytes | None) -> str:
        """Returns the name behind a random id, empty for none."""
        return self._reader.name(name_id)

    @property
    def policy(self) -> Policy:
        """Returns the policy in force."""
        return self._reader.policy(self.scope)

    @property
    def generation(self) -> int:
        """Returns the ordinal of the active generation."""
        return self._reader.generation(self.scope)

    @property
    def mode(self) -> Mode:
        """Returns whether powerful memory is on, and since when."""
        return self._reader.mode(self.scope)

    @property
    def zone(self) -> str:
        """Returns the scope's time zone."""
        if self._zone is None:
            self._zone = self._reader.time_zone(self.scope)
        return self._zone

    def keyed(self, purpose: str, *parts: str) -> bytes:
        """Returns a digest keyed by the scope's secret."""
        return self._vault.keyed(self.scope, purpose, *parts)

    def claim(self, claim: bytes) -> ClaimState | None:
        """Returns a claim's state, or None. Raises IntegrityFault for one that may not be (row P20)."""
        state = self._state(claim)
        try:
            return None if state is None else ClaimState.model_validate(state)
        except ValidationError as error:
            reasons = "; ".join(part["msg"] for part in error.errors(include_input=False))
            msg = f"claim {claim.hex()[:24]}: its last event leaves a state that cannot be ({reasons})"
            raise IntegrityFault(msg) from error

    def known(self, claim: bytes) -> ClaimState:
        """Returns a claim's state. Raises UnknownId for none."""
        state = self.claim(claim)
        if state is None:
            msg = f"claim {claim.hex()[:24]} is not in this scope"
            raise UnknownId(msg, remedy="see `claims` for the ids")
        return state

    def evidence(self, item: bytes) -> EvidenceState | None:
        """Returns the state of a piece of evidence, or None."""
        state = self._state(item)
        return None if state is None else EvidenceState.model_validate(state)

    def content(self, state: ClaimState) -> ClaimContent:
        """Returns the wording of a claim that is shown."""
        fields = self._reader.sealed(state.wording(self.generation))
        return ClaimContent.model_validate(fields["content"])

    def text(self, item: bytes, revision: int) -> EvidenceContent:
        """Returns the private part of one revision of evidence. Raises LookupError if it has no such revision."""
        state = self.evidence(item)
        if state is None or not 1 <= revision <= state.revision:
            msg = f"evidence {item.hex()[:24]} has no revision {revision}"
            raise LookupError(msg)
        return EvidenceContent.model_validate(self._reader.sealed(state.contents[revision - 1])["content"])

    def holders(self, topic: bytes) -> tuple[bytes, ...]:
        """Returns the claims that say something of this entity and attribute."""
        return self._names(f"{_CLAIMS} WHERE c.topic = ? ORDER BY s.id", topic)

    def same_value(self, value: bytes) -> tuple[bytes, ...]:
        """Returns the claims with this entity, attribute, value and polarity."""
        return self._names(f"{_CLAIMS} WHERE c.value = ? ORDER BY s.id", value)

    def personas(self, about: bytes) -> tuple[bytes, ...]:
        """Returns the persona claims about this entity with this polarity."""
        return self._names(f"{_CLAIMS} WHERE c.persona = ? ORDER BY s.id", about)

    def citations(self, claim: bytes) -> tuple[Citation, ...]:
        """Returns every place that the claim stands on."""
        return self._reader.citations(claim)

    def citing(self, item: bytes) -> tuple[tuple[bytes, Citation], ...]:
        """Returns (claim, place) for every citation of this evidence."""
        rows = self._connection.execute(
            "SELECT s.name, c.revision, c.start, c.stop, x.name FROM citations c JOIN streams s ON s.id = c.claim "
            "JOIN extractors x ON x.id = c.extractor JOIN streams e ON e.id = c.evidence WHERE e.name = ? "
            "ORDER BY c.claim, c.revision, c.start, c.stop, x.name",
            (item,),
        )
        return tuple((row[0], Citation(item, *row[1:])) for row in rows)

    def tally(self, claim: bytes) -> Tally:
        """Returns the distinct sources and sessions of the claim's first-hand evidence."""
        rows = self._connection.execute(
            "SELECT DISTINCT e.source, e.session FROM citations c JOIN evidence e ON e.stream = c.evidence "
            "JOIN streams s ON s.id = c.claim JOIN extractors x ON x.id = c.extractor "
            # What a correction cites is what it was about: it does not support what a person put in its place.
            "WHERE s.name = ? AND e.first_hand AND x.name != ''",
            (claim,),
        ).fetchall()
        return Tally(frozenset(source for source, _ in rows), frozenset(session for _, session in rows))

    def rejections(self, digest: bytes) -> tuple[Rejection, ...]:
        """Returns the rejections in force of a sentence or value digest."""
        rows = self._connection.execute(
            "SELECT s.name, r.at FROM rejected r JOIN streams s ON s.id = r.claim WHERE r.digest = ? ORDER BY s.id",
            (digest,),
        )
        return tuple(Rejection(*row) for row in rows)

    def rejected_spans(self, item: bytes) -> tuple[RejectedSpan, ...]:
        """Returns the rejected spans of this evidence that are in force."""
        rows = self._connection.execute(
            "SELECT s.name, r.revision, r.start, r.stop, r.about, r.extractors FROM rejected_spans r "
            "JOIN streams s ON s.id = r.claim JOIN streams e ON e.id = r.evidence WHERE e.name = ? ORDER BY s.id, r.start",
            (item,),
        )
        return tuple(
            RejectedSpan(claim, revision, start, stop, about, tuple(extractors.split("\n")) if extractors else ())
            for claim, revision, start, stop, about, extractors in rows
        )

    def finish(self) -> None:
        """Notes how far the log has come; called once, after the last command."""
        if self._end is not None:
            self._end.close()

    def _state(self, stream: bytes) -> dict[str, object] | None:
        known, _ = self._stream(stream)
        record = records.last_of(self._connection, known) if known else None
        if record is None:
            return None
        body = encoding.body(record.body)
        if (body.scope, body.stream) != (self.scope, stream):
            msg = f"position {record.position}: the record belongs to another scope or stream"
            raise IntegrityFault(msg, position=record.position)
        state: dict[str, object] = index.public_fields(body)["state"]
        return state

    def _repeated(self, stream: bytes, key: bytes, digest: bytes) -> Receipt | None:
        """Returns the first receipt of a command that came before. Raises CommandConflict where it came otherwise."""
        known = self._receipt(stream, key)
        if known is None:
            return None
        if known[2] != digest:
            msg = "the same command came again with other content"
            raise CommandConflict(msg, remedy="give it a key of its own")
        return Receipt(known[0], known[1], repeated=True)

    def _receipt(self, stream: bytes, key: bytes) -> tuple[int, int, bytes] | None:
        known, _ = self._stream(stream)
        if not known:
            return None
        row: tuple[int, int, bytes] | None = self._connection.execute(
            "SELECT position, count, digest FROM receipts WHERE stream = ? AND command = ?",
            (known, key),
        ).fetchone()
        return row

    def _stream(self, name: bytes) -> tuple[int, int]:
        """Returns (stream, version), (0, 0) for none; nobody else can change it while the transaction lasts."""
        known = self._streams.get(name)
        if known is None:
            known = self._streams[name] = records.find_stream(self._connection, name) or (0, 0)
        return known

    def _names(self, query: str, digest: bytes) -> tuple[bytes, ...]:
        return tuple(row[0] for row in self._connection.execute(query, (digest,)))

    def _introduce(self, kind: NameKind, name: str, digest: bytes) -> bytes:
        name_id, event_id = self.log.new_id(), self.log.new_id()
        self._introduced.append(
            NameIntroduced(
                id=event_id,
                occurred_at=self.log.clock(),
                scope=self.scope,
                kind=kind,
                name_id=name_id,
                digest=digest,
                name=name,
            ),
        )
        return name_id

    def _append(self, command: Command, key: bytes, digest: bytes, events: tuple[Event, ...]) -> list[int]:
        """Seals and appends a command's events, then the names they are the first to use; keeps the index and receipt."""
        actor = {"role": command.actor.role, "id": self.name("actor", command.actor.name)}
        events = (*events, *self._introduced)
        self._introduced.clear()
        envelope: dict[str, object] = {
            "command": key,
            "command_digest": digest,
            "scope": self.scope,
            "actor": actor,
            "policy": self._digest_of_policy(),
        }
        versions: dict[bytes, int] = {}
        sealed = [self._seal(event, envelope, versions) for event in events]
        cursor = SQLiteCursor(self._connection.cursor())
        stored = [body for body, _ in sealed]
        streams: list[int] = []
        hook = self.log.recorder._insert_events
        if self._end is None:
            self._end = records.End(self._connection)
        positions = list(hook(cursor, stored, now=self.log.clock(), streams=streams, end=self._end) or ())
        bodies = [encoding.body(body.state) for body in stored]
        for position, stream, body, event, (_, public) in zip(positions, streams, bodies, events, sealed, strict=True):
            self._streams[event.stream] = stream, body.version
            index.apply(self._connection, position, stream, body, public)
        index.add_receipt(self._connection, streams[0], bodies[0], positions[0], len(events))
        if any(isinstance(event, PolicyAdopted | ModeSwitched) for event in events):
            # Its position may yet be another record's, so what is read there is not for the cache that all share.
            self._reader = Reader(self._connection, self._vault)
            self._policy_digest = None
        return positions

    def _digest_of_policy(self) -> bytes:
        if self._policy_digest is None:
            self._policy_digest = self._reader.policy_digest(self.scope)
        return self._policy_digest

    def _seal(
        self,
        event: Event,
        envelope: dict[str, object],
        versions: dict[bytes, int],
    ) -> tuple[StoredBody, dict[str, object]]:
        """Returns an event as the record to be, and its public fields."""
        if EVENT_TYPES.get(event.type_name) is not type(event):
            msg = f"{type(event).__name__} is not a registered event type"
            raise TypeError(msg)
        public, private = split(event)
        stream, last = self._stream(event.stream)
        version = versions[event.stream] = versions.get(event.stream, last) + 1
        fields: dict[str, object] = {
            **envelope,
            "id": event.id,
            "stream": event.stream,
            "version": version,
            "type": event.type_name,
            "occurred_at": event.occurred_at,
            "public": public,
        }
        optional = {"evidence": event.evidence, "parents": event.parents, "cause": event.cause}
        fields.update({name: value for name, value in optional.items() if value})
        blob = None
        if private:
            header = self._header(event)
            blob = self._vault.seal(private, header, scope=self.scope, event_id=event.id, event_type=event.type_name)
            fields["sealed"] = blake3(blob).digest()
            if header.own:
                fields["key"] = header.own
        stored = StoredBody(
            originator_id=UUID(bytes=event.stream),
            originator_version=version,
            topic=event.type_name,
            state=encoding.encode(fields),
            event_id=event.id,
            stream_class=event.stream_class,
            scope=self.scope,
            blob=blob,
            stream_id=stream,
        )
        return stored, public

    def _header(self, event: Event) -> Header:
        """Returns how the event is sealed; derived text needs the keys of all its evidence."""
        sealing = event.sealing
        if sealing.own:
            if sealing.fresh:
                self._vault.keys.add(sealing.own)
            return Header(own=sealing.own)
        if sealing.parents:
            keys = (key for item in sealing.parents for key in self._reader.evidence_keys(item))
            return self._vault.derived(tuple(dict.fromkeys(keys)))
        return Header()
