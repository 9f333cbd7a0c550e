"""How long and how fast to train."""

from typing import Literal

from pydantic import Field

from unfooled.settings import Settings


class Plan(Settings):
    """The settings of the loop and the optimiser, the same for every method."""

    epochs: int = Field(3, ge=1)
    max_steps: int | None = Field(None, ge=1)  # stop earlier than the epochs say
    batch_size: int = Field(32, ge=1)  # examples per pass, over all processes
    batch_tokens: int | None = Field(None, ge=1)  # translation: padded tokens per pass, instead of examples
    accumulation: int = Field(1, ge=1)  # passes per update
    learning_rate: float = Field(5e-5, gt=0)
    weight_decay: float = Field(0.01, ge=0)
    second_beta: float = Field(0.999, gt=0, lt=1)  # Adam's memory of squared gradients
    label_smoothing: float = Field(0.0, ge=0, lt=1)  # translation: the share of a label that all words get alike
    warmup: float = Field(0.1, ge=0, le=1)  # fraction of all steps
    schedule: Literal["linear", "cosine", "constant", "inverse_sqrt"] = "linear"
    clip: float | None = Field(1.0, gt=0)  # largest norm of the whole gradient
    average: float | None = Field(None, gt=0, lt=1)  # decay of averaged weights, which looks and the saved model use
    precision: Literal["fp32", "bf16"] = "fp32"
    choose_by: str | None = None  # the validation score that weights are chosen by; None is the task's own
    evaluations_per_epoch: int | float = Field(1, gt=0)  # below 1: .2 is every fifth epoch
    patience: int | None = Field(None, ge=1)  # evaluations without a better score before stopping
    save_every: int | None = Field(500, ge=1)  # steps; every evaluation saves too
    log_every: int = Field(10, ge=1)  # steps
