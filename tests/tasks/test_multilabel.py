import json
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import f1_score
from task_ground import PLAN, sets, written
from tiny import save_encoder
from transformers import AutoModelForSequenceClassification, pipeline

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.models import load
from unfooled.scores.agreement import set_scores
from unfooled.tasks.multilabel import TASK, said


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    save_encoder(folder / "encoder", dropout=0.0)
    sets(folder / "train.jsonl", 100)
    sets(folder / "test.jsonl", 60, seed=9)
    data = {"source": str(folder / "train.jsonl"), "test": str(folder / "test.jsonl")}
    uf.train(data, folder / "run", str(folder / "encoder"), plan=PLAN)
    return folder


def test_sets_are_learnt_and_scored_as_plain_transformers_would(ground: Path) -> None:
    summary = json.loads((ground / "run" / "summary.json").read_text())
    assert summary["task"] == "multilabel" and summary["labels"] == ["bad", "good"] and not summary["at_least_one"]
    assert summary["scores"]["test f1"]["value"] > 0.8
    rows = [json.loads(line) for line in (ground / "test.jsonl").read_text().splitlines()]
    tag = pipeline("text-classification", str(ground / "run" / "model"), top_k=None)
    found = [{one["label"] for one in some if one["score"] >= 0.5} for some in tag([row["text"] for row in rows])]
    sides = [row["label"] for row in rows], found
    table = [[[name in some for name in ("bad", "good")] for some in side] for side in sides]
    assert summary["scores"]["test f1"]["value"] == pytest.approx(f1_score(*map(np.array, table), average="micro"))
    same = sum(set(row["label"]) == some for row, some in zip(rows, found, strict=True))
    assert summary["scores"]["test exact match"]["value"] == pytest.approx(same / 60)
    network = AutoModelForSequenceClassification.from_pretrained(ground / "run" / "model")
    assert network.config.problem_type == "multi_label_classification"
    with pytest.raises(BadInput, match="is a model of sets of labels, not a classifier"):
        load(str(ground / "run"))


@pytest.mark.parametrize("method", ["fgm", "pgd", "freelb", "rar", "augment"])
def test_methods_that_need_no_classes_train_sets(ground: Path, tmp_path: Path, method: str) -> None:
    plan = {**PLAN, "max_steps": 3, "epochs": 1}
    run = uf.train(str(ground / "train.jsonl"), tmp_path / method, str(ground / "encoder"), method, plan)
    assert run.task == "multilabel" and set(run.scores) == {"validation f1", "validation exact match"}


def test_nothing_but_the_likeliest_class_is_said_where_something_must_be() -> None:
    logits = torch.tensor([[-2.0, -1.0, -3.0], [0.0, 1.0, -1.0]])
    assert said(logits, at_least_one=True).tolist() == [[False, True, False], [True, True, False]]
    assert said(logits, at_least_one=False).tolist() == [[False, False, False], [True, True, False]]


def test_the_class_that_says_nothing_is_not_counted() -> None:
    """By hand: right (friends), said 2, true 3 besides unanswerable; F1 = 2·1/(2+3)."""
    names = ("boss", "friends", "unanswerable")
    truth = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=bool)
    answers = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    found = set_scores(truth, answers, names)
    assert found["f1"].value == pytest.approx(2 / 5) and "all classes but unanswerable" in found["f1"].definition
    assert found["exact match"].value == pytest.approx(1 / 3)
    assert set_scores(truth[:, :2], answers[:, :2], names[:2])["f1"].value == found["f1"].value


def test_dialogues_are_trained_on_as_they_come(tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder")
    relations = [{"x": "film", "y": "actor", "r": ["good"]}, {"x": "plot", "y": "scene", "r": ["unanswerable"]}]
    rows = [{"dialogue": [f"the film {n}", "was very good"], "relations": relations} for n in range(12)]
    data = written(tmp_path / "dialogues.jsonl", rows)
    run = uf.train(data, tmp_path / "run", str(tmp_path / "encoder"), plan={**PLAN, "max_steps": 4})
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert run.task == "multilabel" and summary["at_least_one"] and summary["labels"] == ["good", "unanswerable"]


def test_sets_are_said_and_scored_by_name(ground: Path) -> None:
    model = load(str(ground / "run"), "multilabel")
    texts = [("a good film",), ("it was a bad plot",)]
    for (text,), names in zip(texts, TASK.says(model, texts, 8), strict=True):
        with torch.no_grad():
            given = model.tokenizer(text, return_tensors="pt")
            sure = model.classifier.network(**given).logits[0].sigmoid() >= 0.5
        assert names == tuple(name for name, is_sure in zip(model.labels, sure, strict=True) if is_sure)
    assert TASK.right((0, 2), ("a", "b", "c")) == ("a", "c") and TASK.free(("text", "pair")) == ("text",)
    assert TASK.stays(("A film: good",), ()) == [[]]
    right, answers = (
        [("boss", "friends"), ("unanswerable",), ("friends",)],
        [("friends",), ("unanswerable",), ("boss",)],
    )
    assert TASK.scores(right, answers, None)["f1"].value == pytest.approx(2 / 5)
    known = TASK.scores([("boss",)], [("boss",)], None, ("boss", "unanswerable"))
    assert "all classes but unanswerable" in known["f1"].definition
