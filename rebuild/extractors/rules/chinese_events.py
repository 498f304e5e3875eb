"""Clauses that no table words, read by their aspect.

Chinese marks what was done with 了 and 过, what is going on with 在, and what is usual with an adverb or a count of times.
Such a clause is a fact, unless its verb tells of a feeling or belongs to the talk. Where the subject is dropped, the
clause must begin with a verb of everyday events, or something else may be its subject.
"""

import re

from affidavit.domain.proposals import Polarity
from affidavit.rebuild.extractors.rules.chinese_clauses import Clause
from affidavit.rebuild.extractors.rules.chinese_words import NUMBER, SPELL, any_of
from affidavit.rebuild.extractors.rules.lexicon_chinese import (
    EVENTS,
    EVENTS_SHORT,
    FEELINGS,
    HABITS,
    HOMOGRAPHS,
    OTHER_PRONOUNS,
    OTHERS,
    STATES,
    TALK,
    TRIALS,
    WORKS,
)
from affidavit.rebuild.extractors.rules.statement import Finding

_FEELING_WORDS = re.compile(any_of(FEELINGS | TALK))
_FEELING_END = re.compile(r"^(?:太|好)(?!几).{1,4}(?:了|啊)?$|^.{0,12}死了$|^.{0,8}(?:得要死|得不行|得慌)$")
_TRIAL = re.compile(any_of(TRIALS))

