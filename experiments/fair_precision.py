"""Rows of one table are trained in one precision: that of the first, so that no difference is one of arithmetic."""

from typing import Any

import torch
from fair_cells import Place

from unfooled.device import device
from unfooled.files import turn, write_whole
from unfooled.recipe.plan import AUTO, Plan
from unfooled.training.precision import decided


def precision_of(place: Place, **table: Any) -> str:
    """What the rows of a table were trained in; before any, what this machine is faster in, decided once for all.

    Were each run to decide for itself (``plan.precision = "auto"``), one at a busy moment could decide otherwise. The
    decision lies beside the runs: two processes begin before there is a row.
    """
    rows = [row for row in place.found(**table) if row.get("precision")]
    if rows:
        return str(rows[0]["precision"])
    note = place.runs / "-".join(["precision", *map(str, table.values())])
    note.parent.mkdir(parents=True, exist_ok=True)
    with turn(note.parent / f".{note.name}.turn"):
        if not note.is_file():
            choice, why = decided(Plan(packed=True, precision=AUTO), torch.device(device()))
            write_whole(note, choice)
            print(f"{note}: {choice}, {why}", flush=True)
        return note.read_text(encoding="utf-8")
