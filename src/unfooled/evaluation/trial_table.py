"""The one table of trials: what each is run on, with which settings, and how."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import Field, JsonValue, create_model

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.engine import Limits
from unfooled.attacks.run import run_attack
from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput
from unfooled.evaluation.asking import asked
from unfooled.evaluation.behaviour import Case, behave
from unfooled.evaluation.checklist import read_suite
from unfooled.evaluation.contrast import check_members, contrast
from unfooled.evaluation.hits import hits
from unfooled.evaluation.material import Contrasted, Example, Material
from unfooled.evaluation.own_cases import directional_cases, invariance_cases, template_cases, turns_over
from unfooled.evaluation.records import Record
from unfooled.evaluation.representations import has_layers
from unfooled.evaluation.shift import ShiftSettings, shift
from unfooled.evaluation.subject import Subject, answering
from unfooled.evaluation.transfer import transfer
from unfooled.evaluation.trials import PGDSettings, clean, pgd
from unfooled.settings import Settings
from unfooled.text.changes import INVARIANT
from unfooled.text.triples import Triple, triples

MakeParts = Callable[[Attack, str | None], Parts]


def no_parts(attack: Attack, similarity: str | None) -> Parts:
    """No sentence encoder and no neighbours: enough for most attacks."""
    return Parts()


@dataclass(frozen=True)
class Work:
    """One trial of one model: who, on what, how."""

    subject: Subject
    units: Sequence[Any]
    settings: Any
    seed: int
    batch_size: int
    parts: MakeParts = no_parts

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The examples' texts, where the units are examples."""
        return [unit.texts for unit in self.units]

    @property
    def labels(self) -> list[int]:
        """The examples' labels, where the units are examples."""
        return [unit.label for unit in self.units]


class NoSettings(Settings):
    """Nothing to set."""


class WordAttack(Settings):
    """How examples are attacked in words: which column of a pair, at which cost each, and how many at most."""

    most: int | None = Field(default=None, ge=1)
    column: int | None = Field(default=None, ge=0, le=1)
    queries: int | None = Field(default=5000, ge=1)
    similarity: str | None = "minilm"


class InvarianceSettings(Settings):
    """Which behavioural tests: changes of at most so many texts by kind, and a stored suite by name.

    ``directional`` tests need labels that a negation turns over; None decides by their names. ``most_cases`` a test and
    ``variants`` a case are taken of a stored suite.
    """

    kinds: tuple[str, ...] = INVARIANT
    directional: bool | None = None
    templates: bool = True
    suite: str | None = None
    most: int | None = Field(default=200, ge=1)
    longest: int = Field(default=40, ge=1)
    most_cases: int | None = Field(default=50, ge=1)
    variants: int | None = Field(default=5, ge=1)


class HitsSettings(Settings):
    """How many texts at most triples are made of."""

    most: int | None = Field(default=500, ge=1)


@dataclass(frozen=True)
class Trial:
    """What a trial is run on, how its records are made, its settings, and whether it looks into the network.

    ``units`` raises ``BadInput`` where what was given does not do.
    """

    units: Callable[[Material, Any, int], Sequence[Any]]
    run: Callable[[Work, frozenset[int]], Iterator[Any]]
    settings: type[Settings] = NoSettings
    needs_network: bool = False
    needs_layers: bool = False


def every_example(material: Material, settings: Any, seed: int) -> list[Example]:
    """All examples."""
    return material.examples


def some_examples(material: Material, settings: Any, seed: int) -> list[Example]:
    """As many examples as the settings allow."""
    return material.some(settings.most, seed)


