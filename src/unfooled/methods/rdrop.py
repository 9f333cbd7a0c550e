"""R-Drop: two dropout passes over one text must predict the same.

Liang, Wu, Li, Wang, Meng, Qin, Chen, Zhang and Liu, R-Drop: Regularized Dropout for Neural Networks, 2021.

    ½ · (CE_1 + CE_2) + weight · ½ · (KL(p_1 ‖ p_2) + KL(p_2 ‖ p_1)),    weight is the paper's alpha

Paper says / we do: its L_NLL adds the two cross-entropies; we take their mean, as the usage its release recommends
does, so that without dropout it is fine-tuning exactly. A weight here is thus half the alpha of the paper's sum.
Both passes are one forward pass over all texts twice. Dropout is the network's own: without it nothing is added.
"""

from dataclasses import replace
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor

from unfooled.losses.divergence import symmetric_kl
from unfooled.methods.clld import doubled, views
from unfooled.methods.objective import Method, Objective, TrainingTask, task_term
from unfooled.models.encoders.classifier import Classifier
from unfooled.types import Batch, Loss, Term


class RDrop(Method):
    """Agreement of two dropout passes."""

    off: ClassVar = {"weight": 0.0}  # one pass

    weight: float = Field(1.0, ge=0)  # alpha

    def build(self, model: Classifier, task: TrainingTask) -> "Agreement":
        """The task loss and the divergence over the model."""
        return Agreement(model, self)


class Agreement(Objective):
    """Mean task loss of two passes, plus how far they disagree."""

    settings: RDrop

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """The loss of both passes, each at E + delta where one is given; with weight 0, of one alone."""
        if self.settings.weight == 0:
            return super().forward(batch, delta)
        output = self.model(doubled(batch.tokens), None if delta is None else torch.cat([delta, delta]))
        first, second = views(output)
        tasks = [task_term(view, batch) for view in (first, second)]
        task = replace(tasks[0], sum=(tasks[0].sum + tasks[1].sum) / 2)  # ½ L_NLL
        apart = symmetric_kl(first.logits, second.logits).sum() / 2  # L_KL
        return Loss({"task": task, "disagreement": Term(apart, len(batch), weight=self.settings.weight)})
