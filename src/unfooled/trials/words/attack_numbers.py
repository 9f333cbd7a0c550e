"""Numbers read off the records of an attack in words: each with its definition, its n and a 95 % interval."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unfooled.attacks.records import ATTACKED, SAFE, AttackRecord, Sets
from unfooled.scores.agreement import indicators, set_scores
from unfooled.scores.intervals import mean, proportion
from unfooled.scores.score import Score
from unfooled.trials.columns import among, brief, numbers
from unfooled.trials.trial import Metric, Row, rows_of

BARE_SHARE = 0.2  # of attacked examples without candidates, above which an attack says little of the victim


def ended(records: Sequence[AttackRecord], *outcomes: str) -> np.ndarray:
    """Which examples ended so."""
    return among(records, "outcome", outcomes)


def index_of(records: Sequence[AttackRecord], which: np.ndarray) -> np.ndarray:
    """The numbers of the examples that are marked."""
    return numbers(records, "index")[which]


def count(records: Sequence[AttackRecord], *outcomes: str) -> int:
    """How many examples ended so."""
    return int(ended(records, *outcomes).sum())


def clean_accuracy(records: Sequence[AttackRecord]) -> Score:
    """How often the victim is right on the texts as they are."""
    known = int((~among(records, "prediction", (None,))).sum())
    right = int((numbers(records, "prediction") == numbers(records, "label")).sum())
    return proportion(right, known, "share of answered examples whose predicted class is their label")


def accuracy_under_attack(records: Sequence[AttackRecord]) -> Score:
    """How often the victim is right and stays so."""
    safe = count(records, *SAFE)
    definition = "share of all examples answered rightly and not fooled; budget and error do not count as right"
    return proportion(safe, len(records), definition)


def attack_success(records: Sequence[AttackRecord]) -> Score:
    """How often the attack fools a victim that was right."""
    definition = "share of rightly answered examples, without errors, fooled"
    return proportion(count(records, "fooled"), count(records, *ATTACKED), definition)


def attack_success_of_all(records: Sequence[AttackRecord]) -> Score:
    """How often the attack fools the victim, of all examples."""
    return proportion(count(records, "fooled"), len(records), "share of all examples fooled, wrong answers included")


def asked(records: Sequence[AttackRecord]) -> Score:
    """What an attack asks."""
    values = numbers(records, "asked")[ended(records, *ATTACKED)].astype(float)
    return mean(values, "mean number of texts asked about, per attacked example", 0.0)


def queries(records: Sequence[AttackRecord]) -> Score:
    """What an attack costs the victim."""
    values = numbers(records, "queries")[ended(records, *ATTACKED)].astype(float)
    return mean(values, "mean number of texts that reached the victim, repeats left out, per attacked example", 0.0)


def words_changed(records: Sequence[AttackRecord]) -> Score:
    """How much of a text has to be changed."""
    fooled = ended(records, "fooled")
    values = numbers(records, "changed")[fooled] / np.maximum(numbers(records, "words")[fooled].astype(float), 1)
    return mean(values, "mean share of the attacked text's words that were changed, over fooled examples", 0.0, 1.0)


def similarity(records: Sequence[AttackRecord]) -> Score:
    """How much of the meaning stays, as a sentence encoder sees it."""
    values = numbers(records, "similarity")
    return mean(
        values[~np.isnan(values)],
        "mean cosine of sentence vectors of the text and its adversary, over fooled examples",
        -1.0,
        1.0,
    )


def set_f1(records: Sequence[AttackRecord], attacked: bool) -> Score:
    """The micro F1 of the sets said of the texts as they are, where any was, or of what an attack makes of them."""
    every = [(record, record.sets) for record in brief(records) if record.sets is not None]
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
    bare, own = count(records, "no candidates"), count(records, *ATTACKED)
    return proportion(bare, own, "share of attacked examples without any candidate")


def budget_rate(records: Sequence[AttackRecord]) -> Score:
    """How often the budget ended an attack."""
    own = count(records, *ATTACKED)
    return proportion(count(records, "budget"), own, "share of attacked examples whose queries or time ran out")


def error_rate(records: Sequence[AttackRecord]) -> Score:
    """How often an attack failed to run."""
    return proportion(count(records, "error"), len(records), "share of all examples whose attack ended in an error")


METRICS = {
    "clean_accuracy": Metric(clean_accuracy, "clean accuracy", detail=True),
    "accuracy_under_attack": Metric(accuracy_under_attack, "accuracy under attack"),
    "attack_success": Metric(attack_success, "fooled", better="less"),
    "attack_success_of_all": Metric(attack_success_of_all, "fooled of all", better="less", detail=True),
    "asked": Metric(asked, "texts asked about", "texts", "", detail=True),
    "queries": Metric(queries, "queries", "texts", ""),
    "words_changed": Metric(words_changed, "words changed", better=""),
    "similarity": Metric(similarity, "similarity", "", ""),
    "zero_candidate_rate": Metric(zero_candidate_rate, "without candidates", better="less", detail=True),
    "budget_rate": Metric(budget_rate, "out of budget", better="less", detail=True),
    "error_rate": Metric(error_rate, "errors", better="less", detail=True),
}
SET_METRICS = {
    "clean_f1": Metric(lambda records: set_f1(records, False), "clean micro F1", detail=True),
    "f1_under_attack": Metric(lambda records: set_f1(records, True), "micro F1 under attack"),
}


def scores(records: Sequence[AttackRecord]) -> list[Row]:
    """Every number these records give; of sets of labels also their micro F1, and right are sets said exactly."""
    rows = rows_of(METRICS, records)
    if not len(records) or brief(records)[0].sets is None:
        return rows
    exact = ("clean_accuracy", "accuracy_under_attack")
    return [
        replace(row, score=replace(row.score, definition=f"{row.score.definition}; right is a set said exactly"))
        if row.metric in exact
        else row
        for row in rows
    ] + rows_of(SET_METRICS, records)


def too_few_candidates(records: Sequence[AttackRecord]) -> str | None:
    """Why an attack says little of its victim, where too many examples gave it nothing to try."""
    bare, own = count(records, "no candidates"), count(records, *ATTACKED)
    if not own or bare / own <= BARE_SHARE:
        return None
    return (
        f"no candidates: {bare} of {own} attacked examples have no word that could be replaced, so their part "
        "of the accuracy under attack proves nothing. Is the text English, and the attacked column the right one?"
    )


def attack_warnings(records: Sequence[AttackRecord]) -> list[str]:
    """What makes the numbers of an attack untrustworthy."""
    warnings = [too_few_candidates(records)]
    failed = np.flatnonzero(ended(records, "error"))
    if len(failed):
        why = brief(records)[int(failed[0])].error
        warnings.append(f"errors: {len(failed)} of {len(records)} examples could not be attacked ({why})")
    return [warning for warning in warnings if warning]


def saturation(records: Sequence[AttackRecord]) -> list[str]:
    """How many answers of a victim that gives no logits are too near 0 and 1 for a search by scores."""
    sure = int(among(records, "saturated", (True,)).sum())
    if not sure:
        return []
    known = int((~among(records, "saturated", (None,))).sum())
    return [
        f"saturated: {sure} of {known} texts are answered with a probability within a millionth of 1, where no "
        "word seems to matter; attack numbers may flatter the model. Return logits, and give the callable logits = True"
    ]
