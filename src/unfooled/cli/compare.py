"""``unfooled compare``: methods and seeds become models, results and one report."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.cli.tables import print_results
from unfooled.commands.compare import compare
from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.settings import assignments


def run(
    source: Mapping[str, Any],
    methods: Sequence[str],
    out: Path,
    model: str,
    seeds: int,
    changes: Sequence[str],
    how: Mapping[str, Any],
) -> None:
    """Train, measure, report; say where everything is."""
    data, settings = {name: value for name, value in source.items() if value is not None}, changed(changes)
    names = [method.strip() for method in methods]
    results = compare(
        {**data, **settings.get("data", {})},
        names,
        out,
        {"name": model, **settings.get("model", {})},
        seeds,
        settings.get("plan"),
        {name: settings.get("method", {}) for name in names} if "method" in settings else None,
        **{name: value for name, value in how.items() if value is not None},
    )
    print_results(results)
    page = report(out, out / "report.html")
    print(f"\nreport: {page}   models: {out / 'runs'}   records: {out / 'results'}")
    print(f'guard:  unfooled gate {shlex.quote(str(out))} --require "accuracy.clean >= 0.5"')


def changed(changes: Sequence[str]) -> dict[str, Any]:
    """The settings of --set, by room."""
    values = assignments(changes)
    strange = [name for name in values if name not in ("data", "model", "method", "plan")]
    if strange:
        raise BadInput(f"--set {strange[0]}… is no setting of training; use data., model., method. or plan.")
    return values
