"""k-PGD against its oracles, on a random BERT and on a linear victim solved by hand."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from pydantic import ValidationError
from transformers import BertTokenizerFast
from victims import RADII, Reversed, by_index, examples, linear, values

from unfooled.errors import BadInput
from unfooled.evaluation.metrics import accuracy, accuracy_under_attack, health
from unfooled.evaluation.records import Attack, at
from unfooled.evaluation.trials import PGDSettings, clean, pgd, worse
from unfooled.models import TextModel
from unfooled.tokens import encode


def test_clean_records_are_the_networks_own_answers(bert: TextModel) -> None:
    texts, labels = examples(20, 3)
    records = by_index(list(clean(bert, texts, labels, batch_size=6)))
    assert [record.index for record in records] == list(range(20))
    assert [record.label for record in records] == labels
    bert.classifier.eval()
    for text, record in zip(texts, records, strict=True):
        inputs = bert.tokenizer(text[0], return_tensors="pt")
        logits = bert.classifier.network(**inputs).logits[0].detach().double()
        assert record.prediction == int(logits.argmax())
        assert record.confidence == pytest.approx(float(logits.softmax(0)[record.label]), abs=1e-6)
        assert record.loss == pytest.approx(-math.log(record.confidence), abs=1e-6)


def test_the_perturbation_stays_in_the_ball(bert: TextModel) -> None:
    texts, labels = examples(20, 3)
    for steps in (1, 2, 5):
        for record in pgd(bert, texts, labels, PGDSettings(eps=RADII, steps=steps, restarts=2), batch_size=8):
            for attack in record.attacks:
                assert attack.size <= attack.eps * (1 + 1e-6)
                assert len(attack.losses) == steps + 1


def test_radius_0_is_the_clean_trial_exactly(bert: TextModel) -> None:
    texts, labels = examples(40, 3)
    plain = by_index(list(clean(bert, texts, labels, batch_size=8)))
    records = by_index(list(pgd(bert, texts, labels, PGDSettings(eps=RADII), batch_size=8)))
    assert [record.prediction for record in plain] == [record.prediction for record in records]
    assert [record.prediction for record in plain] == [record.attack.prediction for record in at(records, 0.0)]
    assert accuracy(plain) == accuracy(records)
    assert accuracy_under_attack(at(records, 0.0)).value == accuracy(plain).value
    for before, after in zip(plain, at(records, 0.0), strict=True):
        assert after.attack.loss == pytest.approx(before.loss, abs=1e-6)
        assert (after.attack.distance, after.attack.size) == (0, 0)
        assert after.attack.cosine == pytest.approx(1, abs=1e-12)


def test_one_step_is_the_fast_gradient_method(bert: TextModel) -> None:
    texts, labels = examples(10, 3)
    records = by_index(list(pgd(bert, texts, labels, PGDSettings(eps=(0.5,), steps=1), batch_size=4)))
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


def test_an_examples_result_does_not_depend_on_its_batch(bert: TextModel) -> None:
    texts, labels = examples(12, 3)
    settings = PGDSettings(eps=RADII, restarts=2)
    alone = values(list(pgd(bert, texts, labels, settings, batch_size=1)))
    together = values(list(pgd(bert, texts, labels, settings, batch_size=12)))
    np.testing.assert_allclose(alone, together, atol=2e-3, rtol=2e-3)
    others, more = examples(11, 3, seed=9)
    mixed = values(list(pgd(bert, [texts[0], *others], [labels[0], *more], settings, batch_size=12)))
    np.testing.assert_allclose(mixed[0], together[0], atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize(("eps", "steps"), [(0.05, 1), (0.05, 4), (0.3, 3), (0.3, 10)])
def test_a_linear_victim_moves_as_computed_by_hand(tokenizer: BertTokenizerFast, eps: float, steps: int) -> None:
    model = linear(tokenizer)
    texts, labels = examples(30, 2)
    network = model.classifier.network
    across = (network.last.weight[1] - network.last.weight[0]).detach().double()
    offset = float(network.last.bias.detach().diff())
    for record in pgd(model, texts, labels, PGDSettings(eps=(eps,), steps=steps), batch_size=7):
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


def test_a_linear_binary_victim_is_never_better_under_attack(tokenizer: BertTokenizerFast) -> None:
    texts, labels = examples(60, 2)
    records = list(pgd(linear(tokenizer), texts, labels, PGDSettings(eps=(0.1, 0.5, 2.0))))
    falling = [accuracy(records).value] + [accuracy_under_attack(at(records, eps)).value for eps in (0.1, 0.5, 2.0)]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] < falling[0]
    for record in records:
        if record.prediction != record.label:
            assert all(attack.prediction != record.label for attack in record.attacks)


@pytest.mark.parametrize("training", [True, False])
def test_parameters_gradients_and_mode_are_left_alone(bert: TextModel, training: bool) -> None:
    texts, labels = examples(12, 3)
    network = bert.classifier.train(training).network
    network.bert.embeddings.train(not training)
    network.classifier.bias.requires_grad_(False)
    parameters = dict(network.named_parameters())
    before = {name: parameter.detach().clone() for name, parameter in parameters.items()}
    network.classifier.weight.grad = torch.full_like(network.classifier.weight, 3.0)
    modes = {module: module.training for module in bert.classifier.modules()}
    seen = []
    for record in pgd(bert, texts, labels, PGDSettings(eps=RADII), batch_size=4):
        # Also between two records: whoever holds the iterator may use the model meanwhile.
        assert modes == {module: module.training for module in bert.classifier.modules()}
        assert [name for name, parameter in parameters.items() if not parameter.requires_grad] == ["classifier.bias"]
        seen.append(record)
    seen += clean(bert, texts, labels)
    assert modes == {module: module.training for module in bert.classifier.modules()}
    assert all(torch.equal(before[name], parameter) for name, parameter in parameters.items())
    assert [name for name, parameter in parameters.items() if parameter.grad is not None] == ["classifier.weight"]
    assert bool((network.classifier.weight.grad == 3).all())
    network.classifier.weight.grad = None
    network.classifier.bias.requires_grad_(True)
    # Dropout is off in the trials, whatever the mode around them.
    assert values(seen[:12])[:, 0] == pytest.approx(values(seen[12:])[:, 0], abs=1e-5)


def test_restarts_keep_the_worst_and_are_keyed_by_the_seed(bert: TextModel) -> None:
    texts, labels = examples(40, 3)
    once = by_index(list(pgd(bert, texts, labels, PGDSettings(eps=(1.0,)))))
    more = PGDSettings(eps=(1.0,), restarts=4)
    often = by_index(list(pgd(bert, texts, labels, more, seed=5)))
    assert often == by_index(list(pgd(bert, texts, labels, more, seed=5)))
    assert values(often).tolist() != values(by_index(list(pgd(bert, texts, labels, more, seed=6)))).tolist()
    for one, best in zip(once, often, strict=True):
        before, after = one.attack, best.attack
        assert (after.prediction != best.label, after.loss) >= (before.prediction != one.label, before.loss)
        assert after.losses == before.losses
        assert (after.restart == 0) == (replace(after, restart=0) == before)
    assert {record.attack.restart for record in often} > {0}


def test_a_fooling_climb_is_kept_before_a_higher_loss() -> None:
    loud = Attack(0.1, 1, 0.4, 0.9, (0.5, 0.9), 1.0, 0.0, 0.1, 0)
    fooling = Attack(0.1, 2, 0.45, 0.8, (0.5, 0.8), 1.0, 0.0, 0.1, 1)
    assert worse([loud, fooling], label=1) == fooling
    assert worse([loud, fooling], label=0) == loud


def test_done_examples_are_left_out_and_the_rest_is_bit_for_bit_the_same(bert: TextModel) -> None:
    texts, labels = examples(30, 3)
    settings = PGDSettings(eps=RADII)
    whole = by_index(list(pgd(bert, texts, labels, settings, batch_size=8)))
    done = {0, 3, 4, 5, 11, 29}
    rest = by_index(list(pgd(bert, texts, labels, settings, batch_size=8, done=done)))
    assert rest == [record for record in whole if record.index not in done]
    # Other batch mates may change the last bits, so a batch that is done in part is computed whole.
    sizes: list[int] = []
    watch = bert.classifier.register_forward_pre_hook(lambda _, given: sizes.append(len(given[0].ids)))
    try:
        assert [record.index for record in clean(bert, texts, labels, batch_size=30, done=set(range(29)))] == [29]
    finally:
        watch.remove()
    assert sizes == [30]


def test_records_come_as_they_are_made(bert: TextModel) -> None:
    texts, labels = examples(30, 3)
    passes: list[int] = []
    watch = bert.classifier.register_forward_hook(lambda *_: passes.append(1))
    try:
        records = clean(bert, texts, labels, batch_size=10)
        next(records)
        assert len(passes) == 1
        passes.clear()
        list(pgd(bert, texts, labels, PGDSettings(eps=(0.0, 0.1, 0.2), steps=3), batch_size=30))
        assert len(passes) == 1 + 2 * 3  # the clean pass is shared by all radii
    finally:
        watch.remove()


def test_health_warns_of_useless_gradients_only(tokenizer: BertTokenizerFast, bert: TextModel) -> None:
    texts, labels = examples(40, 2)
    settings = PGDSettings(eps=(0.0, 0.1), restarts=2)

    def warnings(model: TextModel) -> str:
        return " ".join(health(list(pgd(model, texts, labels, settings))))

    assert warnings(linear(tokenizer)) == ""
    assert warnings(bert) == ""
    rounded = warnings(linear(tokenizer, torch.round))
    assert "gradient masking at eps 0.1" in rounded
    assert "zero gradient: the loss of 40 of 40" in rounded
    saturated = warnings(linear(tokenizer, lambda logits: (1e4 * logits).tanh()))
    assert "gradient masking" in saturated and "zero gradient" in saturated
    reversed_ = warnings(linear(tokenizer, Reversed.apply))
    assert "gradient masking" in reversed_ and "zero gradient" not in reversed_


def test_a_tiny_gradient_is_a_gradient(tokenizer: BertTokenizerFast) -> None:
    texts, labels = examples(10, 2)
    model = linear(tokenizer, lambda logits: 1e-25 * logits)
    records = list(pgd(model, texts, labels, PGDSettings(eps=(0.1,))))
    assert all(record.gradient for record in records)
    assert all(record.attack.size == pytest.approx(0.1, rel=1e-6) for record in records)


@pytest.mark.parametrize("trial", [clean, pgd])
def test_answers_that_are_not_finite_are_refused(tokenizer: BertTokenizerFast, trial: Callable) -> None:
    texts, labels = examples(5, 2)
    with pytest.raises(BadInput, match="not finite"):
        list(trial(linear(tokenizer, lambda logits: logits * float("nan")), texts, labels))


@pytest.mark.parametrize(
    "wrong",
    [{"eps": ()}, {"eps": (0.1, 0.1)}, {"eps": (-0.1,)}, {"eps": (math.inf,)}, {"steps": 0}, {"restarts": 0}],
)
def test_impossible_settings_are_refused(wrong: dict) -> None:
    with pytest.raises(ValidationError):
        PGDSettings(**wrong)


def test_pairs_are_evaluated_with_their_segments(bert: TextModel) -> None:
    texts = [("good film", "dull story"), ("bad", "the actor not slow")]
    records = by_index(list(pgd(bert, texts, [0, 1], PGDSettings(eps=(0.1,)))))
    bert.classifier.eval()
    inputs = bert.tokenizer(*texts[1], return_tensors="pt")
    logits = bert.classifier.network(**inputs).logits.detach().double()
    assert records[1].loss == pytest.approx(float(F.cross_entropy(logits, torch.tensor([1]))), abs=1e-5)
