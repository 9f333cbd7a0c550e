"""DCL, fairly: Figure 3 on remembered lower layers, then two whole runs without fine-tuning (docs/papers/dcl.md).

Power, batch and no normalisation × an encoder that learns and one that is frozen × three learning rates × three
seeds, 1,000 updates each, with a look before the first. Then DCL and its control, plain MLM, 1,500 updates at the
paper's rate, by the cosines of STS-B's pairs as they come and by a linear probe; MiniLM and what both start from stand
beside them. Nothing is chosen, so nothing is tuned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch
from fair_cells import FairCell, Place, Run, share, summary, trained
from fair_dcl_cached import Cached, remembered, studied
from fair_differences import Statistic, matched, over_seeds, paired, refuse_mixed, table
from fair_precision import precision_of
from grid import Row, markdown

from unfooled.data.examples import load_examples
from unfooled.data.numbers import NUMBERS
from unfooled.data.sources import DataSettings
from unfooled.models import ModelSettings, build
from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.representations import layers, pooled
from unfooled.tokens import by_length, encode

NORMS, RATES, STATES = ("power", "batch", "none"), (1e-5, 3e-5, 1e-4), ("trained", "frozen")
ENTRIES = ("minilm", "start", "mlm", "dcl")
POOLINGS = ("cls", "mean")


@dataclass(frozen=True)
class Size:
    """How much is trained and measured."""

    batches: int = 96  # that are remembered
    steps: int = 1000
    seeds: tuple[int, ...] = (0, 1, 2)
    head_steps: int = 200
    whole_steps: int = 1500
    probe_rows: int = 4000
    texts: int | None = None  # measured at most


TOY = Size(2, 3, (0, 1), 2, 3, 60, 40)


def start_of(place: Place, size: Size) -> str:
    """MiniLM with a vocabulary head that was trained over the frozen encoder: where all begin."""
    plan = {"max_steps": size.head_steps, "epochs": 99, "batch_size": 16, "learning_rate": 5e-4}
    plan |= {"evaluations_per_epoch": 0.5, "precision": precision_of(place)}
    model = {"name": place.encoder, "max_length": 64}
    settings = {"head_first": size.head_steps, "room": 0.25}
    run = Run(place.runs / "start", {"source": "wikitext2_raw"}, model, "mlm", settings, plan)
    return str(trained(run) / "model")


@cache
def cached_for(place: Place, size: Size) -> Cached:
    """The remembered states, once a process."""
    return remembered(start_of(place, size), size.batches)


def collapsed(place: Place, size: Size, norm: str, state: str, rate: float, seed: int) -> Row:
    """How alike random pairs' projections are at the end; what is remembered is trained in single precision."""
    start = start_of(place, size)
    own = studied(start, cached_for(place, size), norm, state == "frozen", rate, seed, size.steps)
    return {"value": own["after"]["projection random"], **own, "steps": size.steps, **pretrained(start)}


def encoder(place: Place, size: Size, entry: str) -> str:
    """The folder of an encoder."""
    if entry == "minilm":
        return place.encoder
    start = start_of(place, size)
    if entry == "start":
        return start
    plan = {"max_steps": size.whole_steps, "epochs": 99, "batch_size": 16, "learning_rate": 1e-5, "look_first": True}
    plan |= {"evaluations_per_epoch": 0.5, "save_every": 250, "precision": precision_of(place)}
    settings = {"room": 0.25}
    run = Run(place.runs / entry, {"source": "wikitext2_raw"}, {"name": start, "max_length": 64}, entry, settings, plan)
    return str(trained(run) / "model")


def pretrained(folder: str) -> Row:
    """The precision that an encoder was trained in here; none of one as it comes."""
    out = Path(folder).parent
    return {"precision": summary(out)["precision"]} if (out / "summary.json").is_file() else {}


def vectors(folder: str, texts: Sequence[str], pooling: str) -> torch.Tensor:
    """The last layer's states of texts, pooled [n, H]."""
    model = build(ModelSettings(name=folder, max_length=64), ("no", "yes"), seed=0)
    tokens = encode(model.tokenizer, list(texts), 64)
    rows = torch.zeros(len(texts), int(model.classifier.network.config.hidden_size))
    with torch.no_grad(), still(model.classifier):
        for places in by_length(tokens, 64):
            batch = tokens.pad(places)
            rows[torch.from_numpy(places)] = pooled(layers(model.classifier.network, batch)[-1], batch.mask, pooling)
    return rows


def likened(place: Place, size: Size, entry: str, pooling: str) -> Row:
    """Pearson's correlation of cosines with what people said of STS-B's test pairs, nothing fine-tuned."""
    pairs = load_examples(DataSettings(source="stsb"), 0, NUMBERS).test
    assert pairs is not None
    texts, truth = pairs.texts[: size.texts], [float(label) for label in pairs.labels[: size.texts]]
    folder = encoder(place, size, entry)
    one, two = (vectors(folder, [text[side] for text in texts], pooling) for side in (0, 1))
    cosines = torch.cosine_similarity(one, two).tolist()
    whole = np.full((1, len(truth)), 1 / len(truth))
    value = float(correlation(cosines, truth)(whole)[0])
    own = {"cosines": [round(one, 4) for one in cosines], "truth": truth, **pretrained(folder)}
    return {"value": value, "n": len(truth), **own}


