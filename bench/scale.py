"""Formulas of docs/scale.md against what this machine measures, at three sizes each: ``make bench-scale``.

Seconds are processor seconds, which a busy machine lengthens far less than it does time. A formula with a constant that
nobody can know beforehand (seconds a text) is fitted by least squares to the relative errors, so what is shown is
whether one constant does for all sizes; one without (bytes a parameter) is worked out. At the end stand the numbers
that ``tools/simulate_cluster.py`` takes.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import scale_measured as measured

Pairs = Sequence[tuple[float, float]]
PARTS = ["attack", "driver", "networks", "training"]


@dataclass(frozen=True)
class Line:
    """A quantity: its formula in words, what its size is, and what was measured and worked out at each size."""

    name: str
    formula: str
    of: str
    pairs: Pairs
    expected: Sequence[float]
    shown: Callable[[float], str]

    def __str__(self) -> str:
        """A row of the table."""
        ratios = [found / told for (_, found), told in zip(self.pairs, self.expected, strict=True)]
        cells = [
            f"{size:,.0f}: {self.shown(found)} / {self.shown(told)}"
            for (size, found), told in zip(self.pairs, self.expected, strict=True)
        ]
        return (
            f"| {self.name} | {self.formula} | {self.of} | {' · '.join(cells)} | {min(ratios):.2f}–{max(ratios):.2f} |"
        )


def seconds(value: float) -> str:
    """Seconds."""
    return f"{value:.3g} s"


def megabytes(value: float) -> str:
    """Bytes."""
    return f"{value / 1e6:.3g} MB"


def kilobytes(value: float) -> str:
    """Bytes."""
    return f"{value / 1e3:.3g} kB"


def plain(value: float) -> str:
    """A number."""
    return f"{value:,.0f}"


def fitted(pairs: Pairs, base: bool) -> tuple[float, float]:
    """The base and the slope of a straight line with the least relative errors; no base where it must be none."""
    sizes, values = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    columns = np.stack([np.full(len(sizes), float(base)), sizes], axis=1) / values[:, None]
    (start, slope), *_ = np.linalg.lstsq(columns, np.ones(len(sizes)), rcond=None)
    return float(start), float(slope)


def straight(
    name: str, letter: str, of: str, pairs: Pairs, shown: Callable[[float], str], base: bool = False
) -> tuple[Line, float, float]:
    """A quantity that grows with its size, with the constants that fit it."""
    start, slope = fitted(pairs, base)
    formula = f"{shown(start)} + {slope:.3g} · {letter}" if base else f"{slope:.3g} · {letter}"
    return Line(name, formula, of, pairs, [start + slope * size for size, _ in pairs], shown), start, slope


def of_attack(folder: Path, model: str, small: bool) -> tuple[list[Line], dict[str, float]]:
    """What a text costs a worker, and a record the log."""
    found = measured.attacked(folder / "attacks", model, [4, 8, 12] if small else [6, 12, 24])
    took, _, each = straight("attack, a worker's processor", "N", "texts", found["seconds"], seconds, base=True)
    logged, _, record = straight("attack, log", "N", "texts", found["bytes"], kilobytes)
    asked, _, questions = straight("attack, questions to the model", "N", "texts", found["questions"], plain)
    clean = measured.clean_texts(model, [16, 32, 64] if small else [128, 256, 512])
    alone, _, before = straight("temperature, the driver alone", "N", "texts", clean, seconds)
    texts = measured.evaluated(folder / "evaluations", model, [8, 12, 16] if small else [16, 32, 64])
    evaluated, _, _ = straight("evaluate: clean and pgd", "N", "texts", texts, seconds, base=True)
    constants = {"seconds": each, "record_bytes": record, "before": before, "questions": questions}
    return [took, asked, logged, alone, evaluated], constants


def of_driver(folder: Path, model: str, small: bool) -> tuple[list[Line], dict[str, float]]:
    """What texts and records cost the driver, and pieces the network."""
    found = measured.pieces([8, 128, 2048])
    wire, head, text = straight("a piece on the wire", "n", "texts of a piece", found["bytes"], kilobytes, base=True)
    written, _, piece = straight("a piece, the driver's processor", "n", "texts of a piece", found["seconds"], seconds)
    sizes = [500, 1000, 2000] if small else [2000, 8000, 32000]
    every = measured.driver(folder, model, sizes, measured.record_of(folder / "record", model))
    before = [(one["texts"], one["before"]) for one in every]
    records = [(one["texts"], one["records"]) for one in every]
    memories = [(one["texts"], one["bytes"]) for one in every]
    read, _, alone = straight("before the first piece, tiny model, driver", "N", "texts", before, seconds, base=True)
    passed, _, through = straight("records through the driver", "N", "records", records, seconds)
    memory, own, each = straight("driver's memory", "N", "texts", memories, megabytes, base=True)
    constants = {
        "text_bytes": text, "piece": piece, "record": through - piece, "read": alone, "driver_bytes": own,
        "driver_text_bytes": each, "head": head,
    }  # fmt: skip
    return [wire, written, read, passed, memory], constants


def of_networks(folder: Path, models: Sequence[str]) -> tuple[list[Line], dict[str, float]]:
    """What a network costs: a worker's start, and two processes that share it out."""
    counts = [measured.parameters(model) for model in models]
    starts = [measured.started(model) for model in models]
    own = [(count, one["seconds"]) for count, one in zip(counts, starts, strict=True)]
    took, start, _ = straight("start of a worker, processor", "P", "parameters", own, seconds, base=True)
    kept = [(count, one["bytes"]) for count, one in zip(counts, starts, strict=True)]
    memory, _, _ = straight("a worker's memory", "P", "parameters", kept, megabytes, base=True)
    shares = [measured.in_two(model, folder / f"two-{count}") for model, count in zip(models, counts, strict=True)]
    sent = [(count, one.pop("traffic")) for count, one in zip(counts, shares, strict=True)]
    held = [(count, sum(one.values())) for count, one in zip(counts, shares, strict=True)]
    fsdp = Line("FSDP, 2 processes: each holds", "16 · P / 2", "parameters", held, [8.0 * n for n in counts], megabytes)
    tables = [measured.WORDS * width for width, _ in measured.NETWORKS]  # gathered once, layers twice; all summed once
    formula = [4.0 * table + 6.0 * (count - table) for table, count in zip(tables, counts, strict=True)]
    name = "FSDP, 2 processes: each gets, an update", "(p − 1) / p · 4 · (2 · table + 3 · rest)"
    traffic = Line(*name, "parameters", sent, formula, megabytes)
    return [took, memory, fsdp, traffic], {"start": start, "told_bytes": starts[0]["told"]}


