"""Runs trials on models, resumes what was broken off, and leaves a results folder behind."""

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from unfooled.attacks.attack import Attack, Parts
from unfooled.errors import BadInput
from unfooled.files import LOCK, held, owned, synchronise
from unfooled.journal import append, begin
from unfooled.progress import Part
from unfooled.results.folder import Results, open_folder, refuse_strangers, write_summary
from unfooled.results.log import (
    Header,
    differences,
    placed_records,
    read_header,
    twice,
)
from unfooled.results.planned import Compute, Planned, here, planned
from unfooled.results.shard import Share
from unfooled.settings import Settings
from unfooled.tasks import TASKS
from unfooled.trials import require_trial
from unfooled.trials.inputs import Inputs, check_inputs, check_labels
from unfooled.trials.places import Places
from unfooled.trials.trial import MakeParts, Trial
from unfooled.victims import open_victim
from unfooled.victims.victim import Victim

Show = Callable[[str, int, int, str], None]  # what is under way, how many units are done, of how many, a number


def no_parts(attack: Attack, similarity: str | None) -> Parts:
    """No sentence encoder and no neighbours: enough for most attacks."""
    return Parts()


def evaluate(
    models: Sequence[Any],
    inputs: Inputs,
    out: Path,
    trials: Sequence[str] | Mapping[str, Settings] = ("clean", "pgd"),
    *,
    where_possible: Collection[str] = (),
    parts: MakeParts = no_parts,
    batch_size: int = 64,
    in_flight: int = 128,
    seed: int = 0,
    show: Show | None = None,
    foretell: Callable[[Sequence[Part]], None] | None = None,
    forms: Mapping[str, Trial] | None = None,
    wait: bool = False,
    compute: Compute = here,
    shard: Share | None = None,
) -> Results:
    """Put every model through every trial; what the folder already holds is not computed again.

    ``trials`` are names, or names with settings. Those in ``where_possible`` are left out where the inputs or a model
    does not do for them, and a warning says so. ``parts`` makes what attacks are built from. ``show`` is called with
    (what is under way, units done, units in all, a number), ``foretell`` before with all that is to be. The results are
    those of the whole folder: models evaluated into it earlier, on the same data and settings, stay in the table.
    ``forms`` are trials that are in no table. What another process writes is waited for with ``wait``, else refused.
    ``compute`` is who makes the records; they are written here, whoever that is. Of a ``shard`` there are records and
    no results yet: ``results.merge`` makes those.
    """
    if not models or not trials:
        raise BadInput("nothing to evaluate: give at least one model and one trial")
    if batch_size < 1:
        raise BadInput(f"the batch size is {batch_size}; give at least 1")
    known = {name: (forms or {}).get(name) or require_trial(name, inputs.task) for name in trials}
    check_inputs(inputs)
    victims = [fitting_victim(inputs, open_victim(model)) for model in models]
    slugs = name_folders(victims)
    chosen = dict(trials) if isinstance(trials, Mapping) else {name: known[name].settings() for name in trials}
    how = {"batch_size": batch_size, "in_flight": in_flight, "seed": seed, "parts": parts}
    jobs, skipped = planned(victims, slugs, inputs, out, chosen, known, where_possible, how)
    jobs = jobs if shard is None else [shard.job(job) for job in jobs]
    refuse_other(out, jobs)
    if foretell:
        foretell([Part(job.label, job.header.trial) for job in jobs])
    for job in jobs:
        finish(job, out, show, wait, compute)
    remarks = [f"{job.header.model}, {job.header.trial}: {remark}" for job in jobs for remark in job.run.remarks]
    if shard is not None:
        return Results((), (*skipped, *remarks))
    with held(out / LOCK, wait=True):  # for the moment that it takes: who reads last writes last
        whole = open_folder(out, slugs)
        results = replace(whole, warnings=(*skipped, *whole.warnings, *remarks))
        write_summary(out, results)
    return results


