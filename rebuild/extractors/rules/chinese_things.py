"""Rules for Chinese clauses about the writer's things: "我的端口是7777", "我老婆叫小雨", "测试已经通过了"."""

import re

from affidavit.domain.proposals import Polarity
from affidavit.rebuild.extractors.rules.chinese_words import any_of
from affidavit.rebuild.extractors.rules.lexicon import lexicon
from affidavit.rebuild.extractors.rules.lexicon_chinese import (
    CIRCUMSTANCES,
    FEELINGS,
    KIN,
    OTHERS,
    SETTINGS,
    STATES,
    WORKS,
)
from affidavit.rebuild.extractors.rules.statement import Finding

_MINE = r"(?:我们|咱们|本人|我|俺|咱)(?:的)?"
_NAME = re.compile(rf"^{_MINE}(?:名字|大名|全名|真名)(?:是|叫)(?P<value>[\w·]{{2,12}})$")
_KIN = tuple(
    (
        re.compile(
            rf"^{_MINE}(?:家的?)?(?P<kin>(?:大|小)?{any_of(nouns)})(?:的名字)?(?:名叫|叫做|叫|是)(?P<value>[\w·]{{2,8}})$"
        ),
        attribute,
    )
    for attribute, nouns in KIN.items()
)
_FAVOURITE = re.compile(
    r"^(?:我们|我)最(?:喜欢|爱)的.{1,10}?(?:是|就是)(?P<value>.{1,24})$|^(?P<thing>.{1,16}?)是我最(?:喜欢|"
    r"爱)的.{0,10}$"
)
_SETTING = re.compile(
    rf"^(?:{_MINE})?(?P<name>[\w\s]{{0,10}}?{any_of(SETTINGS)})(?P<no>不)?(?:已经|现在|目前|"
    r"刚)?(?:是|改成|改为|改到|换成|挪到|迁到|移到|挂在|跑在|监听在?|开在|绑在|"
    r"指向|走的是|走|设为|设成|设置为|设在|用的是|为|在)(?:了)?"
    r"(?P<value>[^，。的]{1,24}?)(?:了)?$",
)
_PERSON = re.compile(rf"^{_MINE}(?:家的?)?(?:{any_of((*OTHERS, *(word for nouns in KIN.values() for word in nouns)))})")
_THING = re.compile(
    rf"^(?:(?P<mine>{_MINE})(?P<noun>(?:(?<=的)[^，]{{0,6}}?|[^，]{{0,2}}?){any_of(CIRCUMSTANCES - {'家', '车'})}|"
    rf"(?P<own>家|车))|(?P<bare>{any_of(CIRCUMSTANCES - {'家', '车', '公司', '学校', '电脑', '手机'})}))"
    r"(?P<said>.{2,40})$",
)
_MONTHLY = re.compile(r"^每(?:个)?月(?:到手|工资|收入|房租|还贷).{1,12}$")
_ATTRIBUTES = {
    "birthday": lexicon("生日"),
    "timezone": lexicon("时区"),
    "contact": lexicon("邮箱 电话 手机号 微信"),
    "language": lexicon("母语 普通话 英语 粤语 日语"),
    "education": lexicon("专业 学历"),
    "job": lexicon("职业 工作 岗位 职位"),
    "hobby": lexicon("爱好 兴趣"),
    "origin": lexicon("老家 家乡 籍贯"),
    "nationality": lexicon("国籍"),
    "health": lexicon("血型 血压 复查 手术 体检 胃 膝盖 腰 颈椎 视力 牙"),
    "age": lexicon("年龄"),
}
_PLANS = ("梦想", "目标", "计划")
_SAYS = re.compile(r"(?:是|在|涨|降|到|有|要|只|改|定|约|换|不|没|坏|丢|过期|快|还剩|每|[\d一二三四五六七八九十百千万]+)")
_WORK = re.compile(
    rf"^(?:(?:我们|我)的?)?(?P<work>[\w\s]{{0,8}}?(?:{any_of(WORKS)}|(?:那|这)(?:页|"
    rf"章|块|段|节|部分|版|关|几章|一章|一版))(?:的[\u4e00-\u9fff]{{1,3}})?"
    r"(?:第?[一二三四五六七八九十\d]+[版稿章期部轮次]|[那这][页章块版一二三]?|部分|模块|功能|环节)?)(?:我|"
    r"我们)?(?:从.{1,6}?起|前天|上个?月|这个?月|这周|今早|今晚|刚才|早就|早|后来|"
    r"被|一个字都|一行都|一点都|已经|也|都|就|刚刚?|终于|今天|昨天|昨晚|上周|"
    r"现在|目前|还|才|"
    r"全部|全|一直|又|差不多|快|基本上?|刚刚|总算|正在|在|\s)*"
    rf"(?P<no>没有|没|未|不)?(?:开始|能|有|再)?(?P<state>{any_of(STATES)}|(?<=[没未])[写做改测发交审批合补上画拍录剪译校定调修迁签谈印接测报])"
    rf"(?:.{{0,16}})$",
)


