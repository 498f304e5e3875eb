"""No answer of a model brings back what a person rejected, or puts its words in place of theirs; none is taken when late."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from extractors import Plain

import affidavit
from affidavit.domain.proposals import ExtractorId
from affidavit.domain.questions import Asked, Merge, MergeClause, Question, Questions, Refinement, Reflection
from affidavit.projections.answers import Claim
from affidavit.scripts.ledger import Ledger

NOON = "2026-11-30T12:00:00Z"


class Model(Plain, Questions):
    """Reads as `Plain` does, and answers the questions that it is given answers to."""

    def __init__(self, **answers: Callable[..., Any]) -> None:
        self.given = answers
        self.answers: frozenset[Question] = frozenset(answers)  # type: ignore[arg-type]
        # Whoever answers other questions is somebody else: what one could not answer is noted under its name.
        self.identity = ExtractorId("-".join(["model", *sorted(answers)]), "1", "5" * 64)

    def merge(self, claim: Asked, personas: Sequence[Asked]) -> Merge | None:
        """Returns the given answer."""
        found: Merge | None = self.given["merge"](claim, personas)
        return found

    def reflect(self, facts: Sequence[Asked], context: Sequence[Asked]) -> Reflection | None:
        """Returns the given answer."""
        found: Reflection | None = self.given["reflect"](facts)
        return found

    def refine(self, personas: Sequence[Asked]) -> tuple[Refinement, ...] | None:
        """Returns the given answer."""
        found: tuple[Refinement, ...] | None = self.given["refine"](personas)
        return found


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with affidavit.init(tmp_path / "ledger", scope="ana") as ledger:
        yield ledger


def say(ledger: Ledger, text: str, times: int = 1, begin: int = 0) -> None:
    for number in range(begin, begin + times):
        message = {"id": f"{text} {number}", "text": text, "session": f"s{number}", "time": NOON}
        ledger.remember(message, extractor=Plain())


def tick(ledger: Ledger, model: Model | None = None, now: str = NOON) -> None:
    ledger.tick(now=now, extractor=model or Model())


def of(ledger: Ledger, text: str, form: str = "persona") -> Claim:
    (found,) = [claim for claim in ledger.claims(every=True) if claim.text == text and claim.form == form]
    return found


def merged(text: str, first: str, second: str) -> Callable[[Asked, Sequence[Asked]], Merge]:
    """Returns an answer that merges into the first persona claim that was shown."""
    clauses = (MergeClause(first, "target"), MergeClause(second, "claim"))
    return lambda claim, personas: Merge("merge_into", personas[0].id, text, clauses)


def test_a_merge_keeps_both_contributions_and_says_whose_they_are(ledger: Ledger) -> None:
    say(ledger, "I like tea.", 5)
    tick(ledger)
    say(ledger, "I like cake.", 5)
    answer = merged("User likes tea and cake.", "tea", "cake")
    tick(ledger, Model(merge=answer))
    persona = of(ledger, "User likes tea and cake.")
    why = ledger.why(persona.id)
    assert [(clause["text"], clause["claim"]) for clause in why.clauses] == [
        ("tea", persona.id),
        ("cake", of(ledger, "User likes cake.", "fact").id),
    ]
    assert {source.quote for source in why.sources} == {"I like tea", "I like cake"}
    assert of(ledger, "User likes cake.", "fact").status == "merged"
    ledger.extract(Plain(), again=True)
    assert of(ledger, "User likes tea and cake.").live


def test_a_merged_sentence_that_says_a_rejected_value_is_refused(ledger: Ledger) -> None:
    say(ledger, "I like cake.", 1)
    ledger.reject(of(ledger, "User likes cake.", "fact").id)
    say(ledger, "I like tea.", 5)
    tick(ledger)
    say(ledger, "I like rain.", 5)
    tick(ledger, Model(merge=merged("User likes tea, cake and rain.", "tea", "rain")))
    assert of(ledger, "User likes tea.").live
    assert "cake" not in ledger.prompt(now=NOON).text
    assert "merged sentence that says what a person rejected" in str(ledger.inbox())


def test_a_merged_sentence_can_be_rejected_like_any_other(ledger: Ledger) -> None:
    say(ledger, "I like tea.", 5)
    tick(ledger)
    say(ledger, "I like cake.", 5)
    tick(ledger, Model(merge=merged("User likes tea and cake.", "tea", "cake")))
    ledger.reject(of(ledger, "User likes tea and cake.").id)
    say(ledger, "I like tea.", 1, begin=9)
    assert "tea" not in ledger.prompt(now=NOON).text


def test_a_model_never_rewords_what_a_person_worded(ledger: Ledger) -> None:
    say(ledger, "I like tea.", 5)
    tick(ledger)
    ledger.correct(of(ledger, "User likes tea.").id, "User likes mate.")
    say(ledger, "I like cake.", 5)
    shown: list[str] = []

    def answer(claim: Asked, personas: Sequence[Asked]) -> Merge:
        shown.extend(one.text for one in personas)
        mate = of(ledger, "User likes mate.")
        clauses = (MergeClause("tea", "target"), MergeClause("cake", "claim"))
        return Merge("merge_into", mate.id, "User likes tea and cake.", clauses)

    tick(ledger, Model(merge=answer))
    assert shown == []
    assert "User likes mate." in ledger.prompt(now=NOON).text
    assert "tea" not in ledger.prompt(now=NOON).text


def test_an_answer_that_comes_after_a_correction_is_late(ledger: Ledger) -> None:
    say(ledger, "I like tea.", 5)
    tick(ledger)
    say(ledger, "I like cake.", 5)

    def answer(claim: Asked, personas: Sequence[Asked]) -> Merge:
        ledger.correct(personas[0].id, "User likes TEA!")
        return merged("User likes tea and cake.", "tea", "cake")(claim, personas)

    tick(ledger, Model(merge=answer))
    assert "User likes TEA!" in ledger.prompt(now=NOON).text
    assert of(ledger, "User likes cake.", "fact").status == "active"


def test_a_refinement_of_claims_that_were_not_shown_or_are_held_changes_nothing(ledger: Ledger) -> None:
    for thing in ("tea", "cake", "rain"):
        say(ledger, f"I like {thing}.", 5)
        tick(ledger, Model(merge=lambda claim, personas: Merge("promote_fresh")))
    ledger.pin(of(ledger, "User likes rain.").id)

    def answer(personas: Sequence[Asked]) -> tuple[Refinement, ...]:
        rain = of(ledger, "User likes rain.")
        clauses = (MergeClause("tea", "claim"), MergeClause("rain", "target"))
        return (Refinement(personas[0].id, Merge("merge_into", rain.id, "User likes tea and rain.", clauses)),)

    tick(ledger, Model(refine=answer))
    assert {claim.text for claim in ledger.claims()} == {"User likes tea.", "User likes cake.", "User likes rain."}


def test_a_reflection_says_nothing_that_was_rejected_and_takes_nothing_that_a_person_holds(ledger: Ledger) -> None:
    say(ledger, "I like cake.")
    ledger.reject(of(ledger, "User likes cake.", "fact").id)
    for thing in ("tea", "rain", "jazz", "chess", "snow", "hats"):
        say(ledger, f"I like {thing}.")
    ledger.pin(of(ledger, "User likes hats.", "fact").id)
    shown: list[list[str]] = []

    def answer(facts: Sequence[Asked]) -> Reflection:
        shown.append([fact.text for fact in facts])
        return Reflection("User likes quiet things such as cake.")

    tick(ledger, Model(reflect=answer))
    assert len(shown[0]) == 5
    assert "User likes hats." not in shown[0]
    assert {claim.form for claim in ledger.claims(every=True)} == {"fact"}
    assert "a sentence that says what a person rejected" in str(ledger.inbox())


def test_rejecting_a_fact_holds_back_the_reflection_that_it_went_into(ledger: Ledger) -> None:
    for thing in ("tea", "rain", "jazz", "chess", "snow"):
        say(ledger, f"I like {thing}.")
    tick(ledger, Model(reflect=lambda facts: Reflection("User likes quiet things such as tea.")))
    assert "quiet things" in ledger.prompt(now=NOON).text
    ledger.reject(of(ledger, "User likes tea.", "fact").id)
    assert "quiet things" not in ledger.prompt(now=NOON).text
    assert "made of a rejected claim" in str(ledger.inbox())


def test_what_a_claim_became_hears_what_is_said_of_it_through_every_step(ledger: Ledger) -> None:
    for thing in ("tea", "cake"):
        say(ledger, f"I like {thing}.", 5)
        tick(ledger, Model(merge=lambda claim, personas: Merge("promote_fresh")))

    def answer(personas: Sequence[Asked]) -> tuple[Refinement, ...]:
        clauses = (MergeClause("tea", "claim"), MergeClause("cake", "target"))
        first, second = sorted(personas, key=lambda one: one.text, reverse=True)
        return (Refinement(first.id, Merge("merge_into", second.id, "User likes tea and cake.", clauses)),)

    tick(ledger, Model(refine=answer))
    both = of(ledger, "User likes tea and cake.")
    before = ledger.show(both.id, now=NOON).score
    say(ledger, "I like tea.", 1, begin=9)
    say(ledger, "I like cake.", 1, begin=9)
    assert ledger.show(both.id, now=NOON).score == before + 2
    assert [claim.text for claim in ledger.claims()] == ["User likes tea and cake."]


def test_a_correction_of_wording_is_what_is_said_of_from_then_on(ledger: Ledger) -> None:
    say(ledger, "I live in Lisbon.", 5)
    tick(ledger)
    ledger.correct(of(ledger, "User lives in Lisbon.").id, "User resides at Lisbon.", value="Lisbon")
    say(ledger, "I live in Lisbon.", 1, begin=9)
    assert [claim.text for claim in ledger.claims()] == ["User resides at Lisbon."]


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_an_agent_neither_asks_nor_replies(ledger: Ledger, tmp_path: Path, role: Any) -> None:
    ledger.remember("I think I prefer tea.")
    (asked,) = ledger.surface()
    with affidavit.open(tmp_path / "ledger", actor=affidavit.Actor(role, "bot")) as agent:
        (refused,) = agent.reply("yes").verdicts
        assert "role" in refused["refused"]
        assert agent.surface(now="2030-01-01") == []
    assert ledger.show(asked.claim).state["vouched"] is False
    assert sum(1 for event in ledger.timeline() if event["type"] == "write-refused") == 2
