"""Confidence of facts as dictionaries: decay, boosts, contradiction, pruning. Nothing given is changed; copies come back.

Decay is counted from `base_confidence`, which is the stored confidence where there is none, so it does not compound however
often it is applied. Times may be aware or naive, text or datetime; a naive one is UTC. What has no time that can be read has
no age. A missing confidence counts as .7.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from affidavit.domain.freshness import confidence_now
from affidavit.domain.policy import ONE, Policy
from affidavit.domain.times import iso, to_micros

Fact = dict[str, Any]
MISSING = 0.7
LEAST = 0.3
_POLICY = Policy()
_KINDS = {"USER_PATTERN": "pattern"}


def apply_decay(facts: Iterable[Mapping[str, Any]], reference_date: datetime | str | None = None) -> list[Fact]:
    """Returns the facts with the confidence that they have at a moment, now unless told; those below .3 are left out.

    One without a date is kept as it is, and so is a SHARED_NARRATIVE, which has an expiry of its own.
    """
    now = _moment(reference_date) if reference_date is not None else to_micros(datetime.now(UTC))
    if now is None:
        msg = f"reference_date is {reference_date!r:.40}, a time is required"
        raise ValueError(msg)
    kept = []
    for fact in facts:
        one = deepcopy(dict(fact))
        since = _since(one)
        if one.get("type") != "SHARED_NARRATIVE" and since is not None:
            base = _millionths(one.get("base_confidence", one.get("confidence", MISSING)))
            left = confidence_now(_KINDS.get(str(one.get("type")), "fact"), base, since, now, _POLICY)
            if left < _millionths(LEAST):
                continue
            one |= {"confidence": left / ONE, "base_confidence": base / ONE}
        kept.append(one)
    return kept


def boost_confidence(fact: Mapping[str, Any], boost: float = 0.15, max_confidence: float = 0.95) -> Fact:
    """Returns the fact with more confidence, up to a cap and never less than it had; it is confirmed as of now."""
    found = _millionths(fact.get("confidence", MISSING))
    risen = max(found, min(found + _millionths(boost), _millionths(max_confidence))) / ONE
    now = iso(to_micros(datetime.now(UTC)))
    told = {"confidence": risen, "base_confidence": risen, "last_confirmed": now, "confirmation_state": "confirmed"}
    return deepcopy(dict(fact)) | told


def apply_contradiction(fact: Mapping[str, Any], penalty: float = 0.5) -> Fact:
    """Returns the fact as contradicted, with less confidence, down to .1. No date moves: that confirmed nothing."""
    found = _millionths(fact.get("confidence", MISSING))
    base = _millionths(fact.get("base_confidence", found / ONE))
    told = {"confidence": _fallen(found, penalty), "base_confidence": _fallen(base, penalty)}
    return deepcopy(dict(fact)) | told | {"confirmation_state": "contradicted"}


def prune_by_confidence_threshold(facts: Iterable[Mapping[str, Any]], threshold: float = LEAST) -> list[Fact]:
    """Returns the facts with at least this confidence; those left out are still where they came from."""
    return [deepcopy(dict(fact)) for fact in facts if _millionths(fact.get("confidence", MISSING)) >= _millionths(threshold)]


def get_facts_by_range(
    facts: Iterable[Mapping[str, Any]], min_confidence: float = 0.0, max_confidence: float = 1.0
) -> list[Fact]:
    """Returns the facts whose confidence is within a range, both ends included; a missing one counts as 0."""
    low, high = _millionths(min_confidence), _millionths(max_confidence)
    return [deepcopy(dict(fact)) for fact in facts if low <= _millionths(fact.get("confidence", 0.0)) <= high]


def _fallen(confidence: int, penalty: float) -> float:
    least = min(confidence, _POLICY.confidence.least)
    return max(confidence - _millionths(penalty), least) / ONE


def _millionths(confidence: float) -> int:
    return round(confidence * ONE)


def _since(fact: Mapping[str, Any]) -> int | None:
    """Returns when a fact was last confirmed, or else added, in microseconds; None where no time can be read."""
    confirmed = _moment(fact.get("last_confirmed"))
    return confirmed if confirmed is not None else _moment(fact.get("added_at"))


def _moment(time: object) -> int | None:
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time.strip())
        except ValueError:
            return None
    if not isinstance(time, datetime):
        return None
    return to_micros(time if time.tzinfo is not None else time.replace(tzinfo=UTC))
