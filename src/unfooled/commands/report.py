"""What a person calls to see results: ``report`` writes one page that tells their story."""

import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path

from unfooled.commands.comparison import Comparison, read_comparison
from unfooled.commands.gathering import Gathered, gathered
from unfooled.commands.language_story import language_story
from unfooled.commands.maps import clouds
from unfooled.commands.pictures import (
    attacked,
    cases,
    checks,
    curves,
    matrices,
    read_json,
    run_of,
    training,
    word_attacks,
)
from unfooled.commands.telling import Group, gaps, measures, standings
from unfooled.errors import BadInput
from unfooled.evaluation.language_results import language_files
from unfooled.evaluation.metrics import mean
from unfooled.evaluation.significance import supports
from unfooled.files import write_whole
from unfooled.report.page import page
from unfooled.report.story import Cost, Facts, Gap, Measure, Number, Standing, Story

REPAIR = "freelb"  # where no comparison has shown a better one: the cheapest method that helps everywhere


def report(folders: str | Path | Sequence[str | Path], out: str | Path = "report.html") -> Path:
    """Write the page of one or more folders of results; the same results give the same bytes."""
    names = [folders] if isinstance(folders, str | Path) else list(folders)
    path = Path(out)
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file such as {path / 'report.html'}")
    made = page(story(names))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, made)
    return path


def story(folders: Sequence[str | Path]) -> Story:
    """What the folders tell."""
    if of_language(folders):
        return language_story(folders)
    told = gathered(folders)
    comparison = next((found for folder in folders if (found := read_comparison(Path(folder))) is not None), None)
    groups = grouped(told, comparison)
    trials = tuple(dict.fromkeys(one.trial for one in word_attacks(told)))
    table, differences, places = measures(told, groups), gaps(told, groups), standings(told, groups)
    names = tuple(group.name for group in groups)
    seeds = min(len(group.members) for group in groups)
    return Story(
        title=" · ".join(names) if len(names) <= 4 else f"{len(names)} models",
        subtitle=subtitle(told, groups),
        headline=headline(table, differences, places, names),
        models=names,
        measures=table,
        standings=places,
        support=supports(seeds) if len(groups) > 1 else "",
        gaps=differences,
        costs=costs(comparison, differences, table),
        plots=curves(told, groups),
        checks=checks(told, groups),
        matrices=matrices(told, groups),
        clouds=clouds(told, groups),
        training=training(told, groups),
        trials=trials,
        attacked=attacked(told, told.models, trials),
        cases=cases(told, told.models, trials),
        repair=repair(told, differences, groups, comparison),
        warnings=told.warnings,
        facts=facts(told),
        members=tuple(told.models),
    )


def of_language(folders: Sequence[str | Path]) -> bool:
    """Whether the folders are of language models or translators; refuses some that are and some that are not."""
    found = [bool(language_files(Path(folder))) for folder in folders]
    if any(found) and not all(found):
        one, other = folders[found.index(True)], folders[found.index(False)]
        raise BadInput(f"{one} is of language models or translators and {other} is not; report them apart")
    return any(found)


def grouped(told: Gathered, comparison: Comparison | None) -> list[Group]:
    """The columns of the page: methods where they were compared, models otherwise."""
    if comparison is None:
        return [Group(model, (model,)) for model in told.models]
    names = {one.header.model: one.model for one in told.trials}
    found = []
    for method in comparison.methods:
        own = [names[entry.model] for entry in comparison.entries if entry.method == method and entry.model in names]
        if own:
            found.append(Group(method, tuple(own)))
    if not found:
        raise BadInput("none of the comparison's models has been measured yet; run the comparison again, it goes on")
    return found


def subtitle(told: Gathered, groups: Sequence[Group]) -> str:
    """On what, how many, how often."""
    first = told.trials[0].header
    seeds = max(len(group.members) for group in groups)
    return f"{first.data}, {first.examples:,} {first.unit}s" + (f", {seeds} seeds a method" if seeds > 1 else "")


def headline(
    table: Sequence[Measure], differences: Sequence[Gap], places: Sequence[Standing], names: Sequence[str]
) -> tuple[str, ...]:
    """The page in a few sentences: what the hardest attack leaves of each model, what is shown to differ."""
    found = []
    clean = next((one for one in table if (one.trial, one.name) == ("clean", "accuracy")), None)
    if clean is not None and all(clean.numbers):
        told = f"Texts as they are: {listed(names, clean)} right."
        for trial in hardest(table):
            own = next(one for one in table if (one.trial, one.name) == (trial, "accuracy under attack"))
            told += f" Under {trial}: {listed(names, own)}."
        found.append(told)
    clear = [gap for gap in differences if gap.corrected < 0.05]
    if differences and not clear:
        found.append("These data show no difference between them.")
    elif clear:
        most = max(clear, key=lambda gap: abs(gap.difference.value))
        change = f"{100 * most.difference.value:+.1f} points from {most.first} to {most.second}"
        found.append(f"The largest difference that these data show: {most.measure}, {change}.")
    found += [
        f"{one.model} changes its answer though the meaning holds in {percent(one.fickleness)} of cases, and keeps it "
        f"though the meaning changes in {percent(one.obstinacy)}."
        for one in places
        if one.fickleness is not None and one.obstinacy is not None
    ]
    return tuple(found)


