"""CLINE: contrastive learning with semantic negative examples.

Wang, Ding, Li and Zheng, CLINE: Contrastive Learning with Semantic Negative Examples for Natural Language
Understanding, 2021. Symbols:

    x_ori, x_syn, x_ant   a text, its version in synonyms, its version in antonyms
    h, h_c      token states of the last layer, and that of [CLS]        lambda_i   weights of the losses, learned
    w           the detector of replaced tokens        delta_t   1 where token t was replaced

    L = lambda_1 · L_MLM + lambda_2 · L_RTD + lambda_3 · L_cts    (Eq. 7)

Paper says / we do, because:
- Eq. 4 prints a minus before its second term: read as cross-entropy, which the leading minus makes it.
- Eqs. 4 and 6 sum over tokens and texts: L_RTD is the mean over the labelled tokens of each version, then the sum of
  the two; L_cts is the mean over texts. Sums would grow with batch and length.
- "task weighting learned by training": exp(-s_i) · L_i + max(s_i, 0) with s_i starting at 0, as in the released code.
  At the network's rate s moves by no more than rate · steps, so in short runs the masked tokens keep a weight of 1 and
  the contrast weighs a sixth of what it should beside them: s has a rate of its own, ``weights_rate`` (none: the
  network's, as released). ``weights = "fixed"`` takes three numbers as they are, .16, 1 and 1 unless told: 1/L of a
  masked loss of about 6, where learned weights settle.
- It fills the longest input with text; versions are longer, and 98 % of those in synonyms lost their ends: ``room``
  leaves a quarter free.
- It starts from a checkpoint with a vocabulary head: a new one learns alone first, the encoder frozen (``head_first``).
- It does not say which x_ori is contrasted: the masked one, as in the released code, so that one pass serves both.
- f = exp(h_c · h_c') has no temperature: ``scale`` multiplies the product, 1 as in the paper.
- Versions are made anew in every epoch, keyed by the example, instead of once for the whole corpus.
- ``mode = "released"`` is what the released code does: detection among three kinds at candidate words, by a head of two
  layers; two yes-or-no decisions on the mean product of pooled texts; its policy of replacement.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from unfooled.data.batches.views import VersionSettings, ViewSettings
from unfooled.losses.contrastive import precise, synonym_antonym, two_decisions
from unfooled.losses.replaced import replaced_tokens
from unfooled.losses.uncertainty import learned_weights, price
from unfooled.methods.mlm import HeadFirst, behind, head_steps, masked_term, moved, stacked
from unfooled.methods.objective import Method, TrainingTask
from unfooled.models.encoders.masked import TokenStates
from unfooled.seeds import isolated
from unfooled.types import Batch, Loss, Term

# What a mode means for the settings that are not given themselves.
MODES: dict[str, dict[str, Any]] = {
    "paper": {"rtd": "binary_all", "contrast": "softplus", "policy": "paper"},
    "released": {"rtd": "ternary_candidates", "contrast": "decisions", "policy": "released"},
}
LOSSES = ("masked", "replaced", "contrast")
VERSIONS = ("synonym", "antonym")


class CLINE(Method):
    """Guess masked tokens, find replaced ones, and tell a text's synonyms from its antonyms."""

    tasks: ClassVar[tuple[str, ...]] = ("pretraining",)
    # Masked language modelling alone.
    off: ClassVar = {"weights": "fixed", "masked_weight": 1.0, "replaced_weight": 0.0, "contrast_weight": 0.0}

    mode: Literal["paper", "released"] = "paper"
    rtd: Literal["binary_all", "ternary_candidates", "off"] = "binary_all"
    contrast: Literal["softplus", "decisions"] = "softplus"
    policy: Literal["paper", "released"] = "paper"
    hard_negative: bool = True  # False: x_ant is any other text of the corpus
    scale: float = Field(1.0, gt=0)
    masking: float = Field(0.15, gt=0, lt=1)
    synonym_ratio: float = Field(0.4, ge=0, le=1)
    antonym_ratio: float = Field(0.2, ge=0, le=1)
    reinflect: bool = False
    other_languages: Literal["refuse", "pass"] = "refuse"  # a corpus with few words that can be replaced
    room: float = Field(0.25, ge=0, lt=1)  # share of the longest input that blocks leave free, for versions to grow
    head_first: int | None = Field(None, ge=0)  # steps of a vocabulary head alone; None: a fifth where it is new
    weights: Literal["learned", "fixed"] = "learned"
    weights_rate: float | None = Field(0.05, gt=0)  # the peak rate of learned weights; None: the plan's
    masked_weight: float = Field(0.16, ge=0)  # lambda_1 to lambda_3, where they are fixed
    replaced_weight: float = Field(1.0, ge=0)
    contrast_weight: float = Field(1.0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _as_the_mode_says(cls, given: Any) -> Any:
        known = MODES.get(given.get("mode", "paper"), {}) if isinstance(given, Mapping) else {}
        return {**known, **given} if isinstance(given, Mapping) else given

    def contrasts(self) -> bool:
        """Whether the versions are used for anything: with fixed weights of 0 they are not."""
        return self.weights == "learned" or self.contrast_weight > 0 or self.detects()

    def detects(self) -> bool:
        """Whether replaced tokens are looked for."""
        return self.rtd != "off" and (self.weights == "learned" or self.replaced_weight > 0)

    def views(self) -> ViewSettings:
        """x_ori masked, and x_syn and x_ant with their labels."""
        if not self.contrasts():
            return ViewSettings(masking=self.masking)
        ratios = {"synonym_ratio": self.synonym_ratio, "antonym_ratio": self.antonym_ratio}
        made = VersionSettings.model_validate({"policy": self.policy, "reinflect": self.reinflect, **ratios})
        negative: Literal["words", "other text"] = "words" if self.hard_negative else "other text"
        labels = self.rtd if self.detects() else "off"
        wanted = {"synonym": True, "antonym": negative, "labels": labels, "versions": made}
        return ViewSettings.model_validate({"masking": self.masking, "room": self.room, **wanted})

    def build(self, model: Any, task: TrainingTask) -> "ThreeLosses":
        """The objective, its detector new."""
        with isolated(task.seed, "replaced tokens"):
            return ThreeLosses(model, self, head_steps(self.head_first, model, task.steps))


class ThreeLosses(HeadFirst):
    """Eq. 7, in one pass over [x_ori; x_syn; x_ant]."""

    def __init__(self, model: Any, settings: CLINE, head_first: int = 0) -> None:
        super().__init__(model, settings, head_first)
        model.train_pooler(settings.contrasts() and settings.contrast == "decisions")
        self.detector = detector(model.state_width, settings.rtd) if settings.detects() else None
        self.used = [name for name in LOSSES if name != "replaced" or settings.detects()]
        self.logs = nn.Parameter(torch.zeros(len(self.used))) if settings.weights == "learned" else None  # s_i

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """lambda_1 · L_MLM + lambda_2 · L_RTD + lambda_3 · L_cts; ``delta`` moves x_ori."""
        names = ("original", *VERSIONS) if self.settings.contrasts() else ("original",)
        tokens = stacked([batch.views[name] for name in names])
        reading = self.model(tokens, behind(batch, len(names)), moved(delta, len(names)))  # Eq. 1
        weight = self.lambdas()
        terms = {"masked": masked_term(self.model, reading, batch, weight["masked"])}
        if self.detector is not None:
            terms |= self.replaced(reading.states[len(batch) :], batch, weight["replaced"])
        if len(names) > 1:
            losses = self.contrasted(self.represent(reading)["text"])
            terms["contrast"] = Term(losses.sum(), len(batch), weight=weight["contrast"])
        if self.logs is not None:
            # Once per update, however many passes and processes share it: a mean over examples of one number.
            terms["price of weights"] = Term(price(self.logs) * len(batch), len(batch))
        return Loss(terms)

    def own_rates(self) -> dict[str, float]:
        """That of the learned weights."""
        rate = self.settings.weights_rate
        return {} if self.logs is None or rate is None else {"logs": rate}

    def lambdas(self) -> dict[str, float | Tensor]:
        """The weight of each loss."""
        if self.logs is not None:
            return dict(zip(self.used, learned_weights(self.logs).unbind(), strict=True))
        fixed = self.settings
        return dict(zip(LOSSES, (fixed.masked_weight, fixed.replaced_weight, fixed.contrast_weight), strict=True))

    def replaced(self, states: Tensor, batch: Batch, weight: float | Tensor) -> dict[str, Term]:
        """L_RTD of the states of both versions [2B, T, H], each a mean over its own labelled tokens."""
        assert self.detector is not None
        logits = self.detector(precise(states))  # Eqs. 2 and 3
        logits = logits.squeeze(-1)  # one logit says yes or no; three are kinds
        terms = {}
        for name, some in zip(VERSIONS, logits.chunk(2), strict=True):
            total = replaced_tokens(some, batch.targets[f"replaced_{name}"])  # Eq. 4
            terms[f"replaced {name}"] = Term(total, batch.counts[f"{name}_tokens"], f"{name}_tokens", weight)
        return terms

    def contrasted(self, texts: Tensor) -> Tensor:
        """L_cts of each text [B], of the rows of all three views [3B, H]."""
        original, synonym, antonym = texts.chunk(3)
        if self.settings.contrast == "decisions":
            return two_decisions(original, synonym, antonym)
        return synonym_antonym(original, synonym, antonym, self.settings.scale)  # Eqs. 5 and 6

    def represent(self, reading: TokenStates) -> Mapping[str, Tensor]:
        """h_c: the state of [CLS]; as released, the pooled text."""
        return {"text": reading.text if self.settings.contrast == "decisions" else reading.states[:, 0]}

    def report(self) -> dict[str, Any]:
        """The weights the losses have come to."""
        with torch.no_grad():
            return {"task_weights": {name: float(weight) for name, weight in self.lambdas().items()}}

    def keepsakes(self) -> dict[str, dict[str, Tensor]]:
        """The detector: the model folder itself holds encoder and vocabulary head."""
        return {} if self.detector is None else {"replaced_tokens": self.detector.state_dict()}


def detector(width: int, rtd: str) -> nn.Module:
    """w of Eqs. 2 and 3, a vector; for three kinds the released head: dense, GELU, LayerNorm, linear."""
    if rtd == "binary_all":
        w = nn.Linear(width, 1, bias=False)
        nn.init.normal_(w.weight, std=0.02)
        return w
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width), nn.Linear(width, 3))
