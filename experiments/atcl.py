"""ATCL beside its baseline and "+Adv. only", for language models and translators: ``make results-atcl``.

Every entry of a table has the same data, network, steps and seed; weights are chosen on validation, test is measured
once. Cells are filled the most telling first; a second call goes on (docs/papers/atcl.md). ``--only lm`` or ``--only
translation`` fills one part; ``--table`` shows what is there.
"""

import argparse
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from grid import Cell, fill, markdown, read

import unfooled as uf
from unfooled.methods import ATCL, Finetune, Method

ROWS = Path("docs/results/atcl.jsonl")
RUNS = Path("runs/atcl")
RADII = (0.03, 1.0, 3.0)  # of a perturbed word: what was trained with, and far beyond
TRIALS = {
    "perplexity": {"radii": RADII},
    "continuation": {"radius": 3.0, "count": 3, "most": 60},
    "neighbours": {"words": ("friend", "market", "rose")},
}


@dataclass(frozen=True)
class Setting:
    """Task, data, network and plan that all entries share."""

    name: str
    task: str
    data: Mapping[str, Any]
    model: Mapping[str, Any]
    plan: Mapping[str, Any] = field(default_factory=dict)


ENTRIES: dict[str, Method] = {
    "baseline": Finetune(),
    "+Adv.": ATCL(beta=0.0),
    "ATCL n=10": ATCL(negatives=10),
    "ATCL n=5": ATCL(negatives=5),
    "ATCL n=20": ATCL(negatives=20),
}
LM_PLAN = {
    "epochs": 1,
    "batch_size": 20,
    "learning_rate": 7e-4,
    "schedule": "cosine",
    "clip": 0.25,
    "weight_decay": 0.0,
    "precision": "bf16",
    "evaluations_per_epoch": 2,
    "save_every": 200,
}
PTB = Setting("ptb", "lm", {"source": "ptb"}, {"name": "tensorized", "max_length": 32, "dropout": 0.1}, LM_PLAN)
PTB_GPT2 = Setting(
    "ptb-transformer",
    "lm",
    {"source": "ptb"},
    {"name": "transformer", "max_length": 32, "dropout": 0.1, "sizes": {"layers": 3, "width": 256}},
    LM_PLAN,
)
MULTI30K_PLAN = {
    "epochs": 4,
    "batch_tokens": 1000,
    "learning_rate": 1e-3,
    "schedule": "inverse_sqrt",
    "warmup": 0.1,
    "second_beta": 0.98,
    "label_smoothing": 0.1,
    "weight_decay": 0.0,
    "save_every": 200,
}
MULTI30K = {
    f"{source}-{target}": Setting(
        f"multi30k {source}-{target}",
        "translation",
        {"source": "multi30k", "text": source, "label": target},
        {
            "name": "transformer",
            "max_length": 96,
            "sizes": {"layers": 3, "width": 256, "heads": 4, "inner_width": 512, "vocabulary_size": 4000},
        },
        MULTI30K_PLAN,
    )
    for source, target in (("en", "de"), ("de", "en"), ("en", "fr"), ("fr", "en"))
}


def trained(setting: Setting, entry: str, seed: int) -> tuple[Path, dict[str, Any]]:
    """The model of a cell and the summary of its run; trained, or trained on, if it is not there."""
    out = RUNS / setting.name.replace(" ", "-") / f"{entry.replace(' ', '-')}-{seed}"
    if not (out / "summary.json").is_file():
        uf.train(dict(setting.data), out, dict(setting.model), ENTRIES[entry], setting.plan, seed, True, setting.task)
        shutil.rmtree(out / "checkpoints", ignore_errors=True)
    return out / "model", json.loads((out / "summary.json").read_text())


