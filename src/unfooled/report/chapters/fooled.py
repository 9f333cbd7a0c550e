"""The fooled sentences: the page carries them as data, its script shows the ones asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from pydantic import JsonValue

from unfooled.attacks.records import ATTACKED, SAFE, AttackRecord, Change
from unfooled.errors import BadInput
from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, Piece, data, join, tag
from unfooled.report.tables import row, table
from unfooled.report.told import Told
from unfooled.results.folder import Finished
from unfooled.results.records import whole
from unfooled.scores.score import SHARE, printed
from unfooled.terminal import visible
from unfooled.text.document import read
from unfooled.trials.columns import numbers
from unfooled.trials.words.attack_numbers import count, ended, index_of

MOST = 5000  # sentences on a page
ORDERS = ("data order", "fewest words changed", "most words changed", "surest before", "surest after")
SAYS = (
    "Each sentence below turned a right answer into a wrong one. Words struck out were replaced by the "
    "words marked after them. Tick a sentence whose meaning changed: it was no fair trick, and the rates "
    "here are computed without it. Sure is the probability of the answer; similarity is how like a sentence encoder "
    "finds both texts, 1 at most."
)


@dataclass(frozen=True)
class FooledText:
    """One fooled example: its texts as pieces, what the model said before and after, and how surely."""

    model: int
    trial: int
    index: int
    label: str
    before: str
    after: str
    sure_before: float
    sure_after: float
    similarity: float | None
    texts: tuple[tuple[Piece, ...], ...]
    ticked: bool = False  # by a reader of the results


@dataclass(frozen=True)
class Attacks:
    """The attacks in words on all models, whose numbers stand for their names."""

    title: str
    models: tuple[str, ...]
    attacks: tuple[Finished, ...]

    @cached_property
    def trials(self) -> tuple[str, ...]:
        """The attacks by name."""
        return tuple(dict.fromkeys(one.trial for one in self.attacks))

    @cached_property
    def fooled(self) -> list[FooledText]:
        """The sentences on the page: all that fooled a model, or of each attack as many as there is room for."""
        return [
            replace(
                fooled_text(record, one.header.labels, self.models.index(one.model), self.trials.index(one.trial)),
                ticked=record.index in one.ticked,
            )
            for one in self.attacks
            for record in carried(one, MOST // len(self.attacks))
        ]

    @cached_property
    def whole(self) -> int:
        """How many sentences fooled a model."""
        return sum(count(one.briefs, "fooled") for one in self.attacks)

    def unseen(self, one: Finished) -> int:
        """How many sentences of an attack are ticked and not on the page."""
        fooled = index_of(one.briefs, ended(one.briefs, "fooled"))
        return int(np.isin(fooled, list(one.ticked)).sum()) - sum(
            each.ticked
            for each in self.fooled
            if (self.models[each.model], self.trials[each.trial]) == (one.model, one.trial)
        )

    @cached_property
    def labels(self) -> list[str]:
        """The labels of what fooled."""
        return sorted({one.label for one in self.fooled})


def content(told: Told) -> Markup:
    """What a reader searches with, the rates that ticks recompute, and the place for the sentences."""
    own = Attacks(told.title, tuple(told.results.models), tuple(told.of(AttackRecord)))
    if not own.attacks:
        return Markup()
    return join(
        [
            tag("p", SAYS),
            tag("p", bounded(own)),
            rates(own.attacks),
            controls(own),
            tag("p", "", id="count", role="status", aria_live="polite"),
            tag("ol", id="cases", class_="cases"),
            tag("p", tag("button", "Show more", type="button", id="more", hidden=True), class_="more"),
            tag("noscript", tag("p", "The sentences are shown by a script of this page, which is switched off.")),
            data(payload(own), "data"),
        ]
    )


def carried(one: Finished, most: int) -> list[AttackRecord]:
    """What fooled, in the order of the data: at most so many, those first that a reader has ticked."""
    fooled = np.flatnonzero(ended(one.briefs, "fooled"))
    ticked = np.isin(numbers(one.briefs, "index")[fooled], list(one.ticked))
    first = fooled[np.argsort(~ticked, kind="stable")][:most]
    return whole(one.records, sorted(first.tolist()))


def bounded(own: Attacks) -> str:
    """How many sentences are on the page."""
    if len(own.fooled) == own.whole:
        return f"All {own.whole:,} sentences that fooled a model are on this page."
    return (
        f"This page carries {len(own.fooled):,} of the {own.whole:,} sentences that fooled a model, at most {MOST:,} "
        "and as many of each attack; the results folder has all. The rates below are of all."
    )


def fooled_text(record: AttackRecord, labels: Sequence[str], model: int, trial: int) -> FooledText:
    """One fooled example, its texts cut at the changed words."""
    classes = range(min(len(labels), len(record.before), len(record.after)))
    places = {record.label, record.prediction, record.fooled_into}
    if record.adversary is None or len(record.adversary) != len(record.texts) or not places <= set(classes):
        raise BadInput(f"an attack claims of example {record.index} what cannot be; unfooled verify names such claims")
    assert record.prediction is not None and record.fooled_into is not None
    pairs = zip(record.texts, record.adversary, strict=True)
    texts = tuple(pieces(old, record.changes if old != new else ()) for old, new in pairs)
    names = labels[record.label], labels[record.prediction], labels[record.fooled_into]
    sure = record.before[record.prediction], record.after[record.fooled_into]
    return FooledText(model, trial, record.index, *names, *sure, record.similarity, texts)


def pieces(old: str, changes: Sequence[Change]) -> tuple[Piece, ...]:
    """A text cut at its changed words.

    >>> pieces("a good film", [Change(1, "good", "decent")])
    ('a ', ('good', 'decent'), ' film')
    """
    spans = read(old).spans if changes else ()
    cut: list[Piece] = []
    done = 0
    for change in changes:
        if not 0 <= change.place < len(spans):
            raise BadInput(
                f"a log changes word {change.place + 1} of a text of {len(spans)} words; it is damaged, attack again"
            )
        start, end = spans[change.place]
        cut += [old[done:start], (old[start:end], change.new)]
        done = end
    return tuple(piece for piece in [*cut, old[done:]] if piece)


def tally(one: Finished) -> tuple[int, int, int, int]:
    """How an attack went: examples, those rightly answered, those of them fooled, and those that are safe."""
    return len(one.briefs), count(one.briefs, *ATTACKED), count(one.briefs, "fooled"), count(one.briefs, *SAFE)


def rates(attacks: Sequence[Finished]) -> Markup:
    """Success and accuracy of each attack, as found; the script adds what the ticks leave of them."""
    rows = []
    for number, one in enumerate(attacks):
        examples, right, fooled, safe = tally(one)
        success, left = (part / whole if whole else float("nan") for part, whole in ((fooled, right), (safe, examples)))
        cells = [printed(success, SHARE), "", printed(left, SHARE), "", "0"]
        ids = [None, f"success-{number}", None, f"left-{number}", f"ticked-{number}"]
        rows.append(
            row(
                f"{one.model}, {one.trial}",
                *(tag("td", text, class_="number", id=name) for text, name in zip(cells, ids, strict=True)),
            )
        )
    head = ["", "fooled of the right", "by your ticks", "accuracy under attack", "by your ticks", "ticked"]
    return table("Rates, as found and by your ticks", head, [tag("tbody", *rows)], "rates")


def controls(own: Attacks) -> Markup:
    """Search, filters, order and export."""
    orders = [tag("option", name, value=place) for place, name in enumerate(ORDERS)]
    return tag(
        "form",
        field("Search", tag("input", type="search", id="search", autocomplete="off", placeholder="a word")),
        choice("Model", "model", own.models),
        choice("Attack", "trial", own.trials),
        choice("Label", "label", own.labels),
        choice("Ticks", "ticks", ["ticked", "not ticked"]),
        field("Order", tag("select", *orders, id="order")),
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


def choice(name: str, key: str, values: Sequence[str]) -> Markup:
    """A filter; its first value lets everything through."""
    options = [tag("option", "all", value="")]
    options += [tag("option", value, value=place) for place, value in enumerate(values)]
    return field(name, tag("select", *options, id=key))


def payload(own: Attacks) -> JsonValue:
    """What the script reads; hidden controls in the texts are visible here already."""
    return {
        "title": visible(own.title),
        "models": [visible(name) for name in own.models],
        "trials": [visible(name) for name in own.trials],
        "labels": [visible(name) for name in own.labels],
        "attacked": [
            [own.models.index(one.model), own.trials.index(one.trial), *tally(one), own.unseen(one)]
            for one in own.attacks
        ],
        "cases": [packed(one, own.labels) for one in own.fooled],
        "whole": own.whole,
        "ticked": [place for place, one in enumerate(own.fooled) if one.ticked],
    }


def packed(one: FooledText, labels: Sequence[str]) -> JsonValue:
    """One sentence as a short list; a changed piece is a pair."""
    texts: list[JsonValue] = [
        [visible(piece) if isinstance(piece, str) else [visible(word) for word in piece] for piece in own]
        for own in one.texts
    ]
    return [
        one.model,
        one.trial,
        one.index,
        labels.index(one.label),
        visible(one.before),
        visible(one.after),
        round(one.sure_before, 4),
        round(one.sure_after, 4),
        None if one.similarity is None else round(one.similarity, 3),
        texts,
    ]


CHAPTER = Chapter("Fooled", content, "Fooled sentences", script="page.js")
