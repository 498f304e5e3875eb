"""What a message mentions: the facts that an extractor is shown with it, as what it may replace (seed 002, "Limit").

Measured by the host: a fact is mentioned where the message holds a good part of its words, or pairs of Chinese characters.
What could not be replaced anyway is not shown: other namespaces, pinned claims, the card, and what has newer evidence than
the message. The newest are shown, and the cap comes last. Read once from the heads of the claims, and from there on record
by record.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from threading import Lock

from affidavit.domain.normalise import words
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.proposals import Shown
from affidavit.domain.readings import SHOWN, Seen
from affidavit.journal.reading import ClaimFields, ClaimState, Entry, EvidenceState, Reader

_USER = words("user 用户")
"""What a claim calls the speaker, who says "I": no message is measured by it."""


def telling(text: str) -> frozenset[str]:
    """Returns the words of a claim by which a message mentions it: two letters or more, and not what it calls the user."""
    found = words(text)
    return frozenset(word for word in found - _USER if len(word) > 1) or found


@dataclass(frozen=True, slots=True)
class _Known:
    """A fact that may be replaced: its state, the event that sealed its wording, and the words that tell of it."""

    state: ClaimState
    wording: bytes
    text: str
    words: frozenset[str]


@dataclass(slots=True)
class Mentioned:
    """The facts of one scope as of `position`, by their words. Threads may share it."""

    scope: bytes
    position: int = 0
    _known: dict[bytes, _Known] = field(default_factory=dict)
    _by_word: dict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    _one_at_a_time: Lock = field(default_factory=Lock)

    def by(self, reader: Reader, evidence: EvidenceState, text: str) -> tuple[tuple[Shown, Seen], ...]:
        """Returns the facts that a message mentions as the reader sees them, or as they have become since; newest first.

        Those that a host nominated are what its message is about, whatever it says.
        """
        with self._one_at_a_time:
            self._advance(reader)
            return self._by(evidence, text, reader.policy(self.scope))

    def _advance(self, reader: Reader) -> None:
        end = reader.head().position
        if self.position == 0:
            reader.vault.keys.load_all()
        for entry in reader.claim_entries() if self.position == 0 else reader.entries(self.position, end):
            if entry.body.scope == self.scope:
                self._take(entry, reader)
        self.position = max(self.position, end)

    def _by(self, evidence: EvidenceState, text: str, policy: Policy) -> tuple[tuple[Shown, Seen], ...]:
        table = policy.replacement
        if evidence.targets:
            found = [claim for claim in evidence.targets if claim in self._known]
        else:
            counts = Counter(claim for word in words(text) for claim in self._by_word.get(word, ()))
            found = [
                claim for claim, count in counts.items() if count * ONE >= table.mentioned * len(self._known[claim].words)
            ]
        fitting = [claim for claim in found if self._may_be_replaced(claim, evidence)]
        fitting.sort(key=lambda claim: (-(self._known[claim].state.evidence_at or 0), claim))
        return tuple(self._shown(claim) for claim in fitting[: table.shown])

    def _may_be_replaced(self, claim: bytes, evidence: EvidenceState) -> bool:
        state = self._known[claim].state
        return state.namespace == evidence.namespace and (state.evidence_at or 0) <= evidence.occurred_at

    def _shown(self, claim: bytes) -> tuple[Shown, Seen]:
        known = self._known[claim]
        state = known.state
        shown = Shown(claim.hex()[:SHOWN], known.text, state.kind, state.basis, state.evidence_at)  # type: ignore[arg-type]
        return shown, Seen(claim, known.wording, state.status)

    def _take(self, entry: Entry, reader: Reader) -> None:
        fields = entry.fields
        if not isinstance(fields, ClaimFields):
            return
        claim, state = fields.claim, fields.state
        before = self._known.pop(claim, None)
        wording = state.wording(reader.generation(self.scope))
        if not (state.form == "fact" and state.live) or state.pinned or state.protected:
            self._forget(claim, before)
        elif before is not None and before.wording == wording:
            self._known[claim] = _Known(state, wording, before.text, before.words)
        else:
            self._forget(claim, before)
            text = reader.sealed(wording)["content"]["text"]
            known = self._known[claim] = _Known(state, wording, text, telling(text))
            for word in known.words:
                self._by_word[word].add(claim)

    def _forget(self, claim: bytes, before: _Known | None) -> None:
        for word in before.words if before else ():
            self._by_word[word].discard(claim)
