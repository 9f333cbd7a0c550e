"""The tables of ``worst_words.py``: means over seeds, differences paired by example, the least that could be seen."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from grid import Row, markdown

from unfooled.scores.differences import bootstrap

POWER = 2.8  # standard errors that a difference must be away to be seen in 80 % of cases at 5 %


def outcomes(rows: Sequence[Row]) -> list[list[int]]:
    """What became of each example, seed by seed."""
    return [[int(one) for one in row["held"]] for row in sorted(rows, key=lambda row: row["seed"])]


def cell(rows: Sequence[Row], plain: Sequence[Row]) -> str:
    """The mean of the seeds and, beside plain's rows, the paired difference with its interval; points."""
    if not rows:
        return ""
    if "held" not in rows[0]:
        return f"{100 * fmean(row['con_pair'] for row in rows):.1f}"
    mean = f"{100 * fmean(row['value'] for row in rows):.1f}"
    seeds = {row["seed"] for row in plain} & {row["seed"] for row in rows}
    if rows is plain or not seeds:
        return mean
    one, two = ([row for row in some if row["seed"] in seeds] for some in (plain, rows))
    apart = bootstrap(outcomes(one), outcomes(two))
    return f"{mean} ({100 * apart.value:+.1f} [{100 * apart.low:+.1f}, {100 * apart.high:+.1f}])"


def least_seen(plain: Sequence[Row]) -> str:
    """The smallest difference that so many paired examples could show, if a fifth of them change."""
    examples = plain[0]["n"] if plain else 0
    return f"{100 * POWER * math.sqrt(0.2 / examples):.0f}" if examples else ""


def table(rows: Sequence[Row]) -> str:
    """One data set: ways of training down, what was measured across."""
    whats = list(dict.fromkeys(row["what"] for row in rows))
    entries = list(dict.fromkeys(row["entry"] for row in rows))
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["entry"], row["what"]), []).append(row)
    lines = [
        [entry, *(cell(found.get((entry, what), []), found.get(("plain", what), [])) for what in whats)]
        for entry in entries
    ]
    counts = [", ".join(f"{seeds} × {n}" for n, seeds in counted(found.get(("plain", what), []))) for what in whats]
    lines += [["seeds × texts", *counts]]
    lines += [["least to be seen", *(least_seen(found.get(("plain", what), [])) for what in whats)]]
    return markdown(["", *whats], lines)


def counted(rows: Sequence[Row]) -> list[tuple[Any, int]]:
    """How many rows have so many examples."""
    return [(n, len(list(some))) for n, some in groupby(sorted(row.get("n", 0) for row in rows))]


def tables(rows: Mapping[str, Sequence[Row]]) -> str:
    """All data sets that have rows; accuracies in per cent, in brackets the difference to plain in points, 95 %."""
    return "\n\n".join(f"{name}\n\n{table(own)}" for name, own in rows.items() if own)
