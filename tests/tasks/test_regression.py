import json
from pathlib import Path
from typing import Any

import pytest
import torch
from scipy import stats
from task_ground import PLAN, numbers
from tiny import save_encoder
from transformers import AutoModelForSequenceClassification, pipeline

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.models import load
from unfooled.models.encoders import predict
from unfooled.tasks.regression import TASK


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    save_encoder(folder / "encoder", dropout=0.0)
    numbers(folder / "train.jsonl", 100)
    numbers(folder / "test.jsonl", 60, seed=9)
    data = {"source": str(folder / "train.jsonl"), "test": str(folder / "test.jsonl")}
    uf.train(data, folder / "run", str(folder / "encoder"), plan=PLAN)
    return folder


def test_numbers_are_learnt_and_scored_as_plain_transformers_would(ground: Path) -> None:
    summary = json.loads((ground / "run" / "summary.json").read_text())
    assert summary["task"] == "regression" and summary["chosen_by"] == "pearson"
    scores = summary["scores"]
    assert scores["test pearson"]["value"] > 0.8 and scores["test spearman"]["n"] == 60
    rows = [json.loads(line) for line in (ground / "test.jsonl").read_text().splitlines()]
    score = pipeline("text-classification", str(ground / "run" / "model"), function_to_apply="none")
    said = [answer["score"] for answer in score([row["text"] for row in rows])]
    truth = [row["label"] for row in rows]
    assert scores["test pearson"]["value"] == pytest.approx(stats.pearsonr(truth, said).statistic, abs=1e-5)
    assert scores["test spearman"]["value"] == pytest.approx(stats.spearmanr(truth, said).statistic, abs=1e-2)
    error = sum((one - two) ** 2 for one, two in zip(truth, said, strict=True)) / 60
    assert scores["test squared error"]["value"] == pytest.approx(error, rel=1e-4)
    network = AutoModelForSequenceClassification.from_pretrained(ground / "run" / "model")
    assert network.config.problem_type == "regression" and network.config.num_labels == 1


def test_a_model_of_numbers_is_no_classifier(ground: Path) -> None:
    model = str(ground / "run" / "model")
    assert load(model, "regression").labels == ("score",)
    with pytest.raises(BadInput, match="is a model of numbers, not a classifier"):
        load(model)


@pytest.mark.parametrize("method", ["fgm", "pgd", "freelb", "rar", "augment"])
def test_methods_that_need_no_classes_train_numbers(ground: Path, tmp_path: Path, method: str) -> None:
    plan = {**PLAN, "max_steps": 3, "epochs": 1}
    run = uf.train(str(ground / "train.jsonl"), tmp_path / method, str(ground / "encoder"), method, plan)
    assert run.task == "regression" and "validation pearson" in run.scores


@pytest.mark.parametrize("method", ["carl", "clld", "rdrop", "smart", "supcon", "adversarial_text"])
def test_methods_that_need_classes_say_so(ground: Path, tmp_path: Path, method: str) -> None:
    with pytest.raises(BadInput, match="is a method for classification.*regression"):
        uf.train(str(ground / "train.jsonl"), tmp_path / "run", str(ground / "encoder"), method, task="regression")
    with pytest.raises(BadInput, match="looks made for regression, because column label holds"):
        uf.train(str(ground / "train.jsonl"), tmp_path / "run", str(ground / "encoder"), method)


def test_another_score_may_choose(ground: Path, tmp_path: Path) -> None:
    plan = {**PLAN, "epochs": 4, "choose_by": "squared_error"}
    uf.train(str(ground / "train.jsonl"), tmp_path / "run", str(ground / "encoder"), plan=plan)
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    errors = {line["step"]: line["squared error"] for line in lines if line["kind"] == "validation"}
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["best_step"] == min(errors, key=lambda step: errors[step])
    with pytest.raises(BadInput, match="choose_by = 'accuracy' is no score of this task; it has pearson"):
        uf.train(str(ground / "train.jsonl"), tmp_path / "no", str(ground / "encoder"), plan={"choose_by": "accuracy"})


def test_a_number_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "answers", lambda *_: torch.tensor([[1.0], [torch.nan]]))
    model: Any = type("Model", (), {"name": "broken"})
    with pytest.raises(BadInput, match="broken answers some of the texts with no finite number"):
        TASK.answers(model, None, [("a",), ("b",)], 8, None)


def test_numbers_are_said_and_scored_as_they_are(ground: Path) -> None:
    model, texts = load(str(ground / "run"), "regression"), [("the film was good",), ("a dull plot",)]
    said = TASK.says(model, texts, 8)
    assert said == pytest.approx([TASK.says(model, [text], 1)[0] for text in texts], abs=1e-5) and said[0] != said[1]
    assert TASK.right(4, ()) == 4.0 and TASK.stays(("a", "b"), 4.0) == [[], []] and TASK.free(("a", "b")) == ("a", "b")
    assert TASK.scores([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], None)["squared error"].value == pytest.approx(1 / 3)
