"""Results folders made by hand: so many right answers, so many left under attack, nothing computed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unfooled.attacks.records import AttackRecord, Change
from unfooled.journal import JOURNAL, line
from unfooled.results.folder import Finished, Results
from unfooled.results.log import Header
from unfooled.trials import TRIALS
from unfooled.trials.behaviour.cases import CaseRecord
from unfooled.trials.clean import CleanRecord
from unfooled.trials.contrast import ContrastRecord
from unfooled.trials.kept.climbs import PGDRecord, WorstPoint
from unfooled.trials.kept.shifts import ContrastSentence, Shift, ShiftRecord
from unfooled.trials.words.transfer import TransferRecord

LABELS = ("negative", "positive")


def header(trial: str, model: str, examples: int, **changes: object) -> Header:
    """What a log says of itself; a trial's task is the first of those that go through it."""
    form = TRIALS[trial]
    own = {
        "trial": trial,
        "model": model,
        "model_hash": f"hash of {model}",
        "labels": LABELS if "classification" in form.tasks else (),
        "max_length": 32,
        "data": "reviews",
        "data_hash": "d",
        "examples": examples,
        "examples_hash": f"e {form.unit}",
        "seed": 0,
        "settings": {},
        "unit": form.unit,
        "source": form.source,
        "task": form.tasks[0],
    }
    return Header(**{**own, **changes})  # type: ignore[arg-type]


def finished(model: str, trial: str, records: Sequence[Any], **changes: object) -> Finished:
    """A trial of a model that is on no disk."""
    known = {"examples": len(records), **changes}
    return Finished(model, header(trial, model, **known), tuple(records), model)  # type: ignore[arg-type]


def results_of(*trials: Finished) -> Results:
    """Results that are on no disk."""
    return Results(trials)


def save_trial(folder: Path, model: str, trial: str, records: Sequence[Any], **changes: object) -> Path:
    """A trial's log, whole unless ``examples`` says there should be more."""
    slug = "".join(char if char.isalnum() else "-" for char in model)
    path = folder / slug / trial / JOURNAL
    path.parent.mkdir(parents=True)
    own = finished(model, trial, records, **changes).header
    path.write_bytes(line(own) + b"".join(line(one) for one in records))
    return path


def plain(right: int, left: dict[float, int], examples: int = 100) -> tuple[list[CleanRecord], list[PGDRecord]]:
    """Clean and k-PGD records in which the first examples are right, and of them the first so many under attack."""
    clean, pgd = [], []
    for index in range(examples):
        label = index % 2
        said = label if index < right else 1 - label
        clean.append(CleanRecord(index, label, said, 0.7, 0.4))
        attacks = tuple(
            WorstPoint(eps, label if index < count else 1 - label, 0.6, 0.9, (0.4, 0.7, 0.9), 0.8, 1.5, eps, 0)
            for eps, count in left.items()
        )
        pgd.append(PGDRecord(index, label, said, 0.7, 0.4, 1.0, attacks))
    return clean, pgd


def save_results(
    folder: Path, model: str, right: int, left: dict[float, int], into: Path | None = None, **changes: object
) -> Path:
    """A results folder with both."""
    for trial, records in zip(("clean", "pgd"), plain(right, left), strict=True):
        save_trial(into or folder, model, trial, records, **changes)
    return into or folder


def word_attack(held: int, fooled: int, wrong: int, changes: int = 1) -> list[AttackRecord]:
    """So many examples that held, were fooled (by so many words) and were wrong before."""
    found = []
    for index, outcome in enumerate(["held"] * held + ["fooled"] * fooled + ["already wrong"] * wrong):
        text = "a good film, truly good"
        swaps = [Change(1, "good", "decent"), Change(4, "good", "fine")][:changes]
        adversary = ("a decent film, truly good",) if changes == 1 else ("a decent film, truly fine",)
        hit = outcome == "fooled"
        found.append(
            AttackRecord(
                index=index,
                label=1,
                texts=(text,),
                outcome=outcome,  # type: ignore[arg-type]
                prediction=0 if outcome == "already wrong" else 1,
                before=(0.2, 0.8),
                adversary=adversary if hit else None,
                fooled_into=0 if hit else None,
                after=(0.7, 0.3) if hit else (),
                changes=tuple(swaps) if hit else (),
                words=5,
                candidates=3,
                asked=10,
                from_cache=2,
                similarity=0.9 if hit else None,
                error=None,
            )
        )
    return found


def behaviour(failing: int, passing: int, test: str = "typos", kind: Any = "INV") -> list[CaseRecord]:
    """So many cases of one test that fail and that pass."""
    found = []
    for index in range(failing + passing):
        bad = index < failing
        answers = (1, 0 if bad else 1)
        rows = ((0.2, 0.8), (0.6, 0.4) if bad else (0.3, 0.7))
        texts = (("a good film",), ("a godo film",))
        rule = "same" if kind == "INV" else "falls"
        found.append(CaseRecord(index, test, kind, "robustness", texts, rule, (), answers, rows, (1,) if bad else ()))
    return found


def contrast_pairs(both: int, stuck: int) -> list[ContrastRecord]:
    """Pairs of which both are right, and pairs whose revision is answered as the original was."""
    found = []
    for pair in range(both + stuck):
        said = 0 if pair < both else 1
        found.append(ContrastRecord(2 * pair, str(pair), True, ("a good film",), 1, 1, 0.9))
        found.append(ContrastRecord(2 * pair + 1, str(pair), False, ("a bad film",), 0, said, 0.5))
    return found


def transferred(right: int, fooled: int) -> list[TransferRecord]:
    """Stored adversaries that are answered rightly, and that fool."""
    return [
        TransferRecord(index, 1, ("good",), ("decent",), 1, 0.9, 1 if index < right else 0, 0.4)
        for index in range(right + fooled)
    ]


def shifted(count: int, contrary: str | None = None) -> list[ShiftRecord]:
    """Examples with features of length 1 and a synonym version near by; every fifth has none.

    With ``contrary`` all but every third have a contrast sentence of that kind.
    """
    found = []
    for index in range(count):
        vector = (1.0, 0.0, 0.0) if index % 2 else (0.0, 1.0, 0.0)
        moved = None if index % 5 == 4 else (0.6, 0.8, 0.0)
        shifts = () if moved is None else (Shift("synonyms", (), 0.8, 0.5),)
        other = (
            None
            if contrary is None or index % 3 == 2
            else ContrastSentence(contrary, (f"no {index}",), (0.0, 0.0, 1.0))
        )
        found.append(ShiftRecord(index, index % 2, (f"text {index}",), shifts, vector, moved, other))
    return found
