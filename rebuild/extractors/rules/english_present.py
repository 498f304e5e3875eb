"""Rules for English clauses about the writer in the present: what they have, do and use.

Each rule takes a predicate and returns a finding, or None. A verb is admitted by the lexicon, never by default: most
of what people say of themselves in the present is mood or talk.
"""

import re
from collections.abc import Callable

from affidavit.rebuild.extractors.rules.english_findings import fact, home, polarity
from affidavit.rebuild.extractors.rules.english_taste import intend, like, prefer, want
from affidavit.rebuild.extractors.rules.english_third import others
from affidavit.rebuild.extractors.rules.english_values import (
    first_phrase,
    names_nothing,
    phrase,
    thing,
    without_article,
)
from affidavit.rebuild.extractors.rules.english_verbs import Predicate
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import WEAK_OBJECTS
from affidavit.rebuild.extractors.rules.lexicon_nouns import CODE_TALK, IDLE_OBJECTS, LANGUAGES
from affidavit.rebuild.extractors.rules.lexicon_verbs import (
    DISLIKES,
    HABITS,
    LIKES,
    PLANS,
)
from affidavit.rebuild.extractors.rules.statement import Finding

PLACE = re.compile(r"^(?:in|at|near|outside)\s+(?=\S)", re.IGNORECASE)


def live(predicate: Predicate) -> Finding | None:
    """Where the writer lives."""
    rest = predicate.rest()
    place = PLACE.match(rest)
    if place is None:
        return fact(predicate) if predicate.objects else None
    value = phrase(rest[place.end() :])
    if predicate.tense not in ("present", "progressive", "perfect progressive", "perfect"):
        return fact(predicate)
    return home(predicate, value)


def moved(predicate: Predicate) -> Finding | None:
    """A move: to where, whatever from."""
    found = re.match(r"(?:from .{1,60}? )?(?:back )?(?:in)?to (.+)$", predicate.rest()[:300], re.IGNORECASE)
    if found is None:
        return fact(predicate) if predicate.objects else None
    return home(predicate, re.sub(r"\s+from\s.*$", "", phrase(found.group(1))))


def work(predicate: Predicate) -> Finding | None:
    """Employer, job or way of working."""
    rest = predicate.rest()
    as_job = re.match(r"as (?:an? )?(.+)$", rest[:300])
    if as_job:
        value = re.split(r"\s(?:at|for|in|with|on)\s", phrase(as_job.group(1)))[0]
        return fact(predicate, "job", value)
    employer = re.match(r"(?:at|for) (?=\S)(?!home|night|the moment|hours|free|a living|money|now)(.+)$", rest[:300])
    if employer:
        value = phrase(employer.group(1))
        if not predicate.negated and predicate.tense in ("present", "progressive", "perfect progressive"):
            return Finding("fact", "employer", value, f"User works at {others(value)}.")
        return fact(predicate, "employer", value)
    return None if predicate.objects[:1] in ((), ("hard",), ("out",), ("well",)) else fact(predicate)


def have(predicate: Predicate) -> Finding | None:
    """Possessions, family, ailments and events that one "has"."""
    objects = predicate.objects
    if (
        not objects
        or not (IDLE_OBJECTS | CODE_TALK).isdisjoint(objects[:4])
        or (objects[0] in WEAK_OBJECTS and objects[0] != "some")
    ):
        return None
    if predicate.tense == "past":
        return None if not _PLEASANT.isdisjoint(objects[:4]) else fact(predicate, thing(objects), phrase(predicate.rest()))
    if not _PLEASANT.isdisjoint(objects[:5]) or objects[-2:] in (("to", "do"), ("to", "go"), ("to", "say")):
        return None
    attribute = thing(objects)
    if not attribute and predicate.person == "I" and _APPOINTMENTS.isdisjoint(first_phrase(objects)):
        attribute = "possession"
    return fact(predicate, attribute, without_article(phrase(predicate.rest())))


_APPOINTMENTS = lexicon("meeting exam interview call deadline flight test class party shift date")
_PLEASANT = lexicon(
    """
    day night week weekend year time times experience memories memory love support passion goals dreams dream
    lots much people few friends guts heart energy plans moments life vibes impact effect progress
    """,
)


