"""Results of language models and translators as a page: numbers, curves, and texts with what each model wrote."""

import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from unfooled.commands.gathering import display_names
from unfooled.commands.language_texts import excerpts
from unfooled.commands.pictures import run_at, training_of
from unfooled.commands.telling import number
from unfooled.errors import BadInput
from unfooled.evaluation.language_results import KINDS, LANGUAGE_TRIALS, Stored, kind_of_trial, open_language
from unfooled.evaluation.log import disagreements, flat
from unfooled.evaluation.passages import CHANGED, changed
from unfooled.report.story import Facts, Line, Measure, Plot, Story
from unfooled.report.tables import shown

REPAIR = "atcl"
INTERVALS = (
    "Intervals are 95 %: of perplexities normal over independent segments or texts, of BLEU and chrF by a bootstrap "
    "over texts, of shares Wilson's."
)
MOVED_BY = "perturbed by "
TITLES = {"side_by_side": "translation of a moved word"}


def language_story(folders: Sequence[str | Path]) -> Story:
    """What folders of such results tell; refuses what cannot be compared and says why."""
    stored = gathered_language(folders)
    names = tuple(dict.fromkeys(one.model for one in stored))
    paths = named_paths(folders)
    table = measures(stored, names)
    # Which words have neighbours is asked in the vocabulary of one model, so nobody can say it for the next.
    trials = list(dict.fromkeys(one.trial for one in stored if one.trial != "neighbours"))
    return Story(
        title=" · ".join(names) if len(names) <= 4 else f"{len(names)} models",
        subtitle=subtitle(stored),
        headline=headline(table, names),
        models=names,
        measures=table,
        plots=tuple(plot for plot in [over_radius(stored, names)] if plot is not None),
        excerpts=excerpts([one.found for one in stored], {one.trial: one.settings for one in stored}),
        training=training_of([(name, runs(paths[name])) for name in names], "perplexity"),
        repair=repair(paths[names[0]], stored[0].data, trials),
        facts=facts(stored, paths),
        intervals=INTERVALS,
    )


def opened(folders: Sequence[str | Path]) -> list[tuple[Path, Stored]]:
    """Everything the folders hold, with the folder."""
    return [(Path(folder), one) for folder in folders for one in open_language(Path(folder))]


def gathered_language(folders: Sequence[str | Path]) -> list[Stored]:
    """Each trial of each model once, under the name a page has for the model."""
    found = opened(folders)
    refuse_mixture(found)
    names = display_names([one for _, one in found])
    kept: dict[tuple[str, str], Stored] = {}
    for _, one in found:
        name = names[one.model_hash or one.model]
        kept.setdefault((name, one.trial), replace(one, model=name))
    return list(kept.values())


def named_paths(folders: Sequence[str | Path]) -> dict[str, str]:
    """The path of each model by the name a page has for it."""
    found = [one for _, one in opened(folders)]
    names = display_names(found)
    return {names[one.model_hash or one.model]: one.model for one in reversed(found)}


def refuse_mixture(found: Sequence[tuple[Path, Stored]]) -> None:
    """Refuse models of two kinds on one page, and one trial on different data or under different settings."""
    for place, (folder, one) in enumerate(found):
        kinds = [KINDS[kind_of_trial(other.trial)] for other in (one, found[0][1])]
        if kinds[0] != kinds[1]:
            raise BadInput(f"{folder} is of a {kinds[0]} and {found[0][0]} of a {kinds[1]}; report them apart")
        for before, other in found[:place]:
            names = disagreements(asked(other), asked(one)) if other.trial == one.trial else []
            if names:
                raise BadInput(
                    f"{one.trial} of {one.model} in {folder} cannot be compared with that of {other.model} in "
                    f"{before}: they differ in {'; '.join(names)}; measure both on the same data with the same settings"
                )


def asked(one: Stored) -> dict[str, Any]:
    """What trials must agree on to stand side by side."""
    return flat({"data_hash": one.data_hash, "settings": one.settings})


def subtitle(stored: Sequence[Stored]) -> str:
    """On what, how many."""
    told = dict.fromkeys(
        f"{one.data}, {one.split}" + (f", {one.examples:,} texts" if one.examples is not None else "")
        for one in stored
        if one.data
    )
    return "; ".join(told) or f"{KINDS[kind_of_trial(stored[0].trial)]}s"


def measures(stored: Sequence[Stored], names: Sequence[str]) -> tuple[Measure, ...]:
    """Every number, one column a model; then how often a moved word changes what is written."""
    found = []
    for trial in (trial for own in LANGUAGE_TRIALS.values() for trial in own):
        own = {one.model: one for one in stored if one.trial == trial}
        scores = {model: {called(name): score for name, score in one.scores.items()} for model, one in own.items()}
        for model, one in own.items():
            share = changed(one.found)
            scores[model] |= {} if share is None else {CHANGED: share}
        for name in dict.fromkeys(name for each in scores.values() for name in each):
            known = {model: each[name] for model, each in scores.items() if name in each}
            numbers = tuple(number(known[model]) if model in known else None for model in names)
            definition = next(iter(known.values())).definition
            better: Literal["more", "less"] = "more" if name in ("BLEU", "chrF") else "less"
            found.append(Measure(TITLES.get(trial, trial), name, definition, numbers, name == CHANGED, better))
    return tuple(found)


