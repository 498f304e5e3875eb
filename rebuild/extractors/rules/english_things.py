"""Rules for English clauses about the writer's things: "my name is …", "the build is broken", "my port is 7777"."""

import re
from dataclasses import replace
from typing import NamedTuple

from affidavit.domain.proposals import Polarity
from affidavit.rebuild.extractors.rules.english_third import others, sentence
from affidavit.rebuild.extractors.rules.english_values import first_phrase, phrase, without_article
from affidavit.rebuild.extractors.rules.english_verbs import Predicate, predicate
from affidavit.rebuild.extractors.rules.english_words import Word
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import ADVERBS, WEAK_OBJECTS
from affidavit.rebuild.extractors.rules.lexicon_nouns import (
    BODY,
    CHILDREN,
    CIRCUMSTANCES,
    HEALTH,
    PARENTS,
    PARTNERS,
    PEOPLE,
    PETS,
    SETTINGS,
    SIBLINGS,
    STATE_OPENERS,
    STATE_VERBS,
    STATES,
    WORK_DETERMINERS,
    WORKS,
)
from affidavit.rebuild.extractors.rules.lexicon_verbs import REACTION_PAST
from affidavit.rebuild.extractors.rules.statement import Finding

_VERBS = lexicon(
    """
    is are was were has have had does do did will can 's went got broke runs goes takes costs starts ends lands leaves
    departs arrives expires
    """,
)
_FAVOURITE = lexicon("favourite favorite fave fav favourites favorites faves favs")
_CODE = re.compile(
    r"^[\w./:@+#%~-]*\d[\w./:@+#%~-]*$|^[\"'`].+[\"'`]$|^(?:on|off|true|false|dark|light|"
    r"enabled|disabled)$|^[A-Z]{2,}$"
)
_MINE = {
    "age": "age",
    "birthday": "birthday",
    "birthdate": "birthday",
    "dob": "birthday",
    "surname": "name",
    "nickname": "name",
    "job": "job",
    "occupation": "job",
    "profession": "job",
    "role": "job",
    "title": "job",
    "employer": "employer",
    "hometown": "origin",
    "nationality": "nationality",
    "citizenship": "nationality",
    "hobby": "hobby",
    "hobbies": "hobby",
    "pastime": "hobby",
    "email": "contact",
    "e-mail": "contact",
    "phone": "contact",
    "number": "contact",
    "mobile": "contact",
    "handle": "contact",
    "timezone": "timezone",
    "zone": "timezone",
    "allergy": "allergy",
    "allergies": "allergy",
    "type": "health",
    "diet": "diet",
    "pronouns": "",
    "goal": "plan",
    "plan": "plan",
    "aim": "plan",
    "dream": "plan",
    "ambition": "plan",
    "intention": "plan",
    "language": "language",
    "tongue": "language",
    "degree": "education",
    "major": "education",
    "appointment": "health",
    "surgery": "health",
    "operation": "health",
    "diagnosis": "health",
}
"""Heads of "my … is", and the attribute that each one names."""

_NAMED = re.compile(r"^(?:called|named|name is|name's|is called|is named)\s+(.+)$", re.IGNORECASE)


class Thing(NamedTuple):
    """A thing as subject: its determiner ("" where it has none), its noun, and what is said of it."""

    determiner: str
    noun: tuple[str, ...]
    written: str
    said: Predicate

    @property
    def head(self) -> str:
        """The head of the noun phrase."""
        return first_phrase(self.noun)[-1] if self.noun else ""


def _verb_at(found: list[Word], begins: int) -> int:
    """The index of the first word that can only be a finite verb, or -1."""
    for index in range(begins + 1, min(begins + 7, len(found))):
        low = found[index].low
        if low in _VERBS:
            return index
        if low in STATE_VERBS and _before(found, index) in WORKS | {"ci"}:
            return index
    return -1


def _before(found: list[Word], index: int) -> str:
    """The last word before `index` that is no adverb."""
    return next((word.low for word in reversed(found[:index]) if word.low not in ADVERBS), "")


def _finite(found: list[Word], verb: int) -> list[Word]:
    """Reads "'s" as has before "been" or "got", else as is."""
    if found[verb].low != "'s":
        return found
    following = found[verb + 1].low if verb + 1 < len(found) else ""
    return [*found[:verb], found[verb]._replace(low="has" if following in ("been", "got") else "is"), *found[verb + 1 :]]