def of_training(folder: Path, model: str, small: bool) -> list[Line]:
    """What cells, tokens and banks cost."""
    cells = measured.compared(folder / "comparisons", model, [1, 2, 3])
    compared, _, _ = straight("compare, few steps", "C", "cells", cells, seconds, base=True)
    sizes = [(600, 8), (1200, 16), (2400, 32)] if small else [(2000, 8), (8000, 16), (32000, 32)]
    found = measured.corpora(folder, model, sizes)
    steps = [(one["step_tokens"], one["step"]) for one in found]
    tokens, _, _ = straight("pre-training (mlm), a step", "t", "tokens of a batch", steps, seconds, base=True)
    blocks = [(one["tokens"], one["bytes"]) for one in found]
    kept, _, _ = straight("blocks of a corpus, on disk", "T", "tokens", blocks, megabytes)
    rows = measured.banks(384, [1000, 10_000, 100_000])
    bank = Line("a bank of width 384", "(4 · 384 + 1) · N", "examples", rows, [1537 * n for n, _ in rows], megabytes)
    rows = measured.banks(384, [1000, 10_000, 100_000], processes=4)
    shared = "a bank shared out over 4 processes", "(4 · 384 / p + 1) · N"
    part = Line(*shared, "examples", rows, [385 * n for n, _ in rows], megabytes)
    return [compared, tokens, kept, bank, part]


def main() -> None:
    """Measure, and print the table and the constants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="sizes that only show that everything runs")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="some of what is measured")
    asked = parser.parse_args()
    small, lines, constants = asked.small, list[Line](), dict[str, float]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = [
            measured.random_model(folder / f"{width}x{layers}", width, layers) for width, layers in measured.NETWORKS
        ]
        if "attack" in asked.only:
            attacked = models[0] if small else measured.fine_tuned(folder / "minilm")
            more, own = of_attack(folder, attacked, small)
            lines, constants = lines + more, constants | own
        if "driver" in asked.only:
            more, own = of_driver(folder, models[0], small)
            lines, constants = lines + more, constants | own
        if "networks" in asked.only:
            more, own = of_networks(folder, models)
            lines, constants = lines + more, constants | own
        if "training" in asked.only:
            lines += of_training(folder, models[0], small)
    print("| | formula | size | measured / by the formula | measured over formula |\n|---|---|---|---|---|")
    print("\n".join(map(str, lines)))
    print("\n" + json.dumps({name: float(f"{value:.4g}") for name, value in constants.items()}))


if __name__ == "__main__":
    main()
