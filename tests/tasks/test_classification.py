"""How classifiers are trained end to end is told in tests/commands/test_train.py; here, the parts of a job."""

import json
from pathlib import Path

import pytest
from sklearn.metrics import f1_score, matthews_corrcoef
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.models import ModelSettings, build, load, probabilities
from unfooled.recipe.config import recipe_from
from unfooled.tasks.classification import TASK, class_scores
from unfooled.training import Processes
from unfooled.training.jobs import prepare
from unfooled.training.run_folder import State


def test_a_job_reads_judges_and_keeps_a_classifier(tmp_path: Path) -> None:
    recipe = recipe_from(
        {
            "data": {"source": str(save_reviews(tmp_path / "train.csv", 40)), "test": str(tmp_path / "test.csv")},
            "model": {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 5},
            "plan": {"batch_size": 8},
        }
    )
    save_reviews(tmp_path / "test.csv", 20, seed=3)
    job = prepare(recipe, Processes())
    assert job.facts["labels"] == ["negative", "positive"] and job.facts["max_length"] == 5
    assert any("reach 5 tokens and are cut there" in note for note in job.notes)
    found = job.look()
    scores = job.scores(State(best_score=found.scores["accuracy"]))
    assert found.confusion is not None and int(found.confusion.sum()) == scores["validation accuracy"].n != 20
    assert scores["validation accuracy"].value == found.scores["accuracy"] and scores["test accuracy"].n == 20
    job.save(tmp_path / "model", "a card")
    again = load(str(tmp_path / "model"))
    assert again.fingerprint() == job.model_hash() and again.trained_on is not None
    assert job.build().model is job.build().model  # the network of the job, not a copy


def test_matthews_and_f1_are_reported_and_may_choose(tmp_path: Path) -> None:
    encoder = str(save_encoder(tmp_path / "encoder", dropout=0.0))
    data = {
        "source": str(save_reviews(tmp_path / "a.csv", 40)),
        "validation": str(save_reviews(tmp_path / "b.csv", 30, 7)),
    }
    plan = {"epochs": 6, "batch_size": 8, "learning_rate": 1e-2, "choose_by": "matthews"}
    run = uf.train(data, tmp_path / "run", encoder, plan=plan)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    seen = {line["step"]: line["matthews"] for line in lines if line["kind"] == "validation"}
    assert summary["best_step"] == max(seen, key=lambda step: seen[step]) and summary["chosen_by"] == "matthews"
    rows = [line.rsplit(",", 1) for line in (tmp_path / "b.csv").read_text().splitlines()[1:]]
    said = probabilities(load(run.model), [(text,) for text, _ in rows]).argmax(axis=1)
    truth = [int(label == "positive") for _, label in rows]
    assert run.scores["validation matthews"].value == pytest.approx(matthews_corrcoef(truth, said))
    assert run.scores["validation f1"].value == pytest.approx(f1_score(truth, said))
    assert "class positive" in run.scores["validation f1"].definition


def test_scores_of_a_confusion() -> None:
    found = class_scores([[3, 1], [2, 4]], ["no", "yes"])
    assert found["accuracy"].value == 0.7 and found["accuracy"].n == 10
    assert found["f1"].value == pytest.approx(2 * 4 / (2 * 4 + 1 + 2))


def test_an_unknown_score_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="choose_by = 'mathews' is no score of this task; it has accuracy, matthews"):
        prepare(recipe_from({"data": "nowhere.csv", "plan": {"choose_by": "mathews"}}), Processes())


def test_what_is_said_and_right_are_names(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path))), ("no", "yes"), 0)
    texts = [("a film",), ("a very bad plot",)]
    said = TASK.says(model, texts, 8)
    assert said == [(("no", "yes")[place],) for place in probabilities(model, texts).argmax(axis=1)]
    assert (
        TASK.right(1, model.labels) == ("yes",)
        and TASK.stays(texts[0], 1) == [[]]
        and TASK.free(("a", "b")) == ("a", "b")
    )
    right = [("no",)] * 4 + [("yes",)] * 6
    answers = [("no",)] * 3 + [("yes",)] + [("no",)] * 2 + [("yes",)] * 4
    assert TASK.scores(right, answers, None) == class_scores([[3, 1], [2, 4]], ["no", "yes"])
