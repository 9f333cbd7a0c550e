"""A results folder: records in ``<model>/<trial>/examples.jsonl``, their scores in ``summary.json``."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from unfooled.errors import BadInput, either, measuring
from unfooled.files import SUMMARY, versions, write_whole
from unfooled.journal import JOURNAL, KIND, SCHEMA, first_line, require_schema, strict
from unfooled.parsing import json_file
from unfooled.results.contradictions import contradictions
from unfooled.results.log import Header, differences, refuse_different, refuse_misplaced
from unfooled.results.records import open_log
from unfooled.results.ticks import TICKS, read_ticks, ticked
from unfooled.results.verdict import Verdict, verdicts
from unfooled.scores.intervals import INTERVAL
from unfooled.scores.score import Score
from unfooled.trials import TRIALS
from unfooled.trials.columns import brief
from unfooled.trials.trial import AXES, Row, Trial

# Of a model: its numbers would else be read as those of a method.
NOTHING = (
    "{} had learnt nothing that its validation split showed when it was trained: it was no better than always saying "
    "the commonest class, and what it holds against says nothing of how it was trained"
)


@dataclass(frozen=True)
class Finished:
    """A trial of a model that has all its records; ``model`` is the name that tables have for it.

    Records of a log are read from it when they are asked for; numbers are read off ``briefs``, which stay in memory.
    ``joined`` reads the records of a trial that was not run, but read off others. ``ticked`` are the numbers of records
    of which a reader says that their meaning changed.
    """

    slug: str
    header: Header
    records: Sequence[Any]
    model: str
    joined: Trial | None = None
    ticked: frozenset[int] = frozenset()

    @property
    def trial(self) -> str:
        """The trial's name."""
        return self.header.trial

    @property
    def form(self) -> Trial:
        """The trial itself, which reads the records."""
        return self.joined or self.header.form

    @property
    def briefs(self) -> Sequence[Any]:
        """What the numbers are read off: the records, or the columns of them that the trial names."""
        return brief(self.records)

    @cached_property
    def rows(self) -> list[Row]:
        """The numbers of this trial."""
        return [replace(row, trial=self.trial, model=self.model) for row in self.form.scores(self.briefs)]

    @property
    def warnings(self) -> list[str]:
        """What makes its numbers doubtful."""
        uncalibrated = self.header.temperature is None
        return [*self.form.warnings(self.briefs), *(self.form.uncalibrated(self.briefs) if uncalibrated else ())]


@dataclass(frozen=True)
class Results:
    """What folders say: the finished trials, and what makes them doubtful."""

    trials: tuple[Finished, ...]
    warnings: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> list[Row]:
        """Every number."""
        return [row for one in self.measured for row in one.rows]

    @cached_property
    def measured(self) -> tuple[Finished, ...]:
        """The finished trials, and what several of them say together."""
        return (*self.trials, *joined_trials(self.trials))

    @property
    def models(self) -> list[str]:
        """The models, in order."""
        return list(dict.fromkeys(one.model for one in self.trials))

    def of(self, model: str, trial: str) -> Finished | None:
        """A trial of a model, None where there is none."""
        return next((one for one in self.trials if (one.model, one.trial) == (model, trial)), None)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Where each model stands."""
        return verdicts({name: [one for one in self.trials if one.model == name] for name in self.models})


def joined_trials(trials: Sequence[Finished]) -> list[Finished]:
    """What trials of a model say together, where it has several on the same units and all models have the same ones."""
    found: list[Finished] = []
    for joined in dict.fromkeys(one.form.joined for one in trials if one.form.joined is not None):
        own = [one for one in trials if one.form.joined == joined]
        models = list(dict.fromkeys(one.model for one in own))
        by_model = {model: {one.trial: one for one in own if one.model == model} for model in models}
        names = [name for name in by_model[models[0]] if all(name in some for some in by_model.values())]
        for model, some in by_model.items():
            shared = {name: some[name] for name in names}
            if len(shared) < 2 or len({one.header.examples_hash for one in shared.values()}) > 1:
                continue
            records = joined.records({name: one.briefs for name, one in shared.items()})
            first = some[names[0]]
            header = replace(
                first.header, trial=joined.name, examples=len(records), unit=joined.form.unit, settings={"of": [*names]}
            )
            found += [Finished(first.slug, header, records, model, joined.form)] if len(records) else []
    return found


def log_path(out: Path, slug: str, trial: str) -> Path:
    """Where a trial of a model keeps its records."""
    return out / slug / trial / JOURNAL


def logs(out: Path, order: Sequence[str] = ()) -> list[Path]:
    """All logs of a folder, those of the models in ``order`` first, each model's as the table of trials has them.

    An attack's log of an older schema, which stood in the folder itself, is refused rather than overlooked.
    """
    if (out / JOURNAL).is_file():
        first_line(out / JOURNAL)
    places = {slug: place for place, slug in enumerate(order)}
    trials = {trial: place for place, trial in enumerate(TRIALS)}

    def key(path: Path) -> tuple[int, str, int]:
        slug, trial = path.parent.parent.name, path.parent.name
        return places.get(slug, len(places)), slug, trials.get(trial, len(trials))

    return sorted(sorted(out.glob(f"*/*/{JOURNAL}")), key=key)


def refuse_strangers(out: Path, wanted: Sequence[tuple[str, Header]]) -> None:
    """Refuse a folder in whose table what is to be written cannot stand, each log by its model's folder and header."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; give a folder for the results")
    if (out / SUMMARY).exists():
        read_summary(out)
    for path in logs(out):
        refuse_misplaced(path)
        for slug, header in wanted:
            refuse_different(path, header, same_model=path.parent.parent.name == slug)


