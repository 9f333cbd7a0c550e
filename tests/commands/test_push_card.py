"""The card of a model that is published: what it takes from an evaluation, what it leaves out, whose text it keeps."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import ModelCard
from results_ground import contrast_pairs, plain, save_trial, word_attack

from unfooled.commands.push_card import PICTURE, evaluated, finished_card
from unfooled.errors import BadInput
from unfooled.recipe.card import Evaluated, Published

DATA = "/home/me/unseen.csv"


def save_both(folder: Path, mark: str) -> Path:
    """An evaluation of a model of certain weights, and of another one."""
    for model, own, right in (("runs/plain/model", "others", 90), ("runs/robust/model", mark, 80)):
        save_trial(folder, model, "clean", plain(right, {})[0], model_hash=own, data=DATA)
        save_trial(folder, model, "pwws", word_attack(120 - right, right - 60, 20), model_hash=own, data=DATA)
        save_trial(folder, model, "contrast", contrast_pairs(30, 10), model_hash=own, data=DATA)
    return folder


@pytest.fixture
def run(ground: Path) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """The card that a training left, its summary and its recipe."""
    facts = json.loads((ground / "run" / "summary.json").read_text())
    return ground / "run" / "model" / "README.md", facts, tomllib.loads((ground / "run" / "recipe.toml").read_text())


Run = tuple[Path, dict[str, Any], dict[str, Any]]


def published(run: Run, said: Evaluated | None = None, licence: str | None = None) -> ModelCard:
    return ModelCard(finished_card(*run, said, Published("me/robust", licence)))


def test_the_card_says_where_the_model_is_and_hides_where_it_was_made(run: Run) -> None:
    card, stored = published(run, licence="mit"), run[1]["scores"]["test accuracy"]
    assert (card.data.license, card.data.library_name, card.data.model_name) == ("mit", "transformers", "me/robust")
    assert "# me/robust" in card.text and '"me/robust"' in card.text and "THIS FOLDER" not in card.text
    assert run[2]["data"]["source"].startswith("/") and 'source = "train.csv"' in card.text
    assert str(run[0].parents[2]) not in card.content
    [test] = [one for one in card.data.eval_results if (one.dataset_split, one.metric_type) == ("test", "accuracy")]
    assert test.metric_value == stored["value"] and test.metric_args["low"] == stored["low"]
    assert "n = 60" in test.metric_name


def test_an_evaluation_gives_the_numbers_of_these_very_weights(run: Run, tmp_path: Path) -> None:
    said = evaluated(save_both(tmp_path, run[1]["model_hash"]), run[1], "me/robust")
    card = published(run, said.card)
    numbers = {one.metric_type: one for one in card.data.eval_results if one.dataset_name == "unseen.csv"}
    assert numbers["accuracy"].metric_value == 0.8  # and not 0.9, which stands first in the folder
    assert numbers["accuracy_under_attack"].metric_value == 0.5
    ends = numbers["accuracy_under_attack"].metric_args
    assert ends["low"] < 0.5 < ends["high"] and ends["n"] == 80
    assert numbers["fickleness"].metric_value == pytest.approx(20 / 60) and "obstinacy" in numbers
    assert "/home/me" not in card.content and f"]({PICTURE})" in card.text
    assert "A plain, B me/robust (this model)." in card.text
    assert said.picture is not None and "plain: fickleness" in said.picture


def test_results_of_other_weights_are_not_taken_for_this_models(run: Run, tmp_path: Path) -> None:
    save_both(tmp_path, "of an earlier training")
    with pytest.raises(BadInput, match="has no results of this model, but of plain, robust; measure it: uf.evaluate"):
        evaluated(tmp_path, run[1], "me/robust")


def test_one_axis_makes_no_picture(run: Run, tmp_path: Path) -> None:
    save_trial(tmp_path, "robust", "pwws", word_attack(40, 20, 20), model_hash=run[1]["model_hash"])
    said = evaluated(tmp_path, run[1], "me/robust")
    assert said.picture is None and "![" not in published(run, said.card).text
    assert "fickleness" in {one.metric for one in said.card.numbers}


def test_a_card_that_was_rewritten_keeps_its_text(run: Run, tmp_path: Path) -> None:
    card = tmp_path / "README.md"
    card.write_text("---\nlicense: cc-by-4.0\nlanguage: en\npipeline_tag: other\n---\n\n# Mine\n\nBuilt with care.\n")
    said = evaluated(save_both(tmp_path / "results", run[1]["model_hash"]), run[1], "me/robust").card
    kept = published((card, *run[1:]), said)
    assert kept.data.license == "cc-by-4.0" and kept.data.language == "en"
    assert kept.data.pipeline_tag == "text-classification" and kept.data.eval_results
    assert "Built with care." in kept.text and "## Robustness" in kept.text and "## Settings" not in kept.text
    assert published((card, *run[1:]), licence="mit").data.license == "mit"
    card.write_text("---\nlicense: [\n---\n# Mine\n")
    with pytest.raises(BadInput, match="the head of .*README.md cannot be read"):
        published((card, *run[1:]))
