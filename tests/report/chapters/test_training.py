"""Training is read from the runs of models, its seeds together."""

import json
from pathlib import Path

import pytest
from language_ground import perplexities
from results_ground import finished, plain
from stories import told_of

from unfooled.report.chapters.training import content, plots, together
from unfooled.report.groups import Group


def save_run(run: Path, score: str = "accuracy") -> str:
    run.mkdir()
    (run / "recipe.toml").write_text("seed = 0\n")
    lines = [{"step": step, "kind": "train", "task": 1 / step} for step in (1, 2, 4)]
    lines += [{"step": step, "kind": "validation", score: 0.5 + step / 10} for step in (2, 4)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines) + '{"step": 5, "ki')
    return str(run / "model")


def test_training_is_read_from_the_run_of_a_model(tmp_path: Path) -> None:
    told = told_of(finished(save_run(tmp_path / "run"), "clean", plain(9, {}, 10)[0]))
    loss, accuracy = plots(told)
    assert [(x, score.value) for x, score in loss.lines[0].points] == [(1.0, 1.0), (2.0, 0.5), (4.0, 0.25)]
    assert [score.value for _, score in accuracy.lines[0].points] == [0.7, 0.9]
    assert (accuracy.up, loss.up, loss.says) == ("accuracy", "loss", "") and "70 %" in content(told)


def test_language_models_are_judged_by_perplexity(tmp_path: Path) -> None:
    told = told_of(finished(save_run(tmp_path / "run", "perplexity"), "perplexity", perplexities(20.0, {})))
    assert [plot.title for plot in plots(told)] == ["Training loss of the task", "Validation perplexity"]


def test_models_from_elsewhere_have_no_training() -> None:
    assert content(told_of(finished("plain", "clean", plain(9, {}, 10)[0]))) == ""


def test_seeds_are_drawn_as_their_mean_between_the_lowest_and_the_highest(tmp_path: Path) -> None:
    points = together([{1.0: 0.2, 2.0: 0.4}, {1.0: 0.4, 2.0: 0.8, 3.0: 1.0}], "loss")
    assert [(step, pytest.approx(score.value), score.low, score.high) for step, score in points] == [
        (1.0, 0.3, 0.2, 0.4),
        (2.0, 0.6, 0.4, 0.8),
    ]
    assert together([], "loss") == ()
    names = [save_run(tmp_path / name) for name in ("one", "two")]
    trials = [finished(name, "clean", plain(9, {}, 10)[0]) for name in names]
    assert plots(told_of(*trials, groups=[Group("both", tuple(names))]))[0].says.startswith("Bands reach")
