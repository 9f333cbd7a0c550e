"""What data looks like decides what is learnt, where nobody says."""

import json
from pathlib import Path
from typing import Any

import pytest
from task_ground import numbers, questions, sets, written
from tiny import save_reviews

from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
from unfooled.recipe.config import recipe_from
from unfooled.tasks.guess import guess
from unfooled.training.jobs import settled


def rows(path: Path, labels: list[Any]) -> str:
    return written(path, [{"text": f"some text {number}", "label": label} for number, label in enumerate(labels)])


def task(source: str, **settings: Any) -> str:
    return guess(DataSettings(source=source, **settings))[0]


def test_each_kind_of_data_is_known_by_its_look(tmp_path: Path) -> None:
    assert task(numbers(tmp_path / "numbers.jsonl")) == "regression"
    assert task(sets(tmp_path / "sets.jsonl")) == "multilabel"
    assert task(questions(tmp_path / "questions.jsonl")) == "span"
    assert task(str(save_reviews(tmp_path / "reviews.csv", 20))) == "classification"
    asked = {"question": "is it ?", "passage": "it is", "title": "it", "answer": True}
    assert task(written(tmp_path / "boolq.jsonl", [asked, {**asked, "answer": False}] * 5)) == "classification"
    nested = {"data": [{"paragraphs": [{"context": "a b", "qas": [{"question": "?", "answers": [{"text": "a"}]}]}]}]}
    (tmp_path / "nested.json").write_text(json.dumps(nested))
    assert task(str(tmp_path / "nested.json")) == "span"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([n / 7 for n in range(40)], "regression"),
        ([str(n / 7) for n in range(40)], "regression"),
        (list(range(40)), "classification"),  # whole numbers are classes, or refused as too many
        ([0.5, 1.0, 1.5, 2.0] * 10, "classification"),  # few steps: a rating
        ([n / 7 for n in range(15)] + ["a"] * 25, "classification"),
        ([["a"]] + ["a", "b"] * 20, "classification"),  # one list only: that row is what is wrong
        (["a"] + [["a"], ["b"]] * 20, "multilabel"),
    ],
)
def test_labels_decide(tmp_path: Path, labels: list[Any], expected: str) -> None:
    assert task(rows(tmp_path / "data.jsonl", labels)) == expected


def test_plain_text_is_for_language_models_and_aligned_text_for_translators(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("a line\n")
    assert task(str(tmp_path / "corpus.txt")) == "lm"
    for name in ("plain", "pair"):
        (tmp_path / name).mkdir()
    (tmp_path / "plain" / "train.txt.gz").write_bytes(b"")
    assert task(str(tmp_path / "plain")) == "lm"
    for language in ("de", "en"):
        (tmp_path / "pair" / f"train.{language}.txt").write_text("a line\n")
    assert guess(DataSettings(source=str(tmp_path / "pair"))) == ("translation", "it has the same lines in de, en")


def test_what_cannot_be_read_is_left_to_whoever_reads_it(tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text("{")
    assert task(str(tmp_path / "broken.jsonl")) == task(str(tmp_path / "nowhere.csv")) == "classification"


def test_the_guess_is_said_and_a_named_task_is_not_questioned(tmp_path: Path) -> None:
    data = numbers(tmp_path / "numbers.jsonl")
    recipe, notes = settled(recipe_from({"data": data}))
    assert recipe.task == "regression" and "(task= says otherwise)" in notes[0]
    recipe, notes = settled(recipe_from({"data": data, "task": "classification"}))
    assert recipe.task == "classification" and notes == ()
    recipe, notes = settled(recipe_from({"data": str(save_reviews(tmp_path / "reviews.csv", 20))}))
    assert recipe.task == "classification" and notes == ()


def test_a_method_for_other_tasks_is_refused_with_the_reason(tmp_path: Path) -> None:
    recipe = recipe_from({"data": sets(tmp_path / "sets.jsonl"), "method": "carl"})
    with pytest.raises(BadInput, match="CARL is a method for classification, and the data looks made for multilabel"):
        settled(recipe)
