import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny import reviews, save_encoder, save_reviews
from torch import Tensor, nn

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.models import ModelSettings, build, load, probabilities
from unfooled.models.encoders.classifier import last_linear
from unfooled.models.encoders.predict import Alone, answers
from unfooled.models.encoders.pretrained import TextModel, weights_hash
from unfooled.tokens import Encoded, encode
from unfooled.training.temperature import calibrate, likeliest_temperature


def drawn(classes: int = 3, count: int = 400, scale: float = 1.0) -> tuple[Tensor, Tensor]:
    """Logits, and classes drawn by softmax(logits / scale)."""
    chance = torch.Generator().manual_seed(5)
    logits = 2 * torch.randn(count, classes, generator=chance, dtype=torch.float64)
    return scale * logits, torch.multinomial(logits.softmax(1), 1, generator=chance)[:, 0]


def negative_log_likelihood(logits: Tensor, labels: Tensor, temperature: float) -> float:
    """As defined, with Platt's targets, by a loop."""
    total = 0.0
    for row, label in zip((logits / temperature).log_softmax(1).tolist(), labels.tolist(), strict=True):
        count = int((labels == label).sum())
        rival = max((value, place) for place, value in enumerate(row) if place != label)[0]
        total -= (count + 1) / (count + 2) * row[label] + 1 / (count + 2) * rival
    return total


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_it_is_the_likeliest(classes: int) -> None:
    logits, labels = drawn(classes)
    found = likeliest_temperature(logits, labels)
    assert found is not None
    best = negative_log_likelihood(logits, labels, found)
    assert all(best <= negative_log_likelihood(logits, labels, found * factor) for factor in (0.9, 0.999, 1.001, 1.1))


@pytest.mark.parametrize("scale", [1e-3, 0.1, 7.0, 1e4])
def test_what_logits_were_multiplied_by_is_found(scale: float) -> None:
    plain, scaled = (likeliest_temperature(*drawn(scale=factor)) for factor in (1.0, scale))
    assert plain == pytest.approx(1.0, abs=0.2)
    assert scaled == pytest.approx(scale * plain, rel=1e-6)


def test_it_is_finite_where_all_answers_are_right_and_nothing_where_none_is_one() -> None:
    labels = torch.tensor([0, 1] * 20)
    sure = torch.nn.functional.one_hot(labels).double() * 30
    found = likeliest_temperature(sure, labels)
    assert found is not None and math.isclose(30 / found, math.log(21), rel_tol=1e-6)  # odds of (n + 1) to 1
    assert likeliest_temperature(torch.ones(40, 2, dtype=torch.float64), labels) is None


def model_and_split(folder: Path) -> tuple[TextModel, Encoded, list[int]]:
    model = build(ModelSettings(name=str(save_encoder(folder))), ["negative", "positive"], seed=0)
    rows = reviews(24)
    encoded = encode(model.tokenizer, [(text,) for text, _ in rows], 32)
    return model, encoded, [int(label == "positive") for _, label in rows]


def test_logits_are_divided_and_answers_stay(tmp_path: Path) -> None:
    model, encoded, labels = model_and_split(tmp_path)
    before = answers(model, encoded)
    calibration = calibrate(model, encoded, labels, Alone())
    after = answers(model, encoded)
    assert calibration.temperature is not None and "folded" in calibration.note
    assert torch.allclose(after * calibration.temperature, before, atol=1e-5)
    assert not torch.allclose(after, before, atol=1e-5)
    assert likeliest_temperature(after, torch.tensor(labels)) == pytest.approx(1.0, rel=1e-4)


def test_a_layer_that_does_not_make_the_logits_is_left_to_the_bit(tmp_path: Path) -> None:
    model, encoded, labels = model_and_split(tmp_path)
    network = model.classifier.network
    last_linear(network).register_forward_hook(lambda layer, given, logits: logits.tanh())
    before = weights_hash(network)
    calibration = calibrate(model, encoded, labels, Alone())
    assert calibration.temperature is None and "not folded" in calibration.note
    assert weights_hash(network) == before


def test_a_network_that_says_nothing_is_left(tmp_path: Path) -> None:
    model, encoded, labels = model_and_split(tmp_path)
    nn.init.zeros_(last_linear(model.classifier.network).weight)
    assert calibrate(model, encoded, labels, Alone()).temperature is None


@pytest.mark.parametrize("method", ["finetune", "clld"])
def test_what_is_saved_is_calibrated_and_what_a_run_goes_on_with_is_not(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    encoder, data = str(save_encoder(tmp_path / "encoder")), str(save_reviews(tmp_path / "reviews.csv", 120))
    plan = {"epochs": 5, "batch_size": 8, "learning_rate": 1e-2, "average": 0.9}
    plain = uf.train(data, tmp_path / "plain", encoder, method, plan)
    capsys.readouterr()
    mine = uf.train(data, tmp_path / "mine", encoder, method, {**plan, "calibrate": True})
    plain_summary, summary = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("plain", "mine"))
    found = summary["temperature"]
    assert found > 0 and abs(math.log(found)) > 0.01 and f"temperature: {found:.3g}" in capsys.readouterr().err
    # The plain model has the same temperature beside its weights, the folded one none left to divide by.
    assert plain_summary["temperature"] == found and mine.scores == plain.scores
    assert (load(plain.model).temperature, load(mine.model).temperature) == (found, 1.0)
    assert summary["model_hash"] == load(mine.model).fingerprint() != plain_summary["model_hash"]
    odds = [np.log(probabilities(load(run.model), ["the film was good", "a dull plot"])) for run in (plain, mine)]
    assert odds[1][:, 0] - odds[1][:, 1] == pytest.approx((odds[0][:, 0] - odds[0][:, 1]) / found, abs=1e-4)
    for file in (tmp_path / "plain" / "checkpoints").glob("*/objective.safetensors"):
        theirs = load_file(file)
        own = load_file(tmp_path / "mine" / "checkpoints" / file.parent.name / file.name)
        assert all(torch.equal(own[name], tensor) for name, tensor in theirs.items())
    again = uf.train(data, tmp_path / "mine", encoder, method, {**plan, "calibrate": True}, resume=True)
    assert json.loads((tmp_path / "mine" / "summary.json").read_text()) == summary and again.scores == mine.scores


def test_what_answers_with_no_class_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(f"a line of text, the number {number}" for number in range(60)))
    encoder = str(save_encoder(tmp_path / "encoder"))
    with pytest.raises(BadInput, match=r"plan.calibrate is for models of one class a text, not for pretraining"):
        uf.train(str(tmp_path / "text.txt"), tmp_path / "run", encoder, "mlm", {"max_steps": 1, "calibrate": True})
