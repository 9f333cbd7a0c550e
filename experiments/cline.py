"""CLINE's tables at a laptop's size, cell by cell: ``make results-cline`` (docs/papers/cline.md).

Contrast sets after fine-tuning (Tables 2 and 3 of the paper), less data and ablations (Table 6), a static set of
TextFooler adversaries (Table 5), Hits (Table 7). Every encoder of ``encoders.py`` is fine-tuned with the same rows,
epochs and learning rate; weights are chosen on validation.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from encoders import encoder, slug
from finetuning import RUNS, Ground, fine_tuned, scores
from grid import Cell, fill, markdown, read

import unfooled as uf
from unfooled.models import ModelSettings, build
from unfooled.trials.hits import COMPARISONS, hits_by_layer
from unfooled.victims.network import of_model

DATA = Path(os.environ.get("UNFOOLED_DATA", "."))
ROWS = Path("docs/results/cline.jsonl")
COMPARED = ("minilm", "mlm", "cline")
LONGER = ("mlm, 400 steps", "cline, 400 steps")
ABLATIONS = ("cline without detection", "cline with random negatives")
PERSPECTRUM = Ground("perspectrum", {"source": "perspectrum", "limit": 3500}, epochs=3, rate=2e-4)
# Trained on the file of training rows alone: the contrast sets hold a sample of the test splits (Ori), and thousands
# of test rows more would cost as much as the training.
SNLI = Ground("snli", {"source": f"{DATA}/snli/train.jsonl.gz", "limit": 4000}, rate=1e-4)
IMDB = Ground("imdb", {"source": f"{DATA}/imdb/train.jsonl.gz", "limit": 800}, length=128, rate=2e-4)
CONTRAST = {"perspectrum": "contrast_perspectrum", "snli": "cad_snli", "imdb": "contrast_imdb"}
TRIPLES = 500
ATTACKED = 100


def contrasted(ground: Ground, name: str, method: str, seed: int, fraction: float) -> dict[str, Any]:
    """A model's scores on its own test split and on the contrast set."""
    run = fine_tuned(ground, name, method, seed, fraction)
    results = uf.evaluate(str(run / "model"), CONTRAST[ground.name], run / "contrast", ["contrast"], split="test")
    rows = {row.metric: plain(row.score) for row in results.rows}
    return {"scores": scores(run), "contrast": rows}


def plain(score: Any) -> dict[str, float]:
    """A score as JSON."""
    return {"value": score.value, "low": score.low, "high": score.high, "n": score.n}


def contrast_cell(ground: Ground, name: str, method: str = "finetune", seed: int = 0, fraction: float = 1.0) -> Cell:
    """A fine-tuned model on a contrast set."""
    key = {"table": "contrast", "data": ground.name, "encoder": name, "method": method}
    return Cell({**key, "seed": seed, "fraction": fraction}, lambda: contrasted(ground, name, method, seed, fraction))


def hits_cell(name: str) -> Cell:
    """How often an encoder, as pre-trained, puts a synonym nearer than an antonym."""

    def find() -> Mapping[str, Any]:
        # Under a head that nobody asks: what is compared are the encoder's layers.
        model = build(ModelSettings(name=encoder(name), max_length=64), ("negative", "positive"), seed=0)
        out = RUNS / "hits" / slug(name)
        results = uf.evaluate(of_model(model), "mr", out, ["hits"], split="test", limit=TRIPLES)
        numbers = {}
        for comparison in COMPARISONS:
            layers = hits_by_layer(results.trials[0].records, comparison)
            best = max(range(len(layers)), key=lambda place: layers[place].value)  # the first of equals
            by_layer = [score.value for score in layers]
            numbers[comparison] = {**plain(layers[best]), "layer": best + 1, "by_layer": by_layer}
        return numbers

    return Cell({"table": "hits", "encoder": name}, find)


