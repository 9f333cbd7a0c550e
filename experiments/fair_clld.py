"""CLLD with static and adaptive distances against supervised contrast and plain training (docs/papers/clld.md).

The paper's claim is of labels that are confused: so beside accuracy the F1 of the classes in the three pairs that plain
training confuses most on validation, the same classes for all. All training rows, to convergence (a run ends after so
many looks without a better one). Every way of training tries two learning rates on every data set, with the first seed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from fair_cells import FairCell, Place, Run, best, share, summary, trained
from fair_differences import Paired, macro_f1, matched, paired, table
from fair_precision import precision_of
from grid import Row, markdown

import unfooled as uf
from unfooled.report.charts.heat_map import heat_map

ENTRIES = ("plain", "supcon", "static", "adaptive")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"  # a class each
PAIRS = 3  # that count as confused
DRAWN = 12  # classes at most in a picture


@dataclass(frozen=True)
class Ground:
    """A data set under a network, how long it is trained, and the seeds."""

    data: str
    model: str
    epochs: int
    seeds: tuple[int, ...]
    rates: tuple[float, ...]
    length: int = 64

    @property
    def name(self) -> str:
        """As rows call it."""
        return f"{self.data}-{self.model}"


FIVE, THREE = (0, 1, 2, 3, 4), (0, 1, 2)
GROUNDS = (
    Ground("trec6", "textcnn", 20, FIVE, (1e-3, 3e-3)),
    Ground("r8", "textcnn", 15, FIVE, (1e-3, 3e-3), 128),
    Ground("mr", "textcnn", 10, FIVE, (1e-3, 3e-3)),
    Ground("20ng", "textcnn", 10, THREE, (1e-3, 3e-3), 128),  # at 256 tokens, 20 epochs and 5 seeds: 20 hours
    Ground("trec6", "minilm", 4, THREE, (5e-5, 1e-4), 32),
)
# 20ng costs as much as all other first claims together, so it comes last.
TIERS = {"trec6-textcnn": 1, "r8-textcnn": 2, "mr-textcnn": 2, "trec6-minilm": 3, "20ng-textcnn": 3}


@dataclass(frozen=True)
class Size:
    """How much is trained and measured; None: all there is."""

    rows: int | None = None
    epochs: int | None = None
    seeds: int = 5
    test: int | None = None


TOY = Size(120, 1, 2, 40)


def run_of(place: Place, size: Size, ground: Ground, entry: str, seed: int, rate: float) -> Run:
    """A run of an entry at a learning rate."""
    settings: dict[str, Any] = {}
    if entry == "static":
        plain = run_of(place, size, ground, "plain", seed, chosen(place, ground, "plain"))
        settings = {"distance": "static", "auto_pairs": PAIRS, "baseline": str(trained(plain))}
    method = {"plain": "finetune", "static": "clld", "adaptive": "clld"}.get(entry, entry)
    source = {"source": ground.data, "validation_fraction": 0.1, **({"limit": size.rows} if size.rows else {})}
    model = {"name": place.encoder if ground.model == "minilm" else ground.model, "max_length": ground.length}
    if ground.model == "textcnn":  # which has neither padding to leave out nor large products
        model["embeddings"] = "encoder"
        plan: dict[str, Any] = {"precision": "fp32"}
    else:
        plan = {"packed": True, "precision": precision_of(place, setting=ground.name)}
    plan |= {"epochs": size.epochs or ground.epochs, "batch_size": 64 if ground.model == "textcnn" else 32}
    plan |= {"learning_rate": rate, "evaluations_per_epoch": 2, "patience": 10, "save_every": None}
    return Run(place.runs / ground.name / f"{entry}-{rate:g}-{seed}", source, model, method, settings, plan, seed)


def chosen(place: Place, ground: Ground, entry: str) -> float:
    """The learning rate with the best validation accuracy."""
    return float(best(place.found(setting=ground.name, what="tuning", entry=entry))["rate"])


def tried(place: Place, size: Size, ground: Ground, entry: str, rate: float) -> Row:
    """Validation accuracy with the first seed."""
    found = summary(trained(run_of(place, size, ground, entry, 0, rate)))
    score = found["scores"]["validation accuracy"]
    return {"value": score["value"], "n": score["n"], "steps": found["steps"], "precision": found["precision"]}


def confused(place: Place, size: Size, ground: Ground) -> Row:
    """The pairs that plain training confuses most on validation, and the truth of the test split."""
    out = trained(run_of(place, size, ground, "plain", 0, chosen(place, ground, "plain")))
    found = uf.evaluate(str(out / "model"), {"source": ground.data}, out / "clean", ["clean"], limit=size.test)
    truth = [one.label for one in sorted(found.trials[0].records, key=lambda record: record.index)]
    matrix = summary(out)["validation_confusion"]
    errors = {(a, b): matrix[a][b] + matrix[b][a] for a, b in product(range(len(matrix)), repeat=2) if a < b}
    pairs = sorted((pair for pair in errors if errors[pair]), key=lambda pair: -errors[pair])[:PAIRS]
    names = summary(out)["labels"]
    own = {"pairs": [list(pair) for pair in pairs], "names": names, "errors": [errors[pair] for pair in pairs]}
    own["precision"] = summary(out)["precision"]
    return {**own, "truth": "".join(DIGITS[label] for label in truth), "n": len(truth)}


def measured(place: Place, size: Size, ground: Ground, entry: str, seed: int) -> Row:
    """Answers to the test split, and the distances a run ended with."""
    rate = chosen(place, ground, entry)
    out = trained(run_of(place, size, ground, entry, seed, rate))
    found = uf.evaluate(str(out / "model"), {"source": ground.data}, out / "clean", ["clean"], limit=size.test)
    records = sorted(found.trials[0].records, key=lambda record: record.index)
    facts = summary(out)
    own: Row = {"rate": rate, **{name: facts[name] for name in ("steps", "training_processor", "precision")}}
    own |= share((one.prediction == one.label for one in records), "right")
    own["said"] = "".join(DIGITS[one.prediction] for one in records)
    if entry == "adaptive" and seed == 0:
        own |= {name: facts[name] for name in ("label_distance", "label_names", "label_distance_updates")}
    return own


def cells(place: Place, size: Size) -> Iterator[FairCell]:
    """All cells, a data set after the other; of each the claim and its control first."""
    for ground in GROUNDS:
        tier = TIERS[ground.name]
        yield from entry_cells(place, size, ground, ("plain", "adaptive"))
        key = {"setting": ground.name, "what": "confused"}
        yield FairCell(place, key, partial(confused, place, size, ground), tier, tries(ground, "plain"))
        for entry in ("supcon", "static"):
            yield from entry_cells(place, size, ground, (entry,))


def tries(ground: Ground, entry: str) -> list[dict[str, Any]]:
    """The keys of the rows that an entry's learning rate is read from."""
    return [{"setting": ground.name, "what": "tuning", "entry": entry, "rate": rate} for rate in ground.rates]


