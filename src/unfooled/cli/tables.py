"""Scores as tables on the terminal, plain where there is none."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from unfooled.evaluation.metrics import Score
from unfooled.evaluation.results import Results


def print_scores(title: str, scores: Mapping[str, Score]) -> None:
    """One row a score, with its interval and n."""
    table = Table(title=title, title_justify="left")
    for name in ("", "value", "95 % interval", "n"):
        table.add_column(name, justify="left" if not name else "right")
    for name, score in scores.items():
        table.add_row(name, f"{score.value:.4f}", f"{score.low:.4f} to {score.high:.4f}", str(score.n))
    Console().print(table)


def print_results(results: Results) -> None:
    """One row a trial and radius, one column a model; then the warnings."""
    models = list(dict.fromkeys(row.model for row in results.rows))
    table = Table(title_justify="left")
    for name in ("trial", "number", *models):
        table.add_column(name, justify="right" if name in models else "left", overflow="fold")
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in results.rows:
        trial = row.trial if row.eps is None else f"{row.trial} eps {row.eps:g}"
        cells.setdefault((trial, row.metric), {})[row.model] = cell(row.score)
    before = ""
    for (trial, metric), by_model in cells.items():
        if before and trial != before:
            table.add_section()
        table.add_row("" if trial == before else trial, metric, *(by_model.get(name, "") for name in models))
        before = trial
    console = Console()
    console.print(table)
    sizes = sorted({row.score.n for row in results.rows})
    console.print(f"n = {', '.join(map(str, sizes))}; brackets are 95 % intervals", highlight=False)
    for warning in results.warnings:
        console.print(f"warning: {warning}", markup=False, highlight=False)


def cell(score: Score) -> str:
    """A value and its interval, as short as they stay readable."""
    return f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]"
