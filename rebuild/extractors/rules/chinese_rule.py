"""What a Chinese rule is: a pattern, and what a clause that it matches states of the writer."""

import re
from typing import NamedTuple

from affidavit.domain.proposals import Kind, Polarity


class Rule(NamedTuple):
    """One pattern and what it states; a group `value` is the value, `no` a negation, `text` a template."""

    pattern: re.Pattern[str]
    kind: Kind
    attribute: str = ""
    text: str = ""
    polarity: Polarity = "positive"
    dropped: bool = True
    """Whether the rule also hears a clause whose subject is dropped."""


def rule(
    pattern: str,
    kind: Kind = "fact",
    attribute: str = "",
    text: str = "",
    polarity: Polarity = "positive",
    *,
    dropped: bool = True,
) -> Rule:
    """Makes a rule of a table."""
    return Rule(re.compile(pattern), kind, attribute, text, polarity, dropped)


def polarity_of(rule: Rule, found: re.Match[str], adverbs: str = "") -> Polarity:
    """The polarity of a match: by its rule, by its negation, or by a negation among the adverbs."""
    negated = bool(found.groupdict().get("no")) or "不再" in adverbs
    return "negative" if negated or rule.polarity == "negative" else "positive"
