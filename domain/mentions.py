"""Mentions: how often the agent brings a claim up, so that it does not repeat itself.

Source: seed 000, "Rendering and repetition control", and upstream's keywords. A reply mentions a claim if it holds one of
the claim's keywords. More mentions than the limit within a rolling window suppress the claim for as long as the window,
counted from the mention that was too many. A mention is no evidence: score, confidence and clocks never look at it.
Times and windows are integer microseconds.
"""

import re
from collections.abc import Iterable, Iterator

from affidavit.domain.normalise import normalise

_TEMPLATES = """
    user users a an the this that these those it its they them their he him his she her who which
    is are was were be been being am has have had do does did will would can could going not no never longer
    isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't can't
    and or but of to in on at for from with by as about into than also very more most
    like likes liked love loves prefer prefers enjoy enjoys dislike dislikes want wants
    live lives work works use uses used using name named called years old
    ユーザー
    用户 其他人 的 了 是 在 有 不 没 和 喜欢 更喜欢 最喜欢 讨厌 想要 打算 觉得 住在 工作 使用 名字
    已经 现在 正在 最近 一直 一个 两个 自己
"""
TEMPLATE_WORDS = frozenset(_TEMPLATES.split())
"""The words of our sentence templates and function words: they stand in any reply and say nothing of one claim."""

_HAN = "\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3040-\u309f"
_LETTER = rf"[^\W_{_HAN}{_HIRAGANA}]"
_WORD = rf"{_LETTER}++(?:'{_LETTER}++)*+[+#]*+"
_UNIT = re.compile(rf"[{_HAN}]|{_WORD}")
_SEGMENT = re.compile(rf"(?:[{_HAN}]|{_WORD})++")
_LONGEST_FIRST = sorted(TEMPLATE_WORDS, key=lambda word: (-len(word), word))
_TEMPLATE = re.compile("|".join(word for word in _LONGEST_FIRST if re.match(f"[{_HAN}]", word)))


def keywords(text: str) -> frozenset[str]:
    """Returns the words by which a claim is recognised in a reply, normalised.

    The text is split at white space and punctuation; `C++` and `C#` stay whole, and a possessive `'s` falls off. A word of
    two letters or more is a keyword. Chinese has no spaces, so a segment gives its runs of two and three characters, after
    it was cut at the template words, 用户 first of all; a character left alone takes the one before it along (喜欢猫 gives
    欢猫). `TEMPLATE_WORDS` are left out because each of our claims is such a sentence: "User likes tea." would else be
    mentioned by every reply that says "likes".

    Apart from upstream, which takes runs where more than half of a segment is CJK: a foreign word within Chinese counts as
    one character (用Vim写 gives "vim", never "vi"); a katakana word is a word; hiragana separates, since Japanese endings
    such as です stand in any reply.
    """
    found: set[str] = set()
    for segment in _SEGMENT.findall(_fold(text)):
        begun = 0
        for cut in _TEMPLATE.finditer(segment):
            found.update(_runs(segment, begun, cut.start()))
            begun = cut.end()
        found.update(_runs(segment, begun, len(segment)))
    return frozenset(found)


def is_mentioned(claim_text: str, reply: str, names: Iterable[str] = ()) -> bool:
    """Tells whether a reply holds any keyword of a claim, once the names of agent and user are taken out of the reply.

    A word must stand alone in the reply; upstream takes any substring, by which "tea" is mentioned by "team". Chinese is
    compared as a substring.
    """
    said = _fold(reply)
    for name in sorted({_fold(name) for name in names} - {""}, key=lambda name: (-len(name), name)):
        said = re.sub(_standing_alone(name), " ", said)
    return any(keyword in said and re.search(_standing_alone(keyword), said) for keyword in keywords(claim_text))


def overlap(left: str, right: str) -> float:
    """Returns the share, 0 to 1, of the shorter text's keywords that both texts have; 0 where one has none.

    Upstream takes a high share for a sign that two claims contradict each other.
    """
    one, other = keywords(left), keywords(right)
    fewer = min(len(one), len(other))
    return len(one & other) / fewer if fewer else 0.0


def mentioned(recent: tuple[int, ...], at: int, *, window: int) -> tuple[int, ...]:
    """Returns the times of the mentions within `window` before `at`, and `at`, in order.

    Later times are dropped: a clock that was wrong must not count for ever. Two mentions at one moment are two.
    """
    return (*sorted(time for time in recent if at - window <= time <= at), at)


def suppresses(recent: tuple[int, ...], limit: int) -> bool:
    """Tells whether these mentions, all within one window, are more than `limit`."""
    return len(recent) > limit


def is_suppressed(suppressed_at: int | None, now: int, *, window: int) -> bool:
    """Tells whether a suppression that began at `suppressed_at` is in force: from then on, for less than `window`.

    One that begins after `now` is not in force yet, so that a wrong clock suppresses nothing for ever.
    """
    return suppressed_at is not None and suppressed_at <= now < suppressed_at + window


def _fold(text: str) -> str:
    return normalise(text.replace("’", "'"))


def _runs(segment: str, begun: int, end: int) -> Iterator[str]:
    """Yields the keywords of a stretch of a segment between two template words."""
    units = _UNIT.findall(segment[begun:end])
    for unit in units:
        word = unit.removesuffix("'s")
        if len(word) > 1 and word not in TEMPLATE_WORDS:
            yield word
    if len(units) == 1 and begun and re.fullmatch(f"[{_HAN}]", units[0]):
        yield segment[begun - 1 : end]
    for size in (2, 3):
        yield from ("".join(units[at : at + size]) for at in range(len(units) - size + 1))


def _standing_alone(words: str) -> str:
    """Returns a pattern that finds `words` where no letter before or after makes one of them longer."""
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, words) else ""
    after = rf"(?!{_LETTER})" if re.match(_LETTER, words[-1]) else ""
    return f"{before}{re.escape(words)}{after}"
