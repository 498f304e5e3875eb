"""Words of an English stretch, with their places, contractions taken apart.

"I'm" is two words, `i` and `am`; "can't" is `can` and `not`; a lower-case "im" is read as people mean it. Each part
keeps a place in the text, so that whatever is found can be quoted code point by code point.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*(?:[-.@/:+#_&][^\W_]+(?:['’][^\W_]+)*)*")

_WHOLE = {
    "im": ("i", "am", 1),
    "ive": ("i", "have", 1),
    "i'ma": ("i", "gonna", 1),
    "id": ("id", "", 2),
    "dont": ("do", "not", 2),
    "didnt": ("did", "not", 3),
    "doesnt": ("does", "not", 4),
    "cant": ("can", "not", 2),
    "can't": ("can", "not", 2),
    "cannot": ("can", "not", 3),
    "wont": ("wont", "", 4),
    "won't": ("will", "not", 2),
    "isnt": ("is", "not", 2),
    "wasnt": ("was", "not", 3),
    "havent": ("have", "not", 4),
    "gonna": ("going", "to", 3),
    "wanna": ("want", "to", 3),
    "gotta": ("got", "to", 3),
    "ain't": ("am", "not", 2),
}
_ENDINGS = (("n't", "not"), ("'m", "am"), ("'ve", "have"), ("'re", "are"), ("'ll", "will"), ("'d", "'d"), ("'s", "'s"))


class Word(NamedTuple):
    """One word in lower case, with its place in the text it was read from."""

    low: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def _parts(low: str) -> tuple[str, str, int]:
    """Takes a word apart: its stem, its ending or nothing, and the length of the stem."""
    if low in _WHOLE:
        return _WHOLE[low]
    for ending, meaning in _ENDINGS:
        if low.endswith(ending) and len(low) > len(ending):
            return low[: -len(ending)], meaning, len(low) - len(ending)
    return low, "", len(low)


def words(text: str, start: int, end: int) -> list[Word]:
    """Returns the words of `text[start:end]`."""
    found: list[Word] = []
    for match in _WORD.finditer(text, start, end):
        low = match.group().lower().replace("’", "'")
        first, last = match.span()
        if "'" not in low and low not in _WHOLE:
            found.append(Word(low, first, last))
            continue
        stem, ending, size = _parts(low)
        size = min(size, last - first)
        found.append(Word(stem, first, first + size))
        if ending:
            found.append(Word(ending, first + size, last))
    return found
