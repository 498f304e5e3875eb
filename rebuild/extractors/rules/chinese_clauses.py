"""Chinese sentences split into clauses, and whom each clause is about.

Chinese drops its subject freely: a clause without one is the writer's where the clause before it was, or where the turn
begins with it. Traditional characters are folded to simplified ones, one for one, so that every offset stays.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from affidavit.rebuild.extractors.rules.chinese_words import any_of, fold
from affidavit.rebuild.extractors.rules.clauses import Sentence
from affidavit.rebuild.extractors.rules.lexicon_chinese import (
    ADVERBS,
    CONDITIONS,
    DISCOURSE,
    HEDGES,
    KIN,
    OTHER_PRONOUNS,
    OTHERS,
    QUESTIONS,
    REQUESTS,
    WISHES,
)

Who = Literal["self", "thing", "dropped", "other"]

_BOUNDARY = re.compile(
    r"[，,：:（）()、—]+\s*|(?<=[\u3400-\u9fff])(?=(?:但是|可是|不过|所以|而且|因为)我)|"
    r"(?<=[\u3400-\u9fff]{3})(?=但(?:我|不|讨厌|很))"
)
_LIST = re.compile(r"[、]+\s*$")
_LEAD = re.compile(rf"(?:{any_of(DISCOURSE)}[\s，,]*)+")
_EDGE = " \t\r\"'“”‘’·.-"
_PARTICLES = re.compile(r"(?:[啊呢吧啦哦呀嘛哈哟喔诶]|lol|233+|www+|hh+|哈哈+)+$")
_DIGITS = r"[零〇一二三四五六七八九十百两几半\d]"
_TIME = (
    rf"(?:(?:去年|今年|明年|前年|后年)?(?:{_DIGITS}{{1,3}}|腊|正|上个?|下个?|这个?|"
    rf"本)月(?:份|底|初|中旬|[上下]旬|{_DIGITS}{{1,3}}[号日]?)?|"
    rf"{_DIGITS}{{1,3}}[号日]|(?:上|下|这|本)?个?(?:周|星期|礼拜)[一二三四五六日天末\d]|"
    rf"{_DIGITS}{{2,4}}年(?!级)(?:起|底|初)?|"
    rf"{_DIGITS}+(?:年|个?月|个?星期|个?礼拜|周|天)(?:前|后|以前|以后|之前|之后|"
    rf"来)|{_DIGITS}{{1,3}}点(?:半|多|钟)?|{_DIGITS}+(?:年|个?月|周|天)(?:多|内|"
    rf"里)?(?=[没不瘦胖跑读看做学换搬花只就才吃喝存赚])|(?:早|中|晚)上|(?:大|高|"
    rf"初|研){_DIGITS}(?:那年|时|的时候|起|开始)?(?=[我就在去开才])|"
    rf"(?:打|自|自打|从)[^，我]{{1,8}}?(?:起|开始|以来)|{_DIGITS}{{1,3}}岁(?:那年|起|开始|时|的时候|以前|之前)|"
    r"(?:毕业|结婚|生完?孩子|生娃|辞职|离职|退休|下班|上班|放学|睡|饭|午饭|晚饭|"
    r"国庆|春节|过完年|开学|病好|手术|怀孕|工作|搬家|入职|分手|离婚|出国|回国|"
    r"考完试|"
    r"五一|元旦|中秋|过年)(?:以后|之后|后|之前|以前|前|期间)|"
    r"(?!最|.{0,3}(?:烦|爱|喜欢|讨厌|怕))[^，我]{1,10}?(?:的时候|那会儿|那阵子|那段时间|那几年)|为了.{1,8}?(?=我))"
)
ADVERBIALS = re.compile(rf"(?:{_TIME}|{any_of((*ADVERBS, *HEDGES))}|\s)*")
_SELF = re.compile(r"我家里?(?=养|有|住)|我们|咱们|本人|我|俺|咱")
_OBJECT_OF = re.compile(
    r"(?:给|让|叫|帮|教|对|跟|和|向|为|陪|带|送|问|告诉|爱|喜欢|骂|等|找|是|的|说|觉得|把|"
    r"被|当|请|祝|谢谢|感谢|认为|适合|比|像|于|连|管|喊|称呼|陪着|逼|劝|催|约|托|求|教会|算|替|属于|据)\s*$"
)
_CONDITION = re.compile(any_of(CONDITIONS))
_QUESTION = re.compile(
    any_of(QUESTIONS) + r"|怎么(?<![不没]怎么)(?![吃看听]都)|什么(?<![没不]什么)(?!都|也|的$)|啥(?<!没啥)(?!都|也|的$)|"
    r"哪(?!怕|都|也|儿都|里都|儿也)|谁(?!都|也)|多少(?<!没多少)(?!有点|有些)|几个(?<![好没了有十过着]几个)|"
    r"多(?:久|长时间|大合适|远|贵)|到底|来着$|么$|不$|没$"
)
_OR_NOT = re.compile(r"(?![动时])([\u4e00-\u9fff])[不没]\1")
_NO_TESTIMONY = re.compile(
    any_of((*WISHES, *REQUESTS)) + r"|应该(?!是|会)|请(?<![申邀聘宴]请)(?!假|了|客|过|[两几]|人)|"
    r"求(?<![要需追请]求)(?!婚|职|学|了|过|医|签)|麻烦(?<![嫌怕太]麻烦)(?!死|了|的)"
)
_HEDGE = re.compile(any_of(HEDGES))
_WEIGHING = re.compile(r"(?:在)?(?:考虑|寻思|琢磨|盘算|犹豫)")
_NAMED = re.compile(
    r"(?:大家|别人|同事们?|朋友们?|同学们?|家里人|家人|身边人|网友|学生们?|可以|"
    r"平时)?(?:都|一般|习惯|总)*(?:喊|叫|称呼)我(?!干|做[^\w]|去|来|怎|帮)[\w·]{1,8}$"
)
"""Who is called by a name stands as an object and is spoken of all the same."""

_MADE_BY_ME = re.compile(r"[^，我]{1,10}是我(?!的|说|想)[\u4e00-\u9fff]{1,8}的$")
_OUTSIDERS = re.compile(
    r"^(?:我)?(?:有|认识|[^，我]{1,6}?(?:有|来了))一?(?:个|位|对|帮|群)(?:男|"
    r"女|老|小|年轻|.{0,4}?的)?(?:人|生|同学|同事|朋友|哥们|大爷|大妈|大叔|阿姨|"
    r"姐|妹子|小伙|网友|邻居|亲戚)"
)
_SCENE = re.compile(
    r"(?:口吻|语气|视角|人设|扮演|假装|假扮|角色|写(?:一?[段篇首个封])|造句|续写|"
    r"仿写|改写|台词|旁白|独白|文案|歌词|剧本|小说|例句|开头|翻译|译成|翻成|念|"
    r"读)[^：:。！？!?\n]{0,40}$"
)
_OTHER = re.compile(
    rf"^(?:{any_of(OTHER_PRONOUNS)}|[小老阿](?!"
    rf"[时是区家板师婆公说学孩众声早毛房程腿腹猫狗米红本外年爱伙店屋院车件组费票作心型额家实老百家字习规早])"
    rf"[\u4e00-\u9fff](?=[\u4e00-\u9fff])|{any_of(OTHERS)}|"
    r"[\u4e00-\u9fff]{1,3}(?:(?<!小)说|表示|告诉|觉得|让|叫|建议|劝))",
)
_PEOPLE = OTHERS.union(*KIN.values())
_OWN_PERSON = re.compile(rf"(?:我们|我|俺|咱)(?:的|家|家的)?{any_of(_PEOPLE)}")
_OWN_THING = re.compile(r"(?:我们|我|俺|咱)的")
_BOTH = re.compile(r"(?:我们|我|俺)(?:和|跟|与)[^，,]{1,10}?(?=在一起|一起|都|在|住|去|结|养|买|有|刚|决定|打算)")


_SHORTEST = 2
"""No clause of fewer characters states anything."""


_REACH = 80
"""How far back, in characters, a request for words of somebody else's is looked for."""


