"""Tasks: one file each, a value that knows nothing of training. TASKS is the one table of their names."""

from unfooled.table import Table
from unfooled.tasks.task import Task

# Data that names no task is asked in this order whose it is; what none knows is the first one's.
TASKS: Table[Task] = Table(
    "task",
    {
        "classification": ("unfooled.tasks.classification:TASK", "One class for each text or pair of texts."),
        "translation": (
            "unfooled.tasks.translation:TASK",
            "Each next token of a sentence, given the sentence in another language.",
        ),
        "lm": ("unfooled.tasks.lm:TASK", "Each next token of a running text."),
        "span": ("unfooled.tasks.span:TASK", "Where the answer to a question stands in its context."),
        "multilabel": (
            "unfooled.tasks.multilabel:TASK",
            "A set of classes for each text or pair of texts, as the relations in a dialogue.",
        ),
        "regression": (
            "unfooled.tasks.regression:TASK",
            "One number for each text or pair of texts, as how similar they are.",
        ),
        "pretraining": (
            "unfooled.tasks.pretraining:TASK",
            "Masked tokens of running text, in whatever views a method wants.",
        ),
    },
)

__all__ = ["TASKS", "Task"]
