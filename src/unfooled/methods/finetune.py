"""Plain fine-tuning: the baseline every method is compared with."""

from typing import ClassVar

from unfooled.methods.objective import PREDICTING, Method, Objective, TrainingTask
from unfooled.models.encoders.classifier import Classifier


class Finetune(Method):
    """Minimise the task loss."""

    tasks: ClassVar = PREDICTING

    def build(self, model: Classifier, task: TrainingTask) -> Objective:
        """The task loss over the model."""
        return Objective(model)
