"""Extractors for tests: small, deterministic, and each wrong in a way of its own."""

import re
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from affidavit.domain.errors import ExtractionError
from affidavit.domain.proposals import Extractor, ExtractorId, Kind, Passage, Proposal, Span
from affidavit.scripts.ledger import Ledger

_PATTERNS: tuple[tuple[str, str, str, str, Kind], ...] = (
    (r"I live in (\w+)", "User lives in {}.", "user", "home", "fact"),
    (r"I like (\w+)", "User likes {}.", "user", "likes", "preference"),
    (r"My port is (\d+)", "User's port is {}.", "user", "setting: port", "fact"),
    (r"[Tt]he (\w+) is done", "The {} is done.", "", "status", "project_state"),
)


class Plain:
    """Reads a handful of sentences, each in one way."""

    identity = ExtractorId("plain", "1", "0" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns what the patterns find in the chunk of a user's turn."""
        return tuple(sorted(self._found(passage), key=lambda proposal: proposal.span.start))

    def _found(self, passage: Passage) -> Iterator[Proposal]:
        if passage.role != "user":
            return
        for pattern, template, entity, attribute, kind in _PATTERNS:
            for match in re.compile(pattern).finditer(passage.text, passage.chunk.start, passage.chunk.end):
                value = match.group(1)
                yield Proposal(
                    text=template.format(value),
                    kind=kind,
                    span=Span(*match.span()),
                    quote=match.group(),
                    entity=entity or value,
                    attribute=attribute,
                    value=value if entity else "done",
                )


class Dislikes:
    """Hears dislikes, and nothing else."""

    identity = ExtractorId("dislikes", "1", "3" * 64)

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns what the user dislikes."""
        return tuple(
            Proposal(
                text=f"User dislikes {match.group(1)}.",
                kind="preference",
                span=Span(*match.span()),
                quote=match.group(),
                attribute="likes",
                value=match.group(1),
                polarity="negative",
            )
            for match in re.compile(r"I dislike (\w+)").finditer(passage.text, passage.chunk.start, passage.chunk.end)
        )


def archive(ledger: Ledger, *things: str) -> None:
    """Lets the claims that the user likes these things be archived: each is disputed, and one day is enough."""
    policy = ledger.policy()
    soon = msgspec.structs.replace(policy, archive=msgspec.structs.replace(policy.archive, after_days=1))
    for thing in things:
        ledger.remember({"text": f"I like {thing}.", "time": "2026-11-01"}, extractor=Plain())
        ledger.remember({"text": f"I dislike {thing}.", "time": "2026-11-02"}, extractor=Dislikes())
    ledger.adopt_policy(soon)
    ledger.tick(now="2026-11-03", extractor=Dislikes())
    ledger.adopt_policy(policy)


class Otherwise:
    """Says what another extractor says in other words, cut otherwise and classed otherwise; every third time in Chinese.

    It fails once, in the passage that it reads as number `fails_at`, and never again.
    """

    identity = ExtractorId("otherwise", "1", "f" * 64)

    def __init__(self, other: Extractor, fails_at: int = 0) -> None:
        self.other = other
        self.fails_at = fails_at
        self.read = 0

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Returns the other's proposals, each reworded, recut and reclassed."""
        self.read += 1
        if self.read == self.fails_at:
            raise ExtractionError("the line went dead half-way")
        return tuple(self._otherwise(proposal, passage) for proposal in self.other.extract(passage))

    def _otherwise(self, proposal: Proposal, passage: Passage) -> Proposal:
        span = _recut(proposal.span, passage)
        return replace(
            proposal,
            text=reworded(proposal.text),
            kind="fact" if proposal.kind == "preference" else "preference",
            span=span,
            quote=passage.text[span.start : span.end],
            attribute=f"{proposal.attribute} in other words" if len(proposal.text) % 2 else "",
            value=proposal.value if len(proposal.text) % 2 else "",
        )


def reworded(text: str) -> str:
    """Returns the sentence that `Otherwise` makes of another one."""
    bare = text.rstrip(".。")
    return f"据说：{bare}。" if len(text) % 3 == 0 else f"As they tell it, {bare}."


def _recut(span: Span, passage: Passage) -> Span:
    """Returns the span without its last quarter, or with the rest of its chunk, by turns."""
    if (span.end - span.start) % 2:
        return Span(span.start, passage.chunk.end)
    return Span(span.start, span.end - (span.end - span.start) // 4)


class Failing:
    """Gives no answer for any passage that holds its word."""

    identity = ExtractorId("failing", "1", "0" * 64)

    def __init__(self, word: str = "") -> None:
        self.word = word

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Raises ExtractionError, or answers as `Plain` does."""
        if self.word in passage.text:
            raise ExtractionError("the model is not there")
        return Plain().extract(passage)
