"""What is to be measured: every trial of every model as a job, and who computes its records."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from unfooled.attacks.attack import Attack
from unfooled.errors import BadInput
from unfooled.results.folder import log_path
from unfooled.results.log import Header
from unfooled.settings import Settings
from unfooled.trials.inputs import Given, Inputs, hash_units
from unfooled.trials.places import Places
from unfooled.trials.trial import MakeParts, Trial, TrialRun
from unfooled.victims.victim import Victim


@dataclass(frozen=True)
class Planned:
    """One trial of one model, and where its log is."""

    trial: Trial
    run: TrialRun
    header: Header
    slug: str
    path: Path
    own: Places | None = None  # the units of this shard; None where all of them are

    @property
    def total(self) -> int:
        """How many records its log is to hold."""
        return self.header.examples if self.own is None else len(self.own)

    @property
    def of_others(self) -> Places:
        """The units of other shards, to which what is done is added."""
        return Places(self.header.examples) if self.own is None else self.own.others()

    @property
    def label(self) -> str:
        """What a bar calls it."""
        return f"{self.header.trial} {self.header.model}"


Compute = Callable[[Planned, Collection[int]], Iterator[Any]]  # the records of a job but for those that are done


def here(job: Planned, done: Collection[int]) -> Iterator[Any]:
    """Records made in this process, one after the other."""
    return job.trial.run(job.run, done)


def planned(
    victims: Sequence[Victim],
    slugs: Sequence[str],
    inputs: Inputs,
    out: Path,
    chosen: Mapping[str, Settings],
    known: Mapping[str, Trial],
    where_possible: Collection[str],
    how: Mapping[str, Any],
) -> tuple[list[Planned], list[str]]:
    """Every trial of every model, and why some of those that need not be run are not."""
    jobs: list[Planned] = []
    skipped: list[str] = []
    inputs = inputs if inputs.names else replace(inputs, names=victims[0].labels)
    for name, settings in chosen.items():
        trial = known[name]
        try:
            units = trial.units(inputs, settings, how["seed"])
        except BadInput as error:
            if name not in where_possible:
                raise
            skipped.append(f"{name} was left out: {error}")
            continue
        told = describe(name, trial, noted(settings, how["parts"]), units, inputs, how["seed"])
        for victim, slug in zip(victims, slugs, strict=True):
            reason = trial.unable(victim, units)
            if reason is not None and name not in where_possible:
                raise BadInput(f"{name} cannot be run: {reason}")
            if reason is not None:
                skipped.append(f"{name} was left out: {reason}")
                continue
            run = TrialRun(victim, units, settings, **how, task=inputs.task, names=inputs.names)
            jobs.append(Planned(trial, run, of_victim(told, victim), slug, log_path(out, slug, name)))
    if not jobs:
        raise BadInput(f"no trial can be run: {'; '.join(skipped)}")
    places = {slug: place for place, slug in enumerate(slugs)}
    return sorted(jobs, key=lambda job: places[job.slug]), skipped


def noted(settings: Settings, parts: MakeParts) -> dict[str, JsonValue]:
    """Settings as a log keeps them, with what an attack is built from: outcomes depend on it."""
    plain: dict[str, JsonValue] = settings.model_dump(mode="json")
    attack = getattr(settings, "attack", None)
    if isinstance(attack, Attack):
        similarity = plain["similarity"]
        plain["parts"] = dict(parts(attack, None if similarity is None else str(similarity)).notes)
    return plain


def describe(
    name: str, trial: Trial, settings: dict[str, JsonValue], units: Sequence[object], inputs: Inputs, seed: int
) -> Header:
    """What the logs of a trial say of themselves, but for the model."""
    source = inputs.sources.get(trial.source, Given("given", ""))
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
        unit=trial.unit,
        source=trial.source,
        task=inputs.task,
        asked=dict(source.asked),
    )


def of_victim(header: Header, victim: Victim) -> Header:
    """The header with the model in it."""
    return replace(
        header,
        model=victim.name,
        model_hash=victim.hash,
        rules_hash=victim.rules or None,
        labels=victim.labels,
        max_length=victim.max_length,
        learnt_nothing=victim.learnt_nothing,
        learnt_from=victim.trained_on is not None and victim.trained_on == header.data_hash,
    )
