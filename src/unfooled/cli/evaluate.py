"""``unfooled evaluate``: models, data and trials become a table and a results folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.calls.evaluating import evaluate
from unfooled.cli.tables import print_results
from unfooled.errors import BadInput


def run(
    models: Sequence[str],
    source: Mapping[str, Any],
    out: Path,
    split: str | None,
    limit: int | None,
    trials: Sequence[str],
    pgd: Mapping[str, Any],
    batch_size: int,
    seed: int,
) -> None:
    """Measure, print one table, say where the records are."""
    given = {name: value for name, value in pgd.items() if value is not None}
    if "eps" in given:
        given["eps"] = radii(given["eps"])
    data = {name: value for name, value in source.items() if value is not None}
    results = evaluate(models, data, out, [trial.strip() for trial in trials], given, split, limit, batch_size, seed)
    print_results(results)
    print(f"\nrecords: {out}   every number with its definition: {out / 'summary.json'}")


def radii(text: str) -> tuple[float, ...]:
    """The numbers of "0,.02,.1"."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"--eps {text} is not a list of numbers such as 0,.02,.1") from None
