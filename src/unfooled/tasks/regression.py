"""One number for each text or pair of texts, as how similar they are.

The network has one logit, trained by squared error. Weights are chosen by Pearson's correlation on validation, which is
what GLUE lists first for STS-B; Spearman's and the mean squared error stand beside it. Names and numbers of a pair
change in both texts alike, so nothing needs to stay as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from unfooled.data.labels import number_in
from unfooled.data.numbers import NUMBERS
from unfooled.errors import BadInput
from unfooled.recipe.card import Card
from unfooled.scores.agreement import number_scores
from unfooled.scores.intervals import Groups
from unfooled.scores.score import Score
from unfooled.tasks.glimpse import Glimpse, most
from unfooled.tasks.task import Taught, nothing_stays, text_task
from unfooled.tasks.whole_texts import cut_note, encoded
from unfooled.types import Texts

if TYPE_CHECKING:
    from unfooled.data.splits import Split
    from unfooled.models.encoders.predict import Sharing
    from unfooled.models.encoders.pretrained import TextModel
    from unfooled.tokens import Encoded

LABEL = "score"  # what the saved configuration calls its one logit
MANY = 10  # different numbers, above which they are not classes


def guess(glimpse: Glimpse) -> str | None:
    """Labels are numbers, many of them, and not all whole."""
    values = glimpse.column(glimpse.label)
    numbers = [number for number in map(number_in, values) if number is not None]
    fractions = any(not number.is_integer() for number in numbers)
    if most(number_in(value) is not None for value in values) and fractions and len(set(numbers)) > MANY:
        return f"column {glimpse.label} holds {len(set(numbers))} different numbers"
    return None


def taught(model: TextModel, train: Split) -> Taught:
    """Texts with their numbers."""
    import torch

    tokens = encoded(model, train.texts)
    facts = {"label_range": [min(train.labels), max(train.labels)]}
    return Taught(tokens, torch.tensor(train.labels, dtype=torch.float32), facts, cut_note(tokens, model))


def answers(
    model: TextModel, tokens: Encoded, texts: Sequence[Texts], batch_size: int, sharing: Sharing | None = None
) -> list[float]:
    """A number for each text."""
    from unfooled.models.encoders import predict

    numbers = predict.answers(model, tokens, batch_size, sharing)[:, 0].tolist()
    if not all(map(isfinite, numbers)):
        raise BadInput(f"{model.name} answers some of the texts with no finite number; restore or retrain the model")
    return numbers


def right(label: Any, names: Sequence[str]) -> float:
    """The number."""
    return float(label)


def scores(
    right: Sequence[float], said: Sequence[float], groups: Groups = None, names: Sequence[str] = ()
) -> dict[str, Score]:
    """Pearson's and Spearman's correlation and the squared error."""
    return number_scores(right, said, groups)


TASK = text_task(
    "regression",
    NUMBERS,
    card=Card(
        "text-classification",
        "A model that gives texts a number",
        'transformers.pipeline("text-classification", "FOLDER", truncation=True, function_to_apply="none")',
    ),
    chosen_by=("pearson", "spearman", "squared error"),
    lower_is_better=("squared error",),
    guess=guess,
    labels=(LABEL,),
    encoded=encoded,
    taught=taught,
    answers=answers,
    right=right,
    scores=scores,
    stays=nothing_stays,
)
