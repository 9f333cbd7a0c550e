"""Sense-true PWWS takes those substitutes of PWWS that share a common sense with their word, and no others."""

from collections.abc import Callable

import numpy as np
import pytest
from toys import Bag, attacked

from unfooled.attacks import ATTACKS, PWWS, Parts, SenseTruePWWS
from unfooled.text.document import read
from unfooled.text.english.swaps import synonyms_of
from unfooled.text.english.tagging import tag

TEXTS = [
    "The movies were surprisingly good, and the ACTORS told a dull story.",
    "A genial, large and quickly made film of great power that Paris and Rose maintain.",
    "He began the big job after the end of the war and bought a house near the shore.",
]


@pytest.mark.parametrize("text", TEXTS)
def test_its_substitutes_are_the_synonyms_of_a_common_sense_among_those_of_pwws(text: str) -> None:
    document = read(text)
    shared = SenseTruePWWS().choices(Parts())(document)
    for word, tagged, own, every in zip(
        document.words, tag(document.words), shared, PWWS().choices(Parts())(document), strict=True
    ):
        assert own == synonyms_of(word, tagged) and set(own) <= set(every)
    assert any(shared)


def test_it_is_pwws_with_other_lists() -> None:
    assert ATTACKS["pwws_sense_true"] is SenseTruePWWS and PWWS().senses == "any"
    texts = ["a large film of great power", "he began the big job and bought a house", "quickly made films"]
    runs = [
        attacked(attack, Bag({"film": 1.0, "big": 0.4, "began": 0.3, "films": 2.0}, 0.1), texts, [1] * 3, parts=Parts())
        for attack in (PWWS(senses="shared"), SenseTruePWWS())
    ]
    assert runs[0] == runs[1] and any(record.asked > 3 for record in runs[0])


def reads_only(known: str) -> Callable[[list[str]], np.ndarray]:
    """A victim that is right as long as one word is there."""
    return lambda texts: np.array([[0.1, 0.9] if known in text else [0.8, 0.2] for text in texts])


def test_a_word_of_another_sense_does_not_count_against_the_model() -> None:
    for word, blamed in (("good", False), ("film", True)):
        standard, true = (
            attacked(attack, reads_only(word), [f"a {word} day"], [1], parts=Parts())[0]
            for attack in (PWWS(), SenseTruePWWS())
        )
        assert standard.outcome == "fooled" and (true.outcome == "fooled") == blamed
    assert true.changes[0].new in synonyms_of("film", "NN")


def test_any_kind_of_word_can_share_a_sense_and_possessives_have_those_of_their_noun() -> None:
    any_kind = PWWS(pos="any", senses="shared").choices(Parts())(read("film"))[0]
    assert set(synonyms_of("film", "NN")) <= set(any_kind)
    assert "movie's" in SenseTruePWWS().choices(Parts())(read("the film's heroes"))[1]
