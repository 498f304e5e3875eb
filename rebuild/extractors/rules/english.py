"""What an English chunk says of its writer.

Each sentence is split into clauses, each clause is given its subject and its predicate, and one rule decides what is
stated, if anything. A second verb of the same subject ("I like tea and hate coffee") makes a second statement.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from affidavit.rebuild.extractors.rules.clauses import Sentence
from affidavit.rebuild.extractors.rules.english_clauses import Clause, clauses
from affidavit.rebuild.extractors.rules.english_self import judge
from affidavit.rebuild.extractors.rules.english_subjects import Subject, next_verb, subject_of
from affidavit.rebuild.extractors.rules.english_things import judge_thing, thing_of
from affidavit.rebuild.extractors.rules.english_third import third_person
from affidavit.rebuild.extractors.rules.english_verbs import Predicate, predicate
from affidavit.rebuild.extractors.rules.english_words import Word
from affidavit.rebuild.extractors.rules.lexicon_english import HEDGES, YOU
from affidavit.rebuild.extractors.rules.statement import Statement
from affidavit.rebuild.extractors.rules.testimony import MASK

_LONGEST = 600
"""No clause of more code points is testimony about oneself; it is a paste that nothing marked."""

_QUESTION = re.compile(
    r"^\W*(?:(?:so|and|but|or|well|ok|okay|hey|hi)\W+)*(?:what|why|how|who|where|when|which|"
    r"do|does|did|is|are|am|can|could|would|"
    r"will|should|shall|may|have|has|any|anyone|anything|imagine|pretend|suppose|assume|translate|say)\b",
    re.IGNORECASE,
)


def read(text: str, sentence: Sentence) -> Iterator[Statement]:
    """Yields the statements of one sentence."""
    if sentence.question and _QUESTION.match(text, sentence.start, sentence.end):
        return
    for clause in clauses(text, sentence):
        if clause.end - clause.start <= _LONGEST and text.find(MASK, clause.start, clause.end) < 0:
            yield from _statements(text, clause)


def _statements(text: str, clause: Clause) -> Iterator[Statement]:
    """Yields the statements of one clause, one for each of its finite verbs."""
    subject = subject_of(text, clause)
    if subject.person == "thing":
        yield from _of_thing(text, clause, subject)
        return
    words, verb, start = clause.words, subject.verb, clause.words[subject.begins].start
    while True:
        said = predicate(text, clause.end, words, verb)
        if said is None:
            return
        second = next_verb(text, words, said)
        end = words[second[0] - 1].end if second else clause.end
        yield from _of_self(_closed(said, start, end, second), subject)
        if second is None:
            return
        verb = second[1]
        start = words[verb].start
        subject = subject._replace(hedged=False)


def _closed(said: Predicate, start: int, end: int, second: tuple[int, int] | None) -> Predicate:
    """Ends a predicate where the second verb's clause begins."""
    words = said.words[: second[0]] if second else said.words
    return replace(said, start=start, end=end, words=words)


def _of_self(said: Predicate, subject: Subject) -> Iterator[Statement]:
    """Yields what the rules find in a predicate of the writer's."""
    said = replace(said, person=subject.person, companion=subject.companion)
    if _speaks_to_you(said.words, said.start):
        return
    finding = judge(said)
    if finding is not None:
        text = finding.text or third_person(said)
        hedged = said.hedged or subject.hedged or _trailing_hedge(said)
        yield Statement(said.start, said.end, replace(finding, text=text), hedged)


def _of_thing(text: str, clause: Clause, subject: Subject) -> Iterator[Statement]:
    """Yields what the rules find in a clause about a thing."""
    thing = thing_of(text, clause.end, clause.words, subject.verb)
    if thing is None or _speaks_to_you(clause.words, clause.start):
        return
    finding = judge_thing(thing)
    if finding is not None:
        start = clause.words[subject.begins].start
        yield Statement(start, clause.end, finding, subject.hedged or thing.said.hedged)


def _speaks_to_you(words: list[Word], start: int) -> bool:
    """Tells whether the clause is about the other person too."""
    return any(word.low in YOU for word in words if word.start >= start)


def _trailing_hedge(said: Predicate) -> bool:
    """Tells whether a hedge closes the clause ("I live in Porto, I guess")."""
    return bool(HEDGES.intersection(word.low for word in said.words[-1:])) and said.words[-1].start > said.end
