import pytest

from unfooled.text.document import read
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.swaps import SENSES, antonyms_of, exchanged, formed, meaning, sounds_open, synonyms_of


@pytest.mark.parametrize(
    ("word", "tag"), [("film", "NN"), ("genial", "JJ"), ("large", "JJ"), ("maintain", "VB"), ("quickly", "RB")]
)
def test_a_synonym_shares_a_common_sense_with_the_word(word: str, tag: str) -> None:
    known, pos = lexicon(), meaning(word, tag)
    found = synonyms_of(word, tag)
    assert found
    for other in found:
        shared = set(known.senses(word, pos)[:SENSES]) & set(known.senses(other, pos)[:SENSES])
        assert shared and " " not in other and other != word


def test_what_shares_only_a_rare_sense_is_no_synonym() -> None:
    assert "full" in lexicon().synonyms("good", "a") and "full" not in synonyms_of("good", "JJ")
    assert "big" in lexicon().synonyms("bad", "a") and "big" not in synonyms_of("bad", "JJ")


def test_words_keep_their_form_and_case() -> None:
    assert "Movies" in synonyms_of("Films", "NNS")
    assert antonyms_of("BEST", "JJS")[0] == "WORST"
    assert antonyms_of("better", "JJR")[0] == "worse"
    assert antonyms_of("liked", "VBD") == ("disliked",)


def test_function_words_and_names_have_neither() -> None:
    for word, tag in (("the", "DT"), ("not", "RB"), ("Rose", "NNP"), ("of", "IN")):
        assert synonyms_of(word, tag) == antonyms_of(word, tag) == ()
    assert meaning("film", "NN") == "n" and meaning("Paris", "NNP") is None


def test_no_antonym_passes_as_a_synonym() -> None:
    for word, tag in (("hot", "JJ"), ("increase", "VB"), ("happy", "JJ"), ("early", "RB")):
        assert not set(synonyms_of(word, tag)) & set(antonyms_of(word, tag))


def test_forms_are_single_words_each_once() -> None:
    assert formed("film", "NN", ["movie", "movie", "motion picture", "Film"]) == ("movie",)
    assert formed("nicer", "JJR", ["beautiful"]) == ()  # "more beautiful" is two words


def test_articles_agree_with_what_follows_them() -> None:
    assert exchanged(read("A easy one, an hour."), {1: "simple", 4: "day"}) == "A simple one, a day."
    assert exchanged(read("An old film"), {1: "new"}) == "A new film"
    assert exchanged(read("Easy film"), {0: "Old"}) == "Old film"
    assert exchanged(read("the easy film"), {1: "old"}) == "the old film"
    assert exchanged(read("a big film"), {0: "the", 1: "old"}) == "the old film"


def test_sounds_are_heard_through_spelling() -> None:
    assert all(map(sounds_open, ("apple", "Hour", "honest", "unable", "uninspired", "umbrella")))
    assert not any(map(sounds_open, ("house", "unit", "useful", "one", "European", "unique")))
