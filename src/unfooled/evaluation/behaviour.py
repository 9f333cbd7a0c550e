"""Behavioural tests in the manner of CheckList (Ribeiro et al., ACL 2020): cases, what is expected of them, failures.

INV: a change that keeps the meaning must keep the prediction. DIR: a change that turns the meaning must move a
probability the right way. MFT: a simple text has a known answer. A case fails if one of its texts does; the failure
rate of a test is the share of its cases that fail, as in CheckList.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unfooled.evaluation.asking import CHUNK, Answer, Texts, asked
from unfooled.evaluation.metrics import Score, proportion

Kind = Literal["INV", "DIR", "MFT"]
Rule = Literal["same", "is", "falls", "not lower", "not higher"]
KINDS: tuple[Kind, ...] = ("INV", "DIR", "MFT")
SMALLEST_FALL = 1e-5  # what rounding may do to a probability is no fall


@dataclass(frozen=True)
class Case:
    """Texts and what is expected of them; of INV and DIR the first is the original, which cannot fail.

    Rules: ``same``, the prediction is that of the original; ``is``, it is among ``classes``; ``falls``, the probability
    of ``classes`` is lower than for the original; ``not lower`` and ``not higher``, it is lower or higher by
    ``tolerance`` at most. Where a probability is meant and no class is named, it is that of the original's prediction.
    """

    test: str
    kind: Kind
    capability: str
    texts: tuple[Texts, ...]
    rule: Rule
    classes: tuple[int, ...] = ()
    tolerance: float = 0.0


@dataclass(frozen=True)
class CaseRecord:
    """A case, the predictions and probabilities of its texts, and which of them fail, by place."""

    index: int
    test: str
    kind: Kind
    capability: str
    texts: tuple[Texts, ...]
    rule: Rule
    classes: tuple[int, ...]
    predictions: tuple[int, ...]
    probabilities: tuple[tuple[float, ...], ...]
    failures: tuple[int, ...]


def behave(
    answer: Answer, cases: Sequence[Case], done: Collection[int] = (), chunk: int = CHUNK
) -> Iterator[CaseRecord]:
    """What the model makes of each case; those whose place is in ``done`` are left out."""
    for index, rows in asked(answer, [case.texts for case in cases], done, chunk):
        case = cases[index]
        yield CaseRecord(
            index,
            case.test,
            case.kind,
            case.capability,
            case.texts,
            case.rule,
            case.classes,
            tuple(rows.argmax(axis=1).tolist()),
            tuple(tuple(round(float(part), 6) for part in row) for row in rows),
            failing(case, rows),
        )


def failing(case: Case, rows: np.ndarray) -> tuple[int, ...]:
    """The places of the texts that do not do what is expected of them."""
    predictions = rows.argmax(axis=1)
    if case.rule == "same":
        wrong = predictions != predictions[0]
    elif case.rule == "is":
        wrong = ~np.isin(predictions, case.classes)
    else:
        classes = list(case.classes) or [int(predictions[0])]
        chance = rows[:, classes].sum(axis=1)
        rise = chance - chance[0]
        wrong = {
            "falls": rise > -SMALLEST_FALL,
            "not lower": rise < -case.tolerance - SMALLEST_FALL,
            "not higher": rise > case.tolerance + SMALLEST_FALL,
        }[case.rule]
    first = 0 if case.kind == "MFT" else 1
    return tuple(place for place in range(first, len(rows)) if wrong[place])


def failure_rate(records: Sequence[CaseRecord], what: str) -> Score:
    """How often cases fail."""
    return proportion(sum(bool(record.failures) for record in records), len(records), f"share of {what} that fail")


def by_test(records: Sequence[CaseRecord]) -> dict[tuple[Kind, str], list[CaseRecord]]:
    """The records of each test, tests in order of their kind and then of their first case."""
    found: dict[tuple[Kind, str], list[CaseRecord]] = {}
    for record in sorted(records, key=lambda record: (KINDS.index(record.kind), record.index)):
        found.setdefault((record.kind, record.test), []).append(record)
    return found


def scores_by_test(records: Sequence[CaseRecord]) -> dict[tuple[Kind, str], Score]:
    """The failure rate of each test."""
    return {
        (kind, test): failure_rate(own, f"cases of the {kind} test {test}")
        for (kind, test), own in by_test(records).items()
    }


def scores_by_kind(records: Sequence[CaseRecord]) -> dict[Kind, Score]:
    """The failure rate over all cases of each kind that has some."""
    own = {kind: [record for record in records if record.kind == kind] for kind in KINDS}
    return {kind: failure_rate(some, f"cases of all {kind} tests") for kind, some in own.items() if some}


def failed_examples(records: Sequence[CaseRecord], most: int = 3) -> list[tuple[Texts, Texts, int, int]]:
    """Some failures: the text expected to count, the one that failed, and the predictions of both."""
    found: list[tuple[Texts, Texts, int, int]] = []
    for record in records:
        if record.failures and len(found) < most:
            place = record.failures[0]
            first = place if record.kind == "MFT" else 0
            found.append(
                (record.texts[first], record.texts[place], record.predictions[first], record.predictions[place])
            )
    return found
