"""What a Chinese clause about the writer states, by the tables and, where no table speaks, by its aspect."""

import re
from dataclasses import replace

from affidavit.rebuild.extractors.rules.chinese_clauses import ADVERBIALS, Clause
from affidavit.rebuild.extractors.rules.chinese_events import feels, is_trial, judge_event
from affidavit.rebuild.extractors.rules.chinese_life import SELF_RULES
from affidavit.rebuild.extractors.rules.chinese_rule import Rule, polarity_of
from affidavit.rebuild.extractors.rules.chinese_table import FIRST_PERSON_RULES, TOPIC_RULES
from affidavit.rebuild.extractors.rules.chinese_tastes import (
    CHOICE_TOPICS,
    DECISION_RULES,
    DISLIKE_RULES,
    FUTURE,
    LIKE_RULES,
    ONLY_RULES,
    PAST,
    TASTE_TOPICS,
)
from affidavit.rebuild.extractors.rules.chinese_topics import (
    LIVED_KEY,
    LIVED_TOPICS,
    NO_WORK,
    STATE_KEY,
    STATE_TOPICS,
    STATUS_TOPICS,
    THING_TOPICS,
    TOPIC_ADVERBS,
)
from affidavit.rebuild.extractors.rules.chinese_words import any_of
from affidavit.rebuild.extractors.rules.lexicon_chinese import OTHER_PRONOUNS, OTHERS, TALK
from affidavit.rebuild.extractors.rules.statement import Finding

_RULES = (*FIRST_PERSON_RULES, *DISLIKE_RULES, *LIKE_RULES, *DECISION_RULES, *SELF_RULES)
_DROPPED_RULES = tuple(rule for rule in _RULES if rule.dropped)
_SOMEBODY = any_of((*OTHERS, *OTHER_PRONOUNS, "天气", "外面", "店"))
_SAID_OF_TOPIC = (*TASTE_TOPICS, *CHOICE_TOPICS)
_SAID_WITHOUT_SUBJECT = (*TOPIC_RULES, *_SAID_OF_TOPIC)
_NOBODY = re.compile(_SOMEBODY)
_TRAILING = re.compile(rf"(?:{TOPIC_ADVERBS})+$")
_SAID_KEY = re.compile(
    r"不|可以|能(?=[吃喝听看天])|戒|改|换|定|约在|安排|推到|提前|选在|订在|敲定|"
    r"放弃|取消|作罢|泡汤|推掉|退掉|欣赏|接受|受不|忍不|无感|没兴趣|打算|准备|"
    r"决定|喜欢|爱|超爱|最爱|离不开|百|怎么|情有独钟|上头|天天|顿顿|每天|一[点口]|"
    r"[写弹拉唱画做游打学说听读吃看喝用穿坐睡玩]"
)
_MADE = re.compile(r"[没未了差剩缺]|完成")
_KEYED_RULES = tuple(rule for rule in _RULES if rule.kind in ("preference", "decision") and rule.attribute != "future")
_KEY = re.compile(
    r"不喜欢|不太喜欢|不怎么喜欢|不爱|不太爱|喜欢|爱(?=[吃喝看玩听逛用穿睡跑骑做写读泡养上])|"
    r"讨厌|受不了|离不开|迷上|偏爱|宁可|宁愿|更习惯|"
    r"不(?:怎么|太|再)?[吃喝碰沾抽](?!了|到|完|过|得|出|起|准|惯|下)|打算|不打算|"
    r"决定|准备(?!好|的)|选了|定了|改用|换成|放弃|想好|考虑(?!到|过)"
)
_BEFORE_A_KEY = re.compile(any_of((*OTHERS, *OTHER_PRONOUNS, *TALK, "的", "医生", "说", "不是", "没", "为了", "因为")))
_COMMAND = re.compile(r"[改换切转选投用取放推不定先就]|建议")
_ONLY = re.compile(r"(?:只|光|专门)$")
_FELT = frozenset({"likes", "health", "language", "plan", "skill", "diet", "prefers", "favourite"})
"""Attributes whose rules may hold a word of feeling or of talk."""


def _first(rules: tuple[Rule, ...], said: str) -> tuple[Finding, str] | None:
    """The first rule that matches what is said of a topic."""
    for rule in rules:
        found = rule.pattern.match(said)
        if found:
            groups = found.groupdict()
            value = groups.get("value") or groups.get("topic") or ""
            return Finding(rule.kind, rule.attribute, value, polarity=polarity_of(rule, found)), ""
    return None


