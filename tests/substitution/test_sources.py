"""Where candidates come from. Oracle 6 of worst_words: none is an opposite of its word."""

from pathlib import Path

import numpy as np
import pytest
from exchange_ground import save_neighbours

from unfooled.errors import BadInput
from unfooled.substitution.sources import DRAWN, SOURCES, STATIC, TYPOS, Candidates, in_english, usable
from unfooled.text.document import read
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.neighbours import bases, contrary
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.typos import LONGEST

TEXT = read("The films were surprisingly good, and Gave the old actor's story a bright ending.")
OPPOSED = "good bad hot cold easy hard rich poor fast slow light dark heavy alive happy beautiful strong early love win"
NEAR = {"films": ("movies", "pictures"), "good": ("bad", "nice", "evil"), "hot": ("cold", "warm")}
ENGLISH = [("The film was good, and the story is a bright one.",)] * 3
GERMAN = [("Der Film war langweilig und die Handlung völlig verworren.",), ("Ein wunderbarer Abend mit Freunden.",)]


@pytest.fixture(autouse=True)
def neighbours_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path, NEAR)))


def listed(name: str, seed: int = 0) -> dict[str, tuple[str, ...]]:
    found = Candidates.of([name], "[MASK]").lists(TEXT, [name], np.random.default_rng(seed))
    return dict(zip(TEXT.words, found, strict=True))


def test_each_source_gives_what_it_says() -> None:
    assert "movies" in listed("wordnet")["films"] and "movie" not in listed("wordnet")["films"]
    assert "movie" in listed("any_sense")["films"] and "movies" not in listed("any_sense")["films"]
    assert listed("near")["films"] == ("movies", "pictures") and not listed("near")["story"]
    assert listed("inflections")["films"] == ("film",) and "Given" in listed("inflections")["Gave"]
    assert listed("mask")["films"] == ("[MASK]",) and len(listed("typos")["films"]) == TYPOS


@pytest.mark.parametrize("name", SOURCES)
def test_stop_words_stay_and_no_word_stands_for_itself(name: str) -> None:
    for word, own in listed(name).items():
        assert word not in own and len(set(own)) == len(own)
        assert not own or name == "typos" or word.lower() not in STOP_WORDS


@pytest.mark.parametrize("name", STATIC)
def test_oracle_no_candidate_is_an_opposite(name: str) -> None:
    document, words = read(OPPOSED), lexicon()
    assert all(contrary(word, words) for word in document.words)
    found = Candidates.of([name], None).lists(document, [name], np.random.default_rng(0))
    assert any(found)
    for word, own in zip(document.words, found, strict=True):
        for candidate in own:
            assert not contrary(word, words) & bases(candidate, words), (word, candidate)


def test_typos_are_a_function_of_the_generator() -> None:
    assert listed("typos", 1) == listed("typos", 1) != listed("typos", 2)
    assert all(own[0] == word[0] for word, some in listed("typos").items() for own in some)


def test_look_alikes_are_all_there_if_asked_for() -> None:
    asked = Candidates.of(["typos"], None, look_alikes=True)
    for seed in (1, 2):
        own = asked.lists(TEXT, ["typos"], np.random.default_rng(seed))[1]
        assert {"fi1ms", "fiIms"} < set(own) and set(listed("typos", seed)["films"]) < set(own)


def test_what_is_longer_than_a_word_is_not_misspelt() -> None:
    candidates = Candidates.of(["typos"], None)
    document = read("z" * LONGEST + " " + "z" * (LONGEST + 1))
    [long, longer] = candidates.lists(document, ["typos"], np.random.default_rng(0))
    assert long and not longer


def test_sources_at_once_are_all_their_words_each_once() -> None:
    candidates = Candidates.of(SOURCES, "[MASK]")
    merged = candidates.lists(TEXT, SOURCES, np.random.default_rng(0))
    for place, word in enumerate(TEXT.words):
        assert len(set(merged[place])) == len(merged[place])
        for name in (*STATIC, "mask"):
            assert set(listed(name)[word]) <= set(merged[place])


def test_only_what_is_named_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", "")
    assert set(Candidates.of(["wordnet", "typos"], None).substitutes) == {"wordnet"}


def test_without_a_mask_token_nothing_is_hidden() -> None:
    assert not any(Candidates.of(["mask"], None).lists(TEXT, ["mask"], np.random.default_rng(0)))
    own, notes = usable(SOURCES, None, ENGLISH)
    assert own == tuple(name for name in SOURCES if name != "mask")
    assert notes == ("the tokenizer has no mask token: no word is hidden",)
    with pytest.raises(BadInput, match=r"no mask token; name other method\.sources"):
        usable(["mask"], None, ENGLISH)


def test_texts_of_another_language_are_misspelt_and_hidden() -> None:
    assert in_english(ENGLISH) and not in_english(GERMAN)
    assert usable(["wordnet", "typos"], "[MASK]", ENGLISH) == (("wordnet", "typos"), ())
    own, [note] = usable(["wordnet", "near"], "[MASK]", GERMAN)
    assert own == DRAWN and "not English" in note
    assert usable(["typos"], "[MASK]", GERMAN) == (("typos",), ())  # there is nothing to say
    assert usable(["wordnet", "mask"], "[MASK]", GERMAN)[0] == ("mask",)  # typos were left out, and stay out
    assert usable(["wordnet", "typos"], "[MASK]", GERMAN)[0] == DRAWN  # words are hidden in the place of lists
    own, notes = usable(SOURCES, None, GERMAN)
    assert own == ("typos",) and len(notes) == 2


def test_the_language_is_seen_in_texts_from_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfooled.substitution.sources.SAMPLED", 20)
    assert not in_english([*ENGLISH, *(GERMAN * 20)])
    assert in_english([("",)]) and in_english([("", "The film was good.")])