def thing_of(text: str, end: int, found: list[Word], begins: int) -> Thing | None:
    """Reads a clause whose subject is a thing."""
    verb = _verb_at(found, begins)
    if verb < 0:
        return None
    determiner = found[begins].low if found[begins].low in WORK_DETERMINERS and verb > begins + 1 else ""
    first = begins + 1 if determiner else begins
    noun = [word for word in found[first:verb] if word.low not in ADVERBS]
    said = predicate(text, end, _finite(found, verb), verb)
    if said is None or not noun:
        return None
    written = text[noun[0].start : noun[-1].end]
    return Thing(
        determiner, tuple(word.low for word in noun), written, replace(said, start=found[begins].start, person="thing")
    )


def _as_said(thing: Thing) -> str:
    """The clause itself with the writer in the third person."""
    text = thing.said.text[thing.said.start : thing.said.end]
    if thing.determiner in ("my", "our"):
        return sentence("User's " + others(text[len(thing.determiner) :].lstrip()))
    return sentence(others(text))


def _finding(thing: Thing, attribute: str, value: str, text: str = "") -> Finding:
    """A fact about a thing of the writer's."""
    negated = thing.said.negated
    if attribute == "plan":
        return Finding("decision", attribute, value, _as_said(thing), "negative" if negated else "positive")
    return Finding("fact", attribute, value, text or _as_said(thing), "negative" if negated else "positive")


def _favourite(thing: Thing) -> Finding | None:
    """Favourites: "my favourite tea is sencha", and "sencha is my favourite tea"."""
    objects = thing.said.objects
    if thing.determiner in ("my", "our") and not _FAVOURITE.isdisjoint(thing.noun):
        value = phrase(thing.said.rest())
        kept = bool(value) and objects[:1] not in (("when",), ("how",), ("that",), ("to",))
        return Finding("preference", "favourite", value, _as_said(thing)) if kept else None
    mine = objects[:1] == ("my",) or objects[:3] == ("one", "of", "my")
    if not mine or _FAVOURITE.isdisjoint(objects[:6]) or thing.said.tense != "be":
        return None
    text = re.sub(r"\b(?:my|our)\b", "User's", thing.said.text[thing.said.start : thing.said.end], count=1)
    return Finding("preference", "favourite", thing.written, sentence(others(text)))


def _name(thing: Thing) -> Finding | None:
    """The writer's own name."""
    if thing.determiner != "my" or thing.noun not in (("name",), ("first", "name"), ("full", "name"), ("real", "name")):
        return None
    value = phrase(thing.said.rest())
    return _finding(thing, "name", value, f"User's name is {value}.") if value and not thing.said.negated else None


_KIN = ((PARTNERS, "partner"), (CHILDREN, "child"), (PETS, "pet"), (SIBLINGS, "sibling"), (PARENTS, "parent"))


def _kin(thing: Thing) -> Finding | None:
    """The name of somebody who is close: "my wife is called Ana", "my dog's name is Rex"."""
    if thing.determiner != "my":
        return None
    kin = thing.noun[:-2] if thing.noun[-2:] == ("'s", "name") else thing.noun[:-1] if thing.head == "name" else thing.noun
    named = phrase(thing.said.rest()) if kin != thing.noun else ""
    called = _NAMED.match(thing.said.rest())
    value = phrase(called.group(1)) if called else named
    if not value or not kin:
        return _close(thing)
    for nouns, attribute in _KIN:
        if kin[-1] in nouns:
            return _finding(thing, attribute, value, f"User's {' '.join(kin)} is called {value}.")
    return None


def _close(thing: Thing) -> Finding | None:
    """What kind of animal a pet is, and how old children are."""
    objects = thing.said.objects
    if thing.said.tense != "be" or not objects:
        return None
    if thing.head in PETS and objects[0] in ("a", "an"):
        return _finding(thing, "pet", without_article(phrase(thing.said.rest())))
    if thing.head in CHILDREN and objects[0].isdigit():
        return _finding(thing, "child", phrase(thing.said.rest()))
    return None


def _mine(thing: Thing) -> Finding | None:
    """What "my job", "my birthday", "my goal" is."""
    objects = thing.said.objects
    if thing.determiner != "my" or thing.said.tense != "be" or not objects or objects[0] in WEAK_OBJECTS:
        return None
    attribute = _MINE.get(thing.head)
    if attribute is None or (attribute == "plan" and objects[0] != "to") or (attribute == "job" and len(thing.noun) > 2):
        return None
    if attribute == "job" and objects[0] not in ("a", "an"):
        return None
    skip = 1 if objects[0] in ("to", "on", "a", "an") else 0
    value = phrase(thing.said.rest(skip))
    if (
        attribute in ("contact", "health")
        and thing.head in ("number", "type", "phone", "handle")
        and not _telling(thing, value)
    ):
        return None
    return _finding(thing, attribute, value)


def _telling(thing: Thing, value: str) -> bool:
    """Tells whether a value names something rather than judging it."""
    return bool(_CODE.match(value.split(maxsplit=1)[0])) or thing.noun[:1] == ("blood",) if value else False


