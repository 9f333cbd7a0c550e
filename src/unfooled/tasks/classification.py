"""One class for each text or pair of texts."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import torch

from unfooled import models
from unfooled.config import Recipe
from unfooled.data.datasets import Dataset, load
from unfooled.data.loader import Loader
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.metrics import Score, proportion
from unfooled.methods import Objective, Task
from unfooled.models.pretrained import TextModel
from unfooled.tasks.task import Job, check_processes
from unfooled.tokens import encode
from unfooled.training import Processes, planned_steps, validate
from unfooled.training.run_folder import State
from unfooled.types import Evaluation


def prepare(recipe: Recipe, processes: Processes) -> Job:
    """A classifier over the labels of the data."""
    dataset = load(recipe.data, recipe.seed)
    model = models.build(recipe.model, dataset.labels, recipe.seed).to(processes.device)
    loader, cut = loader_of(recipe, dataset.train, model, processes)
    validation = encode(model.tokenizer, dataset.validation.texts, model.max_length)

    def look() -> Evaluation:
        return validate(model.classifier, validation, dataset.validation.labels, len(dataset.labels), processes)

    def build() -> Objective:
        return recipe.method.build(model.classifier, knowledge(recipe, dataset, loader)).to(processes.device)

    def save(folder: Path, card: str) -> None:
        model.classifier.network.config.update({"unfooled_trained_on": dataset.train_fingerprint})
        models.save(model, folder, card)

    return Job(
        data=dataset.name,
        data_hash=dataset.fingerprint,
        model_hash=model.fingerprint,
        build=build,
        loader=loader,
        look=look,
        scores=partial(final_scores, dataset, model, processes),
        save=save,
        facts={"labels": list(dataset.labels), "max_length": model.max_length},
        notes=(*dataset.notes, *model.notes, *cut),
    )


def loader_of(recipe: Recipe, split: Split, model: TextModel, processes: Processes) -> tuple[Loader, list[str]]:
    """The batches of a training split, and a note where texts are cut."""
    plan = recipe.plan
    check_processes(plan, len(split), processes)
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
    note = f"{cut:,} of {len(split):,} train texts reach {model.max_length} tokens and are cut there"
    return loader, [note] if cut else []


def knowledge(recipe: Recipe, dataset: Dataset, loader: Loader) -> Task:
    """What a method may know."""
    steps = planned_steps(recipe.plan, loader)
    confusion = confusion_of(recipe.method.baseline_run(), dataset.labels)
    labels = torch.tensor(dataset.train.labels)
    return Task(len(dataset.labels), labels, steps, recipe.seed, dataset.labels, confusion)


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


def final_scores(dataset: Dataset, model: TextModel, processes: Processes, state: State) -> dict[str, Score]:
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