def language_cell(setting: Setting, entry: str, seed: int) -> dict[str, Any]:
    """Perplexity clean and with one perturbed word a segment, continuations and nearest words."""
    model, summary = trained(setting, entry, seed)
    # The same lines for all: the gradient costs three times what reading does.
    results = uf.evaluate(
        str(model), dict(setting.data), model.parent / "results", list(TRIALS), split="test", limit=200, settings=TRIALS
    )
    scores = {(row.metric, row.eps): row.score for row in results.rows}
    records = {one.trial: one.records for one in results.trials}
    written = [one for one in records["continuation"] if one.losses]
    return {
        **scores_of(summary),
        "perturbed": {"0": scores["perplexity", None].value}
        | {f"{radius:g}": scores["perplexity_under_attack", radius].value for radius in RADII},
        "continuations": asdict(scores["continued_perplexity", None]),
        "examples": [[one.text[-80:], one.word, one.clean, one.perturbed] for one in written[:4]],
        "neighbours": {one.word: [word for word, _ in one.nearest] for one in records["neighbours"]},
    }


def translation_cell(setting: Setting, entry: str, seed: int) -> dict[str, Any]:
    """BLEU and chrF on test, as the run measured them."""
    _, summary = trained(setting, entry, seed)
    return {**scores_of(summary), "signatures": summary.get("signatures")}


def scores_of(summary: Mapping[str, Any]) -> dict[str, Any]:
    """What a run measured, and how long it went."""
    return {"scores": summary["scores"], "steps": summary["steps"], "best_step": summary["best_step"]}


def cells(only: str | None) -> list[Cell]:
    """All cells, the most telling first."""
    first, more = ("baseline", "ATCL n=10", "+Adv."), ("ATCL n=5", "ATCL n=20")
    plan: list[tuple[Setting, str, int]] = []
    for setting in (PTB, MULTI30K["en-de"]):
        plan += [(setting, entry, 0) for entry in first]
    plan += [(PTB, entry, 0) for entry in more]
    plan += [(MULTI30K["en-de"], entry, 0) for entry in more]
    plan += [(PTB, entry, seed) for seed in (1, 2) for entry in first]
    plan += [(PTB_GPT2, entry, 0) for entry in first]
    plan += [(MULTI30K[way], entry, 0) for way in ("de-en", "en-fr", "fr-en") for entry in first]
    make = {"lm": language_cell, "translation": translation_cell}
    return [
        Cell({"setting": one.name, "entry": entry, "seed": seed}, partial(make[one.task], one, entry, seed))
        for one, entry, seed in plan
        if only in (None, one.task)
    ]


def table(name: str, columns: Mapping[str, Any]) -> str:
    """One row an entry, empty where no cell is filled."""
    rows = {(row["entry"], row["seed"]): row for row in read(ROWS) if row["setting"] == name}
    lines = []
    for entry in ENTRIES:
        seeds = sorted(seed for each, seed in rows if each == entry) or [None]
        for seed in seeds:
            row = rows.get((entry, seed))
            values = [f"{reader(row):.2f}" if row else "" for reader in columns.values()]
            lines.append([entry, "" if seed is None else str(seed), *values])
    return markdown([name, "seed", *columns], lines)


def show() -> None:
    """All tables, as docs/papers/atcl.md has them."""
    language: dict[str, Any] = {
        "validation": lambda row: row["scores"]["validation perplexity"]["value"],
        "test": lambda row: row["scores"]["test perplexity"]["value"],
        "200 lines, clean": lambda row: row["perturbed"]["0"],
    }
    for radius in RADII:
        language[f"eps {radius:g}"] = lambda row, key=f"{radius:g}": row["perturbed"][key]
    language["continuations"] = lambda row: row["continuations"]["value"]
    for setting in (PTB, PTB_GPT2):
        print(f"\n{table(setting.name, language)}")
    for setting in MULTI30K.values():
        names = ("BLEU", "chrF")
        print(f"\n{table(setting.name, {n: (lambda row, n=n: test_score(row, n)) for n in names})}")


def test_score(row: Mapping[str, Any], name: str) -> float:
    """The score of the first test split."""
    return next(score["value"] for key, score in row["scores"].items() if key.startswith("test") and key.endswith(name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=["lm", "translation"])
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seconds", type=float, help="begin no cell after so many")
    given = parser.parse_args()
    if not given.table:
        fill(ROWS, cells(given.only), given.seconds)
    show()
