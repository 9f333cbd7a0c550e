"""Each next token of a sentence, given the sentence in another language."""

from collections.abc import Sequence
from typing import Any

from unfooled.data.sources import DataSettings
from unfooled.data.splits import Split
from unfooled.recipe.card import Card
from unfooled.tasks.glimpse import Glimpse
from unfooled.tasks.lm import first_of
from unfooled.tasks.task import Task


def read(settings: DataSettings, seed: int) -> Any:
    """The pairs of sentences of every split."""
    from unfooled.data.parallel import load_parallel

    return load_parallel(settings)


def guess(glimpse: Glimpse) -> str | None:
    """It is plain text in two languages, line by line."""
    named = [name for name in glimpse.plain_files if len(name.removesuffix(".gz").split(".")) == 3]
    languages = {name.split(".")[1] for name in named}
    return f"it has the same lines in {', '.join(sorted(languages))}" if len(languages) > 1 else None


def reads_split(
    settings: DataSettings, labels: Sequence[str], split: str | None, limit: int | None, seed: int
) -> tuple[Split[None], str, tuple[str, ...]]:
    """The first pairs of a split."""
    pairs, mark = first_of(read(settings.model_copy(update={"test": split}), seed), split, limit)
    return Split(pairs, [None] * len(pairs)), mark, ()


TASK = Task(
    name="translation",
    said="a translator",
    kind="translation",
    card=Card("translation", "A translator", 'transformers.AutoModelForSeq2SeqLM.from_pretrained("FOLDER")'),
    reads=read,
    chosen_by=("perplexity",),
    lower_is_better=("perplexity",),
    guess=guess,
    loss="tokens",
    reads_split=reads_split,
)
