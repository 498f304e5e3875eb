"""Offsets, chunk boundaries, arbitrary text, and the time that hostile text may take."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affidavit.domain.proposals import Extractor, Passage, Span
from affidavit.rebuild.extractors.rules import Rules

FRAGMENTS = [
    "I live in Porto",
    "I don't like ",
    "my port is 7777",
    "the build is broken",
    " and ",
    ", ",
    ". ",
    "? ",
    "\n",
    "> ",
    "'",
    '"',
    "“",
    "```",
    "我住在杭州",
    "我喜欢",
    "，",
    "。",
    "İ'm ",
    "e\u0301",
    "😀",
    "👨\u200d👩\u200d👧",
    "\u202e",
    "\ufffc",
    "I think I've been ",
    "been ",
    "gonna ",
    "not ",
    "'s ",
    "my wife and I ",
]

TEXTS = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("😀😀 I live in Porto 👨\u200d👩\u200d👧", "I live in Porto"),
        ("Ole\u0301! I live in Orle\u0301ans.", "I live in Orle\u0301ans"),
        ("🇵🇹🇵🇹我住在杭州😂", "我住在杭州"),
        ("\u200b I\u2019m allergic to nuts\u2026", "I\u2019m allergic to nuts"),
    ],
)
def test_offsets_are_code_points(text: str, quote: str) -> None:
    (proposal,) = Rules().extract(Passage(text, Span(0, len(text)), "user"))
    assert proposal.span == Span(text.index(quote), text.index(quote) + len(quote))
    assert proposal.quote == quote


def test_only_the_chunk_is_read_and_offsets_are_of_the_whole() -> None:
    text = "I live in Rome. I have two dogs. I hate tea."
    chunk = Span(text.index("I have"), text.index(" I hate"))
    (proposal,) = Rules().extract(Passage(text, chunk, "user"))
    assert (proposal.quote, proposal.span.start) == ("I have two dogs", 16)


def test_a_span_does_not_leave_its_chunk() -> None:
    text = "I live in Porto Alegre"
    (proposal,) = Rules().extract(Passage(text, Span(0, 15), "user"))
    assert proposal.quote == "I live in Porto"


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.data())
def test_every_quote_is_verbatim_in_its_chunk_and_beside_what_is_adopted(text: str, data: st.DataObject) -> None:
    bounds = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(lambda pair: Span(min(pair), max(pair)))
    chunk = data.draw(bounds)
    adopted = data.draw(st.lists(bounds.filter(lambda span: span.start < span.end), max_size=2)) if text else []
    proposals = Rules().extract(Passage(text, chunk, "user", tuple(adopted)))
    for proposal in proposals:
        assert proposal.quote == text[proposal.span.start : proposal.span.end] != ""
        assert chunk.start <= proposal.span.start < proposal.span.end <= chunk.end
        assert not any(proposal.span.overlaps(span) for span in adopted)
        assert proposal.text.endswith((".", "。"))
        assert "\n" not in proposal.text
    assert list(proposals) == sorted(proposals, key=lambda proposal: (proposal.span.start, proposal.span.end))


@settings(max_examples=50, deadline=None)
@given(TEXTS)
def test_the_same_passage_gives_the_same_proposals(text: str) -> None:
    passage = Passage(text, Span(0, len(text)), "user")
    assert Rules().extract(passage) == Rules().extract(passage)


def test_the_identity_names_the_schema() -> None:
    extractor: Extractor = Rules()
    assert (extractor.identity.name, extractor.identity.version, len(extractor.identity.schema)) == ("rules", "1", 64)


HOSTILE_SIZE = 200_000
HOSTILE = [
    "a",
    "I ",
    "my x ",
    ", ",
    " ",
    "\t",
    "- ",
    "-",
    ". ",
    " and i",
    "'",
    "' a",
    '"I',
    "“",
    "「我",
    "(",
    "[",
    "{} ",
    "`I ",
    "> \n",
    "```\n",
    "```",
    "I been ",
    "not ",
    "really ",
    "I think ",
    "haha ",
    "now ",
    "since ",
    "I like x and ",
    "I went to x, ",
    "translate: ",
    "did i mention ",
    "a_",
    "a.",
    "x.",
    "I live in Porto. ",
    "我",
    "我，",
    "的我",
    "现在",
    "从",
    "1月",
    "第一章",
    "翻译：",
    "我有一只猫，",
    "\t\t\t\t\t\t\t\tx\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    text = piece * (HOSTILE_SIZE // len(piece)) + "{"
    started = process_time()
    Rules().extract(Passage(text, Span(0, len(text)), "user"))
    assert process_time() - started < 60, "a pattern that looks at each place of the text again is no longer linear"
