"""What a person calls to have an attack's claims checked."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from unfooled.attacks.records import AttackRecord
from unfooled.attacks.rounding import Yardstick
from unfooled.attacks.victim import Victim, checked
from unfooled.commands.attack import Model, goal_of
from unfooled.commands.result_claims import (
    Trial,
    as_attack,
    misstated_results,
    results_in,
    transferred_again,
    trials_of_adversaries,
)
from unfooled.commands.victims import Opened, open_victim
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import FREE, LOG, AttackHeader, read_attack
from unfooled.evaluation.attack_summary import SUMMARY, attack_summary
from unfooled.evaluation.log import same
from unfooled.evaluation.transfer import TransferRecord
from unfooled.evaluation.trial_log import Header

# A claim was made with a margin, so that no rounding of this machine's can take it back.
EXACT = Yardstick(width=0.0, floor=0.0)
BATCH = 64
TOLERANCE = 1e-3  # of a probability: what another machine, batch or number of threads may make of it


@dataclass(frozen=True)
class Verified:
    """What became of a log's claims: examples by number, and what a summary says otherwise than the records.

    ``disagreeing`` are adversaries that do not fool the model; ``otherwise`` fool it, but into another class or with
    other probabilities than the log says; ``missing`` counts examples that no record tells of yet. Of a results folder
    ``trials`` has what became of each attack, by model and trial, and these are all of them together.
    """

    checked: int
    disagreeing: tuple[int, ...]
    otherwise: tuple[int, ...] = ()
    missing: int = 0
    summary: tuple[str, ...] = ()
    trials: Mapping[str, "Verified"] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether everything that the folder says is so; what is missing it does not say."""
        return not (self.disagreeing or self.otherwise or self.summary)


def verify(folder: str | Path, model: Model | None = None) -> Verified:
    """Ask models again about every adversary that a folder claims, and add its summary up again.

    The folder is an attack's, or holds the results of an evaluation or a comparison. ``model`` is needed where the
    attacked one was a callable; a named model must be the very one of the log, and of results only its trials are
    asked about.
    """
    path, results = Path(folder) / LOG, results_in(Path(folder))
    found = read_attack(path) if path.is_file() else None
    if found is None and results is not None:
        return verify_results(results, model)
    if found is None:
        raise BadInput(f"{folder} holds no attack; run: unfooled attack MODEL --data D --out {folder}")
    header, records = found
    victim = victim_of(path, header, model)
    if victim.hash != header.model_hash:
        raise BadInput(
            f"{victim.name} is not the model of {path}: its hash is {victim.hash[:12] or 'none'}, there it is "
            f"{header.model_hash[:12]}; name the model that was attacked"
        )
    missing = header.examples - len(records)
    summary = () if missing else tuple(misstated(Path(folder), header, records))
    claims = [record for record in records if record.outcome == "fooled" or record.adversary is not None]
    if not claims:
        return Verified(0, (), (), missing, summary)
    able = checked(victim.call, claims[0].texts)
    agreed, exact = answered_again(claims, header, able)
    return Verified(
        checked=len(claims),
        disagreeing=tuple(record.index for record in claims if record.index not in agreed),
        otherwise=tuple(record.index for record in claims if record.index in agreed - exact),
        missing=missing,
        summary=summary,
    )


def victim_of(path: Path, header: AttackHeader | Header, model: Model | None) -> Opened:
    """The model of a log, or the one that is said to be it."""
    if model is None and not header.model_hash:
        raise BadInput(f"{path} is of a callable ({header.model}), which a log cannot keep; give it as the model")
    return open_victim(header.model if model is None else model, header.labels)


def verify_results(folder: Path, model: Model | None) -> Verified:
    """The same for every trial of adversaries in a results folder."""
    trials = trials_of_adversaries(folder)
    opened: dict[str, Opened] = {}
    found: dict[str, Verified] = {}
    for trial in trials:
        key = "" if model is not None else trial.header.model_hash
        if key not in opened:
            opened[key] = victim_of(trial.path, trial.header, model)
        if opened[key].hash == trial.header.model_hash:
            found[trial.name] = verified_trial(trial, opened[key])
        elif model is None:
            raise BadInput(
                f"{trial.header.model} is not the model of {trial.path} any more: its hash is "
                f"{opened[key].hash[:12]}, there it is {trial.header.model_hash[:12]}; name the one that was measured"
            )
    if not found:
        raise BadInput(f"{opened[''].name} is none of the models of {folder}; name one that was measured into it")
    missing = sum(one.missing for one in trials)
    return Verified(
        checked=sum(one.checked for one in found.values()),
        disagreeing=tuple(sorted({index for one in found.values() for index in one.disagreeing})),
        otherwise=tuple(sorted({index for one in found.values() for index in one.otherwise})),
        missing=missing,
        summary=() if missing else tuple(misstated_results(folder)),
        trials=found,
    )


