"""Pictures and sentences of a page: curves, confusions, training, and the sentences that fooled a model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unfooled.attacks.records import AttackRecord
from unfooled.commands.gathering import Gathered, Told
from unfooled.commands.outcomes import Question
from unfooled.commands.telling import Group, answers_of, combined, number
from unfooled.evaluation.behaviour import CaseRecord, by_test, failed_examples, failure_rate
from unfooled.evaluation.metrics import Score, confusion, proportion
from unfooled.evaluation.records import Record
from unfooled.report.story import Attacked, Case, Check, Line, Matrix, Number, Plot, pieces
from unfooled.text.document import read

WORDS = 10  # changed words up to which a curve goes
METRICS = "metrics.jsonl"


def curves(told: Gathered, groups: Sequence[Group]) -> tuple[Plot, ...]:
    """Accuracy over the radius of k-PGD and over the words an attack may change."""
    found = [over_radius(told, groups)]
    attacks = dict.fromkeys(one.trial for one in told.trials if isinstance(one.records[0], AttackRecord))
    found += [over_words(told, groups, trial) for trial in attacks]
    return tuple(plot for plot in found if plot is not None)


def over_radius(told: Gathered, groups: Sequence[Group]) -> Plot | None:
    """Accuracy at each radius, from the clean accuracy on."""
    rows = [
        row
        for row in told.rows()
        if (row.trial, row.metric) in (("pgd", "accuracy_under_attack"), ("clean", "accuracy"))
    ]
    radii = sorted({row.eps for row in rows if row.eps is not None})
    if not radii:
        return None
    answers = answers_of(told)
    lines = []
    for group in groups:
        points = []
        for eps in sorted({0.0, *radii}):
            question = Question("pgd", "accuracy_under_attack", eps) if eps in radii else Question("clean", "accuracy")
            own = {row.model: row.score for row in rows if (row.trial, row.eps) == (question.trial, question.eps)}
            point = combined(group, own, answers.get(question, {}))
            points += [(eps, point)] if point is not None else []
        lines.append(Line(group.name, tuple(points)))
    says = "The further a curve stays up, the larger a change of its word vectors the model withstands."
    title = "Accuracy over the size of a change in embedding space (k-PGD)"
    return Plot(title, "radius eps", "accuracy", tuple(lines), says)


def over_words(told: Gathered, groups: Sequence[Group], trial: str) -> Plot:
    """Accuracy if an attack may change so many words at most."""
    trials = {one.model: one for one in told.trials if one.trial == trial}
    lines = []
    for group in groups:
        own = {name: trials[name] for name in group.members if name in trials}
        points = []
        for most in range(WORDS + 1):
            scores, answers = {}, {}
            for name, one in own.items():
                answers[name] = {record.index: survives(record, most) for record in one.records}
                scores[name] = proportion(sum(answers[name].values()), len(answers[name]), "")
            point = combined(group, scores, answers)
            points += [(float(most), point)] if point is not None else []
        lines.append(Line(group.name, tuple(points)))
    says = "What is left of the accuracy if the attacker may change at most so many words of a text."
    title = f"Accuracy over words changed ({trial})"
    return Plot(title, "words changed at most", "accuracy", tuple(lines), says)


def survives(record: AttackRecord, most: int) -> bool:
    """Whether an answer is right although so many words may be changed; what ran out or broke speaks for nobody."""
    if record.outcome == "fooled":
        return len(record.changes) > most
    return record.outcome in ("held", "no candidates") or (record.outcome == "budget" and most == 0)


def matrices(told: Gathered, groups: Sequence[Group]) -> tuple[Matrix, ...]:
    """What each group takes for what, on the texts as they are; then label distances of runs that learnt some."""
    found = []
    for group in groups:
        own = [one for name in group.members if (one := told.of(name, "clean")) is not None]
        if own and isinstance(own[0].records[0], Record):
            labels = own[0].header.labels
            counts = np.sum([confusion(one.records, len(labels)) for one in own], axis=0)
            rows = tuple(tuple(float(count) for count in row) for row in counts)
            found.append(Matrix(f"{group.name}: what is taken for what", labels, rows))
        found += [matrix for name in group.members[:1] if (matrix := distances(told, name)) is not None]
    return tuple(found)


def distances(told: Gathered, model: str) -> Matrix | None:
    """The label distances a model was trained with, where its run kept some."""
    run = run_of(told, model)
    found = read_json(run / "summary.json") if run is not None else {}
    if not found.get("label_distance"):
        return None
    labels = tuple(str(name) for name in found.get("label_names") or found.get("labels", ()))
    rows = tuple(tuple(float(value) for value in row) for row in found["label_distance"])
    return (
        Matrix(f"{model}: label distances it learnt", labels, rows, counts=False) if len(labels) == len(rows) else None
    )


def run_of(told: Gathered, model: str) -> Path | None:
    """The run folder of a model, where it was trained here."""
    return run_at(next(one.header.model for one in told.trials if one.model == model))


def run_at(name: str) -> Path | None:
    """The run folder that a model's name leads to."""
    folders = (Path(name), Path(name).parent)
    return next((folder for folder in folders if (folder / "recipe.toml").is_file()), None)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object, empty where there is none to be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def training(told: Gathered, groups: Sequence[Group]) -> tuple[Plot, ...]:
    """The training of runs that left their metrics behind; of several seeds, their mean."""
    runs = [
        (group.name, [run for name in group.members if (run := run_of(told, name)) is not None]) for group in groups
    ]
    return training_of(runs, "accuracy")


