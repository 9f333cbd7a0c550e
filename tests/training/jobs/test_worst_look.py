"""Weights chosen by what they withstand: the look at worst words, and the choice by it."""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from exchange_ground import NAMES, learnt_model, save_neighbours
from looks import chosen
from tiny import reviews, save_encoder, save_reviews
from trained import SCALES, multiplied

import unfooled as uf
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.models.encoders.pretrained import TextModel
from unfooled.recipe.config import recipe_from
from unfooled.recipe.plan import Plan
from unfooled.substitution.gains import gains
from unfooled.substitution.worst import worst
from unfooled.tasks import TASKS
from unfooled.tokens import encode
from unfooled.training import Processes
from unfooled.training.jobs import prepare
from unfooled.training.jobs.worst_look import WorstLook, chosen_by_words
from unfooled.training.validate import validate
from unfooled.types import Evaluation

ROWS = reviews(30, seed=4)
LABELS = [NAMES.index(label) for _, label in ROWS]


@pytest.fixture(autouse=True)
def neighbours_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path)))


@pytest.fixture
def learnt(tmp_path: Path) -> TextModel:
    return learnt_model(tmp_path, dropout=0.5)


def look_of(model: TextModel, processes: Any = None, batch_size: int = 7) -> WorstLook:
    texts = [(text,) for text, _ in ROWS]
    encoded = encode(model.tokenizer, texts, 32)
    return WorstLook(model, Split(texts, LABELS), encoded, 0, processes or Processes(), batch_size)


def test_it_is_the_share_of_texts_that_are_right_under_their_worst_words(learnt: TextModel) -> None:
    """WordRow by row: the gradient, the words, the answer; batches and their padding change nothing."""
    look, network = look_of(learnt), learnt.classifier
    network.train()
    found = look.accuracy()
    assert network.training and all(parameter.grad is None for parameter in network.parameters())
    network.eval()
    right = 0
    for row, label in zip(look.rows, LABELS, strict=True):
        located = look.reader.located([row.documents])
        delta = torch.zeros(*located.tokens.ids.shape, network.width, requires_grad=True)
        loss = F.cross_entropy(network(located.tokens, delta).logits, torch.tensor([label]))
        [changed] = worst(
            [row],
            located,
            partial(gains, torch.autograd.grad(loss, delta)[0], located.tokens.ids, network.table),
            look.reader,
        )
        assert row.share == 1.0 and not row.changes and changed.changes
        right += int(network(look.reader.located([changed.documents]).tokens).logits.argmax()) == label
    clean = validate(network, look.encoded, LABELS, 2, Processes()).scores["accuracy"]
    assert found == right / len(ROWS) and found < clean - 0.2


def test_rows_are_the_same_at_every_look_and_in_every_run(learnt: TextModel) -> None:
    assert look_of(learnt).rows == look_of(learnt, batch_size=3).rows
    assert look_of(learnt).rows is not look_of(learnt).rows


def test_processes_share_the_batches(learnt: TextModel) -> None:
    def of(rank: int) -> float:
        own = SimpleNamespace(rank=rank, count=2, device=torch.device("cpu"), add_up=lambda value: value)
        return look_of(learnt, own).accuracy()

    shares = [of(0), of(1)]
    assert sum(shares) == pytest.approx(look_of(learnt).accuracy()) and min(shares) > 0


def test_the_score_is_the_mean_beside_the_clean_one(learnt: TextModel) -> None:
    look = look_of(learnt)
    clean = Evaluation({"accuracy": 0.9, "loss": 0.3})
    found = look.beside(clean)
    substituted = look.accuracy()
    both = {"substituted accuracy": substituted, "robust": (0.9 + substituted) / 2}
    assert found.scores == {**clean.scores, **both}
    assert (found.best_by, found.keeps, found.lower_is_better) == ("robust", "accuracy", False)


def test_it_is_blind_to_how_sure_a_network_says_it_is(learnt: TextModel) -> None:
    """The same decisions under logits .01 to 1000 times as large: no gradient is hidden behind confidence."""
    found = look_of(learnt).accuracy()
    assert [look_of(multiplied(learnt, scale)).accuracy() for scale in SCALES] == [found] * len(SCALES)


@pytest.mark.parametrize("name", [name for name in TASKS if name != "classification"])
def test_other_tasks_refuse_it_with_a_sentence(name: str) -> None:
    task = TASKS[name]
    with pytest.raises(BadInput, match=f'"robust" is for classification; of {task.said} weights are chosen by'):
        chosen_by_words(Plan(choose_by="robust"), task)
    assert not chosen_by_words(Plan(), task)


def test_every_kind_of_job_is_asked_before_data_is_read() -> None:
    recipe = recipe_from({"data": {"source": "nowhere.txt"}, "task": "lm", "plan": {"choose_by": "robust"}})
    with pytest.raises(BadInput, match="is for classification"):
        prepare(recipe, Processes())


def test_a_run_chooses_by_both(tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder")
    data = {"source": str(save_reviews(tmp_path / "reviews.csv", 60)), "validation_fraction": 0.3}
    plan = {"epochs": 3, "batch_size": 8, "learning_rate": 3e-3, "choose_by": "robust", "average": 0.9}
    uf.train(data, tmp_path / "run", str(tmp_path / "encoder"), plan=plan)
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    looks = [line for line in lines if line["kind"] == "validation"]
    assert len(looks) == 3
    for look in looks:
        assert look["robust"] == pytest.approx((look["accuracy"] + look["substituted accuracy"]) / 2)
    best = chosen([(look["accuracy"], look["substituted accuracy"]) for look in looks])
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["best_step"] == looks[best]["step"] and summary["chosen_by"] == "robust"


def test_that_a_language_has_no_lists_is_said_once_whatever_the_method(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_encoder(tmp_path / "encoder")
    good, bad = "der Film war sehr schön und gut gespielt", "das Buch ist leider langweilig und schlecht"
    rows = [
        {"text": f"{text} {number}", "label": label} for number in range(30) for text, label in ((good, 1), (bad, 0))
    ]
    plan = {"max_steps": 1, "choose_by": "robust", "learning_rate": 1e-4}
    for method in ("finetune", "worst_words"):
        uf.train(rows, tmp_path / method, str(tmp_path / "encoder"), method, plan=plan)
        assert capsys.readouterr().err.count("the texts are not English") == 1


def test_a_run_stands_on_its_list_of_near_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_encoder(tmp_path / "encoder")
    data, plan = (
        str(save_reviews(tmp_path / "reviews.csv", 40)),
        {"max_steps": 2, "save_every": 1, "learning_rate": 1e-4},
    )
    method = uf.WorstWords(sources=("wordnet", "typos"), whole_words=False)
    monkeypatch.delenv("UNFOOLED_DATA", raising=False)
    run = {"data": data, "out": tmp_path / "run", "model": str(tmp_path / "encoder"), "method": method, "plan": plan}
    uf.train(**run)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["near_words"] == "near words of the default encoder"
    (tmp_path / "run" / "summary.json").unlink()
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))  # where a list is
    with pytest.raises(BadInput, match=r"near_words: near words of the default encoder → counter-fitted"):
        uf.train(**run, resume=True)
