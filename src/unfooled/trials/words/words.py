"""Texts under an attack in words: what fooled the model, and what that took. Every attack is such a trial."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from typing import Any

import numpy as np
from pydantic import Field, create_model

from unfooled.attacks.goals import UNTARGETED, targeted
from unfooled.attacks.records import ATTACKED, SAFE, AttackRecord
from unfooled.attacks.table import ATTACKS
from unfooled.errors import BadInput, nearest
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.settings import Settings
from unfooled.tasks import TASKS
from unfooled.trials.clean import CleanRecord
from unfooled.trials.columns import among, answered, kind_of, numbers
from unfooled.trials.inputs import Example, Inputs
from unfooled.trials.trial import (
    Answers,
    Curve,
    Question,
    Trial,
    TrialRun,
    VerdictPart,
    nothing,
)
from unfooled.trials.words.attack_numbers import attack_warnings, ended, index_of, saturation, scores
from unfooled.trials.words.words_again import asked_again
from unfooled.trials.words.worst_case import WORST_CASE
from unfooled.victims.victim import Victim

MOST_WORDS = 10  # changed words up to which a curve goes
ENDS = (("fooled",), ATTACKED)
BRIEF = (
    *("index", "label", "prediction", "outcome", "asked", "queries", "words", "changed", "similarity"),
    *("saturated", "sure", "error", "sets"),
)


class WordsSettings(Settings):
    """How examples are attacked in words: which column of a pair, into which label, at which cost each, how many.

    ``seconds`` makes outcomes depend on the machine; "none" lifts a limit.
    """

    most: int | None = Field(default=None, ge=1)
    column: int | None = Field(default=None, ge=0, le=1)
    target: str | None = None
    queries: int | None = Field(default=5000, ge=1)
    seconds: float | None = Field(default=None, gt=0)
    similarity: str | None = "minilm"


def units(inputs: Inputs, settings: WordsSettings, seed: int) -> list[Example]:
    """As many examples as the settings allow, without those that have the target's label."""
    some = inputs.some(settings.most, seed)
    if settings.target is None:
        return some
    if not TASKS[inputs.task].confusion:  # answers are no classes
        raise BadInput("a model that says sets of labels is fooled into any other set; leave the target out")
    target = class_of(settings.target, inputs.names)
    others = [one for one in some if one.label != target]
    if not others:
        raise BadInput("there is no example to attack; give texts with labels, and with others than the target's")
    return others


def class_of(label: str, names: Sequence[str]) -> int:
    """The number of a class, by its name."""
    if not names:
        raise BadInput(
            f"a callable does not name its classes, so none is called {label}; give labels=(…) in their order"
        )
    if label not in names:
        raise BadInput(f"the model knows no label called {label}; {nearest(label, names)}")
    return list(names).index(label)


def calibrate(trial: TrialRun) -> float | None:
    """The temperature of the model's logits on all examples; None for what gives probabilities only."""
    from unfooled.attacks.run import check_labels
    from unfooled.victims.calibration import temperature_of

    able = trial.victim.tried(trial.texts[0])
    check_labels(trial.labels, able, UNTARGETED)
    return temperature_of(able, trial.texts, trial.labels, trial.batch_size)


def run(trial: TrialRun, done: Collection[int]) -> Iterator[AttackRecord]:
    """A record of each example as its attack ends."""
    from unfooled.attacks.engine import Effort, Limits
    from unfooled.attacks.run import run_attack

    settings, took = trial.settings, Effort()
    limits = Limits(
        queries=settings.queries, seconds=settings.seconds, batch_size=trial.batch_size, in_flight=trial.in_flight
    )
    goal = UNTARGETED if settings.target is None else targeted(trial.names.index(settings.target))
    yield from run_attack(
        settings.attack, trial.victim, trial.texts, trial.labels, goal=goal, column=settings.column,
        parts=trial.parts(settings.attack, settings.similarity), limits=limits, seed=trial.seed, done=done, work=took,
        temperature=trial.temperature, places=trial.places, sample=trial.first and trial.first.texts,
    )  # fmt: skip
    if took.halved:
        trial.remarks.append(
            f"batches: the victim failed on {took.halved}, which were asked again in halves ({took.reason})"
        )


