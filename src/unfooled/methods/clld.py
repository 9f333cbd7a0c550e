"""CLLD: contrastive learning with label distance.

Lan, Zhan, Jiang, Yuan and Wang, CLLD: Contrastive Learning with Label Distance for Text Classification, 2021. Symbols:

    v, h     vector of a text, before the classifier's dropout, and what the contrast head makes of it
    M, N     texts of a batch, classes
    LDM      label distance matrix [N, N]: the factor of a pair's similarity     tau (largest)   its largest entry
    lambda (balance)   lambda · L_c + (1 - lambda) · L_s        epsilon   strength of an update, 1 - step/steps

Each text is encoded twice, and dropout makes the two differ: 2M rows, positives of a row being all others of its label.

Paper says / we do, because:
- LDM's initial values, diagonal and normalisation are left open: 1 everywhere, so that it begins as plain supervised
  contrast (`supcon`); an update aims at 1 + (tau - 1) · error rate/largest error rate. The paper's raw counts have a
  diagonal of hundreds, under which positives saturate (``counts``). Rates are shrunken towards 0 where a class has few
  validation texts (``shrinkage``): else chance alone pushes rare classes apart.
- Algorithm 1, line 10, gives old and new LDM one name and so does nothing: LDM + epsilon · (new - LDM).
- Eq. 5 masks self-similarity before the product with LDM: after it, or a distance of 0 would unmask it.
- "after 10 epochs, every ten evaluations": fractions of all steps (``begin``, ``every``), so that short runs update
  too; ``every_evaluations`` counts evaluations instead. An update happens at an evaluation or not at all.
- The MLP's shape is not given: H → H, ReLU, H → H, behind dropout of its own, keyed by example, so that twins differ
  under every encoder and two processes draw what one draws.
- The static pairs are not given: ``pairs``, or the worst ``auto_pairs`` of a ``baseline`` run's validation confusion.
- With accumulation each pass contrasts its own batch, as one forward pass can.
"""

from dataclasses import replace
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from unfooled.errors import BadInput, nearest
from unfooled.gather import first_row, gather
from unfooled.losses.contrastive import precise
from unfooled.losses.label_distance import (
    approached,
    confused_distances,
    label_contrast,
    most_confused,
    static_distances,
)
from unfooled.methods.objective import Method, Objective, TrainingTask, task_term
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.heads.contrast_head import contrast_head, view_dropout
from unfooled.seeds import isolated
from unfooled.types import Batch, Evaluation, Loss, Output, Progress, Term, Tokens


class CLLD(Method):
    """Classification, and a contrast that pushes hardest between labels that are confused."""

    off: ClassVar = {"balance": 1.0, "both_views": False}  # classification of one view

    balance: float = Field(0.5, ge=0, le=1)  # lambda
    distance: Literal["none", "static", "adaptive"] = "adaptive"
    pairs: tuple[tuple[str, str], ...] = ()  # static: labels to be pushed apart …
    auto_pairs: int = Field(0, ge=0)  # … and so many more that a baseline confuses most
    baseline: str | None = None  # the run folder of that baseline
    largest: float = Field(5.0, ge=1)  # tau
    otherwise: float = Field(1.0, gt=0)  # the distance LDM begins with
    symmetric: bool = False
    counts: bool = False
    shrinkage: float = Field(1.0, ge=0)  # of error rates: texts added to those of a class, for each class there is
    begin: float = Field(0.2, ge=0, le=1)  # adaptive: no update before this fraction of the steps …
    every: float = Field(0.05, gt=0, le=1)  # … then one each time this fraction has passed
    every_evaluations: int | None = Field(None, ge=1)  # … or at each so-many-th evaluation instead
    both_views: bool = False  # L_c on both twins
    head_dropout: float = Field(0.1, ge=0, lt=1)

    def baseline_run(self) -> str | None:
        """The run whose confusion chooses pairs."""
        return self.baseline if self.auto_pairs else None

    def build(self, model: Classifier, task: TrainingTask) -> "Twins":
        """The objective, LDM as it begins."""
        pairs = self.chosen(task)
        return Twins(model, task, self, static_distances(task.classes, pairs, self.largest, self.otherwise))

    def chosen(self, task: TrainingTask) -> Tensor:
        """The static pairs as class numbers [P, 2]; none for the other distances."""
        if self.distance != "static":
            if self.pairs or self.auto_pairs:
                raise BadInput(f'method.pairs and auto_pairs need distance = "static", not "{self.distance}"')
            return torch.zeros(0, 2, dtype=torch.long)
        if not self.pairs and not self.auto_pairs:
            raise BadInput('distance = "static" needs method.pairs = [["label", "label"], …] or method.auto_pairs')
        if self.auto_pairs and (self.baseline is None or task.confusion is None):
            raise BadInput("method.auto_pairs needs the confusion of a plain run; give its folder as method.baseline")
        named = [numbers(pair, label_names(task)) for pair in self.pairs]
        pairs = torch.tensor(named, dtype=torch.long).view(-1, 2)
        if not self.auto_pairs or task.confusion is None:
            return pairs
        return torch.cat([pairs, most_confused(task.confusion.cpu(), self.auto_pairs)])


class SupCon(Method):
    """The control: the same objective with every label distance 1 (the paper's CT+CL)."""

    off: ClassVar = {"balance": 1.0, "both_views": False}  # classification of one view

    balance: float = Field(0.5, ge=0, le=1)
    both_views: bool = False
    head_dropout: float = Field(0.1, ge=0, lt=1)

    def build(self, model: Classifier, task: TrainingTask) -> "Twins":
        """The objective with LDM = 1."""
        return Twins(model, task, self, torch.ones(task.classes, task.classes))


