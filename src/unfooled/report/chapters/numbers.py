"""Every number of every trial, one column a model or method, and what each number counts."""

from collections.abc import Sequence

from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tables import cell, row, table
from unfooled.report.told import Number, Told
from unfooled.scores.score import best_of

# How intervals are made: always, and of metrics that have intervals of their own.
INTERVALS = "Intervals are 95 %: Wilson's for shares, Student's t for means"
OWN_INTERVALS = {
    "perplexity": "normal over segments or texts for perplexities",
    "BLEU": "a bootstrap over texts for BLEU and chrF",
}


def content(told: Told) -> Markup:
    """The table, and below it what its names mean."""
    if not told.numbers:
        return Markup()
    return join([numbers_table(told.names, told.numbers), definitions(told.numbers)])


def numbers_table(names: Sequence[str], numbers: Sequence[Number]) -> Markup:
    """Trials and their numbers."""
    bodies = []
    for trial in dict.fromkeys(number.trial for number in numbers):
        title = tag("tr", tag("th", trial, scope="rowgroup", colspan=len(names) + 2), class_="group")
        bodies.append(tag("tbody", title, *(number_row(number) for number in numbers if number.trial == trial)))
    return table("Every model in every trial, with 95 % intervals", ["", *names, "n"], bodies, "measures")


def number_row(number: Number) -> Markup:
    """One number in all columns, the best in bold."""
    best = best_of(number.scores)
    cells = [cell(score, score is not None and score.value == best) for score in number.scores]
    sizes = dict.fromkeys(str(score.n) for score in number.scores if score is not None)
    return row(number.name, *cells, tag("td", " / ".join(sizes), class_="number"))


def definitions(numbers: Sequence[Number]) -> Markup:
    """What each number counts."""
    named = {number.name: number.definition for number in numbers if number.definition}
    metrics = {number.row.metric for number in numbers}
    how = ", ".join([INTERVALS, *(own for metric, own in OWN_INTERVALS.items() if metric in metrics)])
    terms = [join([tag("dt", name), tag("dd", meaning)]) for name, meaning in named.items()]
    return tag("details", tag("summary", "What each number means"), tag("dl", *terms), tag("p", f"{how}."))


CHAPTER = Chapter("Numbers", content)
