"""The words whose vectors are nearest, one by one."""

import math

import pytest
from language_ground import near
from trial_ground import in_order, ran, writer

from sequences import writing_language_model
from unfooled.trials.inputs import Inputs
from unfooled.trials.neighbours import NEIGHBOURS, NeighboursSettings

MODEL = writing_language_model(8)
VICTIM = writer(MODEL, "lm")
WORDS = ["dog", "man", "sang"]


@pytest.mark.parametrize("word", WORDS)
def test_neighbours_are_the_nearest_vectors(word: str) -> None:
    table = MODEL.model.network.get_input_embeddings().weight.detach()
    names = MODEL.tokenizer.convert_ids_to_tokens(range(len(MODEL.tokenizer)))
    own = MODEL.tokenizer.convert_tokens_to_ids(word)
    distances = {
        name: math.sqrt(sum((a - b) ** 2 for a, b in zip(table[number].tolist(), table[own].tolist(), strict=True)))
        for number, name in enumerate(names)
        if number != own and name not in ("<eos>", "<unk>")
    }
    expected = sorted(distances, key=lambda name: distances[name])[:4]
    (found,) = ran(NEIGHBOURS, VICTIM, [word])
    assert found.word == word and [name for name, _ in found.nearest] == expected
    assert [distance for _, distance in found.nearest] == pytest.approx(
        [distances[name] for name in expected], rel=1e-4
    )


def test_a_resumed_run_makes_the_records_of_an_unbroken_one() -> None:
    settings = NeighboursSettings(count=2)
    whole = in_order(NEIGHBOURS, VICTIM, WORDS, settings)
    assert [(one.index, one.word, len(one.nearest)) for one in whole] == [(0, "dog", 2), (1, "man", 2), (2, "sang", 2)]
    assert in_order(NEIGHBOURS, VICTIM, WORDS, settings, done={0, 2}) == [whole[1]]
    assert in_order(NEIGHBOURS, VICTIM, WORDS, settings, done=range(3)) == []


def test_a_word_the_model_does_not_know_has_no_neighbours() -> None:
    assert NEIGHBOURS.unable(VICTIM, WORDS) is None
    for odd in ("zebra", "the dog"):
        assert f"{odd!r} is no single token of the vocabulary of {VICTIM.name}" in (
            NEIGHBOURS.unable(VICTIM, ["dog", odd]) or ""
        )


def test_the_words_are_those_of_the_settings_and_may_be_written_by_commas() -> None:
    settings = NeighboursSettings(words="dog, old man,cat")
    assert settings.words == ("dog", "old man", "cat")
    assert NEIGHBOURS.units(Inputs([], [], {}, task="lm"), settings, 0) == ["dog", "old man", "cat"]


def test_neighbours_are_to_be_read_and_no_number_says_whether_they_are_good() -> None:
    assert NEIGHBOURS.scores(near(dog=[("cat", 0.5)])) == [] and NEIGHBOURS.passages is not None
