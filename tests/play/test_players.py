import json
import shutil
from pathlib import Path

import pytest
from play_ground import SENTENCE

from unfooled.errors import BadInput
from unfooled.play.answers import rows_of
from unfooled.play.players import (
    Player,
    kind_of,
    label_note,
    open_players,
    shared_labels,
    short_names,
    trained_on_pairs,
)
from unfooled.victims import open_victim


def test_models_are_opened_under_short_names_and_say_what_they_say(models: Path) -> None:
    news: list[str] = []
    players = open_players([str(models / "number"), str(models / "sets")], news.append)
    assert [(player.name, player.kind) for player in players] == [("number", "number"), ("sets", "sets")]
    assert news == ["opening number …", "opening sets …"]


def test_names_tell_models_apart() -> None:
    assert short_names(["runs/plain/model", "runs/free"]) == ["plain", "free"]
    assert short_names(["a/plain", "b/plain"]) == ["a/plain", "b/plain"]
    assert short_names(["a", "a"]) == ["a (1)", "a (2)"]


def test_what_is_no_classifier_and_what_is_too_many_is_refused(models: Path) -> None:
    with pytest.raises(BadInput, match="no trained classifier"):
        open_players([str(models / "encoder")], print)
    with pytest.raises(BadInput, match="no model folder at ./nowhere"):
        open_players(["./nowhere"], print)
    with pytest.raises(BadInput, match="3 models were named"):
        open_players(["a", "b", "c"], print)


def test_a_model_that_writes_or_points_is_refused(plain: Player) -> None:
    from dataclasses import replace

    for task in ("lm", "span"):
        with pytest.raises(BadInput, match="play takes models that say a class, a set of labels or a number"):
            kind_of(replace(plain.victim, task=task))


def test_only_labels_that_both_know_are_compared(plain: Player, models: Path) -> None:
    (three,) = open_players([str(models / "three")], print)
    assert shared_labels([plain, three]) == ["negative", "positive"]
    assert "compared is only what both know: negative, positive" in str(label_note([plain, three]))
    assert label_note([plain, plain]) is None and label_note([plain]) is None
    (sets,) = open_players([str(models / "sets")], print)
    assert "no label in common" in str(label_note([plain, sets]))


def test_confidence_says_where_it_comes_from(models: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    shutil.copytree(models / "plain", run / "model")
    config = json.loads((run / "model" / "config.json").read_text())
    (run / "model" / "config.json").write_text(json.dumps({**config, "unfooled_temperature": 4.0}))
    (run / "recipe.toml").write_text('[data]\ntext = "premise,hypothesis"\n')
    (trained,) = open_players([str(run)], print)
    assert (trained.confidence, trained.pairs, trained.temperature) == ("calibrated on validation", True, 4.0)
    assert trained_on_pairs(str(models / "plain")) is False
    (own,) = open_players([str(models / "plain")], print)
    assert own.confidence == "its own confidence, not calibrated"
    mark = own.victim.hash
    (measured,) = open_players([str(models / "plain")], print, {mark: 4.0})
    assert measured.confidence == "calibrated on the evaluation's texts"
    sure, less, kept = (rows_of(player, [(SENTENCE,)])[0].max() for player in (own, measured, trained))
    assert 0.5 < less < sure and kept == pytest.approx(less)
    again = open_victim(str(models / "plain")).calibrated(4.0).answer([(SENTENCE,)])[0].max()
    assert less == pytest.approx(again)
