"""Runs trials on models, resumes what was broken off, and leaves a results folder behind."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from unfooled.errors import BadInput, nearest
from unfooled.evaluation.log import Header, append, finished, refuse_different
from unfooled.evaluation.records import Record
from unfooled.evaluation.results import (
    SUMMARY,
    Results,
    log_path,
    logs,
    open_results,
    read_summary,
    write_summary,
)
from unfooled.evaluation.trials import PGD_SETTINGS, PGDSettings, clean, pgd
from unfooled.models import TextModel
from unfooled.tokens import Texts

Show = Callable[[str, int, int], None]  # what is under way, how many examples are done, of how many


@dataclass(frozen=True)
class Job:
    """One trial of one model: on what, how, and where its log is."""

    model: TextModel
    texts: Sequence[Texts]
    labels: Sequence[int]
    settings: PGDSettings
    batch_size: int
    header: Header
    slug: str
    path: Path


def run_clean(job: Job, done: frozenset[int]) -> Iterator[Record]:
    """The texts as they are."""
    return clean(job.model, job.texts, job.labels, job.batch_size, done)


def run_pgd(job: Job, done: frozenset[int]) -> Iterator[Record]:
    """The texts under the worst perturbation of their embeddings."""
    return pgd(job.model, job.texts, job.labels, job.settings, job.batch_size, job.header.seed, done)


@dataclass(frozen=True)
class Trial:
    """How a trial is run, and whether the settings of k-PGD bear on it."""

    run: Callable[[Job, frozenset[int]], Iterator[Record]]
    has_settings: bool


TRIALS = {"clean": Trial(run_clean, has_settings=False), "pgd": Trial(run_pgd, has_settings=True)}


def evaluate(
    models: Sequence[TextModel],
    texts: Sequence[Texts],
    labels: Sequence[int],
    out: Path,
    *,
    data_name: str,
    data_hash: str,
    trials: Sequence[str] = ("clean", "pgd"),
    settings: PGDSettings = PGD_SETTINGS,
    batch_size: int = 64,
    seed: int = 0,
    show: Show | None = None,
) -> Results:
    """Put every model through every trial; what the folder already holds is not computed again.

    ``show`` is called with (what is under way, examples done, examples in all). The results are those of the
    whole folder: models evaluated into it earlier, on the same data and settings, stay in the table.
    """
    check_names(models, trials)
    check_examples(models, texts, labels, batch_size)
    data = Data(data_name, data_hash, len(texts), hash_examples(texts, labels))
    slugs = name_folders(models)
    jobs = []
    for model, slug in zip(models, slugs, strict=True):
        model_hash = model.fingerprint()
        for trial in dict.fromkeys(trials):
            used = settings.model_dump(mode="json") if TRIALS[trial].has_settings else {}
            header = describe(trial, model, model_hash, data, seed, used)
            path = log_path(out, slug, trial)
            jobs.append(Job(model, texts, labels, settings, batch_size, header, slug, path))
    refuse_other(out, jobs)
    for job in jobs:
        finish(job, show)
    results = open_results(out, slugs)
    write_summary(out, results)
    return results


@dataclass(frozen=True)
class Data:
    """The examples by name: the caller's name and hash for them, their number, and their own hash."""

    name: str
    hash: str
    examples: int
    examples_hash: str


def describe(
    trial: str, model: TextModel, model_hash: str, data: Data, seed: int, settings: dict[str, JsonValue]
) -> Header:
    """What the log of this trial of this model says of itself."""
    return Header(
        trial=trial,
        model=model.name,
        model_hash=model_hash,
        labels=model.labels,
        max_length=model.max_length,
        data=data.name,
        data_hash=data.hash,
        examples=data.examples,
        examples_hash=data.examples_hash,
        seed=seed,
        settings=settings,
    )


def finish(job: Job, show: Show | None) -> None:
    """Compute the records that the log does not hold yet."""
    done = finished(job.path, job.header)
    total, label = job.header.examples, f"{job.header.trial} {job.model.name}"
    if show:
        show(label, len(done), total)
    if len(done) == total:
        return
    for count, _ in enumerate(append(job.path, TRIALS[job.header.trial].run(job, done)), start=len(done) + 1):
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


def check_names(models: Sequence[TextModel], trials: Sequence[str]) -> None:
    """Refuse to evaluate nothing, and trials that do not exist."""
    if not models or not trials:
        raise BadInput("nothing to evaluate: give at least one model and one trial")
    for trial in trials:
        if trial not in TRIALS:
            raise BadInput(f"there is no trial called {trial}; {nearest(trial, TRIALS)}")


def check_examples(models: Sequence[TextModel], texts: Sequence[Texts], labels: Sequence[int], batch_size: int) -> None:
    """Refuse examples that the models cannot be measured on."""
    if len(texts) == 0:
        raise BadInput("the data holds no examples, so nothing can be measured; give data with texts and labels")
    if len(texts) != len(labels):
        raise BadInput(f"{len(texts)} texts have {len(labels)} labels; give one label for each text")
    if batch_size < 1:
        raise BadInput(f"the batch size is {batch_size}; give at least 1")
    for place, text in enumerate(texts):
        # A plain string is a sequence of letters: without this, each letter would pass as a text.
        if not isinstance(text, tuple) or not 1 <= len(text) == len(texts[0]) <= 2:
            raise BadInput(f"example {place} is no text or pair like the first; give tuples of one or two strings")
    for model in models:
        classes = len(model.labels)
        wrong = [place for place, label in enumerate(labels) if not 0 <= label < classes]
        if wrong or classes < 2:
            place = wrong[0] if wrong else 0
            raise BadInput(
                f"example {place} has label {labels[place]}, but {model.name} knows {classes} classes "
                f"({', '.join(model.labels)}); use a classifier trained for these labels"
            )


def hash_examples(texts: Sequence[Texts], labels: Sequence[int]) -> str:
    """The SHA-256 of the texts and labels, in order."""
    sha = hashlib.sha256()
    for text, label in zip(texts, labels, strict=True):
        sha.update(json.dumps([*text, int(label)]).encode() + b"\n")
    return sha.hexdigest()


def name_folders(models: Sequence[TextModel]) -> list[str]:
    """A folder name for each model: its own name made safe, with its weights' hash where two would clash."""
    plain = [folder_name(model.name) for model in models]
    folded = [name.casefold() for name in plain]  # some file systems do not tell A from a
    names = [
        f"{name}-{model.fingerprint()[:8]}" if folded.count(name.casefold()) > 1 else name
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
