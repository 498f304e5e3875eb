"""Extractors for tests: small, deterministic, and each wrong in a way of its own."""

import re
from collections.abc import Iterator

from affidavit.domain.errors import ExtractionError
from affidavit.domain.proposals import ExtractorId, Kind, Passage, Proposal, Span

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