def called(name: str) -> str:
    """A score's name without that of the split, which is above the page.

    >>> called("given BLEU"), called("perturbed by 3")
    ('BLEU', 'perturbed by 3')
    """
    return name.removeprefix("given ")


def headline(table: Sequence[Measure], names: Sequence[str]) -> tuple[str, ...]:
    """The page in a few sentences: each model clean, under the largest move, and how often a move changes its words."""
    found = []
    rows = {(one.trial, one.name): one for one in table}
    moved = [one for one in table if one.name.startswith(MOVED_BY)]
    if ("perplexity", "clean") in rows:
        told = f"Perplexity of the texts as they are: {listed(names, rows['perplexity', 'clean'])}."
        if moved:
            most = max(moved, key=lambda one: float(one.name.removeprefix(MOVED_BY)))
            radius = most.name.removeprefix(MOVED_BY)
            told += f" With one word a segment moved by {radius}: {listed(names, most)}."
        found.append(f"{told} Lower is better.")
    if ("quality", "BLEU") in rows:
        found.append(f"BLEU of the translations: {listed(names, rows['quality', 'BLEU'])}.")
    for trial, what in (("continuation", "continuations"), (TITLES["side_by_side"], "translations")):
        if (trial, CHANGED) in rows:
            found.append(f"One moved word changes so many {what}: {listed(names, rows[trial, CHANGED])}.")
    if len(names) > 1:
        found.append("No test of the differences is made here: read them with the intervals below.")
    return tuple(found)


def listed(names: Sequence[str], measure: Measure) -> str:
    """Each model with its number."""
    pairs = [(name, one) for name, one in zip(names, measure.numbers, strict=True) if one is not None]
    return ", ".join(f"{name} {shown(one.value, measure.share)}" for name, one in pairs)


def over_radius(stored: Sequence[Stored], names: Sequence[str]) -> Plot | None:
    """Perplexity over how far a word is moved, from none on."""
    lines = []
    for model in names:
        own = next((one.scores for one in stored if (one.model, one.trial) == (model, "perplexity")), {})
        radii = {0.0 if name == "clean" else float(name.removeprefix(MOVED_BY)): score for name, score in own.items()}
        lines.append(Line(model, tuple((radius, number(radii[radius])) for radius in sorted(radii))))
    if not any(len(line.points) > 1 for line in lines):
        return None
    says = "The flatter a curve, the less one moved word of a segment confuses the model."
    title = "Perplexity over how far a word is moved"
    return Plot(title, "length of the move", "perplexity", tuple(lines), says, share=False)


def runs(path: str) -> list[Path]:
    """The run a model comes from, if it was trained here."""
    found = run_at(path)
    return [] if found is None else [found]


def repair(path: str, data: str, trials: Sequence[str]) -> tuple[str, ...]:
    """The command that trains a sturdier model, and those that measure and show it; none where no run is known."""
    run = run_at(path)
    recipe = {} if run is None else tomllib.loads((run / "recipe.toml").read_text(encoding="utf-8"))
    if run is None or not trials or recipe.get("method", {}).get("name") == REPAIR:
        return ()
    own = recipe.get("data", {})
    columns = "".join(
        f" --{name} {shlex.quote(own[name])}" for name in ("text", "label") if isinstance(own.get(name), str)
    )
    source = shlex.quote(data or str(own.get("source", "")))
    measured = f"{shlex.quote(path)} repaired/model --data {source}{columns} --trials {','.join(trials)}"
    return (
        f"unfooled train --recipe {shlex.quote(str(run / 'recipe.toml'))} --method {REPAIR} --out repaired",
        f"unfooled evaluate {measured} --out repaired-results",
        "unfooled report repaired-results --out repaired.html",
    )


def facts(stored: Sequence[Stored], paths: dict[str, str]) -> tuple[Facts, ...]:
    """Models, data, settings and versions, with their hashes."""
    found = [
        Facts(f"Model {one.model}", (("path", paths[one.model]), ("weights and vocabulary, SHA-256", one.model_hash)))
        for one in {one.model: one for one in stored}.values()
    ]
    data = {one.data_hash: f"{one.data or 'data'} {one.split}".strip() for one in stored}
    rows = tuple((name, mark) for mark, name in data.items())
    found.append(Facts("Data: SHA-256 of the whole, split, and how many texts at most", rows))
    trials = {one.trial: one.settings for one in stored}
    told = tuple(
        (trial, "; ".join(f"{name} = {value}" for name, value in own.items())) for trial, own in trials.items()
    )
    found.append(Facts("Settings of the trials", told))
    versions = {f"{name} {version}": (name, version) for one in stored for name, version in one.versions.items()}
    return (*found, *([Facts("Versions", tuple(versions.values()))] if versions else []))
