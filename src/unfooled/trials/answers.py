"""Models whose answer is no class: on texts as they are, and on versions that mean the same.

A task says what is right, what its model says, how that is scored, and which words must stay so that what is right
stays right. Versions are those of ``text.changes``: synonyms, and CheckList's typos, contractions, names, places,
numbers and punctuation; a sentence more would not be as like another sentence as before. Texts as they are and their
versions are
scored apart. Beside the score of versions stands that of their originals, each counted as often as it has versions: a
change that only some texts allow is compared with those texts, not with all.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from unfooled.errors import BadInput
from unfooled.settings import Settings
from unfooled.tasks import TASKS
from unfooled.text.changes import perturbed
from unfooled.text.protected import hidden
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import NoSettings, Row, Trial, TrialRun
from unfooled.types import Texts
from unfooled.victims.asking import chunks

ChangeName = Literal["synonyms", "typos", "contractions", "names", "places", "numbers", "punctuation"]
SYNONYMS: ChangeName = "synonyms"
CHECKLIST: tuple[ChangeName, ...] = ("typos", "contractions", "names", "places", "numbers", "punctuation")
CHANGES: tuple[ChangeName, ...] = (SYNONYMS, *CHECKLIST)
CHUNK = 128  # texts that are answered before the first of them is written down


@dataclass(frozen=True)
class AnswerRecord:
    """One text, or a version of one: what is right and what the model says of it.

    ``original`` tells which texts are versions of one another; ``change`` is how this one was made, None where it is
    the text as it is. Right are a number, the names of a set of labels, or all right answers; said are a number, names,
    or one answer. ``task`` is what the model was asked for.
    """

    index: int
    original: int
    change: str | None
    texts: tuple[str, ...]
    right: float | tuple[str, ...]
    said: float | str | tuple[str, ...]
    task: str


@dataclass(frozen=True)
class TextVersion:
    """A text to be answered: which text it is a version of, made how (None: as it is), and what is right."""

    original: int
    change: str | None
    texts: Texts
    right: float | tuple[str, ...]


class VersionTrialSettings(Settings):
    """Which changes are made of at most so many texts."""

    kinds: tuple[ChangeName, ...] = CHANGES
    most: int | None = Field(default=200, ge=1)


def as_they_are(inputs: Inputs, settings: NoSettings, seed: int) -> list[TextVersion]:
    """Every text."""
    return originals(inputs, range(len(inputs.texts)))


def originals(inputs: Inputs, rows: Sequence[int]) -> list[TextVersion]:
    """The texts in these rows as they are."""
    right = TASKS[inputs.task].right
    return [TextVersion(row, None, tuple(inputs.texts[row]), right(inputs.labels[row], inputs.names)) for row in rows]


def versions(inputs: Inputs, settings: VersionTrialSettings, seed: int) -> list[TextVersion]:
    """Some texts as they are and, after them, every version that can be made of them."""
    task = TASKS[inputs.task]
    kept = originals(inputs, inputs.drawn(settings.most, seed))
    masked = [hidden(task.free(one.texts), task.stays(one.texts, inputs.labels[one.original])) for one in kept]
    changed = []
    for variant in perturbed([texts for texts, _ in masked], settings.kinds, seed):
        one, back = kept[variant.index], masked[variant.index][1]
        rest = one.texts[len(variant.texts) :]
        changed.append(TextVersion(one.original, variant.kind, (*back(variant.texts), *rest), one.right))
    if not changed:
        raise BadInput("no version can be made of these texts; are they English, and not empty?")
    return [*kept, *changed]


def run(trial: TrialRun, done: Collection[int]) -> Iterator[AnswerRecord]:
    """What the model says of each text."""
    says = TASKS[trial.task].says
    for places in together(trial):
        if all(place in done for place in places):
            continue
        answers = says(trial.victim.model, [trial.units[place].texts for place in places], trial.batch_size)
        for place, answer in zip(places, answers, strict=True):
            unit = trial.units[place]
            if place not in done:
                facts = unit.original, unit.change, unit.texts, unit.right
                yield AnswerRecord(place, *facts, answer, trial.task)


def together(trial: TrialRun) -> list[range]:
    """The texts that are answered before the first of them is written down."""
    return list(chunks([[unit.texts] for unit in trial.units], CHUNK))


@dataclass(frozen=True)
class ScoredPart:
    """Records that are scored together: None is the name of all there are; ``of`` says which, in a definition."""

    name: str | None
    records: Sequence[AnswerRecord]
    of: str = ""
    detail: bool = False


def parts(records: Sequence[AnswerRecord]) -> list[ScoredPart]:
    """Originals, versions in synonyms and by CheckList's changes, each of these beside their originals; by change."""
    as_given = {record.original: record for record in records if record.change is None}
    if len(as_given) == len(records):
        return [ScoredPart(None, records)]
    every = [ScoredPart("original", list(as_given.values()), "the texts as they are")]
    for name, changes in ((SYNONYMS, (SYNONYMS,)), ("checklist", CHECKLIST), *((one, (one,)) for one in CHECKLIST)):
        own = [record for record in records if record.change in changes]
        if own:
            kinds, alone = ", ".join(dict.fromkeys(str(record.change) for record in own)), name in CHECKLIST
            before = [as_given[record.original] for record in own]
            every.append(ScoredPart(name, own, f"versions by {kinds}", alone))
            every.append(ScoredPart(f"before {name}", before, f"the originals of the versions by {kinds}", alone))
    return every


def scores(records: Sequence[AnswerRecord]) -> list[Row]:
    """The task's own scores, of originals and versions apart; metric names are words joined by underscores."""
    rows = []
    for part in parts(records) if records else ():
        groups = [record.original for record in part.records]
        right, said = ([getattr(record, side) for record in part.records] for side in ("right", "said"))
        for name, score in TASKS[records[0].task].scores(right, said, groups).items():
            told = replace(score, definition=f"{score.definition}{f'; of {part.of}' if part.of else ''}")
            rows.append(Row(name.replace(" ", "_"), told, part=part.name, detail=part.detail))
    return rows


ANSWERS = Trial(
    AnswerRecord, as_they_are, run, scores, tasks=(), says="asks about the texts as they are", together=together
)
ANSWERS_TO_VERSIONS = Trial(
    AnswerRecord,
    versions,
    run,
    scores,
    VersionTrialSettings,
    tasks=(),
    unit="version",
    says="asks about versions of the texts in other words, which leave the right answer as it is",
    together=together,
)