def run_clean(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """The texts as they are."""
    if work.subject.model is not None:
        yield from clean(work.subject.model, work.texts, work.labels, work.batch_size, done)
        return
    for index, rows in asked(answering(work.subject, work.batch_size), [(text,) for text in work.texts], done):
        label, row = work.labels[index], rows[0]
        chance = float(row[label])
        yield Record(index, label, int(row.argmax()), chance, -float(np.log(max(chance, 1e-12))))


def run_pgd(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """The texts under the worst perturbation of their embeddings."""
    yield from pgd(work.subject.network, work.texts, work.labels, work.settings, work.batch_size, work.seed, done)


def run_words(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """The texts under an attack in words."""
    settings = work.settings
    limits = Limits(queries=settings.queries, batch_size=work.batch_size)
    parts = work.parts(settings.attack, settings.similarity)
    yield from run_attack(
        settings.attack, work.subject.call, work.texts, work.labels,
        column=settings.column, parts=parts, limits=limits, seed=work.seed, done=done,
    )  # fmt: skip


def contrast_units(material: Material, settings: Any, seed: int) -> Sequence[Any]:
    """The members of the contrast set."""
    if material.contrast is None:
        raise BadInput("the contrast trial needs a contrast set with pair or group ids; name one with --contrast")
    check_members(material.contrast)
    return material.contrast


def run_contrast(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """Texts and small changes of them that change the label."""
    yield from contrast(answering(work.subject, work.batch_size), work.units, done)


def transfer_units(material: Material, settings: Any, seed: int) -> Sequence[Any]:
    """The stored adversaries."""
    if not material.adversaries:
        raise BadInput("the transfer trial needs stored adversaries; name an attack's folder with --adversaries")
    return material.adversaries


def run_transfer(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """Stored adversaries, made against some other model."""
    yield from transfer(answering(work.subject, work.batch_size), work.units, done)


def cases(material: Material, settings: InvarianceSettings, seed: int) -> list[Case]:
    """The behavioural tests that can be made of the texts, the labels and the stored suites."""
    some = material.some(settings.most, seed)
    texts, labels = [one.texts for one in some], [one.label for one in some]
    found = invariance_cases(texts, settings.kinds, seed)
    turning = turns_over(material.names) if settings.directional is None else settings.directional
    if turning:
        found += directional_cases(texts, labels, material.names, seed=seed, longest=settings.longest)
    if settings.templates:
        found += template_cases(material.names, len(texts[0]))
    if settings.suite is not None:
        if material.suites is None:
            raise BadInput(f"there are no stored suites, so no {settings.suite}; set UNFOOLED_DATA to where they are")
        stored = read_suite(
            material.suites, settings.suite, material.names, settings.most_cases, settings.variants
        ).cases
        found += [replace(case, test=f"{settings.suite}: {case.test}") for case in stored]
    if not found:
        raise BadInput("no behavioural test can be made of these texts; are they English, and not empty?")
    return found


def run_cases(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """Behavioural tests: changes that keep or turn the meaning, and sentences of known answer."""
    yield from behave(answering(work.subject, work.batch_size), work.units, done)


def triple_units(material: Material, settings: HitsSettings, seed: int) -> list[Triple]:
    """Triples of the texts."""
    found = triples([one.texts for one in material.some(settings.most, seed)], seed)
    if not found:
        raise BadInput(
            "no text has a word with a synonym and one with an antonym, so there are no triples; leave hits out"
        )
    return found


def run_hits(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """Whether a synonym leaves a text nearer than an antonym does, in every layer."""
    model = work.subject.network
    yield from hits(model.classifier.network, model.tokenizer, work.units, model.max_length, done)


def shift_units(material: Material, settings: Any, seed: int) -> list[Example | Contrasted]:
    """As many examples as the settings allow; originals of a contrast set with their revision of another label."""
    members = material.contrast or ()
    originals = {member.group: Example(tuple(member.texts), member.label) for member in members if member.original}
    known: dict[Example, tuple[str, ...]] = {}
    for member in members:
        original = originals.get(member.group)
        if original is not None and member.label != original.label:
            known.setdefault(original, tuple(member.texts))
    some = material.some(settings.most, seed)
    return [Contrasted(*one, known[one]) if one in known else one for one in some]


def run_shift(work: Work, done: frozenset[int]) -> Iterator[Any]:
    """How far representations move under changes of words and k-PGD, in every layer."""
    revisions = {place: unit.revision for place, unit in enumerate(work.units) if isinstance(unit, Contrasted)}
    yield from shift(
        work.subject.network, work.texts, work.labels, work.settings, work.batch_size, work.seed, done, revisions
    )


def word_attack(kind: type[Attack]) -> Trial:
    """An attack as a trial; its own settings are the field ``attack``."""
    settings = create_model(f"{kind.__name__}Trial", __base__=WordAttack, attack=(kind, kind()))
    return Trial(some_examples, run_words, settings)


TRIALS: dict[str, Trial] = {
    "clean": Trial(every_example, run_clean),
    "pgd": Trial(every_example, run_pgd, PGDSettings, needs_network=True),
    **{name: word_attack(kind) for name, kind in ATTACKS.items()},
    "transfer": Trial(transfer_units, run_transfer),
    "contrast": Trial(contrast_units, run_contrast),
    "invariance": Trial(cases, run_cases, InvarianceSettings),
    "hits": Trial(triple_units, run_hits, HitsSettings, needs_network=True, needs_layers=True),
    "shift": Trial(shift_units, run_shift, ShiftSettings, needs_network=True),
}
# What a suite runs, with settings that keep a quick one quick.
SUITES: dict[str, dict[str, dict[str, JsonValue]]] = {
    "quick": {
        "clean": {},
        "pgd": {},
        "pwws": {"most": 50},
        "transfer": {},
        "contrast": {},
        "invariance": {"most": 100},
    },
    "full": {name: {} for name in TRIALS},
}


def unable(name: str, subject: Subject) -> str | None:
    """Why a trial cannot be run on a model; None where it can."""
    trial = TRIALS[name]
    if trial.needs_network and subject.model is None:
        return f"{name} looks into the network, and {subject.name} is only asked; leave it out for such models"
    if trial.needs_layers and subject.model is not None and not has_layers(subject.model.classifier.network):
        return f"{name} looks into layers of token states, and {subject.name} has none; leave it out for such models"
    return None
