"""Folding, and the patterns of words that several tables share: numbers, counts, spells of time."""

import re
from collections.abc import Iterable

from affidavit.rebuild.extractors.rules.lexicon_chinese import FOLDED

_FOLD = str.maketrans({pair[0]: pair[1] for pair in FOLDED})


def fold(text: str) -> str:
    """Folds traditional characters to simplified ones; the length stays."""
    return text.translate(_FOLD)


def any_of(words: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")"


NUMBER = r"(?:[一二三四五六七八九十百千万两几半零多\d.]+)"
COUNT = r"(?:(?:[一二三四五六七八九十两几好\d]+|半)?(?:个|位|只|条|匹|对|群|名|窝)?)"
SPELL = (
    r"(?:(?:都|快|已经|有|小|整整|将近|差不多)*(?:[一二三四五六七八九十两几半好\d]+)(?:多|"
    r"来)?(?:年|个?月|周|个?星期|个?礼拜|天|个?小时)(?:多|半)?)"
)
"""A stretch of time: "三年多", "快两个月", "十几年"."""