_V = "[" + "".join(sorted(EVENTS_SHORT)) + "]"
_VERB = rf"(?!{any_of(HOMOGRAPHS)})(?:{_V}|{any_of(word for word in EVENTS if word[0] not in EVENTS_SHORT)})"
_COVERB = (
    r"(?:(?:体检|在|跟|和|给|把|被|从|用|为|替|陪|带|对|向|往|拿|靠|去|坐|骑|"
    r"开车|一个人|自己|专程|特意|顺路|偷偷|又|才|刚|"
    r"重新|连着|一口气|顺利|差点|跑去|找|让|请|托|由)[^，]{0,12}?)"
)
_NOT = r"(?:没有|没|从没|还没|未|从来没|从未|压根没|一直没)"
_DONE = re.compile(
    rf"^{_NOT}?{_COVERB}{{0,2}}{_VERB}[\u4e00-\u9fff]{{0,3}}?(?:了(?!吗|就|解|不)|过(?!吗|敏|分|去|得|来)|着(?!急|重))"
)
_ENDS_DONE = re.compile(rf"^{_NOT}?{_COVERB}{{0,2}}{_VERB}(?![^，]{{0,4}}不)[^，]{{1,20}}了$")
_NOT_DONE = re.compile(rf"^{_NOT}{_COVERB}?{_VERB}[^，]{{0,20}}$")
_RESULT = re.compile(rf"^{_COVERB}?{_VERB}(?:到|完|好|上|成|下|出|回|中|走|掉|满|进|会|给)(?!底)[^，]{{2,20}}$")
_DOING = re.compile(
    rf"^(?:正)?在(?!家|线|等|想|看(?!病|心理|牙)|忙|开会|路上|吃饭|犹豫|纠结|考虑|聊|问|说){_VERB}[^，]{{0,14}}$"
)
_AGED = re.compile(rf"^{_COVERB}?{_VERB}[^，]{{0,12}}?{SPELL}了?$")
_TIMES = re.compile(
    r"(?:每天|天天|每周|每个?月|每年|每晚|每早|每隔|每次|隔三差五|隔天|一[天周月年](?:得|"
    r"要|就|只|大概|去|吃|喝|跑|练|上|回)*[一二两三四五六七八九十几\d]+[次顿回杯包趟天节]|"
    r"一个(?:月|星期|礼拜)[^，]{0,4}?[一二两三四五六七八九十几\d]+[次顿回杯趟])"
)
_FREQUENT = re.compile(
    r"从来|以前|曾经|一直|每天|天天|每周|每个月|每月|每年|每晚|每个?周末|平时|平常|通常|经常|常常|总是|偶尔|习惯|"
    r"向来|老是|成天|整天|晚上|白天|早上|夜里|从小|常年|长年|长期|一般|周末|午休"
)
_HABIT = re.compile(rf"^(?:都|就|还|也|只)?{_COVERB}?{any_of(HABITS)}(?!个|一下|一?点)[^，了]{{1,20}}$")
_EMPHATIC = re.compile(
    rf"^是(?!认真|开玩笑|真|这样|那样|故意|说|想|觉得|指|怕|要|来|不)(?:被|跟|"
    rf"和|从|在|上|自己|去年|前年|今年|小时候|{NUMBER}|靠|坐|骑|开|托|找|学|做|"
    rf"搞|干|教|卖|{_V})[^，]{{1,16}}的$"
)
_NOTHING = re.compile(
    r"^(?:连|一|半)(?:个|次|天|句|口|分|点儿?|本|集|滴|根|场|回|件|门)?[^，]{0,8}?[都也](?P<no>没|"
    r"不)(?!知道|懂|明白|想|行|够)[^，]{1,12}$"
)
_IS_ONE = re.compile(r"^是(?:一?[个名位])?(?!不是|真|这|那|我|什么|因为|为了|说|想|觉得|因|要)[\u4e00-\u9fffA-Za-z]{2,12}$")
_CEASED = re.compile(r"^不(?:再)?[\u4e00-\u9fff]{1,8}了$")
_CEASED_ADVERB = re.compile(r"早就|已经|不再|早|现在|很久")
_NEGATIVE = re.compile(r"^(?:不|没|从不|从没|还没|还不|未|并不|不再|从来没|从未|一直没|压根没)")
_TOLD = re.compile(
    r"^(?:没|不)?(?:有)?(?:说|问|想(?!到过)|觉|看到|看(?:了[看下]|着|来)|听|发(?!烧|"
    r"现金|工资|福)|试|写错|弄错|搞错|错|来(?:了|不|着|$)|到(?:了|底)|好[了的]|"
    r"行|对[了的]|算|"
    r"忘|懂|完了|等|花了?时间|靠$|去$|走了$|睡了$|撤了|溜了|下了$|去[^，]{1,4}了$|"
    r"信|管|服|理|弄不|搞不|做不|写不|用不|被(?:吓|气|问|逗|骂|坑|打|雷|种草)|"
    r"先[^，]{1,8}|换个|随便|开玩笑|收回|重[新来]说|补充|接着|继续|跑(?:了一?下|"
    r"起来)|走神|就(?:是|想|问)|没事|没法|没办法|没关系|没时间|没空|没钱|没什么|"
    r"没啥|没有?问题|没意见|拍[^，]{0,3}给)"
)
_REPEATED = re.compile(r"^(.)(?:了|一)?\1")
_PIVOT = re.compile(r"^.{1,3}了就|^[^，]{1,8}了(?:还是|怎么|才知道|之后就)")
_WORK = re.compile(
    any_of(
        WORKS
        - {
            "合并",
            "申请",
            "装修",
            "翻译",
            "服务",
            "发布",
            "上线",
            "评审",
            "合同",
            "活动",
            "店铺",
            "新店",
            "民宿",
            "数据",
            "画",
            "本子",
            "片子",
        }
    )
)
_UNMADE = re.compile(
    r"(?:还|都|一直|迟迟|至今|字|行|才|也)没[^，]{0,3}?(?:写|改|画|剪|录|译|翻|"
    r"测|调|跑|提|发布|部署|重构|上线|完成|补|审|校|动|印|排版|定稿|合|搭|弄|"
    r"做(?!过))|没(?:写完|做完|改完|动笔|上线|做$|写$|画$|剪$)"
)
_STATE = re.compile(any_of(STATES))
_LACKING = re.compile(r"(?:还|都|也|一直|迟迟|至今|压根|从|愣是|[\u4e00-\u9fff])(?:没|未(?!来))(?!事|准|必|意思|问题)")
_AHEAD = re.compile(r"明[天年早晚]|后天|下(?:个|周|星期|礼拜|半年|学期)|[年月]底|年后|国庆|五一|元旦|暑假|寒假|过完年")
_BEHIND = re.compile(r"过|去年|前年|上个?[周月]|每|已经|刚|[买拿考生搬卖到]了")
_CHOSEN = re.compile(r"^(?:报(?:了|上)?(?:个|一个)?名|[^，]{0,6}(?:算了|就这么定|说定)|[^，]{0,4}要[^，]{1,10}了$)")
_WORK_VERB = re.compile(
    r"(?:写|改|做|弄|搭|搞|画|剪|录|译|翻|测|调|修|查|跑|迁|交|提|发|寄|送|传|"
    r"合|推|投|部署|重构|上线|完成|补|删|排|审|校|定|收)[\u4e00-\u9fff]{0,2}?"
    r"(?:完|好|出来|出去|上去|掉|通|定|了|过)"
)


