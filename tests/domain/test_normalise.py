"""Two wordings are one value where only their dress differs; what remains apart stays apart."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.normalise import normalise, words

TEXT = st.text(st.characters(codec="utf-8"))
MIXED = st.text(st.sampled_from('aAéÉ Ｃ+#.3,!?"“』「。\u200b\u200d\ufeff\u0301\n\t里斯乾乹後ﬁİßΣ'))


@given(TEXT | MIXED)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(TEXT | MIXED)
def test_composed_and_decomposed_are_equal(text: str) -> None:
    forms = {normalise(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert forms == {normalise(text)}


@given(TEXT | MIXED)
def test_no_format_character_remains(text: str) -> None:
    assert not [character for character in normalise(text) if unicodedata.category(character) == "Cf"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Green  Tea\n", "green tea"),
        ("Lisbon", "Ｌｉｓｂｏｎ"),
        ("C++", "ｃ＋＋"),
        ("café", "cafe\u0301"),
        ("绿茶", "綠茶"),
        ("里斯本", "里 斯 本"),
        ("我爱Python", "我 愛 python"),
        ("tea", "\u200bt\u00ade\u200da\ufeff"),
        ("tea", "tea."),
        ("tea", "“tea!”"),
        ("茶", "「茶。」"),
        ("STRASSE", "straße"),
        ("ΟΔΟΣ", "οδος"),
    ],
)
def test_dress_is_taken_off(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    "apart",
    [
        ("C", "C++", "C#"),
        ("3.5", "35", "3,5"),
        ("-5", "5"),
        ("tea", "teas"),
        ("cafe", "café"),
        ("user", "u ser"),
        (".NET", "NET"),
        ("50%", "50"),
        ("绿茶", "红茶"),
    ],
)
def test_what_differs_stays_apart(apart: tuple[str, ...]) -> None:
    assert len({normalise(text) for text in apart}) == len(apart)


def test_words_are_whole_and_cjk_comes_in_pairs() -> None:
    assert words("Green tea, 里斯本!") == {"green", "tea", "里斯", "斯本"}
    assert words("茶") == {"茶"}
    assert words(" … ") == frozenset()
