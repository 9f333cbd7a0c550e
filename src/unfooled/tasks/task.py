"""What a task is: how its data is read, what its models are, what they say and what is right of that.

A task knows nothing of training, and nothing here imports torch before a network is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from unfooled.data.examples import load_examples, load_split
from unfooled.data.rows import LabelReading
from unfooled.errors import BadInput
from unfooled.heads import HEADS, Head
from unfooled.recipe.card import Card
from unfooled.scores.intervals import Groups
from unfooled.scores.score import Score
from unfooled.tasks.glimpse import Glimpse
from unfooled.text.protected import Span
from unfooled.types import Texts

if TYPE_CHECKING:
    from torch import Tensor

    from unfooled.data.splits import Split
    from unfooled.models.encoders.predict import Sharing
    from unfooled.models.encoders.pretrained import TextModel
    from unfooled.tokens import Encoded

Right = float | tuple[str, ...]  # a number, the names of labels, or all right answers


@dataclass(frozen=True)
class Taught:
    """A training split as a network is taught it: tokens, labels as its loss takes them; facts, notes."""

    encoded: Encoded
    labels: Tensor
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Scoring(Protocol):
    """Scores of what was said; ``groups`` name versions of one text alike, ``names`` are those of all labels."""

    def __call__(
        self, right: Sequence[Any], said: Sequence[Any], groups: Groups = None, names: Sequence[str] = ()
    ) -> dict[str, Score]:
        """Every score of the task, by its name."""


def unasked(*_: Any, **__: Any) -> Any:
    """Refuse what only tasks are asked that answer text by text."""
    raise BadInput("models of this task are not asked text by text; evaluate them by its own trials")


@dataclass(frozen=True)
class Task:
    """A task by its name. The second part is of those whose models answer text by text (``kind`` "text")."""

    name: str
    said: str  # what its models are
    kind: str  # of the job that trains it: training.jobs.JOBS
    card: Card
    reads: Callable[[Any, int], Any]  # settings of data, seed → what is trained on
    chosen_by: tuple[str, ...]  # scores that weights may be chosen by, the usual one first
    lower_is_better: tuple[str, ...] = ()  # those of its scores
    guess: Callable[[Glimpse], str | None] = lambda glimpse: None  # why data is for this task, in a few words

    head: Head | None = None
    loss: str = ""  # by its name in losses.targets
    labels: tuple[str, ...] = ()  # of the head, where they are not the data's
    confusion: bool = False  # whether answers are classes, so that validation keeps their confusion and their loss
    rewritten: tuple[int, ...] | None = None  # texts of a row that a method may add versions of; None: all
    pair_stays: bool = False  # whether words of a row's other texts stay in those versions
    # settings, a model's labels, split, limit, seed → a split, its fingerprint, notes
    reads_split: Callable[..., tuple[Split[Any], str, tuple[str, ...]]] = unasked
    encoded: Callable[[TextModel, Sequence[Texts]], Any] = unasked  # texts as the network reads them
    taught: Callable[[TextModel, Split[Any]], Taught] = unasked
    answers: Callable[[TextModel, Any, Sequence[Texts], int, Sharing | None], Sequence[Any]] = unasked  # to ``encoded``
    right: Callable[[Any, Sequence[str]], Right] = unasked  # a label, the names of all → what is right
    scores: Scoring = unasked
    stays: Callable[[Texts, Any], list[list[Span]]] = unasked  # texts, label → what must not change in ``free`` texts
    free: Callable[[Texts], Texts] = lambda texts: texts  # the texts that may change at all

    @property
    def is_measured(self) -> bool:
        """Whether its models can be put through trials."""
        return self.reads_split is not unasked

    def says(self, model: TextModel, texts: Sequence[Texts], batch_size: int) -> Sequence[Any]:
        """What a model says of each text: a number, the names of labels, or an answer."""
        return self.answers(model, self.encoded(model, texts), texts, batch_size, None)


def text_task(name: str, reading: LabelReading[Any], **parts: Any) -> Task:
    """The task of a head's name, whose models answer text by text and whose labels are read so."""
    return Task(
        name=name,
        said=HEADS[name].said,
        kind="text",
        reads=partial(load_examples, reading=reading),
        head=HEADS[name],
        loss=name,
        reads_split=partial(load_split, reading=reading),
        **parts,
    )


def nothing_stays(texts: Texts, label: Any) -> list[list[Span]]:
    """Every word may change: what is right does not depend on one."""
    return [[] for _ in texts]
