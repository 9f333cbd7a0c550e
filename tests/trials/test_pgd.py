"""k-PGD as a trial: what it keeps, what it leaves alone, and that it resumes to the bit."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from pydantic import ValidationError
from transformers import BertTokenizerFast
from trial_ground import in_order, pairs_of, ran

from unfooled.errors import BadInput
from unfooled.models import TextModel
from unfooled.trials.clean import CLEAN, accuracy
from unfooled.trials.columns import numbers
from unfooled.trials.kept.climbs import WorstPoint, at
from unfooled.trials.pgd import PGD, PGDSettings, accuracy_under_attack, worse
from victims import RADII, examples, linear, values


def test_radius_0_is_the_clean_trial_exactly(bert: TextModel) -> None:
    units = pairs_of(*examples(40, 3))
    plain = in_order(CLEAN, bert, units, batch_size=8)
    records = in_order(PGD, bert, units, PGDSettings(eps=RADII), batch_size=8)
    assert [record.prediction for record in plain] == [record.prediction for record in records]
    assert [record.prediction for record in plain] == numbers(at(records, 0.0), "attacked").tolist()
    assert accuracy(plain) == accuracy(records)
    assert accuracy_under_attack(at(records, 0.0)).value == accuracy(plain).value
    for before, after in zip(plain, records, strict=True):
        there = after.attacks[RADII.index(0.0)]
        assert there.loss == pytest.approx(before.loss, abs=1e-6)
        assert (there.distance, there.size) == (0, 0)
        assert there.cosine == pytest.approx(1, abs=1e-12)


def test_radius_0_is_the_clean_trial_to_the_bit_though_both_are_packed(bert: TextModel) -> None:
    units = pairs_of(*examples(40, 3))
    plain = in_order(CLEAN, bert, units, batch_size=8)
    records = in_order(PGD, bert, units, PGDSettings(eps=RADII), batch_size=8)
    assert [(one.prediction, one.confidence, one.loss) for one in plain] == [
        (one.prediction, one.confidence, one.loss) for one in records
    ]


def test_no_product_is_made_of_padding_nor_of_what_nobody_reads(bert: TextModel) -> None:
    units = pairs_of([("good film",), ("a very slow and dull story",), ("bad",)], [0, 1, 2])
    real = sum(len(bert.tokenizer(unit.texts[0])["input_ids"]) for unit in units)
    for trial in (CLEAN, PGD):
        rows: list[list[int]] = [[], []]
        watches = [
            layer.intermediate.dense.register_forward_hook(
                lambda _, given, out, own=own: own.append(out.numel() // out.shape[-1])
            )
            for layer, own in zip(bert.classifier.network.bert.encoder.layer, rows, strict=True)
        ]
        assert len(list(ran(trial, bert, units))) == 3
        for watch in watches:
            watch.remove()
        passes = 1 if trial is CLEAN else 1 + 3 * 3
        assert [own[2:] for own in rows] == [[real] * passes, [3] * passes]  # behind the two of the probe


def test_outcomes_are_those_of_padded_passes(bert: TextModel, monkeypatch: pytest.MonkeyPatch) -> None:
    units, settings = pairs_of(*examples(60, 3, seed=4)), PGDSettings(eps=(0.02, 0.1, 0.3), restarts=2)
    packed = in_order(PGD, bert, units, settings, batch_size=16)
    monkeypatch.setattr("unfooled.models.encoders.packed_training.quick_pass", lambda classifier: None)
    padded = in_order(PGD, bert, units, settings, batch_size=16)
    assert packed != padded  # each went its own way
    for eps in settings.eps:
        one, other = at(packed, eps), at(padded, eps)
        assert accuracy_under_attack(one) == accuracy_under_attack(other)
        assert (numbers(one, "attacked") == numbers(other, "attacked")).all()
    np.testing.assert_allclose(values(packed), values(padded), atol=1e-3, rtol=1e-3)


def test_an_examples_result_does_not_depend_on_its_batch(bert: TextModel) -> None:
    texts, labels = examples(12, 3)
    settings, units = PGDSettings(eps=RADII, restarts=2), pairs_of(texts, labels)
    alone = values(list(ran(PGD, bert, units, settings, batch_size=1)))
    together = values(list(ran(PGD, bert, units, settings, batch_size=12)))
    np.testing.assert_allclose(alone, together, atol=2e-3, rtol=2e-3)
    mixed = values(list(ran(PGD, bert, [units[0], *pairs_of(*examples(11, 3, seed=9))], settings, batch_size=12)))
    np.testing.assert_allclose(mixed[0], together[0], atol=2e-3, rtol=2e-3)


def test_a_linear_binary_victim_is_never_better_under_attack(tokenizer: BertTokenizerFast) -> None:
    radii = (0.1, 0.5, 2.0)
    records = list(ran(PGD, linear(tokenizer), pairs_of(*examples(60, 2)), PGDSettings(eps=radii)))
    falling = [accuracy(records).value] + [accuracy_under_attack(at(records, eps)).value for eps in radii]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] < falling[0]
    for record in records:
        if record.prediction != record.label:
            assert all(attack.prediction != record.label for attack in record.attacks)


@pytest.mark.parametrize("training", [True, False])
def test_parameters_gradients_and_mode_are_left_alone(bert: TextModel, training: bool) -> None:
    units = pairs_of(*examples(12, 3))
    network = bert.classifier.train(training).network
    network.bert.embeddings.train(not training)
    network.classifier.bias.requires_grad_(False)
    parameters = dict(network.named_parameters())
    before = {name: parameter.detach().clone() for name, parameter in parameters.items()}
    network.classifier.weight.grad = torch.full_like(network.classifier.weight, 3.0)
    modes = {module: module.training for module in bert.classifier.modules()}
    seen = []
    for record in ran(PGD, bert, units, PGDSettings(eps=RADII), batch_size=4):
        # Also between two records: whoever holds the iterator may use the model meanwhile.
        assert modes == {module: module.training for module in bert.classifier.modules()}
        assert [name for name, parameter in parameters.items() if not parameter.requires_grad] == ["classifier.bias"]
        seen.append(record)
    plain = list(ran(CLEAN, bert, units))
    assert modes == {module: module.training for module in bert.classifier.modules()}
    assert all(torch.equal(before[name], parameter) for name, parameter in parameters.items())
    assert [name for name, parameter in parameters.items() if parameter.grad is not None] == ["classifier.weight"]
    assert bool((network.classifier.weight.grad == 3).all())
    network.classifier.weight.grad = None
    network.classifier.bias.requires_grad_(True)
    # Dropout is off in the trials, whatever the mode around them.
    assert values(seen)[:, 0] == pytest.approx(values(plain)[:, 0], abs=1e-5)


def test_restarts_keep_the_worst_and_are_keyed_by_the_seed(bert: TextModel) -> None:
    units, more = pairs_of(*examples(40, 3)), PGDSettings(eps=(1.0,), restarts=4)
    once = in_order(PGD, bert, units, PGDSettings(eps=(1.0,)))
    often = in_order(PGD, bert, units, more, seed=5)
    assert often == in_order(PGD, bert, units, more, seed=5)
    assert values(often).tolist() != values(in_order(PGD, bert, units, more, seed=6)).tolist()
    for one, best in zip(once, often, strict=True):
        before, after = one.attack, best.attack
        assert (after.prediction != best.label, after.loss) >= (before.prediction != one.label, before.loss)
        assert after.losses == before.losses
        assert (after.restart == 0) == (replace(after, restart=0) == before)
    assert {record.attack.restart for record in often} > {0}


def test_a_fooling_climb_is_kept_before_a_higher_loss() -> None:
    loud = WorstPoint(0.1, 1, 0.4, 0.9, (0.5, 0.9), 1.0, 0.0, 0.1, 0)
    fooling = WorstPoint(0.1, 2, 0.45, 0.8, (0.5, 0.8), 1.0, 0.0, 0.1, 1)
    assert worse([loud, fooling], label=1) == fooling
    assert worse([loud, fooling], label=0) == loud


def test_done_examples_are_left_out_and_the_rest_is_bit_for_bit_the_same(bert: TextModel) -> None:
    units, settings = pairs_of(*examples(30, 3)), PGDSettings(eps=RADII)
    whole = in_order(PGD, bert, units, settings, batch_size=8)
    done = {0, 3, 4, 5, 11, 29}
    rest = in_order(PGD, bert, units, settings, batch_size=8, done=done)
    assert rest == [record for record in whole if record.index not in done]


def test_the_clean_pass_is_shared_by_all_radii(bert: TextModel) -> None:
    passes: list[int] = []
    watch = bert.classifier.register_forward_hook(lambda *_: passes.append(1))
    try:
        list(ran(PGD, bert, pairs_of(*examples(30, 3)), PGDSettings(eps=(0.0, 0.1, 0.2), steps=3), batch_size=30))
        assert len(passes) == 1 + 2 * 3
    finally:
        watch.remove()


def test_answers_that_are_not_finite_are_refused(tokenizer: BertTokenizerFast) -> None:
    with pytest.raises(BadInput, match="not finite"):
        list(ran(PGD, linear(tokenizer, lambda logits: logits * float("nan")), pairs_of(*examples(5, 2))))


@pytest.mark.parametrize(
    "wrong",
    [{"eps": ()}, {"eps": (0.1, 0.1)}, {"eps": (-0.1,)}, {"eps": (math.inf,)}, {"steps": 0}, {"restarts": 0}],
)
def test_impossible_settings_are_refused(wrong: dict) -> None:
    with pytest.raises(ValidationError):
        PGDSettings(**wrong)


def test_pairs_are_evaluated_with_their_segments(bert: TextModel) -> None:
    texts = [("good film", "dull story"), ("bad", "the actor not slow")]
    records = in_order(PGD, bert, pairs_of(texts, [0, 1]), PGDSettings(eps=(0.1,)))
    bert.classifier.eval()
    inputs = bert.tokenizer(*texts[1], return_tensors="pt")
    logits = bert.classifier.network(**inputs).logits.detach().double()
    assert records[1].loss == pytest.approx(float(F.cross_entropy(logits, torch.tensor([1]))), abs=1e-5)


def test_a_record_keeps_the_direction_of_the_clean_features(bert: TextModel) -> None:
    texts, labels = examples(6, 3)
    for record in in_order(PGD, bert, pairs_of(texts, labels), PGDSettings(eps=(0.1,)), batch_size=3):
        given = bert.tokenizer(*texts[record.index], return_tensors="pt", truncation=True, max_length=bert.max_length)
        network = bert.classifier.network.train(False)
        with torch.no_grad():
            expected = F.normalize(network.base_model(**given).pooler_output[0], dim=0)
        assert record.vector == pytest.approx(expected.tolist(), abs=2e-5)