_MAY_BE_STATE = re.compile(any_of(STATES) + "|没|未")
_LACKS = re.compile(r"没|不(?!动)")


def _attribute(noun: str) -> str:
    """The attribute that a thing's noun names, or nothing."""
    return next((name for name, nouns in _ATTRIBUTES.items() if noun.endswith(tuple(nouns))), "")


def _name(clause: str) -> tuple[Finding, str] | None:
    found = _NAME.match(clause)
    return (Finding("fact", "name", found["value"]), f"的名字是{found['value']}") if found else None


def _kin(clause: str) -> tuple[Finding, str] | None:
    for pattern, attribute in _KIN:
        found = pattern.match(clause)
        if found:
            return Finding("fact", attribute, found["value"]), f"的{found['kin']}叫{found['value']}"
    return None


def _favourite(clause: str) -> tuple[Finding, str] | None:
    found = _FAVOURITE.match(clause)
    return (Finding("preference", "favourite", found["value"] or found["thing"]), "") if found else None


def _setting(clause: str) -> tuple[Finding, str] | None:
    found = _SETTING.match(clause)
    if found is None or not (clause.startswith(("我", "咱", "俺")) or re.search(r"[\dA-Za-z]", found["value"])):
        return None
    name = found["name"].strip()
    polarity: Polarity = "negative" if found["no"] else "positive"
    attribute = "timezone" if name == "时区" else f"setting: {name}"
    words = f"的{name}{found['no'] or ''}是{found['value']}"
    return Finding("fact", attribute, found["value"], polarity=polarity), words


def _state(clause: str) -> tuple[Finding, str] | None:
    found = _WORK.match(clause) if _MAY_BE_STATE.search(clause) else None
    if found is None:
        return None
    negative = bool(found["no"]) or bool(_LACKS.search(found["state"]))
    value = (found["no"] or "") + found["state"]
    return Finding(
        "project_state",
        "status",
        value,
        polarity="negative" if negative else "positive",
        entity=re.sub(r"^[这那]个?", "", found["work"].strip()),
    ), ""


def _thing(clause: str) -> tuple[Finding, str] | None:
    if _MONTHLY.match(clause):
        return Finding("fact"), ""
    found = _THING.match(clause)
    if found is None or _PERSON.match(clause) or not _SAYS.search(found["said"]) or any(word in clause for word in FEELINGS):
        return None
    noun, said = found["noun"] or found["bare"], found["said"]
    if found["own"] and not said.startswith(("在", "坏", "是", "停")):
        return None
    plan = noun.endswith(_PLANS)
    attribute = "plan" if plan else _attribute(noun)
    value = re.sub(r"^(?:就是|是|在|叫)\s*", "", said) if re.match(r"^(?:就是|是|在|叫)", said) else ""
    negative = bool(re.match(r"^(?:一直|还|也|都)?(?:不|没)", said))
    return Finding("decision" if plan else "fact", attribute, value, polarity="negative" if negative else "positive"), ""


_OWN_RULES = (_name, _kin, _favourite, _setting, _state, _thing)
_BARE_RULES = (_favourite, _state, _setting, _thing)


def judge_thing(clause: str, *, own: bool) -> tuple[Finding, str] | None:
    """What a clause about a thing says of the writer; `own` where it begins with "我的", "我家" and the like."""
    for rule in _OWN_RULES if own else _BARE_RULES:
        found = rule(clause)
        if found is not None:
            return found
    return None
