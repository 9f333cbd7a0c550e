"""Numbers as tables: every one with its interval and n, readable aloud and on a phone."""

import math
from collections.abc import Iterable, Sequence

from unfooled.report.markup import Child, Markup, join, tag
from unfooled.report.story import Check, Cost, Facts, Gap, Matrix, Measure, Number, Standing

SHADES = 10
CERTAIN = 0.05


def table(caption: str, head: Sequence[Child], bodies: Iterable[Markup], class_: str | None = None) -> Markup:
    """A table in a frame that scrolls by itself, with the keyboard too."""
    top = tag("thead", tag("tr", *(tag("th", cell, scope="col") for cell in head)))
    whole = tag("table", tag("caption", caption), top, *bodies, class_=class_)
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def row(name: Child, *cells: Markup) -> Markup:
    """A row whose first cell names it."""
    return tag("tr", tag("th", name, scope="row"), *cells)


def shown(value: float, share: bool) -> str:
    """A value as it is printed: shares in per cent."""
    if not math.isfinite(value):
        return "unknown"
    return f"{100 * value:.1f} %" if share else f"{value:.4g}"


def interval(number: Number, share: bool) -> str | None:
    """The interval as it is printed, None where there is none."""
    if number.low is None or number.high is None or not math.isfinite(number.value + number.low + number.high):
        return None
    between = "to" if number.low < 0 else "–"
    if share:
        return f"{100 * number.low:.1f} {between} {100 * number.high:.1f}"
    return f"{number.low:.3g} {between} {number.high:.3g}"


def cell(number: Number | None, share: bool, best: bool = False) -> Markup:
    """A number with its interval below it."""
    if number is None:
        return tag("td", tag("span", "–", aria_label="not measured"), class_="number")
    words = interval(number, share)
    small = None if words is None else tag("small", words)
    return tag("td", tag("b" if best else "span", shown(number.value, share)), small, class_="number")


def measures_table(models: Sequence[str], measures: Sequence[Measure]) -> Markup:
    """Trials and their numbers, one column a model."""
    bodies = []
    for trial in dict.fromkeys(measure.trial for measure in measures):
        own = [measure for measure in measures if measure.trial == trial]
        title = tag("tr", tag("th", trial, scope="rowgroup", colspan=len(models) + 2), class_="group")
        bodies.append(tag("tbody", title, *(measure_row(measure) for measure in own)))
    return table("Every model in every trial, with 95 % intervals", ["", *models, "n"], bodies, "measures")


def measure_row(measure: Measure) -> Markup:
    """One measure of all models, the best in bold."""
    known = [number.value for number in measure.numbers if number and math.isfinite(number.value)]
    best = {"more": max, "less": min}.get(measure.better, lambda values: math.nan)(known) if len(known) > 1 else None
    cells = [
        cell(number, measure.share, number is not None and number.value == best and min(known) < max(known))
        for number in measure.numbers
    ]
    sizes = dict.fromkeys(str(number.n) for number in measure.numbers if number is not None)
    return row(measure.name, *cells, tag("td", " / ".join(sizes), class_="number"))


def definitions(measures: Sequence[Measure], note: str) -> Markup:
    """What each number counts."""
    named = {measure.name: measure.definition for measure in measures if measure.definition}
    terms = [join([tag("dt", name), tag("dd", meaning)]) for name, meaning in named.items()]
    return tag("details", tag("summary", "What each number means"), tag("dl", *terms), tag("p", note))


def gaps_table(gaps: Sequence[Gap]) -> Markup:
    """Differences between models, with what chance alone would do."""
    paired = any(gap.only_first is not None for gap in gaps)
    head = ["", "between", "difference", *(["only first right", "only second right"] if paired else [])]
    rows = []
    for gap in gaps:
        counts = [
            tag("td", "–" if count is None else str(count), class_="number")
            for count in (gap.only_first, gap.only_second)
        ]
        clear = gap.corrected < CERTAIN
        words = "differs" if clear else "not shown to differ"
        rows.append(
            row(
                gap.measure,
                tag("td", f"{gap.first} → {gap.second}"),
                signed(gap.difference),
                *(counts if paired else []),
                tag("td", chance(gap.p), class_="number", title=gap.test),
                tag("td", tag("b", chance(gap.corrected)) if clear else chance(gap.corrected), class_="number"),
                tag("td", words, class_="clear" if clear else None),
            )
        )
    caption = "Differences in points, with 95 % intervals"
    return table(caption, [*head, "p", "p, Holm", f"at {CERTAIN:g}"], [tag("tbody", *rows)], "gaps")


def signed(number: Number) -> Markup:
    """A difference in points, with its sign."""
    words = None
    if number.low is not None and number.high is not None:
        words = tag("small", f"{100 * number.low:+.1f} to {100 * number.high:+.1f}")
    return tag("td", tag("span", f"{100 * number.value:+.1f}"), words, class_="number")


def chance(p: float) -> str:
    """A p value as it is printed."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def standings_table(standings: Sequence[Standing]) -> Markup:
    """Both coordinates of each model and what they are made of."""
    bodies = []
    for one in standings:
        rows = [row(one.model, tag("td"), cell(one.fickleness, True), cell(one.obstinacy, True))]
        for axis, name, number in one.parts:
            own = cell(number, True)
            empty = tag("td")
            pair = [own, empty] if axis == "fickleness" else [empty, own]
            rows.append(tag("tr", tag("th", "", scope="row"), tag("td", name), *pair, class_="part"))
        bodies.append(tag("tbody", *rows))
    return table("What the verdict is made of", ["", "trial", "fickleness", "obstinacy"], bodies)


def costs_table(costs: Sequence[Cost]) -> Markup:
    """What each way of training takes and gains, beside the first."""
    names = list(dict.fromkeys(name for cost in costs for name, _ in cost.gains))
    rows = []
    for cost in costs:
        times = cost.seconds.value / costs[0].seconds.value if costs[0].seconds.value else math.nan
        gains = dict(cost.gains)
        rows.append(
            row(
                cost.method,
                cell(cost.seconds, False),
                tag("td", f"{times:.2f} ×", class_="number"),
                cell(cost.megabytes, False),
                *(signed(gains[name]) if name in gains else tag("td", "–", class_="number") for name in names),
            )
        )
    head = ["", "seconds a training", f"beside {costs[0].method}", "peak memory, MB", *names]
    return table("What each way of training costs and gains, in points", head, [tag("tbody", *rows)])


def checks_table(models: Sequence[str], checks: Sequence[Check]) -> Markup:
    """Failure rates of behavioural tests, with a failure to look at."""
    rows = []
    for check in checks:
        shows = [tag("p", failure) for failure in check.failures]
        look = tag("details", tag("summary", "see"), *shows) if shows else None
        rows.append(
            row(check.name, tag("td", check.kind), *(cell(number, True) for number in check.numbers), tag("td", look))
        )
    head = ["test", "kind", *models, "failures"]
    return table("Behavioural tests: how often each model fails", head, [tag("tbody", *rows)], "checks")


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


def facts_table(facts: Facts) -> Markup:
    """Names and values."""
    rows = [row(name, tag("td", tag("code", value))) for name, value in facts.rows]
    return table(facts.title, ["name", "value"], [tag("tbody", *rows)], "facts")
