"""Which parts of a passage are the speaker's own words.

A rule may only hear testimony. What was adopted (marked by the host), what stands in a short quotation with a first
person of its own ('she said "I love jazz"'), lines that start with `>`, lines of code and logs, and a text that is
given to be translated are somebody else's words or no words at all. They are not cut out, which would move every
offset, but masked: each code point but a line break is replaced by `MASK`, and no rule makes a claim of a clause that
holds one.
"""

import re
from collections.abc import Iterable, Iterator

from affidavit.domain.proposals import Passage, Span

MASK = "\ufffc"
"""The object replacement character stands for words that are not testimony."""

_NOT_A_BREAK = re.compile(r"[^\n]")

_QUOTES = frozenset("\"'“‘「『")
_QUOTATION = re.compile(
    r'"[^"\n]{1,400}"'
    r"|“[^”\n]{1,400}”"
    r"|「[^」\n]{1,400}」"
    r"|『[^』\n]{1,400}』"
    r"|‘[^’\n]{1,400}’(?!\w)"
    r"|(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){1,400}'(?!\w)",
)
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|my|we|me|our)\b|我|俺|咱", re.IGNORECASE)

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]{1,400}`")
_QUOTED_LINE = re.compile(r"^[ \t]*+>[^\n]*", re.MULTILINE)
_CODE_SIGNS = re.compile(
    r"[{}<=>$\[]|\(\)|//|Error|Exception|Warning|\d:\d\d|^[ \t]*(?:def|class|import|from|return)\b",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"^[ \t]*+(?:"
    r"(?:def|class|import|from|return|const|let|var|func|fn|public|private|static|package|using|elif|SELECT|INSERT|"
    r"UPDATE|DELETE|CREATE|export|async|await)[ \t]+[\w.{*(]+[^\n]*[;:{}()=\"'][ \t]*$"
    r"|(?:\$|#!|//|/\*|<[/!a-zA-Z])[^\n]*"
    r"|(?:\w{1,60}\.){0,8}\w{0,60}(?:Error|Exception|Warning|Traceback)\b[^\n]*"
    r"|\[?\d{4}-\d\d-\d\d[ T]\d\d:[^\n]*|\[(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\][^\n]*"
    r"|[^\n]{0,400}(?:[{};]|=>|\)(?<!\w\)))[ \t]*$"
    r")",
    re.MULTILINE,
)

_TASK = re.compile(
    r"(?:\b(?:translate|summari[sz]e|proofread|paraphrase|rephrase|rewrite|(?:correct|fix|edit|polish) "
    r"(?:this|these|the|my))\b|第一人称|第一人稱|翻译|翻譯|概括|总结一下|總結一下|润色|潤色|改写|改寫|校对|校對|缩写|扩写|擴寫)"
    r"[^\n:：。.!?！？]{0,80}[:：]\s*",
    re.IGNORECASE,
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yields the quotations in which somebody speaks of themself; a quoted title or name is left readable."""
    for found in _QUOTATION.finditer(text):
        if _FIRST_PERSON.search(found.group()):
            yield found.span()


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Yields fences, lines of code and of logs, and inline code that could be taken for a sentence."""
    if "```" in text or "~~~" in text:
        yield from (found.span() for found in _FENCE.finditer(text))
    if _CODE_SIGNS.search(text):
        yield from (found.span() for found in _CODE_LINE.finditer(text))
    if "`" in text:
        yield from (found.span() for found in _INLINE_CODE.finditer(text) if _FIRST_PERSON.search(found.group()))


def _given_to_work_on(text: str) -> Iterator[tuple[int, int]]:
    """Yields what follows "translate this:" and the like up to the end of its paragraph: a text, and no testimony."""
    done = 0
    for found in _TASK.finditer(text):
        if found.end() < done:
            continue
        end = _PARAGRAPH_END.search(text, found.end())
        done = end.start() if end else len(text)
        yield found.end(), done


def _foreign(text: str) -> Iterator[tuple[int, int]]:
    """Yields the stretches of a chunk's text that are not testimony by their look alone."""
    if ">" in text:
        yield from (found.span() for found in _QUOTED_LINE.finditer(text))
    yield from _code(text)
    if ":" in text or "：" in text:
        yield from _given_to_work_on(text)
    if not _QUOTES.isdisjoint(text):
        yield from _quotations(text)


def _mask(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    """Replaces every code point of the stretches but line breaks, so that offsets stay."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(stretches):
        if end <= done:
            continue
        begin = max(start, done)
        pieces.append(text[done:begin])
        pieces.append(_NOT_A_BREAK.sub(MASK, text[begin:end]))
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _within(span: Span, chunk: Span) -> tuple[int, int]:
    """Places an adopted span in its chunk's own offsets, cut at the chunk's edges."""
    return max(span.start, chunk.start) - chunk.start, min(span.end, chunk.end) - chunk.start


def testimony(passage: Passage) -> str:
    """Returns the chunk's text, of the same length, with all that is not the speaker's own words masked."""
    chunk = passage.chunk
    text = passage.text[chunk.start : chunk.end]
    stretches = [_within(span, chunk) for span in passage.adopted if span.overlaps(chunk)]
    stretches.extend(_foreign(text))
    return _mask(text, stretches) if stretches else text