def fitting_victim(inputs: Inputs, victim: Victim) -> Victim:
    """A model that says what the inputs ask for, by their labels; one that is only asked is tried on the first text."""
    if victim.task != inputs.task:
        raise BadInput(
            f"{victim.name} is {TASKS[victim.task].said}, and the examples are for {TASKS[inputs.task].said}; "
            "evaluate them apart"
        )
    able = victim if victim.network is not None else victim.tried(inputs.texts[0])
    if TASKS[inputs.task].confusion:  # answers are classes
        check_labels(inputs, able.name, able.labels or tuple(map(str, range(able.classes))))
    return able


def finish(job: Planned, out: Path, show: Show | None, wait: bool, compute: Compute) -> None:
    """Compute the records that the log does not hold yet; nobody else writes to it meanwhile.

    What is refused before its first record leaves no log, which would keep the folder from anything else.
    """
    with owned(job.path.parent, wait=wait):
        known = read_header(job.path) if job.path.exists() else None
        header = calibrated(job) if known is None else known
        job.run.temperature = header.temperature
        with held(out / LOCK, wait=True):  # another process may have begun something else since this one looked
            refuse_other(out, [job])
            begin(job.path, header)
        before = Before(job.of_others) if known is None else before_in(job, known)
        if known is not None and job.trial.calibrate is not None and before.count < job.total:
            refuse_other_answers(job, header)
        count = before.count
        try:
            for _ in shown(job, before, show, compute):
                count += 1
        except BadInput:
            if not count:
                job.path.unlink()
            raise
        finally:
            if job.path.exists():
                synchronise(job.path)


@dataclass
class Before:
    """What a log holds already: which units, with those of other shards; how many records, and how many went well."""

    done: Places
    count: int = 0
    well: int = 0


def before_in(job: Planned, header: Header) -> Before:
    """What a log holds; no record is kept."""
    before, seen = Before(job.of_others), Places(job.header.examples)
    for number, (_, record) in enumerate(placed_records(job.path, header), start=2):
        if record.index in seen or record.index >= seen.size:
            raise twice(job.path, number, record.index, header)
        seen.add(record.index)
        before.done.add(record.index)
        before.count += 1
        before.well += bool(job.trial.good and job.trial.good(record))
    return before


def calibrated(job: Planned) -> Header:
    """The header of a log that begins, with the temperature where the trial fits one."""
    if job.trial.calibrate is None:
        return job.header
    return replace(job.header, temperature=job.trial.calibrate(job.run))


def refuse_other_answers(job: Planned, header: Header) -> None:
    """Refuse to go on in a log of probabilities with logits, or the other way round: no table may hold both."""
    if job.run.victim.logits != (header.temperature is not None):
        was, now = ("logits", "probabilities") if header.temperature is not None else ("probabilities", "logits")
        raise BadInput(
            f"{job.path} was begun with a model that gave {was}, and {job.header.model} gives {now}; "
            "choose another output folder"
        )


def shown(job: Planned, before: Before, show: Show | None, compute: Compute) -> Iterator[Any]:
    """The records that are made, with word of how far it is and how many went well."""
    total, label, good = job.total, job.label, job.trial.good
    well = before.well
    if show:
        show(label, before.count, total, "")
    if before.count == total:
        return
    for count, record in enumerate(append(job.path, compute(job, before.done)), start=before.count + 1):
        well += bool(good and good(record))
        if show:
            show(label, count, total, f"{well / count:.3f} right" if good else "")
        yield record


def refuse_other(out: Path, jobs: Sequence[Planned]) -> None:
    """Refuse jobs that cannot stand in one table with each other or with the folder, before anything is computed."""
    refuse_strangers(out, [(job.slug, job.header) for job in jobs])
    for one, job in combinations(jobs, 2):
        names = differences(one.header, job.header, same_model=one.slug == job.slug)
        if names:
            raise BadInput(
                f"{job.header.trial} cannot stand in one table with {one.header.trial}: they differ in "
                f"{'; '.join(names)}; give both the same settings, or evaluate into two folders"
            )


def name_folders(models: Sequence[Victim]) -> list[str]:
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
