"""Scores as tables on the terminal, plain where there is none."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from unfooled.evaluation.metrics import Score
from unfooled.evaluation.results import Results

if TYPE_CHECKING:
    from unfooled.calls.language import Found


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
    "failure_rate": "failures",
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
        if row.detail:
            continue
        trial = row.trial if row.eps is None else f"{row.trial} {row.eps:g}"
        trial = trial if row.part is None else f"{trial} {row.part}"
        cells.setdefault((trial, NAMES.get(row.metric, row.metric)), {})[row.model] = row.score
    before = ""
    for (trial, metric), scores in cells.items():
        if before and trial.split()[0] != before.split()[0]:
            table.add_section()
        sizes = "/".join(map(str, dict.fromkeys(score.n for score in scores.values())))
        table.add_row(f"{trial}: {metric}", *(cell(scores[name]) if name in scores else "" for name in models), sizes)
        before = trial
    console = Console()
    console.print(table)
    console.print("brackets are 95 % intervals; pgd 0.1 is k-PGD of radius 0.1", highlight=False)
    print_verdicts(results)
    for warning in results.warnings:
        console.print(f"warning: {warning}", markup=False, highlight=False)


def print_verdicts(results: Results) -> None:
    """Where each model stands, where both axes or one were measured."""
    standing = [one for one in results.verdicts if one.fickleness.score or one.obstinacy.score]
    if not standing:
        return
    table = Table(box=SIMPLE_HEAD)
    table.add_column("verdict")
    for name in short([one.model for one in standing]):
        table.add_column(name, justify="right", overflow="fold")
    axes = {"fickleness": "moves though meaning holds", "obstinacy": "holds though meaning moves"}
    for name, meaning in axes.items():
        own = [getattr(one, name) for one in standing]
        table.add_row(f"{name}: {meaning}", *(cell(axis.score) if axis.score else "" for axis in own))
        for part in dict.fromkeys(part for axis in own for part in axis.parts):
            table.add_row(f"  {part}", *(cell(axis.parts[part]) if part in axis.parts else "" for axis in own))
    Console().print(table)


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


def print_found(found: "Sequence[Found]", most: int = 5) -> None:
    """One row a number, one column a model; then the first texts of each trial."""
    models = list(dict.fromkeys(each.model for each in found))
    table = Table(box=SIMPLE_HEAD)
    for name in ("", *short(models)):
        table.add_column(name, justify="right" if name else "left", overflow="fold")
    cells: dict[tuple[str, str], dict[str, Score]] = {}
    for each in found:
        for name, score in each.scores.items():
            cells.setdefault((each.trial, name), {})[each.model] = score
    for (trial, name), scores in cells.items():
        table.add_row(f"{trial}: {name}", *(cell(scores[model]) if model in scores else "" for model in models))
    console = Console()
    if cells:
        console.print(table)
    for each in found:
        for text in each.texts[:most]:
            told = ", ".join(f"{name}: {value}" for name, value in text.items() if name != "losses")
            console.print(f"{each.model}, {each.trial}: {told}", markup=False, highlight=False)
