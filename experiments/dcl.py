"""DCL's tables at a laptop's size, cell by cell: ``make results-dcl`` (docs/papers/dcl.md).

Small GLUE tasks and SQuAD, normal and under synonyms and CheckList's changes, beside training on augmented texts
(Tables 1 and 2 of the paper); clean and under PWWS beside training on adversaries (Table 3); how alike positive and
random pairs are with power, batch and no normalisation (Figure 3). GLUE hides its test labels: validation is cut off
train here, and what GLUE calls validation is the test split; so with SQuAD.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cline import SNLI, plain, shown
from encoders import facts
from finetuning import RUNS, Ground, fine_tuned, scores
from grid import Cell, fill, markdown, read

import unfooled as uf
from unfooled.data.classes import CLASSES
from unfooled.data.examples import load_examples, load_split
from unfooled.data.label_sets import SETS
from unfooled.data.sources import DataSettings
from unfooled.models import load, probabilities
from unfooled.scores.agreement import matthews, matthews_of
from unfooled.scores.intervals import clustered, drawn_together
from unfooled.scores.score import Score
from unfooled.text.changes import perturbed

ROWS = Path("docs/results/dcl.jsonl")
COMPARED = (("minilm", "finetune"), ("mlm", "finetune"), ("dcl", "finetune"), ("minilm", "augment"))
CHANGES = ("typos", "contractions", "names", "places", "numbers", "punctuation")
ATTACKED, DIALOGUES = 60, 40  # texts; a dialogue has several hundred substitutes
FOUND_FROM = 150  # training texts among which adversaries to be trained on are looked for
CHANGED = 500  # texts at most


def glue(name: str, rows: int, measured_on: str = "validation", **more: Any) -> Ground:
    """A task whose named split is kept for the end."""
    folder = Path(os.environ.get("UNFOOLED_DATA", ".")) / name
    data = {"source": str(folder / "train.jsonl.gz"), "test": str(folder / f"{measured_on}.jsonl.gz"), "limit": rows}
    return Ground(name, data, **more)


GLUE = (
    glue("cola", 2500, epochs=3, rate=1e-4, plan={"choose_by": "matthews"}),
    glue("sst2", 3000, rate=2e-4),
    glue("mrpc", 1000, "test", epochs=3, rate=2e-4),
    glue("stsb", 2000, "test", epochs=3, rate=2e-4, task="regression"),
    glue("rte", 800, epochs=3, rate=2e-4),
)
STSB = GLUE[3]
SQUAD = glue("squad", 1500, length=128, rate=2e-4, task="span")
DIALOGRE = Ground("dialogre", {"source": "dialogre", "limit": 1000}, length=128, epochs=4, rate=2e-4, task="multilabel")


def judged(ground: Ground, truth: Sequence[int], answers: Sequence[int], groups: Sequence[int], classes: int) -> Score:
    """CoLA's Matthews correlation, or the accuracy; versions of one text (a group) are drawn together."""
    if ground.name != "cola":
        right = [one == other for one, other in zip(truth, answers, strict=True)]
        return clustered(right, groups, "share of texts whose label has the highest probability")
    one, two = np.asarray(truth), np.asarray(answers)

    def table(rows: np.ndarray) -> np.ndarray:
        return np.bincount(one[rows] * classes + two[rows], minlength=classes**2).reshape(classes, classes)

    whole = matthews(table(np.arange(len(one))).tolist())
    return drawn_together(whole, groups, lambda rows: float(matthews_of(table(rows))))


def normal_and_changed(ground: Ground, name: str, method: str) -> dict[str, Any]:
    """A model on the texts as they are, in synonyms, and after CheckList's changes."""
    run = fine_tuned(ground, name, method)
    if ground.task == "regression":
        return {"scores": scores(run), **changed(ground, run)["pearson"]}
    model = load(str(run / "model"))
    split, _, _ = load_split(DataSettings(source=str(ground.data["test"])), model.labels, None, CHANGED)
    numbers: dict[str, Any] = {"scores": scores(run)}
    for kind, changes in (("synonyms", ("synonyms",)), ("checklist", CHANGES)):
        variants = perturbed(split.texts, changes)
        truth = [split.labels[one.index] for one in variants]
        answers = probabilities(model, [one.texts for one in variants]).argmax(1).tolist()
        groups = [one.index for one in variants]
        numbers[kind] = plain(judged(ground, truth, answers, groups, len(model.labels)))
    return numbers


def changed(ground: Ground, run: Path) -> dict[str, dict[str, Any]]:
    """Scores of a model that says no classes, by part: originals, synonyms, CheckList, and the originals of both."""
    settings = {"invariance": {"most": None}}
    data, out = str(ground.data["test"]), run / "results"
    results = uf.evaluate(str(run / "model"), data, out, ["invariance"], limit=CHANGED, settings=settings)
    numbers: dict[str, dict[str, Any]] = {}
    for row in results.rows:
        if not row.detail:
            numbers.setdefault(row.metric, {})[str(row.part)] = plain(row.score)
    return numbers


def squad_cell(name: str, method: str) -> Cell:
    """One model on SQuAD, by F1 and exact match."""

    def found() -> dict[str, Any]:
        run = fine_tuned(SQUAD, name, method)
        return {"scores": scores(run), **changed(SQUAD, run)}

    return Cell({"table": "squad", "encoder": name, "method": method}, found)


