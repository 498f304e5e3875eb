"""What is quoted, fenced or pasted in a user's turn is not the user's testimony."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.adopted import detect
from affidavit.domain.proposals import Span


def adopted(text: str, *marked: Span) -> list[str]:
    return [text[span.start : span.end] for span in detect(text, marked)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See:\n```py\nI like tea\n```\nMine.", ["```py\nI like tea\n```"]),
        ("~~~\nI like tea\n~~~", ["~~~\nI like tea\n~~~"]),
        ("```\nnever closed\nMine?", ["```\nnever closed\nMine?"]),
        ("```\r\nI like tea\r\n```\r\nMine.", ["```\r\nI like tea\r\n```"]),
        ("````\nI like tea\n````\nMine.", ["````\nI like tea\n````"]),
        ("````\n```\nI like tea\n````\nMine.", ["````\n```\nI like tea\n````"]),
        ("> I like tea\nMine.", ["> I like tea"]),
        ("Mine.\n  > one\n> two", ["  > one", "> two"]),
        ("<paste>I like tea</paste> Mine.", ["<paste>I like tea</paste>"]),
        ('<Document id="1">I like\ntea</DOCUMENT>', ['<Document id="1">I like\ntea</DOCUMENT>']),
        ("<file>never closed", ["<file>never closed"]),
        ('He said "I like tea more than coffee" once.', ['"I like tea more than coffee"']),
        ("He said “I like tea more than coffee” once.", ["“I like tea more than coffee”"]),
        ("他说「我每天早上都会喝一杯绿茶」。", ["「我每天早上都会喝一杯绿茶」"]),
        ("他说“我每天早上都会喝一杯绿茶”。", ["“我每天早上都会喝一杯绿茶”"]),
        ("«one two three four five six»", ["«one two three four five six»"]),
    ],
)
def test_a_marked_passage_is_adopted(text: str, found: list[str]) -> None:
    assert adopted(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "I like tea.",
        'I like "green tea" a lot.',
        'Five words: "one two three four five".',
        "我喜欢「绿茶」。",
        "11 字：「我每天早上都喝一杯绿茶」。",
        "a > b and `code` and 5 <files>",
        "I'm the user's friend, isn't it so that they're mine",
    ],
)
def test_the_users_own_words_are_not(text: str) -> None:
    assert adopted(text) == []


def test_what_a_source_marks_is_adopted_too_and_merged() -> None:
    assert detect("> quoted\nmine", (Span(2, 11),)) == (Span(0, 11),)
    assert detect("pasted, mine", (Span(0, 6),)) == (Span(0, 6),)


@given(st.text(st.sampled_from('`~>"“”「」 \nab<paste></paste>'), max_size=60))
def test_spans_are_in_order_apart_and_within_the_text(text: str) -> None:
    ends = [place for span in detect(text) for place in (span.start, span.end)]
    assert ends == sorted(set(ends))
    assert all(0 <= place <= len(text) for place in ends)