def training_of(runs: Sequence[tuple[str, Sequence[Path]]], judged_by: str) -> tuple[Plot, ...]:
    """The task loss and the validation score of runs by name."""
    found = []
    several = any(len(own) > 1 for _, own in runs)
    for title, kind, name, up in (
        ("Training loss of the task", "train", "task", "loss"),
        (f"Validation {judged_by}", "validation", judged_by, judged_by),
    ):
        lines = [
            Line(group, together([series(read_metrics(run / METRICS), kind, name) for run in own]))
            for group, own in runs
        ]
        if any(len(line.points) > 1 for line in lines):
            says = "Bands reach from the lowest to the highest seed." if several else ""
            found.append(Plot(title, "step", up, tuple(lines), says, share=name == "accuracy"))
    return tuple(found)


def together(runs: Sequence[dict[float, float]]) -> tuple[tuple[float, Number], ...]:
    """The mean over runs at the steps that all have, from the lowest to the highest of them."""
    steps = sorted(set.intersection(*(set(run) for run in runs))) if runs else []
    found = []
    for step in steps:
        own = [run[step] for run in runs]
        low, high = (min(own), max(own)) if len(own) > 1 else (None, None)
        found.append((step, Number(float(np.mean(own)), low, high, len(own))))
    return tuple(found)


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's metrics; one left half-written is none."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found


def series(entries: Sequence[dict[str, Any]], kind: str, name: str) -> dict[float, float]:
    """One number by step."""
    own = [entry for entry in entries if entry.get("kind") == kind and isinstance(entry.get(name), int | float)]
    return {float(entry["step"]): float(entry[name]) for entry in own}


def attacked(told: Gathered, models: Sequence[str], trials: Sequence[str]) -> tuple[Attacked, ...]:
    """How each attack in words went."""
    found = []
    for one in word_attacks(told):
        count = {outcome: sum(record.outcome == outcome for record in one.records) for outcome in OUTCOMES}
        right = sum(count[outcome] for outcome in OUTCOMES if outcome not in ("already wrong", "error"))
        safe = count["held"] + count["no candidates"]
        places = models.index(one.model), trials.index(one.trial)
        found.append(Attacked(*places, len(one.records), right, count["fooled"], safe))
    return tuple(found)


OUTCOMES = ("fooled", "held", "already wrong", "no candidates", "budget", "error")


def word_attacks(told: Gathered) -> list[Told]:
    """The trials that attack words."""
    return [one for one in told.trials if isinstance(one.records[0], AttackRecord)]


def cases(told: Gathered, models: Sequence[str], trials: Sequence[str]) -> tuple[Case, ...]:
    """Every sentence that fooled a model."""
    return tuple(
        fooled(record, one, models.index(one.model), trials.index(one.trial))
        for one in word_attacks(told)
        for record in one.records
        if record.outcome == "fooled"
    )


def fooled(record: AttackRecord, told: Told, model: int, trial: int) -> Case:
    """One fooled example, its texts cut at the changed words."""
    labels = told.header.labels
    assert record.adversary is not None and record.prediction is not None and record.fooled_into is not None
    texts = []
    for old, new in zip(record.texts, record.adversary, strict=True):
        spans = [read(old).spans[change.place] for change in record.changes] if old != new else []
        texts.append(pieces(old, spans, [change.new for change in record.changes] if spans else []))
    names = labels[record.label], labels[record.prediction], labels[record.fooled_into]
    sure = record.before[record.prediction], record.after[record.fooled_into]
    return Case(model, trial, record.index, *names, *sure, tuple(texts), record.similarity)


def checks(told: Gathered, groups: Sequence[Group]) -> tuple[Check, ...]:
    """Every behavioural test with each group's failure rate, and failures of the first that has some."""
    tests = [
        (group, name, by_test(one.records))
        for group in groups
        for name in group.members
        if (one := told.of(name, "invariance")) is not None and isinstance(one.records[0], CaseRecord)
    ]
    found = []
    for key in dict.fromkeys(key for _, _, own in tests for key in own):
        scores: dict[str, Score] = {name: failure_rate(own[key], "") for _, name, own in tests if key in own}
        answers = {name: {one.index: not one.failures for one in own[key]} for _, name, own in tests if key in own}
        numbers = tuple(combined(group, scores, answers) for group in groups)
        labels = told.trials[0].header.labels
        shown: list[str] = []
        for _, name, own in tests:
            if key in own and not shown:
                shown = [told_failure(failure, labels, name) for failure in failed_examples(own[key])]
        found.append(Check(key[0], key[1], numbers, tuple(shown)))
    return tuple(found)


def told_failure(failure: tuple[tuple[str, ...], tuple[str, ...], int, int], labels: Sequence[str], model: str) -> str:
    """A failure in one line."""
    first, second, before, after = failure
    old, new = " / ".join(first), " / ".join(second)
    if first == second:
        return f"{model} says {labels[after]}: {new}"
    return f"{model} says {labels[before]}: {old} — and {labels[after]}: {new}"


__all__ = ["attacked", "cases", "checks", "curves", "matrices", "number", "training"]
