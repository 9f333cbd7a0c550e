"""A toy of a victim measured in two trials, whole or in shards; no network, and no seconds."""

from pathlib import Path
from typing import Any

import numpy as np
from toys import Bag

from unfooled.attacks.deepwordbug import DeepWordBug
from unfooled.results.folder import Results
from unfooled.results.planned import Planned, planned
from unfooled.results.run import evaluate, no_parts
from unfooled.trials import require_trial
from unfooled.trials.inputs import Given, Inputs
from unfooled.victims.victim import Victim

TEXTS = ["good film", "a great story", "the dull plot", "good and fine", "awful", "a fine warm film", "the film"]
INPUTS = Inputs([(text,) for text in TEXTS], [1, 1, 0, 1, 0, 1, 0], {"data": Given("toys", "h")}, ("no", "yes"))
SETTINGS = {
    "clean": require_trial("clean", "classification").settings(),
    "deepwordbug": require_trial("deepwordbug", "classification").settings.model_validate(
        {"similarity": None, "attack": DeepWordBug()}
    ),
}


def toy(scale: float = 1.0) -> Victim:
    """Logits of a bag of words."""
    logits = lambda texts: scale * np.log(Bag()(texts))  # noqa: E731
    return Victim("toy", logits, hash=f"hash of {scale}", labels=("no", "yes"), logits=True)


def measure(out: Path, scale: float = 1.0, **how: Any) -> Results:
    """Both trials of the toy."""
    return evaluate([toy(scale)], INPUTS, out, SETTINGS, **how)


def job(out: Path, trial: str) -> Planned:
    """One trial of the toy as a job."""
    how = {"batch_size": 4, "in_flight": 2, "seed": 0, "parts": no_parts}
    forms = {trial: require_trial(trial, "classification")}
    [one], _ = planned([toy()], ["toy"], INPUTS, out, {trial: SETTINGS[trial]}, forms, (), how)
    return one
