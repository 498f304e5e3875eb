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
