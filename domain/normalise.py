"""The normaliser: when two wordings are the same value.

NFKC, case, white space, format characters, sentence punctuation at the end and quotation marks around, Traditional and
Simplified Chinese. What remains apart stays apart: C++, C# and C are three things, and so are 3.5 and 35. The result is
only ever compared or hashed, never shown. The version is part of every digest and is kept with each rejected value: when
a second one comes, the gate will have to ask under both.
"""

import re
import unicodedata

from affidavit.domain.traditional import SIMPLIFIED_OF

VERSION = 1

_ENDS = ".!?,;:。！？，；：、…"
_QUOTES = "\"'“”‘’«»「」『』《》"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACE_BY_CJK = re.compile(rf"(?<=[{_CJK}])\s+|\s+(?=[{_CJK}])")


def normalise(text: str) -> str:
    """Returns the form of `text` in which values and sentences are compared. Applying it twice changes nothing."""
    while True:
        folded = _fold(text)
        if folded == text:
            return folded
        text = folded


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    if not text.isascii():
        text = "".join(character for character in text if unicodedata.category(character) != "Cf")
        text = unicodedata.normalize("NFKC", text).translate(SIMPLIFIED_OF)
        text = _SPACE_BY_CJK.sub("", text)
    text = " ".join(text.split())
    return text.rstrip(_ENDS + _QUOTES + " ").lstrip(_QUOTES + " ")


def words(text: str) -> frozenset[str]:
    """Returns the normalised words of `text` and, for runs of CJK, their overlapping pairs of characters.

    One CJK character alone counts as itself, so that a one-character query is not empty.
    """
    found: set[str] = set()
    for run in re.findall(rf"[{_CJK}]+|[^\W{_CJK}]+", normalise(text)):
        if re.match(f"[{_CJK}]", run):
            found.update(run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            found.add(run)
    return frozenset(found)
