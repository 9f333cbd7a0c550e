"""Fine-tuning is the cross-entropy and nothing else."""

import pytest
import torch
from support import (
    collected_gradients,
    cross_entropies,
    largest_difference,
    make_task,
    network_logits,
    parameter_gradients,
)

from unfooled.methods import Finetune


@pytest.mark.parametrize("classes", [2, 5])
def test_gradients_are_those_of_the_mean_cross_entropy(tiny_bert, make_batch, lone, classes):
    model, batch = tiny_bert(classes=classes), make_batch(classes=classes)
    loss = Finetune().build(model, make_task(classes)).step(lone, batch)
    value = cross_entropies(network_logits(model, batch), batch.label).mean()
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-5)
    assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-6
    assert lone.shares == [1.0] and list(loss.terms) == ["task"]


def test_every_trainable_parameter_is_reached(tiny_bert, make_batch, lone):
    model = tiny_bert()
    Finetune().build(model, make_task()).step(lone, make_batch())
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_a_given_perturbation_is_added(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    delta = torch.randn(4, 7, 32, generator=torch.Generator().manual_seed(0)) * batch.tokens.mask[..., None]
    found = Finetune().build(model, make_task())(batch, delta).terms["task"]
    expected = cross_entropies(network_logits(model, batch, delta), batch.label).sum()
    torch.testing.assert_close(found.sum, expected)
    assert found.count == 4


def test_switched_off_it_is_itself():
    assert Finetune().switched_off() == Finetune()