class Clause(NamedTuple):
    """A clause, folded, with its place; `verb` is where, in `folded`, what is said begins."""

    start: int
    end: int
    folded: str
    who: Who
    verb: int
    hedged: bool
    topic: bool
    last: bool
    """Whether the clause ends its sentence, where a request would stand."""


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


def _subject(clause: str) -> tuple[Who, int, bool]:
    """Finds whom a clause is about, where its predicate begins, and whether a topic stands before the subject."""
    made = bool(_MADE_BY_ME.match(clause))
    if made or _NAMED.match(clause):
        return "self", 0, made
    found = _SELF.search(clause)
    opening = ADVERBIALS.match(clause)
    after = opening.end() if opening else 0
    before = clause[: found.start()] if found else ""
    if found is None or len(before) > 16 or _OBJECT_OF.search(before) or _OTHER.match(before[min(after, len(before)) :]):
        return ("other", 0, False) if _OTHER.match(clause[after:]) or _OTHER.match(clause) else ("dropped", after, False)
    return _first_person(clause, found, topic=after < found.start())


def _first_person(clause: str, found: re.Match[str], *, topic: bool) -> tuple[Who, int, bool]:
    """Whether 我 is the subject, the one half of it, or the owner of it."""
    both = _BOTH.match(clause, found.start())
    if both:
        return "self", both.end(), False
    if _OWN_PERSON.match(clause, found.start()) or _OWN_THING.match(clause, found.start()):
        return "thing", found.start(), False
    return "self", found.end(), topic


