"""A ledger as large as is wanted, made fast: ready records through the log's own append and index.

Its texts are sealed under real keys, its links, versions, receipts and index rows are those of a ledger that grew by
commands, and `verify` finds it clean. Only the decisions are missing: the states are made up by rule.
"""

import sqlite3
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from blake3 import blake3

from affidavit.domain.claims import ClaimState, Wording
from affidavit.domain.evidence import EvidenceState
from affidavit.domain.messages import Message
from affidavit.domain.roles import Actor
from affidavit.journal import encoding, index, records, verbs
from affidavit.journal.reading import Reader
from affidavit.journal.vault import Header
from affidavit.scripts import bootstrap
from affidavit.scripts.bootstrap import Store
from affidavit.scripts.ledger import init

MAIN, SMALL = "main", "small"
SMALL_CLAIMS = 200
"""The claims of the second scope, whose prompt is rendered."""
GROUP = 1000
BEGIN = 1_790_000_000_000_000
"""When the first event occurred, in microseconds since 1970."""
STEP = 1_000_000
STRIDE = 7_919
"""Streams are visited in this stride, so that neighbours in time are not neighbours in the file."""
EXTRACTOR = "bench@1/00000000"
_QUARANTINED, _SUPERSEDED, _REFUSED = 50, 20, 100
_REAFFIRMED = 12


class Prepared(NamedTuple):
    """A record ready to be appended, and its public fields, from which the index is kept."""

    given: records.Given
    public: dict[str, Any]


def fixed(*parts: object) -> bytes:
    """Returns 16 bytes that stand for these parts, the same in every run."""
    return blake3(repr(parts).encode()).digest(16)


