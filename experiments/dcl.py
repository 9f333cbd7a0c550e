"""DCL's tables at a laptop's size, cell by cell: ``make results-dcl`` (docs/papers/dcl.md).

Small GLUE tasks, normal and under synonyms and CheckList's changes, beside training on augmented texts (Tables 1 and
2 of the paper); clean and under PWWS beside training on adversaries (Table 3); how alike positive and random pairs are
with power, batch and no normalisation (Figure 3). GLUE hides its test labels: validation is cut off train here, and
what GLUE calls validation is the test split.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cells import Cell, fill, read
from cline import plain, shown
from encoders import facts
from finetuning import RUNS, Ground, fine_tuned, scores
from grid import markdown

import unfooled as uf
from unfooled.data.datasets import DataSettings, load_split
from unfooled.evaluation.agreement import matthews
from unfooled.evaluation.metrics import Score, proportion
from unfooled.models import load, probabilities
from unfooled.text.behaviours import perturbed

ROWS = Path("docs/results/dcl.jsonl")
COMPARED = (("minilm", "finetune"), ("mlm", "finetune"), ("dcl", "finetune"), ("minilm", "augment"))
CHANGES = ("typos", "contractions", "names", "places", "numbers", "punctuation")
ATTACKED = 60


def glue(name: str, rows: int, measured_on: str = "validation", **more: Any) -> Ground:
    """A task whose named split is kept for the end."""
    folder = Path(os.environ.get("UNFOOLED_DATA", ".")) / name
    data = {"source": str(folder / "train.jsonl.gz"), "test": str(folder / f"{measured_on}.jsonl.gz"), "limit": rows}
    return Ground(name, data, **more)


GLUE = (
    glue("cola", 1500, plan={"choose_by": "matthews"}),
    glue("mrpc", 1000, "test"),
    glue("rte", 800),
    glue("stsb", 1000, "test", task="regression"),
    glue("sst2", 1500),
)
SNLI = Ground("snli", {"source": "snli", "limit": 1500})


def judged(ground: Ground, truth: Sequence[int], answers: Sequence[int], classes: int) -> Score:
    """CoLA's Matthews correlation, or the accuracy."""
    if ground.name != "cola":
        right = sum(one == other for one, other in zip(truth, answers, strict=True))
        return proportion(right, len(truth), "share of texts whose label has the highest probability")
    table = [[0] * classes for _ in range(classes)]
    for one, other in zip(truth, answers, strict=True):
        table[one][other] += 1
    return matthews(table)


def normal_and_changed(ground: Ground, name: str, method: str) -> dict[str, Any]:
    """A model on the texts as they are, in synonyms, and after CheckList's changes; 500 texts at most."""
    run = fine_tuned(ground, name, method)
    if ground.task == "regression":
        return {"scores": scores(run)}
    model = load(str(run / "model"))
    split, _, _ = load_split(DataSettings(source=str(ground.data["test"])), model.labels, None, 500)
    found: dict[str, Any] = {"scores": scores(run)}
    for kind, changes in (("synonyms", ("synonyms",)), ("checklist", CHANGES)):
        variants = perturbed(split.texts, changes)
        truth = [split.labels[one.index] for one in variants]
        answers = probabilities(model, [one.texts for one in variants]).argmax(1).tolist()
        found[kind] = plain(judged(ground, truth, answers, len(model.labels)))
    return found


def glue_cell(ground: Ground, name: str, method: str) -> Cell:
    """One model on one task."""
    key = {"table": "glue", "data": ground.name, "encoder": name, "method": method}
    return Cell(key, lambda: normal_and_changed(ground, name, method))


def attacked(ground: Ground, name: str, method: str) -> Mapping[str, Any]:
    """A model clean and under PWWS; the adversaries trained on were found against the plain model's training texts."""
    settings: dict[str, Any] = {}
    if method == "adversarial_text":
        plain_run, stored = fine_tuned(ground, "minilm"), RUNS / f"{ground.name}-pwws-train"
        source = {"source": ground.data["source"]}
        uf.attack(str(plain_run / "model"), source, "pwws", stored, limit=150, split="train", similarity=None)
        settings = {"adversaries": str(stored), "strangers": "leave out"}
    run = fine_tuned(ground, name, method, settings=settings)
    source = str(ground.data.get("test", ground.data["source"]))
    found = uf.attack(str(run / "model"), source, "pwws", run / "pwws", limit=ATTACKED, similarity=None)
    return {kind: plain(found.scores[kind]) for kind in ("clean_accuracy", "accuracy_under_attack", "attack_success")}


def attack_cell(ground: Ground, name: str, method: str) -> Cell:
    """One model under attack."""
    key = {"table": "pwws", "data": ground.name, "encoder": name, "method": method}
    return Cell(key, lambda: attacked(ground, name, method))


def cells() -> Iterator[Cell]:
    """All of them, the most telling first."""
    for norm in ("dcl", "dcl with batch norm", "dcl without norm", "mlm"):
        yield Cell({"table": "collapse", "encoder": norm}, lambda norm=norm: facts(norm))  # type: ignore[misc]
    yield from (glue_cell(ground, *one) for ground in GLUE for one in COMPARED)
    three = (("minilm", "finetune"), ("dcl", "finetune"), ("minilm", "adversarial_text"))
    yield from (attack_cell(ground, *one) for ground in (GLUE[0], SNLI) for one in three)


def tables() -> str:
    """What there is so far."""
    rows = read(ROWS)
    glue_rows = [
        [row["data"], row["encoder"], row["method"], main_score(row), *(shown(row.get(k)) for k in KINDS)]
        for row in rows
        if row["table"] == "glue"
    ]
    collapse = [
        [row["encoder"], *(f"{row['scores'][name]['value']:.3f}" for name in sorted(row["scores"]))]
        for row in rows
        if row["table"] == "collapse"
    ]
    names = sorted(next((row["scores"] for row in rows if row["table"] == "collapse"), {}))
    kept = ("clean_accuracy", "accuracy_under_attack")
    under = [
        [row["data"], row["encoder"], row["method"], *(shown(row[k]) for k in kept)]
        for row in rows
        if row["table"] == "pwws"
    ]
    return "\n\n".join(
        (
            markdown(["data", "encoder", "method", "test", *KINDS], glue_rows),
            markdown(["encoder", *names], collapse),
            markdown(["data", "encoder", "method", "clean", "under PWWS"], under),
        )
    )


KINDS = ("synonyms", "checklist")


def main_score(row: Mapping[str, Any]) -> str:
    """The score a task is known by."""
    found = row["scores"]
    names = ("test pearson", "test matthews") if row["data"] in ("stsb", "cola") else ("test accuracy",)
    return next((f"{name.split()[1]} {shown(found[name])}" for name in names if name in found), "")


if __name__ == "__main__":
    if "--table" not in sys.argv:
        fill(ROWS, cells())
    print(tables())
