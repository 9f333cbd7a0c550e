"""Behavioural tests: how often each model fails, with failures to look at."""

from collections.abc import Sequence

from unfooled.report.chapter import Chapter
from unfooled.report.groups import combined
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tables import cell, row, table
from unfooled.report.told import Told
from unfooled.trials.behaviour.cases import ASKS, CALLED, KINDS, CaseRecord, in_words
from unfooled.trials.invariance import by_test, failed_examples, failure_rate
from unfooled.types import Texts


def content(told: Told) -> Markup:
    """Every test with each column's failure rate, and failures of the first model that has some."""
    models = {one.model: one for one in told.of(CaseRecord)}
    members = [name for group in told.groups for name in group.members if name in models]
    tests = {name: by_test(models[name].briefs) for name in members}
    rows = []
    for key in dict.fromkeys(key for own in tests.values() for key in own):
        known = {name: own[key] for name, own in tests.items() if key in own}
        scores = {name: failure_rate(records, "") for name, records in known.items()}
        answers = {name: {one.index: float(not one.failures) for one in own} for name, own in known.items()}
        cells = [cell(combined(group, scores, answers)) for group in told.groups]
        looks = [
            [failure(one, models[name].header.labels, name) for one in failed_examples(records)]
            for name, records in known.items()
        ]
        shown = [tag("p", said) for said in next(filter(None, looks), [])]
        look = tag("details", tag("summary", "see"), *shown) if shown else None
        size = tag("td", " / ".join(dict.fromkeys(str(len(one)) for one in known.values())), class_="number")
        rows.append(row(key[1], tag("td", in_words(key[0])), *cells, size, tag("td", look)))
    if not rows:
        return Markup()
    kinds = {kind for own in tests.values() for kind, _ in own}
    says = [tag("p", tag("dfn", CALLED[kind]), f": {ASKS[kind]}.", class_="term") for kind in KINDS if kind in kinds]
    caption, head = "Behavioural tests: how often each model fails", ["test", "kind", *told.names, "n", "failures"]
    return join([*says, table(caption, head, [tag("tbody", *rows)], "checks")])


def failure(failed: tuple[Texts, Texts, int, int], labels: Sequence[str], model: str) -> str:
    """A failure in one line."""
    first, second, before, after = failed
    old, new = " / ".join(first), " / ".join(second)
    if first == second:
        return f"{model} says {labels[after]}: {new}"
    return f"{model} says {labels[before]}: {old} — and {labels[after]}: {new}"


CHAPTER = Chapter("Behaviour", content)
