"""A model that answers the same to the same question, in every process, and fails where it reads its word."""

from collections.abc import Sequence

from extractors import Failing
from reasoners import FRESH, into

from affidavit.domain.candidates import Relation
from affidavit.domain.errors import ExtractionError
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
)

POISON = "poison"


class Steady(Failing, Questions):
    """Answers every question by what it is shown alone, and keeps nothing."""

    identity = ExtractorId("steady", "1", "6" * 64)
    answers: frozenset[Question] = frozenset({"reflect", "relate", "targets", "merge", "resolve", "refine", "summarise"})

    def __init__(self) -> None:
        super().__init__(POISON)

    def reflect(self, facts: Sequence[Asked], context: Sequence[Asked]) -> Reflection | None:
        """Returns a sentence that names the first fact, how many there are, and how many were context."""
        if any("thing29" in fact.text for fact in facts):
            raise ExtractionError("the model is not there")
        first = min(fact.text for fact in facts).rstrip(".")
        return Reflection(f"{first}, with {len(facts)} of {len(context)}.", kind="pattern")

    def relate(self, facts: Sequence[Asked], observations: Sequence[Asked]) -> tuple[Relation, ...]:
        """Lets each fact speak for the observation it shares most letters with, and one in five against it."""
        return tuple(
            Relation(
                fact.id, _nearest(fact, observations).id, "negates" if len(fact.text) % 5 == 0 else "reinforces", "near"
            )
            for fact in facts
        )

    def targets(self, messages: Sequence[Said], observations: Sequence[Asked]) -> tuple[str, ...]:
        """Names as many observations as it was shown messages."""
        return tuple(one.id for one in sorted(observations, key=lambda one: one.text)[: len(messages)])

    def merge(self, claim: Asked, personas: Sequence[Asked]) -> Merge | None:
        """Promotes every third claim into the first persona claim there is, has no answer for some, and else freshly."""
        if len(claim.text) % 7 == 0 and len(personas) < 2:
            return None
        return into(personas[0].text)(claim, personas) if personas and len(claim.text) % 3 == 0 else FRESH

    def resolve(self, new: Asked, old: Asked) -> Resolution:
        """Keeps the shorter one."""
        return Resolution("new" if len(new.text) < len(old.text) else "old")

    def refine(self, personas: Sequence[Asked]) -> tuple[Refinement, ...]:
        """Merges the last of four into the first."""
        if len(personas) < 4:
            return ()
        last, first = personas[-1], personas[0]
        clauses = (MergeClause(first.text, "target"), MergeClause(last.text, "claim"))
        return (Refinement(last.id, Merge("merge_into", first.id, f"{first.text} {last.text}", clauses)),)

    def summarise(self, messages: Sequence[Said]) -> str:
        """Returns how many spoke of what; fails where it reads its word."""
        if any(POISON in said.text for said in messages):
            raise ExtractionError("the model is not there")
        return f"They said {len(messages)} things, first: {messages[0].text}"


def _nearest(fact: Asked, observations: Sequence[Asked]) -> Asked:
    return max(observations, key=lambda one: (len(set(one.text) & set(fact.text)), one.text))
