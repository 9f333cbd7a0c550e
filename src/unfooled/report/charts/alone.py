"""The verdict's picture as a file of its own: an SVG that brings its style along, for model cards and slides."""

import re
from collections.abc import Sequence

from unfooled.report.charts.axes import HEIGHT, WIDTH
from unfooled.report.charts.verdict import verdict_chart
from unfooled.report.page import own_file
from unfooled.results.verdict import Verdict

WITH_MEDIA = re.compile(
    r"^@media (?:[^\n]*\}|.*?^\})$", re.MULTILINE | re.DOTALL
)  # the page's style by night, printed, …
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
FRAME = "svg { background: #ffffff; font-family: system-ui, Roboto, Arial, sans-serif; }"


def verdict_file(verdicts: Sequence[Verdict]) -> str:
    """The picture of both axes as an SVG document."""
    drawing = verdict_chart(verdicts).partition("</svg>")[0]
    head, _, body = drawing.partition(">")
    size = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{HEIGHT:g}"'
    return f"{head.replace('<svg', size, 1)}><style>{style_of(body)}</style>{body}</svg>\n"


def style_of(drawing: str) -> str:
    """As much of the page's style as a drawing has classes for, and its colours by day."""
    own = {name for names in re.findall(r'class="([^"]*)"', drawing) for name in names.split()}
    kept = [FRAME]
    for selectors, rule in RULE.findall(WITH_MEDIA.sub("", own_file("page.css"))):
        wanted = [one.strip() for one in selectors.split(",") if is_for(one, own)]
        kept += [f"{', '.join(wanted)} {{{rule}}}"] if wanted else []
    return "\n".join(kept)


def is_for(selector: str, classes: set[str]) -> bool:
    """Whether a rule is for something of these classes, or for the colours that all rules name.

    >>> is_for(".ticks .axis", {"ticks", "axis"}), is_for(".case p", {"ticks"}), is_for(":root", set())
    (True, False, True)
    """
    named = re.findall(r"\.([\w-]+)", selector)
    return selector.strip() == ":root" or (bool(named) and set(named) <= classes)
