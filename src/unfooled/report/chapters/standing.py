"""Where each model stands on two axes, in a picture whose good corner is the same on every page."""

from collections.abc import Sequence

from unfooled.report.chapter import Chapter
from unfooled.report.chapters.verdict import held
from unfooled.report.charts.verdict import GOOD, coordinates, verdict_chart
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tables import cell, row, table
from unfooled.report.told import Told
from unfooled.results.verdict import FEW, Verdict
from unfooled.trials.trial import AXES

MEANS = (
    tag("dfn", "Fickleness"),
    " is how often an answer changes though the meaning does not; ",
    tag("dfn", "obstinacy"),
    " is how often it stays though the meaning changes. A model can buy one with the other: one that always says the "
    "same is never fickle, and wholly obstinate.",
)
READ = (
    f"Both axes go from 0 to 100 %, and the shaded corner is where both are {100 * GOOD:.0f} % or less, whatever the "
    "data: it means the same on every page. Lines through a point are its 95 % intervals."
)


def content(told: Told) -> Markup:
    """What the axes mean, where each model stands, the picture, and what the coordinates are made of."""
    if not told.standings:
        return Markup()
    placed = any(coordinates(one) for one in told.standings)
    picture = tag("figure", verdict_chart(told.standings), tag("figcaption", held(READ)), class_="verdict")
    return join(
        [
            tag("p", *MEANS),
            *(tag("p", held(said)) for said in [*of_standings(told.standings), *unmeasured(told.standings)]),
            picture if placed else None,
            *(tag("p", said) for said in left_out(told.standings)),
            tag("details", tag("summary", "What the two numbers are made of"), parts_table(told.standings)),
        ]
    )


def of_standings(standings: Sequence[Verdict]) -> list[str]:
    """Where each column stands."""
    return [
        f"{one.model} changes its answer though the meaning holds in {both[0].text} of cases, and keeps it "
        f"though the meaning changes in {both[1].text}."
        for one in standings
        if (both := coordinates(one)) is not None
    ]


def unmeasured(standings: Sequence[Verdict]) -> list[str]:
    """Which axis nobody has a number on."""
    return [
        f"{axis.capitalize()} was not measured here, so there is no picture of both."
        for axis in AXES
        if all(one.axes[axis].score is None for one in standings)
    ]


def left_out(standings: Sequence[Verdict]) -> list[str]:
    """Which parts do not count, and why; and which count though they are small, because there are no others."""
    dropped = {
        (axis, part, why): None
        for one in standings
        for axis in AXES
        for part, why in sorted(one.axes[axis].left_out.items())
    }
    small = {
        (axis, part): None
        for one in standings
        for axis in AXES
        for part, score in one.axes[axis].parts.items()
        if score.n < FEW and part not in one.axes[axis].left_out
    }
    return [f"Left out of {axis}: {part} ({why})." for axis, part, why in dropped] + [
        f"{axis.capitalize()} rests on fewer than {FEW} examples of {part}; do not build on it." for axis, part in small
    ]


def parts_table(standings: Sequence[Verdict]) -> Markup:
    """Both coordinates of each model, what they are made of, and what was left out."""
    bodies = []
    for one in standings:
        rows = [row(one.model, tag("td"), *(cell(one.axes[axis].score) for axis in AXES), tag("td"))]
        for axis in AXES:
            for name, score in one.axes[axis].parts.items():
                pair = [cell(score) if other == axis else tag("td") for other in AXES]
                said = f"{name}, left out" if name in one.axes[axis].left_out else name
                size = tag("td", str(score.n), class_="number")
                rows.append(tag("tr", tag("th", "", scope="row"), tag("td", said), *pair, size, class_="part"))
        bodies.append(tag("tbody", *rows))
    return table(
        "What the two numbers are made of: each is the mean of its parts", ["", "part", *AXES, "n"], bodies, "parts"
    )


CHAPTER = Chapter("Two axes", content, "Fickle or obstinate?")
