"""R-Drop's formula by hand."""

import pytest
import torch
from support import collected_gradients, cross_entropies, largest_difference, make_task, network_logits
from support import parameter_gradients as gradients_of

from unfooled.methods.rdrop import RDrop
from unfooled.models import Classifier, TextCNN, TextCNNConfig
from unfooled.seeds import begin_pass


def by_hand(both, labels, weight):
    """½ (CE_1 + CE_2) + weight · ½ (KL(p‖q) + KL(q‖p)), means over examples, of the logits of both passes."""
    first, second = both[: len(labels)], both[len(labels) :]
    p, q = first.softmax(dim=1), second.softmax(dim=1)
    entropy = (cross_entropies(first, labels) + cross_entropies(second, labels)).mean() / 2
    apart = ((p * (p / q).log()).sum() + (q * (q / p).log()).sum()) / 2 / len(labels)
    return entropy + weight * apart, apart


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_the_loss_and_its_gradient_are_the_formula(tiny_bert, make_batch, lone, weight):
    model, batch = tiny_bert(dropout=0.3).double(), make_batch()
    objective, seen = RDrop(weight=weight).build(model, make_task()), []
    hook = model.register_forward_hook(lambda _, given, output: seen.append(output.logits))
    begin_pass(0, "test")
    loss = objective.step(lone, batch)
    found = collected_gradients(model)
    begin_pass(0, "test")
    objective(batch)
    hook.remove()
    assert len(seen) == 2 and torch.equal(seen[0], seen[1]) and len(seen[0]) == 2 * len(batch)
    value, apart = by_hand(seen[1], batch.label, weight)
    assert apart.item() > 1e-4
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-9)
    assert loss.terms["disagreement"].mean.item() == pytest.approx(apart.item(), rel=1e-9)
    assert largest_difference(found, gradients_of(value, model)) < 1e-10


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_without_dropout_it_is_fine_tuning(tiny_bert, make_batch, lone, weight):
    model, batch = tiny_bert().double(), make_batch()
    loss = RDrop(weight=weight).build(model, make_task()).step(lone, batch)
    value = cross_entropies(network_logits(model, batch), batch.label).mean()
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-9)
    assert largest_difference(collected_gradients(model), gradients_of(value, model)) < 1e-10


def test_switched_off_is_one_pass_with_its_dropout(tiny_bert, make_batch):
    model, batch = tiny_bert(dropout=0.3), make_batch()
    objective = RDrop().switched_off().build(model, make_task())
    begin_pass(0, "test")
    loss = objective(batch)
    begin_pass(0, "test")
    value = cross_entropies(network_logits(model, batch), batch.label).mean()
    assert list(loss.terms) == ["task"]
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-6)


def test_a_batch_of_one_and_a_text_cnn_work(make_batch, lone):
    torch.manual_seed(0)
    network = TextCNN(TextCNNConfig(vocab_size=60, embedding_width=6, filters=4, windows=(2, 3), num_labels=2))
    loss = RDrop().build(Classifier(network.train()), make_task()).step(lone, make_batch([5]))
    assert torch.isfinite(loss.total()) and loss.terms["disagreement"].sum.item() > 0
    assert all(torch.isfinite(parameter.grad).all() for parameter in network.parameters())


def test_a_perturbation_goes_to_both_passes(tiny_bert, make_batch):
    model, batch = tiny_bert().double(), make_batch()
    delta = torch.randn(*batch.tokens.ids.shape, model.width, dtype=torch.float64) * batch.tokens.mask[..., None]
    loss = RDrop().build(model, make_task())(batch, delta)
    value = cross_entropies(network_logits(model, batch, delta), batch.label).mean()
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-9)
    assert loss.terms["disagreement"].sum.item() == 0
