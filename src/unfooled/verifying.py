"""What a person calls to have an attack's claims checked."""

from dataclasses import dataclass
from pathlib import Path

from unfooled.attacking import Model, goal_of
from unfooled.attacks.records import AttackRecord
from unfooled.attacks.victim import checked
from unfooled.attacks.yardstick import Yardstick
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import LOG, read_attack
from unfooled.victims import open_victim

# A claim was made with a margin, so that no rounding of this machine's can take it back.
EXACT = Yardstick(width=0.0, floor=0.0)
BATCH = 64


@dataclass(frozen=True)
class Verified:
    """How many claimed adversaries were asked about again, and which of them the model answers otherwise."""

    checked: int
    disagreeing: tuple[int, ...]


def verify(folder: str | Path, model: Model | None = None) -> Verified:
    """Ask the model again about every adversary that an attack's log claims.

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
    claims = [record for record in records if record.outcome == "fooled" or record.adversary is not None]
    if not claims:
        return Verified(0, ())
    able = checked(victim.call, claims[0].texts)
    goal = goal_of(header.target, header.labels)
    possible = [record for record in claims if well_formed(record, header.column, able.classes)]
    agreed = set()
    for start in range(0, len(possible), BATCH):
        some = possible[start : start + BATCH]
        before = able.answer([record.texts for record in some])
        after = able.answer([record.adversary or () for record in some])
        for record, clean, row in zip(some, before, after, strict=True):
            right = not able.yardstick.beats(clean, int(clean.argmax()), record.label)
            if right and goal.reached(row, record.label, EXACT):
                agreed.add(record.index)
    return Verified(len(claims), tuple(record.index for record in claims if record.index not in agreed))


def well_formed(record: AttackRecord, column: int, classes: int) -> bool:
    """Whether a claim can be true: of a class there is, an adversary that differs in the attacked column alone."""
    if record.outcome != "fooled" or record.adversary is None or not 0 <= record.label < classes:
        return False
    if len(record.adversary) != len(record.texts):
        return False
    pairs = enumerate(zip(record.texts, record.adversary, strict=True))
    return [place for place, (old, new) in pairs if old != new] == [column]
