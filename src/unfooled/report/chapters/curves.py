"""Numbers over the size of a change, for every trial that has a curve."""

from unfooled.report.chapter import Chapter
from unfooled.report.charts.lines import Line, Plot, figures
from unfooled.report.groups import Group, combined
from unfooled.report.markup import Markup
from unfooled.report.told import Told
from unfooled.scores.score import Score
from unfooled.trials.trial import Answers, Curve


def content(told: Told) -> Markup:
    """The curves, side by side."""
    return figures([plot for plot in plots(told) if plot.curved])


def plots(told: Told) -> list[Plot]:
    """A picture of each trial's curve, one line a column."""
    drawn = []
    curves = {one.trial: one.form.curve for one in told.results.trials if one.form.curve is not None}
    for trial, curve in curves.items():
        points = {
            one.model: {at: (score, answers) for at, score, answers in curve.points(one.briefs)}
            for one in told.results.trials
            if one.trial == trial
        }
        drawn.append(plot(trial, curve, points, told.groups))
    return drawn


def plot(
    trial: str, curve: Curve, points: dict[str, dict[float, tuple[Score, Answers]]], groups: tuple[Group, ...]
) -> Plot:
    """One trial's curve; ``points`` are those of each model."""
    lines = []
    for group in groups:
        places = sorted({at for name in group.members for at in points.get(name, {})})
        line = []
        for at in places:
            own = {name: points[name][at] for name in group.members if at in points.get(name, {})}
            scores, answers = {name: one[0] for name, one in own.items()}, {name: one[1] for name, one in own.items()}
            score = combined(group, scores, answers)
            line += [] if score is None else [(at, score)]
        lines.append(Line(group.name, tuple(line)))
    return Plot(curve.title.format(trial=trial), curve.across, curve.up, tuple(lines), curve.says)


CHAPTER = Chapter("Curves", content, "How much change it takes")
