"""A user's words can reject a topic; ordinary sentences never do."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.domain.rebuttal_words import REBUTTALS
from affidavit.domain.rebuttals import rebuts

PHRASES = [(language, phrase) for language, phrases in REBUTTALS.items() for phrase in phrases]
ALPHABETIC = [phrase for language, phrase in PHRASES if language in {"en", "ru", "es", "pt"}]
ORDINARY = {
    "zh": (
        "今天天气不错",
        "我不想提前下班",
        "别再提醒我开会了",
        "我现在不想谈恋爱",
        "没问题，随便你",
        "别说话，电影开始了",
        "这个话题很有意思，继续说",
        "不要提高音量",
    ),
    "zh-TW": (
        "今天天氣不錯",
        "我不想提前下班",
        "別再提醒我開會了",
        "我現在不想談戀愛",
        "沒問題，隨便你",
        "別說話，電影開始了",
        "這個話題很有意思，繼續說",
    ),
    "en": (
        "whatever you like",
        "I don't mind",
        "no problem",
        "Thanks! - Don't mention it.",
        "I can't stop talking about my cat",
        "I don't know enough about it",
        "Could you drop it off at the office?",
        "Don't drop it, it's fragile.",
        "Let's move on to the next step",
        "The subject of my thesis is tea",
        "I hate coriander",
    ),
    "ja": (
        "今日はいい天気ですね",
        "展示品に手を触れないでください",
        "その話は面白いですね",
        "何でもいいですよ",
        "問題ありません",
        "もっと話を聞きたいです",
    ),
    "ko": (
        "오늘 날씨 좋네요",
        "아무거나 괜찮아요",
        "문제 없어요",
        "그 얘기 재미있네요",
        "걱정하지 마세요",
        "오늘은 그만 자야겠어요",
    ),
    "ru": (
        "сегодня хорошая погода",
        "не будем об этом забывать",
        "не надо об этом беспокоиться",
        "без проблем",
        "мне всё равно, выбирай сам",
        "эта тема мне очень интересна",
    ),
    "es": (
        "hoy hace buen tiempo",
        "no deja de hablar de su gato",
        "no me importa, lo que quieras",
        "no hay problema",
        "quiero hablar de eso contigo",
        "me interesa ese tema",
    ),
    "pt": (
        "hoje o tempo está bom",
        "ele não para de falar disso",
        "tanto faz, como você quiser",
        "sem problema",
        "quero falar sobre isso com você",
        "esse assunto me interessa",
    ),
}


@pytest.mark.row("N42")
@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("换个话题吧", "zh", True),
        ("今天天气不错", "zh", False),
        ("别提了", "xyz", True),
        ("Let's change the subject.", "en-US", True),
        ("Não quero falar sobre isso.", "pt-BR", True),
    ],
)
def test_a_rebuttal_is_found_in_its_language(text: str, language: str, found: bool) -> None:
    assert rebuts(text, language) is found


@pytest.mark.parametrize(("language", "phrase"), PHRASES)
def test_every_phrase_is_found_in_its_own_table_and_where_the_language_is_unknown(language: str, phrase: str) -> None:
    assert rebuts(phrase, language)
    assert rebuts(f"({phrase.upper()}!)")


@pytest.mark.parametrize("language", REBUTTALS)
def test_a_table_holds_ten_to_twenty_five_folded_phrases(language: str) -> None:
    phrases = REBUTTALS[language]
    assert 10 <= len(phrases) == len(set(phrases)) <= 25
    assert [unicodedata.normalize("NFKC", phrase).casefold() for phrase in phrases] == list(phrases)
    assert min(map(len, phrases)) > 1


@pytest.mark.parametrize(("language", "text"), [(of, text) for of, texts in ORDINARY.items() for text in texts])
def test_an_ordinary_sentence_rejects_nothing(language: str, text: str) -> None:
    assert not rebuts(text, language)
    assert not rebuts(text)


def test_every_language_has_ordinary_sentences_here() -> None:
    assert ORDINARY.keys() == REBUTTALS.keys()
    assert min(map(len, ORDINARY.values())) >= 5


@pytest.mark.parametrize("language", ["zh", "zh-CN", "zh-TW", "zh_HK", "zh-Hant", "ZH-hans-SG", "xyz", "de", "zh-TW-x"])
def test_chinese_and_unknown_languages_ask_both_chinese_tables_and_no_other(language: str) -> None:
    assert rebuts("换个话题吧", language)
    assert rebuts("換個話題吧", language)
    assert not rebuts("let's change the subject", language)


@pytest.mark.parametrize("language", ["en", "EN-gb", "en_US", "en-Latn-US"])
def test_a_known_language_asks_its_own_table_alone(language: str) -> None:
    assert rebuts("please stop talking about my ex", language)
    assert not rebuts("别提了", language)


@pytest.mark.parametrize(
    "text",
    [
        "I don’t want to talk about it",
        "i dont want to talk about it",
        "ＬＥＴ'Ｓ　ＣＨＡＮＧＥ　ＴＨＥ　ＳＵＢＪＥＣＴ",
        "Please stop\n talking  about him.",
        "好了let's change the subject吧",
        "nao quero falar disso",
        "no quiero hablar mas de politica",
        "Na\u0303o quero falar disso",
        "그얘기는 그만해",
        "Хватит об этом!",
    ],
)
def test_spelling_as_in_chat_is_understood(text: str) -> None:
    assert rebuts(text)


@given(st.sampled_from(ALPHABETIC), st.sampled_from("azñçяё7"))
def test_a_phrase_inside_a_longer_word_is_not_found(phrase: str, letter: str) -> None:
    assert not rebuts(letter + phrase)
    assert not rebuts(phrase + letter)


@given(st.sampled_from(PHRASES), st.text(), st.text())
def test_what_stands_around_a_sentence_does_not_hide_it(phrase: tuple[str, str], before: str, after: str) -> None:
    assert rebuts(f"{before}\n{phrase[1]}\n{after}")


def test_an_empty_text_rejects_nothing() -> None:
    assert not rebuts("")
