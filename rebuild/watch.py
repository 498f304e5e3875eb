"""What the loops watch: one scope's claims and open work, folded from the log as it grows.

Read once from the heads of the streams, and from there on record by record, so that a look at a moment costs what may be due
then and not what the scope holds. Nothing in it is kept: a new process reads it again, and finds the same.
"""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from affidavit.domain.archives import SWEPT
from affidavit.domain.claims import ClaimState
from affidavit.domain.evidence import derivable
from affidavit.domain.index import Mode
from affidavit.domain.policy import Policy
from affidavit.journal.reading import ClaimFields, Entry, EvidenceFields, EvidenceState, Reader, ScopeFields

RECENT = 1000
"""How many messages wait at most to be searched for rebuttals, and to be summed up."""
CONTEXT = 20
"""How many messages before one are remembered with it at most; the policy says how many of them are shown."""


class Heard(NamedTuple):
    """A message of the user: its evidence, when it was said in microseconds, its namespace, and the messages before it."""

    item: bytes
    occurred_at: int
    namespace: bytes | None
    before: tuple[bytes, ...]


@dataclass(slots=True)
class Failing:
    """A question that failed: how often in a row, and when last, in microseconds."""

    count: int = 0
    at: int = 0


@dataclass(slots=True)
class Watch:
    """One scope as of `position`, for one extractor by its name. Sets hold ids of claims; `unread` says when it is due.

    `replaces` says that the extractor can say what a tool's observation changes, and so reads it.
    """

    scope: bytes
    extractor: str
    position: int = 0
    policy: Policy = field(default_factory=Policy)
    mode: Mode = field(default_factory=Mode)
    states: dict[bytes, ClaimState] = field(default_factory=dict)
    rising: dict[bytes, None] = field(default_factory=dict)
    sinking: dict[bytes, None] = field(default_factory=dict)
    facts: dict[bytes, None] = field(default_factory=dict)
    personas: dict[bytes, None] = field(default_factory=dict)
    queued: dict[bytes, None] = field(default_factory=dict)
    unread: dict[bytes, int] = field(default_factory=dict)
    asking: dict[bytes, None] = field(default_factory=dict)
    """Claims for whose promotion an attempt was spent, without anything that came of it."""
    replaces: bool = False
    heard: deque[Heard] = field(default_factory=lambda: deque(maxlen=RECENT))
    lately: dict[bytes | None, deque[bytes]] = field(default_factory=lambda: defaultdict(lambda: deque(maxlen=CONTEXT)))
    failing: dict[str, Failing] = field(default_factory=dict)
    settled: set[bytes] = field(default_factory=set)
    """Requests that are not asked again: answered for good, or without an answer."""
    dead: dict[str, dict[bytes, int]] = field(default_factory=lambda: defaultdict(dict))
    """Claims and messages that became a dead letter of a question, each with when, in microseconds."""
    talk: dict[bytes, bytes | None] = field(default_factory=dict)
    """Messages that no summary sums up, in order, each with its namespace."""
    most_talk: int = RECENT
    cooling_until: int = 0
    """When the last claim that was surfaced may be surfaced again, in microseconds."""
    at: dict[bytes, int] = field(default_factory=dict)
    """The position of each claim's newest event."""
    moved_at: int = 0
    """The position of the newest event on which a promotion that waits depends: of a persona claim, or of the mode."""
    failed: dict[bytes, int] = field(default_factory=dict)
    """The position of the last failed question of each claim's promotion."""
    changes: int = 0
    """Counts changes of what questions are asked about, so that nobody looks twice at the same."""

    def advance(self, reader: Reader) -> None:
        """Moves on to the end that the reader sees."""
        end = reader.head().position
        policy = reader.policy(self.scope)
        if self.position == 0:
            self.policy = policy
            self._begin(reader)
        else:
            if policy != self.policy:
                self.policy = policy
                for claim, state in self.states.items():
                    self._sort(claim, state)
            for entry in reader.entries(self.position, end):
                if entry.body.scope == self.scope:
                    self._take(entry)
        self.position = end

    def _begin(self, reader: Reader) -> None:
        reader.vault.keys.load_all()
        for entry in reader.stream(self.scope):
            self._take(entry)
        for entry in reader.claim_entries():
            if entry.body.scope == self.scope:
                self._take(entry)
        for item in reader.evidence_items(self.scope):
            found = reader.last(item)
            if found is not None:
                self._take(found)

    def _take(self, entry: Entry) -> None:
        fields = entry.fields
        if isinstance(fields, ClaimFields):
            # The narrow struct that replay decodes has what the rules read; a test holds it to the model.
            self._claim(fields.claim, cast("ClaimState", fields.state), entry.record.position)
            asked = entry.type == "promotion-deferred.v1" and fields.rule == "asked"
            _put(self.asking, fields.claim, asked and entry.record.position > self.failed.get(fields.claim, 0))
        elif isinstance(fields, EvidenceFields):
            said = entry.type in {"evidence-recorded.v1", "evidence-revised.v1"} or not self.position
            self._evidence(fields.item, fields.state, said=said, new=entry.body.version == 1 or not self.position)
        else:
            self._control(entry, fields)

    def _claim(self, claim: bytes, state: ClaimState, position: int) -> None:
        before = self.states.get(claim)
        self.states[claim] = state
        self.at[claim] = position
        if state.form == "persona":
            self.moved_at = max(self.moved_at, position)
        self._sort(claim, state)
        if before is None or (before.live, before.status, before.related) != (state.live, state.status, state.related):
            self.changes += 1
        # When it was surfaced is forgotten with the reply; when it may be again is not.
        self.cooling_until = max(self.cooling_until, state.eligible_at or 0)

    def _sort(self, claim: bytes, state: ClaimState) -> None:
        """Puts a claim where it may be due.

        No score is above its reinforcement, or below zero without something against it.
        """
        live, policy = state.live, self.policy
        climbs = state.form == "reflection" and state.status in {"pending", "confirmed"}
        reaches = state.form == "fact" and state.status == "active" and state.reinforcement >= policy.score.promoted
        _put(self.rising, claim, live and (climbs or reaches))
        against = state.disputation > 0 or state.reinforcement < 0 or state.sub_zero_days >= policy.archive.after_days
        _put(self.sinking, claim, live and state.status in SWEPT and against)
        unweighed = state.status == "absorbed" and not state.related
        _put(self.facts, claim, state.form == "fact" and (live or unweighed))
        _put(self.personas, claim, live and state.form == "persona")
        _put(self.queued, claim, live and state.review == "correction queued")

    def _evidence(self, item: bytes, state: EvidenceState, *, said: bool, new: bool) -> None:
        reading = next((one for one in state.readings if one.extractor == self.extractor), None)
        current = reading if reading and reading.revision == state.revision else None
        illegible = state.basis == "tool_observation" and not self.replaces
        if not derivable(state) or illegible or (current and current.outcome != "failed"):
            self.unread.pop(item, None)
        else:
            self.unread[item] = (current.retry_at or 0) if current else 0
        if state.parents:
            for parent in state.parents:
                self.talk.pop(parent, None)
        elif new and state.role in {"user", "assistant"} and len(self.talk) < self.most_talk:
            self.talk[item] = state.namespace
        if said and state.role == "user" and state.basis == "user_statement":
            before = self.lately[state.namespace]
            self.heard.append(Heard(item, state.occurred_at, state.namespace, tuple(before)))
            before.append(item)

    def _control(self, entry: Entry, fields: ScopeFields) -> None:
        if entry.type == "mode-switched.v1":
            self.mode = Mode(fields.powerful, fields.since)
            self.moved_at = max(self.moved_at, entry.record.position)
            self.changes += 1
        elif entry.type == "model-answered.v1" and fields.extractor == self.extractor:
            self._answered(fields, entry.body.occurred_at)
            if fields.question == "merge":
                for claim in fields.claims:
                    self.failed[claim] = entry.record.position
                    self.asking.pop(claim, None)

    def _answered(self, fields: ScopeFields, at: int) -> None:
        self.settled.add(fields.request)
        failing = self.failing.setdefault(fields.question, Failing())
        if fields.outcome == "failed":
            failing.count, failing.at = failing.count + 1, at
            self.settled.discard(fields.request)
        else:
            failing.count = 0
        if fields.outcome == "answered":
            for one in (*fields.claims, *fields.items):
                self.dead[fields.question].pop(one, None)
        if fields.outcome == "dead letter":
            # It is not settled: after a rest it is tried once more.
            self.settled.discard(fields.request)
            self.dead[fields.question].update(dict.fromkeys((*fields.claims, *fields.items), at))
            self.changes += 1


def _put(where: dict[bytes, None], claim: bytes, there: bool) -> None:  # noqa: FBT001 - a set that keeps its order
    if there:
        where[claim] = None
    else:
        where.pop(claim, None)
