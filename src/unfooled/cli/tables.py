"""Scores as tables on the terminal, plain where there is none."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
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


NAMES = {
    "accuracy_under_attack": "accuracy",
    "attack_success": "fooled",
    "mean_confidence": "confidence",
    "mean_cosine": "cosine",
    "mean_distance": "distance",
}


def print_results(results: Results) -> None:
    """One row a number, one column a model; then the warnings."""
    models = list(dict.fromkeys(row.model for row in results.rows))
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    for name in (*short(models), "n"):
        table.add_column(name, justify="right", overflow="fold")
    cells: dict[tuple[str, str], dict[str, Score]] = {}
    for row in results.rows:
        trial = row.trial if row.eps is None else f"{row.trial} {row.eps:g}"
        cells.setdefault((trial, NAMES.get(row.metric, row.metric)), {})[row.model] = row.score
    before = ""
    for (trial, metric), scores in cells.items():
        if before and trial != before:
            table.add_section()
        sizes = "/".join(map(str, dict.fromkeys(score.n for score in scores.values())))
        table.add_row(f"{trial}: {metric}", *(cell(scores[name]) if name in scores else "" for name in models), sizes)
        before = trial
    console = Console()
    console.print(table)
    console.print("brackets are 95 % intervals; pgd 0.1 is k-PGD of radius 0.1", highlight=False)
    for warning in results.warnings:
        console.print(f"warning: {warning}", markup=False, highlight=False)


def short(names: Sequence[str]) -> list[str]:
    """Folder names for model paths where they tell the models apart, the whole paths elsewhere.

    >>> short(["demo/plain/model", "demo/robust/model"])
    ['plain', 'robust']
    """
    ends = [Path(name).parent.name if Path(name).name == "model" else Path(name).name for name in names]
    return ends if all(ends) and len(set(ends)) == len(names) else list(names)


def cell(score: Score) -> str:
    """A value and its interval, as short as they stay readable."""
    return f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]"
