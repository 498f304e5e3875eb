"""A quote is checked against its evidence, code point by code point, before anything is written."""

import pytest
from spec import Story

from affidavit.domain.proposals import Proposal, Span
from affidavit.domain.readings import ExtractionCompleted
from affidavit.domain.scopes import WriteRefused

PLAIN = "Well. I like tea."
EMOJI = "👩‍🍳 says: I like 🍵 tea. Daily."
LINES = "Well.\r\nI like tea.\r\n"
COMPOSED, DECOMPOSED = "I like caf\u00e9.", "I like cafe\u0301."
CHINESE = "好的。我喜欢绿茶。每天早上都喝一杯，下午也喝，晚上不喝。"

WRONG = {
    "start one early": (PLAIN, 5, 17, "I like tea."),
    "start one late": (PLAIN, 7, 17, "I like tea."),
    "end one early": (PLAIN, 6, 16, "I like tea."),
    "end one late": (PLAIN, 6, 18, "I like tea."),
    "both one early": (PLAIN, 5, 16, "I like tea."),
    "composed for decomposed": (DECOMPOSED, 0, 13, COMPOSED),
    "decomposed for composed": (COMPOSED, 0, 12, DECOMPOSED),
    "counted in UTF-16 units": (EMOJI, 12, 26, "I like 🍵 tea."),
    "counted in UTF-8 bytes": (CHINESE, 9, 27, "我喜欢绿茶。"),
    "half an emoji sequence for the whole": (EMOJI, 0, 1, "👩‍🍳"),
    "CRLF counted as one": (LINES, 6, 17, "I like tea."),
    "LF for CRLF": (LINES, 0, 18, "Well.\nI like tea."),
    "reversed": (PLAIN, 17, 6, "I like tea."),
    "empty": (PLAIN, 6, 6, ""),
    "empty with a quote": (PLAIN, 6, 6, "I like tea."),
    "before the beginning": (PLAIN, -11, 17, "I like tea."),
    "beyond the end": (PLAIN, 6, 40, "I like tea."),
    "beyond the end, where slices are empty": (PLAIN, 90, 99, ""),
    "another case": (PLAIN, 6, 17, "i like tea."),
    "full width for half": (PLAIN, 6, 17, "I like tea．"),
    "Traditional for Simplified": (CHINESE, 3, 9, "我喜歡綠茶。"),
    "words never said": (PLAIN, 6, 17, "I like gin."),
}


@pytest.mark.parametrize("planted", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_quote_is_refused_and_nothing_else_is_written(planted: tuple[str, int, int, str]) -> None:
    text, start, end, quote = planted
    story = Story()
    wrong = Proposal(text="User likes tea.", kind="preference", span=Span(start, end), quote=quote)
    outcome = story.reads(story.says(text), wrong).then(WriteRefused, ExtractionCompleted)
    assert outcome.the(WriteRefused).rule == "quote"
    assert outcome.the(ExtractionCompleted).claims == ()
    assert story.statuses() == {}


def test_another_wrong_quote_of_the_same_place_is_refused_too() -> None:
    story = Story()
    item = story.says(PLAIN)
    for quote in ("I like gin.", "I like rum."):
        wrong = Proposal(text="User likes tea.", kind="preference", span=Span(6, 17), quote=quote)
        assert story.reads(item, wrong).the(WriteRefused).quote == quote


def test_the_right_quote_of_the_wrong_revision_is_refused() -> None:
    story = Story()
    item = story.says(PLAIN, message="1")
    story.says("I like coffee.", message="1")
    right = Proposal(text="User likes tea.", kind="preference", span=Span(6, 17), quote="I like tea.")
    assert story.reads(item, right, revision=1).refusals() == ["revision"]
    assert story.reads(item, right, revision=2).refusals() == ["quote"]
    assert story.statuses() == {}


@pytest.mark.parametrize(
    ("text", "start", "end", "quote"),
    [
        (EMOJI, 10, 23, "I like 🍵 tea."),
        (LINES, 7, 18, "I like tea."),
        (DECOMPOSED, 0, 13, DECOMPOSED),
        (CHINESE, 3, 9, "我喜欢绿茶。"),
    ],
)
def test_a_right_quote_is_counted_in_code_points(text: str, start: int, end: int, quote: str) -> None:
    story = Story()
    right = Proposal(text="User likes tea.", kind="preference", span=Span(start, end), quote=quote)
    assert story.reads(story.says(text), right).refusals() == []
