"""Somebody's own network and tokenizer as a method begins with them."""

from collections.abc import Sequence
from typing import Any

from unfooled.loops.building import longest, name_of, names_of
from unfooled.methods.objective import Method
from unfooled.methods.table import METHODS
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.pretrained import TextModel
from unfooled.terminal import say
from unfooled.types import Texts


def prepare(
    model: Any, tokenizer: Any, texts: Sequence[str | Texts], method: str | Method = "worst_words"
) -> tuple[Any, Any]:
    """The model and the tokenizer that a method begins with: ``worst_words`` adds candidates as whole words to both.

    Call it before anything is tokenised, with the training texts (pairs as tuples), and use what it gives back; the
    model is changed in place. ``uf.train`` does it by itself.
    """
    chosen = method if isinstance(method, Method) else METHODS.find(method)()
    rows = [(row,) if isinstance(row, str) else tuple(row) for row in texts]
    limit = longest(tokenizer, model, None)
    begun = chosen.prepared(TextModel(Classifier(model), tokenizer, names_of(model), limit, name_of(model)), rows)
    for note in begun.notes:
        say(note, error=True)
    return begun.classifier.network, begun.tokenizer