class Twins(Objective):
    """lambda · L_c + (1 - lambda) · L_s over two dropout views (Eq. 9)."""

    label_distance: Tensor
    step_number: Tensor
    looked: Tensor
    evaluations: Tensor
    updates: Tensor

    def __init__(self, model: Classifier, task: TrainingTask, settings: CLLD | SupCon, distances: Tensor) -> None:
        super().__init__(model, settings)
        if settings.head_dropout == 0 and settings.balance < 1 and model.is_one_piece:
            kind = type(model.network).__name__
            raise BadInput(
                f"method.head_dropout = 0 makes the two views of a text the same: {kind} has no dropout before the "
                "vector that is contrasted; set it above 0"
            )
        self.names, self.steps = label_names(task), task.steps
        with isolated(task.seed, "contrast head"):
            self.head = contrast_head(model.feature_width)
        self.register_buffer("label_distance", distances)  # LDM: a constant of the loss, never trained
        for name in ("step_number", "looked", "evaluations", "updates"):  # looked: the step of the last evaluation
            self.register_buffer(name, torch.tensor(0))

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """The loss of both views, each at E + delta where one is given; with lambda = 1, of the first alone."""
        balance = self.settings.balance
        if balance == 1 and not self.settings.both_views:
            return super().forward(batch, delta)
        output = self.model(doubled(batch.tokens), None if delta is None else torch.cat([delta, delta]))
        terms = {"task": self.classified(output, batch)}
        if balance < 1:
            rows = self.contrast(output.vector, batch).sum()
            terms["contrast"] = Term(rows / 2, len(batch), weight=1 - balance)  # per example: the mean of its two rows
        return Loss(terms)

    def classified(self, output: Output, batch: Batch) -> Term:
        """lambda · L_c: of the first view (Eq. 10 has M summands), or the mean of both."""
        first, second = (task_term(view, batch, self.settings.balance) for view in views(output))
        return replace(first, sum=(first.sum + second.sum) / 2) if self.settings.both_views else first

    def contrast(self, vectors: Tensor, batch: Batch) -> Tensor:
        """KL(z ‖ q) of this process's 2B rows against those of all processes [2B] (Eqs. 3 to 13)."""
        rows = self.projected(vectors, batch)
        labels = torch.cat([batch.label, batch.label])
        start = first_row(rows)
        return label_contrast(rows, labels, self.label_distance, gather(rows), gather(labels), start)

    def projected(self, vectors: Tensor, batch: Batch) -> Tensor:
        """h of both views [2B, H], in at least single precision (Eq. 3)."""
        probability = self.settings.head_dropout if self.training else 0.0
        return self.head(view_dropout(precise(vectors), batch.key, batch.index, probability))

    def after_step(self, progress: Progress) -> None:
        """Remember how far training is."""
        self.step_number.fill_(progress.step)

    def after_eval(self, evaluation: Evaluation) -> None:
        """Algorithm 1: at the stated evaluations LDM moves towards what the validation split's confusion says."""
        self.evaluations += 1
        due, settings = self.update_due(), self.settings
        self.looked.copy_(self.step_number)
        if not due or evaluation.confusion is None or not isinstance(settings, CLLD):
            return
        how = (settings.largest, settings.symmetric, settings.counts, settings.shrinkage)
        distances = confused_distances(evaluation.confusion, *how)
        strength = 1 - int(self.step_number) / self.steps  # line 9
        self.label_distance.copy_(approached(self.label_distance, distances, strength))  # line 10
        self.updates += 1

    def update_due(self) -> bool:
        """Whether this evaluation updates LDM: adaptive, past ``begin``, at the interval, not at the very end."""
        settings, step = self.settings, int(self.step_number)
        if not isinstance(settings, CLLD) or settings.distance != "adaptive" or settings.balance == 1:
            return False
        if not settings.begin * self.steps < step < self.steps:  # line 4; at the end epsilon is 0
            return False
        if settings.every_evaluations is not None:
            return int(self.evaluations) % settings.every_evaluations == 0
        now, before = (int(at / (settings.every * self.steps) + 1e-9) for at in (step, int(self.looked)))
        return now > before  # a multiple of the interval has passed since the last evaluation

    def report(self) -> dict[str, Any]:
        """LDM and the number of its updates, as of the weights that were kept."""
        distances = [[float(value) for value in row] for row in self.label_distance]
        return {
            "label_distance": distances,
            "label_distance_updates": int(self.updates),
            "label_names": list(self.names),
        }


def doubled(tokens: Tokens) -> Tokens:
    """All texts, and all once more: one pass draws independent dropout for every row."""
    segments = None if tokens.segments is None else torch.cat([tokens.segments, tokens.segments])
    return Tokens(torch.cat([tokens.ids, tokens.ids]), torch.cat([tokens.mask, tokens.mask]), segments)


def views(output: Output) -> tuple[Output, Output]:
    """What the network says of each of the two views."""
    (logits, other_logits), (features, other_features) = output.logits.chunk(2), output.features.chunk(2)
    return Output(logits, features), Output(other_logits, other_features)


def label_names(task: TrainingTask) -> tuple[str, ...]:
    """The names of the classes, or their numbers where they have none."""
    return tuple(task.names) or tuple(str(number) for number in range(task.classes))


def numbers(pair: tuple[str, str], names: tuple[str, ...]) -> tuple[int, int]:
    """The class numbers of a pair of labels."""
    for label in pair:
        if label not in names:
            raise BadInput(f"method.pairs names the label {label}, which the data do not have; {nearest(label, names)}")
    if pair[0] == pair[1]:
        raise BadInput(f"method.pairs holds {pair[0]} with itself; name two different labels")
    return names.index(pair[0]), names.index(pair[1])