def open_folder(out: Path, order: Sequence[str] = ()) -> Results:
    """Every finished trial in a folder; unfinished ones are named in the warnings.

    Records are made longest text first, so an unfinished trial is no fair sample and gets no score.
    """
    trials: list[Finished] = []
    warnings: list[str] = []
    ticks = read_ticks(out)
    for path in logs(out, order):
        log = open_log(path)
        done = len(log[1]) if log else 0
        if log is not None and log[0].examples == 0:
            warnings.append(f"{path} holds no examples and is left out; evaluate on data that has some")
            continue
        if log is not None and log[0].shard is not None:
            merge = either("unfooled merge SHARDS … --out OUT", "uf.merge(SHARDS, OUT)")
            raise BadInput(f"{path} is shard {log[0].shard} of an evaluation; join all of them first: {merge}")
        if log is None or done < log[0].examples:
            warnings.append(f"{path} is unfinished ({done} examples done) and left out; run the evaluation again")
            continue
        refuse_mixture(trials, path, log[0])
        slug = path.parent.parent.name
        own = ticked(ticks, slug, log[0])
        if own is None:
            warnings.append(f"{out / TICKS} has ticks of other records than those of {path}, which are left out")
        trials.append(Finished(slug, log[0], log[1], log[0].model, ticked=own or frozenset()))
    if not trials:
        raise BadInput(f"{out} holds no finished evaluation; run: {measuring('evaluate', out)}")
    named = [replace(trial, model=called(trial, trials)) for trial in trials]
    warnings += [f"{one.model}, {one.trial}: {warning}" for one in named for warning in one.warnings]
    unlearnt = [
        NOTHING.format(model) for model in dict.fromkeys(one.model for one in named if one.header.learnt_nothing)
    ]
    return Results(tuple(named), (*contradictions(named), *unlearnt, *warnings))


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
    """Write the summary, whole or not at all."""
    text = json.dumps(summary(results), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    write_whole(out / SUMMARY, text.encode(errors="backslashreplace").decode())  # halves of letters, as JSON has them


def summary(results: Results) -> dict[str, JsonValue]:
    """The results as strict JSON values: what is not a finite number is null."""
    headers = [trial.header for trial in results.trials]
    first = next((header for header in headers if header.unit == "example"), headers[0])
    models: dict[str, JsonValue] = {}
    for slug in dict.fromkeys(trial.slug for trial in results.trials):
        own = [trial for trial in results.measured if trial.slug == slug]
        header = own[0].header
        models[slug] = {
            "name": header.model,
            "hash": header.model_hash,
            "labels": list(header.labels),
            "max_length": header.max_length,
            "trials": {trial.trial: trial_summary(trial) for trial in own},
        }
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "versions": dict(versions()),
        "seed": first.seed,
        "task": first.task,
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
    plain: dict[str, JsonValue] = {}
    for name in AXES:
        axis = verdict.axes[name]
        parts: dict[str, JsonValue] = {part: numbers(score) for part, score in axis.parts.items()}
        plain[name] = {"score": None if axis.score is None else numbers(axis.score), "parts": parts}
    return plain


def numbers(score: Score) -> dict[str, JsonValue]:
    """A score as strict JSON values."""
    return {name: strict(value) for name, value in asdict(score).items() if name not in ("least", "most")}


def trial_summary(trial: Finished) -> JsonValue:
    """The settings and scores of one trial; ``versions`` are those that made the records."""
    header = trial.header
    scores: list[JsonValue] = [
        {"metric": row.metric, "eps": row.eps, "part": row.part, **numbers(row.score)} for row in trial.rows
    ]
    return {
        "settings": header.settings,
        **({} if trial.form.calibrate is None else {"temperature": header.temperature}),
        "versions": dict(header.versions),
        "data": {"name": header.data, "hash": header.data_hash, "of": header.source},
        "unit": header.unit,
        "units": header.examples,
        "interval": INTERVAL,
        "scores": scores,
        **trial.form.facts(trial.briefs, header.labels),
    }


def read_summary(out: Path) -> dict[str, JsonValue]:
    """The stored summary, if it is an evaluation's of this schema version."""
    path = out / SUMMARY
    try:
        stored = json_file(path)
    except FileNotFoundError:
        raise BadInput(f"{path} is missing; run: {measuring('evaluate', out)}") from None
    except ValueError:
        raise BadInput(f"{path} is not valid JSON; delete it and run the evaluation again, which resumes") from None
    require_schema(path, stored)
    return stored
