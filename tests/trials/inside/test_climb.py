"""Climbs of k-PGD against their oracles, on a random BERT and on a linear victim solved by hand."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from transformers import BertTokenizerFast
from trial_ground import in_order, pairs_of, ran

from unfooled.models import TextModel, still
from unfooled.tokens import encode
from unfooled.trials.inside.batch import batches, frozen
from unfooled.trials.inside.climb import climbs, gradient_norms, grounded
from unfooled.trials.pgd import PGD, PGDSettings
from victims import RADII, examples, linear


def test_the_perturbation_stays_in_the_ball(bert: TextModel) -> None:
    units = pairs_of(*examples(20, 3))
    for steps in (1, 2, 5):
        for record in ran(PGD, bert, units, PGDSettings(eps=RADII, steps=steps, restarts=2), batch_size=8):
            for attack in record.attacks:
                assert attack.size <= attack.eps * (1 + 1e-6)
                assert len(attack.losses) == steps + 1


def test_one_step_is_the_fast_gradient_method(bert: TextModel) -> None:
    texts, labels = examples(10, 3)
    records = in_order(PGD, bert, pairs_of(texts, labels), PGDSettings(eps=(0.5,), steps=1), batch_size=4)
    bert.classifier.eval()
    encoded = encode(bert.tokenizer, texts, 32)
    for record in records:
        tokens, label = encoded.pad([record.index]), torch.tensor([record.label])
        delta = torch.zeros(*tokens.ids.shape, 16, requires_grad=True)
        output = bert.classifier(tokens, delta)
        (gradient,) = torch.autograd.grad(F.cross_entropy(output.logits, label), delta)
        with torch.no_grad():
            moved = bert.classifier(tokens, 0.5 * gradient / gradient.norm())
        assert record.gradient == pytest.approx(float(gradient.norm()), rel=1e-4)
        assert record.attack.size == pytest.approx(0.5, rel=1e-6)
        assert record.attack.loss == pytest.approx(float(F.cross_entropy(moved.logits, label)), abs=1e-4)
        assert record.attack.prediction == int(moved.logits.argmax())
        before = output.features.detach()
        shift = moved.features - before
        assert record.attack.distance == pytest.approx(float(shift.norm()), abs=1e-4)
        cosine = F.cosine_similarity(moved.features, before)
        assert record.attack.cosine == pytest.approx(float(cosine), abs=1e-4)


@pytest.mark.parametrize(("eps", "steps"), [(0.05, 1), (0.05, 4), (0.3, 3), (0.3, 10)])
def test_a_linear_victim_moves_as_computed_by_hand(tokenizer: BertTokenizerFast, eps: float, steps: int) -> None:
    model = linear(tokenizer)
    texts, labels = examples(30, 2)
    network = model.classifier.network
    across = (network.last.weight[1] - network.last.weight[0]).detach().double()
    offset = float(network.last.bias.detach().diff())
    for record in ran(PGD, model, pairs_of(texts, labels), PGDSettings(eps=(eps,), steps=steps), batch_size=7):
        ids = torch.tensor(tokenizer(texts[record.index][0])["input_ids"])
        total = network.table(ids).detach().double().sum(dim=0)
        margin = (1 if record.label else -1) * (float(total @ across) + offset)
        # The direction is the same at every token and every step, so only the size of delta changes.
        slope = len(ids) ** 0.5 * float(across.norm())
        for step, loss in enumerate(record.attack.losses):
            size = min(step * 2.5 * eps / steps, eps)
            assert loss == pytest.approx(math.log1p(math.exp(-(margin - size * slope))), abs=1e-5)
        assert record.attack.size == pytest.approx(eps, rel=1e-6)
        assert record.attack.distance == pytest.approx(eps * len(ids) ** 0.5, rel=1e-4)
        assert all(np.diff(record.attack.losses) >= -1e-6)


def test_a_tiny_gradient_is_a_gradient(tokenizer: BertTokenizerFast) -> None:
    model = linear(tokenizer, lambda logits: 1e-25 * logits)
    records = list(ran(PGD, model, pairs_of(*examples(10, 2)), PGDSettings(eps=(0.1,))))
    assert all(record.gradient for record in records)
    assert all(record.attack.size == pytest.approx(0.1, rel=1e-6) for record in records)


def test_every_climb_is_there_the_first_from_0_the_others_from_noise(bert: TextModel) -> None:
    (batch,) = batches(bert, *examples(6, 3), 8, ())
    with still(bert.classifier), frozen(bert.classifier):
        ground = grounded(batch)
        (nothing,) = climbs(batch, ground, 0.0, 3, 4, seed=1)
        first, *others = climbs(batch, ground, 0.5, 3, 3, seed=1)
        alone = climbs(batch, ground, 0.5, 3, 1, seed=2)
        norms = gradient_norms(batch, ground)
    clean = ground.losses.tolist()
    for row in range(6):
        assert nothing[row][3] == clean[row] and nothing[row][4] == (clean[row],) * 4 and nothing[row][7] == 0
        assert first[row][4][0] == clean[row] and first[row][-1] == 0
        assert [other[row][-1] for other in others] == [1, 2]
        assert all(other[row][4][0] != clean[row] for other in others)
        assert norms[row] == pytest.approx(float((ground.gradient[row] * batch.tokens.mask[row, :, None]).norm()))
    assert alone == [first]  # the climb from 0 is drawn by nothing
