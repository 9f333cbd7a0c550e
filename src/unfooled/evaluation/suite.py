"""Runs trials on models, resumes what was broken off, and leaves a results folder behind."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from unfooled.attacks.attack import Attack
from unfooled.errors import BadInput, nearest
from unfooled.evaluation.answer_trials import refuse_trial, trials_of
from unfooled.evaluation.log import append, begin
from unfooled.evaluation.material import Material, Source, check_examples, check_labels, hash_examples, hash_units
from unfooled.evaluation.measures import measure_of
from unfooled.evaluation.results import SUMMARY, Results, log_path, logs, open_results, read_summary, write_summary
from unfooled.evaluation.subject import Subject, subject_of
from unfooled.evaluation.trial_log import FORM, Header, refuse_different
from unfooled.evaluation.trial_table import TRIALS, MakeParts, Work, no_parts, unable
from unfooled.models import TextModel
from unfooled.models.encoders.problems import PROBLEMS
from unfooled.settings import Settings

__all__ = ["TRIALS", "Material", "Source", "evaluate", "folder_name", "hash_examples"]

Show = Callable[[str, int, int], None]  # what is under way, how many examples are done, of how many


@dataclass(frozen=True)
class Job:
    """One trial of one model, and where its log is."""

    work: Work
    header: Header
    slug: str
    path: Path


def evaluate(
    models: Sequence[TextModel | Subject],
    material: Material,
    out: Path,
    trials: Sequence[str] | Mapping[str, Settings] = ("clean", "pgd"),
    *,
    where_possible: Collection[str] = (),
    parts: MakeParts = no_parts,
    batch_size: int = 64,
    seed: int = 0,
    show: Show | None = None,
) -> Results:
    """Put every model through every trial; what the folder already holds is not computed again.

    ``trials`` are names, or names with settings. Those in ``where_possible`` are left out where the material or a model
    does not do for them, and a warning says so. ``parts`` makes what attacks are built from. ``show`` is called with
    (what is under way, examples done, examples in all). The results are those of the whole folder: models evaluated
    into it earlier, on the same data and settings, stay in the table.
    """
    check_names(models, trials, material.problem)
    check_examples(material)
    if batch_size < 1:
        raise BadInput(f"the batch size is {batch_size}; give at least 1")
    subjects = [subject_of(model) for model in models]
    for subject in subjects:
        check_subject(material, subject)
    slugs = name_folders(subjects)
    chosen = with_settings(trials, material.problem)
    jobs, skipped = planned(subjects, slugs, material, out, chosen, where_possible, parts, batch_size, seed)
    refuse_other(out, jobs)
    for job in jobs:
        finish(job, show)
    found = open_results(out, slugs)
    results = replace(found, warnings=(*skipped, *found.warnings))
    write_summary(out, results)
    return results


def check_subject(material: Material, subject: Subject) -> None:
    """Refuse a model that is asked for something else than the material tells, or for other labels."""
    if subject.problem != material.problem:
        raise BadInput(
            f"{subject.name} is {PROBLEMS[subject.problem].said}, and the examples are for "
            f"{PROBLEMS[material.problem].said}; evaluate them apart"
        )
    if material.problem == "class":
        check_labels(material, subject.name, subject.labels)


def with_settings(trials: Sequence[str] | Mapping[str, Settings], problem: str) -> dict[str, Settings]:
    """Each trial with its settings, the usual ones where none are given."""
    if isinstance(trials, Mapping):
        return dict(trials)
    return {name: trials_of(problem)[name].settings() for name in trials}


def planned(
    subjects: Sequence[Subject],
    slugs: Sequence[str],
    material: Material,
    out: Path,
    trials: Mapping[str, Settings],
    where_possible: Collection[str],
    parts: MakeParts,
    batch_size: int,
    seed: int,
) -> tuple[list[Job], list[str]]:
    """Every trial of every model, and why some of those that need not be run are not."""
    jobs: list[Job] = []
    skipped: list[str] = []
    material = material if material.names else replace(material, names=subjects[0].labels)
    for name, settings in trials.items():
        try:
            units = trials_of(material.problem)[name].units(material, settings, seed)
        except BadInput as error:
            if name not in where_possible:
                raise
            skipped.append(f"{name} was left out: {error}")
            continue
        told = describe(name, noted(settings, parts), units, material, seed)
        for subject, slug in zip(subjects, slugs, strict=True):
            reason = unable(name, subject)
            if reason is not None and name not in where_possible:
                raise BadInput(reason)
            if reason is not None:
                skipped.append(f"{name} was left out: {reason}")
                continue
            work = Work(subject, units, settings, seed, batch_size, parts)
            jobs.append(Job(work, of_subject(told, subject), slug, log_path(out, slug, name)))
    if not jobs:
        raise BadInput(f"no trial can be run: {'; '.join(skipped)}")
    order = {slug: place for place, slug in enumerate(slugs)}
    return sorted(jobs, key=lambda job: order[job.slug]), skipped


def noted(settings: Settings, parts: MakeParts) -> dict[str, JsonValue]:
    """Settings as a log keeps them, with where an attack's neighbours come from: outcomes depend on it."""
    plain: dict[str, JsonValue] = settings.model_dump(mode="json")
    attack = getattr(settings, "attack", None)
    if isinstance(attack, Attack) and attack.needs_neighbours:
        plain["parts"] = dict(parts(attack, plain["similarity"]).notes)  # type: ignore[arg-type]
    return plain


