"""The oracles of CLLD (docs/papers/clld.md), and what its settings refuse."""

import math
from dataclasses import replace

import pytest
import torch
from support import (
    collected_gradients,
    cross_entropies,
    largest_difference,
    make_batch,
    make_task,
    network_logits,
    parameter_gradients,
    tiny_network,
)

from unfooled.errors import BadInput
from unfooled.methods.clld import CLLD, SupCon, doubled
from unfooled.models import Classifier, TextCNN, TextCNNConfig
from unfooled.seeds import begin_pass
from unfooled.types import Evaluation, Progress

BOTH = pytest.mark.parametrize("method", [CLLD(), SupCon()], ids=["clld", "supcon"])
CONFUSION = torch.tensor([[8, 2, 0], [1, 9, 0], [0, 5, 5]])
NAMES = ("alpha", "beta", "gamma")


def named_task(confusion=None, steps=100):
    return replace(make_task(3), names=NAMES, steps=steps, confusion=confusion)


def rows_of(objective, batch):
    """h of both views [2B, H], as the objective makes them."""
    output = objective.model(doubled(batch.tokens))
    return objective.projected(output.vector, batch)


def naive_contrast(rows, labels, distances):
    """L_s (Eq. 11) in a loop over pairs."""
    losses = []
    for i in range(len(rows)):
        others = [j for j in range(len(rows)) if j != i]
        logits = torch.stack(
            [
                (rows[i] @ rows[j] / (rows[i].norm() * rows[j].norm()) + 1) / 2 * distances[labels[i]][labels[j]]
                for j in others
            ]
        )
        q = logits.exp() / logits.exp().sum()
        positive = [place for place, j in enumerate(others) if labels[i] == labels[j]]
        losses.append(sum(math.log(1 / len(positive)) - q[place].log() for place in positive) / len(positive))
    return torch.stack(losses).mean()


def walk(objective, evaluations, confusion=CONFUSION, steps=100):
    """Evaluations at these steps; LDM after each."""
    found = []
    for step in evaluations:
        objective.after_step(Progress(step, steps, 0))
        objective.after_eval(Evaluation({}, confusion))
        found.append(objective.label_distance.clone())
    return found


@pytest.mark.parametrize("both_views", [False, True])
@pytest.mark.parametrize("balance", [0.5, 0.2, 0.0])
def test_the_loss_and_its_gradient_are_eq_9(tiny_bert, lone, balance, both_views):
    batch = make_batch([5, 3, 7, 4], [0, 1, 1, 2])
    method = CLLD(balance=balance, both_views=both_views, distance="static", pairs=[("beta", "gamma")])
    objective = method.build(tiny_bert(3), named_task()).double().train()
    loss = objective.step(lone, batch)
    found = collected_gradients(objective)
    entropy = cross_entropies(network_logits(objective.model, batch), batch.label).mean()  # no dropout: views agree
    labels = batch.label.repeat(2).tolist()
    contrast = naive_contrast(rows_of(objective, batch), labels, [[1, 1, 1], [1, 1, 5], [1, 5, 1]])
    value = balance * entropy + (1 - balance) * contrast
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-8)
    assert loss.total({"examples": 4}).item() == pytest.approx(value.item(), rel=1e-8)
    assert loss.terms["contrast"].mean.item() == pytest.approx(contrast.item(), rel=1e-8)
    assert largest_difference(found, parameter_gradients(value, objective)) < 1e-9


def test_l_c_is_of_the_first_view_unless_of_both(tiny_bert):
    batch, seen = make_batch(), []
    for both_views in (False, True):
        objective = SupCon(both_views=both_views).build(tiny_bert(dropout=0.3), make_task())
        objective.model.register_forward_hook(lambda _, given, output: seen.append(output.logits))
        task = objective(batch).terms["task"]
        losses = cross_entropies(seen[-1], batch.label.repeat(2))
        assert task.mean.item() == pytest.approx((losses if both_views else losses[:4]).mean().item(), rel=1e-5)
        assert task.weight == 0.5 and task.count == 4


