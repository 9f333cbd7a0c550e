import pytest

from unfooled.errors import BadInput
from unfooled.recipe.config import recipe_from
from unfooled.tasks import TASKS
from unfooled.training import Plan, Processes
from unfooled.training.jobs import JOBS, task_of
from unfooled.training.jobs.job import check_processes, choice


def test_the_task_is_the_recipes_or_the_methods_first() -> None:
    assert task_of(recipe_from({"data": "mr"})) == "classification"
    assert task_of(recipe_from({"data": "mr", "task": "classification", "method": "carl"})) == "classification"


def test_an_unknown_task_is_one_sentence() -> None:
    with pytest.raises(BadInput, match=r"there is no task called clasification; .*classification"):
        task_of(recipe_from({"data": "mr", "task": "clasification"}))


def test_every_task_has_its_job() -> None:
    assert all(callable(JOBS[task.kind]) for task in TASKS.values())
    assert {task.kind for task in TASKS.values()} == set(JOBS)
    assert {name: (job.__doc__ or "").splitlines()[0] for name, job in JOBS.items()} == JOBS.lines


def test_the_score_that_chooses_is_the_plans_or_the_tasks_first() -> None:
    assert choice(Plan(), ("f1", "exact match")) == "f1"
    assert choice(Plan(choose_by="exact_match"), ("f1", "exact match")) == "exact match"
    with pytest.raises(BadInput, match="choose_by = 'f2' is no score of this task; it has f1, exact match"):
        choice(Plan(choose_by="f2"), ("f1", "exact match"))


def test_batches_that_leave_a_process_idle_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = Processes()
    check_processes(Plan(batch_size=1), 100, processes)
    monkeypatch.setattr(processes, "count", 2)
    with pytest.raises(BadInput, match="2 processes need batches of at least 8 examples"):
        check_processes(Plan(batch_size=4), 100, processes)
