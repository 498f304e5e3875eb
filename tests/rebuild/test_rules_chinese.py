"""Chinese turns and what the rules make of them."""

import pytest

from affidavit.domain.proposals import Passage, Proposal, Span
from affidavit.rebuild.extractors.rules import Rules


def heard(text: str) -> tuple[Proposal, ...]:
    return Rules().extract(Passage(text, Span(0, len(text)), "user"))


def only(text: str) -> Proposal:
    (proposal,) = heard(text)
    return proposal


@pytest.mark.parametrize(
    ("turn", "text", "attribute", "value"),
    [
        ("我叫王小明", "用户的名字是王小明。", "name", "王小明"),
        ("我的名字叫王小明", "用户的名字是王小明。", "name", "王小明"),
        ("我住在杭州", "用户住在杭州。", "home", "杭州"),
        ("我现在住在杭州", "用户住在杭州。", "home", "杭州"),
        ("我上周刚从成都搬到杭州", "用户住在杭州。", "home", "杭州"),
        ("我从北京搬到杭州已经两年了", "用户住在杭州。", "home", "杭州"),
        ("我今年28岁", "用户28岁。", "age", "28"),
        ("我在腾讯上班", "用户在腾讯工作。", "employer", "腾讯"),
        ("我是一名小学老师", "用户是小学老师。", "job", "小学老师"),
        ("我的生日是5月12日", "用户的生日是5月12日。", "birthday", "5月12日"),
        ("我老婆叫李娜", "用户的老婆叫李娜。", "partner", "李娜"),
        ("我有两个孩子", "用户有两个孩子。", "child", "孩子"),
        ("我家养了两只猫", "用户家养了两只猫。", "pet", "猫"),
        ("我对花生过敏", "用户对花生过敏。", "allergy", "花生"),
        ("我有胃溃疡", "用户有胃溃疡。", "health", "胃溃疡"),
        ("我会弹钢琴", "用户会弹钢琴。", "skill", "弹钢琴"),
        ("我学书法快两年了", "用户学书法快两年了。", "hobby", "书法"),
        ("我去年买了一辆车", "用户去年买了一辆车。", "possession", "一辆车"),
        ("我的端口是7777", "用户的端口是7777。", "setting: 端口", "7777"),
        ("我的端口改成7777了", "用户的端口是7777。", "setting: 端口", "7777"),
        ("我上周去了医院", "用户上周去了医院。", "", ""),
        ("昨天带猫去打了疫苗", "用户昨天带猫去打了疫苗。", "", ""),
    ],
)
def test_a_fact(turn: str, text: str, attribute: str, value: str) -> None:
    proposal = only(turn)
    assert (proposal.text, proposal.kind, proposal.attribute, proposal.value) == (text, "fact", attribute, value)
    assert (proposal.polarity, proposal.entity) == ("positive", "user")


@pytest.mark.parametrize(
    ("turn", "text", "kind", "attribute", "polarity"),
    [
        ("我喜欢绿茶", "用户喜欢绿茶。", "preference", "likes", "positive"),
        ("我超爱绿茶", "用户喜欢绿茶。", "preference", "likes", "positive"),
        ("我不喜欢香菜", "用户不喜欢香菜。", "preference", "likes", "negative"),
        ("我讨厌香菜", "用户不喜欢香菜。", "preference", "likes", "negative"),
        ("我受不了香菜", "用户不喜欢香菜。", "preference", "likes", "negative"),
        ("我不吃香菜", "用户不吃香菜。", "preference", "diet", "negative"),
        ("我更喜欢坐高铁", "用户更喜欢坐高铁。", "preference", "prefers", "positive"),
        ("我最喜欢的电影是《活着》", "用户最喜欢的电影是《活着》。", "preference", "favourite", "positive"),
        ("我决定用这个方案", "用户决定用这个方案。", "decision", "decision", "positive"),
        ("我打算明年去日本留学", "用户打算明年去日本留学。", "decision", "plan", "positive"),
        ("健身房的卡我不打算续了", "健身房的卡用户不打算续了。", "decision", "plan", "negative"),
        ("测试已经通过了", "测试已经通过了。", "project_state", "status", "positive"),
        ("项目还没上线", "项目还没上线。", "project_state", "status", "negative"),
        ("我已经不在华为上班了", "用户已经不在华为上班了。", "fact", "employer", "negative"),
        ("我没去过欧洲", "用户没去过欧洲。", "fact", "", "negative"),
    ],
)
def test_a_statement_of_each_kind(turn: str, text: str, kind: str, attribute: str, polarity: str) -> None:
    proposal = only(turn)
    assert (proposal.text, proposal.kind, proposal.attribute) == (text, kind, attribute)
    assert proposal.polarity == polarity


@pytest.mark.parametrize(
    ("turn", "quotes"),
    [
        ("忘了自我介绍，我叫林晓雯，在一家儿童医院当护士。", ["我叫林晓雯", "在一家儿童医院当护士"]),
        ("我喜欢绿茶但讨厌咖啡", ["我喜欢绿茶", "讨厌咖啡"]),
        ("我住在杭州，附近有什么好吃的吗？", ["我住在杭州"]),
        ("我表哥在深圳开了家面馆，他老婆喜欢收集黑胶", []),
    ],
)
def test_one_proposal_a_clause_and_its_span(turn: str, quotes: list[str]) -> None:
    assert [proposal.quote for proposal in heard(turn)] == quotes


