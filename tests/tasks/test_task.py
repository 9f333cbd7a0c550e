import pytest

from unfooled.errors import BadInput
from unfooled.recipe.config import recipe_from
from unfooled.tasks import TASKS, task_of
from unfooled.tasks.task import check_processes
from unfooled.training import Plan, Processes


def test_the_task_is_the_recipes_or_the_methods_first() -> None:
    assert task_of(recipe_from({"data": "mr"})) == "classification"
    assert task_of(recipe_from({"data": "mr", "task": "classification", "method": "carl"})) == "classification"


def test_an_unknown_task_is_one_sentence() -> None:
    with pytest.raises(BadInput, match=r"unknown task clasification; .*classification"):
        task_of(recipe_from({"data": "mr", "task": "clasification"}))


def test_every_task_has_its_file() -> None:
    from importlib import import_module

    for name in TASKS:
        assert callable(import_module(f"unfooled.tasks.{name}").prepare)


def test_batches_that_leave_a_process_idle_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = Processes()
    check_processes(Plan(batch_size=1), 100, processes)
    monkeypatch.setattr(processes, "count", 2)
    with pytest.raises(BadInput, match="2 processes need batches of at least 8 examples"):
        check_processes(Plan(batch_size=4), 100, processes)
