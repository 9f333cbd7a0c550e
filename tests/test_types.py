"""Batches move whole, and means are right however a batch is spread."""

from dataclasses import FrozenInstanceError

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support import make_tokens

from unfooled.settings import Settings
from unfooled.types import Batch, Evaluation, Loss, Output, Progress, Term, Tokens


class Example(Settings):
    size: int = 3


def test_settings_are_frozen_and_refuse_unknown_names():
    with pytest.raises(ValidationError, match="siez"):
        Example(siez=4)
    with pytest.raises(ValidationError, match="frozen"):
        Example().size = 4
    with pytest.raises(ValidationError, match="size"):
        Example(size="many")


def test_values_are_frozen():
    values = [
        Tokens(torch.zeros(1, 1), torch.ones(1, 1)),
        Output(torch.zeros(1), torch.zeros(1)),
        Progress(0, 1, 0),
    ]
    for value, field in zip(values, ["ids", "logits", "step"], strict=True):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field, 1)


@pytest.mark.parametrize("segments", [True, False])
def test_a_batch_moves_with_all_its_views(segments):
    views = {"original": make_tokens((2, 3), (0, 1), segments=segments), "other": make_tokens((4, 1), (5, 6))}
    batch = Batch(torch.tensor([8, 9]), torch.tensor([0, 1]), views, (3, 4), {"examples": 2})
    moved = batch.to(torch.device("meta"))
    assert len(batch) == len(moved) == 2 and batch.tokens is views["original"]
    assert {moved.index.device.type, moved.label.device.type} == {"meta"}
    for name, tokens in moved.views.items():
        assert {tokens.ids.device.type, tokens.mask.device.type} == {"meta"}
        assert tokens.ids.shape == views[name].ids.shape
    assert (moved.tokens.segments is not None) == segments
    assert not segments or moved.tokens.segments.device.type == "meta"
    assert (moved.key, moved.counts) == ((3, 4), {"examples": 2})
    assert type(moved) is Batch and batch.index.device.type == "cpu"


def test_counts_are_empty_unless_given_and_not_shared():
    first, second = (Batch(torch.zeros(1), torch.zeros(1), {}, (0, 0)) for _ in range(2))
    assert first.counts == {} and first.counts is not second.counts


def test_a_term_has_a_mean_even_over_nothing():
    assert Term(torch.tensor(6.0), 4).mean.item() == 1.5
    assert Term(torch.tensor(0.0), 0).mean.item() == 0
    assert (Term(torch.tensor(1.0), 1).unit, Term(torch.tensor(1.0), 1).weight) == ("examples", 1.0)


def test_the_total_is_the_weighted_sum_of_means():
    loss = Loss({"a": Term(torch.tensor(6.0), 4), "b": Term(torch.tensor(10.0), 5, "tokens", 0.25)})
    assert loss.total().item() == pytest.approx(6 / 4 + 0.25 * 10 / 5)
    assert loss.total({"examples": 12}).item() == pytest.approx(6 / 12 + 0.25 * 10 / 5)
    assert loss.total({"examples": 12, "tokens": 20}).item() == pytest.approx(6 / 12 + 0.25 * 10 / 20)


values = st.lists(st.floats(-100, 100), min_size=2, max_size=8)


@given(values, st.integers(1, 7))
def test_parts_of_a_batch_add_up_to_the_whole(numbers, border):
    border = min(border, len(numbers) - 1)
    whole = sum(numbers) / len(numbers)
    parts = [numbers[:border], numbers[border:]]
    counts = {"examples": len(numbers)}
    totals = [
        Loss({"task": Term(torch.tensor(part, dtype=torch.float64).sum(), len(part))}).total(counts) for part in parts
    ]
    assert sum(totals).item() == pytest.approx(whole, abs=1e-9)


def test_gradient_of_the_total_in_double_precision():
    parts = [torch.randn(3, dtype=torch.float64, requires_grad=True) for _ in range(2)]

    def total(first, second):
        terms = {"a": Term(first.square().sum(), 3), "b": Term(second.exp().sum(), 3, "tokens", 0.3)}
        return Loss(terms).total({"tokens": 7})

    assert torch.autograd.gradcheck(total, parts)


def test_an_evaluation_may_have_no_confusion():
    assert Evaluation({"accuracy": 0.5}).confusion is None
