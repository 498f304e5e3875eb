"""The envelope: a small snapshot of what is remembered of a user, for a prompt or a host (seed 004).

Identity, what is known by confidence, and the recent context, of one namespace and the unnamed one. It is built from one
snapshot at one moment, holds no contradicted claim, no narrative and nothing whose confidence fell too low, and is written
nowhere. Narratives have a list of their own, which nothing else reads.
"""

import heapq
from collections import OrderedDict, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

from affidavit.domain.freshness import confidence_now, is_expired
from affidavit.domain.policy import ONE
from affidavit.domain.times import SECOND, iso
from affidavit.journal.encoding import decode, encode
from affidavit.projections.gathered import Gathered, Local, Remembered
from affidavit.projections.snapshot import SHOWN, Snapshot

VERSION = "1.0"
_DOMAINS = frozenset({"hobby", "skill"})
"""Attributes whose values are domains of interest."""
_PREFERENCES = frozenset({"prefers", "diet", "timezone"})
"""Attributes whose values are preferences of their own, besides every `setting: `."""
_PROFILE = _DOMAINS | _PREFERENCES | {"name"}
_EXPLICIT = frozenset({"user_statement", "manual_correction", "card"})
_DROPPED = ("User's ", "User ", "用户")
_KEPT, _KEPT_SCOPES = 256, 16
"""How many envelopes a ledger keeps at most, and what those of how many scopes are made of."""


@dataclass(frozen=True, slots=True)
class Narrative:
    """A shared narrative: nobody's assertion, and never an input of anything. `expires_at` is empty for one that stays."""

    id: str
    text: str
    tone: str
    namespace: str
    added_at: str
    expires_at: str = ""


class _Kept(NamedTuple):
    """An envelope that was built: at which position, under which policy, when, and for how long it may be used."""

    position: int
    policy: bytes
    built: int
    until: int
    envelope: dict[str, Any]


class Envelopes:
    """The envelopes that one ledger keeps, the latest of each scope and namespace. Threads may share it.

    One is used again only at the very position and policy it was built at, and within the policy's time; so every event
    that touches it makes it void. What is handed out is a copy.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[bytes, str], _Kept] = OrderedDict()
        self._gathered: OrderedDict[bytes, Gathered] = OrderedDict()
        self._lock = Lock()

    def build(self, snapshot: Snapshot, namespace: str, *, user: str, fresh: bool = False) -> dict[str, Any]:
        """Returns a new envelope of one namespace and the unnamed one, at the snapshot's moment.

        `user` is the scope's name. `fresh` gathers again what it is made of.
        """
        with self._lock:
            return envelope(self._gather(snapshot, fresh=fresh), snapshot, namespace, user=user)

    def narratives(self, snapshot: Snapshot, namespace: str) -> "list[Narrative]":
        """Returns the narratives of one namespace and the unnamed one that are not over, oldest first."""
        with self._lock:
            return narratives(self._gather(snapshot), snapshot.now, namespace)

    def _gather(self, snapshot: Snapshot, *, fresh: bool = False) -> Gathered:
        if fresh:
            self._gathered.pop(snapshot.scope, None)
        gathered = self._gathered.pop(snapshot.scope, None) or Gathered()
        gathered.advance(snapshot)
        # What could not be read whole is not kept.
        self._gathered[snapshot.scope] = gathered
        while len(self._gathered) > _KEPT_SCOPES:
            self._gathered.popitem(last=False)
        return gathered

    def get(self, snapshot: Snapshot, namespace: str) -> dict[str, Any] | None:
        """Returns a copy of the envelope that holds at the snapshot, or None."""
        with self._lock:
            kept = self._kept.get((snapshot.scope, namespace))
        same = kept is not None and (kept.position, kept.policy) == (snapshot.position, snapshot.policy_digest)
        if kept is None or not same or not kept.built <= snapshot.now < kept.until:
            return None
        return _copy(kept.envelope)

    def keep(self, snapshot: Snapshot, namespace: str, envelope: dict[str, Any]) -> None:
        """Keeps a copy of what was just built."""
        until = snapshot.now + snapshot.policy.envelope.cache_seconds * SECOND
        kept = _Kept(snapshot.position, snapshot.policy_digest, snapshot.now, until, _copy(envelope))
        with self._lock:
            self._kept[snapshot.scope, namespace] = kept
            self._kept.move_to_end((snapshot.scope, namespace))
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def drop(self, scope: bytes, namespace: str | None = None) -> None:
        """Lets go of the envelope of a namespace of a scope, or of all of the scope's."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == scope and namespace in {None, key[1]}]:
                del self._kept[key]


