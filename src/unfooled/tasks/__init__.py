"""Tasks: one file each, from a recipe to a job the loop can do. TASKS is the one table of their names."""

from collections.abc import Callable
from importlib import import_module

from unfooled.errors import BadInput, nearest
from unfooled.recipe.config import Recipe
from unfooled.tasks.guess import guess
from unfooled.tasks.task import Job
from unfooled.training import Processes

Prepare = Callable[[Recipe, Processes], Job]

# Opened on first use: a translator's libraries are nothing a classifier should wait for.
TASKS = (
    "classification",
    "regression",
    "multilabel",
    "span",
    "pretraining",
    "lm",
    "translation",
)

__all__ = ["TASKS", "Job", "prepare", "settled", "task_of"]


def settled(recipe: Recipe) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe with its task, guessed from the data where it names none, and a note on the guess.

    Methods that pre-train read any texts: for them nothing is guessed.
    """
    if recipe.task is not None or "pretraining" in recipe.method.tasks:
        return recipe.model_copy(update={"task": task_of(recipe)}), ()
    task, reason = guess(recipe.data)
    notes = (f"task: {task}, because {reason} (--task says otherwise)",) if reason else ()
    if task not in recipe.method.tasks and reason:
        raise BadInput(
            f"{type(recipe.method).__name__} is a method for {', '.join(recipe.method.tasks)}, and the data looks made "
            f"for {task}, because {reason}; choose another method, or name the task with --task"
        )
    guessed = task if task in recipe.method.tasks else None
    return recipe.model_copy(update={"task": task_of(recipe.model_copy(update={"task": guessed}))}), notes


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
