"""Folders of results, whatever wrote them, as the trials of models that can stand on one page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import AttackHeader, read_attack
from unfooled.evaluation.log import LOG
from unfooled.evaluation.measures import measure_of
from unfooled.evaluation.results import SUMMARY, Finished, Row, open_results, read_summary
from unfooled.evaluation.trial_log import Header, differences
from unfooled.evaluation.verdict import Verdict, verdicts

ATTACKED = "attacked example"
LONG = 14  # characters of a name that fits a chart as it is


@dataclass(frozen=True)
class Told:
    """One finished trial of one model, under the name the page has for it."""

    model: str
    header: Header
    records: tuple[Any, ...]

    @property
    def trial(self) -> str:
        """The trial's name."""
        return self.header.trial

    def rows(self) -> list[Row]:
        """The numbers of this trial."""
        return [
            Row(self.model, self.trial, one.eps, one.metric, one.score, one.part, one.detail)
            for one in measure_of(self.trial, self.header.problem).scores(self.records)
        ]


@dataclass(frozen=True)
class Gathered:
    """All trials of all folders, and what makes them doubtful."""

    trials: tuple[Told, ...]
    warnings: tuple[str, ...]

    @property
    def models(self) -> list[str]:
        """The models, in order."""
        return list(dict.fromkeys(one.model for one in self.trials))

    def of(self, model: str, trial: str) -> Told | None:
        """A trial of a model, None where there is none."""
        return next((one for one in self.trials if (one.model, one.trial) == (model, trial)), None)

    def rows(self) -> list[Row]:
        """Every number."""
        return [row for one in self.trials for row in one.rows()]


def gathered(folders: Sequence[str | Path]) -> Gathered:
    """What the folders hold; refuses what cannot be compared and says why."""
    if not folders:
        raise BadInput("no results were named; give a folder that unfooled evaluate, attack or compare has written")
    found: list[tuple[Path, Finished]] = []
    warnings: list[str] = []
    for name in folders:
        folder = Path(name)
        if not folder.is_dir():
            raise BadInput(
                f"there is no folder {folder}; name one that unfooled evaluate or unfooled attack has written"
            )
        if (folder / LOG).is_file():
            found.append((folder, of_attack(folder / LOG)))
            continue
        inner = folder / "results" if (folder / "results").is_dir() else folder
        results = open_results(inner, order(inner))
        warnings += results.warnings
        found += [(inner, trial) for trial in results.trials]
    refuse_mixture(found)
    names = display_names([trial.header for _, trial in found])
    trials = [Told(names[key(trial.header)], trial.header, trial.records) for _, trial in found]
    warnings += [
        f"{one.model}, {one.trial}: {warning}"
        for (folder, _), one in zip(found, trials, strict=True)
        if (folder / LOG).is_file()
        for warning in measure_of(one.trial, one.header.problem).warnings(one.records)
    ]
    return Gathered(tuple(without_repeats(trials)), tuple(dict.fromkeys(warnings)))


def order(folder: Path) -> list[str]:
    """The models of a results folder as they were named when it was filled; none where it was not finished."""
    models = read_summary(folder)["models"] if (folder / SUMMARY).is_file() else {}
    return list(models) if isinstance(models, dict) else []


def judged(told: Gathered) -> list[Verdict]:
    """Where each model stands."""
    return verdicts(
        {name: {one.trial: one.records for one in told.trials if one.model == name} for name in told.models}
    )


def of_attack(path: Path) -> Finished:
    """A finished attack as the trial of an evaluation that it is."""
    found = read_attack(path)
    if found is None or len(found[1]) < found[0].examples:
        done = 0 if found is None else len(found[1])
        raise BadInput(f"{path} is unfinished ({done} examples done); run the attack again, it goes on")
    header, records = found
    if not records:
        raise BadInput(f"{path} is of no examples, so it says nothing; attack some")
    return Finished(path.parent.name, as_trial(header), tuple(records))


def as_trial(header: AttackHeader) -> Header:
    """An attack's header as a trial's."""
    names = ("model", "model_hash", "labels", "max_length", "data", "data_hash", "examples", "examples_hash", "seed")
    same = {name: getattr(header, name) for name in names}
    settings: dict[str, JsonValue] = {
        "attack": dict(header.settings),
        "budget": dict(header.budget),
        "parts": dict(header.parts),
    }
    return Header(trial=header.attack, settings=settings, unit=ATTACKED, versions=header.versions, **same)


def refuse_mixture(found: Sequence[tuple[Path, Finished]]) -> None:
    """Refuse folders of different data, or of one trial under different settings."""
    for place, (folder, trial) in enumerate(found):
        for before, other in found[:place]:
            if before == folder:
                continue  # a folder has been checked when it was opened
            names = differences(other.header, trial.header, same_model=False)
            if names:
                raise BadInput(
                    f"{folder} cannot be compared with {before}: they differ in {'; '.join(names)}; "
                    "measure the models on the same data with the same settings"
                )


class Named(Protocol):
    """What has a model's name and the hash of its weights."""

    @property
    def model(self) -> str:
        """The model as it was named."""

    @property
    def model_hash(self) -> str:
        """The hash of its weights, empty where it has none."""


def key(header: Named) -> str:
    """What tells models apart: their weights, or their name where they have none."""
    return header.model_hash or header.model


def display_names(headers: Sequence[Named]) -> dict[str, str]:
    """A short name for each model: the folder it was trained in where that tells them apart."""
    full = {key(header): header.model for header in headers}
    short = {one: short_name(name) for one, name in full.items()}
    if len(set(short.values())) == len(short):
        return dict(zip(short, without_what_all_share(list(short.values())), strict=True))
    if len(set(full.values())) == len(full):
        return full
    return {one: f"{name} {one[:8]}" for one, name in full.items()}


def short_name(name: str) -> str:
    """The last telling part of a path.

    >>> short_name("demo/plain/model"), short_name("minilm")
    ('plain', 'minilm')
    """
    path = Path(name)
    return (path.parent.name if path.name == "model" else path.name) or name


def without_what_all_share(names: Sequence[str]) -> list[str]:
    """Long names without the words that all begin or end with, as far as letters are left: charts have little room.

    >>> without_what_all_share(["reviews-minilm-plain-0", "reviews-minilm-free-lb-0"])
    ['plain', 'free-lb']
    >>> without_what_all_share(["reviews-minilm-0", "reviews-minilm-11"]), without_what_all_share(["run-a", "run-b"])
    (['minilm-0', 'minilm-11'], ['run-a', 'run-b'])
    """
    if len(names) < 2 or max(map(len, names)) <= LONG:
        return list(names)
    words = [re.split("([-_ ]+)", name) for name in names]  # every second one stands between two words
    least = min(map(len, words))
    first = next(place for place in range(0, least + 1, 2) if place + 1 >= least or differ(words, place))
    last = next(place for place in range(0, least, 2) if place >= least - first - 1 or differ(words, -1 - place))
    while True:
        found = ["".join(own[first : len(own) - last]) for own in words]
        if not (first or last) or all(re.search("[^\\W\\d_]", name) for name in found):
            return found
        first, last = (first - 2, last) if first else (first, last - 2)


def differ(words: Sequence[Sequence[str]], place: int) -> bool:
    """Whether not all names have the same word there."""
    return len({own[place] for own in words}) > 1


def without_repeats(trials: Sequence[Told]) -> list[Told]:
    """Each trial of each model once, the first."""
    kept: dict[tuple[str, str], Told] = {}
    for one in trials:
        kept.setdefault((one.model, one.trial), one)
    return list(kept.values())