def verified_trial(trial: Trial, victim: Opened) -> Verified:
    """What became of one trial's claims; of stored adversaries all answers are compared, not only those that fooled."""
    if not trial.records:
        return Verified(0, (), (), trial.missing)
    able = checked(victim.call, trial.records[0].texts)
    if isinstance(trial.records[0], TransferRecord):
        agreed, exact = transferred_again(trial.records, able, BATCH, TOLERANCE)
        compared: Sequence[Any] = trial.records
    else:
        agreed, exact = answered_again(trial.claims, as_attack(trial, able), able)
        compared = [record for record in trial.claims if record.index in agreed]
    disagreeing = tuple(record.index for record in trial.claims if record.index not in agreed)
    others = {record.index for record in compared} - exact - set(disagreeing)
    return Verified(len(trial.claims), disagreeing, tuple(sorted(others)), trial.missing)


def answered_again(claims: Sequence[AttackRecord], header: AttackHeader, able: Victim) -> tuple[set[int], set[int]]:
    """The claims that are true, and those whose answers are besides what the log says they are."""
    goal = goal_of(header.target, header.labels)
    formed = [record for record in claims if well_formed(record, header.column, able.classes)]
    possible = [record for record in formed if of_sets(record, able)]
    agreed, exact = set(), set()
    for start in range(0, len(possible), BATCH):
        some = possible[start : start + BATCH]
        before = able.answer([record.texts for record in some])
        after = able.answer([record.adversary or () for record in some])
        for record, *rows in zip(some, before, after, strict=True):
            clean, row = (judged(able, record, each) for each in rows)
            right = not able.yardstick.beats(clean, int(clean.argmax()), record.label)
            if right and goal.reached(row, record.label, EXACT):
                agreed.add(record.index)
            if near(record.before, record.prediction, clean) and near(record.after, record.fooled_into, row):
                exact.add(record.index)
    return agreed, exact


def of_sets(record: AttackRecord, able: Victim) -> bool:
    """Whether a claim is of a set of the labels that the model knows, if it says sets, and of none if it does not."""
    if able.sets is None or record.sets is None:
        return able.sets is None and record.sets is None
    return set(record.sets.right) <= set(able.sets.names)


def judged(able: Victim, record: AttackRecord, row: np.ndarray) -> np.ndarray:
    """The probabilities of classes in an answer; of a set of labels, those of right and wrong."""
    if able.sets is None or record.sets is None:
        return row
    numbers = [able.sets.names.index(name) for name in record.sets.right]
    return able.sets.judged(row[None], numbers)[0]


def near(logged: Sequence[float], prediction: int | None, row: np.ndarray) -> bool:
    """Whether an answer is the logged one but for what another machine rounds otherwise."""
    if len(logged) != len(row) or prediction is None or not 0 <= prediction < len(row):
        return False
    return bool(np.abs(np.asarray(logged) - row).max() <= TOLERANCE and row[prediction] >= row.max() - TOLERANCE)


def misstated(folder: Path, header: AttackHeader, records: Sequence[AttackRecord]) -> Iterator[str]:
    """What summary.json says otherwise than the log, by name; itself where it is not there or cannot be read."""
    try:
        stored = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        yield f"{SUMMARY} is not there or cannot be read"
        return
    here = numbers(stored if isinstance(stored, dict) else {})
    for name, value in numbers(attack_summary(header, records)).items():
        if not same(here.get(name), value):
            yield name


def numbers(summary: Mapping[str, Any]) -> dict[str, Any]:
    """What a summary says, without paths that can be written in two ways and sentences that versions word otherwise."""
    kept = {name: value for name, value in summary.items() if name not in (*FREE, "interval", "warnings", "scores")}
    scores = summary.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        kept[name] = [score.get("value"), score.get("n")] if isinstance(score, dict) else None
    return kept


def well_formed(record: AttackRecord, column: int, classes: int) -> bool:
    """Whether a claim can be true: of a class there is, an adversary that differs in the attacked column alone."""
    if record.outcome != "fooled" or record.adversary is None or not 0 <= record.label < classes:
        return False
    if len(record.adversary) != len(record.texts):
        return False
    pairs = enumerate(zip(record.texts, record.adversary, strict=True))
    return [place for place, (old, new) in pairs if old != new] == [column]
