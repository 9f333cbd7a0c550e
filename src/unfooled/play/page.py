"""The page as it is sent: places with their names, one style, one module, and every text as inert data."""

from importlib.resources import files

from unfooled.play.wording import english, say
from unfooled.report.markup import Markup, data, tag
from unfooled.report.page import hashed, own_file

SECTIONS = ("type", "fool", "turn", "sitting")


def style() -> str:
    """The report's style, and what this page adds to it."""
    return own_file("page.css") + room_file("play.css")


def module() -> str:
    """The one script."""
    return room_file("play.js")


def room_file(name: str) -> str:
    """A file of this room; it must not be able to end the element it stands in."""
    text = files("unfooled.play").joinpath(name).read_text(encoding="utf-8")
    if "</" in text:
        raise ValueError(f"{name} must not hold the characters </")
    return text


def policy() -> str:
    """What a browser may do with the page: this style, this module, questions to where it came from, nothing else."""
    return (
        f"default-src 'none'; style-src 'sha256-{hashed(style())}'; script-src 'sha256-{hashed(module())}'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def page() -> str:
    """The whole page; the same for every model, which its script asks for."""
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("meta", name_="referrer", content="no-referrer"),
        tag("link", rel="icon", href="data:,"),
        tag("title", say("title")),
        Markup(f"<style>{style()}</style>"),
    ]
    links = [tag("a", say(f"nav.{name}"), href=f"#{name}", id=f"to-{name}") for name in ("evaluation", *SECTIONS)]
    body = [
        tag("a", say("skip"), href="#text-0", class_="skip"),
        tag(
            "header", tag("p", say("brand"), class_="brand"), tag("h1", say("title")), tag("p", say("lead"), id="lead")
        ),
        tag("p", say("no_module"), id="no-module", class_="note page"),
        tag("p", say("loading"), id="loading", class_="note page", role="status", hidden=True),
        tag("nav", *links, aria_label=say("sections"), hidden=True),
        tag("main", tag("ul", id="notes", class_="warnings plain", hidden=True), *sections(), hidden=True),
        tag("footer", tag("p", say("footer"))),
        tag("p", "", id="heard", class_="unseen", role="status", aria_live="polite"),
        data(dict(english()), "english"),
        Markup(f'<script type="module">{module()}</script>'),
    ]
    return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', *body), lang='en')}\n"


def sections() -> list[Markup]:
    """The places of the page, which the script fills."""
    return [
        section("evaluation", evaluation(), hidden=True),
        section("type", typing()),
        section("fool", fooling()),
        section("turn", turning()),
        section("sitting", sitting()),
    ]


def section(name: str, content: Markup, hidden: bool = False) -> Markup:
    """A place under its heading."""
    heading = tag("h2", say(name), id=f"{name}-heading")
    return tag("section", heading, content, id=name, aria_labelledby=f"{name}-heading", hidden=hidden)


def button(key: str, name: str, **more: object) -> Markup:
    """A button with a text of its own."""
    return tag("button", say(name), type="button", id=key, **more)


def typing() -> Markup:
    """Where a sentence is typed, and what the models say."""
    fields = [
        tag(
            "label",
            tag("span", say("type.text" if place == 0 else "type.second"), id=f"name-{place}"),
            tag("textarea", id=f"text-{place}", rows=3, spellcheck="false", dir="auto", autocomplete="off",
                placeholder=say("type.placeholder"), aria_describedby="hint"),
            class_="field",
            id=f"field-{place}",
            hidden=place == 1,
        )
        for place in range(2)
    ]  # fmt: skip
    under = tag(
        "p", button("second", "type.add"), tag("span", say("type.hint"), id="hint", class_="hint"), class_="row"
    )
    return tag(
        "div",
        *fields,
        under,
        tag("div", id="examples", class_="examples", hidden=True),
        tag("p", say("type.empty"), id="status", class_="status", role="status"),
        tag("div", id="answers", class_="cards"),
    )


def fooling() -> Markup:
    """Where an attack is chosen, watched and read."""
    controls = tag(
        "div",
        tag("label", tag("span", say("fool.attack")), tag("select", id="attack")),
        tag("label", tag("span", say("fool.model")), tag("select", id="player"), id="players", hidden=True),
        tag("label", tag("span", say("fool.column")), tag("select", id="column"), id="columns", hidden=True),
        tag("div", button("go", "fool", class_="strong"), button("stop", "fool.stop", hidden=True), class_="buttons"),
        class_="controls",
    )
    live = tag("div", tag("p", "", id="counter", class_="meta"), tag("p", "", id="trying", dir="auto"), id="live",
               class_="case", hidden=True)  # fmt: skip
    return tag(
        "div",
        tag("p", say("fool.lead")),
        controls,
        tag("p", "", id="attack-line", class_="hint"),
        tag("p", "", id="fool-error", class_="trouble", role="alert", hidden=True),
        live,
        tag("div", id="outcome"),
    )


def turning() -> Markup:
    """Where the meaning is turned round, or left alone."""
    return tag(
        "div",
        tag("p", say("turn.lead")),
        tag("div", id="changes", class_="groups"),
        tag("details", tag("summary", say("turn.hand")), tag("p", say("turn.none"), id="original", dir="auto"),
            tag("p", button("pin", "turn.pin"), button("hand-stay", "turn.hand.stay"),
                button("hand-change", "turn.hand.change"), class_="row"), id="hand"),
        tag("p", "", id="turn-error", class_="trouble", role="alert", hidden=True),
        tag("ol", id="turned", class_="cases"),
    )  # fmt: skip


def sitting() -> Markup:
    """What was tried, as a picture and as a file."""
    return tag(
        "div",
        tag("p", say("sitting.lead")),
        tag("p", say("sitting.none"), id="sitting-none"),
        tag("figure", id="picture", class_="verdict", hidden=True),
        tag("ol", id="tries", class_="cases"),
        tag("p", button("download", "sitting.download"), button("forget", "sitting.forget"), class_="row"),
        tag("p", say("sitting.how"), class_="hint", id="sitting-how"),
        tag("p", say("sitting.kept"), class_="hint"),
        tag("p", "", id="sitting-error", class_="trouble", role="alert", hidden=True),
    )


def evaluation() -> Markup:
    """What an evaluation left to be read and ticked."""
    return tag(
        "div",
        tag("p", "", id="evaluation-lead"),
        tag("div", id="rates", class_="scroll", tabindex="0", role="region", aria_label=say("evaluation.rates")),
        tag("p", "", id="tick-error", class_="trouble", role="alert", hidden=True),
        tag("p", "", id="count", role="status"),
        tag("ol", id="cases", class_="cases"),
        tag("p", button("more", "evaluation.more", hidden=True), class_="more"),
    )
