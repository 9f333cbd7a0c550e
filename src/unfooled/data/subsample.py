"""Fewer rows to train on: a fraction of them, or at most so many; drawn by seed, in proportion to groups."""

from collections.abc import Sequence

from unfooled.data.splits import Label, Split, draw
from unfooled.errors import BadInput


def fewer(
    train: Split[Label],
    groups: Sequence[object],
    fraction: float,
    limit: int | None,
    seed: int,
    where: str,
    least: int = 1,
) -> tuple[Split[Label], list[str]]:
    """A fraction of the rows, then at most ``limit`` of those, ``least`` of each group; and notes on both.

    The rows of a small fraction are among those of a larger one with the same seed.
    """
    notes: list[str] = []
    if fraction < 1:
        count = max(round(fraction * len(train)), 1)
        if least and count < len(set(groups)):
            raise BadInput(
                f"{where}: a fraction of {fraction:g} is {count:,} of {len(train):,} rows, which leaves some of "
                f"{len(set(groups)):,} classes without a row; raise the fraction"
            )
        rows = draw(groups, count, seed, "fraction", least=least)
        notes.append(f"train: {count:,} of {len(train):,} rows (fraction {fraction:g}), drawn by seed {seed}")
        train, groups = train.take(rows), [groups[row] for row in rows]
    if limit is not None and least and limit < len(set(groups)):
        raise BadInput(f"{where}: a limit of {limit} rows for {len(set(groups))} classes; raise the limit")
    if limit is not None and limit < len(train):
        notes.append(f"train: {limit:,} of {len(train):,} rows, drawn by seed {seed}")
        train = train.take(draw(groups, limit, seed, "limit", least=least))
    return train, notes
