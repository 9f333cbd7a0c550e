from unfooled.card import model_card

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
