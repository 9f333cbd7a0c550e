import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unfooled.text.english.lexicon import lexicon

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.mark.parametrize(
    ("word", "pos", "bases"),
    [
        ("geese", "n", ("goose",)),
        ("Geese", None, ("goose",)),
        ("better", None, ("better", "good", "well")),
        ("better", "a", ("better", "good", "well")),
        ("better", "r", ("better", "well")),
        ("best", "r", ("best", "well")),
        ("movies", "n", ("movie",)),
        ("churches", "n", ("church",)),
        ("wolves", "n", ("wolf",)),
        ("bloodleaves", "n", ("bloodleaf",)),
        ("women", "n", ("woman",)),
        ("flies", "n", ("flies", "fly")),
        ("flies", "v", ("fly",)),
        ("went", "v", ("go",)),
        ("ran", "v", ("run",)),
        ("running", "v", ("run",)),
        ("saw", "v", ("saw", "see")),
        ("makes", "v", ("make",)),
        ("hoped", "v", ("hope", "hop")),
        ("hoped", "n", ()),
        ("taller", "a", ("tall",)),
        ("nicest", "a", ("nice",)),
        ("quickly", "r", ("quickly",)),
        ("motion_pictures", "n", ("motion picture",)),
        ("blorf", None, ()),
        ("", None, ()),
    ],
)
def test_base_forms(word: str, pos: str | None, bases: tuple[str, ...]):
    assert lexicon().lemmas(word, pos) == bases


@pytest.mark.parametrize(
    ("word", "pos", "antonyms"),
    [
        ("good", "a", ("bad", "evil")),
        ("bad", "a", ("good",)),
        ("hot", "a", ("cold",)),
        ("hotter", "a", ("cold",)),
        ("rise", "v", ("fall", "set")),
        ("man", "n", ("woman",)),
        ("quickly", "r", ("slowly",)),
        ("success", "n", ("failure",)),
        ("love", "v", ("hate",)),
        ("film", None, ()),
        ("ponderous", "a", ()),
    ],
)
def test_antonyms(word: str, pos: str | None, antonyms: tuple[str, ...]):
    assert lexicon().antonyms(word, pos) == antonyms


@pytest.mark.parametrize(
    ("word", "antonym"),
    [("ponderous", "light"), ("terrible", "good"), ("moist", "dry"), ("arid", "wet"), ("tiny", "large")],
)
def test_satellites_have_indirect_antonyms(word: str, antonym: str):
    assert antonym in lexicon().antonyms(word, "a", indirect=True)
    assert antonym not in lexicon().antonyms(word, "a")


def test_direct_antonyms_come_before_indirect_ones():
    direct = lexicon().antonyms("light")
    assert direct and lexicon().antonyms("light", indirect=True)[: len(direct)] == direct


@pytest.mark.parametrize(
    ("word", "pos", "others"),
    [
        ("dog", "n", ("domestic dog", "Canis familiaris", "frump", "cad")),
        ("dogs", "n", ("domestic dog", "Canis familiaris", "frump", "cad")),
        ("film", "n", ("movie", "picture", "moving picture", "moving-picture show")),
        ("Film", "v", ("shoot", "take")),
        ("big", "a", ("large", "bad", "prominent", "heavy")),
        ("awful", "a", ("atrocious", "abominable", "dreadful", "painful")),
        ("quickly", "r", ("rapidly", "speedily", "chop-chop", "apace")),
        ("begin", "v", ("get down", "get", "start out", "start")),
    ],
)
def test_synonyms_begin_with_the_most_frequent_sense(word: str, pos: str, others: tuple[str, ...]):
    assert lexicon().synonyms(word, pos)[: len(others)] == others


@pytest.mark.parametrize("word", ["saw", "better", "Dogs", "good", "motion_picture", "light", "run"])
def test_synonyms_hold_neither_the_word_nor_its_base_forms_nor_anything_twice(word: str):
    for pos in (None, *"nvar"):
        found = lexicon().synonyms(word, pos)
        own = {word.lower().replace("_", " "), *lexicon().lemmas(word, pos)}
        assert len(found) == len(set(found)) and not own & {other.lower() for other in found}


@pytest.mark.parametrize(
    ("word", "pos", "above"),
    [
        ("dog", "n", "canine"),
        ("movie", "n", "show"),
        ("walk", "v", "travel"),
        ("Einstein", "n", "physicist"),
        ("paris", "n", "national capital"),
    ],
)
def test_hypernyms_hold_classes_and_what_names_are_instances_of(word: str, pos: str, above: str):
    assert above in lexicon().hypernyms(word, pos)


def test_all_parts_of_speech_come_in_one_order():
    for word in ("light", "well", "film", "back"):
        each = [other for pos in "nvar" for other in lexicon().synonyms(word, pos)]
        assert lexicon().synonyms(word) == tuple(dict.fromkeys(each))


def test_counts_are_of_all_senses_of_the_base_forms():
    assert lexicon().count("dog", "n") == 42 and lexicon().count("dog", "v") == 2
    assert lexicon().count("dogs") == 44 == lexicon().count("dog")
    assert lexicon().count("be", "v") > 10_000 and lexicon().count("blorf") == 0


def test_membership_and_parts_of_speech():
    assert "movie" in lexicon() and "Movies" in lexicon() and "hot dog" in lexicon()
    assert "blorf" not in lexicon() and "" not in lexicon() and 7 not in lexicon()
    with pytest.raises(ValueError, match="part of speech"):
        lexicon().synonyms("movie", "s")


def test_answers_do_not_depend_on_the_hash_seed():
    words = "('good', 'run', 'light')"
    code = f"from unfooled.text.english.lexicon import lexicon as l; print([l().synonyms(w) for w in {words}])"
    answers = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(answers) == 1


def test_nltk_reads_the_same_out_of_wordnets_own_files():
    folder = os.environ.get("UNFOOLED_WORDNET")
    if not folder or importlib.util.find_spec("nltk") is None:
        pytest.skip("needs nltk, and UNFOOLED_WORDNET naming the folder with WordNet 3.0's data.noun and the rest")
    found = importlib.util.spec_from_file_location("check_lexicon", TOOLS / "check_lexicon.py")
    assert found is not None and found.loader is not None
    check = importlib.util.module_from_spec(found)
    found.loader.exec_module(check)
    compared, different = check.compare(Path(folder))
    assert compared["lemma names"] == 117_659 and not different
