"""Opposition: what a user says against what they said before disputes it, without a model (model.md §3).

Two claims oppose each other where they say the same value of the same attribute with opposite polarity ("likes coffee",
"dislikes coffee"). Each statement of one disputes the other where it came later than the first statement of that other, once
a message. So a change of mind disputes the old claim and not the new one; and because the count follows from what was said
when, and not from when it arrived, every order of arrival gives the same counters. One-value attributes do not oppose:
there the newer value supersedes.
"""

from affidavit.domain.claims import ClaimContent, ClaimState, SignalApplied, digests
from affidavit.domain.commands import Command
from affidavit.domain.draft import Draft
from affidavit.domain.proposals import Polarity, holds_one_value
from affidavit.domain.signals import moved

DISPUTABLE = frozenset({"active", "pending", "confirmed", "promote_blocked", "superseded", "absorbed"})
"""Statuses in which a claim's counters go on; what was denied, archived or promoted is disputed no more."""
_OPPOSITE: dict[Polarity, Polarity] = {"positive": "negative", "negative": "positive"}


def oppose(draft: Draft, command: Command, namespace: str, claim: bytes, content: ClaimContent, item: bytes) -> None:
    """Adds the signals that a first-hand statement brings: `item` newly says `claim`, whose content is `content`.

    The claim's event is in the draft already; the index still answers as before this command.
    """
    state, evidence = draft.claim(claim), draft.index.evidence(item)
    if state is None or evidence is None or not state.value or holds_one_value(content.attribute):
        return
    index = draft.index
    against = digests(index, namespace, content, _OPPOSITE[state.polarity])["value"]
    rivals = index.same_value(against)
    if not rivals:
        return
    at = evidence.occurred_at
    if item not in _statements(draft, index.same_value(state.value)):
        for rival in rivals:
            first = min(_statements(draft, (rival,)).values(), default=None)
            if first is not None and first < at:
                _dispute(draft, command, rival, item, at)
    before = min(_statements(draft, (claim,)).values(), default=None)
    if before is None or at < before:
        # The claim is older than was known: what was said against it since then counts now.
        for other, when in sorted(_statements(draft, rivals).items(), key=lambda one: (one[1], one[0])):
            if at < when and (before is None or when <= before):
                _dispute(draft, command, claim, other, when)


def _statements(draft: Draft, claims: tuple[bytes, ...]) -> dict[bytes, int]:
    """Returns the first-hand messages that state any of the claims, with their times, as of before this command."""
    found: dict[bytes, int] = {}
    for claim in claims:
        for cited in draft.index.citations(claim):
            evidence = draft.index.evidence(cited.evidence) if cited.extractor and cited.evidence not in found else None
            if evidence is not None and evidence.first_hand:
                found[cited.evidence] = evidence.occurred_at
    return found


def _dispute(draft: Draft, command: Command, claim: bytes, item: bytes, at: int) -> None:
    state = draft.claim(claim)
    if state is None or state.status not in DISPUTABLE or state.protected or _said(draft, claim, item):
        return
    draft.add(_signal(draft, command, claim, state, item, at))


def _said(draft: Draft, claim: bytes, item: bytes) -> bool:
    """Tells whether this message disputes the claim already, by another sentence of it."""
    return any(
        isinstance(event, SignalApplied) and event.claim == claim and event.effect == "negates" and event.evidence == (item,)
        for event in draft.events
    )


def _signal(draft: Draft, command: Command, claim: bytes, state: ClaimState, item: bytes, at: int) -> SignalApplied:
    weight = draft.index.policy.signals.user_fact_negates
    return SignalApplied(
        id=command.new_id(),
        occurred_at=command.at,
        evidence=(item,),
        claim=claim,
        state=moved(state, at, draft.index.policy, down=weight, source="user_fact"),
        source="user_fact",
        effect="negates",
        weight=weight,
    )
