"""The findings that several English rules share, each in one sentence whichever words said it."""

import re

from affidavit.domain.proposals import Polarity
from affidavit.rebuild.extractors.rules.english_third import others
from affidavit.rebuild.extractors.rules.english_values import phrase
from affidavit.rebuild.extractors.rules.english_verbs import Predicate
from affidavit.rebuild.extractors.rules.statement import Finding


def polarity(predicate: Predicate) -> Polarity:
    """The polarity of a plain statement."""
    return "negative" if predicate.negated else "positive"


def fact(predicate: Predicate, attribute: str = "", value: str = "") -> Finding:
    """The clause as a fact, in its own words."""
    return Finding("fact", attribute, value if attribute else "", polarity=polarity(predicate))


def liking(predicate: Predicate, value: str, *, dislike: bool = False) -> Finding | None:
    """A preference for or against a value; the same sentence, whichever words said it."""
    negative = predicate.negated != dislike
    value = phrase(value)
    if not value:
        return None
    verb = "dislikes" if negative else "likes"
    text = f"User {verb} {others(value)}."
    return Finding("preference", "likes", value, text, "negative" if negative else "positive")


def home(predicate: Predicate, value: str) -> Finding | None:
    """The one home, in one sentence whichever words said it."""
    if not value:
        return None
    if value.split(maxsplit=1)[0].lower() in ("a", "an", "the", "my", "our", "here", "there"):
        return fact(predicate)
    verb = "lives" if not predicate.negated else "no longer lives" if predicate.ceased else "doesn't live"
    if predicate.negated and re.search(r"\b(?:anymore|any more|any longer)\b", predicate.rest()):
        verb = "no longer lives"
    return Finding("fact", "home", value, f"User {verb} in {others(value)}.", polarity(predicate))


def plan(predicate: Predicate, skip: int = 0) -> Finding | None:
    """An intention, with what is intended as its value."""
    value = phrase(predicate.rest(skip))
    return Finding("decision", "plan", value, polarity=polarity(predicate)) if value else None
