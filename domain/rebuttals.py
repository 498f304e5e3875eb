"""Rebuttals by keyword: the user's words reject a topic, or ask to drop it (upstream's negative keywords).

Only the words are seen, not who is meant: which claims were in sight, and what the rebuttal does to them, is the caller's
to know. The search is over NFKC text without regard to case. In Latin and Cyrillic script a phrase is never found inside a
longer word, and accents and apostrophes may be missing, as they are in chat; in Chinese, Japanese and Korean a phrase is a
plain substring, and Korean spaces are optional. Reported speech ("he said: let's change the subject") is found as well.
"""

import re
import unicodedata

from affidavit.domain.rebuttal_words import REBUTTALS

_ALPHABETIC = frozenset({"en", "ru", "es", "pt"})
_CHINESE = ("zh", "zh-TW")
_UNSPACED = "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"[^\W_{_UNSPACED}]"
"""A letter or digit that belongs to the same word as its neighbour. A Chinese character beside an English word does not."""


def rebuts(text: str, language: str = "") -> bool:
    """Tells whether `text` rejects a topic or asks to drop it.

    `language` is a tag such as `en-US`; its region is ignored. Every Chinese tag, and a language that has no table, asks
    both Chinese tables; an empty tag, where the language is unknown, asks all.
    """
    folded = _fold(text)
    return any(_PATTERNS[table].search(folded) for table in _tables(language))


def _tables(language: str) -> tuple[str, ...]:
    if not language:
        return tuple(REBUTTALS)
    base = re.split("[-_]", language.casefold())[0]
    return (base,) if base in REBUTTALS and base not in _CHINESE else _CHINESE


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def _pattern(table: str) -> re.Pattern[str]:
    if table not in _ALPHABETIC:
        return re.compile("|".join(r"\s*".join(map(re.escape, phrase.split())) for phrase in REBUTTALS[table]))
    phrases = "|".join("".join(map(_as_typed, phrase)) for phrase in REBUTTALS[table])
    return re.compile(rf"(?<!{_LETTER})(?:{phrases})(?!{_LETTER})")


def _as_typed(character: str) -> str:
    """Returns what may stand for one character of a phrase: no apostrophe, any white space, a letter without its accent."""
    if character == "'":
        return "'?"
    if character == " ":
        return r"\s+"
    bare = unicodedata.normalize("NFD", character)[0]
    return re.escape(character) if bare == character else f"[{character}{bare}]"


_PATTERNS = {table: _pattern(table) for table in REBUTTALS}
