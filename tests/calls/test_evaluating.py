from pathlib import Path

import pytest

import unfooled as uf
from tiny import save_reviews
from unfooled.errors import BadInput


def test_evaluate_measures_and_resumes(ground: Path, tmp_path: Path) -> None:
    results = uf.evaluate([str(ground / "run")], str(ground / "test.csv"), tmp_path, pgd={"eps": [0.0, 1.0]})
    rows = {(row.trial, row.eps, row.metric): row.score for row in results.rows}
    clean = rows["clean", None, "accuracy"]
    assert clean.value > 0.9 and clean.n == 60
    assert rows["pgd", 0.0, "accuracy_under_attack"].value == clean.value
    assert rows["pgd", 1.0, "accuracy_under_attack"].value <= clean.value
    assert uf.evaluate([str(ground / "run")], str(ground / "test.csv"), tmp_path, pgd={"eps": [0.0, 1.0]}) == results


def test_models_with_other_labels_are_not_compared(ground: Path, tmp_path: Path) -> None:
    data = save_reviews(tmp_path / "other.csv", 40)
    data.write_text(data.read_text().replace("positive", "yes").replace("negative", "no"))
    other = uf.train(str(data), tmp_path / "other", str(ground / "encoder"), plan={"max_steps": 2})
    with pytest.raises(BadInput, match=r"answers with no, yes and .* with negative, positive; evaluate them apart"):
        uf.evaluate([str(ground / "run"), other.model], str(ground / "test.csv"), tmp_path / "results")


def test_measuring_on_the_training_texts_is_said(
    ground: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uf.evaluate(str(ground / "run"), str(ground / "train.csv"), tmp_path / "a", ["clean"])
    assert "warning: these are the texts" in capsys.readouterr().err
    uf.evaluate(str(ground / "run"), str(ground / "test.csv"), tmp_path / "b", ["clean"])
    assert "learnt from" not in capsys.readouterr().err


def test_no_model_at_all_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no model was named"):
        uf.evaluate([], "movie-reviews", tmp_path)