_ALONE = re.compile(r"^住$|^过$|^生活$")
_BY_ONESELF = re.compile(r"一个人|自己|独自")
_GOING_ON = re.compile(r"正在?$|还在$")
_OPENS = re.compile(rf"^{_COVERB}?{_VERB}")
_COMMANDED = re.compile(r"^(?:写|画|做|用|给|去|回|上|打|拍|翻|用|存|起|订|刻|加|跳|陪|听)")
_MODAL = re.compile(
    r"^(?:喜欢|爱|讨厌|要|得(?!了|过)|该|需|想|希望|愿意|能|可以|应|必须|不得不|"
    r"会|肯定|来|去(?!过|年)|先|再|就|只是|倒|让|把|给|帮|等|马上|不想|不要|不会|"
    r"不能|不是|不用|不敢|不太?|"
    r"没想|没法|看|听|说|写|做|找|用|选|改|换|是|有(?:个|点|一|些|几|没|什么|"
    r"事|空)|有|对|还|真|太|好|怎|这|那|一|死|都|也|求|敢|靠|晕|急|发|跟|和|被)"
)
_REPORT = 18
"""A report before a request is short."""

_NO_REPORT = re.compile(
    rf"{any_of(OTHERS | OTHER_PRONOUNS)}|[这那不就再先要想请把给用按]|天|外面|"
    rf"最近天|现在的|网上|新闻|听|看|说|如|上面|下面|同|每个人|有(?!个|[两三四])|"
    rf"别|没想|早知|怪不得|难怪|"
    r"写|画|做(?!了|过)|列|讲|翻|改成|总结|解释|推荐|设计|生成|行|好|太|真|可|"
    r"谢|明白|收到|懂|对|嗯|哈|等|早[睡起]|猫|狗|鱼|世界|人(?!在)|公司|店|房东|"
    r"小区|楼|热水器|冰箱|空调|洗衣机|电梯|暖气|路由器|周一|政府|国家|学校"
)
_VERDICT = re.compile(
    r"太|真的|好看|好吃|不错|离谱|有意思|没意思|挺|绝了|应该|必须|一定|才能|才会|"
    r"越|往往|都要|就会|容易|谁|大家|别人|他|她|它|的人|道理"
)
_ASPECT = re.compile(
    r"(?<!为)了|[^经路]过(?!敏|程|分|于)|没(?!意|必|准|问|关)|刚|一直|已经|从小|正在|终于|还没|每[天周月年]"
)
_SOON = re.compile(r"先$|马上$|再$|就$|等会儿?$")
_ELSEWHERE = re.compile(r"^(?:们)?(?:家|这|那|小区|公司|单位|学校|班|村|楼)")


def feels(said: str) -> bool:
    """Tells whether a predicate is of a feeling or of the talk itself."""
    return bool(_FEELING_WORDS.search(said) or _FEELING_END.search(said))


def is_trial(said: str) -> bool:
    """Tells whether a clause is of a trial of the moment or of the talk."""
    return bool(_TRIAL.search(said))


