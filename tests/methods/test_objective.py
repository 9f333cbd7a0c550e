"""What all methods share: the task term, one pass by default, and the baseline when switched off."""

import math

import pytest
import torch
from pydantic import ValidationError
from support import (
    Lone,
    collected_gradients,
    cross_entropies,
    largest_difference,
    make_task,
    network_logits,
    parameter_gradients,
)

from unfooled.methods import METHODS, Method, Objective
from unfooled.methods.objective import task_term
from unfooled.types import Batch, Evaluation, Loss, Output, Progress, Term, Tokens


def batch_of(labels):
    tokens = Tokens(torch.zeros(len(labels), 1, dtype=torch.long), torch.ones(len(labels), 1, dtype=torch.bool))
    return Batch(torch.arange(len(labels)), torch.tensor(labels), {"original": tokens}, (0, 0))


class Constant(Objective):
    """The smallest objective: its loss is a parameter."""

    def __init__(self):
        super().__init__(torch.nn.Linear(1, 1))

    def forward(self, batch, delta=None):
        return Loss({"task": Term(self.model.weight.sum() * len(batch), len(batch))})


def test_the_task_term_is_the_summed_cross_entropy():
    logits = torch.tensor([[1.0, -2.0, 0.5], [0.0, 3.0, 3.0]])
    naive = 0.0
    for row, label in zip(logits.tolist(), [2, 0], strict=True):
        naive -= math.log(math.exp(row[label]) / math.fsum(math.exp(entry) for entry in row))
    term = task_term(Output(logits, logits), batch_of([2, 0]), weight=0.25)
    assert term.sum.item() == pytest.approx(naive, rel=1e-6)
    assert (term.count, term.unit, term.weight) == (2, "examples", 0.25)


def test_gradient_of_the_task_term_in_double_precision():
    logits = torch.randn(4, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64, requires_grad=True)
    batch = batch_of([0, 2, 1, 1])
    assert torch.autograd.gradcheck(lambda given: task_term(Output(given, given), batch).sum, logits)


def test_the_task_term_of_reduced_precision_is_computed_in_single():
    logits = torch.tensor([[1.0, 1.03]], dtype=torch.bfloat16)
    found = task_term(Output(logits, logits), batch_of([0])).sum
    assert found.dtype is torch.float32
    torch.testing.assert_close(found, cross_entropies(logits.float(), torch.tensor([0])).sum())


def test_certain_predictions_stay_finite():
    logits = torch.tensor([[1e4, -1e4]], requires_grad=True)
    term = task_term(Output(logits, logits), batch_of([1]))
    term.sum.backward()
    assert term.sum.item() == pytest.approx(2e4) and logits.grad.tolist() == [[1.0, -1.0]]


def test_a_step_is_one_pass_with_the_whole_gradient_unless_overridden():
    objective, engine = Constant(), Lone()
    loss = objective.step(engine, batch_of([0, 1]))
    assert engine.shares == [1.0] and objective.model.weight.grad.item() == 1
    assert loss.total().item() == objective.model.weight.item()
    assert objective.after_step(Progress(1, 2, 0)) is None
    assert objective.after_eval(Evaluation({"accuracy": 1.0})) is None


def test_a_method_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Method()


def test_an_objective_is_the_tasks_loss_unless_overridden(tiny_bert, make_batch, lone):
    model, batch = tiny_bert(classes=3), make_batch((5, 2, 7), classes=3)
    loss, value = Objective(model).step(lone, batch), cross_entropies(network_logits(model, batch), batch.label).mean()
    torch.testing.assert_close(loss.total(), value)
    assert list(loss.terms) == ["task"] and lone.shares == [1.0]
    assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-6


# Those that exchange words need texts, which these batches have not: tests/methods/test_contract.py has them.
CLASSIFIERS = [name for name, kind in METHODS.items() if "classification" in kind.tasks and not kind.exchanges_words]


@pytest.mark.parametrize("name", METHODS)
def test_settings_are_frozen_and_refuse_unknown_names(name):
    with pytest.raises(ValidationError, match="surprise"):
        METHODS[name](surprise=1)
    method = METHODS[name]()
    for field in type(method).model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(method, field, 0)


@pytest.mark.parametrize("name, field", [
    (name, field) for name, method in METHODS.items() for field, info in method.model_fields.items()
    if info.annotation in (float, int, float | None)
])  # fmt: skip
@pytest.mark.parametrize("value", [-0.5, float("nan")])
def test_numbers_that_make_no_sense_are_refused(name, field, value):
    with pytest.raises(ValidationError, match=field):
        METHODS[name](**{field: value})


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_switched_off_every_method_has_the_baseline_gradients(name, tiny_bert, make_batch, lone):
    model, batch = tiny_bert(classes=3), make_batch((5, 2, 7), classes=3)
    METHODS[name]().switched_off().build(model, make_task(3)).step(lone, batch)
    value = cross_entropies(network_logits(model, batch), batch.label).mean()
    assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-6


@pytest.mark.parametrize("name", METHODS)
def test_switching_off_keeps_the_kind_and_is_idempotent(name):
    method = METHODS[name]().switched_off()
    assert type(method) is METHODS[name] and method.switched_off() == method


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_means_are_taken_over_the_whole_update(name, tiny_bert, make_batch):
    """With the counts of an update twice as large, every gradient is half as large."""
    model, batch = tiny_bert(), make_batch()
    objective = METHODS[name]().build(model, make_task())
    found = []
    doubled = {"examples": 2 * len(batch), "tokens": 2 * int(batch.tokens.mask.sum())}
    for counts in (None, doubled):
        model.zero_grad()
        objective.step(Lone(counts), batch)
        found.append(collected_gradients(model))
    halved = {name: gradient / 2 for name, gradient in found[0].items()}
    assert largest_difference(halved, found[1]) < 1e-5


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_trainable_parameter_receives_a_gradient(name, tiny_bert, make_batch, lone):
    objective = METHODS[name]().build(tiny_bert(dropout=0.1), make_task())
    loss = objective.step(lone, make_batch())
    assert all(parameter.grad is not None for parameter in objective.parameters())
    assert torch.isfinite(loss.total()) and "task" in loss.terms
