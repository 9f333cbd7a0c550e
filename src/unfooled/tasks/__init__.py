"""Tasks: one file each, from a recipe to a job the loop can do. TASKS is the one table of their names."""

from collections.abc import Callable
from importlib import import_module

from unfooled.config import Recipe
from unfooled.errors import BadInput, nearest
from unfooled.tasks.task import Job
from unfooled.training import Processes

Prepare = Callable[[Recipe, Processes], Job]

# Opened on first use: a translator's libraries are nothing a classifier should wait for.
TASKS = ("classification", "pretraining")

__all__ = ["TASKS", "Job", "prepare", "task_of"]


def task_of(recipe: Recipe) -> str:
    """The task of a recipe: as it says, or else the first that its method is for."""
    able = recipe.method.tasks
    task = recipe.task or able[0]
    if task not in TASKS:
        raise BadInput(f"unknown task {task}; {nearest(task, TASKS)}")
    if task not in able:
        raise BadInput(f"{type(recipe.method).__name__} is a method for {', '.join(able)}, not for {task}")
    return task


def prepare(recipe: Recipe, processes: Processes) -> Job:
    """The job of a recipe."""
    job: Job = import_module(f"unfooled.tasks.{task_of(recipe)}").prepare(recipe, processes)
    return job
