"""Models, data, settings and versions, with their hashes."""

from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, join, tag
from unfooled.report.runs import run_at, summary_of
from unfooled.report.tables import row, table
from unfooled.report.told import Told

KEPT = ("method", "base", "seed", "steps", "best_step")  # of a run's summary
Facts = list[tuple[str, str]]


def content(told: Told) -> Markup:
    """Tables of names and values."""
    says = "What was measured, so that it can be measured again. A SHA-256 is a fingerprint of contents."
    return join([tag("p", says), *[facts_table(title, rows) for title, rows in facts(told).items()]])


def facts(told: Told) -> dict[str, Facts]:
    """Names and values by title."""
    headers = {one.trial: one.header for one in told.results.trials}
    data = {(header.data, header.data_hash, header.examples_hash): header for header in headers.values()}
    versions = dict.fromkeys(pair for header in headers.values() for pair in header.versions.items())
    return {
        **{f"Model {model}": of_model(told, model) for model in told.results.models},
        "Data, with the SHA-256 of the whole and of what was measured": [
            (f"{header.data}: {header.examples:,} {header.unit}s", f"{header.data_hash} / {header.examples_hash}")
            for header in data.values()
        ],
        "Settings of the trials": [
            (name, f"seed {header.seed}; {plain(header.settings)}") for name, header in headers.items()
        ],
        "Versions": list(versions),
    }


def of_model(told: Told, model: str) -> Facts:
    """What is known of a model, and of its training where it was trained here."""
    header = told.header(model)
    rows = [("path", header.model), ("weights and vocabulary, SHA-256", header.model_hash or "a callable")]
    rows += [("labels", ", ".join(header.labels))] if header.labels else []
    rows += [("longest text, tokens", str(header.max_length))]
    rows += [
        (f"temperature of the logits, {one.trial}", f"{one.header.temperature:.6g}")
        for one in told.results.trials
        if one.model == model and one.header.temperature is not None
    ]
    summary = summary_of(run_at(header.model))
    return rows + [(name, str(summary[name])) for name in KEPT if name in summary]


def plain(settings: object) -> str:
    """Settings on one line."""
    if isinstance(settings, dict):
        return ", ".join(f"{name} = {plain(value)}" for name, value in settings.items()) or "none"
    return f"[{', '.join(map(plain, settings))}]" if isinstance(settings, list | tuple) else str(settings)


def facts_table(title: str, rows: Facts) -> Markup:
    """Names and values."""
    body = tag("tbody", *(row(name, tag("td", tag("code", value))) for name, value in rows))
    return table(title, ["name", "value"], [body], "facts")


CHAPTER = Chapter("Record", content)
