"""A results folder: records in ``<model>/<trial>/examples.jsonl``, their scores in ``summary.json``."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import JsonValue

from unfooled.errors import BadInput
from unfooled.evaluation.log import KIND, SCHEMA, Header, differences, read, require_schema
from unfooled.evaluation.metrics import Score, confusion, health, scores
from unfooled.evaluation.records import Record
from unfooled.files import versions, write_whole

LOG = "examples.jsonl"
SUMMARY = "summary.json"


@dataclass(frozen=True)
class Row:
    """One number of the table: which model, which trial, at which radius (None without one), which metric."""

    model: str
    trial: str
    eps: float | None
    metric: str
    score: Score


@dataclass(frozen=True)
class Finished:
    """A trial of a model that has all its records."""

    slug: str
    header: Header
    records: tuple[Record, ...]


@dataclass(frozen=True)
class Results:
    """What a folder says: rows for a table, warnings for whoever reads it, and the trials they come from."""

    rows: tuple[Row, ...]
    warnings: tuple[str, ...]
    trials: tuple[Finished, ...]


def log_path(out: Path, slug: str, trial: str) -> Path:
    """Where a trial of a model keeps its records."""
    return out / slug / trial / LOG


def logs(out: Path, order: Sequence[str] = ()) -> list[Path]:
    """All logs of a folder, those of the models in ``order`` first."""
    places = {slug: place for place, slug in enumerate(order)}
    found = sorted(out.glob(f"*/*/{LOG}"))
    return sorted(found, key=lambda path: places.get(path.parent.parent.name, len(places)))


def open_results(out: Path, order: Sequence[str] = ()) -> Results:
    """The scores of every finished trial in a folder; unfinished ones are named in the warnings.

    Records are made longest text first, so an unfinished trial is no fair sample and gets no score.
    """
    trials: list[Finished] = []
    warnings: list[str] = []
    for path in logs(out, order):
        found = read(path)
        done = len(found[1]) if found else 0
        if found is None or done < found[0].examples:
            warnings.append(f"{path} is unfinished ({done} examples done) and left out; run the evaluation again")
            continue
        refuse_mixture(trials, path, found[0])
        trials.append(Finished(path.parent.parent.name, found[0], tuple(found[1])))
    if not trials:
        raise BadInput(f"{out} holds no finished evaluation; run: unfooled evaluate MODEL --data D --out {out}")
    rows = [
        Row(called(trial, trials), trial.header.trial, eps, metric, score)
        for trial in trials
        for eps, metric, score in scores(trial.records)
    ]
    for trial in trials:
        label = f"{called(trial, trials)}, {trial.header.trial}"
        warnings += [f"{label}: {warning}" for warning in health(trial.records)]
    return Results(tuple(rows), tuple(warnings), tuple(trials))


def refuse_mixture(trials: Sequence[Finished], path: Path, header: Header) -> None:
    """Refuse to put trials on different data or under different settings into one table."""
    for other in trials:
        names = differences(other.header, header, same_model=other.slug == path.parent.parent.name)
        if names:
            raise BadInput(
                f"{path} cannot be compared with the other results of its folder: it differs from them in "
                f"{'; '.join(names)}; evaluate both models on the same data with the same settings"
            )


def called(trial: Finished, trials: Sequence[Finished]) -> str:
    """A model's name, or its folder's where two models share a name."""
    shared = {other.slug for other in trials if other.header.model == trial.header.model}
    return trial.header.model if len(shared) == 1 else trial.slug


def write_summary(out: Path, results: Results) -> None:
    """Write ``summary.json``, whole or not at all."""
    text = json.dumps(summary(results), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    write_whole(out / SUMMARY, text)


def summary(results: Results) -> dict[str, JsonValue]:
    """The results as strict JSON values: what is not a finite number is null."""
    first = results.trials[0].header
    models: dict[str, JsonValue] = {}
    for slug in dict.fromkeys(trial.slug for trial in results.trials):
        own = [trial for trial in results.trials if trial.slug == slug]
        header = own[0].header
        models[slug] = {
            "name": header.model,
            "hash": header.model_hash,
            "labels": list(header.labels),
            "max_length": header.max_length,
            "trials": {trial.header.trial: trial_summary(trial) for trial in own},
        }
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "versions": dict(versions()),
        "seed": first.seed,
        "data": {
            "name": first.data,
            "hash": first.data_hash,
            "examples": first.examples,
            "examples_hash": first.examples_hash,
        },
        "models": models,
        "warnings": list(results.warnings),
    }


def trial_summary(trial: Finished) -> JsonValue:
    """The settings and scores of one trial; ``versions`` are those that made the records."""
    header = trial.header
    numbers: list[JsonValue] = [
        {"metric": metric, "eps": eps, **{name: strict(value) for name, value in asdict(score).items()}}
        for eps, metric, score in scores(trial.records)
    ]
    return {
        "settings": header.settings,
        "versions": dict(header.versions),
        "interval": "95 %: Wilson for shares, Student's t for means",
        "scores": numbers,
        "confusion": [list(row) for row in confusion(trial.records, len(header.labels))],
    }


def strict(value: JsonValue) -> JsonValue:
    """The value, or None for a number JSON cannot write."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_summary(out: Path) -> dict[str, JsonValue]:
    """The stored summary, if it is an evaluation's of this schema version."""
    path = out / SUMMARY
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path} is missing; run: unfooled evaluate MODEL --data D --out {out}") from None
    except ValueError:
        raise BadInput(f"{path} is not valid JSON; run the evaluation again, it resumes from its records") from None
    require_schema(path, found)
    return found