def _happened(said: str, adverbs: str, *, dropped: bool) -> bool:
    """Tells whether a verb of everyday events, with its aspect, opens the predicate."""
    if _DONE.match(said) or _ENDS_DONE.match(said) or _NOT_DONE.match(said) or _DOING.match(said):
        return True
    if _GOING_ON.search(adverbs) and _OPENS.match(said):
        return True
    return bool((adverbs or not dropped) and (_RESULT.match(said) or _AGED.match(said)))


def _usual(said: str, adverbs: str, *, dropped: bool, last: bool) -> bool:
    """Tells whether a predicate is of what the writer does as a rule; a command stands at a sentence's end."""
    if _HABIT.match(said):
        often = _FREQUENT.search(adverbs) or _TIMES.search(said)
        return bool(not dropped or often or not (last or _COMMANDED.match(said)))
    return not dropped and bool(_TIMES.search(said) or (_FREQUENT.search(adverbs) and len(said) > 2))


def _is(said: str, adverbs: str, *, dropped: bool) -> bool:
    """Tells whether a predicate is of what the writer is, or how something came about."""
    if _EMPHATIC.match(said) or _NOTHING.match(said):
        return True
    if _CEASED.match(said) and _CEASED_ADVERB.search(adverbs):
        return True
    return not dropped and not said.endswith("的") and bool(_IS_ONE.match(said))


def _aside(said: str) -> bool:
    """Tells whether a predicate belongs to the talk, to a trial of the moment, or leads to another."""
    return bool(_TOLD.match(said) or _TRIAL.search(said) or _REPEATED.match(said) or _PIVOT.match(said))


def _told(said: str, adverbs: str) -> bool:
    """Tells whether the writer, named as 我, tells of themself with no mark of aspect: all but modals and asides."""
    return len(said) > 3 and not (_MODAL.match(said) or _SOON.search(adverbs) or _ELSEWHERE.match(said))


def _reported(clause: Clause) -> bool:
    """Tells whether a clause with no subject reports something before a request, as "糖耐没过，早餐该怎么搭" does."""
    folded = clause.folded
    if (
        clause.last
        or not 4 <= len(folded) <= _REPORT
        or _NO_REPORT.match(folded)
        or _NO_REPORT.match(clause.folded[clause.verb :])
        or _VERDICT.search(folded)
    ):
        return False
    return bool(_ASPECT.search(folded))


def judge_event(said: str, adverbs: str, clause: Clause) -> tuple[Finding, str] | None:
    """A fact, or the state of a work, without a template: something done, something usual, something one is."""
    dropped = clause.who == "dropped"
    if _ALONE.match(said) and _BY_ONESELF.search(adverbs):
        return Finding("fact", "home"), ""
    if len(said) < 2 or feels(said) or _aside(said) or (_SOON.search(adverbs) and "了" not in said):
        return None
    stated = _happened(said, adverbs, dropped=dropped) or _usual(said, adverbs, dropped=dropped, last=clause.last)
    stated = stated or _is(said, adverbs, dropped=dropped)
    if not (stated or (_reported(clause) if dropped else _told(said, adverbs))):
        return None
    return _worded(clause.folded if dropped else said, said, adverbs)


def _worded(whole: str, said: str, adverbs: str) -> tuple[Finding, str]:
    """The kind and polarity of what no table words: a choice, the state of a work, or a fact."""
    negative = bool(_NOTHING.match(said) or _NEGATIVE.match(said) or _LACKING.search(whole)) or "还没" in adverbs
    polarity: Polarity = "negative" if negative else "positive"
    if _AHEAD.search(adverbs) and not negative and not _BEHIND.search(whole):
        return Finding("decision", "plan"), ""
    if _CHOSEN.search(said) and not negative:
        return Finding("decision", "decision"), ""
    work = _WORK.search(whole)
    if _UNMADE.search(whole) or (work and (_WORK_VERB.search(whole) or _STATE.search(whole))):
        return Finding("project_state", "status", polarity=polarity, entity=work.group() if work else "user"), ""
    return Finding("fact", polarity=polarity), ""
