"""The tables of Chinese rules: what is said of the writer, pattern by pattern.

A pattern is matched against what is said of the writer, that is the clause after its subject and its adverbs. The first
that matches decides, so that the narrow patterns stand before the wide ones.
"""

from affidavit.rebuild.extractors.rules.chinese_rule import Rule, rule
from affidavit.rebuild.extractors.rules.chinese_words import any_of
from affidavit.rebuild.extractors.rules.lexicon_chinese import ILLNESSES, JOBS, KIN, WORKS

_COUNT = r"(?:[一二两三四五六七八九十几\d]+|半)?(?:个|位|只|条|匹|对|群|名)?"
_THESE = r"(?!这|那|你|他|她|它|这个|那个|这么|那么|一下|了$)"
_FOR = (
    r"(?:已经|都|有|快|差不多|满)*(?:(?:[一二两三四五六七八九十几半\d]+|好几)(?:多)?(?:年|"
    r"个月|周|个?星期|天)(?:多)?)?"
)
_LASTING = r"(?:年|个月|周|个?星期|天|多年|好几年|很多年)"

FIRST_PERSON_RULES: tuple[Rule, ...] = (
    rule(
        rf"^(?:大?名?叫做?|名字(?:是|叫)|的名字(?:是|叫)){_THESE}(?P<value>[\w·]{{2,12}})$",
        "fact",
        "name",
        "的名字是{}",
        dropped=False,
    ),
    rule(r"^姓(?P<value>[\u4e00-\u9fff]{1,2})$", "fact", "name", "姓{}", dropped=False),
    rule(
        r"^(?:满|年满|已经|都|刚满)?(?P<value>\d{1,3}|[一二三四五六七八九十]{1,3})岁(?:半|"
        r"多)?了?$",
        "fact",
        "age",
        "{}岁",
    ),
    rule(
        r"^(?:从.{1,10}?)?搬(?:到|去|来|回|进)(?:了)?(?P<value>(?!新家|一起).{2,20}?)(?:来|"
        rf"去|住)?{_FOR}了?$",
        "fact",
        "home",
        "住在{}",
    ),
    rule(
        rf"^(?P<no>不)?(?:定居|租住|居住|住)(?:在|到)?(?P<value>(?!院|校|一起|得|不|宾馆|酒店).{{2,20}}?){_FOR}了?$",
        "fact",
        "home",
        "住在{}",
    ),
    rule(r"^(?:家)住(?P<value>.{2,20}?)$", "fact", "home", "住在{}"),
    rule(r"^(?:是从|来自|老家(?:在|是)|家乡(?:在|是)|出生(?:在|于)|生于)(?P<value>.{2,20}?)(?:来)?的?$", "fact", "origin"),
    rule(r"^是(?P<value>[\u4e00-\u9fff]{2,6})人$", "fact", "origin", "是{}人"),
    rule(r"^在(?P<value>.{2,20}?)(?:长大|出生)的?$", "fact", "origin"),
    rule(rf"^在.{{2,24}}?(?:当|做)(?:一?[个名位])?(?P<value>{any_of(JOBS)})$", "fact", "job"),
    rule(
        r"^(?P<no>不)?(?:再)?在(?P<value>(?!考虑|准备|找|打算|想|等).{1,24}?)(?:工作|上班|任职|供职|打工|实习|就职)(?:了|"
        r"的)?(?:[一二三四五六七八九十\d]+年了?)?$",
        "fact",
        "employer",
        "在{}工作",
    ),
    rule(r"^(?:入职|加入|跳槽到|跳槽去|就职于|供职于|任职于)了?(?P<value>.{2,24}?)$", "fact", "employer"),
    rule(r"^(?:毕业于|考上了?|学的是|主修)(?P<value>.{2,24}?)了?$", "fact", "education"),
    rule(
        r"^(?:从.{1,12}?)?(?:辞职|离职|退休|失业|创业|转行|毕业|升职|结婚|离婚|订婚|怀孕|被裁)(?!$)(?:了|"
        r".{0,12})$"
    ),
    rule(rf"^(?:是|做|当)(?:一?[个名位])?(?P<value>[^，]{{0,10}}?{any_of(JOBS)})$", "fact", "job", "是{}"),
    rule(r"^(?:在)?做(?P<value>[\u4e00-\u9fff\w]{2,10})(?:工作|行业|这行)?的$", "fact", "job"),
    rule(
        r"^(?:在.{2,16})?(?:读|念|上)(?:的是)?(?P<value>.{0,12}?(?:大[一二三四学]|研究?[一二三生]?|"
        r"博士?|硕士?|高[一二三中]|专业|本科|MBA))了?$",
        "fact",
        "education",
    ),
    rule(
        r"^(?P<no>不)?对(?P<value>.{1,12}?)(?<!不)(?:都|也|完全)*(?:严重|轻微|有点|重度)?过敏$",
        "fact",
        "allergy",
        "对{}过敏",
    ),
    rule(r"^对(?P<value>.{1,12}?)(?P<no>不)过敏$", "fact", "allergy"),
    rule(r"^(?P<value>.{1,6}?)过敏$", "fact", "allergy", "对{}过敏"),
    rule(
        r"^(?:查出来?有?|有|得了|得过|患有|患了|确诊了?|查出了?|犯了)(?:轻度|中度|重度|轻微|"
        r"严重|先天性)?" + rf"(?P<value>.{{0,8}}?{any_of(ILLNESSES)}.{{0,4}}?)(?:[一二三四五六七八九十\d]+年)?了?$",
        "fact",
        "health",
    ),
    rule(
        r"^(?:是)?(?P<value>(?:O|A|B|AB|o|a|b|ab)型血|.{1,6}不耐受|.{0,4}近视.{0,5}|.{0,3}色盲|"
        r"左撇子)$",
        "fact",
        "health",
    ),
    rule(
        r"^(?:做了|拔了|打了|补了|切了|摔断了|扭伤了|崴了|戒了?)(?P<value>.{0,6}?(?:烟|酒|"
        rf"{any_of(ILLNESSES)}).{{0,8}})$",
        "fact",
        "health",
    ),
    rule(r"^戒(?P<value>烟|酒|糖|咖啡|奶茶)(?:满|了|已经).{1,10}$", "fact", "health"),
    rule(r"^(?:睡眠|皮肤|肠胃|身体|膝盖|腰|颈椎)(?:一直)?不(?:太|大|怎么)?好$", "fact", "health", polarity="negative"),
    rule(
        rf"^(?:不|从不|从来不|不太|不怎么)(?:吃|喝|碰|沾){_THESE}(?P<value>.{{1,16}}?)(?:的|了)?$",
        "preference",
        "diet",
        "",
        "negative",
    ),
    rule(r"^(?P<no>不)(?:能|可以|敢|太能)(?:吃|喝|碰)(?P<value>.{1,12}?)(?:了|的)?$", "fact", "diet"),
    rule(r"^(?:失眠|近视|脱发|腰疼|头痛|便秘|掉头发).{0,10}$", "fact", "health", dropped=False),
    rule(r"^爱好(?P<value>(?!是).{1,20})$", "fact", "hobby", "的爱好是{}"),
    rule(r"^开的是(?P<value>.{1,12})$", "fact", "possession", dropped=False),
    rule(r"^(?:吃素|吃纯素|是素食者|是素食主义者|只吃.{1,12}|吃清真|戒糖|戒咖啡)(?:.{0,6}了)?$", "fact", "diet"),
    rule(r"^(?P<no>没)(?:有)?(?:女朋友|男朋友|对象|结婚)$", "fact", "partner"),
    rule(r"^.{0,10}在一起.{0,8}年了?$", "fact", "partner"),
    rule(r"^(?:单身|已婚|未婚|离异|结婚.{1,8}年了?)$", "fact", "partner"),
    *(
        rule(
            rf"^(?P<no>没)?(?:有|养了?|领养了?|收养了?|生了|还有){_COUNT}(?P<value>.{{0,6}}?{any_of(nouns)})(?:了|"
            r"叫.{1,6})?$",
            "fact",
            name,
        )
        for name, nouns in KIN.items()
    ),
    rule(
        r"^(?P<no>不)?(?:会|能)?(?:说|讲)(?:的是|一口|一点|一些)?(?P<value>.{0,6}?(?:语|话|文|"
        r"德文|英文))$",
        "fact",
        "language",
    ),
    rule(r"^(?:母语|第一语言)是(?P<value>.{2,8})$", "fact", "language", "的母语是{}"),
    rule(
        r"^(?P<no>不|还不)?(?:太|怎么)?会(?P<value>(?:弹|拉|吹|打|开|游|编|画|写|做|骑|跳|唱|"
        r"滑|修|织|下|用|说|烧|煮|剪|包|英|日|法|德|P|p).{0,12}?)$",
        "fact",
        "skill",
    ),
    rule(r"^(?:擅长|精通|熟悉|拿手的是)(?P<value>.{1,20}?)$", "fact", "skill"),
    rule(
        r"^(?:写|弹|拉|唱|画|做|游|跑|跳|打|学|说|开).{0,4}?(?:不好|不会|不连贯|不了|不动)$",
        "fact",
        "skill",
        polarity="negative",
        dropped=False,
    ),
    rule(r"^(?:爱好|业余爱好|兴趣)是(?P<value>.{1,20})$", "fact", "hobby", "的爱好是{}"),
    rule(
        r"^(?:在)?(?:学|练|玩|自学)(?:习)?(?P<value>(?!会|到|校|不).{1,10}?)(?:学|练|玩)?(?:了|"
        rf"快|有|差不多)*(?:[一二两三四五六七八九十半几\d]+|好几|多)(?:多)?{_LASTING}(?:多)?(?:了)?$",
        "fact",
        "hobby",
    ),
    rule(r"^最(?:喜欢|爱)的(?P<what>.{1,10}?)是(?P<value>.{1,24})$", "preference", "favourite"),
    rule(
        r"^(?:更|比较|还是更|宁愿|宁可|偏好|偏向|倾向于?|更加)(?:喜欢|爱|偏爱|想|习惯|愿意)?(?P<value>.{1,24}?)$",
        "preference",
        "prefers",
        "更喜欢{}",
        dropped=False,
    ),
    rule(rf"^(?P<no>不)?习惯(?:了)?{_THESE}(?P<value>.{{2,24}})$", "preference", "prefers"),
    rule(
        rf"^(?:不太|不怎么|不是很|不大|不|没那么|从来不)(?:喜欢|爱|感兴趣|喜爱){_THESE}(?P<value>.{{1,24}}?)$",
        "preference",
        "likes",
        "不喜欢{}",
        "negative",
    ),
    rule(
        rf"^(?:讨厌|受不了|恨|厌恶|反感|烦|嫌弃|接受不了|忍不了|吃不惯|喝不惯|不能忍受|"
        rf"不能接受){_THESE}(?P<value>.{{1,24}}?)$",
        "preference",
        "likes",
        "不喜欢{}",
        "negative",
    ),
    rule(
        rf"^(?:喜欢|爱|热爱|酷爱|喜爱|迷上了?|爱上了?|钟爱|偏爱|痴迷于?|着迷于|沉迷于?|"
        rf"享受){_THESE}(?P<value>.{{1,24}}?)$",
        "preference",
        "likes",
        "喜欢{}",
    ),
    rule(r"^对(?P<value>.{1,12}?)(?P<no>不|没)?(?:很|非常|有|感|挺)*兴趣$", "preference", "likes", "喜欢{}"),
    rule(r"^(?:决定|敲定|选定|定下)(?:了|要|先|去|把)?(?P<value>(?!了$).{1,30}?)了?$", "decision", "decision"),
    rule(r"^(?:选择?了?|选中了?|挑了|定了|订了)(?P<value>.{2,24}?)$", "decision", "decision"),
    rule(
        r"^(?P<no>不|没)?(?:打算|计划|准备|预计|想着|考虑|筹划)(?:要|再|自己|去|着|"
        r"在)?(?P<value>(?!的$|好|得|过).{1,30}?)了?$",
        "decision",
        "plan",
    ),
    rule(
        r"^(?:想|想要|要|一心想|立志|梦想|将来想)(?:去|在.{2,12})?(?P<value>(?:学|当|做|成为|"
        r"换|离开|开[一个家]|考|搬|转行|创业|辞职|移民|留学|买|攒|减|戒|出国|结婚|写[一本部]|"
        r"读|报|申请).{0,24}?)(?:了)?$",
        "decision",
        "plan",
    ),
    rule(
        r"^(?:要|将|将要|会)(?P<value>(?:去|到|搬|飞|上线|发布|结婚|考|参加|出差|回|做手术|换|"
        r"辞职|离职|买|生|开学|毕业|入职|退休).{0,20}?)了?$",
        "decision",
        "plan",
    ),
    rule(
        r"^(?P<value>(?:飞|去|考|回)(?![^了]{0,6}[了过]).{2,20}|(?:辞职|离职|结婚|毕业|退休|"
        r"搬家|出国|入职|开学))$",
        "decision",
        "future",
    ),
    rule(r"^(?P<value>(?:办|举行)(?:婚礼|酒席)|结婚|领证)$", "decision", "future"),
    rule(r"^(?:还)?在等(?P<value>.{1,24})$", "project_state", "status"),
    rule(
        rf"^(?=[^，]*[了交完好])(?:把)?.{{0,8}}?(?:{any_of(WORKS)}).{{0,6}}?(?:写完|做完|弄完|改完|交|提交|上线|搞定|"
        r"画完|剪完|删|修好|发布|部署|合并|完成)(?:了|掉了)*$",
        "project_state",
        "status",
    ),
    rule(
        r"^(?:写完|做完|弄完|改完|交|提交|上线|搞定|画完|剪完|删掉|删|修好|发布|部署|合并|完成|"
        rf"重构)了.{{0,10}}?(?:{any_of(WORKS)}).{{0,4}}$",
        "project_state",
        "status",
    ),
    rule(
        r"^(?P<no>没有|没)(?P<value>(?:车|房|房子|驾照|电脑|电视|孩子|宗教信仰|工作).{0,8}?)$",
        "fact",
        "possession",
        polarity="negative",
    ),
    rule(r"^(?:买|换|卖|入手|租|装|订购)了(?P<value>.{1,24}?)$", "fact", "possession"),
    rule(r"^把(?P<value>.{1,12}?)(?:卖|换|退|扔|送人|租出去)了$", "fact", "possession"),
    rule(
        rf"^(?:在)?用(?:的是|着)?{_THESE}(?P<value>[A-Za-z][A-Za-z0-9 .+#-]*[A-Za-z\d+#]|[\u4e00-\u9fff]{{2,8}}?)"
        r"\s*(?:(?:写|"
        r"开发|做|记|办公|编辑|画|剪|管|跑|听|看|上网|打)[^，]{0,12}|了)?$",
        "fact",
        "uses",
        dropped=False,
    ),
    rule(
        r"^有(?P<value>(?:[一二两三四五六七八九十几\d]+|好几)?(?:辆|台|套|把|间|栋|本|架|块|"
        r"张|家|份|部).{1,14})$",
        "fact",
        "possession",
    ),
    rule(r"^(?:改成|改为|换成)(?:每|周).{2,16}$", "fact", "hobby"),
)

TOPIC_RULES: tuple[Rule, ...] = (
    rule(r"^(?P<no>不)?(?:可以|能)(?:吃|喝)$", "fact", "diet"),
    rule(r"^戒(?:了|掉).{0,8}$", "fact", "diet"),
    rule(
        r"^(?:写|弹|拉|唱|画|做|游|打|学|说|听|读)(?:得)?(?:还)?(?:不好|不会|不连贯|不了|不动|"
        r"不懂|不流利|不熟)$",
        "fact",
        "skill",
        polarity="negative",
    ),
    rule(r"^(?:不会|不太会|不怎么会)$", "fact", "skill", polarity="negative"),
)
"""Rules for what is said of a topic that stands before it ("咖啡也戒了快一年了")."""
