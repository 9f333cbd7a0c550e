"""The record names models, data, settings and versions, with their hashes."""

import json
from pathlib import Path

from language_ground import perplexities
from results_ground import finished, plain, word_attack
from stories import HOSTILE, told_of, usual_told

from unfooled.report.chapters.record import content, facts


def test_the_record_names_hashes_settings_and_versions() -> None:
    rows = {name: value for own in facts(usual_told()).values() for name, value in own}
    assert rows["weights and vocabulary, SHA-256"] == "hash of robust" and rows["labels"] == "negative, positive"
    assert "unfooled" in rows and "torch" in rows and rows["clean"] == "seed 0; none"
    assert rows["reviews: 100 examples"] == "d / e example"
    drawn = content(usual_told())
    assert "<code>hash of plain</code>" in drawn and HOSTILE not in drawn


def test_models_without_weights_or_labels_say_so() -> None:
    own = finished("f", "perplexity", perplexities(20.0, {}), model_hash="", settings={"radii": [1.0, 3.0], "a": {}})
    rows = dict(facts(told_of(own))["Model f"])
    assert rows["weights and vocabulary, SHA-256"] == "a callable" and "labels" not in rows
    assert dict(facts(told_of(own))["Settings of the trials"]) == {"perplexity": "seed 0; radii = [1.0, 3.0], a = none"}


def test_the_temperature_of_an_attack_is_told() -> None:
    calibrated = finished("m", "pwws", word_attack(2, 1, 0), temperature=1 / 3)
    rows = dict(facts(told_of(calibrated, finished("m", "clean", plain(2, {}, 3)[0])))["Model m"])
    assert rows["temperature of the logits, pwws"] == "0.333333" and "temperature of the logits, clean" not in rows
    assert "temperature" not in str(facts(told_of(finished("m", "pwws", word_attack(2, 1, 0)))))


def test_a_run_tells_how_it_was_trained(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("seed = 0\n")
    (tmp_path / "summary.json").write_text(json.dumps({"method": "carl", "steps": 7, "other": 1}))
    name = str(tmp_path / "model")
    rows = dict(facts(told_of(finished(name, "clean", plain(9, {}, 10)[0])))[f"Model {name}"])
    assert (rows["method"], rows["steps"]) == ("carl", "7") and "other" not in rows
