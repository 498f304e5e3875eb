"""Rules for what the writer likes, prefers, wants and plans.

Each rule takes a predicate and returns a finding, or None. A liking of something at hand ("I love it!") is a reaction.
"""

from affidavit.rebuild.extractors.rules.english_findings import liking, plan, polarity
from affidavit.rebuild.extractors.rules.english_third import others
from affidavit.rebuild.extractors.rules.english_values import (
    names_nothing,
    phrase,
)
from affidavit.rebuild.extractors.rules.english_verbs import Predicate
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import WEAK_OBJECTS
from affidavit.rebuild.extractors.rules.lexicon_nouns import CODE_TALK
from affidavit.rebuild.extractors.rules.lexicon_verbs import (
    DISLIKES,
    LIKING_FORMS,
    TALK,
)
from affidavit.rebuild.extractors.rules.statement import Finding


def is_reaction(objects: tuple[str, ...]) -> bool:
    """Tells whether what is liked is something at hand, and the liking a reaction to it."""
    if (
        not objects
        or objects[0] in WEAK_OBJECTS
        or objects[0] in ("when", "if", "the", "all", "your", "their", "his", "me", "us")
    ):
        return not (objects[:1] == ("the",) and objects[1:2] and objects[1] in _SHARED)
    return False


_SHARED = lexicon(
    """
    beach sea ocean mountains outdoors rain snow cold heat sun city countryside forest piano guitar taste smell
    feeling idea theater theatre cinema gym
    """,
)


def like(predicate: Predicate) -> Finding | None:
    """Likes, loves, hates and their negations."""
    verb = LIKING_FORMS.get(predicate.verb, predicate.verb)
    if is_reaction(predicate.objects) or verb == "appreciate":
        return None
    skip = 1 if predicate.objects[:1] == ("to",) and verb in ("dig", "fancy") else 0
    return liking(predicate, predicate.rest(skip), dislike=verb in DISLIKES)


def prefer(predicate: Predicate) -> Finding | None:
    """Prefers one thing, perhaps to another."""
    if names_nothing(predicate.objects):
        return None
    value = phrase(predicate.rest())
    verb = "doesn't prefer" if predicate.negated else "prefers"
    return Finding("preference", "prefers", value, f"User {verb} {others(value)}.", polarity(predicate))


def want(predicate: Predicate) -> Finding | None:
    """Standing aims ("I want to become a counsellor")."""
    objects = predicate.objects
    if predicate.negated or objects[:1] != ("to",) or len(objects) < 3 or not CODE_TALK.isdisjoint(objects):
        return None
    out = objects[1] == "get" and objects[2] in _BETTER
    return plan(predicate, 1) if out or objects[1] not in TALK else None


_BETTER = lexicon("out into back married fit a an my better stronger healthier rid")


def intend(predicate: Predicate) -> Finding | None:
    """Plans to, intends to."""
    if predicate.objects[:1] not in (("to",), ("on",)) or len(predicate.objects) < 2:
        return None
    return plan(predicate, 1)
