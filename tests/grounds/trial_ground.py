"""Trials of tiny models, run as the house runs them: records as they are made, or in the order of their units."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from unfooled.attacks.attack import Attack, Parts
from unfooled.trials.inputs import Example
from unfooled.trials.trial import Row, Trial, TrialRun
from unfooled.types import Texts
from unfooled.victims import open_victim
from unfooled.victims.sequence import no_classes
from unfooled.victims.victim import Victim


def no_parts(attack: Attack, similarity: str | None) -> Parts:
    return Parts()


def run_of(model: Any, units: Sequence[Any], settings: Any = None, **how: Any) -> TrialRun:
    """One trial of a model, a victim or a callable."""
    return TrialRun(open_victim(model), units, settings, **{"seed": 0, "batch_size": 64, "parts": no_parts, **how})


def ran(
    trial: Trial, model: Any, units: Sequence[Any], settings: Any = None, done: Collection[int] = (), **how: Any
) -> Iterator[Any]:
    """The records of a trial as they are made, under its usual settings unless told."""
    chosen = trial.settings() if settings is None else settings
    return trial.run(run_of(model, units, chosen, **how), frozenset(done))


def by_index(records: Iterable[Any]) -> list[Any]:
    return sorted(records, key=lambda record: record.index)


def in_order(trial: Trial, model: Any, units: Sequence[Any], settings: Any = None, **how: Any) -> list[Any]:
    """The records of a trial in the order of its units."""
    return by_index(ran(trial, model, units, settings, **how))


def pairs_of(texts: Sequence[Texts], labels: Sequence[Any]) -> list[Example]:
    """Texts with their labels."""
    return [Example(tuple(text), label) for text, label in zip(texts, labels, strict=True)]


def only_asked(answer: Callable[[Sequence[Texts]], np.ndarray], labels: Sequence[str] = ()) -> Victim:
    """A victim that is asked with tuples, and that nobody can look into."""
    return Victim("asked", answer, labels=tuple(labels), takes_tuples=True)


def writer(model: Any, task: str) -> Victim:
    """A language model or translator that lies in no folder."""
    return Victim(model.name, no_classes, hash="w", task=task, max_length=model.max_length, network=model)


def by_part(rows: Iterable[Row]) -> dict[tuple[str, str | None], Row]:
    """Rows by their metric and part."""
    return {(row.metric, row.part): row for row in rows}
