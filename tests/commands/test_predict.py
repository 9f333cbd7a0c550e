"""Predictions: calibrated where a training left a temperature, raw and said where none did."""

import json
from pathlib import Path

import numpy as np
import pytest
from attack_ground import save_ground
from heads_ground import save_head

import unfooled as uf
from unfooled.commands.predict import Predictor
from unfooled.errors import BadInput
from unfooled.models import load, probabilities

TEXTS = ["the film was good", "a dull plot", "good"]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("predicted"))


def test_a_model_of_others_says_its_own_probabilities_and_that_they_are_raw(ground: Path) -> None:
    predictor = Predictor(ground / "model", batch_size=2)
    own = [one.probabilities for one in predictor(TEXTS)]
    rows = probabilities(load(str(ground / "model")), TEXTS)
    assert np.allclose([list((one or {}).values()) for one in own], rows) and "not calibrated" in str(predictor.note)
    assert not uf.predict(ground / "model", TEXTS[0])[0].calibrated


def test_a_kept_temperature_divides_the_logits(ground: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    for file in (ground / "model").iterdir():
        (tmp_path / "model" / file.name).write_bytes(file.read_bytes())
    config = json.loads((ground / "model" / "config.json").read_text())
    (tmp_path / "model" / "config.json").write_text(json.dumps({**config, "unfooled_temperature": 2.5}))
    raw, own = (uf.predict(folder / "model", TEXTS) for folder in (ground, tmp_path))
    chances = [np.array([(one.probabilities or {})["positive"] for one in some]) for some in (raw, own)]
    odds = [np.log(some / (1 - some)) for some in chances]
    assert np.allclose(odds[0], 2.5 * odds[1])
    assert all(one.calibrated for one in own) and [one.label for one in own] == [one.label for one in raw]
    (tmp_path / "model" / "config.json").write_text(json.dumps({**config, "unfooled_temperature": "hot"}))
    assert load(str(tmp_path / "model")).temperature is None


def test_what_is_trained_here_keeps_the_likeliest_temperature(ground: Path, tmp_path: Path) -> None:
    run = uf.train(ground / "reviews.csv", tmp_path / "run", ground / "encoder", plan={"max_steps": 3})
    kept = json.loads((tmp_path / "run" / "summary.json").read_text())["temperature"]
    assert kept > 0 and load(run.model).temperature == kept and Predictor(run.model).note is None
    # The model that another training begins with leaves it no temperature.
    again = uf.train(ground / "reviews.csv", tmp_path / "again", run.model, plan={"max_steps": 1})
    assert load(again.model).temperature != kept


def test_labels_are_named_and_callables_asked(ground: Path) -> None:
    [one] = uf.predict(ground / "model", "good", labels={"negative": "bad", "positive": "fine"})
    assert set(one.probabilities or {}) == {"bad", "fine"}
    [two] = uf.predict(lambda texts: np.array([[0.2, 0.8]] * len(texts)), "x", labels=("no", "yes"))
    assert (two.label, two.probability) == ("yes", 0.8)


def test_other_tasks_say_their_answers(tmp_path: Path) -> None:
    [number] = uf.predict(save_head(tmp_path, "regression"), "a good film")
    assert isinstance(number.answer, float) and number.plain() == {"text": "a good film", "answer": number.answer}
    [some] = uf.predict(save_head(tmp_path, "multilabel"), ["a good film"])
    assert isinstance(some.answer, list) and some.label is None


@pytest.mark.parametrize("texts", [[("a", "b"), "c"], [3], [("a", "b", "c")]])
def test_what_is_no_text_is_refused(texts: list, ground: Path) -> None:
    with pytest.raises((BadInput, TypeError)):
        uf.predict(ground / "model", texts)