def _language(thing: Thing) -> Finding | None:
    """The first language: "Polish is my first language"."""
    objects = thing.said.objects
    if objects[:1] == ("my",) and objects[-1] in ("language", "tongue") and thing.said.tense == "be":
        text = re.sub(r"\bmy\b", "User's", thing.said.text[thing.said.start : thing.said.end], count=1)
        return Finding("fact", "language", thing.written, sentence(text))
    return None


def _setting(thing: Thing) -> Finding | None:
    """A setting and its value: "the database port is 5432"."""
    rest = re.sub(r"^(?:set to|now|changed to|currently|still|set at)\s+", "", thing.said.rest())
    value = phrase(rest)
    if thing.head in CIRCUMSTANCES and thing.head not in SETTINGS:
        return None
    if not value or not thing.determiner or thing.said.tense != "be" or len(thing.noun) > 4:
        return None
    if not PEOPLE.isdisjoint(thing.noun) or not BODY.isdisjoint(thing.noun) or not PETS.isdisjoint(thing.noun):
        return None
    coded = bool(_CODE.match(value)) or (thing.head in SETTINGS and bool(_CODE.match(value.split()[0])))
    plain = thing.head in SETTINGS and thing.determiner in ("my", "our") and len(value.split()) <= 3
    if not coded and not (plain and thing.said.objects[0] not in STATES | WEAK_OBJECTS):
        return None
    if not coded and thing.head in ("level", "mode", "plan", "account", "url", "address"):
        return None
    name = thing.written.lower()
    verb = "is not" if thing.said.negated else "is"
    return _finding(thing, f"setting: {name}", value.strip("\"'`"), f"User's {name} {verb} {value.strip(chr(34))}.")


def _state(thing: Thing) -> Finding | None:
    """The state of a piece of work."""
    works = thing.head in WORKS or (thing.noun[0] in WORKS and len(thing.noun) <= 2) or thing.noun == ("ci",)
    named = bool(thing.determiner) or thing.noun[0] in (
        "chapter",
        "ci",
        "draft",
        "phase",
        "part",
        "milestone",
        "sprint",
        "step",
        "version",
        "ticket",
    )
    if not works or not named:
        return None
    value = _state_value(thing)
    if not value:
        return None
    polarity: Polarity = "negative" if thing.said.negated else "positive"
    text = thing.said.text[thing.said.start : thing.said.end]
    entity = thing.written.lower()
    said = _as_said(thing) if thing.determiner in ("my", "our") else sentence(others(text))
    return Finding("project_state", "status", value, said, polarity, entity)


def _state_value(thing: Thing) -> str:
    """What a piece of work is, where that is a state, else nothing."""
    said = thing.said
    if said.verb in STATE_VERBS:
        return said.verb
    if said.tense in ("perfect", "progressive", "perfect progressive"):
        return phrase(f"{said.verb} {said.rest()}") if said.verb in STATES else ""
    opening = next((word for word in said.objects if word not in ADVERBS), "")
    if said.tense == "past":
        live = said.verb == "went" and opening in ("live", "out", "into")
        return phrase(f"went {said.rest()}") if live else phrase(said.rest()) if opening in STATES else ""
    being = said.tense in ("be", "been", "was") and (opening in STATES or opening in STATE_OPENERS)
    return phrase(said.rest()) if being else ""


def _circumstance(thing: Thing) -> Finding | None:
    """What befell or holds for a thing of the writer's own."""
    if thing.determiner not in ("my", "our") or thing.said.tense in ("modal", "can") or not thing.said.objects:
        return None
    if not PEOPLE.isdisjoint(thing.noun) or thing.said.verb in REACTION_PAST:
        return None
    if thing.head in BODY:
        lasting = thing.said.negated or thing.said.tense in ("been", "perfect", "past", "perfect progressive")
        return _finding(thing, "health", "") if lasting else None
    if thing.head not in CIRCUMSTANCES or thing.said.tense == "perfect progressive" or thing.said.objects[0] in WEAK_OBJECTS:
        return None
    health = not HEALTH.isdisjoint(thing.noun) or not HEALTH.isdisjoint(thing.said.objects)
    number = any(word[0].isdigit() for word in thing.said.objects)
    if thing.said.tense in ("be", "was") and not number and thing.said.objects[0] not in ("in", "on", "at", "with", "near"):
        return None
    return _finding(thing, "health" if health else "", "")


_RULES = (_favourite, _name, _kin, _language, _state, _mine, _setting, _circumstance)


def judge_thing(thing: Thing) -> Finding | None:
    """What a clause about a thing says of the writer, or None."""
    if thing.said.ceased and thing.determiner == "":
        return None
    for rule in _RULES:
        found = rule(thing)
        if found is not None:
            return found
    return None
