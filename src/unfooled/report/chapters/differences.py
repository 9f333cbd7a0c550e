"""What differences between models or methods are worth, and what each method costs and gains."""

import math
from collections.abc import Sequence

from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tables import cell, row, table
from unfooled.report.tested import CERTAIN, GroupDifference
from unfooled.report.told import Told
from unfooled.scores.differences import supports
from unfooled.scores.intervals import mean
from unfooled.scores.score import Score


def content(told: Told) -> Markup:
    """What so many seeds can show, the differences, and the costs."""
    costly = [group for group in told.groups if group.seconds]
    if not told.differences and not costly:
        return Markup()
    seeds = min(len(group.members) for group in told.groups)
    return join(
        [
            tag("p", supports(seeds)) if len(told.groups) > 1 else None,
            tag("p", *means(told.differences)) if told.differences else None,
            differences_table(told.differences) if told.differences else None,
            costs_table(told) if costly else None,
        ]
    )


def means(differences: Sequence[GroupDifference]) -> list[str | Markup]:
    """What p is, and what it is called a difference by."""
    tests = "; ".join(dict.fromkeys(one.test for one in differences))
    return [
        tag("dfn", "p"),
        f" is how often chance alone would make a difference at least as large between equals ({tests}). Whoever asks "
        "many questions finds chance somewhere, so ",
        tag("dfn", "p, Holm"),
        f" is corrected for how many were asked, and two are said to differ where that is below {CERTAIN:g}. Not shown "
        "to differ does not mean equal: more examples might show it.",
    ]


def differences_table(differences: Sequence[GroupDifference]) -> Markup:
    """Differences between models, with what chance alone would do."""
    paired = any(one.only_first is not None for one in differences)
    rows = []
    for one in differences:
        counts = [
            tag("td", "–" if count is None else str(count), class_="number")
            for count in (one.only_first, one.only_second)
        ]
        corrected = chance(one.corrected)
        rows.append(
            row(
                one.title,
                tag("td", f"{one.first} → {one.second}"),
                signed(one),
                *(counts if paired else []),
                tag("td", chance(one.difference.p), class_="number"),
                tag("td", tag("b", corrected) if one.clear else corrected, class_="number"),
                tag("td", "differs" if one.clear else "not shown to differ", class_="clear" if one.clear else None),
            )
        )
    head = ["", "between", "difference", *(["only first right", "only second right"] if paired else [])]
    where = ", of shares in points," if any(one.unit for one in differences) else " in points,"
    caption = f"Differences{where} with 95 % intervals"
    return table(caption, [*head, "p", "p, Holm", f"at {CERTAIN:g}"], [tag("tbody", *rows)], "gaps")


def signed(one: GroupDifference) -> Markup:
    """A difference with its sign and its interval."""
    value, low, high = (one.signed(end) for end in (one.difference.value, one.difference.low, one.difference.high))
    words = f"{value} {one.unit}".rstrip()
    return tag("td", tag("span", words), tag("small", f"{low} to {high}"), class_="number")


def chance(p: float) -> str:
    """A p value as it is printed."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def costs_table(told: Told) -> Markup:
    """What each way of training takes over its seeds, beside the first; what it gains clean and under attack."""
    gains = {(one.title, one.second): one for one in told.differences if shown(told, one)}
    names = list(dict.fromkeys(name for name, _ in gains))
    groups = [group for group in told.groups if group.seconds]
    first = averaged(groups[0].seconds)
    rows = []
    for group in groups:
        seconds = averaged(group.seconds)
        times = seconds.value / first.value if first.value else math.nan
        own = [gains.get((name, group.name)) for name in names]
        rows.append(
            row(
                group.name,
                cell(seconds),
                tag("td", f"{times:.2f} ×", class_="number"),
                cell(averaged(group.megabytes) if group.megabytes else None),
                *(tag("td", "–", class_="number") if one is None else signed(one) for one in own),
            )
        )
    head = ["", "seconds a training", f"beside {groups[0].name}", "peak memory, MB", *names]
    return table("What each way of training costs and gains, in points", head, [tag("tbody", *rows)])


def shown(told: Told, one: GroupDifference) -> bool:
    """Whether a difference is of the accuracy on texts as they are, or under the hardest attack."""
    hardest = None if told.hardest is None else (told.hardest.row.trial, told.hardest.row.metric, told.hardest.row.eps)
    return one.question.metric == "accuracy" or (one.trial, one.question.metric, one.question.eps) == hardest


def averaged(values: Sequence[float]) -> Score:
    """A mean with Student's interval over seeds."""
    return mean(values, "", least=0.0).called("", "", "less")


CHAPTER = Chapter("Differences", content)
