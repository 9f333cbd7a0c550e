"""A set of classes for each text or pair of texts, as the relations of two people in a dialogue (DialogRE).

The network has one logit per class, trained by binary cross-entropy. A class is said where its probability reaches
1/2; where no row of train is without a label, at least the likeliest class is. Weights are chosen by micro F1 on
validation over all classes but the one that stands for nothing.

Paper says / we do: DialogRE's release (Yu, Sun, Cardie and Yu, 2020) tunes on validation how likely the first class
must be where none reaches 1/2; we take it as it is, so that nothing but the weights is chosen on validation. Its text
is [CLS] dialogue [SEP] x [SEP] y [SEP]; ours is the dialogue and "x; y" as a pair, which every tokenizer can write.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from unfooled import models
from unfooled.data.label_sets import load_sets
from unfooled.data.splits import Split
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.task_scores import THRESHOLD, set_scores
from unfooled.methods import Task
from unfooled.models.encoders.problems import AT_LEAST_ONE
from unfooled.recipe.config import Recipe
from unfooled.tasks.task import Job, choice
from unfooled.tasks.text_job import answers_on, cut_note, enlarged, judges, loader_of, text_job
from unfooled.tokens import Encoded, encode
from unfooled.training import Processes, planned_steps

SCORES = ("f1", "exact match")


def prepare(recipe: Recipe, processes: Processes) -> Job:
    """A model of the label sets of the data."""
    chosen = choice(recipe.plan, SCORES)
    dataset = load_sets(recipe.data, recipe.seed)
    names = dataset.labels
    model = models.build(recipe.model, names, recipe.seed, "set").to(processes.device)
    more = enlarged(recipe, dataset.train, names, free=(0,), pair_stays=True)
    labels = indicators(more.train, len(names)).float()
    at_least_one = bool(labels.any(dim=1).all())
    model.classifier.network.config.update({AT_LEAST_ONE: at_least_one})
    encoded = encode(model.tokenizer, more.train.texts, model.max_length)
    loader = loader_of(recipe, encoded, labels, processes, "set")

    def read(split: Split) -> Encoded:
        return encode(model.tokenizer, split.texts, model.max_length)

    def scored(split: Encoded, truth: Split) -> Mapping[str, Score]:
        answers = said(answers_on(model, split, len(names), processes), at_least_one)
        return set_scores(indicators(truth, len(names)).numpy().astype(bool), answers.numpy(), names)

    def task() -> Task:
        return Task(len(names), labels, planned_steps(recipe.plan, loader), recipe.seed, names)

    facts = {"chosen_by": chosen, "threshold": THRESHOLD, "at_least_one": at_least_one}
    look, scores = judges(dataset, read, scored, chosen)
    notes = cut_note(encoded, model)
    return text_job(recipe, processes, dataset, model, loader, task, look, scores, more, facts, notes)


def indicators(split: Split, classes: int) -> Tensor:
    """The sets of a split as 0 and 1 [N, C]."""
    found = torch.zeros(len(split), classes, dtype=torch.int64)
    for row, labels in enumerate(split.labels):
        found[row, list(labels)] = 1
    return found


def said(logits: Tensor, at_least_one: bool) -> Tensor:
    """The classes that logits [N, C] say: all of probability 1/2 or more, or else, where so wanted, the likeliest.

    >>> said(torch.tensor([[-1.0, 2.0, 0.0], [-3.0, -1.0, -2.0]]), at_least_one=True).int().tolist()
    [[0, 1, 1], [0, 1, 0]]
    """
    found = logits.sigmoid() >= THRESHOLD
    if at_least_one:
        silent = ~found.any(dim=1)
        found[silent, logits[silent].argmax(dim=1)] = True
    return found
