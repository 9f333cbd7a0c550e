"""The chapters of a page in their order, by the id that each has on it: one file and one line each."""

from unfooled.report.chapter import Chapter
from unfooled.table import Table

CHAPTERS: Table[Chapter] = Table(
    "chapter",
    {
        "verdict": ("unfooled.report.chapters.verdict:CHAPTER", "The page in a few sentences."),
        "ship": ("unfooled.report.chapters.ship:CHAPTER", "What each model holds of what is required, or would."),
        "examples": ("unfooled.report.chapters.examples:CHAPTER", "Three sentences that fooled a model."),
        "axes": ("unfooled.report.chapters.standing:CHAPTER", "Where each model stands on two axes, in a picture."),
        "numbers": ("unfooled.report.chapters.numbers:CHAPTER", "Every number of every trial, one column a model."),
        "differences": ("unfooled.report.chapters.differences:CHAPTER", "What differences are worth, and cost."),
        "curves": ("unfooled.report.chapters.curves:CHAPTER", "Numbers over the size of a change."),
        "texts": ("unfooled.report.chapters.texts:CHAPTER", "Texts with what every model wrote of them."),
        "checks": ("unfooled.report.chapters.behaviour:CHAPTER", "Behavioural tests with some of their failures."),
        "confusions": ("unfooled.report.chapters.confusions:CHAPTER", "What is taken for what, and label distances."),
        "map": ("unfooled.report.chapters.sentence_map:CHAPTER", "Texts and their versions as a model sees them."),
        "training": ("unfooled.report.chapters.training:CHAPTER", "Loss and validation over the steps of training."),
        "fooled": ("unfooled.report.chapters.fooled:CHAPTER", "The sentences that fooled a model, to be searched."),
        "repair": ("unfooled.report.chapters.repair:CHAPTER", "The commands that train a sturdier model."),
        "record": ("unfooled.report.chapters.record:CHAPTER", "Models, data, settings and versions, with hashes."),
    },
)
