"""CLINE against plain pre-training and random negatives, fairly: Tables 2, 3, 6 and 7 (docs/papers/cline.md).

1,000 updates of 32 blocks of 32 tokens from MiniLM, a new vocabulary head first, with three seeds of *pre-training* for
CLINE and its control (of two, Student's t would stretch an interval 9 times) and two for what else is shown; one
learning rate for all. Hits are read off the last layer, which is what CLINE trains and which nobody chose, on more than
2,000 triples, with McNemar's test. PERSPECTRUM is learnt with five seeds of fine-tuning, BoolQ from those validation
rows that are not originals of its contrast set.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from fair_cells import FairCell, Place, Run, share, summary, trained
from fair_differences import compared, compared_by_origin, matched, table
from fair_precision import precision_of
from grid import Row, markdown

import unfooled as uf
from unfooled.data.sources import DataSettings, source_of
from unfooled.files import write_whole
from unfooled.models import ModelSettings, build
from unfooled.scores.differences import mcnemar
from unfooled.trials.contrast import pairs
from unfooled.trials.hits import COMPARISONS
from unfooled.victims.network import of_model

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "mlm": ("mlm", {"room": 0.25}),
    "cline": ("cline", {}),
    "random negatives": ("cline", {"hard_negative": False}),
}
ENTRIES = ("minilm", *METHODS)
CLAIMED = ("mlm", "cline")  # the paper's first claim
LEARNT = ("perspectrum", "boolq")
CONTRAST = {"perspectrum": "contrast_perspectrum", "boolq": "contrast_boolq"}


@dataclass(frozen=True)
class Size:
    """How much is trained and measured."""

    steps: int = 1000
    batch: int = 32
    pretrainings: tuple[int, ...] = (0, 1, 2)  # of what is claimed; of the others the first two
    finetunings: tuple[int, ...] = (0, 1, 2, 3, 4)
    texts: int = 2400  # that triples are made of
    rows: int = 3500
    epochs: int = 3


TOY = Size(3, 4, (0, 1, 2), (0, 1), 40, 80, 1)


def encoder(place: Place, size: Size, entry: str, pretraining: int) -> Path | str:
    """The folder of an encoder; MiniLM as it comes is pre-trained no further."""
    if entry == "minilm":
        return place.encoder
    method, settings = METHODS[entry]
    plan = {"max_steps": size.steps, "epochs": 99, "batch_size": size.batch, "learning_rate": 5e-5}
    plan |= {"evaluations_per_epoch": 0.5, "save_every": 250, "precision": precision_of(place)}
    out = place.runs / "encoders" / f"{entry.replace(' ', '-')}-{pretraining}"
    model = {"name": place.encoder, "max_length": 32}
    return trained(Run(out, {"source": "wikitext2_raw"}, model, method, settings, plan, pretraining)) / "model"


def hits(place: Place, size: Size, entry: str, pretraining: int, comparison: str) -> Row:
    """How often an encoder puts the synonym version nearer than the antonym version, in its last layer."""
    folder = encoder(place, size, entry, pretraining)
    model = build(ModelSettings(name=str(folder), max_length=64), ("negative", "positive"), seed=0)
    out = place.runs / "hits" / f"{entry.replace(' ', '-')}-{pretraining}"
    found = uf.evaluate(of_model(model), "mr", out, ["hits"], split="test", settings={"hits": {"most": size.texts}})
    records = sorted(found.trials[0].records, key=lambda record: record.index)
    last = [getattr(record, comparison)[-1] for record in records]
    own = share((synonym > antonym for synonym, antonym in last), f"hits by {comparison} of the last layer")
    facts = {} if entry == "minilm" else pretrained(Path(folder).parent)
    return {**own, **facts}


def pretrained(out: Path) -> Row:
    """What a pre-training says of itself."""
    known = summary(out)
    kept = ("antonym_random", "antonym_cut", "synonym_cut", "task_weights", "steps", "training_processor", "precision")
    return {name: known[name] for name in kept if name in known}


def boolq(place: Place) -> dict[str, Any]:
    """BoolQ's validation rows that are no originals of its contrast set, nor of the same passage."""
    folder = place.runs / "boolq"
    if not (folder / "train.jsonl").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        there = {row["passage"] for row in rows_of("contrast_boolq", "test")}
        asked = {row["question"].lower().strip() for row in rows_of("contrast_boolq", "test")}
        kept = [
            {"question": row["question"], "passage": row["passage"], "label": row["label"]}
            for row in rows_of("boolq", "validation")
            if row["passage"] not in there and row["question"].lower().strip() not in asked
        ]
        write_whole(folder / "train.jsonl", "".join(json.dumps(row) + "\n" for row in kept))
    return {"source": str(folder / "train.jsonl"), "validation_fraction": 0.15}


