"""CARL: contrastive adversarial representation learning.

Qiu, Zhang and Zhou, Improving Gradient-based Adversarial Training for Text Classification by Contrastive Learning and
Auto-Encoder, 2021, Section 3.2. Symbols:

    R, R_adv    sentence representation of a text and of its adversary, at unit length
    B_orig, B_adv   memory banks of both for all N training texts        M   their momentum
    m           negatives: texts with another label        tau   temperature        S   step at which L_D begins

Paper says / we do, because:
- Eq. 2's softmax leaves its positive out and is "approximated" by NCE: NCE by default (``loss``), as in
  the distillation code it adapts; ``infonce`` and ``eq2`` (literal) are options.
- Eq. 4 takes raw dot products with tau = 0.07, which overflow; we normalise, as that code does.
- Eq. 5 does not renormalise the banks; we do.
- "use an entire epoch … to initialize the whole memory bank": one dedicated sweep at step S, dropout off (``fill =
  "online"`` uses the steps before S instead).
- R is "[CLS]" in prose; the classifier reads the pooled vector, and so do we (``rep``), before its dropout. The
  clean pass meets the dropout masks of the adversarial ones: else most of the gap between R and R_adv is dropout.
- Eq. 6 adds L_D as it is. 1/tau = 14 makes its gradient many times that of L_C, under which a trained classifier
  collapses: by default w = r · ‖grad L_C‖/‖grad L_D‖, measured once when the banks are filled (``weight = "balanced"``,
  r is ``gradient_ratio``, .1: at 1 classes come nearer than under FreeLB alone); ``weight = 1`` is the paper's.
- The m negatives are drawn once per label present in an update and shared by its anchors: the same distribution, far
  fewer rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.gather import gather
from unfooled.losses.nce import info_nce, log_mean_exp, nce, negatives_only
from unfooled.methods.gradient_size import flat_gradient, root_mean_square, size, whole_counts
from unfooled.methods.objective import Backward, Measured, Method, Objective, TrainingTask, task_term
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.heads.memory import MemoryBank, OtherLabels, bank_files
from unfooled.perturb import Ascent, Ball, Norm, Start, free_passes, worst_case
from unfooled.seeds import replay
from unfooled.types import Batch, Loss, Output, Progress, Term

MEASURED = 8  # global batches on which gradients are compared
TOO_MUCH = 3.0  # times the task's gradient: there the contrast is warned of


class CARL(Method):
    """FreeLB, and a contrast of each text and its adversary against texts of other labels."""

    off: ClassVar = {"weight": 0.0, "radius": 0.0}  # K equal passes and no contrast

    passes: int = Field(3, ge=1)
    step_size: float = Field(0.03, ge=0)
    spread: float = Field(0.05, ge=0)
    radius: float | None = Field(None, ge=0)
    norm: Norm = Norm.L2
    share_dropout: bool = True
    weight: Annotated[float, Field(ge=0)] | Literal["balanced"] = "balanced"  # w
    gradient_ratio: float = Field(0.1, gt=0)  # r: of the contrast's gradient to the task's, where balanced
    negatives: int = Field(4096, ge=1)  # m
    temperature: float = Field(0.07, gt=0)  # tau
    momentum: float = Field(0.5, ge=0, lt=1)  # M
    start: float = Field(0.3, ge=0, le=1)  # S as a fraction of all steps …
    start_step: int | None = Field(None, ge=0)  # … or as a step
    loss: Literal["nce", "infonce", "eq2"] = "nce"
    positive: Literal["live", "bank"] = "live"
    rep: Literal["pooled", "cls"] = "pooled"
    fill: Literal["sweep", "online"] = "sweep"
    replacement: bool = True
    clean_ce: float = Field(0.0, ge=0)  # weight of the clean pass's own task loss
    half_precision_bank: bool = False
    bank_folder: Path | None = None  # keep the banks in files here instead of in memory

    def ascent(self) -> Ascent:
        """FreeLB's K-1 steps from uniform noise."""
        return Ascent(Ball(self.radius, self.norm), self.passes - 1, self.step_size, Start.UNIFORM, self.spread)

    def reads_states(self) -> bool:
        """Only for the last state of the first token as R."""
        return self.rep == "cls"

    def build(self, model: Classifier, task: TrainingTask) -> "AdversarialContrast":
        """The objective, its banks still empty."""
        if len(torch.unique(task.labels)) < 2:
            raise BadInput(
                "CARL needs texts of at least two labels: with one there are no negatives; add some of another label"
            )
        return AdversarialContrast(model, self, task)


