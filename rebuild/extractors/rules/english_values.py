"""Values cut out of an English complement, verbatim, and what kind of thing they name."""

import re

from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import TAIL_FILLERS, TIME_TAILS, WEAK_OBJECTS
from affidavit.rebuild.extractors.rules.lexicon_nouns import (
    CHILDREN,
    EDUCATION,
    HEALTH,
    PARENTS,
    PARTNERS,
    PETS,
    POSSESSIONS,
    SIBLINGS,
)

_TAIL = re.compile(
    r"[\s,]+(?:" + "|".join(re.escape(tail) for tail in sorted(TIME_TAILS + TAIL_FILLERS, key=len, reverse=True)) + r")$",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"[\s,]+(?:since\b.{0,60}|(?:for|in|about|over|around)\s+(?:about\s+|over\s+|almost\s+|"
    r"nearly\s+|the\s+(?:past|last)\s+)?"
    r"(?:\w+\s+){0,3}(?:years?|months?|weeks?|days?|decades?|while|ages)(?:\s+now)?|"
    r"(?:\w+\s+){1,3}(?:years?|months?|weeks?|days?)\s+ago|(?:in|back in)\s+(?:\d{4}|january|"
    r"february|march|april|may|june|"
    r"july|august|september|october|november|december))$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the|some|any|my|our)\s+", re.IGNORECASE)
_CLAUSE_TAIL = re.compile(
    r"\s*(?:,(?!\s(?:[^,]{1,40},\s){0,6}(?:[^,]{1,40}\s)?(?:and|or)\s)|[:;(–—]|\s-+\s|"
    r"\s(?:because|since|when|while|which|who|where|so|but|if|though|although|until|as|whenever)\s).*$",
    re.DOTALL,
)
_PHRASE_END = lexicon("with who that which in for from to at on about because when named called and but of by")
_HEADS = (
    (CHILDREN, "child"),
    (PARTNERS, "partner"),
    (SIBLINGS, "sibling"),
    (PARENTS, "parent"),
    (PETS, "pet"),
    (EDUCATION, "education"),
    (frozenset({"allergy", "allergies", "intolerance"}), "allergy"),
    (HEALTH, "health"),
    (POSSESSIONS, "possession"),
)


def trimmed(text: str) -> str:
    """Cuts adverbials of time and fillers off the end of a value."""
    text = text[:400].strip(" ,.;:-–—\"'“”")
    for _ in range(4):
        shorter = _SINCE.sub("", _TAIL.sub("", text[-120:]))
        if len(shorter) == len(text[-120:]):
            break
        text = (text[:-120] + shorter).rstrip(" ,")
    return text


def phrase(text: str) -> str:
    """The first phrase of a complement: up to a comma or a subordinate clause, trimmed."""
    return trimmed(_CLAUSE_TAIL.sub("", text[:400]))


def without_article(text: str) -> str:
    """Drops a leading article or possessive."""
    return _ARTICLE.sub("", text)


def first_phrase(objects: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the first noun phrase of a complement."""
    for index, word in enumerate(objects):
        if word in _PHRASE_END and index:
            return objects[:index]
    return objects


def thing(objects: tuple[str, ...]) -> str:
    """The attribute that the head of a complement points to, or nothing."""
    head = frozenset(piece for word in first_phrase(objects) for piece in (word, *word.split("-")))
    for nouns, attribute in _HEADS:
        if not nouns.isdisjoint(head):
            return attribute
    return ""


def names_nothing(objects: tuple[str, ...], slack: int = 2) -> bool:
    """Tells whether a complement is empty or a bare pronoun, with at most `slack` words in all."""
    return not objects or (objects[0] in WEAK_OBJECTS and len(objects) <= slack)
