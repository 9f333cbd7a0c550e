"""Results that ``play`` opens: an attack of ten examples, four of which fooled a model."""

from dataclasses import replace
from pathlib import Path

from results_ground import save_trial, word_attack
from stories import HOSTILE, fooled

from unfooled.play.players import Player


def save_results(folder: Path, player: Player, name: str | None = None, mark: str | None = None) -> Path:
    """Write them, said to be of a player's model or of one of another name or hash."""
    records = [fooled(0), fooled(1), fooled(2, "fine"), fooled(3, f"x{HOSTILE}"), *word_attack(4, 0, 2)]
    numbered = [replace(record, index=place) for place, record in enumerate(records)]
    header = {"model_hash": mark or player.victim.hash, "temperature": 2.0}
    save_trial(folder, name or player.source, "pwws", numbered, **header)
    return folder
