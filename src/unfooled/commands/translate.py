"""What a person calls to translate: ``translate``, one text or a stream of them."""

from collections.abc import Iterable, Iterator

from unfooled.errors import BadInput
from unfooled.models.sequences.sequence_model import load_translator
from unfooled.models.sequences.translate import BeamSearch, streamed
from unfooled.settings import settings_from
from unfooled.victims.sequence import task_of


def translate(model: str, texts: str | Iterable[str], beams: int = 4, batch_size: int = 16) -> Iterator[str]:
    """The translations of texts, each as soon as its batch is done; the model is opened before the first is read."""
    if task_of(model) == "lm":
        raise BadInput(f"{model} is a language model, which does not translate; give a translator's folder")
    opened = load_translator(model)
    search = settings_from(BeamSearch, {"beams": beams, "batch_size": batch_size}, "")
    return streamed(opened, iter([texts] if isinstance(texts, str) else texts), search)
