"""Adopted passages: text inside a user's turn that is not the user's testimony (design.md §1).

Detected: fenced code, lines that begin with `>`, paste tags, and quotation marks around six words or twelve CJK characters
and more. A paste without any mark cannot be told from the user's own words; a source may mark it itself.
"""

import re

from affidavit.domain.proposals import Span

_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*(?=\r?$)|\Z)",
    re.MULTILINE | re.DOTALL,
)
_QUOTED_LINES = re.compile(r"^[ \t]*>[^\n]*", re.MULTILINE)
_TAGS = re.compile(
    r"<(paste|pasted|document|file|article|quote|blockquote)\b[^>]*>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL
)
_QUOTES = re.compile('“[^“”]+”|"[^"\n]+"|「[^「」]+」|『[^『』]+』|«[^«»]+»')
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LONG_WORDS = 6
LONG_CJK = 12


def detect(text: str, marked: tuple[Span, ...] = ()) -> tuple[Span, ...]:
    """Returns the adopted spans of a text, those that the source marked included, merged and in order."""
    found = [*marked]
    found += [Span(*match.span()) for pattern in (_FENCE, _QUOTED_LINES, _TAGS) for match in pattern.finditer(text)]
    found += [Span(*match.span()) for match in _QUOTES.finditer(text) if _is_long(match.group()[1:-1])]
    return _merged(found)


def _is_long(quoted: str) -> bool:
    return len(_CJK.findall(quoted)) >= LONG_CJK or len(quoted.split()) >= LONG_WORDS


def _merged(spans: list[Span]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)
