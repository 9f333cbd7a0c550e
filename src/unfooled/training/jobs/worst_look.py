"""A look at the validation split with its worst words in place: weights can be chosen by what they withstand.

The words are those that the network's own gradient finds worst, from all sources, every word that has a candidate. The
choice is the best mean of clean and substituted accuracy among looks within a point of the best clean one.
"""

from dataclasses import replace
from functools import cached_property, partial

import numpy as np
import torch

from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.losses.margins import margins
from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.pretrained import TextModel
from unfooled.recipe.plan import Plan
from unfooled.seeds import digest
from unfooled.substitution.gains import gains
from unfooled.substitution.reading import WordReader
from unfooled.substitution.sources import SOURCES, Candidates, usable
from unfooled.substitution.worst import WordRow, original_row, worst
from unfooled.tasks.task import Task
from unfooled.tokens import Encoded, by_length
from unfooled.training.engine import Processes
from unfooled.types import Evaluation

ROBUST = "robust"


def chosen_by_words(plan: Plan, task: Task) -> bool:
    """Whether the plan chooses weights by what they withstand; refused where answers are no classes."""
    if plan.choose_by != ROBUST:
        return False
    if not task.confusion:
        raise BadInput(
            f'plan.choose_by = "{ROBUST}" is for classification; of {task.said} weights are chosen by '
            f"{', '.join(task.chosen_by)}"
        )
    return True


class WorstLook:
    """Validation texts, their candidates found once, under whatever the network's weights are now."""

    def __init__(
        self,
        model: TextModel,
        split: Split,
        encoded: Encoded,
        seed: int,
        processes: Processes,
        batch_size: int = 64,
        last_alone: bool = False,  # whether of pairs the words of the last text alone are exchanged
    ) -> None:
        self.model, self.split, self.encoded = model, split, encoded
        self.seed, self.processes, self.batch_size, self.last_alone = seed, processes, batch_size, last_alone
        self.reader = WordReader(model.tokenizer, model.max_length)

    @cached_property
    def usable(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The sources that there are for these texts, and what is to be said of the others."""
        return usable(SOURCES, self.reader.mask, self.split.texts)

    @cached_property
    def rows(self) -> list[WordRow]:
        """Every text with all its candidates, to be exchanged wherever that hurts."""
        sources, _ = self.usable
        candidates = Candidates.of(sources, self.reader.mask)
        keyed = (np.random.default_rng(digest(self.seed, "validation", index)) for index in range(len(self.split)))
        return [
            original_row(self.reader.within(texts), candidates, sources, 1.0, random, self.last_alone)
            for texts, random in zip(self.split.texts, keyed, strict=True)
        ]

    def beside(self, clean: Evaluation) -> Evaluation:
        """A look at the clean texts with one at the worst words beside it, and the choice by both."""
        accuracy = self.accuracy()
        both = {"substituted accuracy": accuracy, ROBUST: (clean.scores["accuracy"] + accuracy) / 2}
        return replace(clean, scores={**clean.scores, **both}, best_by=ROBUST, keeps="accuracy")

    def accuracy(self) -> float:
        """Of all texts under their worst words, the share that is classified right; dropout off."""
        right = torch.zeros((), dtype=torch.float64)
        with still(self.model.classifier):
            for turn, places in enumerate(by_length(self.encoded, self.batch_size)):
                if turn % self.processes.count == self.processes.rank:
                    right += self.right([self.rows[place] for place in places], places)
        return float(self.processes.add_up(right.to(self.processes.device))) / len(self.split)

    def right(self, rows: list[WordRow], places: np.ndarray) -> int:
        """How many rows of a batch are classified right once their worst words are in."""
        network, where = self.model.classifier, self.processes.device
        labels = torch.tensor([self.split.labels[place] for place in places], device=where)
        located = self.reader.located([row.documents for row in rows])
        tokens = located.tokens.to(where)
        delta = torch.zeros(*tokens.ids.shape, network.width, device=where, requires_grad=True)
        # The loss's own direction, text by text; unlike the loss's it does not vanish where the network is sure.
        falls = -margins(network(tokens, delta).logits.double(), labels).sum()
        (gradient,) = torch.autograd.grad(falls, delta)
        changed = worst(rows, located, partial(gains, gradient, tokens.ids, network.table), self.reader)
        tokens = self.reader.located([row.documents for row in changed]).tokens.to(where)
        with torch.no_grad():
            return int((network(tokens).logits.argmax(dim=1) == labels).sum())