def describe(
    name: str, settings: dict[str, JsonValue], units: Sequence[object], material: Material, seed: int
) -> Header:
    """What the logs of a trial say of themselves, but for the model."""
    measure = measure_of(name, material.problem)
    source = material.sources.get(measure.source, Source("given", ""))
    return Header(
        trial=name,
        model="",
        model_hash="",
        labels=(),
        max_length=None,
        data=source.name,
        data_hash=source.hash,
        examples=len(units),
        examples_hash=hash_units(units),
        seed=seed,
        settings=settings,
        unit=measure.unit,
        source=measure.source,
        problem=material.problem,
    )


def of_subject(header: Header, subject: Subject) -> Header:
    """The header with the model in it."""
    return replace(
        header, model=subject.name, model_hash=subject.hash, labels=subject.labels, max_length=subject.max_length
    )


def finish(job: Job, show: Show | None) -> None:
    """Compute the records that the log does not hold yet."""
    done = frozenset(record.index for record in begin(job.path, job.header, FORM))
    total, label = job.header.examples, f"{job.header.trial} {job.header.model}"
    if show:
        show(label, len(done), total)
    if len(done) == total:
        return
    found = append(job.path, trials_of(job.header.problem)[job.header.trial].run(job.work, done))
    for count, _ in enumerate(found, start=len(done) + 1):
        if show:
            show(label, count, total)


def refuse_other(out: Path, jobs: Sequence[Job]) -> None:
    """Refuse a folder that cannot stand in one table with these jobs, before anything is computed."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; give a folder for the results")
    if (out / SUMMARY).exists():
        read_summary(out)
    for path in logs(out):
        for job in jobs:
            refuse_different(path, job.header, same_model=path.parent.parent.name == job.slug)


def check_names(
    models: Sequence[object], trials: Sequence[str] | Mapping[str, Settings], problem: str = "class"
) -> None:
    """Refuse to evaluate nothing, and trials that do not exist."""
    if not models or not trials:
        raise BadInput("nothing to evaluate: give at least one model and one trial")
    for trial in trials:
        if trial not in TRIALS:
            raise BadInput(f"there is no trial called {trial}; {nearest(trial, TRIALS)}")
        refuse_trial(trial, problem)


def name_folders(models: Sequence[Subject]) -> list[str]:
    """A folder name for each model: its own name made safe, with its weights' hash where two would clash."""
    plain = [folder_name(model.name) for model in models]
    folded = [name.casefold() for name in plain]  # some file systems do not tell A from a
    names = [
        f"{name}-{model.hash[:8]}" if folded.count(name.casefold()) > 1 else name
        for name, model in zip(plain, models, strict=True)
    ]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(f"two of the models are the same ({twice}); give each model once")
    return names


def folder_name(name: str) -> str:
    """A name as a folder may have it: letters, digits and dashes, at most 80.

    >>> folder_name("../runs/carl v1.5/model")
    'runs-carl-v1-5-model'
    """
    safe = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") or "model"
    if len(safe) <= 80:
        return safe
    return f"{safe[-70:].strip('-')}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
