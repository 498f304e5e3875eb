"""A sentence is grounded where its source says it: in whole words, and not to the contrary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.grounding import is_contrary, is_grounded

SUMMARY = """
Alice mentioned she uses FL Studio for beat making.
She loves fettuccini pasta and wants to improve her mixing skills.
"""


@pytest.mark.row("D8")
@pytest.mark.parametrize(
    ("sentence", "text", "least", "grounded"),
    [
        ("uses FL Studio", SUMMARY, 0.5, True),
        ("loves fettuccini", SUMMARY, 0.5, True),
        ("programs in Python", SUMMARY, 0.5, False),
        ("", SUMMARY, 0.5, False),
        (" \n", SUMMARY, 0.5, False),
        ("it is the", SUMMARY, 0.5, False),
        ("Alice likes coffee and tea and sugar", "Alice likes coffee", 0.8, False),
        ("Alice likes coffee and tea and sugar", "Alice likes coffee", 0.3, True),
    ],
)
def test_the_ratio_of_words_decides(sentence: str, text: str, least: float, grounded: bool) -> None:
    assert is_grounded(sentence, text, least) is grounded


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("loves rust", "She loves trust."),
        ("hates fettuccini", "She loves fettuccini."),
        ("loves fettuccini", "She hates fettuccini."),
        ("likes coffee", "Alice does not like coffee."),
        ("likes coffee", "Alice doesn't like coffee."),
        ("does not like coffee", "Alice likes coffee."),
        ("drinks coffee", "Alice never drinks coffee."),
        ("likes tea", "Alice does not like coffee, tea or sugar."),
        ("hates fettuccini", "She loves fettuccini. She hates pesto."),
        ("loves fettuccini and pesto", "She loves fettuccini, but hates pesto."),
        ("loves pesto", "She loves fettuccini."),
        ("loves rum", "She loves gin."),
        ("喜欢咖啡", "她不喜欢咖啡。"),
        ("讨厌咖啡", "她喜欢咖啡。"),
        ("喜欢咖啡", "她喜欢绿茶。"),
        ("住在上海", "她住在北京。"),
    ],
)
def test_a_part_of_a_word_and_a_denial_are_no_match(sentence: str, text: str) -> None:
    assert not is_grounded(sentence, text)


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("hates pesto", "She loves fettuccini. She hates pesto."),
        ("does not like coffee", "Alice does not like coffee."),
        ("hates coffee", "Alice hates coffee."),
        ("loves fettuccini", "She does not eat meat, but loves fettuccini."),
        ("loves fettuccini", "No doubt she loves fettuccini."),
        ("likes C++", "He LIKES c++."),
        ("喜歡綠茶", "她喜欢绿茶，不喜欢咖啡。"),
        ("不喜欢咖啡", "她喜欢绿茶，不喜欢咖啡。"),
        ("住在北京", "她住在北京。"),
    ],
)
def test_what_is_said_the_same_way_is_grounded(sentence: str, text: str) -> None:
    assert is_grounded(sentence, text)


def test_a_source_that_says_both_grounds_both() -> None:
    text = "In May she liked coffee. Now she dislikes coffee."
    assert is_grounded("liked coffee", text)
    assert is_grounded("dislikes coffee", text)


def test_contrary_sentences_are_told_from_alike_ones() -> None:
    assert is_contrary("loves coffee", "hates coffee")
    assert is_contrary("User does not like coffee.", "User likes coffee.")
    assert is_contrary("喜欢咖啡", "不喜欢咖啡")
    assert not is_contrary("loves coffee", "likes coffee")
    assert not is_contrary("loves coffee", "hates tea")


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_is_grounded_in_nothing_and_any_text_can_be_asked(one: str, other: str) -> None:
    assert not is_grounded(one, "")
    assert not is_grounded("", other)
    assert is_grounded(one, other) in {True, False}