def transfer_cell(name: str) -> Cell:
    """A model's accuracy on the adversaries that fooled the plain model."""

    def find() -> Mapping[str, Any]:
        plain_run = fine_tuned(PERSPECTRUM, "minilm")
        stored = RUNS / "perspectrum-textfooler"
        uf.attack(str(plain_run / "model"), "perspectrum", "textfooler", stored, limit=ATTACKED, split="test")
        run = fine_tuned(PERSPECTRUM, name)
        results = uf.evaluate(
            str(run / "model"), "perspectrum", run / "transfer", ["transfer"], split="test", adversaries=stored
        )
        return {row.metric: plain(row.score) for row in results.rows}

    return Cell({"table": "transfer", "encoder": name}, find)


def cells() -> Iterator[Cell]:
    """All of them, the most telling first."""
    yield from (hits_cell(name) for name in ("minilm", "start", "mlm", "cline"))
    yield from (contrast_cell(PERSPECTRUM, name) for name in COMPARED)
    yield contrast_cell(PERSPECTRUM, "minilm", "freelb")
    yield from (hits_cell(name) for name in ABLATIONS)
    yield from (contrast_cell(PERSPECTRUM, name) for name in ABLATIONS)
    yield from (contrast_cell(PERSPECTRUM, name, fraction=0.1) for name in COMPARED)
    yield from (contrast_cell(ground, name) for ground in (IMDB, SNLI) for name in COMPARED)
    yield from (transfer_cell(name) for name in COMPARED)
    yield contrast_cell(IMDB, "minilm", "freelb")
    yield from (contrast_cell(PERSPECTRUM, name, fraction=0.01) for name in COMPARED)
    yield from (contrast_cell(PERSPECTRUM, name, "freelb") for name in ("mlm", "cline"))
    yield from (contrast_cell(ground, name, "freelb") for ground in (SNLI, IMDB) for name in COMPARED)
    yield from (contrast_cell(PERSPECTRUM, name, seed=seed) for seed in (1, 2) for name in COMPARED)
    yield from (cell for name in LONGER for cell in (hits_cell(name), contrast_cell(PERSPECTRUM, name)))


def shown(score: Mapping[str, float] | None) -> str:
    """A number with its interval, in points."""
    if score is None:
        return ""
    return f"{100 * score['value']:.1f} [{100 * score['low']:.1f}, {100 * score['high']:.1f}]"


def over_seeds(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Means over seeds with the smallest and the largest, where there are several."""
    values: dict[tuple[str, ...], list[list[float]]] = {}
    for row in rows:
        if row["table"] == "contrast" and "test accuracy" in row["scores"]:
            key = (row["data"], row["encoder"], row["method"], f"{row['fraction']:g}")
            several = [row["scores"]["test accuracy"], *(row["contrast"][name] for name in ("ori", "rev", "con_pair"))]
            values.setdefault(key, []).append([100 * score["value"] for score in several])
    return [
        [*key, str(len(own)), *(f"{mean(one):.1f} ({min(one):.1f}–{max(one):.1f})" for one in zip(*own, strict=True))]
        for key, own in values.items()
        if len(own) > 1
    ]


def tables() -> str:
    """What there is so far."""
    rows = read(ROWS)
    contrast = [
        [row["data"], row["encoder"], row["method"], f"{row['fraction']:g}", str(row["seed"])]
        + [shown(row["scores"].get("test accuracy"))]
        + [shown(row["contrast"].get(name)) for name in ("ori", "rev", "con_pair", "con_group")]
        for row in rows
        if row["table"] == "contrast"
    ]
    head = ["data", "encoder", "method", "share", "seed", "test", "Ori", "Rev", "con_pair", "con_group"]
    near = [
        [row["encoder"], *(f"{shown(row[name])}, layer {row[name]['layer']}" for name in ("cls", "mean", "bertscore"))]
        for row in rows
        if row["table"] == "hits"
    ]
    moved = [
        [row["encoder"], *(shown(row[name]) for name in ("clean_accuracy", "accuracy_under_attack"))]
        for row in rows
        if row["table"] == "transfer"
    ]
    return "\n\n".join(
        (
            markdown(head, contrast),
            markdown([*head[:4], "seeds", *head[5:9]], over_seeds(rows)),
            markdown(["encoder", "CLS", "mean", "BERTScore"], near),
            markdown(["encoder", "originals", "the plain model's adversaries"], moved),
        )
    )


if __name__ == "__main__":
    if "--table" not in sys.argv:
        fill(ROWS, cells())
    print(tables())
