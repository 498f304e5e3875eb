"""The rejected-value gate: it stands before every automated write (model.md §4).

A rejection keeps the keyed digests of the sentence and, where known, of entity, attribute, value and polarity; the spans
the claim stood on; and who had derived it. Asked in this order: the same value or sentence is refused; the same place,
read by another extractor and worded otherwise, about the same entity with the same polarity, is held for a person. The
extractor that had derived the rejected claim says other things of the same place on purpose, so those pass.
Unasked text never lifts a rejection.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from affidavit.domain.claims import (
    ClaimContent,
    ClaimDenied,
    ClaimEvent,
    ClaimQuarantined,
    ClaimState,
    Place,
    digests,
    places,
)
from affidavit.domain.commands import Command
from affidavit.domain.draft import Draft
from affidavit.domain.events import Digest, event_type
from affidavit.domain.index import Index, Rejection
from affidavit.domain.normalise import VERSION, normalise
from affidavit.domain.proposals import Span

Held = Literal["same value", "same sentence", "same span"]


@event_type("value-rejected.v1", public="claim state rejected about places extractors normaliser")
class ValueRejected(ClaimEvent):
    """A person rejected the claim's value in its namespace; every automated write asks from here on."""

    rejected: tuple[Digest, ...]
    about: Digest
    places: tuple[Place, ...]
    extractors: tuple[str, ...]
    normaliser: int


@event_type("rejection-lifted.v1", public="claim state")
class RejectionLifted(ClaimEvent):
    """A person took the rejection of this claim's value back; its status is what it was."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the gate says: how the write meets a rejection, of which claim, and when that was, in microseconds."""

    held: Held
    claim: bytes
    at: int = 0


def ask(
    state: ClaimState,
    item: bytes,
    revision: int,
    spans: list[Span],
    extractors: frozenset[str],
    index: Index,
) -> Answer | None:
    """Asks whether a derived claim meets a rejection; None lets it pass.

    `state` holds the digests of what is to be written; `item`, `revision` and `spans` are the places it stands on;
    `extractors` are all that derived it there: the one that asks, and those before it.
    """
    for held, digest in (("same value", state.value), ("same sentence", state.sentence)):
        rejection = _newest(index.rejections(digest)) if digest else None
        if rejection:
            return Answer("same value" if held == "same value" else "same sentence", rejection.claim, rejection.at)
    for rejected in index.rejected_spans(item):
        elsewhere = rejected.revision != revision or not extractors.isdisjoint(rejected.extractors)
        if elsewhere or rejected.about != state.about:
            continue
        if any(span.overlaps(Span(rejected.start, rejected.end)) for span in spans):
            return Answer("same span", rejected.claim)
    return None


def rejected_within(index: Index, namespace: str, told: Iterable[ClaimContent], text: str) -> Rejection | None:
    """Asks whether a new wording of what several claims say brings back what a person rejected; None lets it pass.

    A model words it anew, so it is asked of each of its sentences, and of each run of its words as the value of an
    attribute that `told`, the contents it is made of, speak about. Rather one wording too few than a rejected value.
    """
    sentences = [text, *(part for part in _SENTENCES.split(text) if part.strip())]
    asked = [digests(index, namespace, ClaimContent(text=part), "positive")["sentence"] for part in sentences]
    topics = dict.fromkeys((content.entity, content.attribute) for content in told if content.attribute)
    for entity, attribute in topics:
        for run in _runs(text):
            content = ClaimContent(text=text, entity=entity, attribute=attribute, value=run)
            asked += [digests(index, namespace, content, polarity)["value"] for polarity in ("positive", "negative")]
    return _newest(tuple(found for digest in asked for found in index.rejections(digest)))


_SENTENCES = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])")
_LONGEST_RUN, _LONGEST_CJK_RUN = 5, 10
"""How many words, or Chinese characters in a row, a value may have that is looked for in a sentence."""


def _runs(text: str) -> list[str]:
    """Returns the runs of words of a text, and of Chinese characters, that may be values, each once."""
    tokens = normalise(text).split()
    found = [
        normalise(" ".join(tokens[begin:end]))
        for begin in range(len(tokens))
        for end in range(begin + 1, min(begin + _LONGEST_RUN, len(tokens)) + 1)
    ]
    for run in re.findall(r"[\u3400-\u9fff]+", normalise(text)):
        found += [
            run[begin:end]
            for begin in range(len(run))
            for end in range(begin + 1, min(begin + _LONGEST_CJK_RUN, len(run)) + 1)
        ]
    return list(dict.fromkeys(one for one in found if one))


