"""ATCL against its baseline and "+Adv. only", fairly: Tables 2, 5 and 7 (docs/papers/atcl.md).

A small Tensorized Transformer on the whole Penn Treebank, three epochs. Every arm searches its own learning rate (450
updates each), among them the control whose adversary does not move (eps 0) and one that moves the vector as it is read
(scaled). The baseline, ATCL, its control and the best of the arms with a contrast are trained with three seeds, and the
baseline also as long as such an arm takes in passes. Then translators of Multi30k, English to German. Perplexities are
compared on 50 stretches of the test text, translations sentence by sentence.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
from fair_cells import FairCell, Place, Run, best, summary, trained
from fair_differences import Paired, Statistic, matched, paired, ratio_of, refuse_mixed
from grid import Row, markdown
from sacrebleu.metrics import BLEU

import unfooled as uf

RATES = (1e-3, 2e-3, 4e-3)
# arm → its method and settings; the adversaries of ATCL are of the unscaled word vector
ARMS: dict[str, tuple[str, dict[str, Any]]] = {
    "baseline": ("finetune", {}),
    "ATCL": ("atcl", {}),
    "ATCL, eps 0": ("atcl", {"radius": 0.0}),
    "+Adv.": ("atcl", {"beta": 0.0}),
    "ATCL, beta .03": ("atcl", {"beta": 0.03}),
    "ATCL, scaled": ("atcl", {"scale": "scaled"}),
}
CONTRASTED = ("ATCL", "ATCL, beta .03")  # of these the better is trained with more seeds
BEST, LONGER = "best arm", "baseline, equal compute"
TRANSLATED = ("baseline", "ATCL", "+Adv.")
STRETCHES = 50  # of the test text, which are drawn again
# In single precision: what half of it is worth was measured on products of an encoder, not on networks this small.
LM_PLAN = {
    "precision": "fp32",
    "batch_size": 20,
    "schedule": "cosine",
    "clip": 0.25,
    "weight_decay": 0.0,
    "save_every": 500,
}
MT_PLAN = {
    "precision": "fp32",
    "batch_tokens": 1000,
    "learning_rate": 1e-3,
    "schedule": "inverse_sqrt",
    "second_beta": 0.98,
    "label_smoothing": 0.1,
    "weight_decay": 0.0,
    "save_every": 500,
}


@dataclass(frozen=True)
class Size:
    """How much is trained and measured."""

    layers: int = 2
    width: int = 128
    epochs: int = 3
    tuning_steps: int = 450
    seeds: tuple[int, ...] = (0, 1, 2)
    longer: int = 7  # epochs of the baseline that makes as many passes, and backward ones, as an arm with a contrast
    radii: tuple[float, ...] = (0.34, 3.0)
    translator_epochs: int = 4
    translator_width: int = 256
    lines: int | None = None  # of the test split; None: all


TOY = Size(1, 16, 1, 3, (0, 1), 2, (0.34,), 1, 16, 40)


def language_run(place: Place, size: Size, arm: str, seed: int, rate: float, tuning: bool = False) -> Run:
    """A language model of an arm."""
    method, settings = ARMS["baseline" if arm == LONGER else arm]
    plan = {**LM_PLAN, "epochs": size.longer if arm == LONGER else size.epochs, "learning_rate": rate}
    if tuning:
        plan |= {"max_steps": size.tuning_steps}
    sizes = {"layers": size.layers, "width": size.width}
    model = {"name": "tensorized", "max_length": 32, "dropout": 0.1, "sizes": sizes}
    name = f"{arm.replace(', ', '-').replace(' ', '-')}-{rate:g}-{seed}" + ("-try" if tuning else "")
    return Run(place.runs / "ptb" / name, {"source": "ptb"}, model, method, settings, plan, seed, "lm")


def tried(place: Place, size: Size, arm: str, rate: float) -> Row:
    """Validation perplexity after a short run."""
    found = summary(trained(language_run(place, size, arm, 0, rate, True)))
    score = found["scores"]["validation perplexity"]
    return {"value": score["value"], "n": score["n"], "precision": found["precision"]}


def rate_of(place: Place, arm: str) -> float:
    """The rate that an arm's tries chose."""
    own = "baseline" if arm == LONGER else arm
    return float(best(place.found(what="tuning", entry=own), lower=True)["rate"])


