import pytest

from unfooled.text.document import read
from unfooled.text.english.stop_words import STOP_WORDS


@pytest.mark.parametrize(
    "word", ["the", "of", "and", "i", "is", "not", "don't", "couldn't", "it's", "n't", "'s", "which"]
)
def test_function_words_are_listed(word: str):
    assert word in STOP_WORDS


@pytest.mark.parametrize("word", ["good", "film", "great", "terrible", "watch", "well", "like", "best", "time"])
def test_words_with_a_meaning_of_their_own_are_not(word: str):
    assert word not in STOP_WORDS


def test_the_list_is_of_lower_case_words_a_document_can_hold():
    assert all(word == word.lower() for word in STOP_WORDS)
    assert all(read(word).words == (word.lstrip("'"),) for word in STOP_WORDS)
