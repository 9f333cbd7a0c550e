"""One number for each text or pair of texts, as the similarity of two sentences (STS-B).

The network has one logit, trained by squared error. Weights are chosen by Pearson's correlation on validation, which is
what GLUE lists first; Spearman's and the mean squared error stand beside it.
"""

from collections.abc import Mapping

import torch

from unfooled import models
from unfooled.data.numbers import load_numbers
from unfooled.data.splits import Split
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.task_scores import number_scores
from unfooled.methods import Task
from unfooled.recipe.config import Recipe
from unfooled.tasks.task import Job, choice
from unfooled.tasks.text_job import answers_on, cut_note, enlarged, judges, loader_of, text_job
from unfooled.tokens import Encoded, encode
from unfooled.training import Processes, planned_steps

SCORES = ("pearson", "spearman", "squared error")
LABEL = "score"  # what the saved configuration calls its one logit


def prepare(recipe: Recipe, processes: Processes) -> Job:
    """A model of the numbers of the data."""
    chosen = choice(recipe.plan, SCORES)
    dataset = load_numbers(recipe.data, recipe.seed)
    model = models.build(recipe.model, (LABEL,), recipe.seed, "number").to(processes.device)
    more = enlarged(recipe, dataset.train)
    labels = torch.tensor(more.train.labels, dtype=torch.float32)
    encoded = encode(model.tokenizer, more.train.texts, model.max_length)
    loader = loader_of(recipe, encoded, labels, processes, "number")

    def read(split: Split) -> Encoded:
        return encode(model.tokenizer, split.texts, model.max_length)

    def scored(split: Encoded, truth: Split) -> Mapping[str, Score]:
        return number_scores(truth.labels, answers_on(model, split, 1, processes)[:, 0].tolist())

    def task() -> Task:
        return Task(1, labels, planned_steps(recipe.plan, loader), recipe.seed, (LABEL,))

    facts = {"chosen_by": chosen, "label_range": [min(more.train.labels), max(more.train.labels)]}
    look, scores = judges(dataset, read, scored, chosen, lower_is_better=chosen == "squared error")
    notes = cut_note(encoded, model)
    return text_job(recipe, processes, dataset, model, loader, task, look, scores, more, facts, notes)