def surprised(place: Place, size: Size, entry: str, seed: int) -> Row:
    """Perplexity of the test text, clean and with a word of each segment moved, by stretches."""
    arm = best_arm(place) if entry == BEST else entry
    run = language_run(place, size, arm, seed, rate_of(place, arm))
    out = trained(run)
    found = uf.evaluate(
        str(out / "model"),
        {"source": "ptb"},
        out / "results",
        ["perplexity"],
        split="test",
        limit=size.lines,
        settings={"perplexity": {"radii": size.radii}},
    )
    records = sorted(found.trials[0].records, key=lambda record: record.index)
    parts = [part for part in np.array_split(np.arange(len(records)), STRETCHES) if len(part)]
    losses = [[round(sum(records[i].loss(r) for i in part), 3) for part in parts] for r in range(1 + len(size.radii))]
    words = [sum(records[i].words for i in part) for part in parts]
    known = summary(out)
    own = {"arm": arm, "rate": run.plan["learning_rate"], "steps": known["steps"], "radii": list(size.radii)}
    own |= {name: known[name] for name in ("training_processor", "precision")}
    own |= {"n": sum(words), "words": words, "losses": losses}
    own["validation"] = known["scores"]["validation perplexity"]["value"]
    return {**own, "value": float(np.exp(sum(losses[0]) / sum(words)))}


def best_arm(place: Place) -> str:
    """The arm with a contrast that has the lower validation perplexity with the first seed."""
    rows = [row for arm in CONTRASTED for row in place.found(entry=arm, seed=0, what="ptb")]
    return str(min(rows, key=lambda row: row["validation"])["entry"])


def translated(place: Place, size: Size, arm: str, seed: int) -> Row:
    """Translations of test2016: counts of n-grams by sentence, and what becomes of them when a source word is moved."""
    method, settings = ARMS[arm]
    width = size.translator_width
    sizes = {"layers": 3, "width": width, "heads": 4, "inner_width": 2 * width, "vocabulary_size": 4000}
    if place.toy:
        sizes |= {"layers": 1, "vocabulary_size": 300}
    data = {"source": "multi30k", "text": "en", "label": "de"}
    plan = {**MT_PLAN, "epochs": size.translator_epochs}
    model = {"name": "transformer", "max_length": 256 if place.toy else 96, "sizes": sizes}
    out = place.runs / "multi30k" / f"{arm.replace(' ', '-')}-{seed}"
    trained(Run(out, data, model, method, settings, plan, seed, "translation"))
    found = uf.evaluate(
        str(out / "model"),
        data,
        out / "results",
        ["quality", "side_by_side"],
        split="test2016",
        limit=4 if place.toy else None,
        settings={"side_by_side": {"most": 2 if place.toy else 100}},
    )
    records = {one.trial: sorted(one.records, key=lambda record: record.index) for one in found.trials}
    counts = [gram_counts(one.written, one.reference) for one in records["quality"]]
    known = summary(out)
    beside = [[one.source, one.word, one.reference, one.clean, one.perturbed] for one in records["side_by_side"]]
    changed = [one.clean != one.perturbed for one in records["side_by_side"]]
    own: Row = {name: known[name] for name in ("steps", "training_processor", "precision")}
    own["n"] = len(counts)
    own |= {"value": bleu(np.array(counts).sum(axis=0)[None])[0], "counts": counts}
    return {**own, "changed_when_moved": fmean(changed), "side_by_side": beside[:6]}


def gram_counts(written: str, reference: str) -> list[int]:
    """Matches and totals of one to four words, and both lengths: what BLEU is made of."""
    score = BLEU(effective_order=True).sentence_score(written, [reference])
    return [*score.counts, *score.totals, score.sys_len, score.ref_len]


def bleu(sums: np.ndarray) -> np.ndarray:
    """BLEU of sums of such counts [draws, 10], unsmoothed; 0 where an order has no match."""
    right, total, own, true = sums[:, :4], sums[:, 4:8], sums[:, 8], sums[:, 9]
    with np.errstate(divide="ignore"):
        precision = np.log(np.maximum(right, 0) / np.maximum(total, 1e-12)).mean(axis=1)
    brevity = np.minimum(0.0, 1 - true / np.maximum(own, 1e-12))
    return 100 * np.exp(precision + brevity)


def bleu_of(row: Mapping[str, Any]) -> Statistic:
    """BLEU of the sentences, weighted."""
    counts = np.asarray(row["counts"], float)
    return lambda weights: bleu(weights @ counts)


