import pytest

from unfooled.text.spoken import spoken

TEXTS = {
    "German": "Der Film war sehr langweilig und die Schauspieler sind auch nicht gut gewesen.",
    "French": "Le film est très long et les acteurs ne sont pas bons dans ce rôle.",
    "Spanish": "La película es muy aburrida y los actores no son buenos para este papel.",
    "Italian": "Il film è molto noioso e gli attori non sono adatti per questo ruolo.",
    "Dutch": "De film was heel saai en het verhaal is ook niet goed voor kinderen.",
    "Chinese": "这部电影非常无聊，演员也不好。",
    "Japanese": "この映画はとても退屈でした。",
    "Korean": "이 영화는 정말 지루했어요.",
    "written in Cyrillic": "Фильм был очень скучный.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_language_is_told_by_its_letters_or_its_commonest_words(language: str) -> None:
    looks = spoken([TEXTS[language]] * 3)
    assert (looks.strange, looks.looked_at, looks.language) == (3, 3, language) and looks.mostly_strange


def test_english_is_not_strange_with_names_emoji_and_a_word_of_another_language() -> None:
    texts = ["A délicieux film with Depardieu 😀", "Zeitgeist is a word I do not know", "ok", "Go!", "", "I loved it"]
    looks = spoken(texts)
    assert (looks.strange, looks.looked_at) == (0, 3)


def test_half_of_the_texts_are_not_most_of_them() -> None:
    assert not spoken([TEXTS["German"], "The film was a bore and nobody laughed."]).mostly_strange
    assert not spoken([]).mostly_strange
