"""One class for each text or pair of texts.

Weights are chosen by accuracy on validation, or by Matthews correlation (CoLA) or F1 (MRPC) where ``plan.choose_by``
says so; all three are reported.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from unfooled import models
from unfooled.data.datasets import load
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.agreement import f1_of_classes, matthews
from unfooled.evaluation.metrics import Score, proportion
from unfooled.methods import Task
from unfooled.recipe.config import Recipe
from unfooled.tasks.task import Job, choice
from unfooled.tasks.text_job import cut_note, enlarged, final_scores, loader_of, text_job
from unfooled.tokens import Encoded, encode
from unfooled.training import Processes, planned_steps, validate
from unfooled.types import Evaluation

SCORES = ("accuracy", "matthews", "f1")


def prepare(recipe: Recipe, processes: Processes) -> Job:
    """A classifier over the labels of the data."""
    chosen = choice(recipe.plan, SCORES)
    dataset = load(recipe.data, recipe.seed)
    names = dataset.labels
    model = models.build(recipe.model, names, recipe.seed).to(processes.device)
    more = enlarged(recipe, dataset.train, names)
    encoded = encode(model.tokenizer, more.train.texts, model.max_length)
    loader = loader_of(recipe, encoded, more.train.labels, processes)

    def read(split: Split) -> Encoded:
        return encode(model.tokenizer, split.texts, model.max_length)

    def scored(split: Encoded, truth: Split) -> Mapping[str, Score]:
        found = validate(model.classifier, split, truth.labels, len(names), processes).confusion
        assert found is not None
        return class_scores(found.tolist(), names)

    validation = read(dataset.validation)

    def look() -> Evaluation:
        found = validate(model.classifier, validation, dataset.validation.labels, len(names), processes)
        assert found.confusion is not None
        value = class_scores(found.confusion.tolist(), names)[chosen].value
        return replace(found, scores={**found.scores, chosen: value}, best_by=chosen)

    def task() -> Task:
        steps = planned_steps(recipe.plan, loader)
        confusion = confusion_of(recipe.method.baseline_run(), names)
        return Task(len(names), torch.tensor(more.train.labels), steps, recipe.seed, names, confusion=confusion)

    scores = partial(final_scores, dataset, validation, read, scored)
    notes = cut_note(encoded, model)
    return text_job(recipe, processes, dataset, model, loader, task, look, scores, more, {"chosen_by": chosen}, notes)


def class_scores(confusion: Sequence[Sequence[int]], names: Sequence[str]) -> dict[str, Score]:
    """Accuracy, Matthews correlation and F1 of a confusion."""
    right, size = sum(confusion[place][place] for place in range(len(names))), sum(map(sum, confusion))
    accuracy = proportion(right, size, "share of the split whose label has the highest probability")
    return {"accuracy": accuracy, "matthews": matthews(confusion), "f1": f1_of_classes(confusion, names)}


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