def cells(place: Place, size: Size) -> Iterator[FairCell]:
    """The language models of the claim first, then one translator each, then what is left."""
    tries = {arm: [{"what": "tuning", "entry": arm, "rate": rate} for rate in RATES] for arm in ARMS}
    for arm, keys in tries.items():
        for key in keys:
            tier = 1 if arm in ("baseline", "ATCL", "ATCL, eps 0", "+Adv.") else 2
            yield FairCell(place, key, partial(tried, place, size, arm, key["rate"]), tier)
        key = {"entry": arm, "seed": 0, "what": "ptb"}
        yield FairCell(place, key, partial(surprised, place, size, arm, 0), tier, keys)
    first = [{"entry": arm, "seed": 0, "what": "ptb"} for arm in CONTRASTED]
    for seed, entry in product(size.seeds[1:], ("baseline", "ATCL", "ATCL, eps 0")):  # the claim, and whose doing it is
        key = {"entry": entry, "seed": seed, "what": "ptb"}
        yield FairCell(place, key, partial(surprised, place, size, entry, seed), 2, tries[entry])
    for seed in size.seeds[1:]:  # where the best is ATCL itself, its run is there
        key, needs = {"entry": BEST, "seed": seed, "what": "ptb"}, [*first, {"entry": "ATCL", "seed": seed}]
        yield FairCell(place, key, partial(surprised, place, size, BEST, seed), 2, needs)
    key = {"entry": LONGER, "seed": 0, "what": "ptb"}
    yield FairCell(place, key, partial(surprised, place, size, LONGER, 0), 2, tries["baseline"])
    for arm in TRANSLATED:
        key = {"entry": arm, "seed": 0, "what": "multi30k en-de"}
        yield FairCell(place, key, partial(translated, place, size, arm, 0), 3)


def perplexity_of(row: Mapping[str, Any], radius: int) -> Statistic:
    """The mean -log p of a word at a radius."""
    return ratio_of(row["losses"][radius], row["words"])


def less(place: Place, control: str, entry: str, radius: int = 0) -> Paired | None:
    """The difference in nats a word, in pairs; of the best arm the first seed is that arm's own."""
    one, two = (with_first(place, name) for name in (control, entry))
    first, second = matched(one, two)
    if not first:
        return None
    stretches = len(first[0]["words"])
    return paired(*([perplexity_of(row, radius) for row in rows] for rows in (first, second)), stretches)


def with_first(place: Place, entry: str) -> list[Row]:
    """The rows of an entry."""
    rows = place.found(entry=entry, what="ptb")
    return [*place.found(entry=rows[0]["arm"], seed=0, what="ptb"), *rows] if entry == BEST and rows else rows


def tables(place: Place) -> str:
    """What there is so far: perplexities, differences in per cent of the baseline's, BLEU."""
    lines = []
    for entry in (*ARMS, BEST, LONGER):
        rows = with_first(place, entry)
        if not rows:
            continue
        moved = [
            f"{fmean(np.exp(sum(row['losses'][r]) / sum(row['words'])) for row in rows):.1f}"
            for r in range(len(rows[0]["losses"]))
        ]
        apart = less(place, "baseline", entry) if entry != "baseline" else None
        shown = "" if apart is None else apart.shown(100, 1)
        sees = "" if apart is None else f"{100 * apart.least:.1f}"
        name = f"{entry} ({rows[0]['arm']})" if entry == BEST else entry
        cost = f"{fmean(row['training_processor'] for row in rows):,.0f}"
        lines.append([name, f"{rows[0]['rate']:g}", *moved, shown, sees, cost, str(len(rows))])
    radii = next((row["radii"] for row in place.found(what="ptb")), [])
    head = ["ptb", "rate", "test", *(f"moved by {radius:g}" for radius in radii)]
    parts = (
        [markdown([*head, "less baseline, 100 log", "least to be seen", "processor s", "seeds"], lines)]
        if lines
        else []
    )
    return "\n\n".join([*parts, *translations(place)])


def translations(place: Place) -> list[str]:
    """BLEU of each arm with the paired difference to the baseline, and sentences side by side."""
    rows = {row["entry"]: row for row in place.found(what="multi30k en-de")}
    if not rows:
        return []
    lines = []
    for arm, row in rows.items():
        apart = None
        if arm != "baseline" and "baseline" in rows:
            refuse_mixed([rows["baseline"], row])
            apart = paired([bleu_of(rows["baseline"])], [bleu_of(row)], row["n"])
        shown, sees = ("", "") if apart is None else (apart.shown(1, 1), f"{apart.least:.1f}")
        lines.append([arm, f"{row['value']:.1f}", shown, sees, f"{100 * row['changed_when_moved']:.0f}", str(row["n"])])
    head = ["multi30k en-de", "BLEU", "less baseline", "least to be seen", "changed when a word is moved, %", "n"]
    return [markdown(head, lines), *beside(rows)]


def beside(rows: Mapping[str, Row]) -> list[str]:
    """The first sentences, each arm's translation as it is and with the marked word moved (Table 7)."""
    first = next(iter(rows.values()))["side_by_side"]
    parts: list[Sequence[str]] = []
    for place, (source, word, reference, *_) in enumerate(first[:3]):
        parts += [["source", source.replace(word, f"**{word}**", 1)], ["reference", reference]]
        for arm, row in rows.items():
            clean, moved = row["side_by_side"][place][3:]
            parts += [[arm, clean], [f"{arm}, moved", moved]]
    return [markdown(["", ""], parts)]
