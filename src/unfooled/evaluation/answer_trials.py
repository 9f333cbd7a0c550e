"""The trials of models whose answer is no class: on texts as they are, and on versions that mean the same.

Versions are those of ``text.behaviours``: synonyms, and CheckList's typos, contractions, names, places, numbers and
punctuation. What is right must stay right, so some words stay:

- of a question and its context, the right answers as they stand in the context, and their words (but for stop words)
  wherever else they stand; the rest of both texts may change;
- of a text with a set of labels, the second text (the pair whose relations are asked for), the words of it in the
  first, and the speakers' names;
- of two texts with a number, nothing: names and numbers change in both alike.

Other changes of ``text.behaviours`` are left out: a sentence more is not as like another sentence as before.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pydantic import Field

from unfooled.attacks.label_sets import LabelSets
from unfooled.errors import BadInput
from unfooled.evaluation.answered import CHANGES, Answered, Change
from unfooled.evaluation.asking import Texts, chunks
from unfooled.evaluation.material import Material
from unfooled.evaluation.trial_table import TRIALS, NoSettings, Trial, Work
from unfooled.models import TextModel
from unfooled.models.encoders.predict import chances, numbers
from unfooled.models.encoders.problems import PROBLEMS, says_something
from unfooled.models.encoders.spans import answers
from unfooled.settings import Settings
from unfooled.text.changes import perturbed
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.protected import Span, hidden, mentions, speakers, words_in

CHUNK = 128  # texts that are answered before the first of them is written down


@dataclass(frozen=True)
class Version:
    """A text to be answered: which text it is a version of, made how (None: as it is), and what is right."""

    original: int
    change: str | None
    texts: Texts
    right: float | tuple[str, ...]


class VersionSettings(Settings):
    """Which changes are made of at most so many texts."""

    kinds: tuple[Change, ...] = CHANGES
    most: int | None = Field(default=200, ge=1)


def as_they_are(material: Material, settings: NoSettings, seed: int) -> list[Version]:
    """Every text."""
    return originals(material, range(len(material.texts)))


def originals(material: Material, rows: Sequence[int]) -> list[Version]:
    """The texts in these rows as they are."""
    return [Version(row, None, tuple(material.texts[row]), right_of(material, row)) for row in rows]


def right_of(material: Material, row: int) -> float | tuple[str, ...]:
    """What is right: a number, the names of labels, or answers without their places."""
    label = material.labels[row]
    if material.problem == "number":
        return float(label)
    if material.problem == "set":
        return tuple(material.names[number] for number in label)
    return tuple(dict.fromkeys(text for _, text in label))


def versions(material: Material, settings: VersionSettings, seed: int) -> list[Version]:
    """Some texts as they are and, after them, every version that can be made of them."""
    rows = material.drawn(settings.most, seed)
    kept = originals(material, rows)
    free = [one.texts[:1] if material.problem == "set" else one.texts for one in kept]
    masked = [
        hidden(own, staying(material.problem, one.texts, material.labels[one.original]))
        for own, one in zip(free, kept, strict=True)
    ]
    found = []
    for variant in perturbed([texts for texts, _ in masked], settings.kinds, seed):
        one, back = kept[variant.index], masked[variant.index][1]
        rest = one.texts[len(variant.texts) :]
        found.append(Version(one.original, variant.kind, (*back(variant.texts), *rest), one.right))
    if not found:
        raise BadInput("no version can be made of these texts; are they English, and not empty?")
    return [*kept, *found]


def staying(problem: str, texts: Texts, label: Any) -> list[list[Span]]:
    """The parts of each text that may change at all which must not change."""
    if problem == "number":
        return [[] for _ in texts]
    if problem == "set":
        return [[*mentions(texts[0], words_in(*texts[1:])), *speakers(texts[0])]]
    words = words_in(*(text for _, text in label)) - STOP_WORDS
    question, context = (mentions(text, words) for text in texts)
    return [question, [*context, *((start, start + len(text)) for start, text in label)]]


def run_answers(work: Work, done: frozenset[int]) -> Iterator[Answered]:
    """What the model says of each text."""
    model = work.subject.network
    say = SAYING[model.problem]
    for places in chunks([[unit.texts] for unit in work.units], CHUNK):
        if all(place in done for place in places):
            continue
        said = say(model, [work.units[place].texts for place in places], work.batch_size)
        for place, answer in zip(places, said, strict=True):
            unit = work.units[place]
            if place not in done:
                yield Answered(place, unit.original, unit.change, unit.texts, unit.right, answer)


def said_numbers(model: TextModel, texts: Sequence[Texts], batch_size: int) -> list[float]:
    """A number for each text."""
    found = numbers(model, texts, batch_size).tolist()
    if not all(map(isfinite, found)):
        raise BadInput(f"{model.name} answers some of the texts with no finite number; restore or retrain the model")
    return found


def said_sets(model: TextModel, texts: Sequence[Texts], batch_size: int) -> list[tuple[str, ...]]:
    """The names of the labels of each text."""
    sets = LabelSets(model.labels, says_something(model.classifier.network.config))
    return [sets.named(sets.said(row)) for row in chances(model, texts, batch_size)]


SAYING: dict[str, Callable[[TextModel, Sequence[Texts], int], Sequence[Any]]] = {
    "number": said_numbers,
    "set": said_sets,
    "span": answers,
}
ANSWER_TRIALS: dict[str, Trial] = {
    "clean": Trial(as_they_are, run_answers),
    "invariance": Trial(versions, run_answers, VersionSettings),
}


def trials_of(problem: str) -> dict[str, Trial]:
    """The table of trials for models of a problem."""
    return TRIALS if problem == "class" else ANSWER_TRIALS


def refuse_trial(name: str, problem: str) -> None:
    """Refuse a trial that models of a problem do not go through."""
    if name not in trials_of(problem):
        able = " and ".join(ANSWER_TRIALS)
        raise BadInput(f"{name} is a trial of classifiers; {PROBLEMS[problem].said} goes through {able}")