def _at(key: re.Pattern[str], rules: tuple[Rule, ...], folded: str, guard: re.Pattern[str]) -> tuple[Finding, str] | None:
    """The first rule that matches from a key on, where what stands before the key is a topic."""
    if guard.match(folded):
        return None
    for place in key.finditer(folded, 1, 18):
        found = _first(rules, folded[place.start() :])
        if found is not None:
            topic = _TRAILING.sub("", folded[: place.start()])
            return (replace(found[0], value=found[0].value or topic), "") if topic else found
    return None


def judge_topic(clause: Clause) -> tuple[Finding, str] | None:
    """What a clause with a topic and no subject states."""
    folded = clause.folded
    found = (
        _first(THING_TOPICS, folded)
        or _at(_SAID_KEY, _SAID_WITHOUT_SUBJECT, folded, _NOBODY)
        or _first(STATUS_TOPICS, folded[clause.verb :])
        or _at(LIVED_KEY, LIVED_TOPICS, folded, NO_WORK)
        or (_MADE.search(folded) and _at(STATE_KEY, STATE_TOPICS, folded, NO_WORK))
        or None
    )
    return None if found and _aside_of_topic(clause.folded) else found


def _aside_of_topic(folded: str) -> bool:
    """Tells whether a clause with a topic is a feeling, a word about the talk, or a trial of the moment."""
    return feels(folded) or is_trial(folded)


def judge(clause: Clause) -> tuple[Finding, str] | None:
    """What is stated: a finding and, where a template words it, the words after "用户"."""
    said = clause.folded[clause.verb :].strip()
    adverbs = clause.folded[: clause.verb]
    found = _first(_SAID_OF_TOPIC, said) if clause.topic else None
    if found is None and _ONLY.search(adverbs):
        found = _first(ONLY_RULES, said)
    return found or _by_table(said, adverbs, clause) or _by_key(said, adverbs, clause)


def judge_rest(clause: Clause) -> tuple[Finding, str] | None:
    """What is stated by a clause that no table words."""
    return judge_event(clause.folded[clause.verb :].strip(), clause.folded[: clause.verb], clause)


def _by_key(said: str, adverbs: str, clause: Clause) -> tuple[Finding, str] | None:
    """What is stated where more than adverbs stands before the verb of a taste or a choice ("我这人就爱吃辣")."""
    key = _KEY.search(said, 1, 14)
    if key is None or _BEFORE_A_KEY.search(said, 0, key.start()):
        return None
    opening = ADVERBIALS.match(said, key.start())
    return _by_table(said[opening.end() if opening else key.start() :], adverbs + said[: key.start()], clause, keyed=True)


def _by_table(said: str, adverbs: str, clause: Clause, *, keyed: bool = False) -> tuple[Finding, str] | None:
    """What the first rule that matches makes of what is said."""
    felt = None
    for rule in _KEYED_RULES if keyed else _DROPPED_RULES if clause.who == "dropped" else _RULES:
        match = rule.pattern.match(said)
        if match is None:
            continue
        if rule.attribute not in _FELT:
            felt = feels(said) if felt is None else felt
            if felt:
                return None
        if rule.attribute == "future" and (not FUTURE.search(adverbs) or PAST.search(adverbs)):
            continue
        if rule.kind == "decision" and _commands(said, adverbs, clause):
            continue
        return _stated(rule, match, adverbs)
    return None


def _commands(said: str, adverbs: str, clause: Clause) -> bool:
    """Tells whether what looks like a choice may be a command: no subject, no adverb, no 了, at the sentence's end."""
    return clause.who == "dropped" and clause.last and not adverbs and "了" not in said and bool(_COMMAND.match(said))


def _stated(rule: Rule, match: re.Match[str], adverbs: str) -> tuple[Finding, str]:
    """The finding of a rule that matched, and the words of its template."""
    value = (match.groupdict().get("value") or "").strip()
    polarity = polarity_of(rule, match, adverbs)
    text = rule.text.format(value) if rule.text and not (polarity == "negative" and rule.polarity == "positive") else ""
    attribute = "plan" if rule.attribute == "future" else rule.attribute
    return Finding(rule.kind, attribute, value, polarity=polarity), text
