"""The estimate knows CJK and is the same for the same text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.tokens import Estimate

TEXT = st.text(st.characters(codec="utf-8"))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("  \n", 0), ("tea", 1), ("tea!", 2), ("likes green tea", 5), ("用户喜欢绿茶。", 7), ("里斯本 tea", 4)],
)
def test_a_text_is_estimated(text: str, tokens: int) -> None:
    assert Estimate().count(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("hello世界", 4), ("世界hello", 4), ("iOS用户", 3), ("2026年11月30日搬到里斯本", 11)]
)
def test_letters_and_cjk_are_counted_apart_where_they_touch(text: str, tokens: int) -> None:
    assert Estimate().count(text) == tokens


@given(TEXT, TEXT)
def test_lines_are_counted_apart(one: str, other: str) -> None:
    count = Estimate().count
    assert count(f"{one}\n{other}") == count(one) + count(other)


def test_the_counter_says_which_it_is() -> None:
    assert Estimate.identity == "estimate:1"
