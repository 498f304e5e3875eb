"""Chunks: the unit of extraction and index, a span of one evidence revision, never a copy.

Cut at paragraphs and sentence ends, at most `LONGEST` code points each; together they cover every code point that is not
white space, and none overlaps another. The id is a keyed digest of (evidence, revision, start, end, chunker version).
"""

import re
from collections.abc import Iterator

from affidavit.domain.index import Index
from affidavit.domain.proposals import Span

VERSION = 1
LONGEST = 2000
_BREAK = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")


def chunk(text: str) -> tuple[Span, ...]:
    """Returns the chunks of a text, in order."""
    spans: list[Span] = []
    start = 0
    for found in _BREAK.finditer(text):
        spans.extend(_pieces(text, start, found.start()))
        start = found.end()
    spans.extend(_pieces(text, start, len(text)))
    return tuple(spans)


def chunk_id(index: Index, item: bytes, revision: int, span: Span) -> bytes:
    """Returns the id of a chunk: a digest keyed by the scope's secret."""
    return index.keyed("chunk", item.hex(), str(revision), str(span.start), str(span.end), str(VERSION))


def _pieces(text: str, start: int, end: int) -> Iterator[Span]:
    while end - start > LONGEST:
        ends = [found.end() for found in _SENTENCE_END.finditer(text, start, start + LONGEST)]
        cut = ends[-1] if ends else start + LONGEST
        yield from _trimmed(text, start, cut)
        start = cut
    yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    stretch = text[start:end]
    body = stretch.strip()
    if body:
        begin = start + stretch.index(body[0])
        yield Span(begin, begin + len(body))
