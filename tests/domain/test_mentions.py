"""A reply that repeats a claim is a mention; too many within a window suppress the claim for that long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec import NOW

from affidavit.domain.mentions import (
    TEMPLATE_WORDS,
    is_mentioned,
    is_suppressed,
    keywords,
    mentioned,
    overlap,
    suppresses,
)
from affidavit.domain.normalise import normalise
from affidavit.domain.times import SECOND

HOUR = 3600 * SECOND
WINDOW = 5 * HOUR
LIMIT = 2
TEXT = st.text(st.characters(codec="utf-8")) | st.text(st.sampled_from("用户喜欢绿茶的猫在ユーザのすtea's C+# ,。"))
TIMES = st.lists(st.integers(NOW - 2 * WINDOW, NOW + 2 * WINDOW)).map(tuple)

# Keywords


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("User prefers green tea.", {"green", "tea"}),
        ("User's name is Ana.", {"ana"}),
        ("User doesn’t live in Lisbon.", {"lisbon"}),
        ("User is 28 years old.", {"28"}),
        ("Ana's sister likes jazz", {"ana", "sister", "jazz"}),
        ("User uses C++, C# and snake_case.", {"c++", "c#", "snake", "case"}),
        ("ＧＲＥＥＮ　Ｔｅａ", {"green", "tea"}),
        ("用户喜欢绿茶。", {"绿茶"}),
        ("用戶喜歡綠茶。", {"绿茶"}),
        ("用户不喜欢龙井茶。", {"龙井", "井茶", "龙井茶"}),
        ("用户住在杭州，喜欢《活着》", {"杭州", "活着"}),
        ("用户的端口是7777。", {"端口", "7777"}),
        ("用户喜欢猫。", {"欢猫"}),
        ("用户使用Vim写代码", {"vim", "vim写", "vim写代", "写代", "写代码", "代码"}),
        ("用户喜欢B站", {"b站"}),
        ("ユーザーはコーヒーと緑茶が好きです。", {"コーヒー", "緑茶"}),
        ("사용자는 녹차를 좋아한다", {"사용자는", "녹차를", "좋아한다"}),
        ("User is a", set()),
        ("用户的", set()),
        ("。!? —", set()),
        ("", set()),
    ],
)
def test_keywords_are_what_a_sentence_says_beyond_its_template(text: str, found: set[str]) -> None:
    assert keywords(text) == {normalise(word) for word in found}


def test_a_segment_of_chinese_gives_its_runs_of_two_and_three() -> None:
    assert keywords("西湖龙井") == {"西湖", "湖龙", "龙井", "西湖龙", "湖龙井"}


@given(TEXT)
def test_a_keyword_is_normalised_has_two_characters_and_is_no_template_word(text: str) -> None:
    for keyword in keywords(text):
        assert len(keyword) >= 2
        assert keyword not in TEMPLATE_WORDS
        assert not keyword.isspace()


@given(st.sets(st.sampled_from(sorted(TEMPLATE_WORDS)), max_size=6))
def test_template_words_alone_are_no_keywords(words: set[str]) -> None:
    assert keywords(" ; ".join(words)) == frozenset()


def test_template_words_are_normalised() -> None:
    assert {normalise(word) for word in TEMPLATE_WORDS} == TEMPLATE_WORDS


# Whether a reply mentions a claim


@pytest.mark.parametrize(
    ("claim", "reply"),
    [
        ("User prefers green tea.", "How about some TEA?"),
        ("User prefers green tea.", "Some “tea’s” better than none"),
        ("User prefers green tea.", "_tea_"),
        ("User uses C++.", "In C++17 you can."),
        ("User uses Vim.", "你可以用Vim写。"),
        ("用户喜欢绿茶。", "要不要来杯绿茶？"),
        ("用户喜欢绿茶。", "要不要來杯綠茶？"),
        ("用户喜欢猫。", "我知道你喜欢猫！"),
        ("用户使用Vim写代码", "Vim, of course."),
        ("ユーザーはコーヒーが好きです。", "コーヒーはいかがですか"),
    ],
)
def test_a_reply_that_holds_a_keyword_mentions_the_claim(claim: str, reply: str) -> None:
    assert is_mentioned(claim, reply)


@pytest.mark.parametrize(
    ("claim", "reply"),
    [
        ("User likes tea.", "The user likes the team and its steam engine."),
        ("User lives in Lisbon.", "He lives in the house that is known as the user's."),
        ("User uses C++.", "C is older."),
        ("User uses Vim.", "你可以用Vimium。"),
        ("用户喜欢绿茶。", "用户喜欢红酒，我也喜欢绿色。"),
        ("用户住在杭州。", "他住在苏州。"),
        ("ユーザーはコーヒーが好きです。", "コードを書くのが好きです。"),
        ("用户的", "用户的"),
        ("User likes tea.", ""),
        ("", "tea"),
    ],
)
def test_a_reply_without_a_keyword_does_not_mention_the_claim(claim: str, reply: str) -> None:
    assert not is_mentioned(claim, reply)


@pytest.mark.parametrize(
    ("claim", "reply", "names"),
    [
        ("User's name is Ana.", "Good morning, ANA!", ["Ana"]),
        ("Ana Maria's father", "Hello, Ana Maria's here", ["Ana", "Ana Maria", ""]),
        ("用户的名字是王小明。", "早上好，王小明！", ["王小明", " "]),
        ("用户喜欢绿茶。", "绿Neko茶", ["neko"]),
    ],
)
def test_a_name_alone_is_no_mention(claim: str, reply: str, names: list[str]) -> None:
    assert not is_mentioned(claim, reply, names)


def test_a_name_within_a_longer_word_is_left_there() -> None:
    assert is_mentioned("User likes alpacas.", "Alpacas again, Al?", ["Al"])


def test_a_name_beside_a_keyword_hides_nothing() -> None:
    assert is_mentioned("User's name is Ana, who likes tea.", "Tea, Ana?", ["Ana"])


@given(TEXT)
def test_a_claim_with_keywords_is_mentioned_where_it_is_repeated_and_nowhere_by_silence(text: str) -> None:
    assert is_mentioned(text, text) == bool(keywords(text))
    assert not is_mentioned(text, "")


# Overlap


@pytest.mark.parametrize(
    ("left", "right", "share"),
    [
        ("User likes green tea.", "User dislikes green tea.", 1.0),
        ("User likes green tea.", "User likes black tea.", 0.5),
        ("User likes green tea.", "User likes tea.", 1.0),
        ("User likes jazz.", "User likes tea.", 0.0),
        ("用户喜欢绿茶。", "用户不喜欢绿茶。", 1.0),
        ("用户喜欢绿茶。", "用户喜欢红酒。", 0.0),
        ("User is", "User likes tea.", 0.0),
        ("", "", 0.0),
    ],
)
def test_overlap_is_the_share_of_the_shorter_claim(left: str, right: str, share: float) -> None:
    assert overlap(left, right) == share


@given(TEXT, TEXT)
def test_overlap_has_no_direction_and_is_a_share(left: str, right: str) -> None:
    assert overlap(left, right) == overlap(right, left)
    assert 0.0 <= overlap(left, right) <= 1.0
    assert overlap(left, left) == (1.0 if keywords(left) else 0.0)


# Mentions and suppression


@pytest.mark.row("N41")
def test_the_third_mention_within_the_window_suppresses_and_the_second_does_not() -> None:
    recent: tuple[int, ...] = ()
    said = []
    for at in (NOW, NOW + HOUR, NOW + 2 * HOUR):
        recent = mentioned(recent, at, window=WINDOW)
        said.append(suppresses(recent, LIMIT))
    assert said == [False, False, True]


def test_mentions_spread_wider_than_the_window_never_suppress() -> None:
    recent: tuple[int, ...] = ()
    for step in range(12):
        recent = mentioned(recent, NOW + step * 3 * HOUR, window=WINDOW)
        assert not suppresses(recent, LIMIT)


def test_the_window_holds_its_edge_and_neither_older_nor_later_mentions() -> None:
    given_times = (NOW + 1, NOW - WINDOW - 1, NOW, NOW - HOUR, NOW - WINDOW)
    assert mentioned(given_times, NOW, window=WINDOW) == (NOW - WINDOW, NOW - HOUR, NOW, NOW)


def test_two_mentions_at_one_moment_are_two() -> None:
    assert mentioned((NOW,), NOW, window=WINDOW) == (NOW, NOW)


@given(TIMES, st.integers(NOW - WINDOW, NOW + WINDOW), st.integers(0, WINDOW))
def test_mentions_are_in_order_within_the_window_and_end_now(recent: tuple[int, ...], at: int, window: int) -> None:
    kept = mentioned(recent, at, window=window)
    assert list(kept) == sorted(kept)
    assert kept[-1] == at
    assert at - window <= kept[0]
    assert len(kept) == 1 + sum(at - window <= time <= at for time in recent)


@pytest.mark.parametrize(
    ("after", "suppressed"), [(-1, False), (0, True), (WINDOW - 1, True), (WINDOW, False), (100 * WINDOW, False)]
)
def test_a_suppression_lasts_for_the_window_and_is_lifted(after: int, suppressed: bool) -> None:
    assert is_suppressed(NOW, NOW + after, window=WINDOW) is suppressed


def test_what_was_never_suppressed_is_not() -> None:
    assert not is_suppressed(None, NOW, window=WINDOW)
