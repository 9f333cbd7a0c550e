"""``unfooled evaluate``: models, data and trials become a table and a results folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.cli.language_tables import print_found
from unfooled.cli.tables import print_results
from unfooled.commands.evaluate import evaluate
from unfooled.commands.language import evaluate_language, kind_of
from unfooled.errors import BadInput
from unfooled.settings import assignments


def run(
    models: Sequence[str],
    source: Mapping[str, Any],
    out: Path,
    trials: str | None,
    pgd: Mapping[str, Any],
    changes: Sequence[str],
    how: Mapping[str, Any],
) -> None:
    """Measure, print one table, say where the records are."""
    given = {name: value for name, value in pgd.items() if value is not None}
    if "eps" in given:
        given["eps"] = radii(given["eps"])
    data = {name: value for name, value in source.items() if value is not None}
    names = None if trials is None else [trial.strip() for trial in trials.split(",") if trial.strip()]
    settings = assignments(changes)
    if kind_of(models[0]) is not None:
        run_language(models, data, out, names, settings, how)
        return
    odd = next((name for name, value in settings.items() if not isinstance(value, dict)), None)
    if odd is not None:
        raise BadInput(f"--set {odd}=… names no trial; write it as in --set pwws.most=100")
    results = evaluate(models, data, out, names, given, settings=settings, **how)
    print_results(results)
    print(f"\nrecords: {out}   every number with its definition: {out / 'summary.json'}")


def run_language(
    models: Sequence[str],
    data: Mapping[str, Any],
    out: Path,
    trials: Sequence[str] | None,
    settings: Mapping[str, Any],
    how: Mapping[str, Any],
) -> None:
    """The same for language models and translators, whose trials are others."""
    found = evaluate_language(models, data, out, trials, settings, how["split"], how["limit"])
    print_found(found)
    print(f"\ntexts and every number with its definition: {out}")


def radii(text: str) -> tuple[float, ...]:
    """The numbers of "0,.02,.1"."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"--eps {text} is not a list of numbers such as 0,.02,.1") from None
