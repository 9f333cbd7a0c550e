"""Warnings for models that cannot read their texts: named share, named language, what to do."""

import re

import pytest

from unfooled.errors import on_the_command_line
from unfooled.models.locate import locate
from unfooled.models.opening import tokenizer_of
from unfooled.tasks.readable import not_english, unread

CHINESE = [("这部电影非常无聊，演员也不好。",)] * 4
GERMAN = [("Die Schauspieler überzeugen nicht und die Geschichte bleibt langweilig.",)] * 4
ENGLISH = [("The actors do not convince and the story stays dull.",)] * 4


@pytest.fixture(scope="module")
def tokenizer() -> object:
    return tokenizer_of(locate("minilm"))


def test_unknown_tokens_are_counted_and_the_language_is_named(tokenizer: object) -> None:
    [warning] = unread(tokenizer, CHINESE, "minilm")
    found = re.fullmatch(
        r"warning: (\d+)% of the tokens are unknown to minilm, and 4 of 4 texts look Chinese; .*", warning
    )
    assert found and int(found[1]) > 50
    with on_the_command_line():
        assert "--model xlm-roberta-base" in unread(tokenizer, CHINESE, "minilm")[0]


def test_words_that_are_taken_apart_are_warned_of_and_english_is_not(tokenizer: object) -> None:
    [warning] = unread(tokenizer, GERMAN, "minilm")
    assert re.search(r"4 of 4 texts look German, and minilm takes their words apart into [2-4]\.\d pieces", warning)
    assert unread(tokenizer, ENGLISH, "minilm") == () == unread(tokenizer, [], "minilm")


def test_texts_that_are_not_english_are_not_attacked_without_a_word() -> None:
    [warning] = not_english(GERMAN)
    assert "4 of 4 texts look German, and attacks put in English words" in warning and "deepwordbug" in warning
    assert not_english(ENGLISH) == ()
