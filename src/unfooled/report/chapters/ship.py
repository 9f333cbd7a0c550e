"""Ship it? What was required of each model and whether it holds, by the gate's own rule; or what each would pass."""

import shlex
from collections.abc import Mapping, Sequence

from unfooled.report.chapter import Chapter
from unfooled.report.chapters.verdict import held
from unfooled.report.groups import Group
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tables import row, table
from unfooled.report.told import Number, Told
from unfooled.results.requirements import Ruling, parsed, required_rows, row_name, strictest
from unfooled.scores.score import Score, printed
from unfooled.trials.trial import AXES

RULE = (
    "A number holds where its whole 95 % interval does, not where the number itself does: luck alone does not pass. "
    "That is how unfooled gate decides, which is made for continuous integration."
)
OPEN = (
    "That depends on what must hold, and nobody has said so: this page does not decide. It says which bar each model "
    "would pass, going by the far end of its 95 % interval, as unfooled gate does:"
)
UNDER_ATTACK, WORST = "accuracy_under_attack", "worst_case_accuracy"
Named = tuple[str, str, str]  # a number: its title, its name in a requirement, its unit
FEW_NUMBERS = 3  # of models that are not asked for the right answer


def content(told: Told) -> Markup:
    """A yes or a no for each model where something was required, what each would pass elsewhere."""
    return decided(told) if told.requirements else undecided(told)


def decided(told: Told) -> Markup:
    """Which requirements each column holds."""
    answers = [tag("p", *answer(group, own(told.rulings, group)), class_="lead") for group in told.groups]
    asked = dict.fromkeys((ruling.requirement.text, ruling.name) for ruling in told.rulings)
    rows = [
        row(
            join([tag("code", text), tag("small", name) if not text.startswith(f"{name} ") else None]),
            *(ruled([one for one in own(told.rulings, group) if (one.requirement.text, one.name) == (text, name)])
              for group in told.groups),
        )
        for text, name in asked
    ]  # fmt: skip
    caption = "What was required, and the end of each interval that decides"
    return join([*answers, table(caption, ["", *told.names], [tag("tbody", *rows)], "rules"), tag("p", RULE)])


def own(rulings: Sequence[Ruling], group: Group) -> list[Ruling]:
    """The rulings on the models of a column."""
    return [one for one in rulings if one.model in group.members]


def answer(group: Group, rulings: Sequence[Ruling]) -> list[str | Markup]:
    """Yes or no."""
    failed = sum(not one.passed for one in rulings)
    if not failed:
        return [tag("b", "Yes: ", class_="clear"), f"{group.name} holds all that was required."]
    return [tag("b", "No: ", class_="missed"), f"{group.name} misses {failed} of {len(rulings)} requirements."]


def ruled(rulings: Sequence[Ruling]) -> Markup:
    """Whether the models of a column hold a requirement, and by which end: the worst of several seeds."""
    scores = [one.score for one in rulings if one.score is not None]
    if not rulings or len(scores) < len(rulings):
        return tag("td", tag("b", "not measured", class_="missed"), class_="number")
    low = rulings[0].requirement.at_least
    worst = min(scores, key=lambda score: score.low if low else -score.high)
    end = printed(worst.low if low else worst.high, worst.unit)
    passed = all(one.passed for one in rulings)
    word = tag("b", "holds" if passed else "does not hold", class_="clear" if passed else "missed")
    return tag("td", word, tag("small", f"{'at least' if low else 'at most'} {end}, n {worst.n}"), class_="number")