@BOTH
def test_oracle_6_balance_one_is_plain_classification(tiny_bert, lone, method):
    batch = make_batch()
    objective = method.switched_off().build(tiny_bert(dropout=0.3), make_task())
    begin_pass(0, "test")
    loss = objective.step(lone, batch)
    begin_pass(0, "test")
    value = cross_entropies(network_logits(objective.model, batch), batch.label).mean()
    expected = parameter_gradients(value, objective.model)
    assert largest_difference(collected_gradients(objective.model), expected) < 1e-6
    assert list(loss.terms) == ["task"]
    assert all(parameter.grad is None for parameter in objective.head.parameters())


@BOTH
def test_every_parameter_has_a_gradient(tiny_bert, lone, method):
    objective = method.build(tiny_bert(), make_task())
    objective.step(lone, make_batch([5, 3, 7, 4, 6, 2]))
    assert all(parameter.grad.abs().sum() > 0 for parameter in objective.parameters())
    assert not objective.label_distance.requires_grad


@pytest.mark.parametrize("network, head, differ", [(0.2, 0.0, True), (0.0, 0.2, True), (0.0, 0.0, False)])
def test_twins_differ_if_there_is_dropout_anywhere(tiny_bert, network, head, differ):
    objective, batch = SupCon(head_dropout=head).build(tiny_bert(dropout=network), make_task()), make_batch()
    first, second = rows_of(objective, batch).chunk(2)
    for one, other in zip(first, second, strict=True):
        assert torch.allclose(one, other, atol=1e-5) is not differ
    first, second = rows_of(objective.eval(), batch).chunk(2)
    torch.testing.assert_close(first, second)


@pytest.mark.parametrize("kind", ["albert", "roberta", "distilbert", "textcnn"])
def test_every_encoder_and_a_text_cnn_work(lone, kind):
    torch.manual_seed(0)
    sizes = {"vocab_size": 60, "embedding_width": 6, "filters": 4, "windows": (2, 3), "num_labels": 2, "dropout": 0.0}
    network = TextCNN(TextCNNConfig(**sizes)).train() if kind == "textcnn" else tiny_network(kind)
    objective = CLLD().build(Classifier(network), make_task())
    batch = make_batch(padding=1 if kind == "roberta" else 0)
    first, second = rows_of(objective, batch).chunk(2)
    assert not torch.allclose(first, second)
    assert torch.isfinite(objective.step(lone, batch).total())
    assert all(torch.isfinite(parameter.grad).all() for parameter in objective.parameters())


@BOTH
def test_a_batch_of_one_has_its_twin(tiny_bert, lone, method):
    objective = method.build(tiny_bert(), make_task())
    loss = objective.step(lone, make_batch([5]))
    assert loss.terms["contrast"].sum.item() == pytest.approx(0, abs=1e-6)  # the twin is all there is: q = z
    assert all(torch.isfinite(gradient).all() for gradient in collected_gradients(objective).values())


def test_the_order_of_examples_does_not_matter(tiny_bert):
    objective = CLLD().build(tiny_bert(3).double(), named_task()).double()
    values = []
    for order in ([0, 1, 2, 3, 4], [3, 0, 4, 2, 1]):
        lengths, labels = ([given[place] for place in order] for given in ([5, 3, 7, 4, 6], [0, 1, 1, 2, 0]))
        values.append(objective(make_batch(lengths, labels, index=order)).total().item())
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_oracle_5_adaptive_is_plain_contrast_to_the_bit_until_its_first_update(tiny_bert, lone):
    batch, found = make_batch([5, 3, 7, 4], [0, 1, 1, 2]), []
    for method in (CLLD(), CLLD(distance="none"), SupCon()):
        objective = method.build(tiny_bert(3, dropout=0.3), named_task())
        walk(objective, [10, 20])
        begin_pass(0, "test")
        loss = objective.step(lone, batch)
        found.append((loss.total().item(), collected_gradients(objective)))
        assert int(objective.updates) == 0
    assert found[0][0] == found[1][0] == found[2][0]
    assert largest_difference(found[0][1], found[1][1]) == largest_difference(found[0][1], found[2][1]) == 0


