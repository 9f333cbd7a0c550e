"""The card of a model that is published: as training wrote it, with what an evaluation said, and without paths."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from unfooled.errors import BadInput, measuring
from unfooled.hub import first_line
from unfooled.parsing import content
from unfooled.recipe.card import Evaluated, Published, model_card, robustness
from unfooled.recipe.metadata import CardNumber, bare, slug, without_folders
from unfooled.report.charts.alone import verdict_file
from unfooled.report.charts.verdict import coordinates, letter
from unfooled.results.folder import Results
from unfooled.results.open import open_results
from unfooled.results.verdict import MEANING, Verdict
from unfooled.scores.score import Score
from unfooled.tasks import TASKS
from unfooled.trials.trial import Row

PICTURE = "fickleness_and_obstinacy.svg"


@dataclass(frozen=True)
class Said:
    """What an evaluation says on the card of a model, and its picture, where both axes were measured."""

    card: Evaluated
    picture: str | None


def evaluated(folder: Path, facts: Mapping[str, Any], name: str) -> Said:
    """What a results folder says of a model, which is known by its weights; refused where it says nothing of it."""
    results = open_results([folder])
    own = next((one for one in results.trials if one.header.model_hash == facts["model_hash"]), None)
    if own is None:
        others = ", ".join(results.models)
        raise BadInput(
            f"{folder} has no results of this model, but of {others}; measure it: {measuring('evaluate', folder)}"
        )
    verdict = next((one for one in results.verdicts if one.model == own.model), None)
    numbers = [*trial_numbers(results, own.model), *axis_numbers(verdict, bare(own.header.data))]
    placed = [one for one in results.verdicts if coordinates(one) is not None]
    if own.model not in [one.model for one in placed]:
        return Said(Evaluated(bare(own.header.data), numbers), None)
    return Said(
        Evaluated(bare(own.header.data), numbers, PICTURE, caption(results.verdicts, own.model, name)),
        verdict_file(results.verdicts),
    )


def trial_numbers(results: Results, model: str) -> list[CardNumber]:
    """Every number of a model that short tables have."""
    return [
        number(f"{of_trial(row)}: {row.score.title or row.metric}", row.metric, row.score, bare(one.header.data))
        for one in results.measured
        if one.model == model
        for row in one.rows
        if not row.detail
    ]


def of_trial(row: Row) -> str:
    """A trial, with its radius and its part where it has one."""
    parts = [row.trial, *([] if row.eps is None else [f"{row.eps:g}"]), *([] if row.part is None else [row.part])]
    return " ".join(parts)


def axis_numbers(verdict: Verdict | None, data: str) -> list[CardNumber]:
    """Where a model stands on either axis."""
    axes = {} if verdict is None else verdict.axes
    return [
        number(f"{axis}: {MEANING[axis]}", axis, coordinate.score, data)
        for axis, coordinate in axes.items()
        if coordinate.score is not None
    ]


def number(title: str, metric: str, score: Score, data: str) -> CardNumber:
    """A score as the card has it."""
    return CardNumber(slug(metric), title, score.value, score.low, score.high, score.n, score.definition, data)


def caption(verdicts: list[Verdict], own: str, name: str) -> str:
    """What the picture shows, in words."""
    called = [
        f"{letter(place)} {f'{name} (this model)' if one.model == own else one.model}"
        for place, one in enumerate(verdicts)
        if coordinates(one) is not None
    ]
    return f"Fickleness to the right, obstinacy upwards; the best place is below left. {', '.join(called)}."


def finished_card(
    file: Path, facts: Mapping[str, Any], recipe: Mapping[str, Any], said: Evaluated | None, published: Published
) -> str:
    """The card to publish; one that a person has rewritten keeps its text and what its head says besides."""
    task = TASKS[facts["task"]].card
    there = content(file).decode("utf-8") if file.is_file() else ""
    settings = tomli_w.dumps(without_folders(recipe))
    shown = {**facts, "base": bare(facts["base"]), "data": bare(facts["data"])}
    card = model_card(shown, settings, task, said, published)
    if not there or there == model_card(facts, tomli_w.dumps(recipe), task):
        return card
    return with_text_of(there, card, "" if said is None else f"\n{robustness(said)}", file)


def with_text_of(there: str, card: str, more: str, file: Path) -> str:
    """A card that a person has rewritten: under our head, which takes over what else theirs says, their own text."""
    from huggingface_hub import ModelCard

    try:
        old, new = ModelCard(there), ModelCard(card)
    except Exception as error:  # of YAML, in many shapes
        raise BadInput(
            f"the head of {file} cannot be read ({first_line(error)}); mend it, or delete the file"
        ) from None
    said = new.data.to_dict()
    for key, value in old.data.to_dict().items():
        if key not in said:
            new.data[key] = value
    return f"---\n{new.data.to_yaml()}\n---\n{old.text}{more}"
