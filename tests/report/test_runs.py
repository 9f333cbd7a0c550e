"""What a run left beside its model is read where it is there, and missed where it is not."""

from pathlib import Path

from unfooled.report.runs import metrics_of, recipe_of, run_at, summary_of


def test_a_model_leads_to_its_run(tmp_path: Path) -> None:
    assert run_at(str(tmp_path / "model")) is None and recipe_of(None) == {} == summary_of(None)
    (tmp_path / "recipe.toml").write_text('[method]\nname = "carl"\n')
    assert run_at(str(tmp_path / "model")) == tmp_path == run_at(str(tmp_path))
    assert recipe_of(tmp_path) == {"method": {"name": "carl"}}


def test_none_in_a_recipe_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text('[data]\ntext = "none"\nsource = "none of it.csv"\n')
    assert recipe_of(tmp_path) == {"data": {"text": None, "source": "none of it.csv"}}


def test_what_is_not_whole_is_not_there(tmp_path: Path) -> None:
    assert summary_of(tmp_path) == {} and metrics_of(tmp_path) == []
    (tmp_path / "summary.json").write_text("[1")
    (tmp_path / "metrics.jsonl").write_text('{"step": 1}\n{"step": 2, "ki')
    assert summary_of(tmp_path) == {} and metrics_of(tmp_path) == [{"step": 1}]
    (tmp_path / "summary.json").write_text("[1]")
    assert summary_of(tmp_path) == {}


def test_metrics_of_others_are_overlooked(tmp_path: Path) -> None:
    lines = ['{"loss": 1}', "[1]", '{"step": "evil"}', '{"step": 2}', "[" * 5000]
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    assert metrics_of(tmp_path) == [{"step": 2}]
