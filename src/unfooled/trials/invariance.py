"""Behavioural tests in the manner of CheckList (Ribeiro et al., ACL 2020): cases, what is expected of them, failures.

INV: a change that keeps the meaning must keep the prediction. DIR: a change that turns the meaning must move a
probability the right way. MFT: a simple text has a known answer. A case fails if one of its texts does; the failure
rate of a test is the share of its cases that fail, as in CheckList.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import Field

from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.settings import Settings
from unfooled.text.changes import INVARIANT
from unfooled.trials.answers import ANSWERS_TO_VERSIONS
from unfooled.trials.behaviour.cases import (
    KINDS,
    Case,
    CaseRecord,
    Expectation,
    directional_cases,
    in_words,
    invariance_cases,
    template_cases,
    turns_over,
)
from unfooled.trials.behaviour.checklist import read_suite
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import Answers, Question, Row, Trial, TrialRun, VerdictPart, over_all
from unfooled.types import Texts
from unfooled.victims.asking import answering, asked, chunks

SMALLEST_FALL = 1e-5  # what rounding may do to a probability is no fall


class InvarianceSettings(Settings):
    """Which behavioural tests: changes of at most so many texts by kind, and a stored suite by name.

    ``directional`` tests need labels that a negation turns over; None decides by their names. ``most_cases`` a test and
    ``variants`` a case are taken of a stored suite.
    """

    kinds: tuple[str, ...] = INVARIANT
    directional: bool | None = None
    templates: bool = True
    suite: str | None = None
    most: int | None = Field(default=200, ge=1)
    longest: int = Field(default=40, ge=1)
    most_cases: int | None = Field(default=50, ge=1)
    variants: int | None = Field(default=5, ge=1)


def units(inputs: Inputs, settings: InvarianceSettings, seed: int) -> list[Case]:
    """The behavioural tests that can be made of the texts, the labels and the stored suites."""
    some = inputs.some(settings.most, seed)
    texts, labels = [one.texts for one in some], [one.label for one in some]
    cases = invariance_cases(texts, settings.kinds, seed)
    turning = turns_over(inputs.names) if settings.directional is None else settings.directional
    if turning:
        cases += directional_cases(texts, labels, inputs.names, seed=seed, longest=settings.longest)
    if settings.templates:
        cases += template_cases(inputs.names, len(texts[0]))
    if settings.suite is not None:
        if inputs.suites is None:
            raise BadInput(f"there are no stored suites, so no {settings.suite}; set UNFOOLED_DATA to where they are")
        stored = read_suite(inputs.suites, settings.suite, inputs.names, settings.most_cases, settings.variants).cases
        cases += [replace(case, test=f"{settings.suite}: {case.test}") for case in stored]
    if not cases:
        raise BadInput("no behavioural test can be made of these texts; are they English, and not empty?")
    return cases


def notes(inputs: Inputs, settings: InvarianceSettings) -> Sequence[str]:
    """What of a stored suite is left out."""
    if settings.suite is None or inputs.suites is None:
        return ()
    return read_suite(inputs.suites, settings.suite, inputs.names).notes


def run(trial: TrialRun, done: Collection[int]) -> Iterator[CaseRecord]:
    """What the model makes of each case."""
    for index, rows in asked(answering(trial.victim, trial.batch_size), [case.texts for case in trial.units], done):
        case = trial.units[index]
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


def by_test(records: Sequence[CaseRecord]) -> dict[tuple[Expectation, str], list[CaseRecord]]:
    """The records of each test, tests in order of their kind and then of their first case."""
    tests: dict[tuple[Expectation, str], list[CaseRecord]] = {}
    for record in sorted(records, key=lambda record: (KINDS.index(record.kind), record.index)):
        tests.setdefault((record.kind, record.test), []).append(record)
    return tests


def scores(records: Sequence[CaseRecord]) -> list[Row]:
    """The failure rate of each kind of test, and of each test; those of stored suites, which are many, are details."""
    rows = []
    for kind in KINDS:
        own = [record for record in records if record.kind == kind]
        if own:
            rows.append(Row("failure_rate", named(failure_rate(own, f"cases of all {kind} tests")), part=kind))
    for (kind, test), own in by_test(records).items():
        score = named(failure_rate(own, f"cases of the {kind} test {test}"))
        rows.append(Row("failure_rate", score, part=f"{kind} {test}", detail=": " in test))
    return rows


def named(score: Score) -> Score:
    """A failure rate under its title: less is better."""
    return score.called("failures", better="less")


def failed_examples(records: Sequence[CaseRecord], most: int = 3) -> list[tuple[Texts, Texts, int, int]]:
    """Some failures: the text expected to count, the one that failed, and the predictions of both."""
    failures: list[tuple[Texts, Texts, int, int]] = []
    for record in records:
        if record.failures and len(failures) < most:
            place = record.failures[0]
            first = place if record.kind == "MFT" else 0
            failures.append(
                (record.texts[first], record.texts[place], record.predictions[first], record.predictions[place])
            )
    return failures


def failures(records: Sequence[CaseRecord], labels: Sequence[str]) -> dict[str, Any]:
    """Some failed cases of each test: the text, the version that failed, and what was said of both."""
    shown = {
        f"{kind} {test}": [
            {"text": list(text), "version": list(version), "said": [labels[first], labels[second]]}
            for text, version, first, second in failed_examples(own)
        ]
        for (kind, test), own in by_test(records).items()
    }
    return {"failures": {test: some for test, some in shown.items() if some}}


def questions(records: Sequence[CaseRecord]) -> Mapping[Question, Answers]:
    """Whether a case passed, by kind of test."""
    answers: dict[Question, dict[int, float]] = {}
    for one in records:
        question = Question("failure_rate", part=one.kind, title=f"tests passed, {in_words(one.kind)}")
        answers.setdefault(question, {})[one.index] = not one.failures
    return answers


def families(records: Sequence[CaseRecord]) -> dict[int, str]:
    """Cases of one text belong together."""
    return {one.index: "\n".join(one.texts[0]) for one in records}


def unchanged_meaning(records: Sequence[CaseRecord]) -> Score:
    """How often a model changes its answer though the meaning holds."""
    own = [record for record in records if record.kind == "INV"]
    return failure_rate(own, "INV cases, whose texts change in words but not in meaning,")


def turned_meaning(records: Sequence[CaseRecord]) -> Score:
    """How often a model does not become less sure of a label though the meaning is turned round."""
    own = [record for record in records if record.kind == "DIR" and record.rule == "falls"]
    what = "DIR cases, whose meaning a negation or an antonym turns round and whose label must become less probable,"
    return failure_rate(own, what)


INVARIANCE = Trial(
    CaseRecord,
    units,
    run,
    scores,
    InvarianceSettings,
    unit="case",
    together=lambda trial: list(chunks([case.texts for case in trial.units])),
    notes=notes,
    good=lambda record: not record.failures,
    questions=questions,
    families=families,
    verdict=(
        VerdictPart("fickleness", "unchanged meaning", over_all(unchanged_meaning)),
        VerdictPart("obstinacy", "turned meaning", over_all(turned_meaning)),
    ),
    facts=failures,
    elsewhere=ANSWERS_TO_VERSIONS,
    says=(
        "changes the wording of texts and looks whether the answer does what it should: stay where the meaning stays, "
        "move where it is turned round, and be right on simple sentences"
    ),
)
