"""What a Chinese clause about the writer states, by the tables and, where no table speaks, by its aspect.

Chinese marks what was done with 了 and 过, what is going on with 在, and what is usual with an adverb. Such a clause is a
fact, unless its verb tells of a feeling or belongs to the talk.
"""

import re

from affidavit.domain.proposals import Polarity
from affidavit.rebuild.extractors.rules.chinese_clauses import any_of
from affidavit.rebuild.extractors.rules.chinese_table import FIRST_PERSON_RULES, TOPIC_RULES, Rule
from affidavit.rebuild.extractors.rules.lexicon_chinese import FEELINGS, TALK
from affidavit.rebuild.extractors.rules.statement import Finding

_TOPIC = re.compile(
    r"^(?P<topic>[\u4e00-\u9fffA-Za-z]{1,6}?)(?:(?:也|都|倒是|还是|还|已经|早就|就|现在|"
    r"一直)+)(?P<said>.+)$"
)


def judge_topic(clause: str) -> tuple[Finding, str] | None:
    """What a clause with a topic and no subject states."""
    split = _TOPIC.match(clause)
    if split is None:
        return None
    for rule in TOPIC_RULES:
        found = rule.pattern.match(split["said"])
        if found:
            return Finding(rule.kind, rule.attribute, split["topic"], polarity=_polarity(rule, found, "")), ""
    return None


_FEELING = re.compile(any_of(FEELINGS) + "|" + any_of(TALK) + r"|^(?:太|好)(?!几).{1,4}(?:了|啊)?$|死了$")
_FUTURE = re.compile(
    r"明天|后天|明年|下周|下个|下星期|下礼拜|年底|月底|以后|之后|今晚|马上|[月号日]|(?:周|"
    r"星期|礼拜)[一二三四五六日天末]|周末|暑假|寒假|春节"
)
_PAST = re.compile(r"上个?(?:周|月|星期|礼拜)|昨|去年|前年|前天|平时|平常|每|经常|常常|总是|以前|曾经|从来|一直")
_FREQUENT = re.compile(
    r"(?:从来|以前|曾经|一直|每天|每周|每个月|每月|每年|每晚|每个?周末|平时|平常|通常|经常|"
    r"常常|总是|偶尔|习惯)"
)
_DONE = re.compile(
    r"^(?:没|没有|从没|还没|未)?(?:自己|和.{1,6}|跟.{1,6}|在.{1,12}|带.{1,8}|陪.{1,8}|去.{1,8}|"
    r"把.{1,8}|给.{1,6}|开车|坐.{1,6})?[\u4e00-\u9fff]{1,3}(?:了|过)(?!吗)",
)
_TOLD = re.compile(
    r"^(?:没|不)?(?:有)?(?:说|问|想|觉|看到|听|发|试|写错|弄错|搞错|错|来|到|好|行|对|算|"
    r"忘|懂|完|等了|花了?时间|被)"
)
_WENT = re.compile(
    r"^(?:去了|(?:跟|和)[^，]{1,6}?(?:去|一起)|带.{1,6}去|陪.{1,6}去|参加了?|报名?了?|见了?|"
    r"到了|爬了?|看了|读了|跑了|做了|学了|写了|画了|拿了|得了|拔了|考了|考过|修了|养了|开了|"
    r"办了|搬了|练了|戒了|换了|丢了|摔了|生了|游了)"
)
_GAINED = re.compile(r"^(?:拿到|考到|当上|学会|找到|养成|读完|看完|跑完|评上|领到).{1,10}了$")
_NEGATIVE = re.compile(r"^(?:不|没|从不|从没|还没|还不|未|并不|不再)")
_DOING = re.compile(r"^在(?:学|读|写|做|准备|备考|练|看|找工作|减肥|装修|翻译|开发|研究|办|搬家|攒钱|健身)")


def _polarity(rule: Rule, found: re.Match[str], adverbs: str) -> Polarity:
    """The polarity that a match has: by its rule, by its negation, or by a negation among the adverbs."""
    negated = bool(found.groupdict().get("no")) or "不再" in adverbs
    return "negative" if negated or rule.polarity == "negative" else "positive"


def judge(said: str, adverbs: str, *, dropped: bool) -> tuple[Finding, str] | None:
    """What is stated: a finding and, where a template words it, the words after "用户"."""
    for rule in FIRST_PERSON_RULES:
        if dropped and not rule.dropped:
            continue
        found = rule.pattern.match(said)
        if found is None:
            continue
        if _FEELING.search(said) and rule.attribute not in ("likes", "health", "language", "plan"):
            return None
        if rule.attribute == "future" and not (_FUTURE.search(adverbs) and not _PAST.search(adverbs)):
            continue
        value = (found.groupdict().get("value") or "").strip()
        polarity = _polarity(rule, found, adverbs)
        text = rule.text.format(value) if rule.text and not (polarity == "negative" and rule.polarity == "positive") else ""
        attribute = "plan" if rule.attribute == "future" else rule.attribute
        return Finding(rule.kind, attribute, value, polarity=polarity), text
    return _plain(said, adverbs, dropped=dropped)


def _plain(said: str, adverbs: str, *, dropped: bool) -> tuple[Finding, str] | None:
    """A fact without a template: something done, something done often, or something one is."""
    if _FEELING.search(said) or _TOLD.match(said) or len(said) < 2:
        return None
    done = _WENT.match(said) if dropped else _DONE.match(said)
    often = _FREQUENT.search(adverbs) and len(said) >= 2
    is_one = not dropped and re.match(r"^是(?:一?[个名位])?[\u4e00-\u9fffA-Za-z]{2,12}$", said) and not said.endswith("的")
    gained = not dropped and _GAINED.match(said)
    ceased = re.match(r"^不(?:再)?[\u4e00-\u9fff]{1,8}了$", said) and re.search(r"早就|已经|不再", adverbs)
    if not (done or gained or often or ceased or is_one or _DOING.match(said)):
        return None
    if re.match(r"^.{1,3}了就", said):
        return None
    negative = bool(_NEGATIVE.match(said)) or "还没" in adverbs or "从没" in adverbs
    return Finding("fact", polarity="negative" if negative else "positive"), ""
