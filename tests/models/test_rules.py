"""What decides answers besides weights and words is one hash, that nothing else changes."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from attack_ground import read_otherwise, tiny_model

from unfooled.models import TextModel, load, save
from unfooled.models.rules import cutting, rules_hash
from unfooled.victims import open_victim


@pytest.fixture
def model(tmp_path: Path) -> TextModel:
    """A tiny model that is saved in ``model`` too."""
    made = tiny_model(tmp_path)
    save(made, tmp_path / "model", "# tiny")
    return made


def test_a_model_in_hand_saved_used_or_set_up_for_training_has_the_same_rules(model: TextModel, tmp_path: Path) -> None:
    again = load(str(tmp_path / "model"))
    assert again.rules() == model.rules() == open_victim(model).rules == open_victim(tmp_path / "model").rules
    again.tokenizer(["a good film", "the plot"], truncation=True, max_length=3, padding=True)
    config = again.classifier.network.config
    config.update({"hidden_dropout_prob": 0.7, "use_cache": False, "unfooled_temperature": 2.0})
    config.id2label = {0: "no", 1: "yes"}
    assert again.rules() == model.rules()


@pytest.mark.parametrize("how", ["activation", "capitals"])
def test_another_activation_and_capitals_that_stay_are_other_rules(how: str, model: TextModel, tmp_path: Path) -> None:
    read_otherwise(tmp_path / "model", how)
    other = load(str(tmp_path / "model"))
    assert other.fingerprint() == model.fingerprint() and other.rules() != model.rules()


def test_a_side_that_is_cut_off_and_what_stands_deeper_count(model: TextModel) -> None:
    tokenizer = deepcopy(model.tokenizer)
    tokenizer.truncation_side = "left"
    assert replace(model, tokenizer=tokenizer).rules() != model.rules()
    nested = [rules_hash([], {"encoder": {"hidden_act": act, "dtype": act}, 1: "a"}) for act in ("gelu", "relu")]
    assert nested[0] != nested[1]


def test_a_tokenizer_of_python_is_known_by_its_kind() -> None:
    assert cutting(SimpleNamespace()) == "SimpleNamespace"
