"""Opposition: what a user says against what they said before disputes it, without a model (model.md §3).

Two claims oppose each other where they say the same value of the same attribute with opposite polarity ("likes coffee",
"dislikes coffee"). A claim is disputed once by each message of the user's own that states the opposite and occurred after
their first statement of the claim, in however many words. So a change of mind disputes the old claim and not the new one;
and because this follows from what was said when, and not from when it arrived, every order of arrival gives the same
counters and clocks. One-value attributes do not oppose: there the newer value supersedes.

A disputed fact loses confidence too, once, and is contradicted until it is stated again: whichever was said last holds, in
whatever order the two arrive.
"""

from collections.abc import Iterable, Iterator, Mapping

from affidavit.domain.claims import ClaimContent, ClaimState, SignalApplied, digests
from affidavit.domain.commands import Command
from affidavit.domain.draft import Draft
from affidavit.domain.index import Index
from affidavit.domain.proposals import Polarity, holds_one_value
from affidavit.domain.signals import contradicted, moved

DISPUTABLE = frozenset({"active", "pending", "confirmed", "promote_blocked", "superseded", "absorbed"})
"""Statuses in which a claim's counters go on; what was denied, archived or promoted is disputed no more."""
_OPPOSITE: dict[Polarity, Polarity] = {"positive": "negative", "negative": "positive"}

_Stated = dict[bytes, dict[bytes, int]]
"""The messages that state each of some claims, with their times."""


def oppose(draft: Draft, command: Command, namespace: str, said: Mapping[bytes, ClaimContent], item: bytes) -> None:
    """Adds the signals that a message brings: `item` newly states the claims `said`, or teaches them their value.

    Their events are in the draft already; the index still answers as before this command.
    """
    evidence = draft.index.evidence(item)
    now = {item: evidence.occurred_at} if evidence and evidence.first_hand else {}
    for one, other in dict.fromkeys(_pairs(draft, namespace, said)):
        before = [_stated(draft.index, value) for value in (one, other)]
        new = {claim: testimony(draft.index, [claim]) | now for claim in said}
        after = [
            known | {claim: stated for claim, stated in new.items() if _value(draft, claim) == value}
            for value, known in zip((one, other), before, strict=True)
        ]
        for when, message, claim in sorted(_disputes(*after) - _disputes(*before)):
            _dispute(draft, command, claim, message, when)


def testimony(index: Index, claims: Iterable[bytes]) -> dict[bytes, int]:
    """Returns the first-hand messages that state any of the claims, with their times in microseconds."""
    found: dict[bytes, int] = {}
    for claim in claims:
        for cited in index.citations(claim):
            evidence = index.evidence(cited.evidence) if cited.extractor and cited.evidence not in found else None
            if evidence is not None and evidence.first_hand:
                found[cited.evidence] = evidence.occurred_at
    return found


def _pairs(draft: Draft, namespace: str, said: Mapping[bytes, ClaimContent]) -> Iterator[tuple[bytes, bytes]]:
    """Yields the values of opposite polarity, positive first, that `said` touches and that have claims on both sides."""
    drafted = {_value(draft, claim) for claim in said}
    for claim, content in said.items():
        state = draft.claim(claim)
        if state is None or not state.value or not content.value or holds_one_value(content.attribute):
            continue
        against = digests(draft.index, namespace, content, _OPPOSITE[state.polarity])["value"]
        if against in drafted or draft.index.same_value(against):
            yield (state.value, against) if state.polarity == "positive" else (against, state.value)


def _value(draft: Draft, claim: bytes) -> bytes | None:
    state = draft.claim(claim)
    return state.value if state else None


def _stated(index: Index, value: bytes) -> _Stated:
    return {claim: testimony(index, [claim]) for claim in index.same_value(value)}


def _disputes(one: _Stated, other: _Stated) -> set[tuple[int, bytes, bytes]]:
    """Returns (time, message, claim) for every message that disputes a claim."""
    return {
        (when, message, claim)
        for mine, theirs in ((one, other), (other, one))
        for claim, stated in mine.items()
        for against in theirs.values()
        for message, when in against.items()
        if stated and min(stated.values()) < when
    }


def _dispute(draft: Draft, command: Command, claim: bytes, item: bytes, at: int) -> None:
    state = draft.claim(claim)
    if state is None or state.status not in DISPUTABLE or state.protected:
        return
    draft.add(_signal(draft, command, claim, state, item, at))


def _signal(draft: Draft, command: Command, claim: bytes, state: ClaimState, item: bytes, at: int) -> SignalApplied:
    weight = draft.index.policy.signals.user_fact_negates
    return SignalApplied(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=(item,),
        claim=claim,
        state=contradicted(moved(state, at, draft.index.policy, down=weight, source="user_fact"), at, draft.index.policy),
        source="user_fact",
        effect="negates",
        weight=weight,
    )
