"""What every method is: frozen settings that build an objective, and an objective that is minimised."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

from torch import Tensor, nn

from unfooled.data.batches.views import ViewSettings
from unfooled.losses.targets import target_loss
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.masked import TokenStates
from unfooled.models.encoders.pretrained import TextModel
from unfooled.settings import Settings
from unfooled.substitution.reading import WordReader
from unfooled.types import Batch, Evaluation, Loss, Output, Progress, Term, Texts

# What a loss at moved embeddings is enough for: every task over texts, and models that write.
PREDICTING = ("text", "lm", "translation")


class Backward(Protocol):
    """What an objective may ask of the engine: to send gradients back."""

    def backward(self, loss: Loss, share: float = 1.0) -> None:
        """Add ``share`` of the loss's gradient to the parameters', its means taken over the whole update."""


class Objective(nn.Module):
    """A model and what is minimised over it.

    Everything that must survive a restart (heads, banks, teachers, distances) is a parameter or buffer of the
    objective: one ``state_dict``, nothing forgotten.
    """

    notes: tuple[str, ...] = ()  # said once, before training

    def __init__(self, model: Classifier, settings: Any = None) -> None:
        super().__init__()
        self.model = model
        self.settings = settings  # the method's

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """The loss of a batch at E, or at E + delta: the task's own, L_C, unless the paper adds to it."""
        return Loss({"task": task_term(self.model(batch.tokens, delta), batch)})

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """One pass forward and back, unless the paper needs more."""
        loss = self(batch)
        engine.backward(loss)
        return loss

    def after_step(self, progress: Progress) -> None:
        """Called after the optimiser has moved the parameters."""

    def sweep_due(self, progress: Progress) -> bool:
        """Whether the whole training set is to be gone through before the next step, as to fill a memory bank."""
        return False

    def sweep(self, batch: Batch) -> None:
        """One batch of such a sweep, in evaluation mode."""

    def measures(self, progress: Progress) -> int:
        """On how many global batches the method wants to measure itself before the next step."""
        return 0

    def measure(self, batches: Sequence[Batch]) -> "Measured":
        """What it finds on them, in training mode; no parameter moves and none keeps a gradient."""
        return Measured({})

    def report(self) -> Mapping[str, Any]:
        """What of the method's own doings belongs into the summary of the run."""
        return {}

    def keepsakes(self) -> Mapping[str, Mapping[str, Tensor]]:
        """What of the method's own tensors is saved beside the model, each set in a safetensors file of its name."""
        return {}

    def own_rates(self) -> Mapping[str, float]:
        """The peak learning rates of parameters that do not go by the plan's, by name."""
        return {}

    def after_eval(self, evaluation: Evaluation) -> None:
        """Called with what each look at the validation split found."""

    def represent(self, reading: TokenStates) -> Mapping[str, Tensor]:
        """The vectors of texts [B, H], by name, that a look at pre-training compares."""
        return {}


@dataclass(frozen=True)
class Measured:
    """What a method found out about itself, for the run's log, and what to warn of."""

    facts: Mapping[str, float]
    warning: str = ""


@dataclass(frozen=True)
class TrainingTask:
    """What a method may know of its task: the class of every training example [N], and how long it trains."""

    classes: int
    labels: Tensor
    steps: int
    seed: int
    names: tuple[str, ...] = ()  # of the classes
    passes: int = 1  # of a batch each, per step: gradients are accumulated over them
    confusion: Tensor | None = None  # of a baseline on the validation split, where the method asks for one
    texts: Sequence[Texts] = ()  # the training examples, for a method that changes their words
    reader: WordReader | None = None  # how the network reads them
    lengths: Tensor | None = None  # tokens of each training example [N], where they are known beforehand


LabelName = str | frozenset[str]


@dataclass(frozen=True)
class TrainingRows:
    """The rows of a training split, for a method that adds to them before they are tokenised.

    ``labels`` name the class of each row, or its set of them, where rows have one; ``free`` says which of a row's
    texts may be changed (not the one an answer is taken from); with ``pair_stays`` words that also stand in a row's
    other texts, such as the names that are asked about, stay as they are.
    """

    texts: Sequence[Texts]
    labels: Sequence[LabelName]
    free: tuple[int, ...]
    seed: int
    pair_stays: bool = False


@dataclass(frozen=True)
class Additions:
    """Texts to be trained on besides, each with the row whose label it takes; a note, and facts for the summary."""

    texts: Sequence[Texts] = ()
    rows: Sequence[int] = ()
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


class Method(Settings, ABC):
    """A paper's hyper-parameters; ``build`` makes its objective; ``tasks`` names what it can train, or kinds of it."""

    tasks: ClassVar[tuple[str, ...]] = ("classification",)
    off: ClassVar[Mapping[str, Any]] = {}  # the settings under which it adds nothing: training as the baseline does
    perturbs_words: ClassVar[bool] = False  # complete ones, without which there is nothing to train by
    exchanges_words: ClassVar[bool] = False  # of the training texts, which it must then be told

    def prepared(self, model: TextModel, texts: Sequence[Texts]) -> TextModel:
        """The model as training begins with it, given the training texts: as it is, unless the method adds words."""
        return model

    @abstractmethod
    def build(self, model: Classifier, task: TrainingTask) -> Objective:
        """The objective of this method over the model."""

    def more_rows(self, known: TrainingRows) -> Additions:
        """What is trained on besides the training split, made of that split alone."""
        return Additions()

    def views(self) -> ViewSettings:
        """Of a method that pre-trains: which views of a text it wants, and how they are made."""
        return ViewSettings()

    def baseline_run(self) -> str | None:
        """The run folder of a plain model whose validation confusion the method wants to see."""
        return None

    def reads_states(self) -> bool:
        """Whether it reads what the encoder's last layer says of every token."""
        return False

    def switched_off(self) -> Self:
        """These settings with the method's own addition at weight or radius 0."""
        return self.model_copy(update=dict(self.off))


def task_term(output: Output, batch: Batch, weight: float = 1.0) -> Term:
    """The task's loss of the labels, summed over the batch: for classes, their cross-entropy."""
    total, count, unit = target_loss(output.logits, batch.label, batch.kind, batch.smoothing, output.rated)
    return Term(total, count, unit, weight)
