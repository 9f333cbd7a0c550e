"""All papers beside plain training and worst_words, on both axes: docs/leaderboard.md and .html (``unfooled report``).

Data, plan and attacks are those of ``worst_words.py``; what stands in its rows is not measured again. CLINE and DCL are
plain training of the encoders that ``fair_cline.py`` and ``fair_dcl.py`` leave behind.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import fair_cline
import fair_dcl
import worst_words
import worst_words_models
from fair_cells import FairCell, Place
from fair_precision import precision_of
from grid import Row, read
from worst_words_grounds import GROUNDS, Entry, Ground

import unfooled as uf
from unfooled.files import write_whole
from unfooled.report.leaderboard import COST

ENTRIES = (
    Entry("plain", "finetune"),
    Entry("freelb", "freelb"),
    Entry("worst_words", "worst_words"),
    Entry("carl", "carl"),
    Entry("rar", "rar"),
    Entry("clld", "clld"),
    Entry("atcl", "atcl"),
    Entry("cline", "finetune"),
    Entry("dcl", "finetune"),
)
ATTACKS = ("pwws", "textfooler", "deepwordbug")
DATA = ("mr", "perspectrum", "agnews")
PRETRAINED = ("cline", "dcl")  # ways of training that begin from an encoder of their own
KEPT = ("data", "entry", "seed", "what", "value", "n")  # of a row, for the leaderboard


@dataclass(frozen=True)
class Size:
    """How much is trained and measured; None: what ``worst_words.py`` takes."""

    seeds: tuple[int, ...] = (0, 1, 2)
    rows: int | None = None
    attacked: int | None = None  # texts of each attack
    steps: int | None = None


TOY = Size((0, 1), 64, 2, 3)


def entry_of(place: Place, size: Size, data: str, entry: Entry, seed: int) -> Entry:
    """A way of training with its encoder and precision; a toy one learns for a few steps."""
    encoder = place.encoder
    if entry.name == "cline":
        own = fair_cline.TOY if place.toy else fair_cline.Size()
        encoder = str(fair_cline.encoder(Place("cline", place.toy), own, "cline", 0))
    if entry.name == "dcl":
        encoder = fair_dcl.encoder(Place("dcl", place.toy), fair_dcl.TOY if place.toy else fair_dcl.Size(), "dcl")
    plan = {**entry.plan, **({"max_steps": size.steps} if size.steps else {})}
    plan["precision"] = precision(place, data, entry.name, seed)
    return replace(entry, encoder=encoder, plan=plan)


def precision(place: Place, data: str, entry: str, seed: int) -> str:
    """What a way of training was trained in already, else plain training of the same seed, else the first row."""
    before = [] if place.toy else [row for row in known(data) if row["seed"] == seed]
    rows = [row for name in (entry, "plain") for row in before if row["entry"] == name]
    if rows:
        return str(rows[0].get("precision", worst_words_models.FIRST))
    return precision_of(place, data=data)


def ground_of(place: Place, size: Size, data: str) -> Ground:
    """A data set, small where it is a toy's; runs go where the place says."""
    worst_words_models.RUNS = place.runs if place.toy else Path("runs/worst_words")
    return GROUNDS[data] if size.rows is None else replace(GROUNDS[data], rows=size.rows)


def measured(place: Place, size: Size, data: str, entry: Entry, seed: int, what: str) -> Row:
    """One number of a model, trained if it is not there."""
    ground, own = ground_of(place, size, data), entry_of(place, size, data, entry, seed)
    if what == "clean":
        return worst_words.answered(ground, own, seed, data, None)
    if what in ATTACKS:
        texts = size.attacked or (ground.pwws if what == "pwws" else ground.others)
        return worst_words.attacked(ground, own, seed, what, texts)
    return worst_words.contrasted(ground, own, seed, what)


def trained_for(place: Place, size: Size, data: str, entry: Entry, seed: int) -> Row:
    """What a training cost: its updates times the median seconds of one, which a busy moment does not change."""
    own = entry_of(place, size, data, entry, seed)
    out = worst_words_models.trained(ground_of(place, size, data), own, seed)
    steps = json.loads((out / "summary.json").read_text())["steps"]
    logged = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    value = steps * median(one["step_seconds"] for one in logged if "step_seconds" in one)
    return {"value": value, "steps": steps, **worst_words_models.trained_in(out)}


def known(data: str) -> list[Row]:
    """The rows that ``worst_words.py`` has left."""
    return read(GROUNDS[data].rows_file)


def cells(place: Place, size: Size) -> Iterator[FairCell]:
    """The first seed of every data set, then the others; attacks but PWWS and the cost with the first seed alone."""
    for seed, data in product(size.seeds, DATA):
        there = set() if place.toy else {(row["entry"], row["seed"], row["what"]) for row in known(data)}
        asked = ("clean", "pwws", *GROUNDS[data].contrast, *((*ATTACKS[1:], COST) if seed == 0 else ()))
        for entry, what in product(ENTRIES, asked):
            if (entry.name, seed, what) in there or seed not in GROUNDS[data].seeds:
                continue
            if what == COST and entry.name in PRETRAINED:  # what their encoders have cost is not a fine-tuning's
                continue
            key = {"data": data, "entry": entry.name, "seed": seed, "what": what}
            find = trained_for if what == COST else partial(measured, what=what)
            run = f"{data}, {entry.name}, {seed}"
            yield FairCell(place, key, partial(find, place, size, data, entry, seed), 4 if seed == 0 else 5, run=run)


def gathered(place: Place) -> list[dict[str, Any]]:
    """The rows of the leaderboard: those of ``worst_words.py`` and those made here, a contrast set under one name."""
    rows: list[Mapping[str, Any]] = place.found()
    if not place.toy:
        rows = [row for data in DATA for row in known(data)] + rows
    names = [entry.name for entry in ENTRIES]
    made = {}
    for row in rows:
        own = {**row, "value": row.get("con_pair", row.get("value"))}
        if row["what"] in GROUNDS[row["data"]].contrast:
            own["what"] = "contrast"
        if row["entry"] in names and own["what"] in ("clean", COST, "contrast", *ATTACKS):
            made[tuple(own[name] for name in KEPT[:4])] = {name: own[name] for name in KEPT if name in own}
    return sorted(made.values(), key=lambda row: (DATA.index(row["data"]), names.index(row["entry"])))


def tables(place: Place) -> str:
    """Write the leaderboard of what there is, and print it."""
    rows = gathered(place)
    if not rows:
        return ""
    folder = place.rows.parent if place.toy else Path("docs")
    lines = (place.rows.parent if place.toy else Path("docs/results")) / "leaderboard.jsonl"
    write_whole(lines, "".join(json.dumps(row) + "\n" for row in rows))
    page = uf.report(lines, folder / "leaderboard.html")
    return page.with_suffix(".md").read_text()