def glue_cell(ground: Ground, name: str, method: str) -> Cell:
    """One model on one task."""
    key = {"table": "glue", "data": ground.name, "encoder": name, "method": method}
    return Cell(key, lambda: normal_and_changed(ground, name, method))


def attacked(ground: Ground, name: str, method: str) -> Mapping[str, Any]:
    """A model clean and under PWWS; the adversaries trained on were found against the plain model's training texts."""
    settings: dict[str, Any] = {}
    if method == "adversarial_text":
        plain_run, stored = fine_tuned(ground, "minilm"), RUNS / f"{ground.name}-pwws-trained-on"
        reading = SETS if ground is DIALOGRE else CLASSES
        rows = load_examples(DataSettings.model_validate(dict(ground.data)), 0, reading).train
        limit = DIALOGUES if ground is DIALOGRE else FOUND_FROM
        found = uf.attack(str(plain_run / "model"), rows, "pwws", stored, limit=limit, similarity=None)
        if not any(record.outcome == "fooled" for record in found.records):
            return {"adversaries": 0}  # nothing to train on
        settings = {"adversaries": str(stored)}
    run = fine_tuned(ground, name, method, settings=settings)
    source = str(ground.data.get("test", ground.data["source"]))
    limit = DIALOGUES if ground is DIALOGRE else ATTACKED
    found = uf.attack(str(run / "model"), source, "pwws", run / "pwws", limit=limit, similarity=None)
    kinds = ("clean_accuracy", "accuracy_under_attack", "attack_success", "clean_f1", "f1_under_attack")
    numbers = {kind: plain(found.scores[kind]) for kind in kinds if kind in found.scores}
    return {**numbers, **({"scores": scores(run)} if ground is DIALOGRE else {})}


def attack_cell(ground: Ground, name: str, method: str) -> Cell:
    """One model under attack."""
    key = {"table": "pwws", "data": ground.name, "encoder": name, "method": method}
    return Cell(key, lambda: attacked(ground, name, method))


def collapse_cell(name: str) -> Cell:
    """How alike texts are to an encoder at the end of its training."""
    return Cell({"table": "collapse", "encoder": name}, lambda: facts(name))


def cells() -> Iterator[Cell]:
    """All of them, the most telling first."""
    three = (("minilm", "finetune"), ("dcl", "finetune"), ("minilm", "adversarial_text"))
    yield from (glue_cell(ground, *one) for ground in GLUE[:2] for one in COMPARED)
    yield from (attack_cell(GLUE[0], *one) for one in three)
    yield from map(collapse_cell, ("dcl", "dcl with batch norm", "dcl without norm", "mlm"))
    yield from (glue_cell(ground, *one) for ground in GLUE[2:] for one in COMPARED[:3])
    yield from (squad_cell(*one) for one in COMPARED[:3])
    yield from (attack_cell(DIALOGRE, *one) for one in three[:2])
    yield from (attack_cell(SNLI, *one) for one in three)
    # What collapse costs: STS-B is where the encoders differ most.
    yield from (glue_cell(STSB, f"dcl {norm} norm", "finetune") for norm in ("with batch", "without"))
    yield from (glue_cell(ground, *COMPARED[3]) for ground in GLUE[2:])
    yield attack_cell(DIALOGRE, *three[2])
    yield from map(collapse_cell, ("dcl, 400 steps", "mlm, 400 steps"))


def tables() -> str:
    """What there is so far."""
    rows = read(ROWS)
    glue_rows = [
        [row["data"], row["encoder"], row["method"], main_score(row), *(shown(row.get(k)) for k in KINDS)]
        for row in rows
        if row["table"] == "glue"
    ]
    collapse = [
        [row["encoder"], *(f"{row['alike'][name]:.3f}" if name in row["alike"] else "" for name in ALIKE)]
        for row in rows
        if row["table"] == "collapse"
    ]
    kept = ("clean_accuracy", "accuracy_under_attack", "clean_f1", "f1_under_attack")
    under = [
        [row["data"], row["encoder"], row["method"], *(shown(row.get(k)) for k in kept)]
        for row in rows
        if row["table"] == "pwws"
    ]
    return "\n\n".join(
        (
            markdown(["data", "encoder", "method", "test", *KINDS], glue_rows),
            markdown(["encoder", *ALIKE], collapse),
            markdown(["data", "encoder", "method", "clean", "under PWWS", "clean F1", "F1 under PWWS"], under),
            markdown(["encoder", "method", "", "normal", *KINDS], squad_lines(rows)),
        )
    )


KINDS = ("synonyms", "checklist")
ALIKE = tuple(
    f"{what} {how}" for what in ("text", "projection") for how in ("positive cosine", "random cosine", "uniformity")
)


def squad_lines(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """F1 and exact match of each model on SQuAD."""
    return [
        [row["encoder"], row["method"], metric, *(shown(row[metric].get(part)) for part in ("original", *KINDS))]
        for row in rows
        if row["table"] == "squad"
        for metric in ("f1", "exact_match")
    ]


def main_score(row: Mapping[str, Any]) -> str:
    """The score a task is known by."""
    found = row["scores"]
    names = ("test pearson", "test matthews") if row["data"] in ("stsb", "cola") else ("test accuracy",)
    return next((f"{name.split()[1]} {shown(found[name])}" for name in names if name in found), "")


if __name__ == "__main__":
    if "--table" not in sys.argv:
        fill(ROWS, cells())
    print(tables())
