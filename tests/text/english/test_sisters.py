"""Words that name another of the same kind."""

import pytest

from unfooled.text.document import read
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.sisters import LEAST, Kin, kinds, related

TEXTS = (
    "A man plays tennis.",
    "A woman plays basketball.",
    "A dog sleeps near an animal.",
    "A cat sleeps.",
    "Two boys sit.",
    "They run.",
    "She eats soup.",
    "He walks to a hound.",
)


@pytest.fixture(scope="module")
def kin() -> Kin:
    """The kin of a few sentences, each met as often as it must be."""
    return Kin.of(read(text) for text in TEXTS * LEAST)


def test_a_sister_is_of_the_same_kind_and_neither_says_the_same_nor_more(kin: Kin) -> None:
    assert "basketball" in kin.sisters("tennis", "NN") and "cat" in kin.sisters("dog", "NN")
    assert not {"dog", "hound", "animal"} & set(kin.sisters("dog", "NN"))  # itself, a kind of it, what it is a kind of
    known = lexicon()
    assert related(known, "dog", "animal", "n") and related(known, "dog", "hound", "n")
    assert not related(known, "dog", "cat", "n")


def test_sisters_have_the_form_and_case_of_their_word_and_the_number_of_times_they_are_met(kin: Kin) -> None:
    assert kin.sisters("Women", "NNS")["Men"] == kin.sisters("woman", "NN")["man"] == LEAST
    assert kin.sisters("sits", "VBZ") is kin.sisters("sits", "VBZ")  # remembered
    assert all(word == word.lower() for word in kin.sisters("woman", "NN"))


@pytest.mark.parametrize("word, tagged", [("good", "JJ"), ("London", "NNP"), ("the", "DT"), ("xqz", "NN")])
def test_only_nouns_and_verbs_that_are_known_have_any(kin: Kin, word: str, tagged: str) -> None:
    assert not kin.sisters(word, tagged)


def test_a_word_that_is_met_too_rarely_is_no_sister() -> None:
    few = Kin.of(read(text) for text in TEXTS[:2] * (LEAST - 1))
    assert set(few.below.values()) == {("play",)} and not few.sisters("tennis", "NN")


def test_what_two_words_share_must_be_a_kind() -> None:
    """Everything is an object: a street and a dog are not of a kind for that, a dog and a cat are."""
    known = lexicon()
    assert not set(kinds(known, "street", "n")) & set(kinds(known, "dog", "n"))
    assert set(kinds(known, "cat", "n")) & set(kinds(known, "dog", "n"))
