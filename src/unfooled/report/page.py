"""A story as one HTML file that asks nobody for anything and lets no text become code."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from unfooled.report.cases import cases_section
from unfooled.report.charts import heat_map
from unfooled.report.cloud import clouded
from unfooled.report.curves import plotted
from unfooled.report.excerpts import excerpts_sections
from unfooled.report.markup import Markup, join, tag
from unfooled.report.story import Matrix, Plot, Story
from unfooled.report.tables import (
    checks_table,
    costs_table,
    definitions,
    facts_table,
    gaps_table,
    matrix_table,
    measures_table,
    standings_table,
)
from unfooled.report.verdict_chart import verdict_chart

TABLED = 12  # classes; a larger matrix is a picture


def page(story: Story) -> str:
    """The whole page; the same story gives the same bytes."""
    style, script = own_file("page.css"), own_file("page.js")
    sections = [section for section in all_sections(story) if section[2]]
    links = [tag("a", name, href=f"#{key}") for key, name, _ in sections]
    body = [
        tag("a", "Skip to the numbers", href="#numbers", class_="skip"),
        tag("header", tag("p", "unfooled", class_="brand"), tag("h1", story.title), tag("p", story.subtitle)),
        tag("nav", *links, aria_label="Sections"),
        tag("main", *(content for _, _, content in sections)),
        tag("footer", tag("p", "Made by unfooled. This page loads nothing and sends nothing.")),
        Markup(f"<script>{script}</script>") if story.cases or story.attacked else None,
    ]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(style, script)),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("meta", name_="referrer", content="no-referrer"),
        tag("title", story.title),
        Markup(f"<style>{style}</style>"),
    ]
    return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', *body), lang='en')}\n"


def own_file(name: str) -> str:
    """A file of this room; it must not be able to end the element it stands in."""
    text = files("unfooled.report").joinpath(name).read_text(encoding="utf-8")
    if "</" in text.lower():
        raise ValueError(f"{name} must not hold the characters </")
    return text


def policy(style: str, script: str) -> str:
    """What a browser may do with the page: use this style, run this script, nothing else."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def all_sections(story: Story) -> list[tuple[str, str, Markup]]:
    """Every section as (key, name in the navigation, content); empty where there is nothing to tell."""
    return [
        ("verdict", "Verdict", verdict(story)),
        ("numbers", "Numbers", numbers(story)),
        ("differences", "Differences", differences(story)),
        ("curves", "Curves", plots("curves", "How much change it takes", story.plots)),
        *excerpts_sections(story.excerpts),
        ("checks", "Behaviour", checks(story)),
        ("confusions", "Confusions", matrices(story)),
        ("map", "Map", clouds(story)),
        ("training", "Training", plots("training", "Training", story.training)),
        ("fooled", "Fooled sentences", cases_section(story)),
        ("repair", "Repair", repair(story)),
        ("record", "Record", record(story)),
    ]


def section(key: str, title: str, *parts: Markup | None) -> Markup:
    """A section under its heading."""
    return tag("section", tag("h2", title), *parts, id=key)


def verdict(story: Story) -> Markup:
    """The headline, the chart of both axes, and what makes numbers doubtful."""
    placed = any(one.fickleness and one.obstinacy for one in story.standings)
    warnings = [tag("li", warning) for warning in story.warnings]
    notes = tag("aside", tag("h3", "Read with care"), tag("ul", *warnings), class_="warnings") if warnings else None
    return section(
        "verdict",
        "Verdict",
        *(tag("p", held(said), class_="lead" if not place else None) for place, said in enumerate(story.headline)),
        tag("figure", verdict_chart(story.standings), class_="verdict") if placed else None,
        tag("details", tag("summary", "What the verdict is made of"), standings_table(story.standings))
        if story.standings
        else None,
        notes,
    )


def held(sentence: str) -> str:
    """The sentence with no line break between a number and its per cent sign."""
    return sentence.replace(" %", "\u00a0%")


def numbers(story: Story) -> Markup:
    """The table of all models and trials."""
    return section(
        "numbers", "Numbers", measures_table(story.models, story.measures), definitions(story.measures, story.intervals)
    )


def differences(story: Story) -> Markup:
    """What the differences are worth, and what each way of training costs."""
    if not story.gaps and not story.costs:
        return Markup()
    return section(
        "differences",
        "Differences",
        tag("p", story.support) if story.support else None,
        gaps_table(story.gaps) if story.gaps else None,
        costs_table(story.costs) if story.costs else None,
    )


def plots(key: str, title: str, own: Sequence[Plot]) -> Markup:
    """Pictures side by side, each with its sentence."""
    if not own:
        return Markup()
    figures = [
        tag("figure", tag("h3", plot.title), plotted(plot), tag("figcaption", plot.says) if plot.says else None)
        for plot in own
    ]
    return section(key, title, tag("div", *figures, class_="figures"))


def checks(story: Story) -> Markup:
    """Behavioural tests."""
    return section("checks", "Behaviour", checks_table(story.models, story.checks)) if story.checks else Markup()


def matrices(story: Story) -> Markup:
    """Confusions and label distances."""
    if not story.matrices:
        return Markup()
    return section(
        "confusions", "Confusions", tag("div", *(matrix_figure(one) for one in story.matrices), class_="figures")
    )


def matrix_figure(matrix: Matrix) -> Markup:
    """A small matrix as a table, a large one as a picture."""
    if len(matrix.labels) <= TABLED:
        return tag("figure", matrix_table(matrix))
    return tag("figure", Markup(heat_map(matrix.rows, matrix.labels, matrix.title)), class_="wide")


def clouds(story: Story) -> Markup:
    """Sentences on a plane."""
    if not story.clouds:
        return Markup()
    figures = [tag("figure", tag("h3", cloud.title), clouded(cloud)) for cloud in story.clouds]
    says = dict.fromkeys(cloud.says for cloud in story.clouds if cloud.says)
    return section(
        "map", "Map of sentences", *(tag("p", said) for said in says), tag("div", *figures, class_="figures")
    )


def repair(story: Story) -> Markup:
    """The command that trains a sturdier model."""
    if not story.repair:
        return Markup()
    lines = tag("pre", tag("code", join([*story.repair], "\n")), tabindex="0")
    return section(
        "repair",
        "Repair",
        tag("p", "To train against what was found here, measure again, and see both on one page:"),
        lines,
    )


def record(story: Story) -> Markup:
    """Settings, versions and hashes."""
    if not story.facts:
        return Markup()
    return section("record", "Record", *(facts_table(facts) for facts in story.facts))
