"""How long and how fast to train."""

import math
from typing import Any, Literal

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from unfooled.settings import Settings

AUTO: Literal["auto"] = "auto"


class Plan(Settings):
    """The settings of the loop and the optimiser, the same for every method."""

    epochs: int = Field(3, ge=1)
    max_steps: int | None = Field(None, ge=1)  # stop earlier than the epochs say
    batch_size: int = Field(32, ge=1)  # examples per pass, over all processes
    batch_tokens: int | None = Field(None, ge=1)  # translation: padded tokens per pass, instead of examples
    accumulation: int = Field(1, ge=1)  # passes per update
    learning_rate: float | Literal["auto"] = AUTO  # auto: what suits the network and the number of updates
    weight_decay: float = Field(0.01, ge=0)
    second_beta: float = Field(0.999, gt=0, lt=1)  # Adam's memory of squared gradients
    label_smoothing: float = Field(0.0, ge=0, lt=1)  # translation: the share of a label that all words get alike
    warmup: float = Field(0.1, ge=0, le=1)  # fraction of all steps
    schedule: Literal["linear", "cosine", "constant", "inverse_sqrt"] = "linear"
    clip: float | None = Field(1.0, gt=0)  # largest norm of the whole gradient
    average: float | None = Field(None, gt=0, lt=1)  # decay of averaged weights, which looks and the saved model use
    calibrate: bool = False  # classification: fold a temperature, fitted on validation, into the saved model
    packed: bool = False  # texts of a batch without padding, the last layer at one token: other dropout masks are drawn
    engine: Literal["replicas", "fsdp"] = "replicas"  # how processes share a model: each has all of it, or its part
    precision: Literal["fp32", "bf16", "auto"] = "fp32"  # auto: bf16 where a short measurement finds it faster
    choose_by: str | None = None  # the validation score that weights are chosen by; None: the task's own; or "robust"
    evaluations_per_epoch: int | float = Field(1, gt=0)  # below 1: .2 is every fifth epoch
    look_first: bool = False  # also before the first step: logged as step 0, never chosen, no trial of patience
    patience: int | None = Field(None, ge=1)  # evaluations without a better score before stopping
    keep_checkpoints: Literal["two", "all"] = "two"  # the best and the last, or every one that is saved
    save_every: int | None = Field(500, ge=1)  # steps; every evaluation saves too
    log_every: int = Field(10, ge=1)  # steps

    @field_validator("learning_rate", mode="before")
    @classmethod
    def _a_rate_or_auto(cls, given: Any) -> Any:
        """Refuse what is neither, in one sentence instead of one for each kind."""
        try:
            possible = given == AUTO or 0 < float(given) < math.inf
        except (TypeError, ValueError):
            possible = False
        if not possible:
            raise PydanticCustomError("rate", 'give a number above 0, or "auto"')
        return given

    @property
    def peak_rate(self) -> float:
        """The highest learning rate, as a number: whoever trains has decided on one by now."""
        if self.learning_rate == AUTO:
            raise ValueError("the learning rate has not been decided on; see unfooled.training.rate")
        return float(self.learning_rate)
