"""A set of classes for each text or pair of texts, as the relations in a dialogue.

The network has one logit per class, trained by binary cross-entropy. A class is said where its probability reaches
1/2; where no row of train is without a label, at least the likeliest class is. Weights are chosen by micro F1 on
validation over all classes but the one that stands for nothing. Where texts are changed, the second one stays (the pair
whose relations are asked for), and in the first its words and the speakers' names.

Paper says / we do: DialogRE's release (Yu, Sun, Cardie and Yu, 2020) tunes on validation how likely the first class
must be where none reaches 1/2; we take it as it is, so that nothing but the weights is chosen on validation. Its text
is [CLS] dialogue [SEP] x [SEP] y [SEP]; ours is the dialogue and "x; y" as a pair, which every tokenizer can write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unfooled.data.label_sets import SETS, is_dialogue
from unfooled.heads import AT_LEAST_ONE, says_something
from unfooled.recipe.card import Card
from unfooled.scores.agreement import THRESHOLD, indicators, set_scores
from unfooled.scores.intervals import Groups
from unfooled.scores.score import Score
from unfooled.tasks.glimpse import Glimpse, most
from unfooled.tasks.task import Taught, text_task
from unfooled.tasks.whole_texts import cut_note, encoded
from unfooled.text.protected import Span, mentions, speakers, words_in
from unfooled.types import Texts

if TYPE_CHECKING:
    from torch import Tensor

    from unfooled.data.splits import Split
    from unfooled.models.encoders.predict import Sharing
    from unfooled.models.encoders.pretrained import TextModel
    from unfooled.tokens import Encoded

Names = tuple[str, ...]


def guess(glimpse: Glimpse) -> str | None:
    """Rows are dialogues with relations, or labels are lists."""
    if is_dialogue(glimpse.table):
        return "its rows are dialogues with relations"
    listed = most(isinstance(value, list | tuple) for value in glimpse.column(glimpse.label))
    return f"column {glimpse.label} holds lists" if listed else None


def taught(model: TextModel, train: Split) -> Taught:
    """Texts with 0 and 1 for each class; the model's configuration says whether it must say something."""
    import torch

    labels = torch.zeros(len(train), len(model.labels))
    for row, numbers in enumerate(train.labels):
        labels[row, list(numbers)] = 1
    at_least_one = bool(labels.any(dim=1).all())
    model.classifier.network.config.update({AT_LEAST_ONE: at_least_one})
    tokens = encoded(model, train.texts)
    return Taught(tokens, labels, {"threshold": THRESHOLD, "at_least_one": at_least_one}, cut_note(tokens, model))


def answers(
    model: TextModel, tokens: Encoded, texts: Sequence[Texts], batch_size: int, sharing: Sharing | None = None
) -> list[Names]:
    """The names of the labels of each text."""
    from unfooled.models.encoders import predict

    logits = predict.answers(model, tokens, batch_size, sharing)
    rows = said(logits, says_something(model.classifier.network.config)).tolist()
    return [tuple(name for name, is_said in zip(model.labels, row, strict=True) if is_said) for row in rows]


def said(logits: Tensor, at_least_one: bool) -> Tensor:
    """The classes that logits [N, C] say: all of probability 1/2 or more, or else, where so wanted, the likeliest.

    >>> import torch
    >>> said(torch.tensor([[-1.0, 2.0, 0.0], [-3.0, -1.0, -2.0]]), at_least_one=True).int().tolist()
    [[0, 1, 1], [0, 1, 0]]
    """
    chosen = logits.sigmoid() >= THRESHOLD
    if at_least_one:
        silent = ~chosen.any(dim=1)
        chosen[silent, logits[silent].argmax(dim=1)] = True
    return chosen


def right(label: Any, names: Sequence[str]) -> Names:
    """The names of the labels."""
    return tuple(names[number] for number in label)


def scores(
    right: Sequence[Names], said: Sequence[Names], groups: Groups = None, names: Sequence[str] = ()
) -> dict[str, Score]:
    """Micro F1 and exact match."""
    names = names or sorted({name for some in (*right, *said) for name in some})
    return set_scores(indicators(right, names), indicators(said, names), names, groups)


def stays(texts: Texts, label: Any) -> list[list[Span]]:
    """In the first text, words of the others and who speaks."""
    return [[*mentions(texts[0], words_in(*texts[1:])), *speakers(texts[0])]]


TASK = text_task(
    "multilabel",
    SETS,
    card=Card(
        "text-classification",
        "A model that gives texts any number of labels",
        'transformers.pipeline("text-classification", "FOLDER", truncation=True, top_k=None)',
    ),
    chosen_by=("f1", "exact match"),
    guess=guess,
    rewritten=(0,),
    pair_stays=True,
    encoded=encoded,
    taught=taught,
    answers=answers,
    right=right,
    scores=scores,
    stays=stays,
    free=lambda texts: texts[:1],
)
