"""ATCL: adversarial training with contrastive learning.

Rim, Heo and Choi, Adversarial Training with Contrastive Learning in NLP, 2021. Symbols:

    E, e_kj     looked-up vectors of a batch; that of token j of sequence k
    V_R         complete words: what may be perturbed
    eps (radius)    length of the perturbation        tau (temperature)
    h, h'       states of a sequence and of its adversary, right before the softmax (a translator's: the encoder's top)
    n (negatives)   states of the batch that the anchor is held against
    alpha, beta     weights of L_adv and L_cont; beta = 0 is the paper's "+Adv. only"

Paper says / we do, because:
- Eq. 1 subtracts the gradient, while the text perturbs "in the direction to maximize": we add (``sign = -1``: as
  printed).
- Eq. 6 leaves the positive out of the denominator, unlike the losses it cites; as printed (``include_positive``).
- Eqs. 5 and 7 are sums; we take means, over tokens and over anchors, so that weights do not depend on the batch.
- "NB" is the whole batch but n are "randomly sampled": n distinct ones per anchor, from all real positions but the
  anchor (``negatives_from``: Figure 1 says from other sentences). The batch is that of all processes.
- A sequence without a complete word has no adversary: it adds nothing to L_adv and L_cont.
- "right before the softmax" has no position j in a decoder, whose words are not the source's: a translator is
  contrasted at the encoder's state of the perturbed word (``contrast = "sentence"``: mean decoder states).
- e = E · x is the vector as it stands in the table, and eps is its: networks that multiply it by √d get eps · √d behind
  that (``scale = "unscaled"``; "scaled" takes eps for the vector that the network reads, beside which it does nothing).
- Dropout of both passes is drawn anew (``share_dropout``). Nothing but the perturbation is detached.
- A text to be classified marks no complete words: any of its real tokens may be perturbed.

The gradient for Eq. 1 comes from the clean pass's own graph: two passes forward, and one backward more than they need.
Where beta = 0 not even that: the clean pass's backward gives both gradients.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from unfooled.gather import gather
from unfooled.losses.nce import info_nce, negatives_only
from unfooled.methods.gradient_size import TermSizes, root_mean_square
from unfooled.methods.objective import Backward, Measured, Method, Objective, TrainingTask, task_term
from unfooled.models.encoders.classifier import Classifier
from unfooled.perturb.one_word import drawn_places, one_word
from unfooled.seeds import generator, replay
from unfooled.types import NO_LABEL, Batch, Loss, Output, Progress, Term

MEASURED = 2  # global batches on which gradients are compared …
TIMES = 10  # … so often in a run


class ATCL(Method):
    """L + alpha · L_adv + beta · L_cont, one complete word of each sequence perturbed."""

    tasks: ClassVar = ("classification", "lm", "translation")
    perturbs_words: ClassVar = True
    off: ClassVar = {"alpha": 0.0, "beta": 0.0}  # the task loss alone

    radius: float = Field(0.03, ge=0)  # eps
    scale: Literal["unscaled", "scaled"] = "unscaled"  # which vector eps is of: the table's, or the one that is read
    alpha: float = Field(0.1, ge=0)
    beta: float = Field(0.1, ge=0)
    temperature: float = Field(0.07, gt=0)  # tau
    negatives: int = Field(10, ge=1)  # n
    negatives_from: Literal["batch", "other_sentences"] = "batch"
    include_positive: bool = False
    sign: Literal[1, -1] = 1
    share_dropout: bool = False
    contrast: Literal["word", "sentence"] = "word"

    def reads_states(self) -> bool:
        """The word's own state is what is held to its neighbours."""
        return True

    def build(self, model: Classifier, task: TrainingTask) -> "OneWord":
        """The objective over the model."""
        return OneWord(model, self)


