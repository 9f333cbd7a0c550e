"""Somebody's own network and tokenizer as a method begins with them."""

from collections.abc import Sequence
from typing import Any

from unfooled.errors import BadInput
from unfooled.loops.building import chosen_method, longest, name_of, names_of, task_of
from unfooled.methods.objective import Method
from unfooled.models.checks import check_vocabulary
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.pretrained import TextModel
from unfooled.terminal import say
from unfooled.types import Texts


def prepare(
    model: Any, tokenizer: Any, texts: Sequence[str | Texts], method: str | Method = "worst_words"
) -> tuple[Any, Any]:
    """The model and the tokenizer that a method begins with: ``worst_words`` adds candidates as whole words to both.

    Call it before anything is tokenised, with the training texts (pairs as tuples) and the method that will train, and
    use what it gives back; the model is changed in place. ``uf.train`` does it by itself.
    """
    chosen = chosen_method(method, task_of(model))
    rows = [(row,) if isinstance(row, str) else row for row in ([] if isinstance(texts, str) else texts)]
    if not rows or not all(isinstance(row, tuple) and row and {*map(type, row)} == {str} for row in rows):
        raise BadInput("give uf.prepare the training texts: a list of strings, or of tuples of them for pairs")
    if tokenizer is None:
        raise BadInput("give uf.prepare the model's tokenizer: words are added to both")
    check_vocabulary(tokenizer, model, name_of(model))
    limit = longest(tokenizer, model, None)
    begun = chosen.prepared(TextModel(Classifier(model), tokenizer, names_of(model), limit, name_of(model)), rows)
    for note in begun.notes:
        say(note, error=True)
    return begun.classifier.network, begun.tokenizer