def rows_of(name: str, split: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    data = source_of(DataSettings(source=name)).splits[split]()
    return [{column: row[column] for column in data.columns} for row in data.rows]


def contrasted(place: Place, size: Size, data: str, entry: str, pretraining: int, finetuning: int) -> Row:
    """Consistency over the pairs of a contrast set, beside accuracy."""
    folder = encoder(place, size, entry, pretraining)
    source = boolq(place) if data == "boolq" else {"source": data, "limit": size.rows}
    length, rate = (128, 1e-4) if data == "boolq" else (64, 2e-4)
    plan = {"epochs": size.epochs, "batch_size": 32, "learning_rate": rate, "save_every": None}
    plan |= {"packed": True, "precision": precision_of(place)}
    out = place.runs / data / f"{entry.replace(' ', '-')}-{pretraining}-{finetuning}"
    trained(Run(out, source, {"name": str(folder), "max_length": length}, "finetune", {}, plan, finetuning))
    found = uf.evaluate(str(out / "model"), CONTRAST[data], out / "contrast", ["contrast"], split="test")
    both = pairs(found.trials[0].records)
    own = share((one.right and other.right for one, other in both), "both of a pair right")
    groups = {group: number for number, group in enumerate(dict.fromkeys(one.group for one, _ in both))}
    own["groups"] = [groups[one.group] for one, _ in both]
    known = summary(out)
    kept = {name: known[name] for name in ("training_processor", "precision")}
    scores = {name: score["value"] for name, score in known["scores"].items() if name.endswith("accuracy")}
    return {**own, "accuracy": scores, "learnt_nothing": known.get("learnt_nothing") or False, **kept}


def cells(place: Place, size: Size) -> Iterator[FairCell]:
    """Hits first, those of the claim before others; then PERSPECTRUM, then BoolQ."""
    every = [(entry, seed) for seed in size.pretrainings for entry in ENTRIES if seed in pretrainings(size, entry)]
    claimed = [(entry, seed) for entry, seed in every if entry in CLAIMED]
    for (entry, pretraining), comparison in product(dict.fromkeys([*claimed, *every]), COMPARISONS):
        key: dict[str, Any] = {"entry": entry, "seed": pretraining, "what": f"hits, {comparison}"}
        find = partial(hits, place, size, entry, pretraining, comparison)
        yield FairCell(place, key, find, run=f"{entry}-{pretraining}")
    for tier, data in enumerate(LEARNT, start=2):
        for finetuning, (entry, pretraining) in product(size.finetunings, every):
            key = {"entry": entry, "seed": f"{pretraining}-{finetuning}", "what": f"consistency, {data}"}
            find = partial(contrasted, place, size, data, entry, pretraining, finetuning)
            yield FairCell(place, key, find, tier, needed(data, entry, pretraining, key))


def pretrainings(size: Size, entry: str) -> tuple[int, ...]:
    """The seeds that an encoder is pre-trained with: MiniLM is there once."""
    return size.pretrainings[: {"minilm": 1, "random negatives": 2}.get(entry)]


def needed(data: str, entry: str, pretraining: int, key: dict[str, Any]) -> list[dict[str, Any]]:
    """Its encoder, which its hits have made; and of BoolQ, which may be past learning here, a first run that learnt."""
    encoders = [{"entry": entry, "seed": pretraining, "what": f"hits, {comparison}"} for comparison in COMPARISONS]
    first = {"entry": "minilm", "seed": "0-0", "what": f"consistency, {data}"}
    is_first = data != "boolq" or all(key[name] == value for name, value in first.items())
    return encoders if is_first else [*encoders, {**first, "learnt_nothing": False}]


def tests(place: Place) -> list[list[str]]:
    """McNemar's test of CLINE against each control, pre-training seed by pre-training seed."""
    lines = []
    for comparison, control in product(COMPARISONS, ("mlm", "random negatives")):
        what = f"hits, {comparison}"
        for one, two in zip(
            *matched(place.found(entry=control, what=what), place.found(entry="cline", what=what)), strict=True
        ):
            sides = [[letter == "1" for letter in row["held"]] for row in (one, two)]
            test = mcnemar(*sides)
            apart = 100 * (two["value"] - one["value"])
            lines.append([what, control, str(one["seed"]), f"{apart:+.1f}", f"{test.mid:.2g}", f"{one['n']:,}"])
    return lines


def tables(place: Place) -> str:
    """What there is so far; a task that nothing learns (a majority answer) is left out."""
    rows = place.found()
    whats = [f"hits, {comparison}" for comparison in COMPARISONS]
    parts = (
        [markdown(["", *whats], table([r for r in rows if r["what"] in whats], ENTRIES, whats, "mlm"))] if rows else []
    )
    parts += [markdown(["what", "CLINE less", "pre-training seed", "points", "McNemar p", "triples"], tests(place))]
    for data in LEARNT:
        own = [row for row in rows if row["what"] == f"consistency, {data}"]
        if not own:
            continue
        if all(row["learnt_nothing"] for row in own):
            parts.append(f"{data}: nothing was learnt by any run, so it is not shown")
            continue
        parts.append(markdown(["", f"{data} (less mlm, drawn by encoder)", "runs"], consistent(own)))
        parts.append(markdown(["pre-training seed", "CLINE less mlm"], by_pretraining(own)))
    return "\n\n".join(parts)


def consistent(rows: list[Row]) -> list[list[str]]:
    """Means of the runs that learnt, and the difference to the control; encoders are drawn, not runs from one."""
    by = {entry: [row for row in rows if row["entry"] == entry and not row["learnt_nothing"]] for entry in ENTRIES}
    lines = []
    for entry, own in by.items():
        apart = compared_by_origin(by["mlm"], own) if entry != "mlm" else None
        mean = f"{100 * fmean(row['value'] for row in own):.1f}" if own else ""
        lines.append([entry, mean if apart is None else f"{mean} ({apart.shown()})", str(len(own))])
    return lines


def by_pretraining(rows: list[Row]) -> list[list[str]]:
    """The difference of CLINE to its control within each pre-training seed: fine-tuning seeds and pairs are drawn."""
    lines = []
    for seed in sorted({str(row["seed"]).split("-")[0] for row in rows}):
        own = [row for row in rows if str(row["seed"]).startswith(f"{seed}-")]
        apart = compared(*([row for row in own if row["entry"] == entry] for entry in ("mlm", "cline")))
        lines.append([seed, "" if apart is None else apart.shown()])
    return lines
