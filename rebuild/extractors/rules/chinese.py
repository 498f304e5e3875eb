"""What a Chinese chunk says of its writer.

Each clause is folded to simplified characters, given a subject, and matched against the tables; the sentence that is
made of it keeps the script of the source, with 用户 where the writer stood.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from affidavit.rebuild.extractors.rules.chinese_clauses import Clause, clauses
from affidavit.rebuild.extractors.rules.chinese_rules import judge, judge_rest, judge_topic
from affidavit.rebuild.extractors.rules.chinese_things import judge_thing
from affidavit.rebuild.extractors.rules.chinese_words import fold
from affidavit.rebuild.extractors.rules.clauses import Sentence
from affidavit.rebuild.extractors.rules.statement import Finding, Statement
from affidavit.rebuild.extractors.rules.testimony import MASK

_LONGEST = 120
"""No clause of more characters is testimony about oneself; it is a paste that nothing marked."""

_FIRST_PERSON = re.compile(r"我们|我們|咱们|咱們|本人|我自己|我|俺|咱")
_OUR_THING = re.compile(r"(?:我们|我們|咱们|咱們)的?(?:公司|团队|團隊|家|学校|學校|部门|部門|单位|單位|项目|專案)")
_UNFOLDED = str.maketrans("欢对过岁语户爱学会讲说", "歡對過歲語戶愛學會講說")
"""The characters of the templates, for a source in traditional ones."""

_YOU = re.compile(r"[你您]")


def read(text: str, sentence: Sentence) -> Iterator[Statement]:
    """Yields the statements of one sentence."""
    for clause in clauses(text, sentence):
        if len(clause.folded) > _LONGEST or MASK in clause.folded or _YOU.search(clause.folded):
            continue
        found = _judge(clause)
        if found is not None:
            finding, words = _verbatim(text[clause.start : clause.end], clause.folded, *found)
            said = _sentence(text[clause.start : clause.end], clause, finding, words)
            yield Statement(clause.start, clause.end, replace(finding, text=said), clause.hedged)


def _judge(clause: Clause) -> tuple[Finding, str] | None:
    """Asks the rules that fit the clause's subject."""
    if clause.who == "thing":
        return judge_thing(clause.folded, own=True)
    found = judge_thing(clause.folded, own=clause.who == "self") or judge(clause)
    if found is None and (clause.topic or clause.who == "dropped"):
        found = judge_topic(clause)
    return found or judge_rest(clause)


def _verbatim(source: str, folded: str, finding: Finding, words: str) -> tuple[Finding, str]:
    """Puts the value back into the characters of the source; folding has kept its place."""
    place = folded.find(finding.value) if finding.value else -1
    if place < 0 or source == folded:
        return finding, words
    value = source[place : place + len(finding.value)]
    template = (part.translate(_UNFOLDED) for part in words.split(finding.value))
    return replace(finding, value=value), value.join(template)


def _user(text: str) -> str:
    """The word for the user in the script of the source."""
    return "用户" if fold(text) == text else "用戶"


def _sentence(source: str, clause: Clause, finding: Finding, words: str) -> str:
    """Words the statement: by its template, or the clause itself with the writer in the third person."""
    user = _user(source)
    if words:
        return f"{user}{words}。"
    if finding.entity != "user" and clause.who == "dropped":
        return f"{source.strip()}。"
    return f"{_third_person(source, user)}。"


def _third_person(source: str, user: str) -> str:
    """Puts a clause into the third person: the first 我 is the user, later ones 其."""
    first = _FIRST_PERSON.search(source)
    if first is None:
        return user + source.strip()
    if _OUR_THING.match(source, first.start()):
        subject = f"{user}的"
        return source[: first.start()] + subject + _FIRST_PERSON.sub("其", source[first.end() :]).removeprefix("的").strip()
    subject = f"{user}和其他人" if first.group() in ("我们", "我們", "咱们", "咱們") else user
    rest = _FIRST_PERSON.sub(lambda later: "自己" if later.group() == "我自己" else "其", source[first.end() :])
    return (source[: first.start()] + subject + rest).strip()
