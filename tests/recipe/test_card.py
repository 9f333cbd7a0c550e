import subprocess
import sys

import pytest

from unfooled.recipe.card import Card, model_card
from unfooled.tasks import TASKS

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

CARD = Card("text-classification", "A text classifier", 'transformers.pipeline("FOLDER")')


def test_the_card_tells_method_data_seed_and_scores() -> None:
    card = model_card(FACTS, "seed = 3\n", CARD)
    assert card.startswith("---\nlibrary_name: transformers\n")
    assert "by the method `freelb`" in card
    assert "| data | `re/views.csv` (SHA-256 `abc`) |" in card
    assert "| seed | 3 |" in card
    assert "| test accuracy | 0.5000 (95 % interval 0.2500 to 0.7500, n = 12) |" in card
    assert "```toml\nseed = 3\n```" in card


def test_the_card_warns_where_there_is_something_to_warn_of() -> None:
    assert "Warning" not in model_card(FACTS, "", CARD) + model_card({**FACTS, "warning": None}, "", CARD)
    card = model_card({**FACTS, "warning": "it has learnt | nothing"}, "", CARD)
    assert "by the method `freelb`.\n\n> **Warning**: it has learnt / nothing.\n\n|" in card


def test_textcnn_says_that_it_needs_this_package() -> None:
    card = model_card({**FACTS, "base": "textcnn"}, "", CARD)
    assert "library_name: unfooled" in card and "import unfooled.models" in card


def test_what_the_card_imports_registers_the_network() -> None:
    cards = [model_card({**FACTS, "base": base}, "", CARD) for base in ("textcnn", "tensorized")]
    lines = [line for card in cards for line in card.splitlines() if "registers the network" in line]
    lines += ["import transformers"]
    lines += [f"transformers.AutoConfig.for_model('unfooled_{kind}')" for kind in ("text_cnn", "tensorized")]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


@pytest.mark.parametrize("task", TASKS)
def test_every_task_says_how_its_model_is_opened(task: str) -> None:
    own = TASKS[task].card
    card = model_card({**FACTS, "task": task}, "", own)
    assert own.opening("THIS FOLDER") in card and f"pipeline_tag: {own.tag}" in card and own.what in card


def test_rows_that_a_task_does_not_have_are_left_out() -> None:
    facts = {name: value for name, value in FACTS.items() if name not in ("labels", "max_length")}
    card = model_card({**facts, "task": "lm"}, "", CARD)
    assert "| labels |" not in card and "| longest input |" not in card and "| seed | 3 |" in card
