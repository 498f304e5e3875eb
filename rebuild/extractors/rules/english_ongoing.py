"""Rules for English clauses about what the writer is doing, and what they have arranged to do.

Each rule takes a predicate and returns a finding, or None.
"""

import re
from collections.abc import Callable

from affidavit.rebuild.extractors.rules.english_findings import fact, plan, polarity
from affidavit.rebuild.extractors.rules.english_present import PLACE, live, work
from affidavit.rebuild.extractors.rules.english_values import (
    names_nothing,
    phrase,
)
from affidavit.rebuild.extractors.rules.english_verbs import Predicate
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import FEELINGS, WEAK_OBJECTS
from affidavit.rebuild.extractors.rules.lexicon_verbs import (
    MOVEMENTS,
    PROGRESSES,
    TALK,
)
from affidavit.rebuild.extractors.rules.statement import Finding

_FUTURE = re.compile(
    r"\b(?:tomorrow|tonight|next|soon|in (?:\w+ ){1,2}(?:days?|weeks?|months?|years?)|this (?:\w+day|"
    r"weekend|summer|winter|"
    r"autumn|fall|spring|month|year|week|coming)|on (?:\w+day|the \d|\d|\w+ \d)|in (?:january|"
    r"february|march|april|may|june|"
    r"july|august|september|october|november|december|spring|summer|autumn|fall|winter|\d{4})|"
    r"later (?:this|in)|upcoming)\b",
    re.IGNORECASE,
)


def progressive(predicate: Predicate) -> Finding | None:
    """What is going on, or is arranged for the future."""
    verb, objects = predicate.verb, predicate.objects
    rest = predicate.rest()
    if verb == "planning" and objects[:1] in (("to",), ("on",), ("a",), ("for",)):
        return plan(predicate, 1 if objects[0] in ("to", "on") else 0)
    if verb in ("thinking", "considering"):
        aim = objects[:1] in (("of",), ("about",)) and len(objects) > 2 and objects[1].endswith("ing")
        return plan(predicate, 1) if aim else plan(predicate) if verb == "considering" and len(objects) > 1 else None
    if verb in MOVEMENTS and (_FUTURE.search(rest) or (verb == "getting" and objects[:1] == ("married",))):
        return plan(predicate)
    if verb in ("moving", "switching") and objects[:1] in (("to",), ("from",), ("into",), ("in",), ("out",), ("back",)):
        return plan(predicate)
    return ongoing(predicate)


def ongoing(predicate: Predicate) -> Finding | None:
    """What is going on for longer than the moment."""
    verb, objects = predicate.verb, predicate.objects
    rule = _ONGOING.get(verb)
    if rule is not None:
        return rule(predicate)
    if verb not in PROGRESSES or names_nothing(objects, 9) or objects[0] in ("to", "me"):
        return None
    if verb in _WORK_IN_HAND:
        return Finding("project_state", "status", verb, polarity=polarity(predicate))
    attribute = {"learning": "skill", "studying": "education", "using": "uses"}.get(verb, "")
    return fact(predicate, attribute, phrase(predicate.rest()))


_WORK_IN_HAND = lexicon("rewriting revising refactoring drafting migrating testing editing")
_RESOLVES = lexicon("lose quit cut save reduce eat drink switch sleep conceive")
_NOT_DOINGS = FEELINGS | lexicon("to my our the what well really pretty this amazing awesome so better best")


def _living(predicate: Predicate) -> Finding | None:
    """Living in a place or with somebody; living a dream is a mood."""
    lives = PLACE.match(predicate.rest()) or predicate.objects[:1] == ("with",)
    return live(predicate) if lives else None


def _seeking(predicate: Predicate) -> Finding | None:
    """Looking for or into something, and getting into something."""
    objects = predicate.objects
    prepositions = ("into", "for") if predicate.verb == "looking" else ("into",)
    named = len(objects) > 2 and objects[0] in prepositions and objects[1] not in WEAK_OBJECTS
    return fact(predicate) if named else None


def _doing(predicate: Predicate) -> Finding | None:
    """Doing or trying something with a name, and good resolutions."""
    objects = predicate.objects
    if objects[:1] == ("to",) and predicate.verb == "trying":
        return fact(predicate) if objects[1:2] and objects[1] in _RESOLVES else None
    return None if names_nothing(objects, 9) or objects[0] in _NOT_DOINGS else fact(predicate)


def _waiting(predicate: Predicate) -> Finding | None:
    """Waiting is the state of a work where it is a team that waits."""
    if predicate.person != "we":
        return None
    return Finding("project_state", "status", "waiting", polarity=polarity(predicate))


def _working(predicate: Predicate) -> Finding | None:
    """Working on something is a fact; working hard or on oneself is not."""
    if predicate.objects[:1] == ("on",):
        return None if names_nothing(predicate.objects[1:], 2) else fact(predicate)
    return work(predicate)


_ONGOING: dict[str, Callable[[Predicate], Finding | None]] = {
    "doing": _doing,
    "getting": _seeking,
    "living": _living,
    "looking": _seeking,
    "trying": _doing,
    "waiting": _waiting,
    "working": _working,
}


_FUTURE_DEEDS = lexicon("move start attend visit travel fly join study marry retire graduate quit leave")


def future(predicate: Predicate) -> Finding | None:
    """Choices and arrangements in "will"; all other futures are promises of the talk."""
    verb, objects = predicate.verb, predicate.objects
    if verb in ("go", "stick") and objects[:1] == ("with",) and len(objects) > 1:
        return Finding("decision", "decision", phrase(predicate.rest(1)), polarity=polarity(predicate))
    if verb in ("take", "choose", "pick", "use") and not names_nothing(objects, 9) and "definitely" not in predicate.adverbs:
        if objects[0] in ("your", "care", "time", "my", "some") or not {"advice", "care"}.isdisjoint(objects):
            return None
        attribute = "plan" if _FUTURE.search(predicate.rest()) and predicate.hedged else "decision"
        return Finding("decision", attribute, phrase(predicate.rest()), polarity=polarity(predicate))
    if verb in _FUTURE_DEEDS and not predicate.negated and len(objects) > 1 and not names_nothing(objects, 3):
        return plan(predicate)
    going = objects[:1] and objects[0] in PROGRESSES | MOVEMENTS
    away = objects[:1] in (("in",), ("at",)) and _FUTURE.search(predicate.rest())
    return plan(predicate) if verb == "be" and (going or away) else None


def going_to(predicate: Predicate) -> Finding | None:
    """Intentions, but not those of encouragement."""
    if predicate.verb in TALK or names_nothing(predicate.objects, 2) or predicate.objects[0] in TALK:
        return None
    return plan(predicate)
