"""Numbers read off the records of an attack: each with its definition, its n and a 95 % interval."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from pydantic import JsonValue

from unfooled.attacks.records import OUTCOMES, AttackRecord, Sets
from unfooled.evaluation.attack_log import FREE, KIND, SCHEMA, AttackHeader
from unfooled.evaluation.log import strict
from unfooled.evaluation.metrics import INTERVAL, Score, mean, proportion
from unfooled.evaluation.task_scores import indicators, set_scores
from unfooled.files import versions, write_whole

SUMMARY = "summary.json"
BARE_SHARE = 0.2  # of attacked examples without candidates, above which an attack says little of the victim
ATTACKED = ("fooled", "held", "no candidates", "budget")


def attacked(records: Sequence[AttackRecord]) -> list[AttackRecord]:
    """The examples that were answered rightly and then attacked without an error."""
    return [record for record in records if record.outcome in ATTACKED]


def count(records: Sequence[AttackRecord], *outcomes: str) -> int:
    """How many examples ended so."""
    return sum(record.outcome in outcomes for record in records)


def clean_accuracy(records: Sequence[AttackRecord]) -> Score:
    """How often the victim is right on the texts as they are."""
    known = [record for record in records if record.prediction is not None]
    right = sum(record.prediction == record.label for record in known)
    return proportion(right, len(known), "share of answered examples whose predicted class is their label")


def accuracy_under_attack(records: Sequence[AttackRecord]) -> Score:
    """How often the victim is right and stays so."""
    safe = count(records, "held", "no candidates")
    definition = "share of all examples answered rightly and not fooled; budget and error do not count as right"
    return proportion(safe, len(records), definition)


def attack_success(records: Sequence[AttackRecord]) -> Score:
    """How often the attack fools a victim that was right."""
    own = attacked(records)
    return proportion(count(own, "fooled"), len(own), "share of rightly answered examples, without errors, fooled")


def attack_success_of_all(records: Sequence[AttackRecord]) -> Score:
    """How often the attack fools the victim, of all examples."""
    return proportion(count(records, "fooled"), len(records), "share of all examples fooled, wrong answers included")


def asked(records: Sequence[AttackRecord]) -> Score:
    """What an attack asks."""
    values = [float(record.asked) for record in attacked(records)]
    return mean(values, "mean number of texts asked about, per attacked example", 0.0)


def queries(records: Sequence[AttackRecord]) -> Score:
    """What an attack costs the victim."""
    values = [float(record.queries) for record in attacked(records)]
    return mean(values, "mean number of texts that reached the victim, repeats left out, per attacked example", 0.0)


def words_changed(records: Sequence[AttackRecord]) -> Score:
    """How much of a text has to be changed."""
    fooled = [record for record in records if record.outcome == "fooled"]
    values = [len(record.changes) / max(record.words, 1) for record in fooled]
    return mean(values, "mean share of the attacked text's words that were changed, over fooled examples", 0.0, 1.0)


def similarity(records: Sequence[AttackRecord]) -> Score:
    """How much of the meaning stays, as a sentence encoder sees it."""
    values = [record.similarity for record in records if record.similarity is not None]
    return mean(
        values, "mean cosine of sentence vectors of the text and its adversary, over fooled examples", -1.0, 1.0
    )


def set_f1(records: Sequence[AttackRecord], attacked: bool) -> Score:
    """The micro F1 of the sets said of the texts as they are, where any was, or of what an attack makes of them."""
    every = [(record, record.sets) for record in records if record.sets is not None]
    known = [(record, sets) for record, sets in every if attacked or sets.before is not None]
    said = [said_last(record, sets) if attacked else sets.before or () for record, sets in known]
    names = sorted({name for (_, sets), own in zip(known, said, strict=True) for name in (*sets.right, *own)})
    right = indicators([sets.right for _, sets in known], names)
    f1 = set_scores(right, indicators(said, names), names)["f1"]
    ended = "fooled texts as the attack left them, budget and error as nothing said"
    return replace(f1, definition=f"{f1.definition}; of {ended if attacked else 'answered texts as they are'}")


def said_last(record: AttackRecord, sets: Sets) -> tuple[str, ...]:
    """What is said of the text in which an attack ended."""
    if record.outcome in ("budget", "error"):
        return ()
    return (sets.after if record.outcome == "fooled" else sets.before) or ()


def zero_candidate_rate(records: Sequence[AttackRecord]) -> Score:
    """How often there was nothing to try."""
    own = attacked(records)
    return proportion(count(own, "no candidates"), len(own), "share of attacked examples without any candidate")


def budget_rate(records: Sequence[AttackRecord]) -> Score:
    """How often the budget ended an attack."""
    own = attacked(records)
    return proportion(count(own, "budget"), len(own), "share of attacked examples whose queries or time ran out")


def error_rate(records: Sequence[AttackRecord]) -> Score:
    """How often an attack failed to run."""
    return proportion(count(records, "error"), len(records), "share of all examples whose attack ended in an error")


AttackMetric = Callable[[Sequence[AttackRecord]], Score]
WORD_METRICS: dict[str, AttackMetric] = {
    "clean_accuracy": clean_accuracy,
    "accuracy_under_attack": accuracy_under_attack,
    "attack_success": attack_success,
    "attack_success_of_all": attack_success_of_all,
    "asked": asked,
    "queries": queries,
    "words_changed": words_changed,
    "similarity": similarity,
    "zero_candidate_rate": zero_candidate_rate,
    "budget_rate": budget_rate,
    "error_rate": error_rate,
}


def attack_scores(records: Sequence[AttackRecord]) -> dict[str, Score]:
    """Every number these records give; of sets of labels also their micro F1, and right are sets said exactly."""
    found = {name: metric(records) for name, metric in WORD_METRICS.items()}
    if not records or records[0].sets is None:
        return found
    for name in ("clean_accuracy", "accuracy_under_attack"):
        found[name] = replace(found[name], definition=f"{found[name].definition}; right is a set said exactly")
    return {**found, "clean_f1": set_f1(records, False), "f1_under_attack": set_f1(records, True)}


def too_few_candidates(records: Sequence[AttackRecord]) -> str | None:
    """Why an attack says little of its victim, where too many examples gave it nothing to try."""
    own = attacked(records)
    bare = count(own, "no candidates")
    if not own or bare / len(own) <= BARE_SHARE:
        return None
    return (
        f"no candidates: {bare} of {len(own)} attacked examples have no word that could be replaced, so their part "
        "of the accuracy under attack proves nothing. Is the text English, and the attacked column the right one?"
    )


def attack_warnings(records: Sequence[AttackRecord]) -> list[str]:
    """What makes the numbers of an attack untrustworthy."""
    found = [too_few_candidates(records)]
    failed = [record for record in records if record.outcome == "error"]
    if failed:
        found.append(f"errors: {len(failed)} of {len(records)} examples could not be attacked ({failed[0].error})")
    return [warning for warning in found if warning]


def attack_summary(header: AttackHeader, records: Sequence[AttackRecord]) -> dict[str, JsonValue]:
    """What a finished attack says, as strict JSON values: what is not a finite number is null."""
    counts = Counter(record.outcome for record in records)
    plain: dict[str, JsonValue] = json.loads(json.dumps(asdict(header)))
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "versions": dict(versions()),
        **{name: value for name, value in plain.items() if name not in FREE or name in ("model", "data")},
        "interval": INTERVAL,
        "outcomes": {outcome: counts[outcome] for outcome in OUTCOMES},
        "scores": {
            name: {part: strict(value) for part, value in asdict(score).items()}
            for name, score in attack_scores(records).items()
        },
        "warnings": list(attack_warnings(records)),
    }


def write_attack_summary(folder: Path, header: AttackHeader, records: Sequence[AttackRecord]) -> None:
    """Write ``summary.json``, whole or not at all."""
    text = json.dumps(attack_summary(header, records), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    write_whole(folder / SUMMARY, text)
