"""RAR: reconstruction from adversarial representations.

Qiu, Zhang and Zhou, Improving Gradient-based Adversarial Training for Text Classification by Contrastive Learning and
Auto-Encoder, 2021, Section 3.3. Symbols:

    E, delta    looked-up embeddings and FreeLB's perturbation        L_C   task loss at E + delta
    R_adv,tok   token states of the encoder's last layer at E + delta
    L_R         cross-entropy of the original tokens, guessed from R_adv,tok        w_r (weight)   its weight

    min L_C + w_r · L_R    at    delta = argmax L_C    (Eq. 7)

Paper says / we do, because:
- "a Layer Normalization, GeLU Activation Function and two Feed Forward Layers": dense, GELU, LayerNorm, decoder tied
  to the word embeddings plus a bias. Only this order has the number of parameters the paper prints (ALBERT + 128,688).
- It does not say in which of FreeLB's K passes L_R is paid: in each, 1/K of it (``rar_pass = "last"``: once, in full,
  at the last perturbation).
- "every token": all but padding, [CLS] and [SEP] included; no input is masked. ``exclude_special`` leaves out the first
  and the last token of each text but still divides by the number of all of them: that number is known for the whole
  update, over processes, and so two processes stay equal to one.
- The paper loads only embeddings and encoder, so its head starts from nothing, and L_R pulls at the encoder from step
  0. A new head's gradient is three times the task's and says nothing yet: we start from the checkpoint's own
  masked-language-model head where it has one, else from N(0, 0.02) (``init``), and such a head learns first, from
  states and word vectors that are constants to it, while L_C trains as ever (``head_first``; 0 is the paper's). GELU
  stays the tanh form and LayerNorm's eps 1e-12, from which BERT's and RoBERTa's own differ a little.
"""

from dataclasses import replace
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.losses.tokens import reconstruction
from unfooled.methods.objective import Backward, Method, Objective, TrainingTask, task_term
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.lora import unwrapped
from unfooled.models.heads.reconstructor import KEEPSAKE, Reconstructor, has_pretrained_head, pretrained_head
from unfooled.perturb import Ascent, Ball, Norm, Start, free_passes
from unfooled.seeds import isolated
from unfooled.types import Batch, Loss, Progress, Term, Tokens

MOST_FIRST = 300  # updates in which a new head learns alone


class RAR(Method):
    """FreeLB, and every original token guessed from its state under the perturbation."""

    tasks: ClassVar = ("text",)
    off: ClassVar = {"weight": 0.0, "radius": 0.0}  # K equal passes and no reconstruction

    passes: int = Field(3, ge=1)
    step_size: float = Field(0.03, ge=0)
    spread: float = Field(0.05, ge=0)
    radius: float | None = Field(None, ge=0)
    norm: Norm = Norm.L2
    share_dropout: bool = True
    weight: float = Field(0.1, ge=0)  # w_r
    exclude_special: bool = False
    rar_pass: Literal["all", "last"] = Field("all")
    init: Literal["auto", "fresh", "pretrained"] = "auto"  # of the head: pretrained where there is one
    head_first: float = Field(0.2, ge=0, le=1)  # the share of the steps, MOST_FIRST at most, in which it learns alone

    def ascent(self) -> Ascent:
        """FreeLB's K-1 steps from uniform noise."""
        return Ascent(Ball(self.radius, self.norm), self.passes - 1, self.step_size, Start.UNIFORM, self.spread)

    def reads_states(self) -> bool:
        """Tokens are guessed from them."""
        return True

    def build(self, model: Classifier, task: TrainingTask) -> "Reconstruct":
        """The objective, its head fresh or the checkpoint's own."""
        network = unwrapped(model.network)
        if model.is_one_piece:
            kind = type(network).__name__
            raise BadInput(f"RAR needs token states and {kind} has none; use a Hugging Face encoder")
        with isolated(task.seed, "reconstructor"):
            head = Reconstructor(network.get_input_embeddings(), network.config.hidden_size)
        known = self.init == "pretrained" or (self.init == "auto" and has_pretrained_head(network))
        if known:
            refusal = 'the checkpoint\'s masked-language-model head does not fit its encoder; use method.init = "fresh"'
            head.take_over(pretrained_head(network), refusal)
        first = 0 if known else min(round(self.head_first * task.steps), MOST_FIRST)
        return Reconstruct(model, self, head, first)


