"""Chunks cover what is written, overlap nowhere, and are never longer than they may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import FakeIndex

from affidavit.domain.chunks import LONGEST, chunk, chunk_id
from affidavit.domain.proposals import Span

PIECES = st.sampled_from(
    ["word ", "Ends. ", "结束。", "\n", "\n\n", "\r\n\r\n", " " * 300, "x" * 1999, "y" * 2001, "🍵", "\u3000", "\u200b"]
)
TEXT = st.lists(PIECES | st.text(st.characters(codec="utf-8"), max_size=20), max_size=30).map("".join)


@given(TEXT)
def test_every_code_point_that_is_not_white_space_is_in_one_chunk(text: str) -> None:
    covered = [place for span in chunk(text) for place in range(span.start, span.end)]
    assert covered == sorted(set(covered))
    assert {place for place, character in enumerate(text) if not character.isspace()} <= set(covered)


@given(TEXT)
def test_no_chunk_is_empty_or_too_long_or_bordered_by_white_space(text: str) -> None:
    for span in chunk(text):
        assert 0 < span.end - span.start <= LONGEST
        assert text[span.start : span.end] == text[span.start : span.end].strip()


@given(TEXT)
def test_the_same_text_is_cut_the_same_way(text: str) -> None:
    assert chunk(text) == chunk(text)


def test_paragraphs_are_chunks() -> None:
    text = "First one.\nStill the first.\n \nSecond.\r\n\r\nThird."
    assert [text[span.start : span.end] for span in chunk(text)] == ["First one.\nStill the first.", "Second.", "Third."]


@pytest.mark.parametrize("sentence", ["It goes on and on and on. ", "它一直一直一直继续下去。"])
def test_a_long_paragraph_is_cut_after_a_sentence(sentence: str) -> None:
    text = sentence * 200
    spans = chunk(text)
    assert len(spans) > 1
    assert {text[span.end - 1] for span in spans} == {sentence.strip()[-1]}
    assert all(span.end - span.start > LONGEST - len(sentence) for span in spans[:-1])


def test_a_sentence_without_an_end_is_cut_at_the_limit() -> None:
    assert chunk("x" * 2001) == (Span(0, 2000), Span(2000, 2001))


@pytest.mark.parametrize("text", ["", " \n\n\t "])
def test_white_space_is_no_chunk(text: str) -> None:
    assert chunk(text) == ()


def test_a_chunk_is_named_by_its_place() -> None:
    index, item = FakeIndex(), bytes(16)
    places = [(item, 1, Span(0, 5)), (item, 2, Span(0, 5)), (item, 1, Span(0, 6)), (b"x" * 16, 1, Span(0, 5))]
    assert len({chunk_id(index, *place) for place in places}) == 4
    assert chunk_id(index, *places[0]) == chunk_id(index, *places[0])