def listed(names: Sequence[str], measure: Measure) -> str:
    """Each model with its number."""
    return ", ".join(f"{name} {percent(one)}" for name, one in zip(names, measure.numbers, strict=True) if one)


def percent(number: Number) -> str:
    """A share as the tables print it."""
    return f"{100 * number.value:.1f} %"


def costs(comparison: Comparison | None, differences: Sequence[Gap], table: Sequence[Measure]) -> tuple[Cost, ...]:
    """What each method took, over its seeds, beside what it gains on texts as they are and under the hardest attack."""
    if comparison is None:
        return ()
    shown = ["clean: accuracy", *(f"{trial.replace(', eps', '')}: accuracy under attack" for trial in hardest(table))]
    found = []
    for method in comparison.methods:
        own = [entry.cost for entry in comparison.entries if entry.method == method]
        peaks = [cost.megabytes for cost in own if cost.megabytes is not None]
        gains = tuple(
            (gap.measure, gap.difference) for gap in differences if gap.second == method and gap.measure in shown
        )
        found.append(Cost(method, averaged([cost.seconds for cost in own]), averaged(peaks) if peaks else None, gains))
    return tuple(found)


def hardest(table: Sequence[Measure]) -> list[str]:
    """The trial that leaves least of all models' accuracy; none where none attacks."""
    attacks = [one for one in table if one.name == "accuracy under attack" and all(one.numbers)]
    return (
        [min(attacks, key=lambda one: sum(number.value for number in one.numbers if number)).trial] if attacks else []
    )


def averaged(values: Sequence[float]) -> Number:
    """A mean with Student's interval over seeds."""
    score = mean(values, "")
    return Number(score.value, score.low, score.high, score.n)


def repair(
    told: Gathered, differences: Sequence[Gap], groups: Sequence[Group], comparison: Comparison | None
) -> tuple[str, ...]:
    """The command that trains a sturdier model, and those that measure and show it."""
    better = [gap for gap in differences if gap.corrected < 0.05 and gap.difference.value > 0]
    method = max(better, key=lambda gap: gap.difference.value).second if comparison and better else REPAIR
    model = groups[0].members[0]
    header = next(one.header for one in told.trials if one.model == model)
    data, weights, run = shlex.quote(header.data), shlex.quote(header.model), run_of(told, model)
    base = f"--data {data} --model {weights}"
    if run is not None:
        own = tomllib.loads((run / "recipe.toml").read_text(encoding="utf-8")).get("method", {}).get("name")
        method = "carl" if own == method else method
        base = f"--recipe {shlex.quote(str(run / 'recipe.toml'))}"
    return (
        f"unfooled train {base} --method {method} --out repaired",
        f"unfooled evaluate {weights} repaired/model --data {data} --out repaired-results",
        "unfooled report repaired-results --out repaired.html",
    )


def facts(told: Gathered) -> tuple[Facts, ...]:
    """Models, data, settings and versions, with their hashes."""
    found = []
    for model in told.models:
        header = next(one.header for one in told.trials if one.model == model)
        rows = [("path", header.model), ("weights and vocabulary, SHA-256", header.model_hash or "a callable")]
        rows += [("labels", ", ".join(header.labels)), ("longest text, tokens", str(header.max_length))]
        run = run_of(told, model)
        if run is not None:
            kept = read_json(run / "summary.json")
            rows += [
                (name, str(kept[name])) for name in ("method", "base", "seed", "steps", "best_step") if name in kept
            ]
        found.append(Facts(f"Model {model}", tuple(rows)))
    headers = {one.trial: one.header for one in told.trials}
    data = {(header.data, header.data_hash, header.examples_hash): header for header in headers.values()}
    rows = [
        (f"{header.data}: {header.examples:,} {header.unit}s", f"{header.data_hash} / {header.examples_hash}")
        for header in data.values()
    ]
    found.append(Facts("Data, with the SHA-256 of the whole and of what was measured", tuple(rows)))
    rows = [(name, f"seed {header.seed}; {plain(header.settings)}") for name, header in headers.items()]
    found.append(Facts("Settings of the trials", tuple(rows)))
    versions = {f"{name} {version}": None for header in headers.values() for name, version in header.versions.items()}
    found.append(Facts("Versions", tuple((text.split(" ")[0], text.split(" ", 1)[1]) for text in versions)))
    return tuple(found)


def plain(settings: object) -> str:
    """Settings on one line."""
    if isinstance(settings, dict):
        return ", ".join(f"{name} = {plain(value)}" for name, value in settings.items()) or "none"
    return f"[{', '.join(map(plain, settings))}]" if isinstance(settings, list | tuple) else str(settings)
