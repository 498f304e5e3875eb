"""Grounding: whether a sentence is said by a text, so that nothing is remembered that was never there (seed 004).

Words count whole: "rust" is not in "trust". A word counts only where the text says it the same way: what is denied, or
hated, in one and not in the other is no match, and refutes the sentence. A verb of liking alone grounds nothing. Chinese and
Japanese are compared by pairs of characters. This is a check, not an understanding: it errs towards saying no.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from affidavit.domain.traditional import SIMPLIFIED_OF

LEAST = 0.5
"""The part of a sentence's words that a text must say, unless told."""
_LONG = 4
"""How many letters a word has at least that counts towards the ratio; a shorter one still must not be contradicted."""

_SMALL = """
a an the and or but of to in on at by for with from into about as than then so if is are was were be been being am has have
had do does did will would can could should may might must this that these those there here it its he she they them his her
their him i me my we us our you your user who which what when where also very just really some any such more most much many
mentioned said says told
"""
_STOP = frozenset(_SMALL.split())
_NEGATORS = frozenset(
    {
        *("not", "no", "never", "nor", "neither", "without", "cannot", "nothing", "none", "nobody", "stopped", "quit"),
    },
)
_LIKING = frozenset(
    f"{verb}{end}"
    for verb in ("love", "like", "adore", "enjoy", "prefer", "favour", "favor")
    for end in ("", "s", "d", "ed")
)
_DISLIKING = frozenset(
    {
        *("hate", "hates", "hated", "dislike", "dislikes", "disliked", "detest", "detests", "detested", "loathe", "loathes"),
        *("loathed", "despise", "despises", "despised", "avoid", "avoids", "avoided"),
    },
)
_TURNS = frozenset({"but", "however", "although", "though", "yet", "whereas", "while", "instead"})
_NO_NEGATION = re.compile(r"\bno doubt\b|\bnot (?:only|just)\b|不错|没错|不仅|不但|不只|差不多|别人|特别")
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_NO, _HATE, _LOVE = "不再|没有|从未|从不|不|没|无|未|别", "讨厌|厌恶|恨", "喜欢|热爱|喜爱|爱"
_RUN, _LATIN = rf"[{_CJK}](?:(?!{_NO}|{_HATE}|{_LOVE})[{_CJK}])*", rf"[^\W{_CJK}]+(?:['’][^\W{_CJK}]+)*[+#]*"
_TOKEN = re.compile(
    rf"(?P<end>[.!?;\n。！？；，]+)|(?P<no>{_NO})|(?P<hate>{_HATE})|(?P<love>{_LOVE})|(?P<cjk>{_RUN})|(?P<word>{_LATIN})",
)


class Said(NamedTuple):
    """A word as a text says it: affirmed, 1, or denied, -1, and whether it is a mere verb of liking or disliking."""

    word: str
    sign: int
    verb: bool = False


def is_grounded(sentence: str, text: str, least: float = LEAST) -> bool:
    """Tells whether at least this part of a sentence's words is said by the text, none of them to the contrary.

    False for a sentence in which nothing is said.
    """
    wanted = list(dict.fromkeys(said(sentence)))
    signs = _signs(text)
    # What is hated by one and loved by the other refutes, and so does a word that the text only denies.
    if any(one.word in signs and one.sign not in signs[one.word] for one in wanted if not one.verb):
        return False
    things = [one for one in wanted if not one.verb]
    if things and not any(one.word in signs for one in things):
        return False
    counted = [one for one in wanted if _counts(one.word)]
    matched = sum(1 for one in counted if one.word in signs)
    return bool(counted) and matched >= least * len(counted)


def is_contrary(one: str, other: str) -> bool:
    """Tells whether two sentences say the opposite of something, as "loves coffee" and "hates coffee" do."""
    signs = _signs(other)
    shared = [word for word in said(one) if not word.verb and word.word in signs]
    return any(word.sign not in signs[word.word] for word in shared)


def said(text: str) -> Iterator[Said]:
    """Yields the words of a text, in order, without the small ones that say nothing of it.

    A word is denied by a negation, or a verb of disliking, before it in its clause; two of them affirm.
    """
    text = unicodedata.normalize("NFKC", text).casefold().translate(SIMPLIFIED_OF)
    sign, denied = 1, False
    for token in _TOKEN.finditer(_NO_NEGATION.sub(" ", text)):
        kind, word = token.lastgroup, token.group()
        if kind == "end" or word in _TURNS:
            sign, denied = 1, False
        elif kind == "no" or word in _NEGATORS or word.endswith(("n't", "n’t")):
            denied = not denied
        elif kind in {"love", "hate"} or word in _LIKING | _DISLIKING:
            disliked = kind == "hate" or word in _DISLIKING
            sign = -1 if disliked != denied else 1
            denied = False
            yield Said(word, 1, verb=True)
        elif kind == "cjk":
            pairs = [word[at : at + 2] for at in range(max(1, len(word) - 1))]
            yield from (Said(pair, -sign if denied else sign) for pair in pairs)
        elif word not in _STOP:
            yield Said(word, -sign if denied else sign)


def _signs(text: str) -> dict[str, set[int]]:
    """Returns how each word of a text is said: affirmed, denied or, in different places, both."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for one in said(text):
        found[one.word].add(one.sign)
    return dict(found)


def _counts(word: str) -> bool:
    return len(word) >= _LONG or bool(re.match(f"[{_CJK}]", word))