def envelope(gathered: Gathered, snapshot: Snapshot, namespace: str = "", *, user: str = "") -> dict[str, Any]:
    """Returns the envelope of one namespace and the unnamed one, at the snapshot's moment; `user` is the scope's name.

    Facts stand by confidence, then by id, as many as the policy lets an envelope hold.
    """
    policy, now = snapshot.policy, snapshot.now
    believed = [
        (-confidence, key)
        for key, (state, _) in gathered.facts.items()
        if state.namespace in {"", namespace}
        and (confidence := confidence_now(state.kind, state.confidence, state.confirmed_at, now, policy))
        >= policy.envelope.withheld_below
    ]
    best = heapq.nsmallest(policy.envelope.most_kept, believed)
    told = [state for _, key in sorted(believed) if _is_of_profile(state := gathered.facts[key][0])]
    return {
        "identity": {
            "name": _name(told),
            "user_id": user,
            "guild_id": namespace,
        },
        "relational": {
            "domains": _values(told, _DOMAINS),
            "preferences": _preferences(told),
            "memorable_facts": [_fact(key, *gathered.facts[key], -less) for less, key in best],
        },
        "recent_context": _recent(gathered, snapshot, namespace),
        "last_built": iso(now),
        "version": VERSION,
    }


def _is_of_profile(state: Remembered) -> bool:
    return state.attribute in _PROFILE or state.attribute.startswith("setting: ")


def narratives(gathered: Gathered, now: int, namespace: str = "") -> list[Narrative]:
    """Returns the narratives of one namespace and the unnamed one that are not over, oldest first."""
    found = [
        (state.evidence_at or 0, key, state)
        for key, state in gathered.narratives.items()
        if state.namespace in {"", namespace} and not is_expired(state.expires_at, now)
    ]
    return [
        Narrative(
            id=key.hex()[:SHOWN],
            text=state.text,
            tone=state.tone,
            namespace=state.namespace,
            added_at=iso(at),
            expires_at=iso(state.expires_at) if state.expires_at is not None else "",
        )
        for at, key, state in sorted(found, key=lambda one: one[:2])
    ]


def formatted(given: Mapping[str, Any], *, most: int = 5, hedged_below: float = 0.85) -> str:
    """Returns an envelope as text for a prompt, with its `most` best facts; what is uncertain is worded so.

    Whoever made the envelope: contradicted facts and narratives are left out, and a text stays on its line.
    """
    identity, relational = given.get("identity") or {}, given.get("relational") or {}
    recent = given.get("recent_context") or {}
    lines = [f"User: {_line(identity.get('nickname') or identity.get('name') or 'User')}"]
    domains = ", ".join(_line(domain) for domain in relational.get("domains") or ())
    preferences = relational.get("preferences") or {}
    told = ", ".join(f"{_line(name)}: {_line(value)}" for name, value in preferences.items() if value)
    lines += [f"Domains: {domains}"] if domains else []
    lines += [f"Preferences: {told}"] if told else []
    facts = [fact for fact in relational.get("memorable_facts") or () if _may_be_told(fact)]
    facts.sort(key=lambda fact: -_confidence(fact))
    if facts[: max(0, most)]:
        lines.append("Known facts:")
    for fact in facts[: max(0, most)]:
        confidence = _confidence(fact)
        hedge = "appears: " if confidence < hedged_below else ""
        lines.append(f"  • {hedge}{plain(fact['text'])} (confidence: {round(confidence * 100)}%)")
    summary = recent.get("last_session_summary")
    lines += ["", f"Last conversation: {_line(summary)}"] if summary else []
    return "\n".join(lines)


