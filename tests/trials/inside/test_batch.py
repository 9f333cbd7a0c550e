"""Batches as a trial that looks inside sees them: whole, of like length, and refused where answers are none."""

import math

import pytest
import torch
from transformers import BertTokenizerFast

from unfooled.errors import BadInput
from unfooled.models import TextModel
from unfooled.tokens import by_length, encode
from unfooled.trials.inside.batch import batches, frozen
from unfooled.types import Output
from victims import examples, linear


def test_batches_are_of_like_length_and_hold_every_example_once(bert: TextModel) -> None:
    texts, labels = examples(23, 3)
    expected = [list(map(int, rows)) for rows in by_length(encode(bert.tokenizer, texts, 32), 5)]
    found = list(batches(bert, texts, labels, 5, ()))
    assert [batch.index.tolist() for batch in found] == expected
    for batch in found:
        assert batch.label.tolist() == [labels[row] for row in batch.index.tolist()]
        for row, index in enumerate(batch.index.tolist()):
            ids = bert.tokenizer(texts[index][0])["input_ids"]
            assert batch.tokens.ids[row][batch.tokens.mask[row]].tolist() == ids


@pytest.mark.parametrize("done", [{0}, {1, 4, 9}, set(range(0, 23, 2)), set(range(22)), set(range(23))])
def test_a_batch_done_in_part_comes_whole_and_one_done_does_not_come(bert: TextModel, done: set[int]) -> None:
    texts, labels = examples(23, 3)
    whole = [batch.index.tolist() for batch in batches(bert, texts, labels, 5, ())]
    rest = [batch.index.tolist() for batch in batches(bert, texts, labels, 5, done)]
    assert rest == [rows for rows in whole if not set(rows) <= done]


def test_a_part_is_drawn_for_and_named_by_its_places_in_the_whole(bert: TextModel) -> None:
    texts, labels = examples(7, 3)
    places = [3, 4, 10, 11, 12, 20, 21]
    for batch in batches(bert, texts, labels, 3, (), places):
        assert batch.key.tolist() == [places[row] for row in batch.index.tolist()]
    for batch in batches(bert, texts, labels, 3, ()):
        assert batch.key.tolist() == batch.index.tolist()


def test_answers_and_losses_are_those_of_the_softmax(bert: TextModel) -> None:
    (batch,) = batches(bert, *examples(4, 3), 8, ())
    logits = torch.tensor([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0], [5.0, 1.0, 1.0], [0.0, 1.0, 0.5]])
    output = Output(logits, torch.ones(4, 2))
    predictions, chances = batch.answers(output)
    assert predictions == [1, 2, 0, 1]
    for row, label in enumerate(batch.label.tolist()):
        chance = math.exp(logits[row, label]) / sum(math.exp(value) for value in logits[row])
        assert chances[row] == pytest.approx(chance) and float(batch.losses(output)[row]) == pytest.approx(
            -math.log(chance)
        )


def test_what_is_not_finite_names_an_example_near_by(tokenizer: BertTokenizerFast) -> None:
    (batch,) = batches(linear(tokenizer), *examples(3, 2), 8, ())
    with pytest.raises(BadInput, match=f"answer to example {int(batch.index[1])} or one near it is not finite"):
        batch.losses(Output(torch.tensor([[0.0, 1.0], [math.nan, 1.0], [0.0, 1.0]]), torch.ones(3, 2)))
    with pytest.raises(BadInput, match="not finite"):
        batch.losses(Output(torch.zeros(3, 2), torch.tensor([[1.0], [math.inf], [1.0]])))


def test_frozen_parameters_learn_again_afterwards_though_something_breaks(tokenizer: BertTokenizerFast) -> None:
    module = linear(tokenizer).classifier
    module.network.last.bias.requires_grad_(False)
    before = [parameter.requires_grad for parameter in module.parameters()]
    with pytest.raises(KeyError), frozen(module):
        assert not any(parameter.requires_grad for parameter in module.parameters())
        raise KeyError
    assert [parameter.requires_grad for parameter in module.parameters()] == before and False in before
