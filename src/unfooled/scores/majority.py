"""Whether a classifier beats always saying the commonest class."""

from collections.abc import Sequence

from unfooled.scores.intervals import proportion


def learnt_nothing(confusion: Sequence[Sequence[int]], names: Sequence[str]) -> str | None:
    """The sentence for a classifier whose accuracy is not above the commonest class's share, beyond its interval.

    ``confusion`` is that of validation, a row for each true class. None where the accuracy is above.

    >>> learnt_nothing([[50, 10], [10, 30]], ["bad", "good"])
    >>> print(learnt_nothing([[60, 0], [40, 0]], ["bad", "good"]))
    the model has learnt nothing that validation shows: 60.0 % right [50.2, 69.1], and always saying bad is 60.0 % right
    """
    counts = [sum(row) for row in confusion]
    accuracy = proportion(sum(row[place] for place, row in enumerate(confusion)), sum(counts), "right answers")
    commonest = max(range(len(counts)), key=counts.__getitem__)
    share = counts[commonest] / max(sum(counts), 1)
    if accuracy.low > share:
        return None
    return (
        f"the model has learnt nothing that validation shows: {100 * accuracy.value:.1f} % right "
        f"[{100 * accuracy.low:.1f}, {100 * accuracy.high:.1f}], and always saying {names[commonest]} "
        f"is {100 * share:.1f} % right"
    )
