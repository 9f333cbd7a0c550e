"""One class for each text or pair of texts.

Weights are chosen by accuracy on validation, or by Matthews correlation (CoLA) or F1 (MRPC) where ``plan.choose_by``
says so; all three are reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unfooled.data.classes import CLASSES
from unfooled.data.embedded import MOVIE_REVIEWS
from unfooled.recipe.card import Card
from unfooled.scores.agreement import f1_of_classes, matthews
from unfooled.scores.intervals import Groups, proportion
from unfooled.scores.score import Score
from unfooled.tasks.glimpse import Glimpse
from unfooled.tasks.task import Taught, nothing_stays, text_task
from unfooled.tasks.whole_texts import cut_note, encoded
from unfooled.types import Texts

if TYPE_CHECKING:
    from unfooled.data.splits import Split
    from unfooled.models.encoders.predict import Sharing
    from unfooled.models.encoders.pretrained import TextModel
    from unfooled.tokens import Encoded

Name = tuple[str]  # of the one class


def guess(glimpse: Glimpse) -> str | None:
    """Reviews are known to be, and slow to read twice; other data is for no reason that could be said."""
    return "" if glimpse.settings.source == MOVIE_REVIEWS else None


def taught(model: TextModel, train: Split) -> Taught:
    """Texts with the number of their class."""
    import torch

    tokens = encoded(model, train.texts)
    return Taught(tokens, torch.tensor(train.labels), notes=cut_note(tokens, model))


def answers(
    model: TextModel, tokens: Encoded, texts: Sequence[Texts], batch_size: int, sharing: Sharing | None = None
) -> list[Name]:
    """The name of the likeliest class of each text."""
    from unfooled.models.encoders import predict

    return [(model.labels[number],) for number in predict.answers(model, tokens, batch_size, sharing).argmax(1)]


def right(label: Any, names: Sequence[str]) -> Name:
    """The name of the class."""
    return (names[label],)


def scores(right: Sequence[Name], said: Sequence[Name], groups: Groups = None, names: Sequence[str] = ()) -> Any:
    """Accuracy, Matthews correlation and F1."""
    names = names or sorted({name for some in (*right, *said) for name in some})
    number = {name: place for place, name in enumerate(names)}
    confusion = [[0] * len(names) for _ in names]
    for (true,), (answer,) in zip(right, said, strict=True):
        confusion[number[true]][number[answer]] += 1
    return class_scores(confusion, names)


def class_scores(confusion: Sequence[Sequence[int]], names: Sequence[str]) -> dict[str, Score]:
    """Accuracy, Matthews correlation and F1 of a confusion."""
    same, size = sum(confusion[place][place] for place in range(len(names))), sum(map(sum, confusion))
    accuracy = proportion(same, size, "share of the split whose label has the highest probability")
    return {"accuracy": accuracy, "matthews": matthews(confusion), "f1": f1_of_classes(confusion, names)}


TASK = text_task(
    "classification",
    CLASSES,
    card=Card(
        "text-classification",
        "A text classifier",
        'transformers.pipeline("text-classification", "FOLDER", truncation=True)',
    ),
    chosen_by=("accuracy", "matthews", "f1"),
    guess=guess,
    confusion=True,
    encoded=encoded,
    taught=taught,
    answers=answers,
    right=right,
    scores=scores,
    stays=nothing_stays,
)