def test_updates_come_after_the_beginning_at_the_interval_and_with_falling_strength(tiny_bert):
    objective = CLLD(begin=0.2, every=0.1).build(tiny_bert(3), named_task())
    found = walk(objective, [10, 20, 25, 29, 50, 55, 60, 100])
    new = torch.tensor([[1, 2.6, 1], [1.8, 1, 1], [1, 5, 1]])  # rates 2/13, 1/13, 5/13 of at most 5/13
    expected, number = torch.ones(3, 3), 0
    for place, strength in enumerate([None, None, None, None, 0.5, None, 0.4, None]):
        if strength is not None:
            expected, number = expected + strength * (new - expected), number + 1
        torch.testing.assert_close(found[place], expected)
    assert int(objective.updates) == number == 2 and int(objective.evaluations) == 8


def test_evaluations_can_be_counted_instead(tiny_bert):
    objective = CLLD(every_evaluations=10).build(tiny_bert(3), named_task(steps=50))
    found = walk(objective, range(1, 51), steps=50)
    changed = [step for step in range(2, 51) if not torch.equal(found[step - 1], found[step - 2])]
    assert changed == [20, 30, 40] and int(objective.updates) == 3  # at 50 the strength is 0


def test_default_intervals_give_enough_updates(tiny_bert):
    for steps in (140, 60, 1000):
        objective = CLLD().build(tiny_bert(3), named_task(steps=steps))
        walk(objective, [steps * part // 20 for part in range(1, 21)], steps=steps)
        assert int(objective.updates) == 15


def test_oracle_5_no_confusion_is_ones_and_entries_stay_in_range(tiny_bert):
    objective = CLLD(largest=3.0).build(tiny_bert(3), named_task())
    for matrix in walk(objective, range(5, 80, 5)):
        assert matrix.min() >= 1 and matrix.max() <= 3
    assert objective.label_distance.max() > 2
    objective = CLLD().build(tiny_bert(3), named_task())
    assert all(torch.equal(matrix, torch.ones(3, 3)) for matrix in walk(objective, [30, 60, 90], torch.eye(3) * 7))


@pytest.mark.parametrize(
    "method", [CLLD(distance="none"), CLLD(distance="static", pairs=[("alpha", "beta")]), SupCon()]
)
def test_only_adaptive_distances_move(tiny_bert, method):
    objective = method.build(tiny_bert(3), named_task())
    before = objective.label_distance.clone()
    assert all(torch.equal(matrix, before) for matrix in walk(objective, [30, 60, 90]))
    assert objective.report()["label_distance_updates"] == 0


def test_matrix_and_counters_survive_a_restart_and_are_reported(tiny_bert):
    first = CLLD().build(tiny_bert(3), named_task())
    walk(first, [30, 60])
    again = CLLD().build(tiny_bert(3, seed=1), named_task())
    again.load_state_dict(first.state_dict())
    assert torch.equal(walk(first, [63, 70])[-1], walk(again, [63, 70])[-1])
    report = again.report()
    assert report == first.report()
    assert report["label_names"] == list(NAMES) and report["label_distance_updates"] == 3
    assert report["label_distance"] == again.label_distance.tolist()


def test_static_pairs_come_from_names_and_from_a_baseline(tiny_bert):
    by_name = CLLD(distance="static", pairs=[("gamma", "alpha")]).build(tiny_bert(3), named_task())
    assert by_name.label_distance.tolist() == [[1, 1, 5], [1, 1, 1], [5, 1, 1]]
    method = CLLD(distance="static", auto_pairs=1, baseline="runs/plain", largest=4, otherwise=2)
    assert method.baseline_run() == "runs/plain" and CLLD(baseline="runs/plain").baseline_run() is None
    found = method.build(tiny_bert(3), named_task(CONFUSION))
    assert found.label_distance.tolist() == [[2, 2, 2], [2, 2, 4], [2, 4, 2]]
    both = method.model_copy(update={"pairs": (("alpha", "gamma"),)}).build(tiny_bert(3), named_task(CONFUSION))
    assert both.label_distance.tolist() == [[2, 2, 4], [2, 2, 4], [4, 4, 2]]


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"pairs": [("alpha", "bet")]}, "the label bet, which the data do not have; did you mean beta?"),
        ({"pairs": [("alpha", "alpha")]}, "alpha with itself"),
        ({}, "needs method.pairs"),
        ({"auto_pairs": 2}, "give its folder as method.baseline"),
        ({"pairs": [("alpha", "beta")], "distance": "adaptive"}, 'need distance = "static"'),
    ],
)
def test_settings_that_make_no_sense_are_one_sentence(tiny_bert, settings, message):
    with pytest.raises(BadInput, match=message.replace("?", r"\?")):
        CLLD(**{"distance": "static", **settings}).build(tiny_bert(3), named_task())


