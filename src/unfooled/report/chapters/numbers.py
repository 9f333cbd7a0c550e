"""Every number of every trial, one column a model or method, and what each number counts."""

from collections.abc import Collection, Sequence

from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tables import cell, row, table
from unfooled.report.told import Number, Told

# How intervals are made: always, and of metrics that have intervals of their own.
INTERVALS = "Intervals are 95 %: Wilson's for shares, Student's t for means"
OWN_INTERVALS = {
    "perplexity": "normal over segments or texts for perplexities",
    "BLEU": "a bootstrap over texts for BLEU and chrF",
}


def content(told: Told) -> Markup:
    """What the names mean, and the table."""
    if not told.numbers:
        return Markup()
    return join([tag("p", read_as(told)), definitions(told.numbers), numbers_table(told)])


def numbers_table(told: Told) -> Markup:
    """Trials, what each does where it is first named, and their numbers."""
    bodies, explained = [], dict(told.terms)
    for trial in dict.fromkeys(number.trial for number in told.numbers):
        own = [number for number in told.numbers if number.trial == trial]
        says = explained.pop(own[0].row.trial, "")
        name = join([trial, tag("small", f"{says}.") if says else None])
        title = tag("tr", tag("th", name, scope="rowgroup", colspan=len(told.names) + 2), class_="group")
        rows = [number_row(number, told.names, told.better.get(number.asked, ())) for number in own]
        bodies.append(tag("tbody", title, *rows))
    return table("Every number of every trial", ["", *told.names, "n"], bodies, "measures")


def read_as(told: Told) -> str:
    """What stands in the table, and what is bold in it."""
    says = "Below each number is its 95 % interval; n is how many examples it is of."
    if len(told.groups) == 1:
        return says
    first = told.names[0]
    than = "the other" if len(told.groups) == 2 else f"{first} ({first} itself: better than all others)"
    return f"{says} Bold: shown to be better than {than} by a paired test, see Differences."


def number_row(number: Number, names: Sequence[str], better: Collection[str] = ()) -> Markup:
    """One number in all columns, bold in those that are shown to be better."""
    cells = [cell(score, name in better) for name, score in zip(names, number.scores, strict=True)]
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