def speak(predicate: Predicate) -> Finding | None:
    """Languages."""
    if LANGUAGES.isdisjoint(predicate.objects):
        return None
    return fact(predicate, "language", phrase(predicate.rest()))


def eat(predicate: Predicate) -> Finding | None:
    """Diet; what is never eaten or drunk is a preference."""
    if names_nothing(predicate.objects, 3):
        return None
    value = phrase(predicate.rest())
    if predicate.negated:
        return Finding("preference", "diet", value, polarity="negative")
    return fact(predicate, "diet", value)


def use(predicate: Predicate) -> Finding | None:
    """Tools in use."""
    return None if names_nothing(predicate.objects, 9) else fact(predicate, "uses", phrase(predicate.rest()))


def go(predicate: Predicate) -> Finding | None:
    """Habitual goings: to the gym, running, for walks."""
    first = predicate.objects[:1]
    if first == ("by",) and predicate.rest(1)[:1].isupper():
        value = phrase(predicate.rest(1))
        return Finding("fact", "name", value, f"User's name is {value}.")
    if not first or not (first[0] in ("to", "for", "by", "on") or first[0].endswith("ing")) or first[0] == "going":
        return None
    return fact(predicate)


def make(predicate: Predicate) -> Finding | None:
    """Earnings and handiwork."""
    objects = predicate.objects
    if names_nothing(objects, 9) or objects[0] in ("sure", "sense", "time", "me", "us", "up", "a", "an", "the"):
        return None
    return fact(predicate)


def habit(predicate: Predicate) -> Finding | None:
    """Whatever is done again and again."""
    if names_nothing(predicate.objects, 9):
        return fact(predicate) if predicate.negated and not predicate.objects else None
    opening = predicate.objects[0]
    idle = opening in ("what", "me") or (opening == "up" and predicate.verb not in ("wake", "bring"))
    vague = opening in ("the", "my", "our") and predicate.verb in _VAGUE and not predicate.adverbs & _OFTEN
    if idle or vague or not (CODE_TALK | IDLE_OBJECTS).isdisjoint(first_phrase(predicate.objects)):
        return None
    attribute = {"play": "hobby", "own": "possession", "study": "education"}.get(predicate.verb, "")
    return fact(predicate, attribute, without_article(phrase(predicate.rest())))


_VAGUE = lexicon("do share make hold raise write watch read see support draw spend use")
_OFTEN = lexicon("always usually often regularly sometimes never rarely still mostly normally typically")


def know(predicate: Predicate) -> Finding | None:
    """Knowing how to do something is a skill; all other knowing is talk."""
    if predicate.objects[:2] == ("how", "to") and len(predicate.objects) > 2:
        return fact(predicate, "skill", phrase(predicate.rest(2)))
    return None


def born(predicate: Predicate) -> Finding | None:
    """Where the writer comes from."""
    if predicate.objects[:1] == ("from",):
        value = phrase(predicate.rest(1))
        return Finding("fact", "origin", value, f"User is from {others(value)}.", polarity(predicate))
    return None


def grow(predicate: Predicate) -> Finding | None:
    """Growing up somewhere, or growing something."""
    if predicate.objects[:1] == ("up",):
        place = predicate.objects[1:2] in (("in",), ("on",), ("near",), ("outside",))
        return fact(predicate, "origin", phrase(predicate.rest(2))) if place else fact(predicate)
    return fact(predicate) if predicate.objects and predicate.verb == "grow" else None


_PRESENT: dict[str, Callable[[Predicate], Finding | None]] = {
    **dict.fromkeys(HABITS, habit),
    **dict.fromkeys(LIKES | DISLIKES, like),
    **dict.fromkeys(PLANS, intend),
    "come": born,
    "drink": eat,
    "eat": eat,
    "go": go,
    "grow": grow,
    "have": have,
    "know": know,
    "live": live,
    "make": make,
    "prefer": prefer,
    "reside": live,
    "speak": speak,
    "use": use,
    "want": want,
    "work": work,
}


def present(predicate: Predicate) -> Finding | None:
    """What the writer does, has, likes or lives in."""
    if predicate.verb in ("got", "have", "has"):
        return have(predicate)
    rule = _PRESENT.get(predicate.verb)
    return rule(predicate) if rule else None
