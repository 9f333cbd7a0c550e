"""From a recipe and a task to what the loop runs. JOBS is the one table of the kinds of job."""

from collections.abc import Callable
from dataclasses import replace

from unfooled.errors import BadInput, option, setting
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.models.locate import pinned
from unfooled.models.sequences.sizes import NEW
from unfooled.recipe.config import Recipe
from unfooled.table import Table
from unfooled.tasks import TASKS, Task
from unfooled.tasks.guess import guess
from unfooled.tasks.reading import ReadData
from unfooled.training.engine import Processes
from unfooled.training.engines import ENGINES
from unfooled.training.jobs.job import Job
from unfooled.training.jobs.worst_look import chosen_by_words

# Opened on first use: a translator's libraries are nothing a classifier should wait for.
JOBS: Table[Callable[[Recipe, Task, Processes], Job]] = Table(
    "kind of job",
    {
        "text": (
            "unfooled.training.jobs.text:text_job",
            "A text model under the task's head: built by the method, saved as a Hugging Face folder.",
        ),
        "lm": ("unfooled.training.jobs.lm:lm_job", "A causal language model over the segments of a text."),
        "translation": (
            "unfooled.training.jobs.translation:translation_job",
            "An encoder–decoder over pairs of sentences.",
        ),
        "pretraining": (
            "unfooled.training.jobs.pretraining:pretraining_job",
            "A masked-language model over the blocks of a corpus.",
        ),
    },
)

__all__ = ["JOBS", "Job", "prepare", "settled", "task_of"]


def settled(recipe: Recipe, read: ReadData | None = None) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe with its task, guessed from the data where it names none, and a note on the guess.

    Where a method is for one task alone, as those that pre-train, nothing is guessed.
    """
    able, recipe = trained_by(recipe), recipe.model_copy(update={"model": pinned_model(recipe.model)})
    if recipe.task is not None or not any(TASKS[name].is_measured for name in able):
        return recipe.model_copy(update={"task": task_of(recipe)}), ()
    task, reason = guess(recipe.data) if read is None else (read.task, read.reason)
    notes = (f"task: {task}, because {reason} ({option('task')} says otherwise)",) if reason else ()
    if task not in able and reason:
        raise BadInput(
            f"{type(recipe.method).__name__} is a method for {', '.join(able)}, and the data looks made for {task}, "
            f"because {reason}; choose another method, or name the task with {option('task')}"
        )
    guessed = task if task in able else None
    return recipe.model_copy(update={"task": task_of(recipe.model_copy(update={"task": guessed}))}), notes


def pinned_model(settings: ModelSettings) -> ModelSettings:
    """The settings of a model with the revision of what comes from the hub, so that the recipe reproduces the run."""
    new = ("textcnn", *NEW)
    if settings.name != "textcnn":
        return settings.model_copy(update={"name": pinned(settings.name, new)})
    return settings.model_copy(update={"tokenizer": pinned(settings.tokenizer, new)})


def trained_by(recipe: Recipe) -> list[str]:
    """The tasks that a recipe's method can train, as the table has them."""
    able = recipe.method.tasks
    return [name for name in TASKS if name in able or TASKS[name].kind in able]


def task_of(recipe: Recipe) -> str:
    """The task of a recipe: as it says, or else the first that its method is for."""
    able = trained_by(recipe)
    task = recipe.task or able[0]
    TASKS.check(task)
    if task not in able:
        raise BadInput(f"{type(recipe.method).__name__} is a method for {', '.join(able)}, not for {task}")
    return task


def check_engine(recipe: Recipe, task: Task, processes: Processes) -> None:
    """Refuse to share out what cannot be, before anything is loaded."""
    if not ENGINES[recipe.plan.engine].shares:
        return
    whole = setting("plan", "engine", "replicas")
    if task.kind != "text":
        raise BadInput(f"plan.engine = fsdp shares out models that answer text by text, not {task.said}; use {whole}")
    if recipe.model.lora is not None:
        raise BadInput(
            f"plan.engine = fsdp shares out whole networks, and model.lora trains little of one; use {whole}"
        )
    if recipe.plan.packed:
        raise BadInput(f"plan.engine = fsdp and plan.packed go by different ways through a network; use {whole}")
    if processes.count == 1:
        raise BadInput(
            "plan.engine = fsdp shares a network out over processes, and there is one; start several with torchrun, or "
            f"use {whole}"
        )


def prepare(recipe: Recipe, processes: Processes, read: ReadData | None = None) -> Job:
    """The job of a recipe, on data that was read already where it was."""
    task = TASKS[task_of(recipe)]
    chosen_by_words(recipe.plan, task)  # refused here for every kind of job
    check_engine(recipe, task, processes)
    if recipe.model.lora is not None and task.kind != "text":
        raise BadInput(f"model.lora is for models that answer text by text, not for {task.said}; leave it out")
    if recipe.plan.packed and task.kind != "text":
        raise BadInput(f"plan.packed is for models that answer text by text, not for {task.said}; leave it out")
    if read is not None and read.task == task.name:
        task = replace(task, reads=lambda settings, seed: read.data)
    return JOBS[task.kind](recipe, task, processes)
