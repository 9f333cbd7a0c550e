"""The white-box attack: it is stronger than chance, keeps to its lists, and asks networks alone."""

import numpy as np
import pytest
from toys import attacked, constant
from trained import NEAR, all_parts, sentences, trained, two

from unfooled.attacks import Limits, RandomWords
from unfooled.attacks.worst_words import WorstWordsAttack, random_start, steps_from
from unfooled.errors import BadInput
from unfooled.models import TextModel
from unfooled.text.document import read


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return trained(tmp_path_factory.mktemp("two"), ("a", "b"), *two(*sentences(120, 0)))


@pytest.fixture(scope="module")
def texts() -> tuple[list[tuple[str, ...]], list[int]]:
    return two(*sentences(60, 1))


def fooled(attack, model, texts) -> list[bool]:
    records = attacked(attack, model, *texts, parts=all_parts(), limits=Limits(in_flight=8, batch_size=32))
    return [record.outcome == "fooled" for record in records]


def test_it_beats_chance_and_more_starts_fool_no_less(model, texts) -> None:
    once, often = (fooled(WorstWordsAttack(restarts=number), model, texts) for number in (1, 10))
    assert all(more >= less for less, more in zip(once, often, strict=True))
    assert sum(once) > sum(fooled(RandomWords(), model, texts)) > 0


def test_every_new_word_is_in_its_list_and_the_answer_is_another(model, texts) -> None:
    for record in attacked(WorstWordsAttack(), model, *texts, parts=all_parts()):
        if record.outcome == "fooled":
            assert record.fooled_into != record.label == record.prediction
            assert all(change.new in NEAR[change.old] for change in record.changes)


def test_a_gradient_leads_to_the_words_that_gain_the_most_first() -> None:
    document = read("one two three")
    options = [("one", "uno"), ("two", "due", "dos"), ()]
    gains = np.array([0.0, 1.0, 0.0, 2.0, 3.0])
    assert [str(text) for text in steps_from(document, document, options, gains)] == ["one dos three", "uno dos three"]
    assert steps_from(document, document, options, -gains) == []
    running = document.replace({1: "dos"})
    assert [str(text) for text in steps_from(document, running, options, gains)] == ["uno dos three"]


def test_a_start_is_a_function_of_its_key_and_keeps_to_the_lists() -> None:
    document, lists = read("one two three"), [("uno",), (), ("tre", "tres")]
    starts = {str(random_start(document, lists, (0, 0, "restart", number))) for number in range(40)}
    assert starts == {f"{first} two {last}" for first in ("one", "uno") for last in ("three", "tre", "tres")}
    assert random_start(document, lists, (0, 1)) == random_start(document, lists, (0, 1))


def test_who_has_no_gradient_is_told_so() -> None:
    with pytest.raises(BadInput, match="choose another attack"):
        attacked(WorstWordsAttack(), constant, ["good film"], [1])


def test_a_text_without_candidates_is_no_text_that_held(model: TextModel) -> None:
    [record] = attacked(WorstWordsAttack(), model, [("xyz",)], [int(open_answer(model))], parts=all_parts())
    assert record.outcome == "no candidates"


def open_answer(model: TextModel) -> int:
    from unfooled.models.encoders.predict import probabilities

    return int(probabilities(model, ["xyz"])[0].argmax())
