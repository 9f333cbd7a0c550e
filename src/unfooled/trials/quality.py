"""Translations of texts as they are: BLEU and chrF, and what was written."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from unfooled.scores.bleu import bleu_and_chrf, sentence_chrf
from unfooled.settings import Settings
from unfooled.trials.inputs import Inputs
from unfooled.trials.passages import Passage, Passages
from unfooled.trials.trial import Answers, Question, Row, Trial, TrialRun
from unfooled.types import Texts


class QualitySettings(Settings):
    """How a translation is looked for: so many beams, 1 being greedy."""

    beams: int = Field(default=4, ge=1)


@dataclass(frozen=True)
class QualityRecord:
    """A source, its reference, and what the model wrote."""

    index: int
    source: str
    reference: str
    written: str


def units(inputs: Inputs, settings: QualitySettings, seed: int) -> list[Texts]:
    """Every pair."""
    return list(inputs.texts)


def run(trial: TrialRun, done: Collection[int]) -> Iterator[QualityRecord]:
    """The translation of each source; a batch holds texts of similar length."""
    from unfooled.models.sequences.translate import BeamSearch, batches

    sources = [source for source, _ in trial.units]
    for rows, written in batches(trial.victim.model, sources, BeamSearch(beams=trial.settings.beams), done):
        for row, text in zip(rows, written, strict=True):
            if row not in done:
                source, reference = trial.units[row]
                yield QualityRecord(row, source, reference, text)


def together(trial: TrialRun) -> list[list[int]]:
    """Sources of similar length."""
    from unfooled.models.sequences.translate import BeamSearch, by_tokens, checked

    encoded = [checked(trial.victim.model, source) for source, _ in trial.units]
    return by_tokens(encoded, BeamSearch().batch_size)


def scores(records: Sequence[QualityRecord]) -> list[Row]:
    """BLEU and chrF."""
    if not records:
        return []
    sides = [record.written for record in records], [record.reference for record in records]
    own, _ = bleu_and_chrf(*sides, "given")
    return [Row(name.removeprefix("given "), score) for name, score in own.items()]


def questions(records: Sequence[QualityRecord]) -> dict[Question, Answers]:
    """chrF of each translation by itself."""
    question = Question("chrF", title="chrF, mean over sentences", unit="points of chrF")
    return {question: {one.index: sentence_chrf(one.written, one.reference) for one in records}}


QUALITY = Trial(
    QualityRecord,
    units,
    run,
    scores,
    QualitySettings,
    tasks=("translation",),
    together=together,
    unit="pair",
    questions=questions,
    passages=Passages(
        "Translations",
        "source",
        ("written",),
        lambda settings: "Sources as they are, and what each model made of them.",
        lambda record, model: Passage(record.source, "", record.reference, {model: (record.written,)}),
    ),
    says="holds translations against reference ones: BLEU counts shared words, chrF shared letters, from 0 to 100",
)
