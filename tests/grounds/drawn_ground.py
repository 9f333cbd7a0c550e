"""A bootstrap over whole groups, member by member: what the fast one is held against."""

from collections.abc import Callable, Sequence

import numpy as np


def drawn_by_hand(groups: Sequence[int], statistic: Callable[[list[int]], float]) -> tuple[float, float]:
    """The 2.5 % and 97.5 % quantiles of a statistic of rows over draws of whole groups."""
    distinct = list(dict.fromkeys(groups))
    times = np.random.default_rng(0).multinomial(len(distinct), np.full(len(distinct), 1 / len(distinct)), 2000)
    values = []
    for counts in times:
        rows = [
            row
            for group, count in zip(distinct, counts, strict=True)
            for _ in range(count)
            for row in range(len(groups))
            if groups[row] == group
        ]
        values.append(statistic(rows))
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))
