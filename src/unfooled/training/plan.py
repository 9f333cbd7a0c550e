"""How long and how fast to train."""

from typing import Literal

from pydantic import Field

from unfooled.types import Settings


class Plan(Settings):
    """The settings of the loop and the optimiser, the same for every method."""

    epochs: int = Field(3, ge=1)
    max_steps: int | None = Field(None, ge=1)  # stop earlier than the epochs say
    batch_size: int = Field(32, ge=1)  # examples per pass, over all processes
    accumulation: int = Field(1, ge=1)  # passes per update
    learning_rate: float = Field(5e-5, gt=0)
    weight_decay: float = Field(0.01, ge=0)
    warmup: float = Field(0.1, ge=0, le=1)  # fraction of all steps
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    clip: float | None = Field(1.0, gt=0)  # largest norm of the whole gradient
    precision: Literal["fp32", "bf16"] = "fp32"
    evaluations_per_epoch: int = Field(1, ge=1)
    patience: int | None = Field(None, ge=1)  # evaluations without a better score before stopping
    save_every: int | None = Field(500, ge=1)  # steps; every evaluation saves too
    log_every: int = Field(10, ge=1)  # steps
