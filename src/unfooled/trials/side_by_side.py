"""Translations with one complete source word moved: the longest word of each text."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pydantic import Field

from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.settings import Settings
from unfooled.trials.inputs import Inputs
from unfooled.trials.passages import AS_IT_IS, HOW_MARKED, MOVED, Passage, Passages
from unfooled.trials.trial import Answers, Metric, Question, Trial, TrialRun, rows_of


class SideBySideSettings(Settings):
    """How far the word is moved, how translations are looked for, and of how many texts at most."""

    radius: float = Field(default=1.0, ge=0)
    beams: int = Field(default=4, ge=1)
    most: int = Field(default=100, ge=1)


@dataclass(frozen=True)
class MarkedSource:
    """A source, the word of it that is moved, and its reference."""

    source: str
    word: str
    reference: str


@dataclass(frozen=True)
class SideBySideRecord:
    """A source with one word marked, its reference, and the translation without and with the move."""

    index: int
    source: str
    word: str
    reference: str
    clean: str
    perturbed: str


def units(inputs: Inputs, settings: SideBySideSettings, seed: int) -> list[MarkedSource]:
    """The first sources that have a complete word, each with its longest."""
    marked = []
    for source, reference in inputs.texts[: settings.most]:
        words = [word for word in source.split() if word.isalpha() and len(word) > 1]
        if words:
            marked.append(MarkedSource(source, max(words, key=len), reference))
    if not marked:
        raise BadInput("no source has a complete word to perturb; give other texts")
    return marked


def run(trial: TrialRun, done: Collection[int]) -> Iterator[SideBySideRecord]:
    """Each source translated as it is and with its word moved by the gradient of the reference's loss."""
    from unfooled.trials.inside.word_moves import translated_both

    settings = trial.settings
    for index, one in enumerate(trial.units):
        if index not in done:
            facts = one.source, one.reference, one.word, settings.radius, settings.beams
            both = translated_both(trial.victim.model, *facts)
            yield SideBySideRecord(index, one.source, one.word, one.reference, *both)


def changed(records: Sequence[SideBySideRecord]) -> Score:
    """How often the moved word changes the translation."""
    definition = "share of translations that are others once one word is moved by the model's own gradient"
    return proportion(sum(one.clean != one.perturbed for one in records), len(records), definition)


METRICS = {"changed": Metric(changed, "changed by the moved word", better="less")}
scores = partial(rows_of, METRICS)


def questions(records: Sequence[SideBySideRecord]) -> dict[Question, Answers]:
    """Whether a translation stays what it was."""
    same = {one.index: one.clean == one.perturbed for one in records}
    return {Question("changed", title="same translation of a moved word"): same}


def passage(record: SideBySideRecord, model: str) -> Passage:
    """A source with its moved word."""
    both = {model: (record.clean, record.perturbed)}
    return Passage(record.source, record.word, record.reference, both, record.source.find(record.word))


SIDE_BY_SIDE = Trial(
    SideBySideRecord,
    units,
    run,
    scores,
    SideBySideSettings,
    tasks=("translation",),
    unit="source",
    questions=questions,
    passages=Passages(
        "Translations side by side",
        "source with its [moved] word",
        (AS_IT_IS, MOVED),
        lambda settings: (
            "The marked word of each source is moved by "
            f"{settings.get('radius', 'some length')} up each model's own gradient of the reference's loss. "
            f"{HOW_MARKED}"
        ),
        passage,
    ),
    says="looks what a translator writes with one word of the source moved inside the network, and without",
)
