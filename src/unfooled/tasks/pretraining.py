"""Masked tokens of running text, in whatever views a method wants.

Methods that pre-train read any texts, so nothing is guessed.
"""

from unfooled.data.corpus import open_corpus
from unfooled.recipe.card import Card
from unfooled.tasks.task import Task

TASK = Task(
    name="pretraining",
    said="an encoder",
    kind="pretraining",
    card=Card("fill-mask", "An encoder", 'transformers.pipeline("fill-mask", "FOLDER")'),
    reads=lambda settings, seed: open_corpus(settings),
    chosen_by=("loss", "accuracy"),
    lower_is_better=("loss",),
    loss="masked",
)
