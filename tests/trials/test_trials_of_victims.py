"""A callable goes through what only asks; what a model or the inputs do not do for is one sentence."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attack_ground import tiny_model
from tiny import reviews

from unfooled.data.adversaries import StoredAdversary
from unfooled.data.contrast_sets import Member
from unfooled.errors import BadInput
from unfooled.models import TextModel
from unfooled.results.log import read_log
from unfooled.results.run import evaluate
from unfooled.trials import TRIALS
from unfooled.trials.inputs import Given, Inputs
from unfooled.victims.victim import Victim

TEXTS = [(f"{text} in a large place",) for text, _ in reviews(12)]
LABELS = [place % 2 for place in range(12)]
NAMES = ("negative", "positive")
MEMBERS = [Member(str(place // 2), place % 2 == 0, text, place % 2) for place, text in enumerate(TEXTS)]
INPUTS = Inputs(
    TEXTS, LABELS, {name: Given(name, name) for name in ("data", "contrast", "adversaries")}, NAMES, MEMBERS,
    [StoredAdversary(one, other, 1) for one, other in pairwise(TEXTS)],
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return tiny_model(tmp_path_factory.mktemp("table"))


def asked(texts: list[str]) -> np.ndarray:
    return np.array([[0.2, 0.8] if "good" in text else [0.7, 0.3] for text in texts])


ASKED = Victim("asked", asked, labels=NAMES)


def settings(name: str, **changes: Any) -> Any:
    return TRIALS[name].settings(**changes)


def test_a_callable_goes_through_what_only_asks(tmp_path: Path) -> None:
    names = ["clean", "pwws", "deepwordbug", "random", "transfer", "contrast", "invariance"]
    results = evaluate([ASKED], INPUTS, tmp_path, names)
    scores = {(row.trial, row.metric): row.score.value for row in results.rows if row.part is None}
    right = [("good" in text[0]) == bool(label) for text, label in zip(TEXTS, LABELS, strict=True)]
    assert scores["clean", "accuracy"] == sum(right) / 12 == scores["pwws", "clean_accuracy"]
    log = read_log(tmp_path / "asked" / "clean" / "examples.jsonl")
    assert log is not None and log[0].model_hash == "" and log[0].max_length is None
    assert log[1][0].loss == pytest.approx(-np.log(log[1][0].confidence))


@pytest.mark.parametrize("name", ["pgd", "hits", "shift"])
def test_what_looks_inside_refuses_a_callable(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=f"{name} cannot be run: it looks into the network, and asked is only asked"):
        evaluate([ASKED], INPUTS, tmp_path, ["clean", name])
    results = evaluate([ASKED], INPUTS, tmp_path, ["clean", name], where_possible=[name])
    assert f"{name} was left out" in results.warnings[0] and {row.trial for row in results.rows} == {"clean"}


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("contrast", {"contrast": None}, "needs a contrast set with pair or group ids"),
        ("contrast", {"contrast": MEMBERS[::2]}, "originals alone"),
        ("transfer", {"adversaries": None}, "needs stored adversaries"),
        ("hits", {"texts": [("of the",)], "labels": [0]}, "there are no triples"),
    ],
)
def test_what_is_missing_is_one_sentence(
    model: TextModel, tmp_path: Path, name: str, change: dict, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        evaluate([model], replace(INPUTS, **change), tmp_path / "out", [name])
    assert not (tmp_path / "out").exists()
    with pytest.raises(BadInput, match="no trial can be run"):
        evaluate([model], replace(INPUTS, **change), tmp_path / "out", [name], where_possible=[name])


def test_attacks_take_some_examples_and_agree_on_which(tmp_path: Path) -> None:
    trials = {name: settings(name, most=5, similarity=None) for name in ("pwws", "random")}
    results = evaluate([ASKED], INPUTS, tmp_path, trials)
    first, second = results.trials
    assert [record.texts for record in first.records] == [record.texts for record in second.records]
    assert len(first.records) == 5 and first.header.unit == "attacked example"
    with pytest.raises(BadInput, match=r"examples \(5 there, 6 now\)"):
        evaluate([ASKED], INPUTS, tmp_path, {"deepwordbug": settings("deepwordbug", most=6)})
