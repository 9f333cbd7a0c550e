"""CARL and RAR against plain training and FreeLB, fairly: claims of Tables 2, 4 and 5 (docs/papers/carl.md, rar.md).

SST-2 first, then AG's News: 1,000 updates, CARL's contrast from the middle on (before it CARL is FreeLB to the bit),
and as the control of equal cost FreeLB with one pass more. Every way of training has four settings, tried once with the
first seed on SST-2's validation texts under k-PGD, plain training's rate, which all share, by clean accuracy; AG's News
takes what SST-2 chose. The last weights are measured: the
best by validation might be from before the contrast began.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from fair_cells import FairCell, Place, Run, best, share, summary, trained
from fair_differences import matched, over_seeds, table
from fair_precision import precision_of
from grid import Row, markdown

import unfooled as uf
from unfooled.attacks.records import SAFE

EPS = (0.02, 0.075, 0.1)
TUNED_AT = 0.075
MOVEMENT = "movement over separation at .1"
ENTRIES = ("plain", "freelb", "freelb, a pass more", "carl", "rar")
WHATS = ("clean", *(f"k-PGD {eps:g}" for eps in EPS), "pwws")
# What is searched: four settings each, one run a setting.
POINTS: dict[str, list[dict[str, Any]]] = {
    "plain": [{"learning_rate": rate} for rate in (5e-5, 1e-4, 2e-4, 4e-4)],
    "freelb": [{"step_size": step, "spread": spread} for step, spread in product((0.03, 0.1), (0.05, 0.15))],
    "carl": [{"gradient_ratio": ratio, "temperature": tau} for ratio, tau in product((0.1, 1.0), (0.07, 0.5))],
    "rar": [{"weight": weight, "rar_pass": when} for weight, when in product((0.03, 0.1), ("all", "last"))],
}
LENGTHS = {"sst2": 32, "agnews": 64}  # tokens: an attack exchanges no word that is not read
SEARCHED_BY = {"freelb, a pass more": "freelb"}  # its settings are FreeLB's: alpha and gamma are searched once
METHOD = {"plain": "finetune", "freelb, a pass more": "freelb"}


@dataclass(frozen=True)
class Size:
    """How much is trained and measured."""

    rows: int = 8000
    steps: int = 1000
    tuning_steps: int = 400
    seeds: tuple[int, ...] = (0, 1, 2)
    more: tuple[int, ...] = (3, 4)  # of the first claim: with three an interval is stretched 2.7 times, with five 1.6
    validation: int = 400  # texts under k-PGD while settings are searched for
    test: Mapping[str, int | None] = None  # type: ignore[assignment]  # texts under k-PGD; None: all
    pwws: int = 300

    def tested(self, data: str) -> int | None:
        """How many test texts of a data set are measured; of the large test split of AG's News as many as of SST-2."""
        return (self.test or {"sst2": None, "agnews": 1821})[data]


TOY = Size(64, 4, 4, (0, 1), (2,), 8, {"sst2": 8, "agnews": 8}, 2)


def needed(entry: str) -> list[str]:
    """The ways of training whose settings an entry stands on, its own last."""
    own = SEARCHED_BY.get(entry, entry)
    return list(dict.fromkeys(["plain", *(["freelb"] if own != "plain" else []), own]))


def tunings(entry: str) -> list[dict[str, Any]]:
    """The keys of the rows that an entry's settings are read from."""
    return [tuning_key(name, point) for name in needed(entry) for point in range(len(POINTS[name]))]


def tuning_key(entry: str, point: int) -> dict[str, Any]:
    """What names a try."""
    return {"data": "sst2", "what": "tuning", "entry": entry, "point": point}


def chosen(place: Place, entry: str) -> dict[str, Any]:
    """The settings that an entry's tries chose."""
    return dict(best(place.found(data="sst2", what="tuning", entry=SEARCHED_BY.get(entry, entry)))["setting"])


