"""What a person calls to have an attack's claims checked."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import JsonValue

from unfooled.attacks.records import AttackRecord
from unfooled.attacks.victim import Victim, checked
from unfooled.attacks.yardstick import Yardstick
from unfooled.calls.attacking import Model, goal_of
from unfooled.calls.victims import open_victim
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import FREE, LOG, AttackHeader, read_attack
from unfooled.evaluation.attack_summary import SUMMARY, attack_summary

# A claim was made with a margin, so that no rounding of this machine's can take it back.
EXACT = Yardstick(width=0.0, floor=0.0)
BATCH = 64
TOLERANCE = 1e-3  # of a probability: what another machine, batch or number of threads may make of it


@dataclass(frozen=True)
class Verified:
    """What became of a log's claims: examples by number, and what a summary says otherwise than the records.

    ``disagreeing`` are adversaries that do not fool the model; ``otherwise`` fool it, but into another class or with
    other probabilities than the log says; ``missing`` counts examples that no record tells of yet.
    """

    checked: int
    disagreeing: tuple[int, ...]
    otherwise: tuple[int, ...] = ()
    missing: int = 0
    summary: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything that the folder says is so; what is missing it does not say."""
        return not (self.disagreeing or self.otherwise or self.summary)


def verify(folder: str | Path, model: Model | None = None) -> Verified:
    """Ask the model again about every adversary that an attack's log claims, and add its summary up again.

    ``model`` is needed where the attacked one was a callable; a named model must be the very one of the log.
    """
    path = Path(folder) / LOG
    found = read_attack(path) if path.is_file() else None
    if found is None:
        raise BadInput(f"{folder} holds no attack; run: unfooled attack MODEL --data D --out {folder}")
    header, records = found
    if model is None and not header.model_hash:
        raise BadInput(f"{path} is of a callable ({header.model}), which a log cannot keep; give it as the model")
    victim = open_victim(header.model if model is None else model, header.labels)
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


def answered_again(claims: Sequence[AttackRecord], header: AttackHeader, able: Victim) -> tuple[set[int], set[int]]:
    """The claims that are true, and those whose answers are besides what the log says they are."""
    goal = goal_of(header.target, header.labels)
    possible = [record for record in claims if well_formed(record, header.column, able.classes)]
    agreed, exact = set(), set()
    for start in range(0, len(possible), BATCH):
        some = possible[start : start + BATCH]
        before = able.answer([record.texts for record in some])
        after = able.answer([record.adversary or () for record in some])
        for record, clean, row in zip(some, before, after, strict=True):
            right = not able.yardstick.beats(clean, int(clean.argmax()), record.label)
            if right and goal.reached(row, record.label, EXACT):
                agreed.add(record.index)
            if near(record.before, record.prediction, clean) and near(record.after, record.fooled_into, row):
                exact.add(record.index)
    return agreed, exact


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


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are equal, numbers up to rounding.

    >>> same({"a": [1.0, None]}, {"a": [1.0 + 1e-15, None]}), same([1], [1, 2]), same(True, 2)
    (True, False, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def well_formed(record: AttackRecord, column: int, classes: int) -> bool:
    """Whether a claim can be true: of a class there is, an adversary that differs in the attacked column alone."""
    if record.outcome != "fooled" or record.adversary is None or not 0 <= record.label < classes:
        return False
    if len(record.adversary) != len(record.texts):
        return False
    pairs = enumerate(zip(record.texts, record.adversary, strict=True))
    return [place for place, (old, new) in pairs if old != new] == [column]