def test_distance_none_survives_a_recipe():
    assert CLLD(distance=None).distance == "none"


def test_a_perturbation_goes_to_both_views(tiny_bert):
    objective = SupCon(head_dropout=0).build(tiny_bert(), make_task()).double()
    batch = make_batch()
    delta = torch.randn(*batch.tokens.ids.shape, 32, dtype=torch.float64) * batch.tokens.mask[..., None]
    seen = []
    objective.model.register_forward_hook(lambda _, given, output: seen.append(output.logits))
    objective(batch, delta)
    torch.testing.assert_close(seen[0], network_logits(objective.model, batch, delta).repeat(2, 1))


@pytest.mark.parametrize("kind", ["bert", "textcnn"])
def test_twins_do_not_differ_by_the_classifiers_dropout(kind):
    """Eq. 3 reads v before it: behind a dropout of .5 twins would be about as alike as two texts."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 60, "embedding_width": 6, "filters": 20, "windows": (2, 3), "num_labels": 2, "dropout": 0.5}
    network = TextCNN(TextCNNConfig(**sizes)).train() if kind == "textcnn" else tiny_network("bert")
    if kind == "bert":
        network.dropout.p = 0.5
    objective, batch = SupCon(head_dropout=0.1).build(Classifier(network), make_task()), make_batch()
    output = objective.model(doubled(batch.tokens))
    torch.testing.assert_close(*output.vector.chunk(2))
    assert not torch.allclose(*output.features.chunk(2))
    seen = []
    objective.head.register_forward_hook(lambda _, given, rows: seen.append(given[0]))
    objective(batch)
    first, second = seen[0].chunk(2)
    assert torch.cosine_similarity(first, second).mean() > 0.8


def test_a_text_cnn_without_dropout_before_its_vector_is_refused():
    network = TextCNN(TextCNNConfig(vocab_size=60, embedding_width=6, filters=4, num_labels=3))
    for method in (CLLD(head_dropout=0), SupCon(head_dropout=0)):
        with pytest.raises(BadInput, match="head_dropout = 0 makes the two views of a text the same: TextCNN"):
            method.build(Classifier(network), named_task())
        method.switched_off().build(Classifier(network), named_task())  # which has one view alone


def test_rates_of_rare_classes_are_shrunken(tiny_bert):
    rare = torch.tensor([[40, 10, 0], [8, 42, 0], [1, 0, 0]])
    found = [walk(CLLD(shrinkage=more).build(tiny_bert(3), named_task()), [50], rare)[0] for more in (0.0, 1.0)]
    assert found[0][2, 0] > found[0][0, 1] and found[1][2, 0] > 1
    assert found[1][0, 1] / found[1][2, 0] > found[0][0, 1] / found[0][2, 0]
