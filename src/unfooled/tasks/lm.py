"""Each next token of a running text.

Perplexity is per word; every line is closed by an end, which counts as one.
"""

from collections.abc import Sequence
from typing import Any

from unfooled.data.corpus import load_lines
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.recipe.card import Card
from unfooled.tasks.glimpse import Glimpse
from unfooled.tasks.task import Task


def guess(glimpse: Glimpse) -> str | None:
    """It is plain text."""
    return f"{glimpse.plain_files[0]} is plain text" if glimpse.plain_files else None


def definition(split: str) -> str:
    """What the perplexity of a split is."""
    return f"exp of the mean of -log p over the words of the {split} split, one end of line each included"


def reads_split(
    settings: Any, labels: Sequence[str], split: str | None, limit: int | None, seed: int
) -> tuple[Split[None], str, tuple[str, ...]]:
    """The first lines of a split."""
    lines, mark = first_of(load_lines(settings), split, limit)
    return Split([(line,) for line in lines], [None] * len(lines)), mark, ()


def first_of(text: Any, split: str | None, limit: int | None) -> tuple[list[Any], str]:
    """The first lines, or pairs, of a split, test unless told, and their fingerprint."""
    chosen = split or next((name for name in text.splits if name.startswith("test")), "validation")
    if chosen not in text.splits:
        raise BadInput(f"{text.name} has no split called {chosen}; it has {', '.join(text.splits)}")
    return list(text.splits[chosen][:limit]), f"{text.fingerprint} {chosen} {limit}"


TASK = Task(
    name="lm",
    said="a language model",
    kind="lm",
    card=Card("text-generation", "A language model", 'transformers.pipeline("text-generation", "FOLDER")'),
    reads=lambda settings, seed: load_lines(settings),
    chosen_by=("perplexity",),
    lower_is_better=("perplexity",),
    guess=guess,
    loss="tokens",
    reads_split=reads_split,
)