def correlation(said: Sequence[float], truth: Sequence[float]) -> Statistic:
    """Pearson's correlation, weighted."""
    one, two = np.asarray(said, float), np.asarray(truth, float)

    def statistic(weights: np.ndarray) -> np.ndarray:
        means = [weights @ side for side in (one, two)]
        both = weights @ (one * two) - means[0] * means[1]
        spreads = [
            np.sqrt(np.maximum(weights @ side**2 - m**2, 1e-12)) for side, m in zip((one, two), means, strict=True)
        ]
        return both / (spreads[0] * spreads[1])

    return statistic


def probed(place: Place, size: Size, entry: str, data: str) -> Row:
    """Test accuracy of a logistic regression on mean states, nothing of the encoder trained."""
    examples = load_examples(DataSettings(source=data, limit=size.probe_rows), 0)
    assert examples.test is not None
    test = examples.test.take(range(min(size.texts or len(examples.test), len(examples.test))))
    folder = encoder(place, size, entry)
    taught, asked = (vectors(folder, [text[0] for text in split.texts], "mean") for split in (examples.train, test))
    middle, spread = taught.mean(dim=0), taught.std(dim=0).clamp(min=1e-6)
    layer = torch.nn.Linear(taught.shape[1], len(examples.labels))
    torch.nn.init.zeros_(layer.weight)
    optimiser = torch.optim.LBFGS(layer.parameters(), max_iter=200)
    labels = torch.tensor([int(label) for label in examples.train.labels])

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(layer((taught - middle) / spread), labels)
        loss = loss + 1e-3 * layer.weight.square().sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    said = layer((asked - middle) / spread).argmax(dim=1).tolist()
    right = (one == label for one, label in zip(said, test.labels, strict=True))
    return {**share(right, "right by a linear probe"), **pretrained(folder)}


def cells(place: Place, size: Size) -> Iterator[FairCell]:
    """The claim first, then the figure at the paper's rate, then what fine-tunes nothing, then the other rates."""
    every = list(product(RATES, size.seeds, STATES, NORMS))
    claimed = [one for one in every if (one[0], one[2]) == (RATES[0], "trained") and one[3] in ("power", "none")]
    for rate, seed, state, norm in dict.fromkeys([*claimed, *every]):
        key: dict[str, Any] = {"what": "collapse", "entry": norm, "encoder": state, "rate": rate, "seed": seed}
        tier = 1 if rate == RATES[0] else 2
        yield FairCell(place, key, partial(collapsed, place, size, norm, state, rate, seed), tier)
    for entry, pooling in product(ENTRIES, POOLINGS):
        key = {"what": f"STS-B, {pooling}", "entry": entry, "seed": 0}
        yield FairCell(place, key, partial(likened, place, size, entry, pooling), 2, run=entry)
    for entry, data in product(ENTRIES, ("sst2", "trec6")):
        key = {"what": f"probe, {data}", "entry": entry, "seed": 0}
        yield FairCell(place, key, partial(probed, place, size, entry, data), 2, run=entry)


def collapse_lines(place: Place) -> list[list[str]]:
    """Random pairs of projections: at step 0, at the end, and less power normalisation's, seed by seed."""
    lines = []
    for state, rate, norm in product(STATES, RATES, NORMS):
        rows, power = (place.found(what="collapse", entry=name, encoder=state, rate=rate) for name in (norm, "power"))
        if not rows:
            continue
        numbers = [
            fmean(row[when][name] for row in rows)
            for when, name in (("before", "projection random"), ("after", "projection positive"))
        ]
        ends = [fmean(row["after"][name] for row in rows) for name in ("projection random", "text random")]
        pairs = list(zip(*matched(power, rows), strict=True))
        apart = over_seeds([own["value"] - other["value"] for other, own in pairs], 128) if pairs else None
        shown = "" if apart is None or norm == "power" else apart.shown(1, 3)
        lines.append(
            [state, f"{rate:g}", norm, *(f"{number:.3f}" for number in (*numbers, *ends)), shown, str(len(rows))]
        )
    return lines


def tables(place: Place) -> str:
    """What there is so far."""
    head = ["encoder", "rate", "norm", "random, step 0", "positive", "random", "[CLS] random", "less power", "seeds"]
    parts = [markdown(head, collapse_lines(place))]
    liked = []
    for entry in ENTRIES:
        line = [entry]
        for pooling in POOLINGS:
            rows = {row["entry"]: row for row in place.found(what=f"STS-B, {pooling}")}
            own, control = rows.get(entry), rows.get("mlm")
            apart = None
            if own and control and entry != "mlm":
                refuse_mixed([control, own])
                apart = paired(*([correlation(row["cosines"], row["truth"])] for row in (control, own)), own["n"])
            line.append(
                "" if not own else f"{100 * own['value']:.1f}" + ("" if apart is None else f" ({apart.shown()})")
            )
        liked.append(line)
    parts.append(markdown(["STS-B, Pearson × 100 (less mlm's)", *POOLINGS], liked))
    whats = ["probe, sst2", "probe, trec6"]
    rows = [row for row in place.found() if row["what"] in whats]
    if rows:
        parts.append(markdown(["", *whats], table(rows, ENTRIES, whats, "mlm")))
    return "\n\n".join(parts)
