"""Chinese sentences split into clauses, and whom each clause is about.

Chinese drops its subject freely: a clause without one is the writer's where the clause before it was, or where the turn
begins with it. Traditional characters are folded to simplified ones, one for one, so that every offset stays.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from affidavit.rebuild.extractors.rules.clauses import Sentence
from affidavit.rebuild.extractors.rules.lexicon_chinese import (
    ADVERBS,
    CONDITIONS,
    DISCOURSE,
    FOLDED,
    HEDGES,
    KIN,
    OTHER_PRONOUNS,
    OTHERS,
    QUESTIONS,
    REQUESTS,
    WISHES,
)

Who = Literal["self", "thing", "dropped", "other"]

_FOLD = str.maketrans({pair[0]: pair[1] for pair in FOLDED})


def fold(text: str) -> str:
    """Folds traditional characters to simplified ones; the length stays."""
    return text.translate(_FOLD)


def any_of(words: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")"


_BOUNDARY = re.compile(
    r"[，,：:（）()、—]+\s*|(?<=[\u3400-\u9fff])(?=(?:但是|可是|不过|所以|而且|因为)我)|"
    r"(?<=[\u3400-\u9fff]{3})(?=但(?:我|不|讨厌|很))"
)
_LIST = re.compile(r"[、]+\s*$")
_LEAD = re.compile(rf"(?:{any_of(DISCOURSE)}[\s，,]*)+")
_EDGE = " \t\r\"'“”‘’·.-"
_PARTICLES = re.compile(r"(?:[啊呢吧啦哦呀嘛哈哟喔诶]|lol|233+|www+|hh+|哈哈+)+$")
_TIME = (
    r"(?:[一二三四五六七八九十\d]{1,3}月(?:份|底|初|[一二三四五六七八九十\d]{1,3}[号日])?|"
    r"[一二三四五六七八九十\d]{1,3}[号日]|(?:上|下|这|本)?个?(?:周|星期|礼拜)[一二三四五六日天末\d]|"
    r"\d{4}年|[一二三四五六七八九十两几\d]+(?:年|个月|个?星期|周|天)(?:前|后)|(?:早|中|晚)上|"
    r"从.{1,6}?起|为了.{1,8}?(?=我))"
)
_ADVERBIALS = re.compile(rf"(?:{_TIME}|{any_of((*ADVERBS, *HEDGES))}|\s)*")
_SELF = re.compile(r"我家里?(?=养|有|住)|我们|咱们|本人|我|俺|咱")
_OBJECT_OF = re.compile(
    r"(?:给|让|叫|帮|教|对|跟|和|向|为|陪|带|送|问|告诉|爱|喜欢|骂|等|找|是|的|说|觉得|把|"
    r"被|当|请|祝|谢谢|感谢|认为|适合|比|像|于|连)\s*$"
)
_CONDITION = re.compile(any_of(CONDITIONS))
_QUESTION = re.compile(any_of(QUESTIONS) + r"|呢$|不$|没$")
_NO_TESTIMONY = re.compile(any_of((*WISHES, *REQUESTS)))
_OTHER = re.compile(
    rf"^(?:{any_of(OTHER_PRONOUNS)}|[小老阿][\u4e00-\u9fff](?=[\u4e00-\u9fff])(?!时|是|区|"
    rf"家|板|师|婆|公|说)|{any_of(OTHERS)}|"
    r"[\u4e00-\u9fff]{1,3}(?:说|表示|告诉))",
)
_PEOPLE = OTHERS.union(*KIN.values())
_OWN_PERSON = re.compile(rf"(?:我们|我|俺|咱)(?:的|家|家的)?{any_of(_PEOPLE)}")
_OWN_THING = re.compile(r"(?:我们|我|俺|咱)的")
_BOTH = re.compile(r"(?:我们|我|俺)(?:和|跟|与)[^，,]{1,10}?(?=在一起|一起|都|在|住|去|结|养|买|有|刚|决定|打算)")


_SHORTEST = 2
"""No clause of fewer characters states anything."""


class Clause(NamedTuple):
    """A clause, folded, with its place; `verb` is where, in `folded`, what is said begins."""

    start: int
    end: int
    folded: str
    who: Who
    verb: int
    hedged: bool


def _spans(folded: str) -> Iterator[tuple[int, int, bool]]:
    """Cuts a sentence at its commas, but not inside an enumeration."""
    start = 0
    for mark in _BOUNDARY.finditer(folded):
        if _LIST.match(mark.group()):
            continue
        if mark.start() > start:
            yield start, mark.start(), False
        start = mark.end()
    if start < len(folded):
        yield start, len(folded), True


def _bare(folded: str, start: int, end: int) -> tuple[int, int]:
    """Cuts discourse words off the front and particles off the end."""
    while start < end and folded[start] in _EDGE:
        start += 1
    lead = _LEAD.match(folded, start, end)
    if lead and lead.end() < end:
        start = lead.end()
    while end > start and folded[end - 1] in _EDGE:
        end -= 1
    particles = _PARTICLES.search(folded, max(start + 1, end - 12), end)
    return start, particles.start() if particles else end


def _subject(clause: str) -> tuple[Who, int]:
    """Finds whom a clause is about and where its predicate begins."""
    found = _SELF.search(clause)
    opening = _ADVERBIALS.match(clause)
    after = opening.end() if opening else 0
    if found is None:
        return ("other", 0) if _OTHER.match(clause, after) or _OTHER.match(clause[after:]) else ("dropped", after)
    before = clause[: found.start()]
    if len(before) > 16 or _OBJECT_OF.search(before) or _OTHER.match(before[min(after, len(before)) :]):
        return ("other", 0) if _OTHER.match(clause[after:]) else ("dropped", after)
    both = _BOTH.match(clause, found.start())
    if both:
        return "self", both.end()
    if _OWN_PERSON.match(clause, found.start()) or _OWN_THING.match(clause, found.start()):
        return "thing", found.start()
    return "self", found.end()


def clauses(text: str, sentence: Sentence) -> Iterator[Clause]:
    """Yields the asserted clauses of a sentence that are, or may be, about the writer."""
    folded = fold(text[sentence.start : sentence.end])
    inherited = True
    for start, end, last in _spans(folded):
        first, stop = _bare(folded, start, end)
        clause = folded[first:stop]
        if _CONDITION.search(clause):
            return
        if len(clause) < _SHORTEST:
            continue
        who, verb = _subject(clause)
        inherited = who != "other" and (inherited or who != "dropped")
        heard = inherited
        inherited = inherited and not _OWN_PERSON.match(clause)
        asks = (sentence.question and last) or _QUESTION.search(clause) or _NO_TESTIMONY.search(clause)
        if asks or not heard:
            continue
        opening = _ADVERBIALS.match(clause, verb)
        after = opening.end() if opening else verb
        hedged = any(hedge in clause[:after] for hedge in HEDGES)
        yield Clause(sentence.start + first, sentence.start + stop, clause, who, after, hedged)