def plain(text: str) -> str:
    """Returns a claim's sentence as a list under its user tells it: without the user as its subject, and its full stop."""
    line = _line(text)
    for subject in _DROPPED:
        if line.startswith(subject):
            return line.removeprefix(subject).rstrip(".。") or line
    return line


def _fact(key: bytes, state: Remembered, local: Local, confidence: int) -> dict[str, Any]:
    return {
        "id": key.hex()[:SHOWN],
        "text": state.text,
        "type": "USER_PATTERN" if state.kind == "pattern" else "USER_FACT",
        "confidence": confidence / ONE,
        "base_confidence": state.confidence / ONE,
        "origin": _origin(state, local),
        "confirmation_state": state.confirmation,
        "last_confirmed": iso(state.confirmed_at) if state.confirmed_at is not None else None,
        "added_at": iso(state.evidence_at) if state.evidence_at is not None else None,
        "category": state.attribute or "general",
    }


def _origin(state: Remembered, local: Local) -> str:
    if state.user_fact_reinforce_count or local.boosts:
        return "reinforced"
    direct = state.basis in _EXPLICIT or (state.basis == "unknown" and state.method == "local")
    return "explicit" if direct else "inferred"


def _name(states: list[Remembered]) -> str:
    """Returns what the user says their name is, empty where they have not."""
    return next((one.value for one in states if _says(one, frozenset({"name"}))), "")


def _values(states: list[Remembered], attributes: frozenset[str]) -> list[str]:
    return list(dict.fromkeys(one.value for one in states if _says(one, attributes)))


def _preferences(states: list[Remembered]) -> dict[str, str]:
    told: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for one in states:
        if _says(one, _PREFERENCES) or (one.attribute.startswith("setting: ") and _says(one, frozenset({one.attribute}))):
            told[one.attribute.removeprefix("setting: ")][one.value] = None
    return {name: ", ".join(values) for name, values in sorted(told.items())}


def _says(state: Remembered, attributes: frozenset[str]) -> bool:
    affirmed = state.polarity == "positive" and bool(state.value)
    return affirmed and state.entity == "user" and state.attribute in attributes


def _recent(gathered: Gathered, snapshot: Snapshot, namespace: str) -> dict[str, Any]:
    """Returns the newest summary and when it was made, or else when the newest message was."""
    names = dict.fromkeys(("", namespace))
    summary = max((found for name in names if (found := gathered.summaries.get(name))), default=None)
    if summary is not None:
        at, _, content = summary
        return {"last_session_summary": snapshot.reader.message(content)["text"], "last_session_date": iso(at)}
    last = max((gathered.heard[name] for name in names if name in gathered.heard), default=None)
    return {"last_session_summary": None, "last_session_date": iso(last) if last is not None else None}


def _copy(envelope: dict[str, Any]) -> dict[str, Any]:
    """Returns a copy that shares nothing with the envelope: it is plain data."""
    copied: dict[str, Any] = decode(encode(envelope))
    return copied


def _may_be_told(fact: Mapping[str, Any]) -> bool:
    apart = fact.get("type") == "SHARED_NARRATIVE" or fact.get("confirmation_state") == "contradicted"
    return bool(fact.get("text")) and not apart


def _confidence(fact: Mapping[str, Any]) -> float:
    found = fact.get("confidence")
    return float(found) if isinstance(found, int | float) else 0.0


def _line(text: object) -> str:
    return " ".join(str(text).split())
