"""What envelopes and lists of narratives are made of: gathered once from the views, and kept up to date by the log.

A scope's claims are read once; after that only those that an event changed. Nothing here depends on time, so the envelope of
any moment is made of it. Whoever has not read it yet, or whose policy changed, reads all of it.
"""

from dataclasses import dataclass, field

import msgspec

from affidavit.domain.policy import Policy
from affidavit.journal.reading import ClaimFields, EvidenceFields
from affidavit.projections.active import CLAIM, Active
from affidavit.projections.provenance import EVIDENCE, Provenance
from affidavit.projections.rows import Rows
from affidavit.projections.snapshot import Snapshot

FEW = 2_000
"""So many new records at most are read one by one; more cost more than reading the views."""


class _Slot(msgspec.Struct):
    verdict: str


class Remembered(msgspec.Struct, gc=False):
    """What the envelope reads of a claim's row."""

    text: str
    form: str
    kind: str
    entity: str
    live: bool
    namespace: str
    attribute: str
    value: str
    polarity: str
    basis: str
    method: str
    confidence: int
    confirmation: str
    confirmed_at: int | None
    evidence_at: int | None
    user_fact_reinforce_count: int
    vouched: bool
    tone: str
    expires_at: int | None
    accuracy: _Slot | None = None


class Local(msgspec.Struct, gc=False):
    """What it reads of what belongs to this ledger."""

    boosts: int


class _Heard(msgspec.Struct, gc=False):
    role: str
    basis: str
    namespace: str
    occurred_at: int


class _Contents(msgspec.Struct, gc=False):
    contents: tuple[bytes, ...]


_claims = msgspec.msgpack.Decoder(tuple[Remembered, Local])
_evidence = msgspec.msgpack.Decoder(tuple[_Heard, _Contents])


@dataclass(slots=True)
class Gathered:
    """What one scope's envelopes are made of, at a position and under a policy.

    `facts` are the claims that were believed enough when they were added, `summaries` the newest of each namespace with its
    time, id and wording, `heard` when its newest message was.
    """

    position: int = 0
    policy: bytes = b""
    facts: dict[bytes, tuple[Remembered, Local]] = field(default_factory=dict)
    narratives: dict[bytes, Remembered] = field(default_factory=dict)
    summaries: dict[str, tuple[int, bytes, bytes]] = field(default_factory=dict)
    heard: dict[str, int] = field(default_factory=dict)

    def advance(self, snapshot: Snapshot) -> None:
        """Moves on to the snapshot."""
        claims, evidence = snapshot.rows(Active()), snapshot.rows(Provenance())
        behind = snapshot.position - self.position
        if self.position == 0 or self.policy != snapshot.policy_digest or not 0 <= behind <= FEW:
            self._begin(snapshot, claims, evidence)
        elif behind:
            self._follow(snapshot, claims, evidence)
        self.position, self.policy = snapshot.position, snapshot.policy_digest

    def _begin(self, snapshot: Snapshot, claims: Rows, evidence: Rows) -> None:
        for kept in (self.facts, self.narratives, self.summaries, self.heard):
            kept.clear()
        for key, (state, local) in claims.each(snapshot.scope, CLAIM, _claims):
            self._claim(key, state, local, snapshot.policy)
        for key, (heard, contents) in evidence.each(snapshot.scope, EVIDENCE, _evidence):
            self._heard(key, heard, contents)

    def _follow(self, snapshot: Snapshot, claims: Rows, evidence: Rows) -> None:
        changed: dict[bytes, None] = {}
        said: dict[bytes, None] = {}
        for entry in snapshot.reader.entries(self.position, snapshot.position):
            if entry.body.scope != snapshot.scope:
                continue
            if isinstance(entry.fields, ClaimFields):
                changed[entry.fields.claim] = None
            elif isinstance(entry.fields, EvidenceFields):
                said[entry.fields.item] = None
        for key in changed:
            row = claims.get(snapshot.scope, CLAIM, key)
            if row is None:
                raise claims.missing(CLAIM, key)
            self._claim(key, msgspec.convert(row.natural, Remembered), msgspec.convert(row.local, Local), snapshot.policy)
        for key in said:
            row = evidence.get(snapshot.scope, EVIDENCE, key)
            if row is None:
                raise evidence.missing(EVIDENCE, key)
            self._heard(key, msgspec.convert(row.natural, _Heard), msgspec.convert(row.local, _Contents))

    def _claim(self, key: bytes, state: Remembered, local: Local, policy: Policy) -> None:
        self.facts.pop(key, None)
        self.narratives.pop(key, None)
        if state.form == "narrative" and state.live:
            self.narratives[key] = state
        elif _is_believed(state, policy):
            self.facts[key] = state, local

    def _heard(self, key: bytes, heard: _Heard, contents: _Contents) -> None:
        if heard.basis == "summary":
            found = heard.occurred_at, key, contents.contents[-1]
            self.summaries[heard.namespace] = max(found, self.summaries.get(heard.namespace, found))
        elif heard.role in {"user", "assistant"}:
            self.heard[heard.namespace] = max(heard.occurred_at, self.heard.get(heard.namespace, heard.occurred_at))


def _is_believed(state: Remembered, policy: Policy) -> bool:
    """Tells whether a claim comes into an envelope at all: a fact or what became of one, believed enough when it was added.

    What the user confirmed, or a person found accurate, needs no such confidence.
    """
    of_user = state.form == "fact" or (state.form == "persona" and state.entity == "user" and state.basis != "card")
    if not state.live or not of_user or state.entity == "agent" or state.confirmation == "contradicted":
        return False
    needed = policy.envelope.pattern if state.kind == "pattern" else policy.envelope.fact
    attested = state.accuracy is not None and state.accuracy.verdict == "accurate"
    return state.confidence >= needed or state.vouched or attested
