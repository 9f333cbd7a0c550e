import json
from pathlib import Path

import pytest
from tiny import save_reviews

from unfooled.data.sources import DataSettings
from unfooled.play.calibrating import left_out as left_out_texts
from unfooled.play.calibrating import run_folder, summary_of, validation_temperature
from unfooled.play.players import Player
from unfooled.tasks.reading import read_data
from unfooled.victims.calibration import temperature_of


def saved_run(folder: Path, models: Path, source: str, data_hash: str = "other") -> Path:
    """A run folder whose model is plain and whose recipe names this data."""
    folder.mkdir()
    (folder / "model").symlink_to(models / "plain")
    (folder / "recipe.toml").write_text(f'task = "classification"\nseed = 3\n[data]\nsource = "{source}"\n')
    (folder / "summary.json").write_text(json.dumps({"data_hash": data_hash}))
    return folder


def test_confidence_is_measured_on_the_validation_split_of_the_run(tmp_path: Path, models: Path, plain: Player) -> None:
    reviews = save_reviews(tmp_path / "reviews.csv", 200)
    data = read_data(DataSettings(source=str(reviews)), plain.victim.task, 3).data
    run = saved_run(tmp_path / "run", models, str(reviews), data.fingerprint)
    left_out = data.splits["validation"]
    expected = temperature_of(plain.victim, left_out.texts, left_out.labels, 4)
    assert validation_temperature(str(run), plain.victim) == pytest.approx(expected, rel=1e-4)
    assert validation_temperature(str(run / "model"), plain.victim) == pytest.approx(expected, rel=1e-4)


def test_data_that_changed_is_gone_or_far_away_calibrates_nothing(
    tmp_path: Path, models: Path, plain: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviews = save_reviews(tmp_path / "reviews.csv", 40)
    assert validation_temperature(str(saved_run(tmp_path / "changed", models, str(reviews))), plain.victim) is None
    left_out_texts.cache_clear()
    monkeypatch.setattr("unfooled.play.calibrating.read_data", lambda *given: pytest.fail("data was asked for"))
    for number, source in enumerate(("hub:imdb", "owner/name", str(tmp_path / "gone.csv"))):
        assert validation_temperature(str(saved_run(tmp_path / str(number), models, source)), plain.victim) is None


def test_a_model_of_no_run_has_no_summary(models: Path, plain: Player) -> None:
    assert run_folder(plain.source) is None and summary_of(plain.source) == {}
    assert validation_temperature(plain.source, plain.victim) is None
