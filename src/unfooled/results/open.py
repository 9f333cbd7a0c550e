"""Folders of results, whatever wrote them, as the trials of models that can stand on one page."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from unfooled.errors import BadInput
from unfooled.files import SUMMARY
from unfooled.results.contradictions import IMPOSSIBLE, contradictions
from unfooled.results.folder import Finished, Results, logs, open_folder, read_summary
from unfooled.results.log import Header, differences

LONG = 14  # characters of a name that fits a chart as it is


def open_results(folders: Sequence[str | Path]) -> Results:
    """What the folders hold, models by short names; refuses what cannot be compared and says why."""
    if not folders:
        raise BadInput("no results were named; give a folder that unfooled evaluate, attack or compare has written")
    trials: list[tuple[Path, Finished]] = []
    warnings: list[str] = []
    for name in folders:
        inner = results_in(Path(name))
        results = open_folder(inner, order(inner))
        warnings += results.warnings
        trials += [(inner, trial) for trial in results.trials]
    refuse_mixture(trials)
    names = display_names([trial.header for _, trial in trials])
    kept: dict[tuple[str, str], Finished] = {}  # each trial of each model once, the first
    for _, trial in trials:
        named = replace(trial, model=names[key(trial.header)])
        kept.setdefault((named.model, named.trial), named)
    together = tuple(kept.values())
    of_one_folder = [warning for warning in warnings if not warning.startswith(IMPOSSIBLE)]  # said by short names below
    return Results(together, tuple(dict.fromkeys([*contradictions(together), *of_one_folder])))


def results_in(folder: Path) -> Path:
    """Where the results of a folder are: itself, or what a comparison left in it."""
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}; name one that unfooled evaluate or unfooled attack has written")
    inner = folder / "results"
    return inner if inner.is_dir() and not logs(folder) else folder


def order(folder: Path) -> list[str]:
    """The models of a results folder as they were named when it was filled; none where it was not finished."""
    models = read_summary(folder)["models"] if (folder / SUMMARY).is_file() else {}
    return list(models) if isinstance(models, dict) else []


def refuse_mixture(trials: Sequence[tuple[Path, Finished]]) -> None:
    """Refuse folders of different data, or of one trial under different settings."""
    for place, (folder, trial) in enumerate(trials):
        for before, other in trials[:place]:
            if before == folder:
                continue  # a folder has been checked when it was opened
            names = differences(other.header, trial.header, same_model=False)
            if names:
                raise BadInput(
                    f"{folder} cannot be compared with {before}: they differ in {'; '.join(names)}; "
                    "measure the models on the same data with the same settings"
                )


def key(header: Header) -> str:
    """What tells models apart: their weights, or their name where they have none."""
    return header.model_hash or header.model


def display_names(headers: Sequence[Header]) -> dict[str, str]:
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
        short = ["".join(own[first : len(own) - last]) for own in words]
        if not (first or last) or all(re.search("[^\\W\\d_]", name) for name in short):
            return short
        first, last = (first - 2, last) if first else (first, last - 2)


def differ(words: Sequence[Sequence[str]], place: int) -> bool:
    """Whether not all names have the same word there."""
    return len({own[place] for own in words}) > 1