def undecided(told: Told) -> Markup:
    """What each column would pass, and how to ask."""
    numbers = thresholds(told)
    if not numbers:
        return Markup()
    rows = [
        row(join([title, tag("small", tag("code", name))]), *(bound(one, unit) for one in bounds))
        for (title, name, unit), bounds in numbers.items()
    ]
    bars = [(group, bar(told, place, numbers)) for place, group in enumerate(told.groups)]
    first = {name: next(filter(None, bounds)) for (_, name, _), bounds in numbers.items()}
    asked = [f"{name} {bound}" for name, bound in first.items() if parsed(f"number {bound}").threshold][:2]
    options = "".join(f" --require {shlex.quote(text)}" for text in asked)
    caption = "The strictest bars that each would pass"
    bars_table = table(caption, ["", *told.names], [tag("tbody", *rows)], "rules")
    return join(
        [
            tag("p", OPEN),
            *(tag("p", tag("b", group.name), held(f": {said}."), class_="lead") for group, said in bars),
            tag("details", tag("summary", "All bars, and how a requirement spells them"), bars_table),
            tag("p", "To get a yes or a no, say what must hold:") if asked else None,
            tag("pre", tag("code", f"unfooled report RESULTS{options}"), tabindex="0") if asked else None,
        ]
    )


def bar(told: Told, place: int, numbers: Mapping[Named, Sequence[str | None]]) -> str:
    """What a column would pass, in words: as texts are, and at the worst."""
    bars = {
        name: in_a_sentence(one, unit) for (_, name, unit), own in numbers.items() if (one := own[place]) is not None
    }
    right = [*told.all_of("accuracy")[:1], *(told.all_of(WORST) or filter(None, [told.hardest]))]
    said = [f"{bars[name]} {in_words(one)}" for one in right if (name := row_name(one.row)) in bars]
    said = said or [f"{one.name} {bars[name]}" for one in telling(told) if (name := row_name(one.row)) in bars]
    return ", ".join(said) or "none that was measured"


def in_words(number: Number) -> str:
    """Right answers as one says it."""
    if number.row.metric == WORST:
        return "right under the worst of the attacks"
    return f"right under {number.trial}" if number.row.metric == UNDER_ATTACK else "right on texts as they are"


def in_a_sentence(threshold: str, unit: str) -> str:
    """A threshold in words."""
    end = parsed(f"number {threshold}")
    return f"{'at least' if end.at_least else 'at most'} {printed(end.threshold, unit)}"


def bound(threshold: str | None, unit: str) -> Markup:
    """A threshold in words, and as a requirement spells it."""
    if threshold is None:
        return tag("td", tag("span", "–", aria_label="not measured"), class_="number")
    return tag("td", in_a_sentence(threshold, unit), tag("small", threshold), class_="number")


def thresholds(told: Told) -> dict[Named, list[str | None]]:
    """The strictest threshold that all models of each column hold, by title, name and unit of the number."""
    rows = required_rows(told.results)
    wanted = {row_name(one.row): f"{one.trial}: {one.name}" for one in telling(told)}
    wanted |= {axis: axis for axis in AXES if any(row.metric == axis for row in rows)}
    found: dict[Named, list[str | None]] = {}
    for name, title in wanted.items():
        scores = {row.model: row.score for row in rows if row_name(row) == name}
        unit = next(iter(scores.values())).unit
        found[title, name, unit] = [strictest_of(group, scores) for group in told.groups]
    return {key: bounds for key, bounds in found.items() if any(bounds)}


def strictest_of(group: Group, scores: dict[str, Score]) -> str | None:
    """What every model of a column holds; None where one was not measured."""
    known = [scores[name] for name in group.members if name in scores]
    return strictest(known) if len(known) == len(group.members) else None


def telling(told: Told) -> list[Number]:
    """The numbers that decide: right answers as texts are, under each attack at its worst, under all; or the first."""
    attacked: dict[str, Number] = {}
    for one in told.all_of(UNDER_ATTACK):
        known = attacked.get(one.row.trial)
        if known is None or total(one) < total(known):
            attacked[one.row.trial] = one
    numbers = [*told.all_of("accuracy")[:1], *attacked.values(), *told.all_of(WORST)]
    better = [one for one in told.numbers if one.row.score.better and one.row.eps is None]
    return numbers or better[:FEW_NUMBERS]


def total(number: Number) -> float:
    """What all columns have together."""
    return sum(score.value for score in number.scores if score is not None)


CHAPTER = Chapter("Ship it?", content)