class Reconstruct(Objective):
    """L_C + w_r · L_R along FreeLB's ascent (Eq. 7)."""

    updates: Tensor

    def __init__(self, model: Classifier, settings: RAR, head: Reconstructor, first: int = 0) -> None:
        super().__init__(model, settings)
        self.ascent, self.reconstructor = settings.ascent(), head
        self.first = first  # updates in which the head learns alone
        self.register_buffer("updates", torch.tensor(0))

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """L_C + w_r · L_R at E + delta."""
        return self.at(batch, delta, self.settings.weight)

    def at(self, batch: Batch, delta: Tensor | None, weight: float) -> Loss:
        """L_C + weight · L_R at E + delta; nothing is reconstructed at weight 0."""
        if weight == 0:
            return super().forward(batch, delta)
        output = self.model(batch.tokens, delta, states=True)
        guessed = self.guessed(batch.tokens, output.states, weight)
        return Loss({"task": task_term(output, batch), "reconstruction": guessed})

    def guessed(self, tokens: Tokens, states: Tensor, weight: float) -> Term:
        """L_R: the original ids against what the head makes of the states, at real tokens only."""
        kept = without_ends(tokens.mask) if self.settings.exclude_special else tokens.mask
        head, words = self.reconstructor, self.reconstructor.weight
        if self.updates < self.first:
            states, words = states.detach(), words.detach()
        total = reconstruction(head(states[kept]), words, head.bias, tokens.ids[kept])
        return Term(total, int(tokens.mask.sum()), "tokens", weight)

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """K passes, each paying 1/K; between them delta climbs L_C alone (the inner maximum of Eq. 7)."""
        passes, losses = self.ascent.steps + 1, []
        mask, share = batch.tokens.mask, self.settings.share_dropout
        moves = free_passes(self.ascent, mask, self.model.width, batch.key, batch.index, share)
        for turn, delta in enumerate(moves):
            loss = self.at(batch, delta, self.weight_of(turn))
            uphill = None
            if delta.requires_grad and "reconstruction" in loss.terms:
                (uphill,) = torch.autograd.grad(loss.terms["task"].sum, delta, retain_graph=True)
            engine.backward(loss, share=1 / passes)
            if uphill is not None:
                delta.grad = uphill  # in place of the gradient of L_C + w_r · L_R
            losses.append({name: replace(term, sum=term.sum.detach()) for name, term in loss.terms.items()})
        return self.summary(losses)

    def after_step(self, progress: Progress) -> None:
        """Count the updates."""
        self.updates += 1

    def report(self) -> dict[str, int]:
        """In how many updates the head learnt alone."""
        return {"head_first_updates": min(self.first, int(self.updates))}

    def keepsakes(self) -> dict[str, dict[str, Tensor]]:
        """The head, for text-form adversaries: the model folder itself holds the classifier alone."""
        return {KEEPSAKE: self.reconstructor.state_dict()}

    def weight_of(self, turn: int) -> float:
        """What L_R weighs in a pass that pays 1/K: w_r in all, or K · w_r in the last."""
        weight, last = self.settings.weight, self.ascent.steps
        if self.settings.rar_pass == "last":  # noqa: S105 (a pass, no password)
            return weight * (last + 1) if turn == last else 0.0
        return weight

    def summary(self, losses: list[dict[str, Term]]) -> Loss:
        """What was minimised, for the log: each term's mean over the passes that hold it."""
        terms = {}
        for name, last in losses[-1].items():
            sums = [each[name].sum for each in losses if name in each]
            weight = self.settings.weight if name == "reconstruction" else 1.0
            terms[name] = replace(last, sum=torch.stack(sums).mean(), weight=weight)
        return Loss({**terms, "last pass": replace(losses[-1]["task"], weight=0.0)})


def without_ends(mask: Tensor) -> Tensor:
    """The mask [B, T] without the first and the last real token of each text, where [CLS] and [SEP] stand.

    >>> without_ends(torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]).bool()).int().tolist()
    [[0, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
    """
    place = mask.long().cumsum(dim=1)
    return mask & (place > 1) & (place < mask.sum(dim=1, keepdim=True))
