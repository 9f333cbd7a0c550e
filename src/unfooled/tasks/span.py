"""Where the answer to a question stands in its context.

The network gives each token a logit to be the answer's first and one to be its last. Long contexts are read in windows
that share a third of their tokens; a window without the answer asks for the first token twice. The answer is the best
legal span over all windows of a context. Weights are chosen by SQuAD's F1 on validation. Where texts are changed, the
right answers stay as they stand in the context, and their words (but for stop words) wherever else they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unfooled.data.columns import usual_column
from unfooled.data.label_sets import is_dialogue
from unfooled.data.questions import ANSWERS, CONTEXTS, QUESTIONS, SPANS, flattened
from unfooled.errors import BadInput
from unfooled.recipe.card import Card
from unfooled.scores.intervals import Groups
from unfooled.scores.score import Score
from unfooled.scores.squad import answer_scores
from unfooled.tasks.glimpse import Glimpse, most
from unfooled.tasks.task import Taught, text_task
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.protected import Span, mentions, words_in
from unfooled.types import Texts

if TYPE_CHECKING:
    from unfooled.data.splits import Split
    from unfooled.models.encoders.predict import Sharing
    from unfooled.models.encoders.pretrained import TextModel
    from unfooled.models.encoders.spans import Windows

LABELS = ("start", "end")


def guess(glimpse: Glimpse) -> str | None:
    """There are questions, contexts, and answers with their places."""
    names = flattened(glimpse.table).columns
    label = glimpse.settings.label or usual_column(names, ANSWERS)
    asked = all(usual_column(names, usual) for usual in (QUESTIONS, CONTEXTS)) and not is_dialogue(glimpse.table)
    if asked and label and most(map(is_answers, glimpse.column(label))):
        return f"column {label} holds answers with their places in a context"
    return None


def is_answers(value: object) -> bool:
    """Whether a value is answers with texts, as SQuAD writes them."""
    if isinstance(value, Mapping):
        return "text" in value
    return isinstance(value, list) and all(isinstance(one, Mapping) and "text" in one for one in value)


def windows(model: TextModel, texts: Sequence[Texts]) -> Windows:
    """Questions with pieces of their contexts."""
    from unfooled.models.encoders import spans

    return spans.windows(model.tokenizer, texts, model.max_length)


def taught(model: TextModel, train: Split) -> Taught:
    """Windows with the first and the last token of the first right answer."""
    from unfooled.models.encoders.spans import LONGEST_ANSWER, positions_of

    cut = windows(model, train.texts)
    labels = positions_of(cut, [some[0] for some in train.labels])
    held = int(labels.any(dim=1).sum())
    if not held:
        raise BadInput(f"no window of {model.max_length} tokens holds an answer whole; raise model.max_length")
    facts = {"longest_answer": LONGEST_ANSWER, "windows": len(labels), "windows_with_answer": held}
    note = f"{len(train):,} questions are {len(labels):,} windows of at most {model.max_length} tokens"
    return Taught(cut.encoded, labels, facts, (note,))


def answers(
    model: TextModel, cut: Windows, texts: Sequence[Texts], batch_size: int, sharing: Sharing | None = None
) -> list[str]:
    """A piece of each context."""
    from unfooled.models.encoders import spans

    return spans.answers(model, texts, batch_size, sharing, cut)


def right(label: Any, names: Sequence[str]) -> tuple[str, ...]:
    """All right answers, without their places."""
    return tuple(dict.fromkeys(text for _, text in label))


def scores(
    right: Sequence[Sequence[str]], said: Sequence[str], groups: Groups = None, names: Sequence[str] = ()
) -> dict[str, Score]:
    """F1 and exact match as SQuAD has them."""
    return answer_scores(said, right, groups)


def stays(texts: Texts, label: Any) -> list[list[Span]]:
    """The right answers where they stand in the context, and their words in both texts."""
    words = words_in(*(text for _, text in label)) - STOP_WORDS
    question, context = (mentions(text, words) for text in texts)
    return [question, [*context, *((start, start + len(text)) for start, text in label)]]


TASK = text_task(
    "span",
    SPANS,
    card=Card(
        "question-answering",
        "A model that answers questions by a piece of their context",
        'transformers.AutoModelForQuestionAnswering.from_pretrained("FOLDER")',
    ),
    chosen_by=("f1", "exact match"),
    guess=guess,
    labels=LABELS,
    rewritten=(0,),  # the question: answers are taken from the context as it is
    encoded=windows,
    taught=taught,
    answers=answers,
    right=right,
    scores=scores,
    stays=stays,
)
