"""Who an English clause is about: the writer, the writer and another, or a thing.

The subject may stand first ("I live"), after an adverbial without a comma ("last week I went"), inside a hedge or a
report ("I think I live", "just so you know, I live"), be joint ("my sister and I"), or be dropped ("went to the gym").
"""

import re
from typing import NamedTuple

from affidavit.rebuild.extractors.rules.english_clauses import Clause
from affidavit.rebuild.extractors.rules.english_verbs import Person, Predicate, is_past, is_progressive
from affidavit.rebuild.extractors.rules.english_words import Word
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_english import ADVERBS, FEELINGS, HEDGES, HEDGING_VERBS, OPENERS
from affidavit.rebuild.extractors.rules.lexicon_verbs import (
    BASE_VERBS,
    DISLIKES,
    HABIT_NOUNS,
    HABITS,
    LIKES,
    PAST,
    REACTION_PAST,
)


class Subject(NamedTuple):
    """The subject of a clause: who, the index of its first word and of the first word of its verb group."""

    person: Person
    begins: int
    verb: int
    companion: str = ""
    hedged: bool = False


_REPORTS = re.compile(
    r"^(?:(?:please |and |so |just )*(?:remember|note|keep in mind|bear in mind|don['’]t forget|fyi)(?: that)?|"
    r"(?:just |i )*(?:wanted to |want to )?(?:let you know|tell you|mention)(?: that)?|fun fact|the thing is|"
    r"did i (?:tell|mention)[\w ]{0,20}?(?: that)?|(?:that|this)(?:['’]s| is) (?:why|when|where|how)|turns out|"
    r"guess what|not gonna lie|the (?:truth|fact|problem|reason) is(?: that)?|believe it or not|to be honest|"
    r"one thing is)\s+(?=i\b|we\b|my\b|our\b|the\b|i['’])",
    re.IGNORECASE,
)

_LEAD_WORDS = 7
"""An adverbial that stands before the subject without a comma has no more words than this."""

_DROPPED_LEADS = lexicon(
    """
    yesterday today tonight just recently finally also still currently been always never even once already lately
    actually
    """,
)
"""Adverbs that may stand before a verb whose subject is dropped."""

_FOLLOWERS = lexicon(
    """
    a an the my our some any this that these those two three four five six seven eight nine ten one to in on at for
    with from by up out off down into over through about around another lots many several few more most back all
    both each every his her their its new old as after before since until during without within first second again
    home there here tickets together yesterday today last and married engaged diagnosed promoted working playing
    doing learning studying training using reading writing sober vegan interested vegetarian stuck half almost just
    """,
)
"""Words that follow a verb rather than a participle used as an adjective."""

_FOLLOWS_BEEN = lexicon("to in into sober vegan vegetarian married interested obsessed on together")
"""What may follow a "been" whose subject is dropped; "been a while" is no statement of anybody's."""

AMBIGUOUS = lexicon("read put set hit cut hurt split shut quit cost bit saw found ground lead left let built")
"""Past forms that are also something else."""

_IMPERATIVES = lexicon("read put set hit cut hurt split shut cost bit ground lead let")
"""Past forms that, without a subject, are commands."""

_TIMING = lexicon("since after before until while when as")
"""Words that open a clause of time, whose subject is not the one that is looked for."""

_NO_ADVERBIAL = lexicon(
    """
    what that which how if do did can know think is was are 's you he she they it glad sure who where whatever all
    """,
)
_DETERMINERS = lexicon("the a an one two three four five six few several those these")
_TIMES = lexicon(
    """
    day days morning mornings afternoon evening evenings night nights weekend weekends week weeks month months year
    years ago back later end moment past summer winter spring autumn fall time beginning first decade hours hour
    """,
)

_PASTS = lexicon("past perfect was") | {"past progressive", "had to", "used to"}
_LISTED = LIKES | DISLIKES | lexicon("prefer eat drink am have live work")
"""First verbs beside which a bare "and hate coffee" can only be a second verb."""


def follows_verb(found: list[Word], index: int) -> bool:
    """Tells whether the word after `index` is one that a verb takes."""
    if index + 1 >= len(found):
        return False
    low = found[index + 1].low
    return low in _FOLLOWERS or low[0].isdigit() or low.endswith("ly")


def _low(found: list[Word], index: int) -> str:
    """The word at `index`, or nothing beyond the end."""
    return found[index].low if index < len(found) else ""


def _first_person(found: list[Word], index: int) -> Subject | None:
    """The subject that begins at `index`, where it is the writer."""
    low = _low(found, index)
    if low == "i":
        return Subject("I", index, index + 1)
    if low == "we" and _low(found, index + 1) not in ("all", "can", "should", "need"):
        return Subject("we", index, index + 1)
    return None


def _joint(text: str, found: list[Word]) -> Subject | None:
    """Joint subjects: "my sister and I", "Tom and I", "me and my wife"."""
    for place in range(1, min(6, len(found) - 1)):
        if found[place].low != "and":
            continue
        companion = found[:place]
        after = found[place + 1].low
        named = companion[0].low in ("my", "our", "the") or text[companion[0].start].isupper()
        if after == "i" and named:
            return Subject("joint", 0, place + 2, text[companion[0].start : companion[-1].end])
        if companion[0].low == "me" and place + 3 < len(found) and after == "my":
            return Subject("joint", 0, place + 3, text[found[place + 1].start : found[place + 2].end])
        return None
    return None


