"""FreeLB: every ascent step also trains.

Zhu, Cheng, Gan, Sun, Goldstein and Liu, FreeLB: Enhanced Adversarial Training for Natural Language
Understanding, 2020. Symbols as in its Algorithm 1:

    K  (passes)       forward/backward passes of one step; their gradients are averaged
    alpha (step_size) length of an ascent step, normalised per sentence
    gamma (spread)    size of the uniform noise delta_0
    eps (radius)      largest norm of delta; None is unlimited

K passes hold K-1 ascents: the last gradient moves no delta (Algorithm 1 agrees). So K = 1 with gamma = 0 is plain
training, K = 2 with gamma = 0 is the mean of the clean loss and FGM's.
Paper says / we do: the released launch lines write 0 for an unlimited radius; here None does, and 0 is no
perturbation. delta_0 is projected too, which the release leaves out. The release shares some dropout masks among
the K passes; we replay the random state, which shares all.

Not in the paper (``remember``): the last gradient moves delta too, and there the example begins in the next epoch
instead of at noise. So K = 1, a pass a step, climbs from epoch to epoch at the cost of plain training, as perturbations
that are carried on do for images (Shafahi et al., Adversarial Training for Free!, 2019; Zheng et al., Efficient
Adversarial Training with Transferable Adversarial Examples, 2020). Without a radius it would climb on for ever.
"""

import os
from dataclasses import replace
from typing import ClassVar, Literal

import torch
from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from unfooled.errors import BadInput
from unfooled.free_memory import free_bytes
from unfooled.methods.objective import PREDICTING, Backward, Method, Objective, TrainingTask
from unfooled.models.encoders.classifier import Classifier
from unfooled.perturb import Ascent, Ball, Norm, Start, free_passes
from unfooled.perturb.remembered import Remembered, size_of
from unfooled.types import Batch, Loss


class FreeLB(Method):
    """The mean task loss over K passes along an ascent."""

    tasks: ClassVar = PREDICTING
    off: ClassVar = {"radius": 0.0}  # K equal passes

    passes: int = Field(3, ge=1)
    step_size: float = Field(0.03, ge=0)
    spread: float = Field(0.05, ge=0)
    radius: float | None = Field(None, ge=0)
    norm: Norm = Norm.L2
    share_dropout: bool = True
    remember: bool = False  # whether an example begins where its last step left it; needs a radius
    count: Literal["passes", "ascents"] = "passes"  # what K counts; the release's fairseq branch counts ascents

    @field_validator("remember")
    @classmethod
    def _not_for_ever(cls, given: bool, known: ValidationInfo) -> bool:
        """Refuse a climb from epoch to epoch that nothing bounds."""
        if given and known.data.get("radius", 0.0) is None:
            raise PydanticCustomError("radius", "what is remembered grows with every epoch; give a radius beside it")
        return given

    def ascent(self) -> Ascent:
        """K-1 steps of alpha from uniform noise of size gamma."""
        ball, steps = Ball(self.radius, self.norm), self.passes - (self.count == "passes")
        return Ascent(ball, steps, self.step_size, Start.UNIFORM, self.spread)

    def build(self, model: Classifier, task: TrainingTask) -> "FreePasses":
        """K passes over the model."""
        return FreePasses(model, self, memory_of(task, model) if self.remember else None)


class FreePasses(Objective):
    """Algorithm 1 of FreeLB."""

    settings: FreeLB

    def __init__(self, model: Classifier, settings: FreeLB, memory: Remembered | None = None) -> None:
        super().__init__(model, settings)
        self.memory = memory

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """K passes, each paying 1/K of the parameter gradient, an ascent between each two."""
        ascent, mask, share = self.settings.ascent(), batch.tokens.mask, self.settings.share_dropout
        passes, sums = ascent.steps + 1, []
        # Lines 4, 8 and 9: the start and the climbs.
        for delta in free_passes(ascent, mask, self.model.width, batch.key, batch.index, share, self.memory):
            loss = self(batch, delta)
            engine.backward(loss, share=1 / passes)  # line 7: g_t accumulates
            sums.append(loss.terms["task"].sum.detach())
        mean = replace(loss.terms["task"], sum=torch.stack(sums).mean())
        return Loss({"task": mean, "last pass": replace(mean, sum=sums[-1], weight=0.0)})


def memory_of(task: TrainingTask, model: Classifier) -> Remembered:
    """An empty memory of a training set's perturbations, refused where there is no room for it."""
    if task.lengths is None:
        raise BadInput(
            "method.remember keeps a perturbation for every token of every training text, whose numbers only "
            "unfooled train knows beforehand, of tasks over texts; leave it out"
        )
    texts, tokens, width = len(task.lengths), int(task.lengths.sum()), model.width
    size, where = size_of(tokens, width) / 1e9, next(model.parameters()).device
    is_on_gpu = where.type == "cuda"
    free = torch.cuda.mem_get_info(where)[0] if is_on_gpu else free_bytes()
    copies = 1 if is_on_gpu else int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    if free is not None and size * (copies + 1) > free / 1e9:  # once more while a checkpoint is written
        raise BadInput(
            f"the perturbations of {texts:,} texts take {size:.1f} GB ({tokens:,} tokens of {width} numbers) in each "
            f"of {copies} processes, once more in a checkpoint, and {free / 1e9:.1f} GB are free; train on fewer rows, "
            "lower model.max_length, or leave method.remember out"
        )
    return Remembered(task.lengths, model.width)