def test_traditional_characters_stay_as_written() -> None:
    proposal = only("我養了一隻貓")
    assert (proposal.text, proposal.attribute, proposal.value) == ("用戶養了一隻貓。", "pet", "貓")


@pytest.mark.parametrize(("turn", "hedged"), [("我好像是O型血", True), ("我可能年底去考驾照", True), ("我是O型血", False)])
def test_a_hedge(turn: str, hedged: bool) -> None:
    assert only(turn).hedged is hedged


@pytest.mark.parametrize(
    ("turn", "attribute", "polarity"),
    [
        ("大家都叫我阿宽", "name", "positive"),
        ("我属龙", "", "positive"),
        ("我刚满三十", "age", "positive"),
        ("我身高一米七五", "", "positive"),
        ("我们在北京待了十年", "home", "positive"),
        ("人在吉隆坡", "home", "positive"),
        ("我是做外贸的", "job", "positive"),
        ("我当了八年语文老师", "job", "positive"),
        ("我被公司裁了", "job", "positive"),
        ("我本科毕业于武大", "education", "positive"),
        ("我跟老公异地三年了", "partner", "positive"),
        ("我有个弟弟在国外读书", "sibling", "positive"),
        ("去年添了个闺女", "child", "positive"),
        ("我一喝牛奶就拉肚子", "health", "positive"),
        ("我去年查出来甲状腺结节", "health", "positive"),
        ("我恐高", "health", "positive"),
        ("我正在考驾照", "", "positive"),
        ("我每天骑车四十分钟上班", "", "positive"),
        ("我把工作辞了", "", "positive"),
        ("我是被奶奶带大的", "", "positive"),
        ("上周末带孩子去了动物园", "", "positive"),
        ("我从来没坐过飞机", "", "negative"),
        ("我三年没回老家了", "", "negative"),
        ("我一句法语都不会说", "", "negative"),
    ],
)
def test_facts_by_construction(turn: str, attribute: str, polarity: str) -> None:
    proposal = only(turn)
    assert (proposal.kind, proposal.attribute, proposal.polarity) == ("fact", attribute, polarity)


@pytest.mark.parametrize(
    ("turn", "kind", "polarity"),
    [
        ("我无辣不欢", "preference", "positive"),
        ("我只穿棉的", "preference", "positive"),
        ("我这人就爱吃酸", "preference", "positive"),
        ("宁可走路也不挤地铁", "preference", "positive"),
        ("我对悬疑片情有独钟", "preference", "positive"),
        ("我吃不惯西餐", "preference", "negative"),
        ("苦瓜我一概不碰", "preference", "negative"),
        ("肥肉基本不吃", "preference", "negative"),
        ("我们说好了不要孩子", "decision", "negative"),
        ("桂林不去了", "decision", "negative"),
        ("我就再租半年算了", "decision", "positive"),
        ("我改用飞书了", "decision", "positive"),
        ("八成年底离职", "decision", "positive"),
        ("我寻思着开春把阳台封了", "decision", "positive"),
        ("登录页写完了", "project_state", "positive"),
        ("我把接口文档改完了", "project_state", "positive"),
        ("卡在签名校验那一步了", "project_state", "positive"),
        ("附录那章还没补", "project_state", "negative"),
    ],
)
def test_tastes_choices_and_works_by_construction(turn: str, kind: str, polarity: str) -> None:
    proposal = only(turn)
    assert (proposal.kind, proposal.polarity) == (kind, polarity)


@pytest.mark.parametrize(
    ("turn", "quotes"),
    [
        ("牙套戴了半年，能吃苹果吗", ["牙套戴了半年"]),
        ("封面没做，来个标题", ["封面没做"]),
        ("这几天在控糖，晚饭吃什么", ["这几天在控糖"]),
        ("以一棵老树的口吻写一段：我住在村口，最爱听雨", []),
        ("班里有个女生在学吉他，还养了猫", []),
        ("热水器坏了，找谁修", []),
        ("早睡早起好，每天都要坚持", []),
    ],
)
def test_a_report_before_a_request(turn: str, quotes: list[str]) -> None:
    assert [proposal.quote for proposal in heard(turn)] == quotes


@pytest.mark.parametrize(
    "turn",
    [
        "我先去洗个澡",
        "我再想想",
        "我服了",
        "我随便问问",
        "我刚把文件发上来了",
        "我重启了还是报错",
        "我需要三个标题",
        "要是我会开车就好了",
        "改成正式一点的语气",
        "去掉第二段",
        "老板让我周末加班",
        "我爸有高血压",
        "我家楼下有流浪猫",
        "孩子不吃饭",
        "吃太多糖会长胖",
    ],
)
def test_what_claims_nothing(turn: str) -> None:
    assert heard(turn) == ()
