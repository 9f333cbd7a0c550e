"""Each edit is one edit, inside the word, and none is missing; drawn ones are a function of what draws them."""

from collections import Counter

import numpy as np
import pytest

from unfooled.text.typos import EDITS, LETTERS, LOOK_ALIKES, NEIGHBOUR_KEYS, edits, misspellings, swap

WORDS = ["film", "abc", "wonderful", "all", "don't", "FILM", "x1y2", "naïve"]


@pytest.mark.parametrize("kind", EDITS)
@pytest.mark.parametrize("word", WORDS)
def test_an_edit_changes_the_inside_of_a_word_once(kind: str, word: str) -> None:
    made = edits(word, kind)
    assert len(set(made)) == len(made) and word not in made
    for wrong in made:
        assert wrong[0] == word[0] and (wrong[-1] == word[-1] or wrong == swap(word, len(word) - 2))
        assert len(wrong) == len(word) + {"insert": 1, "drop": -1}.get(kind, 0)
        if len(wrong) == len(word):
            assert sum(old != new for old, new in zip(word, wrong, strict=True)) == (2 if kind == "swap" else 1)


def test_all_edits_of_a_kind_are_there() -> None:
    assert edits("film", "swap") == ("flim", "fiml") and edits("film", "drop") == ("flm", "fim")
    assert set(edits("abc", "substitute")) == {f"a{letter}c" for letter in LETTERS} - {"abc"}
    # "a" + any letter + "bc"; whatever is inserted, one word comes of each letter
    assert edits("abc", "insert") == tuple(f"a{letter}bc" for letter in LETTERS)
    assert set(edits("cat", "neighbour key")) == {"cqt", "cwt", "cst", "czt"}
    assert set(edits("cat", "look-alike")) == {"c@t", "c\u0430t", "c\u03b1t"}


def test_neighbours_touch_each_other_and_have_the_same_case() -> None:
    for letter, others in NEIGHBOUR_KEYS.items():
        assert 2 <= len(others) <= 6 and all(letter in NEIGHBOUR_KEYS[other] for other in others)
        assert all(other.isupper() == letter.isupper() for other in others)
    assert len(NEIGHBOUR_KEYS) == 52


def test_look_alikes_are_one_other_character_each() -> None:
    assert len(LOOK_ALIKES) >= 40 and set(LETTERS) < set(LOOK_ALIKES)
    for letter, others in LOOK_ALIKES.items():
        assert letter not in others and len(set(others)) == len(others) and others.isprintable()
    assert set("01I") <= set(LOOK_ALIKES["o"] + LOOK_ALIKES["l"])


@pytest.mark.parametrize("word", WORDS)
def test_drawn_misspellings_are_edits_each_once_and_a_function_of_the_generator(word: str) -> None:
    every = {wrong for kind in EDITS for wrong in edits(word, kind)}
    drawn = [misspellings(word, np.random.default_rng(seed), 5) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(set(some) <= every and len(set(some)) == len(some) == 5 for some in drawn)


def test_kinds_are_drawn_evenly() -> None:
    found = Counter[str]()
    for seed in range(1200):
        [wrong] = misspellings("wonderful", np.random.default_rng(seed), 1)
        # A neighbouring key is also any letter, so these two cannot be told apart.
        found[
            next(
                kind
                for kind in ("swap", "drop", "insert", "look-alike", "substitute")
                if wrong in edits("wonderful", kind)
            )
        ] += 1
    assert all(150 < found[kind] < 250 for kind in ("swap", "drop", "insert", "look-alike")), found
    assert 330 < found["substitute"] < 470, found


def test_short_words_and_small_counts() -> None:
    random = np.random.default_rng(0)
    assert misspellings("it", random, 9) == misspellings("", random, 9) == misspellings("film", random, 0) == ()
    many = misspellings("abc", random, 500)
    assert len(set(many)) == len(many) < 500
