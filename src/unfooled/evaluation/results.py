"""A results folder: records in ``<model>/<trial>/examples.jsonl``, their scores in ``summary.json``."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from unfooled.errors import BadInput
from unfooled.evaluation.behaviour import CaseRecord, by_test, failed_examples
from unfooled.evaluation.log import LOG, read, require_schema, strict
from unfooled.evaluation.measures import MEASURES, measure_of
from unfooled.evaluation.metrics import INTERVAL, Score, confusion
from unfooled.evaluation.records import Record
from unfooled.evaluation.trial_log import FORM, KIND, SCHEMA, Header, differences
from unfooled.evaluation.verdict import Axis, Verdict, verdicts
from unfooled.files import versions, write_whole

SUMMARY = "summary.json"


@dataclass(frozen=True)
class Row:
    """One number of the table: which model, which trial, at which radius or of which part (None without), which metric.

    A part is a test, a layer, a perturbation; a detail is left out of short tables.
    """

    model: str
    trial: str
    eps: float | None
    metric: str
    score: Score
    part: str | None = None
    detail: bool = False


@dataclass(frozen=True)
class Finished:
    """A trial of a model that has all its records."""

    slug: str
    header: Header
    records: tuple[Any, ...]


@dataclass(frozen=True)
class Results:
    """What a folder says: rows for a table, warnings, the trials they come from, and where each model stands."""

    rows: tuple[Row, ...]
    warnings: tuple[str, ...]
    trials: tuple[Finished, ...]
    verdicts: tuple[Verdict, ...] = ()


def log_path(out: Path, slug: str, trial: str) -> Path:
    """Where a trial of a model keeps its records."""
    return out / slug / trial / LOG


def logs(out: Path, order: Sequence[str] = ()) -> list[Path]:
    """All logs of a folder, those of the models in ``order`` first, each model's as the table of trials has them."""
    places = {slug: place for place, slug in enumerate(order)}
    trials = {trial: place for place, trial in enumerate(MEASURES)}

    def key(path: Path) -> tuple[int, str, int]:
        slug, trial = path.parent.parent.name, path.parent.name
        return places.get(slug, len(places)), slug, trials.get(trial, len(trials))

    return sorted(sorted(out.glob(f"*/*/{LOG}")), key=key)


def open_results(out: Path, order: Sequence[str] = ()) -> Results:
    """The scores of every finished trial in a folder; unfinished ones are named in the warnings.

    Records are made longest text first, so an unfinished trial is no fair sample and gets no score.
    """
    trials: list[Finished] = []
    warnings: list[str] = []
    for path in logs(out, order):
        found = read(path, FORM)
        done = len(found[1]) if found else 0
        if found is not None and found[0].examples == 0:
            warnings.append(f"{path} holds no examples and is left out; evaluate on data that has some")
            continue
        if found is None or done < found[0].examples:
            warnings.append(f"{path} is unfinished ({done} examples done) and left out; run the evaluation again")
            continue
        refuse_mixture(trials, path, found[0])
        trials.append(Finished(path.parent.parent.name, found[0], tuple(found[1])))
    if not trials:
        raise BadInput(f"{out} holds no finished evaluation; run: unfooled evaluate MODEL --data D --out {out}")
    rows = [
        Row(called(trial, trials), trial.header.trial, one.eps, one.metric, one.score, one.part, one.detail)
        for trial in trials
        for one in measure_of(trial.header.trial, trial.header.problem).scores(trial.records)
    ]
    for trial in trials:
        label = f"{called(trial, trials)}, {trial.header.trial}"
        measure = measure_of(trial.header.trial, trial.header.problem)
        warnings += [f"{label}: {warning}" for warning in measure.warnings(trial.records)]
    return Results(tuple(rows), tuple(warnings), tuple(trials), tuple(standings(trials)))


def standings(trials: Sequence[Finished]) -> list[Verdict]:
    """Where each model stands."""
    records: dict[str, dict[str, Sequence[Any]]] = {}
    for trial in trials:
        records.setdefault(called(trial, trials), {})[trial.header.trial] = trial.records
    return verdicts(records)


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
    headers = [trial.header for trial in results.trials]
    first = next((header for header in headers if header.unit == "example"), headers[0])
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
        "verdict": {one.model: verdict_summary(one) for one in results.verdicts},
        "warnings": list(results.warnings),
    }


def verdict_summary(verdict: Verdict) -> JsonValue:
    """Where a model stands, with the parts of both coordinates."""

    def plain(axis: Axis) -> JsonValue:
        parts: dict[str, JsonValue] = {name: numbers(score) for name, score in axis.parts.items()}
        return {"score": None if axis.score is None else numbers(axis.score), "parts": parts}

    return {"fickleness": plain(verdict.fickleness), "obstinacy": plain(verdict.obstinacy)}


def numbers(score: Score) -> dict[str, JsonValue]:
    """A score as strict JSON values."""
    return {name: strict(value) for name, value in asdict(score).items()}


def trial_summary(trial: Finished) -> JsonValue:
    """The settings and scores of one trial; ``versions`` are those that made the records."""
    header = trial.header
    scores: list[JsonValue] = [
        {"metric": one.metric, "eps": one.eps, "part": one.part, **numbers(one.score)}
        for one in measure_of(header.trial, header.problem).scores(trial.records)
    ]
    found: dict[str, JsonValue] = {
        "settings": header.settings,
        "versions": dict(header.versions),
        "data": {"name": header.data, "hash": header.data_hash, "of": header.source},
        "unit": header.unit,
        "units": header.examples,
        "interval": INTERVAL,
        "scores": scores,
    }
    if isinstance(trial.records[0], CaseRecord):
        found["failures"] = failures(trial)
    if isinstance(trial.records[0], Record):
        found["confusion"] = [list(row) for row in confusion(trial.records, len(header.labels))]
    return found


def failures(trial: Finished) -> dict[str, JsonValue]:
    """Some failed cases of each test: the text, the version that failed, and what was said of both."""
    labels = trial.header.labels
    found: dict[str, JsonValue] = {}
    for (kind, test), own in by_test(trial.records).items():
        some = failed_examples(own)
        if some:
            found[f"{kind} {test}"] = [
                {"text": list(text), "version": list(version), "said": [labels[first], labels[second]]}
                for text, version, first, second in some
            ]
    return found


def read_summary(out: Path) -> dict[str, JsonValue]:
    """The stored summary, if it is an evaluation's of this schema version."""
    path = out / SUMMARY
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path} is missing; run: unfooled evaluate MODEL --data D --out {out}") from None
    except ValueError:
        raise BadInput(f"{path} is not valid JSON; delete it and run the evaluation again, which resumes") from None
    require_schema(path, found, FORM)
    return found
