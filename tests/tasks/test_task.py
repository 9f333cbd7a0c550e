"""A task is one file and one line of the table: every entry, and a new one, trained and asked."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from task_ground import PLAN, numbers
from tiny import save_encoder

import unfooled as uf
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
from unfooled.heads import HEADS, Head
from unfooled.losses.targets import TARGETS
from unfooled.methods import Finetune
from unfooled.models import load
from unfooled.tasks import TASKS, regression
from unfooled.tasks.task import nothing_stays


def test_every_task_is_under_its_own_name_and_says_what_it_is() -> None:
    for name, task in TASKS.items():
        assert task.name == name and task.said.startswith(("a ", "an ")) and task.chosen_by
        assert set(task.lower_is_better) <= set(task.chosen_by)
        assert TASKS.entries[name][0] == f"unfooled.tasks.{name}:TASK"
        assert (import_module(f"unfooled.tasks.{name}").__doc__ or "").splitlines()[0] == TASKS.lines[name]
    own = {name: task for name, task in TASKS.items() if task.kind == "text"}
    assert set(own) == set(HEADS) and all(task.head == HEADS[name] for name, task in own.items())
    assert all(task.said == task.head.said and task.loss in TARGETS for task in own.values() if task.head)


def test_only_models_that_answer_text_by_text_are_asked_so() -> None:
    with pytest.raises(BadInput, match="not asked text by text"):
        TASKS["lm"].right(0, ())
    assert nothing_stays(("a", "b"), 1) == [[], []]


def test_listing_and_scoring_need_no_torch() -> None:
    code = """
import sys
from unfooled.tasks import TASKS
assert all(TASKS.lines.values()) and [task.name for task in TASKS.values()] == list(TASKS)
assert TASKS["span"].scores([("navy",)], ["the navy"], None)["f1"].value == 1
assert not {"torch", "transformers", "accelerate"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_new_task_is_one_file_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ModuleType("unfooled.tasks.stars")
    head = Head("stars", "a model of stars", "regression")
    file.TASK = replace(regression.TASK, name="stars", said=head.said, head=head, labels=("stars",))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "unfooled.tasks.stars", file)
    monkeypatch.setitem(TASKS.entries, "stars", ("unfooled.tasks.stars:TASK", "Stars."))
    monkeypatch.setattr(Finetune, "tasks", (*Finetune.tasks, "stars"))
    data, encoder = numbers(tmp_path / "numbers.jsonl", 40), str(save_encoder(tmp_path / "encoder"))
    run = uf.train(data, tmp_path / "run", encoder, plan={**PLAN, "max_steps": 3}, task="stars")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["task"] == run.task == "stars" and "validation pearson" in run.scores
    model = load(run.model, None)
    task = TASKS[model.task]
    split, _, _ = task.reads_split(DataSettings(source=data), model.labels)
    said = task.says(model, split.texts, 8)
    assert task.scores([task.right(label, model.labels) for label in split.labels], said, None).keys() == {
        "pearson", "spearman", "squared error",
    }  # fmt: skip