def good(record: AttackRecord) -> bool:
    """Whether the example was answered rightly and held."""
    return record.outcome in SAFE


def questions(records: Sequence[AttackRecord]) -> dict[Question, Answers]:
    """Whether each example was right and held."""
    held = answered(records, ended(records, *SAFE))
    return {Question("accuracy_under_attack", title="accuracy under attack"): held}


def survives(records: Sequence[AttackRecord], most: int) -> np.ndarray:
    """Which answers are right although so many words may be changed; what ran out or broke speaks for nobody."""
    safe = ended(records, *SAFE, *(["budget"] if most == 0 else []))
    return safe | (ended(records, "fooled") & (numbers(records, "changed") > most))


def points(records: Sequence[AttackRecord]) -> list[tuple[float, Score, Answers]]:
    """Accuracy if an attack may change so many words at most."""
    held = {most: survives(records, most) for most in range(MOST_WORDS + 1)}
    return [
        (float(most), proportion(int(own.sum()), len(own), ""), answered(records, own)) for most, own in held.items()
    ]


def contradictions(records: Sequence[AttackRecord], others: Sequence[Any], places: np.ndarray | None) -> list[str]:
    """Examples that an attack found answered rightly and that are answered wrongly as they are, beyond rounding."""
    if others is records:
        wrong = index_of(records, ended(records, *ATTACKED) & wrongly(records))
    elif places is not None and kind_of(others) is CleanRecord:
        right = places[index_of(records, ended(records, *ATTACKED) & among(records, "sure", (True,)))]
        wrong = np.intersect1d(index_of(others, wrongly(others)), right)
    else:
        return []
    said = "is answered wrongly as it is, and was attacked as if it were not"
    return [f"example {index} {said}" for index in wrong]


def wrongly(records: Sequence[Any]) -> np.ndarray:
    """Which examples are answered wrongly, or not at all."""
    return numbers(records, "prediction") != numbers(records, "label")


def worst_attack(trials: Mapping[str, Sequence[AttackRecord]]) -> Score:
    """How often one of several attacks on the same examples fools a model that was right."""
    every = list(trials.values())
    fooled, attacked = (reduce(np.union1d, [index_of(own, ended(own, *ends)) for own in every]) for ends in ENDS)
    definition = f"share of rightly answered examples, without errors, that {' or '.join(trials)} fools"
    return proportion(len(fooled), len(attacked), definition)


WORD_ATTACKS = VerdictPart("fickleness", "word attacks", worst_attack)
CURVE = Curve(
    "Accuracy over words changed ({trial})",
    "words changed at most",
    "accuracy",
    "What is left of the accuracy if the attacker may change at most so many words of a text.",
    points,
)


def word_trial(settings: type[Settings]) -> Trial:
    """An attack as a trial, with these settings, whose field ``attack`` are the attack's own."""
    return Trial(
        AttackRecord,
        units,
        run,
        scores,
        settings,
        tasks=("classification", "multilabel"),
        unit="attacked example",
        warnings=attack_warnings,
        calibrate=calibrate,
        uncalibrated=saturation,
        good=good,
        questions=questions,
        contradictions=contradictions,
        verdict=(WORD_ATTACKS,),
        again=asked_again,
        curve=CURVE,
        joined=WORST_CASE,
        brief=BRIEF,
    )


WORDS = word_trial(WordsSettings)  # what reads the records of an attack that is in no table


@cache
def __getattr__(name: str) -> Trial:
    """The trial of each attack in the table, by the attack's name."""
    if name not in ATTACKS:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return trial_of(ATTACKS[name])


def trial_of(attack: Any) -> Trial:
    """The trial of a class of attacks, whose settings hold the attack's own."""
    settings = create_model(f"{attack.__name__}Trial", __base__=WordsSettings, attack=(attack, attack()))
    trial = replace(word_trial(settings), unable=partial(unable, attack), says=attack.says)
    if not attack.needs_scores:
        trial = replace(trial, uncalibrated=nothing)  # how sure a model says it is is not asked
    return replace(trial, tasks=("classification",)) if attack.looks_inside else trial


def unable(attack: Any, victim: Victim, units: Sequence[Any]) -> str | None:
    """Why an attack can do nothing with a model."""
    from unfooled.attacks.run import unsuited

    return unsuited(attack, victim)
