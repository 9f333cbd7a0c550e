"""Results as one HTML file that asks nobody for anything and lets no text become code."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from unfooled.report.chapters import CHAPTERS
from unfooled.report.markup import Markup, tag
from unfooled.report.told import Told

NOTHING = "'none'"
Section = tuple[str, str, Markup]  # its id, its name in the navigation, and itself


def page(told: Told) -> str:
    """The whole page; the same results give the same bytes."""
    scripts = {name: own_file(chapter.script) for name, chapter in CHAPTERS.items() if chapter.script}
    return whole_page(told.title, told.subtitle, all_sections(told), scripts, told.about)


def whole_page(
    title: str, subtitle: str, sections: Sequence[Section], scripts: Mapping[str, str] | None = None, about: str = ""
) -> str:
    """Sections as a page; ``scripts`` go by the section that they belong to, ``about`` says what the page is."""
    style, own = own_file("page.css"), scripts or {}
    links = [tag("a", name, href=f"#{key}") for key, name, _ in sections]
    numbers = next((key for key, _, _ in sections if key == "numbers"), sections[0][0])
    intro = tag("p", about, class_="about") if about else None
    body = [
        tag("a", "Skip to the numbers", href=f"#{numbers}", class_="skip"),
        tag("header", tag("p", "unfooled", class_="brand"), tag("h1", title), tag("p", subtitle), intro),
        tag("nav", *links, aria_label="Sections"),
        tag("main", *(content for _, _, content in sections)),
        tag("footer", tag("p", "Made by unfooled. This page loads nothing and sends nothing.")),
        *(Markup(f"<script>{own[key]}</script>") for key, _, _ in sections if key in own),
    ]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(style, own.values())),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("meta", name_="referrer", content="no-referrer"),
        tag("title", title),
        Markup(f"<style>{style}</style>"),
    ]
    return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', *body), lang='en')}\n"


def all_sections(told: Told) -> list[Section]:
    """Every section that has something to tell, as (id, name in the navigation, the section)."""
    sections = []
    for name, chapter in CHAPTERS.items():
        content = chapter.content(told)
        if isinstance(content, Markup):
            sections.append((name, chapter.title, chapter.heading or chapter.title, content))
        else:
            sections += [(f"{name}-{place}", title, title, one) for place, (title, one) in enumerate(content.items())]
    return [
        (key, title, tag("section", tag("h2", heading), content, id=key))
        for key, title, heading, content in sections
        if content
    ]


def own_file(name: str) -> str:
    """A file of this room; it must not be able to end the element it stands in."""
    text = files("unfooled.report").joinpath(name).read_text(encoding="utf-8")
    if "</" in text.lower():
        raise ValueError(f"{name} must not hold the characters </")
    return text


def policy(style: str, scripts: Iterable[str]) -> str:
    """What a browser may do with the page: use this style, run these scripts, nothing else."""
    first, *others = [f"'sha256-{hashed(text)}'" for text in (style, *scripts)]
    return (
        f"default-src 'none'; style-src {first}; script-src {' '.join(others) or NOTHING}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def hashed(text: str) -> str:
    """The SHA-256 of a text, as a policy spells it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
