"""A model for tests that answers what it is told to, is shown what a message mentions, and may say what it replaces."""

from collections.abc import Callable
from typing import Any

from affidavit.domain.proposals import ExtractorId, Passage, Proposal, Span

Answer = Any
"""What a script gives: a sentence, proposals or mappings, an exception to raise, or a function of the passage."""


class Answering:
    """Answers each passage by the next script, the last one for ever, and keeps the passages that it was asked about."""

    def __init__(self, *scripts: Answer, replaces: bool = True, name: str = "answering") -> None:
        self.identity = ExtractorId(name, "1", "a" * 64, method="model", replaces=replaces)
        self.scripts = list(scripts)
        self.asked: list[Passage] = []

    def extract(self, passage: Passage) -> tuple[Proposal, ...]:
        """Answers by the script."""
        self.asked.append(passage)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0] if self.scripts else ()
        answer = script(passage) if callable(script) else script
        if isinstance(answer, BaseException):
            raise answer
        return tuple(answer)

    @property
    def shown(self) -> list[str]:
        """Returns the sentences that it was last shown."""
        return [one.text for one in self.asked[-1].shown]


def says(text: str, *, replaces: str = "", **fields: Any) -> Callable[[Passage], tuple[Proposal, ...]]:
    """Returns a script: the whole passage says `text`, which replaces the claim it was shown that says `replaces`."""

    def answer(passage: Passage) -> tuple[Proposal, ...]:
        old = next((one.id for one in passage.shown if one.text == replaces), replaces)
        span = passage.chunk
        quote = passage.text[span.start : span.end]
        return (
            Proposal(text=text, span=Span(span.start, span.end), quote=quote, replaces=old, **{"kind": "fact", **fields}),
        )

    return answer
