"""The papers put to a fair test, cell by cell: ``make results-fair`` (docs/claims.md).

Every paper's first claim with its control comes before any paper's second table. What is filled is not filled again;
``--until SECONDS`` begins no cell after so many; two processes with the same command share the cells; ``--table``
prints the tables, ``--left`` what is still empty; ``--only carl`` keeps to one paper; ``--toy`` tries every cell with
hardly any data, in folders of its own.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, groupby

from fair_cells import FairCell, Place, Walk, walk

from unfooled.errors import Stopped

PAPERS = ("clld", "dcl", "atcl", "cline", "carl", "leaderboard")  # by what their first claim costs


@dataclass(frozen=True)
class Asked:
    """What the command line wants."""

    papers: tuple[str, ...]
    toy: bool
    until: float | None


def cells_of(paper: str, toy: bool) -> list[FairCell]:
    """All cells of a paper, in its own order."""
    script = import_module(f"fair_{paper}")
    return list(script.cells(Place(paper, toy), script.TOY if toy else script.Size()))


def in_order(asked: Asked) -> list[FairCell]:
    """The cells of all papers, tier by tier."""
    every = [cells_of(paper, asked.toy) for paper in asked.papers]
    tiers = sorted({cell.tier for cell in chain(*every)})
    return [cell for tier in tiers for cells in every for cell in cells if cell.tier == tier]


def told_left(left: Sequence[FairCell]) -> str:
    """How many cells of each paper and tier are empty, and the next of each."""
    if not left:
        return "nothing is left"
    by = groupby(left, key=lambda cell: (cell.tier, cell.place.paper))
    some = [(tier, paper, list(cells)) for (tier, paper), cells in by]
    lines = [f"  {paper}, part {tier}: {len(cells)}, next {cells[0].said()}" for tier, paper, cells in some]
    return "\n".join([f"{len(left)} cells are left; the same command goes on", *lines])


def asked_for(words: Sequence[str]) -> tuple[Asked, argparse.Namespace]:
    """What is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PAPERS, action="append", help="one paper; may be given several times")
    parser.add_argument("--until", type=float, metavar="SECONDS", help="begin no cell after so many seconds")
    parser.add_argument("--toy", action="store_true", help="every cell with hardly any data")
    parser.add_argument("--table", action="store_true", help="print the tables, and run nothing")
    parser.add_argument("--left", action="store_true", help="print what is empty, and run nothing")
    given = parser.parse_args(words)
    return Asked(tuple(given.only or PAPERS), given.toy, given.until), given


def main(words: Sequence[str]) -> int:
    """Fill what is empty, print what there is and what is left; 1 where a cell broke."""
    asked, given = asked_for(words)
    if asked.toy:
        from fair_toy import toy_world

        toy_world()
    cells = in_order(asked)
    if given.table or given.left:
        done = Walk([cell for cell in cells if not cell.done])
    else:
        import torch

        torch.set_num_threads(1)
        try:
            done = walk(cells, asked.until)
        except Stopped as stopped:
            done = Walk([cell for cell in cells if not cell.done])
            print(stopped)
    if not given.left:
        for paper in asked.papers:
            print(f"\n# {paper}\n\n{import_module(f'fair_{paper}').tables(Place(paper, asked.toy))}")
    print(f"\n{told_left(done.left)}")
    for cell in done.broken:
        print(f"broke: {cell.said()}")
    return 1 if done.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
