"""The claims of an attack, asked again: does every adversary fool the model as the log says it does?"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unfooled.attacks.goals import UNTARGETED, targeted
from unfooled.attacks.records import AttackRecord
from unfooled.attacks.run import attacked_column
from unfooled.trials.trial import AskedAgain
from unfooled.victims.rounding import Yardstick
from unfooled.victims.victim import Victim

# A claim was made with a margin, so that no rounding of this machine's can take it back.
EXACT = Yardstick(width=0.0, floor=0.0)
BATCH = 64
TOLERANCE = 1e-3  # of a probability: what another machine, batch or number of threads may make of it


def asked_again(records: Sequence[AttackRecord], settings: Mapping[str, Any], victim: Victim) -> AskedAgain:
    """The claims that are not true, and those whose answers are otherwise than the log says."""
    claims = [record for record in records if record.outcome == "fooled" or record.adversary is not None]
    if not claims:
        return AskedAgain((), (), ())
    able = victim.tried(claims[0].texts)
    target = settings.get("target")
    goal = UNTARGETED if target is None else targeted(victim.labels.index(target))
    column = attacked_column([claims[0].texts], settings.get("column"), able.sets is not None)
    formed = [record for record in claims if well_formed(record, column, able.classes) and of_sets(record, able)]
    agreed, exact = set(), set()
    for start in range(0, len(formed), BATCH):
        some = formed[start : start + BATCH]
        before = able.answer([record.texts for record in some])
        after = able.answer([record.adversary or () for record in some])
        for record, *rows in zip(some, before, after, strict=True):
            clean, row = (judged(able, record, each) for each in rows)
            right = not able.yardstick.beats(clean, int(clean.argmax()), record.label)
            if right and goal.reached(row, record.label, EXACT):
                agreed.add(record.index)
            if near(record.before, record.prediction, clean) and near(record.after, record.fooled_into, row):
                exact.add(record.index)
    numbers = [record.index for record in claims]
    disagreeing = tuple(number for number in numbers if number not in agreed)
    return AskedAgain(tuple(numbers), disagreeing, tuple(number for number in numbers if number in agreed - exact))


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


def well_formed(record: AttackRecord, column: int, classes: int) -> bool:
    """Whether a claim can be true: of a class there is, an adversary that differs in the attacked column alone."""
    if record.outcome != "fooled" or record.adversary is None or not 0 <= record.label < classes:
        return False
    if len(record.adversary) != len(record.texts):
        return False
    pairs = enumerate(zip(record.texts, record.adversary, strict=True))
    return [place for place, (old, new) in pairs if old != new] == [column]
