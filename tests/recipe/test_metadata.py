"""The head of a card, read back by the hub's own classes."""

import json
from typing import Any

import pytest
from huggingface_hub import EvalResult, ModelCard

from unfooled.recipe.card import Card, Evaluated, Published, model_card
from unfooled.recipe.metadata import CardNumber, bare, hub_name, without_folders

SCORE = {"value": 0.5, "low": 0.25, "high": 0.75, "n": 12, "definition": "share: of what is right"}
FACTS: dict[str, Any] = {
    "method": "freelb",
    "base": "owner/encoder@" + "1a2b3c4d" * 5,
    "data": "owner/reviews@" + "4d3c2b1a" * 5,
    "data_hash": "abc",
    "seed": 3,
    "steps": 10,
    "best_step": 5,
    "scores": {"validation accuracy": SCORE, "test exact match": {**SCORE, "value": 1.0}},
}
CARD = Card("text-classification", "A text classifier", 'transformers.pipeline("FOLDER")')


def read(facts: dict[str, Any] = FACTS, *more: Any) -> ModelCard:
    return ModelCard(model_card(facts, "", CARD, *more))


def test_the_hubs_own_classes_read_every_number_back() -> None:
    data = read().data
    assert (data.base_model, data.datasets, data.license) == ("owner/encoder", ["owner/reviews"], None)
    assert (data.library_name, data.pipeline_tag) == ("transformers", "text-classification")
    assert data.tags == ["unfooled", "robustness", "freelb"]
    first, second = data.eval_results
    assert isinstance(first, EvalResult) and (first.metric_type, second.metric_type) == ("accuracy", "exact_match")
    assert (first.dataset_split, second.dataset_split) == ("validation", "test")
    assert (first.dataset_type, first.dataset_revision) == ("owner/reviews", "4d3c2b1a" * 5)
    assert first.metric_value == 0.5 and first.metric_args == {
        "low": 0.25, "high": 0.75, "n": 12, "definition": "share: of what is right",
    }  # fmt: skip
    assert first.metric_name == "accuracy (95 % interval 0.2500 to 0.7500, n = 12)"


def test_only_what_is_known_is_said() -> None:
    data = read({**FACTS, "base": "runs/encoder", "data": "reviews.csv", "scores": {}}).data
    assert data.base_model is data.datasets is data.eval_results is data.license is None
    assert read({**FACTS, "base": "minilm"}).data.base_model == "sentence-transformers/all-MiniLM-L6-v2"
    assert read(FACTS, None, Published("me/model", "mit")).data.license == "mit"


def test_numbers_that_are_none_and_intervals_that_are_none_are_left_out() -> None:
    nothing, endless = float("nan"), float("inf")
    scores = {"test loss": {**SCORE, "value": nothing}, "test f1": {**SCORE, "low": -endless, "high": endless}}
    [only] = read({**FACTS, "scores": scores}).data.eval_results
    assert only.metric_type == "f1" and only.metric_args == {"n": 12, "definition": SCORE["definition"]}
    assert only.metric_name == "f1 (n = 12)"


def test_whatever_a_name_holds_the_head_stays_a_head() -> None:
    evil = "re: views\n---\n- [x] {y} '\"#.csv"
    card = read({**FACTS, "data": evil})
    assert card.data.eval_results[0].dataset_name == evil and card.data.tags[0] == "unfooled"


def test_an_evaluation_stands_in_the_index_and_in_a_table() -> None:
    number = CardNumber("accuracy_under_attack", "pwws: accuracy", 0.4, 0.3, 0.5, 90, "of all", "unseen.csv")
    card = read(FACTS, Evaluated("unseen.csv", [number], "two_axes.svg", "A plain|B robust"), Published("me/model"))
    [own] = [one for one in card.data.eval_results if one.dataset_name == "unseen.csv"]
    assert own.metric_type == "accuracy_under_attack" and own.metric_args["low"] == 0.3
    assert "| pwws: accuracy | 0.4000 | 0.3000 to 0.5000 | 90 |" in card.text
    assert "![A plain/B robust](two_axes.svg)" in card.text and card.text.index("## Robustness") < card.text.index(
        "## Use"
    )


@pytest.mark.parametrize("name", ["none", "owner/data", "hub:imdb", FACTS["data"], "minilm", "linear"])
def test_what_is_no_path_stays(name: str) -> None:
    assert bare(name) == name


def test_paths_lose_their_folders_at_every_depth() -> None:
    values = {"data": {"source": "~/mine/a.csv", "test": "sets/b.jsonl.gz"}, "model": {"name": "/srv/runs/x/model/"}}
    assert json.dumps(without_folders(values)) == json.dumps(
        {"data": {"source": "a.csv", "test": "b.jsonl.gz"}, "model": {"name": "model"}}
    )
    assert hub_name("/srv/owner/data@" + "0" * 40) is None