def run_of(place: Place, size: Size, data: str, entry: str, seed: int, point: int | None = None) -> Run:
    """A run: with the settings that were chosen, or with those of a try."""
    own = POINTS[entry][point] if point is not None else chosen(place, entry)
    rate = own.get("learning_rate") or chosen(place, "plain")["learning_rate"]
    ascent = chosen(place, "freelb") if entry in ("carl", "rar") else {}
    steps = size.steps if point is None else size.tuning_steps
    settings = {**ascent, **{name: value for name, value in own.items() if name != "learning_rate"}}
    if entry == "carl":
        settings["start_step"] = steps // 2
    if entry == "freelb, a pass more":
        settings["passes"] = 4
    epochs = -(-steps * 32 // size.rows)
    plan = {"epochs": epochs, "max_steps": steps, "batch_size": 32, "learning_rate": rate}
    plan |= {"evaluations_per_epoch": 1 / epochs, "save_every": 250}  # one look, at the end: the last weights
    plan["precision"] = precision_of(place)
    plan["packed"] = entry != "rar"  # which reads every token's state
    name = f"{entry.replace(', ', '-').replace(' ', '-')}-{seed}" + ("" if point is None else f"-try-{point}")
    source = {"source": data, "limit": size.rows}
    model = {"name": place.encoder, "max_length": LENGTHS[data]}
    return Run(place.runs / data / name, source, model, METHOD.get(entry, entry), settings, plan, seed)


def tried(place: Place, size: Size, entry: str, point: int) -> Row:
    """Validation accuracy of one setting: under k-PGD; of plain training clean, for its rate is everybody's."""
    run = run_of(place, size, "sst2", entry, 0, point)
    out = trained(run)
    facts = {"setting": POINTS[entry][point], "method": dict(run.settings), "precision": summary(out)["precision"]}
    if entry == "plain":
        score = summary(out)["scores"]["validation accuracy"]
        return {"value": score["value"], "n": score["n"], **facts}
    records = climbed(out, "sst2", "validation", size.validation, (TUNED_AT,))
    own = share((one.attack.prediction == one.label for one in records), "right under k-PGD on validation")
    return {**own, **facts}


def climbed(out: Path, data: str, split: str, limit: int | None, eps: tuple[float, ...]) -> list[Any]:
    """The records of k-PGD; a second call reads what the first left."""
    results = uf.evaluate(
        str(out / "model"), {"source": data}, out / f"pgd-{split}", ["pgd"], {"eps": eps}, split=split, limit=limit
    )
    return list(results.trials[0].records)


def measured(place: Place, size: Size, data: str, entry: str, seed: int, what: str) -> Row:
    """One number of a trained model."""
    run = run_of(place, size, data, entry, seed)
    out = trained(run)
    facts = {"method": dict(run.settings), "learning_rate": run.plan["learning_rate"]}
    facts |= {name: summary(out)[name] for name in ("training_processor", "precision")}
    if what == "pwws":
        attack = uf.attack(str(out / "model"), data, "pwws", out / "pwws", limit=size.pwws, similarity=None)
        return {**facts, **share((one.outcome in SAFE for one in attack.records), "right, and held under PWWS")}
    records = sorted(climbed(out, data, "test", size.tested(data), EPS), key=lambda record: record.index)
    if what == "clean":
        return {**facts, **share((one.prediction == one.label for one in records), "right")}
    if what == MOVEMENT:
        results = uf.evaluate(
            str(out / "model"),
            {"source": data},
            out / "pgd-test",
            ["pgd"],
            {"eps": EPS},
            split="test",
            limit=size.tested(data),
        )
        names = ("movement_over_separation", "same_label_cosine", "other_label_cosine", "mean_cosine")
        scores = {row.metric: row.score for row in results.rows if row.metric in names and row.eps in (None, 0.1)}
        score = scores["movement_over_separation"]
        cosines = {name: scores[name].value for name in names[1:]}
        return {**facts, "value": score.value, "low": score.low, "high": score.high, "n": score.n, **cosines}
    place_of = EPS.index(float(what.split()[1]))
    right = (one.attacks[place_of].prediction == one.label for one in records)
    return {**facts, **share(right, f"right under {what}")}


def cells(place: Place, size: Size) -> Iterator[FairCell]:
    """All cells: CARL and FreeLB on SST-2, then the others, then more seeds of the claim, then AG's News."""
    claimed, others = ("freelb", "carl"), ("rar", "plain", "freelb, a pass more")
    for entry in ("plain", *claimed):  # plain training's rate is everybody's
        yield from tries(place, size, entry)
    for seed, entry in product(size.seeds, claimed):
        yield from run_cells(place, size, "sst2", entry, seed)
    yield from tries(place, size, "rar")
    for seed, entry in [*product(size.seeds, others), *product(size.more, claimed)]:
        yield from run_cells(place, size, "sst2", entry, seed)
    every = list(product(size.seeds, (*claimed, *others)))
    yield from (measured_cell(place, size, "sst2", entry, seed, "pwws", 2) for seed, entry in every)
    for seed, entry in every:
        yield from run_cells(place, size, "agnews", entry, seed)
    yield from (measured_cell(place, size, "agnews", entry, seed, "pwws", 3) for seed, entry in every)


def tries(place: Place, size: Size, entry: str) -> Iterator[FairCell]:
    """The settings that are tried of a way of training."""
    needs = [tuning_key(name, point) for name in needed(entry)[:-1] for point in range(len(POINTS[name]))]
    for point in range(len(POINTS[entry])):
        yield FairCell(place, tuning_key(entry, point), partial(tried, place, size, entry, point), 1, needs)


def run_cells(place: Place, size: Size, data: str, entry: str, seed: int) -> Iterator[FairCell]:
    """What is measured of a run before any attack in words."""
    for what in (*WHATS[:-1], MOVEMENT):
        yield measured_cell(place, size, data, entry, seed, what, 1 if data == "sst2" else 2)


def measured_cell(place: Place, size: Size, data: str, entry: str, seed: int, what: str, tier: int) -> FairCell:
    """A number to be."""
    key = {"data": data, "entry": entry, "seed": seed, "what": what}
    find = partial(measured, place, size, data, entry, seed, what)
    return FairCell(place, key, find, tier, tunings(entry), f"{data}, {entry}, {seed}")


def moved(rows: list[Row], data: str) -> list[list[str]]:
    """Movement over separation: means over seeds, and the difference to FreeLB seed by seed."""
    lines = []
    by = {entry: [row for row in rows if (row["entry"], row["what"]) == (entry, MOVEMENT)] for entry in ENTRIES}
    for entry, own in by.items():
        if not own:
            continue
        pairs = list(zip(*matched(by["freelb"], own), strict=True))
        apart = over_seeds([mine["value"] - freelb["value"] for freelb, mine in pairs], 0) if pairs else None
        means = [
            f"{sum(row[name] for row in own) / len(own):.3f}"
            for name in ("value", "mean_cosine", "same_label_cosine", "other_label_cosine")
        ]
        shown = "" if apart is None or entry == "freelb" else apart.shown(1, 3)
        lines.append([entry, *means, shown, str(len(own))])
    return lines


def tables(place: Place) -> str:
    """What there is so far: points, with the paired difference to FreeLB in brackets."""
    parts = []
    tries = [[row["entry"], str(row["setting"]), f"{100 * row['value']:.1f}"] for row in place.found(what="tuning")]
    if tries:
        head = ["", "setting", f"validation, k-PGD {TUNED_AT:g} (plain: clean)"]
        parts.append("settings tried\n\n" + markdown(head, tries))
    for data in ("sst2", "agnews"):
        rows = [row for row in place.found(data=data) if row["what"] != "tuning"]
        if not rows:
            continue
        lines = table([row for row in rows if row["what"] != MOVEMENT], ENTRIES, WHATS, "freelb")
        parts.append(f"{data}\n\n" + markdown(["", *WHATS], lines))
        head = ["", MOVEMENT, "cosine", "same label", "other label", "less FreeLB's", "seeds"]
        parts.append(markdown(head, moved(rows, data)))
    return "\n\n".join(parts)
