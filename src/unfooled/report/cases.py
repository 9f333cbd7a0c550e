"""The fooled sentences: the page carries them as data, its script shows the ones asked for."""

from pydantic import JsonValue

from unfooled.report.markup import Markup, data, tag, visible
from unfooled.report.story import Case, Story
from unfooled.report.tables import row, shown, table


def cases_section(story: Story) -> Markup:
    """What a reader searches with, the rates that ticks recompute, and the place for the sentences."""
    if not story.cases and not story.attacked:
        return Markup()
    parts = [
        tag(
            "p",
            "Each sentence below turned a right answer into a wrong one. Words struck out were replaced by the "
            "words marked after them. Tick a sentence whose meaning changed: it was no fair trick, and the rates "
            "here are computed without it.",
        ),
        rates(story),
        controls(story),
        tag("p", "", id="count", role="status", aria_live="polite"),
        tag("ol", id="cases", class_="cases"),
        tag("p", tag("button", "Show more", type="button", id="more", hidden=True), class_="more"),
        tag("noscript", tag("p", "The sentences are shown by a script of this page, which is switched off.")),
        data(payload(story), "data"),
    ]
    return tag("section", tag("h2", "Fooled sentences"), *parts, id="fooled")


def rates(story: Story) -> Markup:
    """Success and accuracy of each attack, as found; the script adds what the ticks leave of them."""
    rows = []
    for number, one in enumerate(story.attacked):
        success = one.fooled / one.right if one.right else float("nan")
        left = one.safe / one.examples if one.examples else float("nan")
        cells = [shown(success, True), "", shown(left, True), "", "0"]
        ids = ["", f"success-{number}", "", f"left-{number}", f"ticked-{number}"]
        rows.append(
            row(
                f"{story.attacked_models[one.model]}, {story.trials[one.trial]}",
                *(tag("td", text, class_="number", id=name or None) for text, name in zip(cells, ids, strict=True)),
            )
        )
    head = ["", "fooled of the right", "by your ticks", "accuracy under attack", "by your ticks", "ticked"]
    return table("Rates, as found and by your ticks", head, [tag("tbody", *rows)], "rates")


def controls(story: Story) -> Markup:
    """Search, filters, order and export."""
    labels = sorted({case.label for case in story.cases})
    order = ["data order", "fewest words changed", "most words changed", "surest before", "surest after"]
    return tag(
        "form",
        field("Search", tag("input", type="search", id="search", autocomplete="off", placeholder="a word")),
        choice("Model", "model", story.attacked_models),
        choice("Attack", "trial", story.trials),
        choice("Label", "label", labels),
        choice("Ticks", "ticks", ["ticked", "not ticked"]),
        field(
            "Order", tag("select", *(tag("option", name, value=place) for place, name in enumerate(order)), id="order")
        ),
        tag(
            "div",
            tag("button", "Export JSON", type="button", id="json"),
            tag("button", "Export CSV", type="button", id="csv"),
            class_="buttons",
        ),
        class_="controls",
        id="controls",
        role="search",
        aria_label="Fooled sentences",
    )


def field(name: str, control: Markup) -> Markup:
    """A control under its name."""
    return tag("label", tag("span", name), control)


def choice(name: str, key: str, values: tuple[str, ...] | list[str]) -> Markup:
    """A filter; its first value lets everything through."""
    options = [tag("option", "all", value="")]
    options += [tag("option", value, value=place) for place, value in enumerate(values)]
    return field(name, tag("select", *options, id=key))


def payload(story: Story) -> JsonValue:
    """What the script reads; hidden controls in the texts are visible here already."""
    labels = sorted({case.label for case in story.cases})
    return {
        "title": visible(story.title),
        "models": [visible(name) for name in story.attacked_models],
        "trials": [visible(name) for name in story.trials],
        "labels": [visible(name) for name in labels],
        "attacked": [[one.model, one.trial, one.examples, one.right, one.fooled, one.safe] for one in story.attacked],
        "cases": [packed(case, labels) for case in story.cases],
    }


def packed(case: Case, labels: list[str]) -> JsonValue:
    """One case as a short list; a changed piece is a pair."""
    texts: list[JsonValue] = [
        [visible(piece) if isinstance(piece, str) else [visible(word) for word in piece] for piece in pieces]
        for pieces in case.texts
    ]
    return [
        case.model,
        case.trial,
        case.index,
        labels.index(case.label),
        visible(case.before),
        visible(case.after),
        round(case.sure_before, 4),
        round(case.sure_after, 4),
        None if case.similarity is None else round(case.similarity, 3),
        texts,
    ]
