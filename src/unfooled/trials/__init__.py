"""What models are put through. TRIALS is the one table; every attack in words is a trial of its name."""

from typing import Any

from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput
from unfooled.table import Table
from unfooled.tasks import TASKS
from unfooled.trials.trial import Trial

TRIALS: Table[Trial] = Table(
    "trial",
    {
        "clean": ("unfooled.trials.clean:CLEAN", "The texts as they are."),
        "pgd": ("unfooled.trials.pgd:PGD", "The texts under the worst small move of their word vectors (k-PGD)."),
        **{name: (f"unfooled.trials.words.words:{name}", line) for name, line in ATTACKS.lines.items()},
        "exhaustive": (
            "unfooled.trials.words.exhaustive:EXHAUSTIVE",
            "Every combination of an attack's substitutes, on texts that the attack itself did not fool.",
        ),
        "transfer": ("unfooled.trials.words.transfer:TRANSFER", "Stored adversaries, made against some other model."),
        "contrast": ("unfooled.trials.contrast:CONTRAST", "Texts and small changes of them that change the label."),
        "invariance": (
            "unfooled.trials.invariance:INVARIANCE",
            "Behavioural tests: changes that keep or turn the meaning, and sentences of known answer.",
        ),
        "hits": (
            "unfooled.trials.hits:HITS",
            "Whether a synonym leaves a text nearer than an antonym does, in every layer.",
        ),
        "shift": ("unfooled.trials.shift:SHIFT", "How far representations move under changes of words and k-PGD."),
        "perplexity": (
            "unfooled.trials.perplexity:PERPLEXITY",
            "How surprised a language model is by texts, as they are and with one word of each segment moved.",
        ),
        "neighbours": ("unfooled.trials.neighbours:NEIGHBOURS", "A language model's words nearest to given ones."),
        "continuation": (
            "unfooled.trials.continuation:CONTINUATION",
            "What a language model goes on with behind a moved word.",
        ),
        "quality": ("unfooled.trials.quality:QUALITY", "BLEU and chrF of a translator."),
        "side_by_side": (
            "unfooled.trials.side_by_side:SIDE_BY_SIDE",
            "A translator's texts with one source word moved.",
        ),
    },
)
# What a suite runs, with settings that keep a quick one quick; of each model what its task allows.
SUITES: dict[str, dict[str, dict[str, Any]]] = {
    "quick": {
        "clean": {},
        "pgd": {},
        "pwws": {"most": 50},
        "transfer": {},
        "contrast": {},
        "invariance": {"most": 100},
        "perplexity": {},
        "continuation": {},
        "quality": {},
    },
    "full": {name: {} for name in TRIALS},
}


def trial_for(name: str, task: str) -> Trial | None:
    """The trial of this name for models of a task; None where they do not go through it."""
    trial = TRIALS.find(name)
    if task in trial.tasks:
        return trial
    return trial.elsewhere if trial.elsewhere is not None and TASKS[task].kind == "text" else None


def require_trial(name: str, task: str) -> Trial:
    """The trial of this name for models of a task, refused where they do not go through it."""
    trial = trial_for(name, task)
    if trial is None:
        able = ", ".join(other for other in TRIALS if trial_for(other, task) is not None)
        raise BadInput(f"{name} is no trial of {TASKS[task].said}, which goes through {able}")
    return trial
