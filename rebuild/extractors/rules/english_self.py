"""Rules for English clauses whose subject is the writer, by the tense of their verb group.

Each rule takes a predicate and returns a finding, or None where the clause is a mood, a wish, a reaction, talk about
the talk, or says nothing that would be worth knowing next week.
"""

from collections.abc import Callable

from affidavit.rebuild.extractors.rules.english_being import being
from affidavit.rebuild.extractors.rules.english_findings import fact, liking, polarity
from affidavit.rebuild.extractors.rules.english_ongoing import future, going_to, ongoing, progressive
from affidavit.rebuild.extractors.rules.english_past import past, perfect
from affidavit.rebuild.extractors.rules.english_present import present
from affidavit.rebuild.extractors.rules.english_taste import is_reaction, prefer
from affidavit.rebuild.extractors.rules.english_values import (
    names_nothing,
    phrase,
)
from affidavit.rebuild.extractors.rules.english_verbs import Predicate, Tense
from affidavit.rebuild.extractors.rules.lexicon_english import FEELINGS
from affidavit.rebuild.extractors.rules.lexicon_verbs import (
    SKILLS,
    TALK,
)
from affidavit.rebuild.extractors.rules.statement import Finding


def can(predicate: Predicate) -> Finding | None:
    """Skills, and what one can't stand."""
    verb, objects = predicate.verb, predicate.objects
    if predicate.negated and verb in ("stand", "bear") and objects and not is_reaction(objects):
        return liking(_affirmed(predicate), predicate.rest(), dislike=True)
    if predicate.negated and verb in ("eat", "drink", "have") and not names_nothing(objects, 9):
        return fact(predicate, "diet", phrase(predicate.rest()))
    if verb in SKILLS and (predicate.negated or not names_nothing(objects, 9)):
        attribute = "language" if verb == "speak" else "skill"
        return fact(predicate, attribute, phrase(predicate.rest()))
    return None


def _affirmed(predicate: Predicate) -> Predicate:
    """The same predicate without its negation, where the verb's own sense has used it up."""
    return Predicate(
        predicate.text,
        predicate.start,
        predicate.end,
        predicate.words,
        predicate.first,
        predicate.at,
        predicate.after,
        predicate.tense,
    )


def modal(predicate: Predicate) -> Finding | None:
    """Of all modals only "I'd rather" and "I'd prefer" state something."""
    if "rather" in predicate.adverbs:
        return Finding("preference", "prefers", phrase(f"{predicate.verb} {predicate.rest()}"), polarity=polarity(predicate))
    if predicate.verb == "prefer":
        return prefer(predicate)
    return None


def used_to(predicate: Predicate) -> Finding | None:
    """Former habits and states."""
    return None if names_nothing(predicate.objects, 1) and predicate.verb == "be" else fact(predicate)


def had_to(predicate: Predicate) -> Finding | None:
    """What the writer had to do, and so did."""
    return None if names_nothing(predicate.objects, 3) or predicate.verb in TALK | FEELINGS else fact(predicate)


_BY_TENSE: dict[Tense, Callable[[Predicate], Finding | None]] = {
    "be": being,
    "been": being,
    "can": can,
    "future": future,
    "going to": going_to,
    "had to": had_to,
    "modal": modal,
    "past": past,
    "past progressive": ongoing,
    "perfect": perfect,
    "perfect progressive": ongoing,
    "present": present,
    "progressive": progressive,
    "used to": used_to,
    "was": being,
}


def judge(predicate: Predicate) -> Finding | None:
    """What a clause about the writer states, or None."""
    rule = _BY_TENSE.get(predicate.tense)
    return rule(predicate) if rule else None
