"""DCL: disentangled contrastive learning.

Chen, Xie, Bi, Ye, Deng, Zhang and Chen, Disentangled Contrastive Learning for Learning Robust Textual Representations,
2021. Symbols:

    X, X'       a text and its version in synonyms        theta, xi   the online network and its slow copy, the target
    q, p        projections of X and X'        g   the predictor, on the online side alone        tau   momentum

    L = L_MLM + L_align + L_align with X and X' exchanged    (Eq. 8);    xi ← tau · xi + (1 - tau) · theta    (Eq. 7)

Features are kept apart by power normalisation in projector and predictor (Eq. 9), not by negatives; ``norm = "batch"``
and ``"none"`` are for the study of collapse.

Paper says / we do, because:
- The released code builds target and online network around one encoder and freezes it with the target, so that only
  projector and predictor learn; the target here is a deep copy.
- Sizes, momentum, weights and what is masked are not in the paper: 512 and 128, .996, equal weights, and X masked but
  X' not, as in the released code.
- The text projects p and compares with q of the target, Eq. 8 the other way round; summed both ways it is the same.
- Eq. 9 lacks the scaling of each row by its own size that the released code does: ``group_scaling``, on by default.
- Eq. 5's minus is a misprint: alignment is minimised. Eq. 6, uniformity, is measured and not minimised.
- ``mode = "released"`` takes the released normalisation literally: its gradient over the batch's own statistic and its
  cumulative mean while it warms up. Its views (perturbations of a task's own training texts) are not rebuilt.
- Blocks leave a quarter of the longest input free (``room``): versions are longer, and 98 % of them lost their ends.
- The released code clips the predictor's gradient by itself; here one norm is over all parameters.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from unfooled.data.batches.views import VersionSettings, ViewSettings
from unfooled.losses.contrastive import misalignment, precise
from unfooled.methods.mlm import behind, masked_term, moved, stacked
from unfooled.methods.objective import Method, Objective, TrainingTask
from unfooled.models.encoders.masked import TokenStates, encoded
from unfooled.models.heads.power_norm import Norm
from unfooled.models.heads.projector import projector
from unfooled.models.heads.teacher import Teacher
from unfooled.seeds import isolated
from unfooled.types import Batch, Loss, Progress, Term, Tokens

MOST_WARMUP = 1000  # what the released code takes
WARMUP_SHARE = 0.1  # of all steps, in short runs


class DCL(Method):
    """Guess masked tokens, and predict what a slow copy of the network says of the text in synonyms."""

    tasks: ClassVar[tuple[str, ...]] = ("pretraining",)
    off: ClassVar = {"weight": 0.0}  # masked language modelling alone

    mode: Literal["paper", "released"] = "paper"
    norm: Norm = "power"
    group_scaling: bool = True
    warmup: int | None = Field(None, ge=0)  # steps that normalise by their own batch; None: a tenth, at most 1000
    hidden: int = Field(512, ge=1)
    width: int = Field(128, ge=1)  # of projection and prediction
    momentum: float = Field(0.996, ge=0, le=1)  # tau
    weight: float = Field(1.0, ge=0)  # of the alignment
    frozen_layers: int = Field(0, ge=0)  # lower layers, and the words below them, that stay as they are: for studies
    masking: float = Field(0.15, gt=0, lt=1)
    synonym_ratio: float = Field(0.3, ge=0, le=1)
    room: float = Field(0.25, ge=0, lt=1)  # share of the longest input that blocks leave free, for versions to grow
    reinflect: bool = False
    other_languages: Literal["refuse", "pass"] = "refuse"  # a corpus with few words that can be replaced

    def views(self) -> ViewSettings:
        """X masked and X' in synonyms of the same part of speech."""
        made = VersionSettings(synonym_ratio=self.synonym_ratio, synonym_kinds=("synonym",), reinflect=self.reinflect)
        room = self.room if self.weight > 0 else 0.0
        return ViewSettings(masking=self.masking, synonym=self.weight > 0, versions=made, room=room)

    def build(self, model: Any, task: TrainingTask) -> "Align":
        """The objective, projector and predictor new, the target a copy."""
        steps = min(round(WARMUP_SHARE * task.steps), MOST_WARMUP) if self.warmup is None else self.warmup
        with isolated(task.seed, "projector"):
            return Align(model, self, steps * task.passes)  # the statistics move with every pass


class Align(Objective):
    """L_MLM + w · (L_align + L_align exchanged), each network seeing [X; X'] in one call."""

    model: Any  # a MaskedModel

    def __init__(self, model: Any, settings: DCL, warmup: int) -> None:
        super().__init__(model, settings)
        model.train_pooler(settings.weight > 0)
        model.freeze_layers(settings.frozen_layers)
        norm, released = settings.norm, settings.mode == "released"
        head = partial(projector, norm=norm, warmup=warmup, group_scaling=settings.group_scaling, released=released)
        self.projector = head(model.state_width, settings.hidden, settings.width)
        self.predictor = head(settings.width, settings.hidden, settings.width)  # g
        self.target = Teacher(model.encoder, self.projector, momentum=settings.momentum)  # xi

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """L_MLM on X, and the alignment; ``delta`` moves X as the online network sees it."""
        names = ("original", "synonym") if self.settings.weight > 0 else ("original",)
        tokens = stacked([batch.views[name] for name in names])
        reading = self.model(tokens, behind(batch, len(names)), moved(delta, len(names)))
        terms = {"masked": masked_term(self.model, reading, batch)}
        if len(names) > 1:
            predicted = self.predictor(self.projected(reading))  # [g(q_theta); g(p_theta)]
            exchanged = self.aimed_at(tokens).roll(len(batch), dims=0)  # [p_xi; q_xi]
            losses = misalignment(predicted, exchanged)  # Eq. 8 both ways
            terms["alignment"] = Term(losses.sum(), len(batch), weight=self.settings.weight)
        return Loss(terms)

    def projected(self, reading: TokenStates) -> Tensor:
        """q and p: projections of pooled texts, in at least single precision."""
        vectors: Tensor = self.projector(precise(reading.text))
        return vectors

    def aimed_at(self, tokens: Tokens) -> Tensor:
        """What the target makes of the same tokens, without gradients; its dropout is on, as released."""
        encoder, head = self.target.networks
        with torch.no_grad():
            with self.model.precision(tokens.ids.device):
                reading = encoded(encoder, tokens)
            vectors: Tensor = head(precise(reading.text))
        return vectors

    def after_step(self, progress: Progress) -> None:
        """The target follows (Eq. 7)."""
        self.target.follow(self.model.encoder, self.projector)

    def represent(self, reading: TokenStates) -> Mapping[str, Tensor]:
        """The first token's state, and the projection that is aligned (Figure 3)."""
        return {"text": reading.states[:, 0], "projection": self.projected(reading)}

    def keepsakes(self) -> dict[str, dict[str, Tensor]]:
        """Projector and predictor: the model folder itself holds encoder and vocabulary head."""
        return {"projector": self.projector.state_dict(), "predictor": self.predictor.state_dict()}
