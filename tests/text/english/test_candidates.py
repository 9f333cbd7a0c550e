"""What words may become, by hand and against WordNet's own sets."""

import subprocess
import sys

import pytest

from unfooled.text.english.candidates import (
    bases,
    candidates,
    chooser,
    english,
    forms,
    random_word,
    random_words,
    related,
)
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.tagging import kind


def test_only_open_words_are_candidates():
    none = [("Paris", "NNP"), ("Beatles", "NNPS"), ("is", "VBZ"), ("had", "VBD"), ("did", "VBD"), ("not", "RB")]
    none += [("of", "IN"), ("don't", "VBP"), ("film’s", "NN"), ("1999", "NN"), ("would", "MD"), ("she", "PRP")]
    assert [word for word, tag in none if candidates(word, tag) is not None] == []
    some = [("film", "NN"), ("gave", "VBD"), ("good", "JJ"), ("never", "RB"), ("Films", "NNS")]
    assert all(candidates(word, tag) for word, tag in some)
    assert candidates("blorg", "NN") == {}  # a noun that WordNet does not know: only a random word can stand for it


@pytest.mark.parametrize("word, tag", [("films", "NNS"), ("good", "JJ"), ("gave", "VBD"), ("quickly", "RB")])
def test_every_list_is_the_wordnet_set_of_its_kind_without_the_word(word: str, tag: str):
    found, pos = candidates(word, tag), kind(tag)
    assert found is not None
    words = lexicon()
    sets = {"synonym": words.synonyms, "hypernym": words.hypernyms, "antonym": words.antonyms}
    for name, look in sets.items():
        assert set(found.get(name, ())) == set(look(word, pos)) - {word}
    assert set(found.get("inflection", ())) == set(forms(word, pos or "")) - {word}


def test_inflections_are_all_other_forms():
    assert set(candidates("gave", "VBD")["inflection"]) == {"give", "given", "gives", "giving"}
    assert candidates("films", "NNS")["inflection"] == ("film",)
    assert set(candidates("good", "JJ")["inflection"]) == {"better", "best"}


def test_words_take_the_form_of_the_word_only_if_asked():
    assert "movie" in candidates("films", "NNS")["synonym"]
    again = candidates("films", "NNS", True)
    assert "movies" in again["synonym"] and "movie" not in again["synonym"]
    assert "motion pictures" in again["synonym"]  # of several words the last
    assert again["inflection"] == ("film",)


def test_options_keep_the_kinds_asked_for_in_their_order():
    found = chooser(False, ("inflection", "synonym"), ("random",))("good", "JJ")
    assert found is not None
    assert [name for name, _ in found.same] == ["inflection", "synonym"] and found.other == (("random", ()),)
    assert chooser(False, ("synonym",), ("antonym",))("film", "NN").other == ()
    assert chooser(False, ("synonym",), ("antonym",))("of", "IN") is None


def test_random_words_are_plain_words_that_are_in_use():
    words = random_words()
    assert len(words) == len(set(words)) > 10_000 and {"film", "give", "good", "never"} <= set(words)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    assert all(lexicon().count(word) for word in words[::97])


@pytest.mark.parametrize("word", ["good", "films", "went", "Better", "hot"])
def test_a_random_word_is_never_related(word: str):
    """Every word of the list is offered once; what is refused is what WordNet relates to the word."""
    offered = iter(range(len(random_words())))
    taken = set()
    try:
        while True:
            taken.add(random_word(word, lambda below: next(offered)))
    except StopIteration:
        pass
    words, lower = lexicon(), word.lower()
    relations = [words.synonyms(lower), words.hypernyms(lower), words.antonyms(lower), words.lemmas(lower), [lower]]
    refused = {other.lower() for some in relations for other in some}
    assert not taken & refused
    assert not {other for other in taken if set(bases(other)) & set(words.lemmas(lower))}
    assert len(random_words()) - len(taken) < 300 and related(lower) >= refused


def test_english_is_told_from_other_languages():
    texts = {
        "The actors do what they can with a script that gives them nothing.": True,
        "Best film of the year !!!": True,
        "highly watchable stuff": True,
        "😀 !!! 42": True,
        "": True,
        "Ein Mann fährt mit dem Fahrrad durch die Straße.": False,
        "Un homme avec un chapeau regarde quelque chose.": False,
        "Una mujer está preparando la cena para sus hijos.": False,
        "Быстрая лисица прыгает через собаку": False,
        "これは面白い映画です": False,
    }
    assert {text: english(text.replace(".", "").split()) for text in texts} == texts


def test_candidates_need_no_torch():
    code = "import sys, unfooled.text.versions; sys.exit(bool({'torch', 'lemminflect'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
