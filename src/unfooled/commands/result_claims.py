"""What a results folder claims of adversaries: the attacks among its trials, and the numbers of its summary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import JsonValue

from unfooled.attacks.records import AttackRecord
from unfooled.attacks.run import attacked_column
from unfooled.attacks.victim import Victim
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import AttackHeader
from unfooled.evaluation.log import read, read_header, same
from unfooled.evaluation.measures import measure_of
from unfooled.evaluation.results import SUMMARY, logs, open_results, read_summary, summary
from unfooled.evaluation.transfer import TransferRecord
from unfooled.evaluation.trial_log import FORM, Header


@dataclass(frozen=True)
class Trial:
    """A trial of adversaries as its log has it; ``name`` is the model's folder and the trial."""

    name: str
    path: Path
    header: Header
    records: tuple[Any, ...]

    @property
    def missing(self) -> int:
        """How many examples no record tells of yet."""
        return self.header.examples - len(self.records)

    @property
    def claims(self) -> list[Any]:
        """The records that say an adversary fooled the model."""
        return [record for record in self.records if claimed(record)]


def claimed(record: AttackRecord | TransferRecord) -> bool:
    """Whether a record says that an adversary fooled the model."""
    if isinstance(record, TransferRecord):
        return record.prediction == record.label != record.answer
    return record.outcome == "fooled" or record.adversary is not None


def results_in(folder: Path) -> Path | None:
    """Where the results of a folder are: itself, or what a comparison left in it; None where there are none."""
    return next((place for place in (folder, folder / "results") if logs(place)), None)


def trials_of_adversaries(folder: Path) -> list[Trial]:
    """Every attack in words and every set of stored adversaries among the trials of a results folder."""
    found = []
    for path in logs(folder):
        with path.open("rb") as file:
            first = file.readline()
        header = read_header(path, first, FORM) if first.endswith(b"\n") else None
        if header is not None and measure_of(header.trial, header.problem).record in (AttackRecord, TransferRecord):
            _, records = read(path, FORM) or (header, [])
            found.append(Trial(f"{path.parent.parent.name}, {path.parent.name}", path, header, tuple(records)))
    if not found:
        raise BadInput(
            f"{folder} holds no attack in words among its trials; run: unfooled evaluate MODEL --data D --out {folder} "
            "--trials pwws"
        )
    return found


def as_attack(trial: Trial, able: Victim) -> AttackHeader:
    """A trial's header as an attack's: without a target, on the column that its settings choose."""
    column = trial.header.settings.get("column")
    chosen = column if isinstance(column, int) else None
    names = ("model", "model_hash", "labels", "max_length", "data", "data_hash", "examples", "examples_hash", "seed")
    return AttackHeader(
        attack=trial.header.trial,
        settings={},
        target=None,
        column=attacked_column([trial.records[0].texts], chosen, able.sets is not None),
        budget={},
        parts={},
        batches={},
        **{name: getattr(trial.header, name) for name in names},
    )


def transferred_again(
    records: Sequence[TransferRecord], able: Victim, batch: int, tolerance: float
) -> tuple[set[int], set[int]]:
    """Of stored adversaries, those that fool the model, and those whose answers are what the log says they are.

    Both up to what another machine may round otherwise.
    """
    possible = [record for record in records if 0 <= record.label < able.classes]
    fooling, exact = set(), set()
    for start in range(0, len(possible), batch):
        some = possible[start : start + batch]
        before = able.answer([record.texts for record in some])
        after = able.answer([record.adversary for record in some])
        for record, clean, row in zip(some, before, after, strict=True):
            others = np.delete(row, record.label)
            if clean[record.label] >= clean.max() - tolerance and others.max() >= row[record.label] - tolerance:
                fooling.add(record.index)
            said = ((record.prediction, record.before, clean), (record.answer, record.after, row))
            if all(as_said(answer, chance, record.label, own, tolerance) for answer, chance, own in said):
                exact.add(record.index)
    return fooling, exact


def as_said(answer: int, chance: float, label: int, row: np.ndarray, tolerance: float) -> bool:
    """Whether a row of probabilities gives the logged answer, and the label the logged chance."""
    known = 0 <= answer < len(row) and row[answer] >= row.max() - tolerance
    return bool(known and abs(row[label] - chance) <= tolerance)


def misstated_results(folder: Path) -> Iterator[str]:
    """What summary.json says otherwise than the records, by name; itself where it is not there or cannot be read."""
    try:
        stored = read_summary(folder)
    except (BadInput, OSError, ValueError):
        yield f"{SUMMARY} is not there or cannot be read"
        return
    here, there = told(stored), told(summary(open_results(folder)))
    for name in dict.fromkeys([*there, *here]):
        if not same(here.get(name), there.get(name)):
            yield name


def told(whole: Mapping[str, Any]) -> dict[str, JsonValue]:
    """The numbers of a summary by name: value and n of every score, and both coordinates of every verdict."""
    found: dict[str, JsonValue] = {}
    for slug, model in mapping(whole.get("models")).items():
        for trial, own in mapping(mapping(model).get("trials")).items():
            scores = mapping(own).get("scores")
            for score in scores if isinstance(scores, list) else ():
                parts = [str(score[name]) for name in ("metric", "eps", "part") if mapping(score).get(name) is not None]
                found[f"{slug}, {trial}: {' '.join(parts)}"] = [mapping(score).get(name) for name in ("value", "n")]
    for model, verdict in mapping(whole.get("verdict")).items():
        for axis in ("fickleness", "obstinacy"):
            score = mapping(mapping(verdict).get(axis)).get("score")
            found[f"{model}: {axis}"] = mapping(score).get("value")
    return found


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is a mapping, an empty one elsewhere."""
    return value if isinstance(value, Mapping) else {}