def _asks(clause: str) -> bool:
    """Tells whether a clause asks, wishes or requests, and so states nothing."""
    if _QUESTION.search(clause) or _NO_TESTIMONY.search(clause):
        return True
    return ("不" in clause or "没" in clause) and bool(_OR_NOT.search(clause))


def _opens_a_scene(folded: str, stop: int) -> bool:
    """Tells whether a clause asks for words of somebody else's and a colon hands them over."""
    return folded.startswith(("：", ":"), stop) and bool(_SCENE.search(folded, max(0, stop - _REACH), stop))


def _staged(text: str, start: int) -> bool:
    """Tells whether a sentence goes on with what a colon has handed over before it, in the same paragraph."""
    reach = max(0, start - _REACH)
    colon = max(text.rfind("：", reach, start), text.rfind(":", reach, start))
    if colon < 0 or text.find("\n\n", colon, start) >= 0:
        return False
    return bool(_SCENE.search(text, max(0, colon - _REACH), colon))


def clauses(text: str, sentence: Sentence) -> Iterator[Clause]:
    """Yields the asserted clauses of a sentence that are, or may be, about the writer."""
    folded = fold(text[sentence.start : sentence.end])
    if _staged(text, sentence.start):
        return
    inherited = True
    for start, end, last in _spans(folded):
        first, stop = _bare(folded, start, end)
        clause = folded[first:stop]
        if _CONDITION.search(clause) or _opens_a_scene(folded, stop):
            return
        if len(clause) < _SHORTEST:
            continue
        who, verb, topic = _subject(clause)
        inherited = who != "other" and (inherited or who != "dropped")
        heard = inherited
        inherited = inherited and not (_OWN_PERSON.match(clause) or _OUTSIDERS.match(clause))
        asks = (sentence.question and last) or _asks(clause)
        if asks or not heard:
            continue
        opening = ADVERBIALS.match(clause, verb)
        after = opening.end() if opening else verb
        hedged = bool(_HEDGE.search(clause, 0, after) or _WEIGHING.match(clause, after))
        yield Clause(sentence.start + first, sentence.start + stop, clause, who, after, hedged, topic, last)
