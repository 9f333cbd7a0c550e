"""What each model takes for what, and the label distances of runs that learnt some."""

from dataclasses import dataclass

import numpy as np

from unfooled.report.chapter import Chapter
from unfooled.report.charts.heat_map import heat_map
from unfooled.report.markup import Markup, tag
from unfooled.report.runs import run_at, summary_of
from unfooled.report.tables import row, table
from unfooled.report.told import Told

SHADES = 10
TABLED = 12  # classes; a larger matrix is a picture


@dataclass(frozen=True)
class Matrix:
    """A square table: rows are true classes where it counts predictions."""

    title: str
    labels: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    counts: bool = True


def content(told: Told) -> Markup:
    """The matrices side by side."""
    drawn = [figure(matrix) for matrix in matrices(told)]
    return tag("div", *drawn, class_="figures") if drawn else Markup()


def matrices(told: Told) -> list[Matrix]:
    """Confusions of each column, then the label distances of its first model."""
    squares = []
    for group in told.groups:
        counts = [
            (one.header.labels, one.form.confusion(one.briefs, len(one.header.labels)))
            for name in group.members
            for one in told.results.trials
            if one.model == name and one.form.confusion is not None
        ]
        if counts:
            rows = tuple(tuple(map(float, row)) for row in np.sum([own for _, own in counts], axis=0))
            squares.append(Matrix(f"{group.name}: what is taken for what", counts[0][0], rows))
        squares += [matrix for name in group.members[:1] if (matrix := distances(told, name)) is not None]
    return squares


def distances(told: Told, model: str) -> Matrix | None:
    """The label distances a model was trained with, where its run kept some."""
    summary = summary_of(run_at(told.header(model).model))
    if not summary.get("label_distance"):
        return None
    labels = tuple(str(name) for name in summary.get("label_names") or summary.get("labels", ()))
    rows = tuple(tuple(float(value) for value in row) for row in summary["label_distance"])
    title = f"{model}: label distances it learnt"
    return Matrix(title, labels, rows, counts=False) if len(labels) == len(rows) else None


def figure(matrix: Matrix) -> Markup:
    """A small matrix as a table, a large one as a picture."""
    if len(matrix.labels) <= TABLED:
        return tag("figure", matrix_table(matrix))
    return tag("figure", Markup(heat_map(matrix.rows, matrix.labels, matrix.title)), class_="wide")


def matrix_table(matrix: Matrix) -> Markup:
    """A square table whose cells are the darker the larger their share of the row (of the largest, for distances)."""
    largest = max((abs(value) for line in matrix.rows for value in line), default=1.0) or 1.0
    rows = []
    for label, line in zip(matrix.labels, matrix.rows, strict=True):
        whole = (sum(line) or 1.0) if matrix.counts else largest
        cells = [
            tag("td", f"{value:g}" if matrix.counts else f"{value:.2f}", class_=f"number shade-{shade(value / whole)}")
            for value in line
        ]
        rows.append(row(label, *cells))
    corner = "true ↓  predicted →" if matrix.counts else "true ↓  other →"
    return table(matrix.title, [corner, *matrix.labels], [tag("tbody", *rows)], "matrix")


def shade(part: float) -> int:
    """Which of the shades a part of 1 gets."""
    return min(int(part * SHADES), SHADES - 1) if part > 0 else 0


CHAPTER = Chapter("Confusions", content)
