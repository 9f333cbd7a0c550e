"""What CARL's weight does to a classifier that was trained already, and how it is found."""

import json
from copy import deepcopy
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from support import Lone, make_batch, make_task, tiny_network
from trained import sentences, trained, two
from two_processes import prepared

from unfooled.data.batches.examples import ExampleBatches
from unfooled.methods import CARL, TrainingTask
from unfooled.models.encoders.classifier import Classifier
from unfooled.tokens import encode
from unfooled.training import Engine, Plan, Processes, Run, RunFolder, fit, validate
from unfooled.types import Progress

UPDATES = 18
LENGTHS, LABELS = [4, 6, 3, 5, 7, 4], [0, 1, 0, 1, 2, 2]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A classifier that was trained without any contrast."""
    return trained(tmp_path_factory.mktemp("good"), ("no", "yes"), *two(*sentences(400, 0)))


def trained_on(model, method, folder):
    """A copy of the model after some updates of a method."""
    texts, labels = two(*sentences(400, 0))
    classifier, processes = Classifier(deepcopy(model.classifier.network)), Processes()
    encoded = encode(model.tokenizer, texts, 32)
    objective = method.build(classifier, TrainingTask(2, torch.tensor(labels), steps=UPDATES, seed=0))
    settings = {"batch_size": 32, "learning_rate": 1e-2, "max_steps": UPDATES, "epochs": 9}
    plan = Plan.model_validate({**settings, "evaluations_per_epoch": 0.01})  # the last weights, not the best ones
    runs = RunFolder(folder)
    runs.checkpoints.mkdir(parents=True)
    engine, loader = Engine(objective, plan, processes), ExampleBatches(encoded, labels, 32, 0)
    state = fit(Run(objective, engine, loader, runs, lambda: validate(classifier, encoded, labels, 2, processes)))
    assert state.report["contrasted_updates"] == UPDATES
    return replace(model, classifier=classifier)


def judged(model):
    """Accuracy on texts not trained on, by how much texts of one label are more alike than others, and movement."""
    texts, labels = two(*sentences(400, 1))
    model.classifier.eval()
    tokens, gold = encode(model.tokenizer, texts, 32).pad(range(len(texts))), torch.tensor(labels)
    with torch.no_grad():
        output = model.classifier(tokens)
        moved = model.classifier(tokens, uphill(model.classifier, tokens, gold))
    rows, same = F.normalize(output.features, dim=1), gold[:, None] == gold[None, :]
    cosines, others = rows @ rows.T, ~torch.eye(len(gold), dtype=torch.bool)
    separation = cosines[same & others].mean() - cosines[~same].mean()
    movement = 1 - F.cosine_similarity(moved.features, output.features).mean()
    return (output.logits.argmax(dim=1) == gold).double().mean().item(), separation.item(), movement.item()


def uphill(classifier, tokens, gold, steps=3, radius=0.1):
    """A perturbation [B, T, d] of each text that raises its loss, of norm ``radius`` at most."""
    delta = torch.zeros(*tokens.ids.shape, classifier.width)
    for _ in range(steps):
        delta.requires_grad_(True)
        with torch.enable_grad():
            loss = F.cross_entropy(classifier(tokens, delta).logits, gold, reduction="sum")
            (slope,) = torch.autograd.grad(loss, delta)
        slope = F.normalize((slope * tokens.mask[..., None]).flatten(1), dim=1).view_as(slope)
        delta = (delta + radius / 2 * slope).detach()
        delta = delta * (radius / delta.flatten(1).norm(dim=1).clamp(min=radius))[:, None, None]
    return delta


def test_the_default_keeps_a_trained_classifier_and_the_papers_weight_does_not(good, tmp_path):
    accuracy, separation, _ = judged(good)
    assert accuracy > 0.85 and separation > 1
    control = judged(trained_on(good, CARL(start=0.0, weight=1e-6), tmp_path / "freelb"))  # FreeLB in effect
    kept = judged(trained_on(good, CARL(start=0.0), tmp_path / "balanced"))
    assert kept[0] > control[0] - 0.02 and kept[1] >= 0.8 * control[1]  # what FreeLB itself takes is not CARL's doing
    assert kept[2] < 0.9 * control[2]  # and the contrast does something: texts move less
    nearer = judged(trained_on(good, CARL(start=0.0, gradient_ratio=1.0), tmp_path / "alike"))
    assert nearer[1] < 0.8 * control[1]  # a contrast that pulls as hard as the task brings classes together
    lost = judged(trained_on(good, CARL(start=0.0, weight=1.0), tmp_path / "one"))
    assert lost[0] < accuracy - 0.05 and lost[1] < 0.25


def test_a_weight_under_which_the_contrast_outweighs_the_task_is_warned_of(tmp_path, capsys):
    plan = {"max_steps": 2, "epochs": 2}
    fit(prepared(CARL(start=0.0, negatives=64, weight=1.0), tmp_path / "one", plan=plan))
    assert "the contrast outweighs the task" in capsys.readouterr().err
    fit(prepared(CARL(start=0.0, negatives=64), tmp_path / "balanced", plan=plan))
    assert "outweighs" not in capsys.readouterr().err
    lines = [json.loads(line) for line in (tmp_path / "balanced" / "metrics.jsonl").read_text().splitlines()]
    (measured,) = [line for line in lines if line["kind"] == "measured"]
    expected = CARL().gradient_ratio * measured["task_gradient"] / measured["contrast_gradient"]
    assert measured["step"] == 1 and measured["contrast_weight"] == pytest.approx(expected)


def swept(**settings):
    """An objective whose banks are filled, its weight still unknown."""
    batch = make_batch(LENGTHS, LABELS, classes=3)
    network = tiny_network("bert", 3)
    objective = CARL(start=0.0, negatives=8, **settings).build(Classifier(network), make_task(classes=3, labels=LABELS))
    objective.eval()
    objective.sweep(batch)
    return objective.train(), batch


@pytest.mark.parametrize("loss", ["nce", "infonce"])
def test_the_weight_makes_the_gradients_of_the_encoder_as_large_as_asked(loss):
    objective, batch = swept(loss=loss, gradient_ratio=2.0, passes=1, spread=0.0)
    assert torch.isnan(objective.weight) and objective.measures(Progress(0, 10, 0)) == 8
    objective.measure([batch, batch])
    assert objective.measures(Progress(0, 10, 0)) == 0
    assert all(parameter.grad is None for parameter in objective.parameters())
    output = objective.model(batch.tokens)  # one pass at no perturbation: both sides are the clean one
    contrast = sum(one.mean() for one in objective.contrast(batch, output.vector, output.vector).values())
    task = F.cross_entropy(output.logits, batch.label)
    inner = [parameter for name, parameter in objective.named_parameters() if ".bert." in name]
    sizes = []
    for value in (task, contrast):
        found = torch.autograd.grad(value, inner, retain_graph=True)
        sizes.append(torch.cat([one.flatten() for one in found]).norm().item())
    assert objective.weight.item() == pytest.approx(2.0 * sizes[0] / sizes[1], rel=1e-4)
    assert objective.imbalance.item() == pytest.approx(sizes[1] / sizes[0], rel=1e-4)


def test_the_constant_comes_from_the_batches_that_are_measured():
    objective, batch = swept(passes=1, spread=0.0)
    first = make_batch(LENGTHS[:2], LABELS[:2], classes=3, index=[0, 1])
    second = make_batch(LENGTHS[2:], LABELS[2:], classes=3, index=[2, 3, 4, 5])
    objective.measure([first, second])
    whole, _ = swept(passes=1, spread=0.0)
    whole.measure([batch])
    torch.testing.assert_close(objective.log_mu, whole.log_mu, rtol=1e-5, atol=1e-5)
    assert torch.isfinite(whole.log_mu).all()


def test_banks_filled_as_it_goes_are_balanced_too(tmp_path):
    run = prepared(CARL(fill="online", start=0.5, negatives=8), tmp_path, plan={"epochs": 3})
    run.objective.start = 3
    report = fit(run).report
    assert report["contrasted_updates"] == 3 and 0 < report["contrast_weight"] < 1


def test_a_fixed_weight_stays():
    objective, batch = swept(weight=0.3)
    assert objective.weight.item() == pytest.approx(0.3)
    objective.measure([batch])
    assert objective.weight.item() == pytest.approx(0.3)


@pytest.mark.parametrize("share", [True, False])
def test_the_clean_pass_meets_the_masks_of_the_adversarial_one(share):
    """With no perturbation the two can differ by their dropout alone."""
    batch = make_batch(LENGTHS, LABELS, classes=3)
    method = CARL(start=0.0, negatives=8, radius=0.0, share_dropout=share)
    objective = method.build(Classifier(tiny_network("bert", 3, dropout=0.3)), make_task(classes=3, labels=LABELS))
    seen = []
    objective.remember = lambda batch, clean, adversary, passes: seen.append((clean, adversary)) or {}
    objective.filled.fill_(True)
    objective.train()
    objective.step(Lone(), batch)
    ((clean, adversary),) = seen
    assert torch.equal(clean.vector, adversary.vector) is share
    assert not torch.equal(clean.vector, clean.features)  # which the classifier's own dropout has thinned out