class Maker:
    """Makes the records of one scope."""

    def __init__(self, store: Store, scope: bytes, source: bytes, actor: bytes, policy: bytes) -> None:
        self.store = store
        self.scope = scope
        self._source = source
        self._envelope = {"scope": scope, "actor": {"role": "extractor", "id": actor}, "policy": policy}
        self._ordinal = 0
        self._control = 0
        self._template = self._claim_template()
        self.derived: list[bytes] = []
        self.keys: list[bytes] = []

    def claim(self, number: int) -> bytes:
        """Returns the id of a claim by its number."""
        return fixed(self.scope, "claim", number)

    def item(self, number: int) -> bytes:
        """Returns the id of a message by its number."""
        return fixed(self.scope, "message", number)

    def history(self, claims: int, events: float) -> Iterator[Prepared]:
        """Yields the records of so many claims with so many events each, a message and its reading included.

        With three events or more a message carries one claim, with fewer it carries two. The rest are signals, every
        twelfth round a reaffirmation by the neighbour's message; at the end some claims are superseded or held back.
        """
        carried = 1 if events >= 3 else 2
        for number in range(0, claims, carried):
            yield from self._message(number // carried, list(range(number, min(number + carried, claims))))
        rest = round(claims * (events - (2 + carried) / carried))
        for at in range(rest):
            yield self.later(at * STRIDE % claims, at // claims, carried, last=at >= rest - claims)
        for number in range(0, claims, _REFUSED):
            yield self._refusal(number)

    def later(self, number: int, round_: int, carried: int, *, last: bool = False) -> Prepared:
        """Returns a later event of a claim: a signal, a reaffirmation, or, where it is the `last`, sometimes its end."""
        claim, version = self.claim(number), round_ + 2
        state = self._state(number, signals=round_ + 1)
        if last and number % _QUARANTINED == 1:
            public: dict[str, Any] = {
                "claim": claim,
                "state": {**state, "status": "quarantined"},
                "rule": "held back",
                "places": [],
            }
            return self._record(
                "claim", claim, version, "claim-quarantined.v1", {**public, "extractor": "", "generation": 0}
            )
        if last and number % _SUPERSEDED == 2:
            by = self.claim(number - 1)
            ended = {**state, "status": "superseded", "superseded_by": by}
            return self._record("claim", claim, version, "claim-superseded.v1", {"claim": claim, "state": ended, "by": by})
        if round_ % _REAFFIRMED == 5:
            item = self.item((number + round_) % len(self.derived) // carried)
            places = [{"evidence": item, "revision": 1, "start": 0, "end": 9}]
            public = {"claim": claim, "state": state, "places": places, "extractor": EXTRACTOR, "generation": 1}
            return self._record("claim", claim, version, "claim-reaffirmed.v1", public, evidence=(item,))
        public = {"claim": claim, "state": state, "source": "user_fact", "effect": "reinforce", "weight": 500_000}
        return self._record("claim", claim, version, "signal-applied.v1", public)

    def sealed_record(self, number: int, version: int) -> Prepared:
        """Returns a record of some claim with a sealed text of about 120 bytes: what an append bench appends."""
        return self._derived(number, version, fixed("bench key", number // 100), "x" * 84)

    def keys_for(self, number: int) -> None:
        """Makes the keys that `sealed_record` seals under, for claims below a number."""
        for key in range(number // 100 + 1):
            self.store.vault.keys.add(fixed("bench key", key))

    def _message(self, message: int, claims: list[int]) -> Iterator[Prepared]:
        item, key = self.item(message), self.store.new_id()
        self.store.vault.keys.add(key)
        text = " ".join(f"I like {_THINGS[number % len(_THINGS)]} {number}." for number in claims)
        content = {"text": text, "speaker": "", "message": str(message), "session": str(message // 50), "parent": ""}
        event_id = self.store.new_id()
        state = EvidenceState(
            role="user",
            source=self._source,
            session=fixed(self.scope, "session", message // 50),
            key=key,
            basis="user_statement",
            occurred_at=self._now(),
            contents=(event_id,),
        ).model_dump(exclude_none=True)
        private = {"content": {**content, "adopted": []}}
        public: dict[str, Any] = {"item": item, "state": state}
        yield self._record("evidence", item, 1, "evidence-recorded.v1", public, private, Header(own=key), event_id=event_id)
        for number in claims:
            self.derived.append(self.store.new_id())
            yield self._derived(number, 1, key, text, item)
        reading = {"extractor": EXTRACTOR, "revision": 1, "outcome": "completed", "attempts": 1, "refused": []}
        public = {"item": item, "state": {**state, "readings": [reading]}, "extractor": EXTRACTOR, "revision": 1}
        public["claims"] = [self.claim(number) for number in claims]
        yield self._record("evidence", item, 2, "extraction-completed.v1", public, evidence=(item,))

    def _derived(self, number: int, version: int, key: bytes, text: str, item: bytes | None = None) -> Prepared:
        thing = f"{_THINGS[number % len(_THINGS)]} {number}"
        content = {"text": f"User likes {thing}.", "entity": "user", "attribute": "likes", "value": thing}
        if item is None:
            content["text"] = text
        event_id = self.derived[number] if item else self.store.new_id()
        state = self._state(number, content=event_id)
        item = item or self.item(number)
        places = [{"evidence": item, "revision": 1, "start": 0, "end": 9}]
        public = {"claim": self.claim(number), "state": state, "places": places, "extractor": EXTRACTOR, "generation": 1}
        header = self.store.vault.derived((key,))
        private = {"content": content}
        name, evidence = "claim-derived.v1", (item,)
        return self._record("claim", self.claim(number), version, name, public, private, header, evidence, event_id)

    def _refusal(self, number: int) -> Prepared:
        public = {"scope": self.scope, "rule": "too close", "conflict": False, "extractor": EXTRACTOR}
        private: dict[str, Any] = {"actual": "the words of a question", "required": "a statement", "remedy": "ask"}
        private.update(text=f"User likes {number}.", start=0, end=9, quote="I like it")
        return self._record("scope", self.scope, 0, "write-refused.v1", public, private, Header())

    def _record(
        self,
        stream_class: str,
        stream: bytes,
        version: int,
        event_type: str,
        public: dict[str, Any],
        private: dict[str, Any] | None = None,
        header: Header | None = None,
        evidence: tuple[bytes, ...] = (),
        event_id: bytes | None = None,
    ) -> Prepared:
        self._ordinal += 1
        event_id = event_id or self.store.new_id()
        if stream_class == "scope":
            self._control += 1
            version = self._control
        fields: dict[str, Any] = {
            **self._envelope,
            "command": fixed(self.scope, "command", self._ordinal),
            "command_digest": fixed("content", self._ordinal),
            "id": event_id,
            "stream": stream,
            "version": version,
            "type": event_type,
            "occurred_at": self._now(),
            "public": public,
        }
        if evidence:
            fields["evidence"] = evidence
        blob = None
        if private is not None and header is not None:
            blob = self.store.vault.seal(private, header, scope=self.scope, event_id=event_id, event_type=event_type)
            fields["sealed"] = blake3(blob).digest()
            if header.own:
                fields["key"] = header.own
        body = encoding.encode(fields)
        return Prepared(records.Given(stream, stream_class, self.scope, version, event_id, event_type, body, blob), public)

    def begin(self, control: int) -> None:
        """Says at which version the scope's own stream stands."""
        self._control = control

    def _now(self) -> int:
        return BEGIN + self._ordinal * STEP

    def _state(self, number: int, *, signals: int = 0, content: bytes | None = None) -> dict[str, Any]:
        now = self._now()
        state = {
            **self._template,
            "sentence": fixed(self.scope, "sentence", number),
            "topic": fixed(self.scope, "topic", number // 4),
            "value": fixed(self.scope, "value", number),
            "wordings": [{"generation": 1, "content": content or self.derived[number]}],
            "evidence_at": now,
            "confirmed_at": now,
            "signals": signals,
            "reinforcement": signals * 500_000,
        }
        if signals:
            state["rein_last_signal_at"] = now
        return state

    def _claim_template(self) -> dict[str, Any]:
        return ClaimState(
            form="fact",
            kind="preference",
            polarity="positive",
            status="active",
            sentence=bytes(16),
            about=fixed(self.scope, "about"),
            wordings=(Wording(generation=1, content=bytes(16)),),
            generations=(1,),
            basis="user_statement",
            method="local",
            confidence=850_000,
            sources=1,
            sessions=1,
        ).model_dump(exclude_none=True)


_THINGS = ("green tea", "long walks", "old maps", "quiet trains", "绿茶", "爬山", "rye bread", "chess")
ACTOR = Actor("operator", "bench")


def create(folder: Path, *scopes: str) -> tuple[Store, list[Maker]]:
    """Makes a ledger in a folder, and a maker of records for each scope that it opens."""
    init(folder, scope=scopes[0], actor=ACTOR).close()
    for name in scopes[1:]:
        init(folder, scope=name, actor=ACTOR).close()
    return reopen(folder, *scopes)


def reopen(folder: Path, *scopes: str) -> tuple[Store, list[Maker]]:
    """Opens a ledger that `create` made, and makers of records for its scopes."""
    store = bootstrap.store(folder)
    log = store.log()
    makers = []
    with store.datastore.read() as connection:
        found = {
            row[0]: row[1] for row in connection.execute("SELECT name, id FROM scopes WHERE opened > 0 ORDER BY opened")
        }
    for scope, _ in zip(found, scopes, strict=True):
        first = Message(id="first", role="system", text="Here begins a bench.", at=BEGIN, source="bench")
        list(verbs.record(log, scope, [first], ACTOR))
        source, actor = log.write(scope, lambda tx: (tx.name("source", "bench"), tx.name("actor", "bench")))
        with store.datastore.read() as connection:
            reader = Reader(connection, store.vault)
            maker = Maker(store, scope, source, actor, reader.policy_digest(scope))
            maker.begin(reader.version(scope))
        makers.append(maker)
    return store, makers


def append(store: Store, prepared: list[Prepared], *, indexed: bool = True) -> None:
    """Appends ready records in one durable commit, after their keys; keeps index and receipts if `indexed`."""
    store.vault.keys.commit()
    with store.datastore.write() as connection:
        placed = records.append(connection, [one.given for one in prepared], store.clock())
        if indexed:
            for (position, stream), one in zip(placed, prepared, strict=True):
                _keep_index(connection, position, stream, one)


def _keep_index(connection: sqlite3.Connection, position: int, stream: int, one: Prepared) -> None:
    body = encoding.body(one.given.body)
    index.apply(connection, position, stream, body, one.public)
    index.add_receipt(connection, stream, body, position, 1)


class Built(NamedTuple):
    """A ledger that was built: its last position, and the CPU seconds a record that appending cost at its end.

    `append` is the append and the commit alone, `whole` has index and receipts too.
    """

    position: int
    append: float
    whole: float


def build(folder: Path, claims: int, events: float, extension: int = GROUP) -> Built:
    """Makes a ledger of so many claims with so many events each, and a small scope beside; then times some more."""
    store, (main, small) = create(folder, MAIN, SMALL)
    for maker, count, each in ((small, SMALL_CLAIMS, 3), (main, claims, events)):
        history = maker.history(count, each)
        while group := list(islice(history, GROUP)):
            append(store, group)
    timed = _extend(store, main, claims, events, extension)
    with store.datastore.read() as connection:
        end = records.head(connection)
    store.vault.keys.remember_head(end.position, end.link)
    store.datastore.close()
    store.vault.keys.close()
    return Built(end.position, *timed)


def _extend(store: Store, maker: Maker, claims: int, events: float, extension: int) -> tuple[float, float]:
    """Appends one more event to each of some claims; returns the CPU seconds a record of append and commit, and of all."""
    carried = 1 if events >= 3 else 2
    rounds, over = divmod(round(claims * (events - (2 + carried) / carried)), claims)
    visited = [at * STRIDE % claims for at in range(over, over + min(extension, claims - over))]
    own = whole = 0.0
    for first in range(0, len(visited), GROUP):
        group = [maker.later(number, rounds, carried) for number in visited[first : first + GROUP]]
        begin = time.process_time()
        with store.datastore.write() as connection:
            placed = records.append(connection, [one.given for one in group], store.clock())
            appended = time.process_time()
            for (position, stream), one in zip(placed, group, strict=True):
                _keep_index(connection, position, stream, one)
            indexed = time.process_time()
        end = time.process_time()
        own += end - begin - (indexed - appended)
        whole += end - begin
    return own / len(visited), whole / len(visited)
