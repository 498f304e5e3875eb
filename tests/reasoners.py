"""A model for tests: it extracts as `Plain` does, and answers the questions that it was given scripts for."""

from collections.abc import Callable, Sequence
from typing import Any

from extractors import Plain

from affidavit.domain.candidates import Relation
from affidavit.domain.proposals import ExtractorId
from affidavit.domain.questions import (
    Asked,
    Merge,
    MergeClause,
    Question,
    Questions,
    Refinement,
    Reflection,
    Resolution,
    Said,
    Verdict,
)

FRESH = Merge("promote_fresh")
Answer = Any
"""What a script gives: an answer, a list of answers for one question after the other, or a function of what is shown."""


class Broken(Exception):
    """What a model may die of. Its words quote what it was asked, as such words do."""


class Scripted(Plain, Questions):
    """Answers each question by its script, and keeps what it was asked in `asked`.

    In place of an answer a script may hold an exception, which is raised, None for no answer, junk, or a function, which
    may do what it likes before it answers. A list that is used up answers None.
    """

    identity = ExtractorId("scripted", "1", "5" * 64)

    def __init__(self, **scripts: Answer) -> None:
        self.scripts = {name.replace("_", " "): script for name, script in scripts.items()}
        self.answers: frozenset[Question] = frozenset(self.scripts)  # type: ignore[arg-type]
        self.asked: list[tuple[str, tuple[Any, ...]]] = []

    def times(self, question: Question) -> int:
        """Returns how often a question was asked."""
        return sum(1 for name, _ in self.asked if name == question)

    def last(self, question: Question) -> tuple[Any, ...]:
        """Returns what was shown when a question was last asked."""
        return next(shown for name, shown in reversed(self.asked) if name == question)

    def _answer(self, question: Question, *shown: Any) -> Any:
        self.asked.append((question, shown))
        given = self.scripts.get(question)
        if isinstance(given, list):
            given = given.pop(0) if given else None
        if isinstance(given, Exception):
            raise given
        return given(*shown) if callable(given) else given

    def reflect(self, facts: Sequence[Asked], context: Sequence[Asked]) -> Reflection | None:
        """Answers by the script."""
        return self._answer("reflect", facts, context)  # type: ignore[no-any-return]

    def relate(self, facts: Sequence[Asked], observations: Sequence[Asked]) -> tuple[Relation, ...] | None:
        """Answers by the script."""
        return self._answer("relate", facts, observations)  # type: ignore[no-any-return]

    def judge_reply(self, reply: str, surfaced: Sequence[Asked]) -> tuple[Verdict, ...] | None:
        """Answers by the script."""
        return self._answer("judge reply", reply, surfaced)  # type: ignore[no-any-return]

    def targets(self, messages: Sequence[Said], observations: Sequence[Asked]) -> tuple[str, ...] | None:
        """Answers by the script."""
        return self._answer("targets", messages, observations)  # type: ignore[no-any-return]

    def merge(self, claim: Asked, personas: Sequence[Asked]) -> Merge | None:
        """Answers by the script."""
        return self._answer("merge", claim, personas)  # type: ignore[no-any-return]

    def resolve(self, new: Asked, old: Asked) -> Resolution | None:
        """Answers by the script."""
        return self._answer("resolve", new, old)  # type: ignore[no-any-return]

    def refine(self, personas: Sequence[Asked]) -> tuple[Refinement, ...] | None:
        """Answers by the script."""
        return self._answer("refine", personas)  # type: ignore[no-any-return]

    def summarise(self, messages: Sequence[Said]) -> str | None:
        """Answers by the script."""
        return self._answer("summarise", messages)  # type: ignore[no-any-return]


def meanwhile(happens: Callable[[], object], answer: Answer) -> Callable[..., Answer]:
    """Returns a script under which something happens while the model thinks."""

    def thinks(*shown: Any) -> Answer:
        happens()
        return answer(*shown) if callable(answer) else answer

    return thinks


def every(signal: str, target: str) -> Callable[..., tuple[Relation, ...]]:
    """Returns a script: every fact speaks so of every observation whose text holds `target`."""

    def relate(facts: Sequence[Asked], observations: Sequence[Asked]) -> tuple[Relation, ...]:
        return tuple(
            Relation(fact.id, one.id, signal, f"{fact.text} bears on it")  # type: ignore[arg-type]
            for fact in facts
            for one in observations
            if target in one.text
        )

    return relate


def into(target: str) -> Callable[..., Merge]:
    """Returns a script: the claim is merged into the persona claim whose text holds `target`."""

    def merge(claim: Asked, personas: Sequence[Asked]) -> Merge:
        found = next(one for one in personas if target in one.text)
        mine, theirs = claim.text.rstrip("."), found.text.rstrip(".")
        clauses = (MergeClause(theirs, "target"), MergeClause(mine, "claim"))
        return Merge("merge_into", found.id, f"{theirs}; {mine}.", clauses, "they say one thing")

    return merge
