"""Plain fine-tuning: the baseline every method is compared with."""

from typing import ClassVar

from torch import Tensor

from unfooled.methods.objective import PREDICTING, Method, Objective, Task, task_term
from unfooled.models.encoders.classifier import Classifier
from unfooled.types import Batch, Loss


class Finetune(Method):
    """Minimise the task loss."""

    tasks: ClassVar = PREDICTING

    def build(self, model: Classifier, task: Task) -> "TaskLoss":
        """The task loss over the model."""
        return TaskLoss(model)

    def switched_off(self) -> "Finetune":
        """Fine-tuning adds nothing: the same."""
        return self


class TaskLoss(Objective):
    """The task loss L_C of the original texts."""

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """L_C at the embeddings, or at E + delta."""
        return Loss({"task": task_term(self.model(batch.tokens, delta), batch)})
