"""A leaderboard: ways of training down, data and what was measured across, read off lines of measurements.

A line is JSON with ``data``, ``entry`` (a way of training), ``seed``, ``what`` and ``value``, ``n`` where it is a share
of so many examples; whatever else it holds is left alone. Seeds of a cell become one number; what was not measured
stays empty, and nothing is ranked by cells that not all have.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from unfooled.errors import BadInput
from unfooled.parsing import content, json_value
from unfooled.report.markup import Markup, tag
from unfooled.report.page import whole_page
from unfooled.report.tables import cell, row, table
from unfooled.scores.intervals import mean, proportion
from unfooled.scores.score import Score
from unfooled.terminal import visible

COST = "cost"  # in units of the first way of training on the same data
# What a column is called, in the order of the page; others follow under their own names.
TITLES = {
    "clean": "clean",
    "pwws": "PWWS",
    "textfooler": "TextFooler",
    "deepwordbug": "typos (DeepWordBug)",
    "contrast": "contrast consistency",
    COST: "cost of training",
}
BOLD = "Bold is better than all others, beyond both intervals."
NEEDED: dict[str, type | tuple[type, ...]] = {"data": str, "entry": str, "what": str, "value": (int, float)}


@dataclass(frozen=True)
class Measurement:
    """One number of one trained model."""

    data: str
    entry: str
    what: str
    value: float
    n: int


@dataclass(frozen=True)
class Leaderboard:
    """Measurements as a table for each data set."""

    measurements: tuple[Measurement, ...]

    @cached_property
    def data(self) -> list[str]:
        """The data sets, as they come."""
        return list(dict.fromkeys(one.data for one in self.measurements))

    @cached_property
    def entries(self) -> list[str]:
        """The ways of training, as they come: the first is what cost is counted in."""
        return list(dict.fromkeys(one.entry for one in self.measurements))

    def columns(self, data: str) -> list[str]:
        """What was measured on a data set, in the order of the page."""
        own = dict.fromkeys(one.what for one in self.measurements if one.data == data)
        return [what for what in TITLES if what in own] + [what for what in own if what not in TITLES]

    def score(self, data: str, entry: str, what: str) -> Score | None:
        """The number of a cell over its seeds; None where nothing was measured."""
        own = [one for one in self.measurements if (one.data, one.entry, one.what) == (data, entry, what)]
        if not own:
            return None
        if what == COST:
            return self.cost(data, own)
        values, definition = [one.value for one in own], f"{TITLES.get(what, what)}, {len(own)} seeds"
        if len(own) == 1 and own[0].n:
            return proportion(round(values[0] * own[0].n), own[0].n, definition)
        return mean(values, definition, 0.0, 1.0)

    def cost(self, data: str, own: Sequence[Measurement]) -> Score | None:
        """How much dearer than the first way of training; None where that was not measured."""
        first = (data, self.entries[0], COST)
        plain = [one.value for one in self.measurements if (one.data, one.entry, one.what) == first]
        if not math.fsum(plain):
            return None
        value = math.fsum(one.value for one in own) / len(own) / (math.fsum(plain) / len(plain))
        return Score(value, math.nan, math.nan, len(own), "seconds of training").called(COST, "", "less")


def read_leaderboard(files: Sequence[Path]) -> Leaderboard:
    """The leaderboard of files of measurements."""
    measurements: list[Measurement] = []
    for file in files:
        try:
            lines = content(file).decode("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{file}: cannot be read as text ({error}); give files of measurements") from None
        numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
        measurements += [measured(line, f"{file}, line {number}") for number, line in numbered]
    if not measurements:
        raise BadInput(f"{files[0]} holds no measurement; a line is {example()}")
    return Leaderboard(tuple(measurements))


def measured(line: str, where: str) -> Measurement:
    """The measurement of a line."""
    try:
        raw: Any = json_value(line, finite=False)
    except ValueError:
        raise BadInput(f"{where}: no JSON; a line is {example()}") from None
    if not isinstance(raw, Mapping):
        raise BadInput(f"{where}: no measurement; a line is {example()}")
    wrong = [name for name, kind in NEEDED.items() if not isinstance(raw.get(name), kind)]
    n = raw.get("n", 0)
    if wrong or isinstance(raw["value"], bool) or not math.isfinite(raw["value"]) or not isinstance(n, int) or n < 0:
        raise BadInput(f"{where}: {wrong[0] if wrong else 'value or n'} is missing or odd; a line is {example()}")
    if raw["what"] != COST and not 0 <= raw["value"] <= 1:
        raise BadInput(f"{where}: the value {raw['value']} is no share; give what is between 0 and 1, cost aside")
    return Measurement(raw["data"], raw["entry"], raw["what"], float(raw["value"]), n)


def example() -> str:
    """A line as it should be."""
    return '{"data": "mr", "entry": "plain", "seed": 0, "what": "pwws", "value": 0.31, "n": 200}'


def leaderboard_page(board: Leaderboard) -> str:
    """The whole page."""
    sections = [
        (f"data-{place}", data, tag("section", tag("h2", data), of_data(board, data), id=f"data-{place}"))
        for place, data in enumerate(board.data)
    ]
    return whole_page("Leaderboard", f"{explained(board)} {BOLD}", sections)


def explained(board: Leaderboard) -> str:
    """What the numbers are."""
    return (
        f"{len(board.entries)} ways of training on {len(board.data)} data sets. Shares that are right, clean and under "
        "each attack, with 95 % intervals: over seeds where there are several, over examples where there is one. Cost "
        f"is training time over {board.entries[0]}'s. A dash was not measured."
    )


def of_data(board: Leaderboard, data: str) -> Markup:
    """The table of one data set; a number is bold where it is better than all others, beyond both intervals."""
    columns = board.columns(data)
    scores = {(entry, what): board.score(data, entry, what) for entry in board.entries for what in columns}
    tops = {what: clear_best([scores[entry, what] for entry in board.entries]) for what in columns}
    lines = []
    for entry in board.entries:
        own = [scores[entry, what] for what in columns]
        bold = [score is not None and score is tops[what] for what, score in zip(columns, own, strict=True)]
        lines.append(row(entry, *(cell(score, best) for score, best in zip(own, bold, strict=True))))
    head = ["", *(TITLES.get(what, what) for what in columns)]
    return table(f"Ways of training on {data}", head, [tag("tbody", *lines)])


def clear_best(scores: Sequence[Score | None]) -> Score | None:
    """The number that is better than all others, whose intervals do not reach its own; None where one is missing."""
    known = [score for score in scores if score is not None and math.isfinite(score.low + score.high)]
    if len(known) < 2 or len(known) < len(scores):
        return None
    if known[0].better == "less":
        best, *others = sorted(known, key=lambda score: score.high)
        return best if all(best.high < other.low for other in others) else None
    best, *others = sorted(known, key=lambda score: -score.low)
    return best if all(best.low > other.high for other in others) else None


def leaderboard_text(board: Leaderboard) -> str:
    """The same in Markdown."""
    parts = ["# Leaderboard", explained(board).replace("A dash", "An empty cell")]
    for data in board.data:
        columns = board.columns(data)
        head = ["", *(escaped(TITLES.get(what, what)) for what in columns)]
        lines = [
            [escaped(entry), *(shown(board.score(data, entry, what)) for what in columns)] for entry in board.entries
        ]
        rows = ["| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines]]
        parts += [f"## {escaped(data)}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def shown(score: Score | None) -> str:
    """A number with its interval, or nothing."""
    if score is None:
        return ""
    return f"{score.text} [{score.interval}]" if score.interval else score.text


def escaped(text: str) -> str:
    """Text that neither ends a cell of a table nor becomes a link, a picture or HTML.

    >>> escaped("a|b <i> [c](d)")
    'a\\\\|b &lt;i> \\\\[c](d)'
    """
    marked = visible(text).replace("\n", " ").replace("&", "&amp;").replace("<", "&lt;")
    return marked.replace("|", "\\|").replace("[", "\\[")
