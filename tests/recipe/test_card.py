import pytest

from unfooled.recipe.card import KINDS, model_card, opening

FACTS = {
    "method": "freelb",
    "base": "minilm",
    "data": "re|views`.csv",
    "data_hash": "abc",
    "labels": ["bad", "good"],
    "max_length": 64,
    "seed": 3,
    "steps": 10,
    "best_step": 5,
    "scores": {"test accuracy": {"value": 0.5, "low": 0.25, "high": 0.75, "n": 12}},
}


def test_the_card_tells_method_data_seed_and_scores() -> None:
    card = model_card(FACTS, "seed = 3\n")
    assert card.startswith("---\nlibrary_name: transformers\n")
    assert "by the method `freelb`" in card
    assert "| data | `re/views.csv` (SHA-256 `abc`) |" in card
    assert "| seed | 3 |" in card
    assert "| test accuracy | 0.5000 (95 % interval 0.2500 to 0.7500, n = 12) |" in card
    assert "```toml\nseed = 3\n```" in card


def test_textcnn_says_that_it_needs_this_package() -> None:
    card = model_card({**FACTS, "base": "textcnn"}, "")
    assert "library_name: unfooled" in card and "import unfooled.models" in card


@pytest.mark.parametrize("task", KINDS)
def test_every_task_says_how_its_model_is_opened(task: str) -> None:
    card = model_card({**FACTS, "task": task}, "")
    assert opening(task, "THIS FOLDER") in card and f"pipeline_tag: {KINDS[task][0]}" in card


def test_rows_that_a_task_does_not_have_are_left_out() -> None:
    facts = {name: value for name, value in FACTS.items() if name not in ("labels", "max_length")}
    card = model_card({**facts, "task": "lm"}, "")
    assert "| labels |" not in card and "| longest input |" not in card and "| seed | 3 |" in card