def entry_cells(place: Place, size: Size, ground: Ground, entries: tuple[str, ...]) -> Iterator[FairCell]:
    """The tries of some ways of training, then their runs, seed by seed; static distances come from a plain run."""
    tier = TIERS[ground.name]
    for entry in entries:
        needs = tries(ground, "plain") if entry == "static" else []
        for key in tries(ground, entry):
            yield FairCell(place, key, partial(tried, place, size, ground, entry, key["rate"]), tier, needs)
    for seed, entry in product(ground.seeds[: size.seeds], entries):
        key = {"setting": ground.name, "entry": entry, "seed": seed, "what": "accuracy"}
        needs = [*tries(ground, "plain"), *tries(ground, entry)]
        yield FairCell(place, key, partial(measured, place, size, ground, entry, seed), tier, needs)


def confused_f1(place: Place, setting: str, control: str, entry: str) -> tuple[Paired, float] | None:
    """The F1 of the confused classes, less the control's, in pairs; and its mean."""
    truth = place.found(setting=setting, what="confused")
    one, two = matched(*(place.found(setting=setting, entry=name, what="accuracy") for name in (control, entry)))
    if not truth or not one or not truth[0]["pairs"]:
        return None
    right = [DIGITS.index(letter) for letter in truth[0]["truth"]]
    classes = sorted({label for pair in truth[0]["pairs"] for label in pair})
    sides = [
        [macro_f1(right, [DIGITS.index(letter) for letter in row["said"]], classes) for row in rows]
        for rows in (one, two)
    ]
    apart = paired(*sides, len(right))
    import numpy as np

    whole = np.full((1, len(right)), 1 / len(right))
    return apart, float(np.mean([statistic(whole)[0] for statistic in sides[1]]))


def tables(place: Place) -> str:
    """Accuracy and F1 of confused classes, with paired differences to supervised contrast and to plain training."""
    parts = []
    for ground in GROUNDS:
        rows = place.found(setting=ground.name, what="accuracy")
        if not rows:
            continue
        lines = table(rows, ENTRIES, ("accuracy",), "plain")
        extra = []
        for entry in ENTRIES:
            own = []
            for control in ("plain", "supcon"):
                found = confused_f1(place, ground.name, control, entry) if control != entry else None
                own.append("" if found is None else f"{100 * found[1]:.1f} ({found[0].shown()})")
            extra.append(own)
        shown = [[*line, *more] for line, more in zip(lines, [*extra, ["", ""], ["", ""]], strict=True)]
        pairs = place.found(setting=ground.name, what="confused")
        named = (
            "; ".join(" – ".join(pairs[0]["names"][label] for label in pair) for pair in pairs[0]["pairs"])
            if pairs
            else ""
        )
        head = ["", "accuracy (less plain)", "F1 of confused classes (less plain)", "(less supcon)"]
        parts.append(f"{ground.name}; confused: {named}\n\n" + markdown(head, shown))
    draw(place)
    return "\n\n".join(parts)


def draw(place: Place) -> None:
    """The distances that the first seed's adaptive run ended with, of the classes they are largest between."""
    for row in place.found(entry="adaptive", seed=0, what="accuracy"):
        matrix, names = row["label_distance"], row["label_names"]
        reach = [max(matrix[a][b] + matrix[b][a] for b in range(len(names)) if b != a) for a in range(len(names))]
        kept = sorted(sorted(range(len(names)), key=lambda label: -reach[label])[:DRAWN])
        title = f"label distances learnt on {row['setting']} ({row['label_distance_updates']} updates)"
        picture = heat_map([[matrix[a][b] for b in kept] for a in kept], [names[a] for a in kept], title)
        (place.rows.parent / f"fair-label-distance-{row['setting']}.svg").write_text(picture, encoding="utf-8")
