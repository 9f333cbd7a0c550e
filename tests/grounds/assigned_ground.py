"""An attack on the tiny model as a job, whose units are two texts."""

from pathlib import Path
from typing import Any

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.deepwordbug import DeepWordBug
from unfooled.results.planned import Planned, planned
from unfooled.trials import require_trial
from unfooled.trials.inputs import Given, Inputs
from unfooled.trials.words.words import trial_of
from unfooled.victims import open_victim

INPUTS = Inputs([("a good film",), ("a bad plot",)], [1, 0], {"data": Given("toys", "h")}, ("negative", "positive"))


def no_parts(attack: Attack, similarity: str | None) -> Parts:
    return Parts()


def job(folder: Path, attack: Any = None, name: str = "deepwordbug") -> Planned:
    """A trial of the tiny model, an attack unless told, planned."""
    chosen = attack or DeepWordBug()
    trial = require_trial(name, "classification") if attack is None else trial_of(type(chosen))
    own = {"similarity": None, "attack": chosen} if "attack" in trial.settings.model_fields else {}
    settings = trial.settings.model_validate(own)
    how = {"batch_size": 4, "in_flight": 2, "seed": 5, "parts": no_parts}
    name = name if attack is None else "own"
    [one], _ = planned([open_victim(folder / "model")], ["m"], INPUTS, folder, {name: settings}, {name: trial}, (), how)
    one.run.temperature = 1.5
    return one
