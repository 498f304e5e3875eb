"""Turns that look like testimony and are none."""

import pytest

from affidavit.domain.proposals import Passage, Span, VoiceRole
from affidavit.rebuild.extractors.rules import Rules

NOTHING = {
    "question": ["Do you like tea?", "should I move to Porto?", "你喜欢什么音乐？", "我应该买哪款手机？", "Got any plans?"],
    "feeling of the moment": [
        "I'm so happy for you",
        "I'm tired",
        "I can't wait",
        "I hope it works",
        "我很开心",
        "我有点累",
    ],
    "reaction": ["I love it!", "Thanks, I love your dress", "我喜欢这个主意", "It was amazing"],
    "general truth": ["Painting is relaxing", "Family is important", "the sunset was beautiful"],
    "hypothesis": [
        "if I had a car, I would drive",
        "I would move if I could",
        "I could try that",
        "maybe I should sleep",
        "Imagine I'm a blacksmith with three sons.",
        "如果我有钱，我就去环游世界",
        "假设我是一个茶商，有三个儿子",
    ],
    "wish": ["I wish I lived there", "我希望以后能去北欧看看"],
    "somebody else": [
        "my sister lives in Rome",
        "my boss hates Mondays",
        "Tom and his wife have a boat",
        "我女朋友喜欢吃火锅",
        "我同事刚买了房",
        "他说他喜欢我",
    ],
    "talk about the talk": ["I agree", "I see", "I know what you mean", "I'll let you know", "I think so too", "我知道了"],
    "quotation": [
        "she said 'I love jazz'",
        'She goes "I\'ve lived in Paris for ten years and I hate croissants"',
        "她说“我从小在巴黎长大，最讨厌吃面包”",
    ],
    "quoted line": ["> I've been vegan since 2015\n> and I live in Porto", "> 我吃素二十年了"],
    "code and logs": [
        'def greet(name):\n    print("my name is", name)',
        "OperationalError: my database is not available",
        "```\nI live in Porto\n```",
        "[ERROR] 2026-03-02 09:14:55 我的账号登录失败",
    ],
    "text to work on": [
        "Translate into French: I am allergic to penicillin and I live alone.",
        "帮我翻译成英文：我对青霉素过敏，一个人住在上海。",
    ],
    "no referent": ["no, it is 7777", "不是，是7777"],
    "help with code": ["I ran the script and got an error", "I have a list of numbers"],
}


@pytest.mark.parametrize(("trap", "turn"), [(trap, turn) for trap, turns in NOTHING.items() for turn in turns])
def test_nothing_is_claimed(trap: str, turn: str) -> None:
    assert Rules().extract(Passage(turn, Span(0, len(turn)), "user")) == (), trap


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_user_is_heard(role: VoiceRole) -> None:
    assert Rules().extract(Passage("I live in Porto", Span(0, 15), role)) == ()


def test_what_is_adopted_is_not_testimony() -> None:
    text = "As he wrote: I live in Porto. But I live in Rome."
    adopted = (Span(text.index("I live in P"), text.index(". But")),)
    quotes = [proposal.quote for proposal in Rules().extract(Passage(text, Span(0, len(text)), "user", adopted))]
    assert quotes == ["I live in Rome"]


def test_a_fence_hides_only_what_stands_in_it() -> None:
    text = "I live in Rome.\n```\nI live in Porto.\n```\nI have two dogs."
    quotes = [proposal.quote for proposal in Rules().extract(Passage(text, Span(0, len(text)), "user"))]
    assert quotes == ["I live in Rome", "I have two dogs"]