class OneWord(Objective):
    """Eq. 7: J = L + alpha · L_adv + beta · L_cont."""

    settings: ATCL

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """A clean pass, the perturbation from its gradient, a pass under it; all pay together."""
        settings = self.settings
        if settings.alpha == settings.beta == 0:
            return super().step(engine, batch)
        places = drawn_places(candidates(batch), batch.key, batch.index)
        passes = replay(2, settings.share_dropout)
        next(passes)
        origin = batch.tokens.mask.new_zeros(*batch.tokens.mask.shape, self.model.width, dtype=torch.float32)
        clean = self.model(batch.tokens, origin.requires_grad_(), states=True)
        task = task_term(clean, batch)
        if settings.beta == 0:
            engine.backward(Loss({"task": task}))
            gradient = origin.grad
        else:
            (gradient,) = torch.autograd.grad(task.sum, origin, retain_graph=True)
        delta = settings.sign * one_word(gradient, places, self.length())  # Eq. 1
        next(passes)
        adversary = self.model(batch.tokens, delta, states=True)
        terms = {"adversarial": self.adversarial(adversary, batch, places)} if settings.alpha else {}  # Eq. 2
        if settings.beta == 0:
            engine.backward(Loss(terms))
            return Loss({"task": replace(task, sum=task.sum.detach()), **terms})
        terms = {"task": task, **terms, "contrast": self.contrasted(clean, adversary, batch, places)}
        engine.backward(Loss(terms))  # Eq. 7
        return Loss(terms)

    def length(self) -> float:
        """eps as it stands behind the lookup, where perturbations are added; no factor of the network comes twice."""
        if self.settings.scale == "unscaled":
            return self.settings.radius * self.model.lookup_scale
        return self.settings.radius / self.model.later_scale

    def measures(self, progress: Progress) -> int:
        """Some batches now and then, while there is a contrast."""
        due = progress.step % max(progress.steps // TIMES, 1) == 0
        return MEASURED if due and self.settings.beta > 0 else 0

    def measure(self, batches: Sequence[Batch]) -> Measured:
        """How large the gradients of L and of beta · L_cont are."""
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        found: list[dict[str, float]] = []
        for batch in batches:
            sizes = TermSizes(batch, trained)
            self.step(sizes, batch)
            found.append(sizes.sizes)
        task, contrast = (root_mean_square([sizes[name] for sizes in found]) for name in ("task", "contrast"))
        paid = self.settings.beta * contrast / max(task, 1e-30)
        facts = {"task_gradient": task, "contrast_gradient": contrast, "contrast_to_task_gradient": paid}
        return Measured(facts)

    def adversarial(self, adversary: Output, batch: Batch, places: Tensor) -> Term:
        """L_adv: the loss of the same labels, of sequences that have an adversary."""
        if batch.kind == "tokens":
            batch = replace(batch, label=batch.label.masked_fill((places < 0)[:, None], NO_LABEL))
        return task_term(adversary, batch, self.settings.alpha)

    def contrasted(self, clean: Output, adversary: Output, batch: Batch, places: Tensor) -> Term:
        """L_cont: each anchor against n other clean states (Eqs. 5 and 6)."""
        settings, mask = self.settings, batch.tokens.mask
        anchors, partners = (self.represented(output, batch) for output in (clean, adversary))
        if settings.contrast == "sentence":
            mask, places = torch.ones_like(mask[:, :1]), places.clamp(max=0)
        pool, starts = shared_pool(anchors, mask, batch.index)
        whole = settings.negatives_from == "other_sentences"
        drawn = drawn_negatives(places, starts, mask.sum(dim=1), len(pool), settings.negatives, whole, batch)
        mine = (drawn >= 0).any(dim=1)  # anchors that there are, with something to hold them against
        unit = "anchors" if "anchors" in batch.counts else "examples"
        if not mine.any():  # still a part of everyone's gradient where the pool is everyone's
            return Term(pool.float().sum() * 0.0, 0, unit, settings.beta)
        at = mine.nonzero().squeeze(1)
        anchor, partner = (unit_rows(rows[at, places[at]]) for rows in (anchors, partners))
        others = unit_rows(pool[drawn[at].clamp(min=0)])  # [A, n, H]
        positive = (anchor * partner).sum(dim=1) / settings.temperature
        negative = (others @ anchor[:, :, None]).squeeze(2) / settings.temperature
        negative = negative.masked_fill(drawn[at] < 0, -torch.inf)
        losses = (info_nce if settings.include_positive else negatives_only)(positive, negative)
        return Term(losses.sum(), len(losses), unit, settings.beta)

    def represented(self, output: Output, batch: Batch) -> Tensor:
        """The states [B, T, H] that are contrasted, or the mean of those the softmax reads [B, 1, H]."""
        if self.settings.contrast == "word":
            assert output.states is not None
            return output.states
        if batch.kind != "tokens":
            return output.features[:, None]
        real = (batch.label != NO_LABEL)[..., None]
        return ((output.features * real).sum(dim=1) / real.sum(dim=1).clamp(min=1))[:, None]


def candidates(batch: Batch) -> Tensor:
    """Which tokens [B, T] may be perturbed: the complete words where the data marks them, else every real token."""
    return batch.targets.get("words", batch.tokens.mask)


def shared_pool(states: Tensor, mask: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """The states of all real positions of the global batch [P, H], sequences by number, and where mine begin [B].

    Ordered by the sequences' numbers, the pool is the same however the batch is shared out over processes.
    """
    rows, lengths, every = gather(states[mask]), gather(mask.sum(dim=1)), gather(index)
    order = torch.argsort(every)
    starts = lengths.cumsum(0) - lengths  # where each sequence's rows begin as gathered …
    sorted_lengths = lengths[order]
    begins = sorted_lengths.cumsum(0) - sorted_lengths  # … and once sequences are in order
    moves = torch.repeat_interleave(starts[order] - begins, sorted_lengths)
    pool = rows[torch.arange(len(rows), device=rows.device) + moves]
    return pool, begins[torch.searchsorted(every[order], index)]


def drawn_negatives(
    places: Tensor, starts: Tensor, lengths: Tensor, pool: int, count: int, whole: bool, batch: Batch
) -> Tensor:
    """Distinct rows of the pool for each anchor [B, n], never its own (if ``whole``, nor its sentence's); -1: none."""
    drawn = torch.full((len(places), count), -1)
    given = zip(places.tolist(), starts.tolist(), lengths.tolist(), batch.index.tolist(), strict=True)
    for row, (place, start, length, example) in enumerate(given):
        if place < 0:
            continue
        first, size = (start, length) if whole else (start + place, 1)  # what is left out
        chosen = torch.randperm(pool - size, generator=generator(*batch.key, example, "negatives"))[:count]
        drawn[row, : len(chosen)] = chosen + size * (chosen >= first)
    return drawn.to(places.device)


def unit_rows(rows: Tensor) -> Tensor:
    """The rows at length 1, in single precision."""
    return F.normalize(rows.float(), dim=-1, eps=1e-12)
