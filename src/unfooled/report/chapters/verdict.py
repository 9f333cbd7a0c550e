"""The page in a few sentences, the chart of both axes, and what makes numbers doubtful."""

from collections.abc import Sequence

from unfooled.report.chapter import Chapter
from unfooled.report.charts.verdict import coordinates, verdict_chart
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tables import cell, row, table
from unfooled.report.told import Number, Told
from unfooled.results.verdict import Verdict
from unfooled.trials.trial import AXES

OF_LANGUAGE = ("perplexity", "perplexity_under_attack", "BLEU", "changed")  # metrics that the headline tells


def content(told: Told) -> Markup:
    """The headline, the chart, what it is made of, and the warnings."""
    warnings = [tag("li", warning) for warning in told.results.warnings]
    placed = any(coordinates(one) for one in told.standings)
    return join(
        [
            *(tag("p", held(said), class_="lead" if not place else None) for place, said in enumerate(headline(told))),
            tag("figure", verdict_chart(told.standings), class_="verdict") if placed else None,
            tag("details", tag("summary", "What the verdict is made of"), parts_table(told.standings))
            if told.standings
            else None,
            tag("aside", tag("h3", "Read with care"), tag("ul", *warnings), class_="warnings") if warnings else None,
        ]
    )


def held(sentence: str) -> str:
    """The sentence with no line break between a number and its per cent sign."""
    return sentence.replace(" %", "\u00a0%")


def headline(told: Told) -> list[str]:
    """What is left of each model under the hardest attack, what is shown to differ, where each stands."""
    return [*of_answers(told), *of_language(told), *of_differences(told), *of_standings(told)]


def listed(told: Told, number: Number) -> str:
    """Each column with its number."""
    pairs = zip(told.names, number.scores, strict=True)
    return ", ".join(f"{name} {score.text}" for name, score in pairs if score is not None)


def of_answers(told: Told) -> list[str]:
    """How many texts are answered rightly, as they are and under the hardest attack."""
    clean = told.all_of("accuracy")[:1]
    sentences = [f"Texts as they are: {listed(told, number)} right." for number in clean]
    if clean and told.hardest is not None:
        sentences.append(f"Under {told.hardest.trial}: {listed(told, told.hardest)}.")
    return [" ".join(sentences)] if sentences else []


def of_language(told: Told) -> list[str]:
    """How surprised language models are, how well translators translate, and what one moved word changes."""
    known = {name: [one for one in told.numbers if one.row.metric == name] for name in OF_LANGUAGE}
    sentences = []
    if known["perplexity"]:
        surprise = f"Perplexity of the texts as they are: {listed(told, known['perplexity'][0])}."
        if known["perplexity_under_attack"]:
            most = max(known["perplexity_under_attack"], key=lambda one: one.row.eps or 0.0)
            surprise += f" With one word a segment moved by {most.row.eps:g}: {listed(told, most)}."
        sentences.append(f"{surprise} Lower is better.")
    sentences += [f"BLEU of the translations: {listed(told, one)}." for one in known["BLEU"]]
    return sentences + [
        f"One moved word changes what is written ({one.row.trial.replace('_', ' ')}): {listed(told, one)}."
        for one in known["changed"]
    ]


def of_differences(told: Told) -> list[str]:
    """The largest difference that is shown, of each unit; or that there is none."""
    clear = [one for one in told.differences if one.clear]
    if told.differences and not clear:
        return ["These data show no difference between them."]
    largest = {
        unit: max((one for one in clear if one.unit == unit), key=lambda one: abs(one.difference.value))
        for unit in dict.fromkeys(one.unit for one in clear)
    }
    return [
        f"The largest difference that these data show{f' in {unit}' if unit else ''}: {one.title}, {one.text} from "
        f"{one.first} to {one.second}."
        for unit, one in largest.items()
    ]


def of_standings(told: Told) -> list[str]:
    """Where each column stands."""
    return [
        f"{one.model} changes its answer though the meaning holds in {both[0].text} of cases, and keeps it "
        f"though the meaning changes in {both[1].text}."
        for one in told.standings
        if (both := coordinates(one)) is not None
    ]


def parts_table(standings: Sequence[Verdict]) -> Markup:
    """Both coordinates of each model and what they are made of."""
    bodies = []
    for one in standings:
        rows = [row(one.model, tag("td"), *(cell(one.axes[axis].score) for axis in AXES))]
        for axis in AXES:
            for name, score in one.axes[axis].parts.items():
                pair = [cell(score) if other == axis else tag("td") for other in AXES]
                rows.append(tag("tr", tag("th", "", scope="row"), tag("td", name), *pair, class_="part"))
        bodies.append(tag("tbody", *rows))
    return table("What the verdict is made of", ["", "trial", *AXES], bodies)


CHAPTER = Chapter("Verdict", content)
