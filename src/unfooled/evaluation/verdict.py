"""Where a model stands on two axes: does it hold still when meaning holds still, and move when meaning moves?

**Fickleness**: how often a prediction changes though the meaning does not. Its parts:
- *word attacks*: of the examples answered rightly and attacked without an error, those that at least one of the attacks
  in words fools;
- *stored adversaries*: of those whose original is answered rightly, the ones answered otherwise;
- *unchanged meaning*: of all INV cases, those in which some version of a text is answered otherwise than the text.

**Obstinacy**: how often a prediction does not change though the meaning does. Its parts:
- *contrast set*: of the revisions with another label than their original, which is answered rightly, those answered
  with the original's label;
- *turned meaning*: of all DIR cases in which a negation or an antonym turns a text round, those in which the
  probability of the text's label does not fall.

A coordinate is the mean of its parts, each weighed alike however many examples it stands on. Its interval is the mean
of their lower and of their upper bounds, which holds whatever the parts, measured on the same model and often the same
texts, have to do with each other. Models of one table are compared by the parts that all of them have; a part without
any example is none, and one of fewer than five does not count beside a larger one. A perfect model stands at (0, 0),
one that always says the same at (0, 1).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unfooled.evaluation.attack_summary import ATTACKED
from unfooled.evaluation.behaviour import CaseRecord, failure_rate
from unfooled.evaluation.contrast import unmoved
from unfooled.evaluation.metrics import Score, proportion
from unfooled.evaluation.transfer import attack_success

FEW = 5  # examples: a part of one or two would weigh as much as one of hundreds
WORD_ATTACKS = ("pwws", "textfooler", "deepwordbug", "random")


@dataclass(frozen=True)
class Axis:
    """A coordinate (None where nothing was measured) and the parts it is the mean of, by name."""

    score: Score | None
    parts: Mapping[str, Score]


@dataclass(frozen=True)
class Verdict:
    """Where one model stands."""

    model: str
    fickleness: Axis
    obstinacy: Axis


def fickle_parts(trials: Mapping[str, Sequence[Any]]) -> dict[str, Score]:
    """What a model's records, by trial, say of its fickleness."""
    found: dict[str, Score] = {}
    attacks = {name: trials[name] for name in WORD_ATTACKS if name in trials}
    if attacks:
        found["word attacks"] = worst_attack(attacks)
    if "transfer" in trials:
        found["stored adversaries"] = attack_success(trials["transfer"])
    own = [record for record in cases(trials) if record.kind == "INV"]
    if own:
        found["unchanged meaning"] = failure_rate(own, "INV cases, whose texts change in words but not in meaning,")
    return known(found)


def obstinate_parts(trials: Mapping[str, Sequence[Any]]) -> dict[str, Score]:
    """What a model's records, by trial, say of its obstinacy."""
    found: dict[str, Score] = {}
    if "contrast" in trials:
        found["contrast set"] = unmoved(trials["contrast"])
    own = [record for record in cases(trials) if record.kind == "DIR" and record.rule == "falls"]
    if own:
        what = (
            "DIR cases, whose meaning a negation or an antonym turns round and whose label must become less probable,"
        )
        found["turned meaning"] = failure_rate(own, what)
    return known(found)


def cases(trials: Mapping[str, Sequence[Any]]) -> list[CaseRecord]:
    """The behavioural tests; models that are asked for no class have none."""
    return [record for record in trials.get("invariance", ()) if isinstance(record, CaseRecord)]


def worst_attack(attacks: Mapping[str, Sequence[Any]]) -> Score:
    """How often one of several attacks on the same examples fools a model that was right."""
    every = [record for records in attacks.values() for record in records]
    attacked = {record.index for record in every if record.outcome in ATTACKED}
    fooled = {record.index for record in every if record.outcome == "fooled"}
    definition = f"share of rightly answered examples, without errors, that {' or '.join(attacks)} fools"
    return proportion(len(fooled), len(attacked), definition)


def known(parts: Mapping[str, Score]) -> dict[str, Score]:
    """The parts that have examples."""
    return {name: score for name, score in parts.items() if score.n > 0 and not math.isnan(score.value)}


def axis(parts: Mapping[str, Score], counted: Sequence[str], what: str) -> Axis:
    """The mean of the parts that count."""
    own = [parts[name] for name in counted if name in parts]
    if not own:
        return Axis(None, parts)
    names = ", ".join(name for name in counted if name in parts)
    value, low, high = (math.fsum(getattr(one, key) for one in own) / len(own) for key in ("value", "low", "high"))
    definition = f"{what}: mean of {names}; its bounds are the means of theirs"
    return Axis(Score(value, low, high, sum(one.n for one in own), definition), parts)


def verdicts(models: Mapping[str, Mapping[str, Sequence[Any]]]) -> list[Verdict]:
    """Where each model stands, from its records by trial; models are compared by the parts they have in common."""
    fickle = {name: fickle_parts(trials) for name, trials in models.items()}
    obstinate = {name: obstinate_parts(trials) for name, trials in models.items()}
    return [
        Verdict(
            name,
            axis(fickle[name], shared(fickle.values()), "predictions that change though the meaning does not"),
            axis(obstinate[name], shared(obstinate.values()), "predictions that do not change though the meaning does"),
        )
        for name in models
    ]


def shared(parts: Iterable[Mapping[str, Score]]) -> list[str]:
    """The parts that every model has which has any; the small ones only where there are no others."""
    some = [own for own in parts if own]
    found = [name for name in some[0] if all(name in own for own in some)] if some else []
    small = {name for own in some for name, score in own.items() if score.n < FEW}
    return [name for name in found if name not in small] or found