def _opens_dropped(found: list[Word], index: int) -> bool:
    """Tells whether the word at `index` is a verb whose subject was dropped."""
    low, following = found[index].low, _low(found, index + 1)
    if low in ("have", "can", "do"):
        return following == "not"
    if low == "been":
        return is_progressive(following) or following in _FOLLOWS_BEEN
    if low in ("had", "got"):
        return bool(following)
    if low in LIKES | DISLIKES | {"prefer"}:
        return low in ("hate", "prefer") or (is_progressive(following) and low not in ("like", "appreciate"))
    if is_past(low) and low not in REACTION_PAST | FEELINGS | _IMPERATIVES:
        return low in PAST - AMBIGUOUS or follows_verb(found, index) or is_progressive(following)
    return low.endswith("ing") and index > 0 and found[0].low in ("currently", "still")


def _dropped(found: list[Word]) -> Subject | None:
    """A clause that begins with its verb: "Went to the gym yesterday"."""
    index = 0
    while index < len(found) - 1 and found[index].low in _DROPPED_LEADS and found[index].low != "been":
        index += 1
    return Subject("dropped", 0, 0) if _opens_dropped(found, index) else None


def _hedge(found: list[Word], subject: Subject) -> Subject:
    """Looks through "I think (that) I …" to the second subject."""
    verb = subject.verb
    while _low(found, verb) in ADVERBS:
        verb += 1
    if subject.person != "I" or _low(found, verb) not in HEDGING_VERBS:
        return subject
    second = verb + 2 if _low(found, verb + 1) == "that" else verb + 1
    inner = _first_person(found, second)
    if inner is not None:
        return Subject(inner.person, subject.begins, inner.verb, hedged=True)
    if _low(found, second) in ("my", "our"):
        return Subject("thing", subject.begins, second, hedged=True)
    return subject


def _led(found: list[Word]) -> int:
    """The index of the first person after an adverbial without a comma ("Last week I …"), or -1."""
    if found[0].low not in OPENERS and found[0].low not in HEDGES:
        return -1
    timed = found[0].low in _TIMING
    for index in range(3 if timed else 1, min(_LEAD_WORDS + 3 * timed, len(found))):
        if found[index].low in ("i", "we"):
            return index if timed or _is_adverbial([word.low for word in found[:index]]) else -1
    return -1


def _is_adverbial(lead: list[str]) -> bool:
    """Tells an adverbial ("the other day", "on Monday") from a noun that a relative clause follows ("the book I …")."""
    if not _NO_ADVERBIAL.isdisjoint(lead):
        return False
    return _DETERMINERS.isdisjoint(lead) or not _TIMES.isdisjoint(lead)


def _reported(text: str, clause: Clause) -> Subject | None:
    """The subject after a report that carries it ("please remember that I …")."""
    report = _REPORTS.match(text[clause.start : clause.end])
    if report is None:
        return None
    place = clause.start + report.end()
    begins = next((index for index, word in enumerate(clause.words) if word.start >= place), 0)
    inner = _first_person(clause.words, begins)
    return _hedge(clause.words, inner) if inner else Subject("thing", begins, begins)


def _after_adverbial(found: list[Word]) -> Subject | None:
    """The subject after an adverbial without a comma; a leading "maybe" hedges it."""
    inner = _first_person(found, led) if (led := _led(found)) > 0 else None
    if inner is None:
        return None
    subject = _hedge(found, inner)
    return subject._replace(hedged=subject.hedged or found[0].low in HEDGES)


def subject_of(text: str, clause: Clause) -> Subject:
    """Finds the subject of a clause; a thing where it is not the writer."""
    found = clause.words
    direct = _reported(text, clause)
    if direct is not None:
        return direct
    first = _first_person(found, 0)
    if first is not None:
        return _hedge(found, first)
    return _joint(text, found) or _after_adverbial(found) or _dropped(found) or Subject("thing", 0, 0)


def next_verb(text: str, found: list[Word], first: Predicate) -> tuple[int, int] | None:
    """Finds a second verb of the same subject: the index of the word that ends the first clause, and of the verb."""
    past = first.tense in _PASTS
    for index in range(first.after, len(found) - 2):
        listed = text.startswith(",", found[index].end)
        if found[index].low not in ("and", "but", "then") and not listed:
            continue
        verb = index + 1
        while verb < len(found) - 1 and found[verb].low in ADVERBS | {"then", "and"}:
            verb += 1
        if _is_second_past(found, verb) if past or listed else _is_second_present(found, verb, first):
            return index + listed, verb
    return None


def _is_second_past(found: list[Word], verb: int) -> bool:
    """Tells whether a past form of the writer's stands at `verb`."""
    low = found[verb].low
    if low in AMBIGUOUS or low in FEELINGS or not is_past(low):
        return False
    return low in PAST or follows_verb(found, verb)


def _is_second_present(found: list[Word], verb: int, first: Predicate) -> bool:
    """Tells whether a present form of the writer's stands at `verb`; after "to" it may be one more infinitive."""
    low, following = found[verb].low, _low(found, verb + 1)
    if low in ("do", "can", "have") and following == "not":
        return True
    if low in LIKES | DISLIKES | {"prefer"}:
        plain = following.endswith(("ing", "s")) or following == "to" or follows_verb(found, verb)
        return bool(following) and low != "like" and (plain or first.verb in _LISTED)
    if any(word.low == "to" for word in found[first.after : verb]):
        return False
    clear = first.verb in _LISTED and low in HABITS - HABIT_NOUNS
    return bool(following) and (clear or (low in BASE_VERBS and follows_verb(found, verb)))
