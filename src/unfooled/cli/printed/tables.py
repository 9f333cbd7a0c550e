"""Scores as tables on the terminal, plain where there is none."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from unfooled.results.folder import Results
from unfooled.scores.score import Score
from unfooled.terminal import say, show, visible
from unfooled.trials.trial import Row


def print_scores(title: str, scores: Mapping[str, Score]) -> None:
    """One row a score, with its interval and n."""
    table = Table(title=Text(visible(title)), title_justify="left")
    for name in ("", "value", "95 % interval", "n"):
        table.add_column(name, justify="left" if not name else "right")
    for name, score in scores.items():
        table.add_row(name, score.text, score.interval, str(score.n))
    show(table)


def print_warning(warning: str) -> None:
    """What must not be overlooked."""
    show(f"WARNING: {warning}", style="bold red", soft_wrap=True)


FIRST = ("accuracy", "accuracy_under_attack", "worst_case_accuracy")  # what a person needs first
READ_AS = "brackets are 95 % intervals; a number behind a trial is its radius"


def print_results(results: Results) -> None:
    """One row a number, one column a model; then the verdict and the warnings."""
    cells: dict[tuple[str, str], dict[str, Score]] = {}
    for row in results.rows:
        if not row.detail:
            trial = of_trial(row) if row.part is None else f"{of_trial(row)} {row.part}"
            cells.setdefault((trial, row.score.title or row.metric), {})[row.model] = row.score
    table = compared(results.models)
    before = ""
    for (trial, title), scores in cells.items():
        if before and trial.split()[0] != before.split()[0]:
            table.add_section()
        table.add_row(f"{trial}: {title}", *beside(scores, results.models))
        before = trial
    if cells:
        show(table)
        say(READ_AS)
    print_verdicts(results)
    print_warnings(results)


def print_first(results: Results) -> None:
    """What a person needs first: accuracy on texts as they are and under each attack, both axes, and the warnings."""
    accuracies: dict[str, dict[str, Score]] = {}
    for row in results.rows:
        if row.metric in FIRST and row.eps != 0:
            accuracies.setdefault(f"{of_trial(row)}: accuracy", {})[row.model] = row.score
    axes: dict[str, dict[str, Score]] = {}
    for one in results.verdicts:
        for axis, coordinate in one.axes.items():
            if coordinate.score is not None:
                axes.setdefault(axis, {})[one.model] = coordinate.score
    table = compared(results.models)
    for cells in (accuracies, axes):
        for name, scores in cells.items():
            table.add_row(name, *beside(scores, results.models))
        table.add_section()
    show(table)
    say(READ_AS)
    print_warnings(results)


def of_trial(row: Row) -> str:
    """A trial, with its radius where it has one."""
    return row.trial if row.eps is None else f"{row.trial} {row.eps:g}"


def compared(models: Sequence[str]) -> Table:
    """A table with a column for each model, and one for n."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    for name in (*short(models), "n"):
        table.add_column(name, justify="right", overflow="fold")
    return table


def beside(scores: Mapping[str, Score], models: Sequence[str]) -> list[str]:
    """One number of each model, and how many examples it is of."""
    sizes = "/".join(map(str, dict.fromkeys(score.n for score in scores.values())))
    return [*(cell(scores[name]) if name in scores else "" for name in models), sizes]


def print_warnings(results: Results) -> None:
    """What makes numbers doubtful."""
    for warning in results.warnings:
        say(f"warning: {warning}")


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
    show(table)


def short(names: Sequence[str]) -> list[str]:
    """Folder names for model paths where they tell the models apart, the whole paths elsewhere.

    >>> short(["demo/plain/model", "demo/robust/model"])
    ['plain', 'robust']
    """
    ends = [Path(name).parent.name if Path(name).name == "model" else Path(name).name for name in names]
    return ends if all(ends) and len(set(ends)) == len(names) else list(names)


def cell(score: Score) -> str:
    """A value and its interval, as short as they stay readable."""
    return f"{score.text} [{score.interval}]" if score.interval else score.text