class AdversarialContrast(Objective):
    """L_C + w · L_D (Eq. 6)."""

    log_mu: Tensor
    weight: Tensor
    imbalance: Tensor
    filled: Tensor
    updates: Tensor
    contrasted: Tensor

    def __init__(self, model: Classifier, settings: CARL, task: TrainingTask) -> None:
        super().__init__(model, settings)
        self.ascent, self.seed = settings.ascent(), task.seed
        self.start = round(settings.start * task.steps) if settings.start_step is None else settings.start_step
        width, examples = model.feature_width, len(task.labels)
        half, folder = settings.half_precision_bank, settings.bank_folder
        files = (None, None) if folder is None else bank_files(folder, task.labels, width, half)
        self.original, self.adversarial = (MemoryBank(examples, width, half, file) for file in files)
        self.others = OtherLabels(task.labels, task.classes)
        self.register_buffer("log_mu", torch.full((2,), torch.nan, dtype=torch.float64))
        fixed = torch.nan if settings.weight == "balanced" else settings.weight
        self.register_buffer("weight", torch.tensor(fixed, dtype=torch.float64))
        # ‖grad L_D‖/‖grad L_C‖ of the encoder as the banks were filled
        self.register_buffer("imbalance", torch.tensor(torch.nan, dtype=torch.float64))
        self.register_buffer("filled", torch.tensor(False))
        self.register_buffer("updates", torch.tensor(0))
        self.register_buffer("contrasted", torch.tensor(0))  # updates in which L_D took part

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """FreeLB's K passes; the last one, once the banks are filled, also pays for the contrast with a clean pass."""
        passes, sums = self.ascent.steps + 1, []
        clean = self.clean_pass(batch) if self.remembers() else None
        for turn, delta in enumerate(self.moves(batch)):
            output = self.represented(batch, delta)
            terms = {"task": task_term(output, batch)}
            if turn == passes - 1 and clean is not None:
                terms |= self.remember(batch, clean, output, passes)
            engine.backward(Loss(terms), share=1 / passes)  # Eq. 6
            sums.append(terms["task"].sum.detach())
        logged = {name: replace(term, weight=term.weight / passes) for name, term in terms.items() if name != "task"}
        return Loss({"task": Term(torch.stack(sums).mean(), len(batch)), **logged})

    def remembers(self) -> bool:
        """Whether this step needs a clean pass: for the contrast, or to fill the banks as it goes."""
        return self.settings.weight != 0 and (bool(self.filled) or self.settings.fill == "online")

    def moves(self, batch: Batch) -> Iterator[Tensor]:
        """The perturbation of each of FreeLB's passes (Eq. 1)."""
        mask, share = batch.tokens.mask, self.settings.share_dropout
        return free_passes(self.ascent, mask, self.model.width, batch.key, batch.index, share)

    def clean_pass(self, batch: Batch) -> Output:
        """The output at E, under the dropout masks that the passes after it meet (``share_dropout``)."""
        turns = replay(2, self.settings.share_dropout)
        next(turns)
        output = self.represented(batch)
        next(turns)  # what is drawn next is what was drawn here
        return output

    def represented(self, batch: Batch, delta: Tensor | None = None) -> Output:
        """The model's output, its vector the representation R that is contrasted."""
        if self.settings.rep == "pooled":
            return self.model(batch.tokens, delta)
        output = self.model(batch.tokens, delta, states=True)
        return replace(output, vector=output.states[:, 0])

    def remember(self, batch: Batch, clean: Output, adversary: Output, passes: int) -> dict[str, Term]:
        """The contrastive terms, if their time has come; then the banks learn the new representations (Eq. 5)."""
        terms = {}
        if self.filled:
            losses = self.contrast(batch, clean.vector, adversary.vector)
            weight = float(self.weight) * passes  # each pass is paid 1/K; the contrast is paid once, in full
            terms = {name: Term(loss.sum(), len(batch), weight=weight) for name, loss in losses.items()}
            if self.settings.clean_ce:
                terms["clean"] = task_term(clean, batch, self.settings.clean_ce * passes)
        self.original.write(batch.index, clean.vector, self.settings.momentum)
        self.adversarial.write(batch.index, adversary.vector, self.settings.momentum)
        return terms

    def contrast(self, batch: Batch, clean: Tensor, adversary: Tensor) -> dict[str, Tensor]:
        """L_D of both directions, per example [B] (Eqs. 2 and 3)."""
        scores = self.scored(batch, clean, adversary)
        return {name: self.compared(*pair, side) for side, (name, pair) in enumerate(scores.items())}

    def scored(self, batch: Batch, clean: Tensor, adversary: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
        """Of both directions, the score of each anchor's positive [B] and of its negatives [B, m] (Eq. 4)."""
        original, adversarial = (F.normalize(rows.float(), dim=1, eps=1e-12) for rows in (clean, adversary))
        sides = [
            ("adversarial anchor", adversarial, original, self.original),
            ("original anchor", original, adversarial, self.adversarial),
        ]
        scores = {}
        for side, (name, anchors, live, bank) in enumerate(sides):
            partner = live if self.settings.positive == "live" else bank.read_own(batch.index)
            positive = (anchors * partner).sum(dim=1) / self.settings.temperature
            scores[name] = positive, self.against(batch.label, anchors, bank, side) / self.settings.temperature
        return scores

    def against(self, labels: Tensor, anchors: Tensor, bank: MemoryBank, side: int) -> Tensor:
        """⟨anchor, row⟩ with m bank rows of other labels [B, m], drawn once per label of the batch."""
        settings = self.settings
        present = torch.unique(gather(labels) if bank.shared else labels).tolist()  # all ask for the same rows
        smallest = min(self.others.pool(label) for label in range(len(self.others.sizes)) if self.others.sizes[label])
        count = settings.negatives if settings.replacement else min(settings.negatives, smallest)
        scores = anchors.new_zeros(len(anchors), count)
        for label in present:
            mine = labels == label
            drawn = self.others.draw(label, count, settings.replacement, self.seed, int(self.updates), side)
            scores[mine] = anchors[mine] @ bank.read(drawn).T
        return scores

    def compared(self, positive: Tensor, negative: Tensor, side: int) -> Tensor:
        """The loss of each anchor [B]; NCE's constant is estimated once, on the first batch at the latest, and kept."""
        if self.settings.loss == "infonce":
            return info_nce(positive, negative)
        if self.settings.loss == "eq2":
            return negatives_only(positive, negative)
        if torch.isnan(self.log_mu[side]):
            self.log_mu[side] = log_mean_exp(gather(positive.detach()), gather(negative.detach()))
        return nce(positive, negative, self.log_mu[side])

    def sweep_due(self, progress: Progress) -> bool:
        """At step S, unless the steps before it have filled the banks already."""
        if self.settings.weight == 0 or self.filled or progress.step < self.start:
            return False
        self.filled.fill_(self.settings.fill == "online" and bool(self.original.written.all()))
        return not self.filled

    def sweep(self, batch: Batch) -> None:
        """Overwrite the banks' rows of this batch with what the model says now, clean and under FreeLB's ascent."""
        clean, adversary = self.both(batch)
        self.original.write(batch.index, clean, momentum=0.0)
        self.adversarial.write(batch.index, adversary, momentum=0.0)
        self.filled.fill_(bool(self.adversarial.written.all()))

    def both(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """R and R_adv of a batch as constants, under FreeLB's ascent."""
        tokens = batch.tokens
        start = self.ascent.begin(tokens.mask, self.model.width, batch.key, batch.index)
        delta = worst_case(self.ascent, start, tokens.mask, lambda moved: self(batch, moved).terms["task"].sum)
        with torch.no_grad():
            return self.clean_pass(batch).vector, self.represented(batch, delta).vector

    def measures(self, progress: Progress) -> int:
        """Once, when the banks are filled."""
        return MEASURED if self.filled and torch.isnan(self.imbalance) and self.settings.weight != 0 else 0

    def measure(self, batches: Sequence[Batch]) -> Measured:
        """How large the gradients of L_C and L_D are in the encoder; where balanced, the weight follows from it."""
        settings = self.settings
        if settings.loss == "nce":
            self.estimate(batches)
        task, contrast = map(root_mean_square, zip(*map(self.gradient_sizes, batches), strict=True))
        self.imbalance.fill_(contrast / max(task, 1e-30))
        if settings.weight == "balanced":
            self.weight.fill_(settings.gradient_ratio * task / contrast if contrast > 0 else 0.0)
        paid = float(self.weight * self.imbalance)
        facts = {"task_gradient": task, "contrast_gradient": contrast, "contrast_to_task_gradient": paid}
        facts["contrast_weight"] = float(self.weight)
        return Measured(facts, self.outweighed(paid) if paid > TOO_MUCH else "")

    def outweighed(self, times: float) -> str:
        """The sentence for a contrast whose gradient is so many times the task's."""
        return (
            f"the contrast outweighs the task: at weight {float(self.weight):.3g} its gradient is {times:.1f} times as "
            'large, under which classes can fall together; use method.weight = "balanced" with a gradient_ratio up to '
            f"{TOO_MUCH:g}, or a weight below {TOO_MUCH / float(self.imbalance):.2g}"
        )

    def estimate(self, batches: Sequence[Batch]) -> None:
        """NCE's constant of both directions, over all these batches."""
        found = [list(self.scored(batch, *self.both(batch)).values()) for batch in batches]
        for side in range(2):
            positive, negative = (torch.cat([gather(one[side][part]) for one in found]) for part in range(2))
            self.log_mu[side] = log_mean_exp(positive, negative)

    def gradient_sizes(self, batch: Batch) -> tuple[float, float]:
        """‖grad L_C‖ and ‖grad L_D‖ in the encoder, of the global batch."""
        parameters, examples = self.model.encoder_parameters(), whole_counts(batch)["examples"]
        passes, paid = self.ascent.steps + 1, []
        clean = self.clean_pass(batch)
        for turn, delta in enumerate(self.moves(batch)):
            output = self.represented(batch, delta)
            loss = task_term(output, batch).sum
            if delta.requires_grad:
                (delta.grad,) = torch.autograd.grad(loss, delta, retain_graph=True)
            paid.append(flat_gradient(loss / (passes * examples), parameters, keep_graph=turn == passes - 1))
        losses = self.contrast(batch, clean.vector, output.vector)
        contrast = torch.stack([loss.sum() for loss in losses.values()]).sum() / examples
        return size(torch.stack(paid).sum(dim=0)), size(flat_gradient(contrast, parameters))

    def after_step(self, progress: Progress) -> None:
        """Count the updates, and those with the contrast in them."""
        self.updates += 1
        self.contrasted += self.filled

    def report(self) -> dict[str, Any]:
        """In how many updates the contrast took part; a run counts as CARL from half of them on."""
        return {
            "contrasted_updates": int(self.contrasted),
            "log_mu": [float(value) for value in self.log_mu],
            "contrast_weight": float(self.weight),
            "contrast_to_task_gradient": float(self.imbalance),
        }