def _newest(rejections: tuple[Rejection, ...]) -> Rejection | None:
    return max(rejections, key=lambda rejection: rejection.at, default=None)


def reject_value(
    draft: Draft,
    command: Command,
    claim: bytes,
    after: ClaimState,
    *,
    cause: bytes | None = None,
    spare: bytes | None = None,
    same: Literal["denied", "quarantined"] = "denied",
) -> None:
    """Adds the rejection of a claim to the draft, and takes what says the same out of sight.

    `after` is the claim's state once rejected. Other live claims with the same value are denied, or what `same` says; other
    live claims that another extractor drew from the same place are quarantined. What a person asserted or vouched for stays,
    and so does `spare`, the claim that a correction puts in its place.
    """
    citations = draft.index.citations(claim)
    rejected = ValueRejected(
        id=command.new_id(),
        occurred_at=command.at,
        cause=cause,
        evidence=tuple(dict.fromkeys(cited.evidence for cited in citations)),
        claim=claim,
        state=after,
        rejected=tuple(digest for digest in (after.value, after.sentence) if digest),
        about=after.about,
        places=places(citations),
        extractors=tuple(sorted({cited.extractor for cited in citations if cited.extractor})),
        normaliser=VERSION,
    )
    draft.add(rejected)
    if after.value:
        for other, state in draft.said_same_value(after.value, but=claim):
            if other == spare:
                continue
            gone = state.with_(status=same, bound_to=claim, since=command.at, review="")
            about: Any = {"id": command.new_id(), "occurred_at": command.at, "cause": rejected.id, "claim": other}
            rule = "same value"
            said = ClaimDenied(**about, state=gone) if same == "denied" else ClaimQuarantined(**about, state=gone, rule=rule)
            draft.add(said)
            _quarantine_made_of(draft, command, other, rejected, spare)
    _quarantine_made_of(draft, command, claim, rejected, spare)
    _quarantine_overlapping(draft, command, rejected, spare)


def _quarantine_made_of(draft: Draft, command: Command, claim: bytes, rejected: ValueRejected, spare: bytes | None) -> None:
    """Holds the reflection or persona claim that a rejected claim went into: it may say the same in other words."""
    before = draft.index.claim(claim)
    seen = {claim, rejected.claim}
    while before is not None and before.status in _WENT_INTO and before.superseded_by not in seen | {None, spare}:
        made = before.superseded_by
        before = draft.claim(made) if made else None
        if made is None or before is None:
            return
        seen.add(made)
        if before.live and not before.asserted and not before.protected:
            held = before.with_(status="quarantined", bound_to=rejected.claim, since=command.at, review="")
            draft.add(
                ClaimQuarantined(
                    id=command.new_id(),
                    occurred_at=command.at,
                    cause=rejected.id,
                    claim=made,
                    state=held,
                    rule="made of a rejected claim",
                ),
            )


_WENT_INTO = frozenset({"absorbed", "promoted", "merged"})
"""Statuses of a claim that another one has taken in."""


def _quarantine_overlapping(draft: Draft, command: Command, rejected: ValueRejected, spare: bytes | None) -> None:
    """Holds the claims that others drew from the rejected places, but for those that its own extractors drew there too."""
    for place in rejected.places:
        span = Span(place.start, place.end)
        citing = draft.live_citing(place.evidence, but=rejected.claim)
        known = {other for other, _, cited in citing if cited.extractor in rejected.extractors}
        for other, state, cited in citing:
            apart = other == spare or other in known or cited.revision != place.revision
            if apart or state.asserted or state.vouched or state.about != rejected.about:
                continue
            now = draft.claim(other)
            if now is None or not now.live or not span.overlaps(Span(cited.start, cited.end)):
                continue
            draft.add(
                ClaimQuarantined(
                    id=command.new_id(),
                    occurred_at=command.at,
                    cause=rejected.id,
                    claim=other,
                    state=state.with_(status="quarantined", bound_to=rejected.claim, since=command.at, review=""),
                    rule="same span",
                ),
            )


def lift(draft: Draft, command: Command, state: ClaimState) -> None:
    """Adds the lifting of every rejection that forbids what `state` says: a person asks for it by name."""
    rejections = [draft.index.rejections(digest) for digest in (state.value, state.sentence) if digest]
    for claim in dict.fromkeys(rejection.claim for found in rejections for rejection in found):
        known = draft.claim(claim)
        if known:
            draft.add(RejectionLifted(id=command.new_id(), occurred_at=command.at, claim=claim, state=known))
