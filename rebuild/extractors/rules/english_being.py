"""Rules for what an English "I am …" says of the writer: a place, an age, a trade, a taste, a state of health."""

import re

from affidavit.rebuild.extractors.rules.english_findings import fact, home, liking
from affidavit.rebuild.extractors.rules.english_third import others
from affidavit.rebuild.extractors.rules.english_values import first_phrase, phrase, without_article
from affidavit.rebuild.extractors.rules.english_verbs import Predicate
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import (
    ADVERBS,
    FANS,
    FEELINGS,
    FOND_PREPOSITIONS,
    MOMENT_NOUNS,
    WEAK_OBJECTS,
)
from affidavit.rebuild.extractors.rules.lexicon_nouns import (
    CIVIL_STATES,
    CONDITIONS_OF_HEALTH,
    DIETS,
    JOB_STATES,
    JOBS,
    LANGUAGES,
    NATIONALITIES,
)
from affidavit.rebuild.extractors.rules.lexicon_verbs import PAST_PARTICIPLES
from affidavit.rebuild.extractors.rules.statement import Finding

_AGE = re.compile(
    r"^(?:about |almost |nearly |only |around )?(\d{1,3})(?:\s*(?:years?[ -]old|yrs? old|"
    r"y/?o|years of age)\b.*|\s*(?:now|today)?)$"
)
_TREATED = re.compile(
    r"^on (?:an? |the )?(?:[\w-]+ )?(?:diet|medication|meds|insulin|metformin|antidepressants|"
    r"statins|antibiotics|pill|"
    r"(?:maternity|paternity|parental|sick) leave|sabbatical)\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"^(?:about )?\d[\d.,']*\s?(?:cm|m|metres|meters|kg|kilos|pounds|lbs|feet|foot|ft|stone)\b")
_TRADE = re.compile(r"(?:ologist|ician|smith|maker|keeper|grapher|icist)$")
_NO_TRADES = lexicon("homemaker peacemaker troublemaker")
_NAME = re.compile(r"^[A-Z][^\W\d_]+(?:[ -][A-Z][^\W\d_]+){0,3}$")
_ZONE = re.compile(r"^(?:in|on) (?:the )?((?:UTC|GMT)[+-]?\d*|\w+ (?:time ?zone|time)|[A-Z]{2,4}T)\b")
_KIN_OF = re.compile(r"^(?:an? )?(?:\w+ ){0,2}(?:mother|father|mom|mum|dad|parent) (?:of|to) (.+)$", re.IGNORECASE)


def _opening(predicate: Predicate) -> tuple[tuple[str, ...], str]:
    """The complement without the adverbs that open it, as words and as written."""
    skip = 0
    objects = predicate.objects
    while skip < len(objects) and objects[skip] in ADVERBS | {"big", "huge", "also"} and objects[skip] != "all":
        skip += 1
    return objects[skip:], predicate.rest(skip)


def _age(predicate: Predicate, rest: str) -> Finding | None:
    found = _AGE.match(phrase(rest))
    if found is None:
        return None
    if predicate.tense != "be" or predicate.negated:
        return fact(predicate)
    return Finding("fact", "age", found.group(1), f"User is {found.group(1)} years old.")


def _placed(predicate: Predicate, rest: str) -> Finding | None:
    """From, based in, born in."""
    origin = re.match(r"(?:originally )?from (.+)$", rest)
    if origin and predicate.tense == "be":
        value = phrase(origin.group(1))
        usable = bool(value) and value.split()[0].lower() not in WEAK_OBJECTS | {"the", "work"}
        return Finding("fact", "origin", value, f"User is from {others(value)}.") if usable else None
    based = re.match(r"(?:based|living|located) (?:in|out of|near) (.+)$", rest)
    if based and predicate.tense == "be":
        return home(predicate, phrase(based.group(1)))
    born = re.match(r"born (?:and raised )?(in|on) (.+)$", rest)
    if born:
        dated = born.group(1) == "on" or born.group(2)[:1].isdigit()
        return fact(predicate, "birthday" if dated else "origin", phrase(born.group(2)))
    return None


def _ill(predicate: Predicate, objects: tuple[str, ...], rest: str) -> Finding | None:
    """Allergies, intolerances, diets and ailments."""
    allergic = re.match(r"(?:\w+ )?allergic to (.+)$", rest)
    if allergic:
        value = phrase(allergic.group(1))
        verb = "is not" if predicate.negated else "is"
        return Finding("fact", "allergy", value, f"User {verb} allergic to {others(value)}.", fact(predicate).polarity)
    if objects[:1] == ("diagnosed",):
        return fact(predicate, "health", phrase(re.sub(r"^diagnosed with ", "", rest)))
    noun = objects[1:] if objects[:1] in (("a",), ("an",)) else objects
    if noun and (noun[0] in DIETS or noun[-1] in DIETS):
        return fact(predicate, "diet", without_article(phrase(rest)))
    if _TREATED.match(rest) or _MEASURED.match(rest):
        return fact(predicate, "health", phrase(rest))
    if not CONDITIONS_OF_HEALTH.isdisjoint(objects[:3]):
        return fact(predicate, "health", phrase(rest))
    return None


def _fond(predicate: Predicate, objects: tuple[str, ...]) -> Finding | None:
    """Fond of, into, keen on, a fan of."""
    for index, word in enumerate(objects[:4]):
        following = objects[index + 1 : index + 2]
        skip = len(predicate.objects) - len(objects) + index
        if word in FANS and index and following == ("of",):
            return _taste(predicate, skip + 2)
        if word == "into" and index < 2:
            return _taste(predicate, skip + 1)
        if word in FOND_PREPOSITIONS and following and following[0] in FOND_PREPOSITIONS[word] and index < 2:
            return _taste(predicate, skip + 2)
    return None


def _taste(predicate: Predicate, skip: int) -> Finding | None:
    """A liking, unless it is for something at hand, or no more than a wish to do something."""
    value = predicate.objects[skip : skip + 1]
    if not value or value[0] in WEAK_OBJECTS or value[0] in ("seeing", "hearing", "your", "trying", "the"):
        return None
    return liking(predicate, predicate.rest(skip))


def _trade(predicate: Predicate, objects: tuple[str, ...], rest: str) -> Finding | None:
    """A trade, a nationality, or another answer to "what are you?"."""
    if objects[0] in ("called", "named") and predicate.tense == "be" and len(objects) > 1:
        value = phrase(predicate.rest(1))
        return Finding("fact", "name", value, f"User's name is {value}.")
    if objects[0] in NATIONALITIES or (objects[0] in ("a", "an") and not NATIONALITIES.isdisjoint(objects[1:2])):
        return _national(predicate, objects, rest)
    attribute = _answers(objects)
    if attribute is not None:
        return fact(predicate, attribute, phrase(predicate.rest(2) if attribute in ("language", "skill") else rest))
    if objects[0] in ("a", "an", "the") and len(objects) > 1:
        return _noun(predicate, objects, rest)
    return None


def _answers(objects: tuple[str, ...]) -> str | None:
    """The attribute of a complement that states something as it stands; empty for a plain fact, None for no fact."""
    if objects[0] in JOB_STATES:
        return "job"
    if objects[0] in CIVIL_STATES or (objects[:2] == ("part", "of") and objects[2:3] and objects[2] in _ARTICLES):
        return ""
    if objects[:2] == ("fluent", "in") or (not LANGUAGES.isdisjoint(objects) and objects[0] in ("native", "bilingual")):
        return "language"
    return "skill" if objects[1:2] == ("at",) and objects[0] in _ABLE and len(objects) > 2 else None


_ARTICLES = lexicon("a an the my our")
_ABLE = lexicon("good bad terrible great")


def _national(predicate: Predicate, objects: tuple[str, ...], rest: str) -> Finding:
    """A nationality alone, or one that only colours a noun."""
    bare = len(objects) == 1 or objects[-1] in ("citizen", "national")
    if not bare or predicate.tense != "be":
        return fact(predicate)
    value = re.sub(r"\s(?:citizen|national)$", "", without_article(phrase(rest)))
    verb = "is not" if predicate.negated else "is"
    return Finding("fact", "nationality", value, f"User {verb} {value}.", fact(predicate).polarity)


def _noun(predicate: Predicate, objects: tuple[str, ...], rest: str) -> Finding | None:
    """A noun with an article: a job where its head is one, else a plain fact; moods are left out."""
    noun = first_phrase(objects)
    if not MOMENT_NOUNS.isdisjoint(noun) or not FANS.isdisjoint(noun) or objects[1] in FEELINGS:
        return None
    if objects[0] == "the" and JOBS.isdisjoint(noun):
        return None
    kin = _KIN_OF.match(rest)
    if kin:
        return fact(predicate, "child", phrase(kin.group(1)))
    if noun[-1] in JOBS or (_TRADE.search(noun[-1]) and noun[-1] not in _NO_TRADES):
        full = phrase(rest)
        full = re.sub(r"\d+[- ]years?[- ]old ", "", full)
        value = without_article(re.split(r"\s(?:at|for|in|with|by|and)\s", full)[0])
        return fact(predicate, "job", value)
    return fact(predicate)


def _name(predicate: Predicate, rest: str) -> Finding | None:
    """A name: "I'm Ana", one capitalised name and nothing else."""
    value = phrase(rest)
    if predicate.tense != "be" or predicate.negated or not _NAME.match(value):
        return None
    return Finding("fact", "name", value, f"User's name is {value}.")


def _zone(predicate: Predicate, rest: str) -> Finding | None:
    """A time zone."""
    found = _ZONE.match(rest)
    if found is None or predicate.tense != "be":
        return None
    return Finding("fact", "timezone", found.group(1), f"User is in the {found.group(1)} time zone.")


_LASTING_BEEN = re.compile(r"\b(?:for|since)\b", re.IGNORECASE)
_EVENTS = lexicon("robbed fired promoted hired diagnosed married divorced elected drafted adopted raised")


def _state(predicate: Predicate, objects: tuple[str, ...], rest: str) -> Finding | None:
    """What one was or has been, where it lasted or befell one."""
    if objects[0] in _EVENTS:
        return fact(predicate)
    if objects[0] in FEELINGS or objects[0] in ("in", "to", "like", "having", "able"):
        return _stayed(predicate, objects, rest)
    if predicate.tense == "been" and _LASTING_BEEN.search(rest):
        return fact(predicate)
    return None


def _stayed(predicate: Predicate, objects: tuple[str, ...], rest: str) -> Finding | None:
    """Being somewhere, once or for long."""
    if predicate.tense == "been" and objects[0] == "to" and len(objects) > 1 and objects[1] not in WEAK_OBJECTS:
        return fact(predicate)
    if (
        predicate.tense in ("been", "was")
        and objects[0] == "in"
        and objects[1:2] not in (("awe",), ("a",), ("the",), ("love",))
    ):
        return fact(predicate) if len(objects) > 1 else None
    if predicate.tense == "been" and objects[0] in ("together", "sober") and _LASTING_BEEN.search(rest):
        return fact(predicate)
    return None


def being(predicate: Predicate) -> Finding | None:
    """What "I am", "I was" or "I have been" something states."""
    objects, rest = _opening(predicate)
    if not objects:
        return None
    found = (
        _age(predicate, rest)
        or _placed(predicate, rest)
        or _ill(predicate, objects, rest)
        or _fond(predicate, objects)
        or _zone(predicate, rest)
        or _name_or_trade(predicate, objects, rest)
    )
    if found is not None or predicate.tense == "be":
        return found
    return _state(predicate, objects, rest)


def _name_or_trade(predicate: Predicate, objects: tuple[str, ...], rest: str) -> Finding | None:
    """A trade first, since a nationality looks like a name."""
    found = _trade(predicate, objects, rest)
    if found is not None or objects[0] in FEELINGS or objects[0] in NATIONALITIES:
        return found
    return None if objects[0] in PAST_PARTICIPLES else _name(predicate, rest)
