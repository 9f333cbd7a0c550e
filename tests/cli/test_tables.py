import pytest

from unfooled.cli.tables import cell, print_results, print_scores
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.results import Results, Row

SCORE = Score(0.5, 0.25, 0.75, 12, "share of something")


def test_scores_stand_with_interval_and_n(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    print_scores("run", {"test accuracy": SCORE})
    shown = capsys.readouterr().out
    assert "0.2500 to 0.7500" in shown and "12" in shown
    assert cell(SCORE) == "0.500 [0.250, 0.750]"


def test_models_stand_side_by_side_and_warnings_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    rows = tuple(Row(model, "pgd", 0.1, "accuracy_under_attack", SCORE) for model in ("plain", "robust"))
    print_results(Results(rows, ("gradients [are] masked",), ()))
    lines = capsys.readouterr().out.splitlines()
    assert any("pgd 0.1: accuracy" in line and line.count("0.500 [0.250, 0.750]") == 2 for line in lines)
    assert "warning: gradients [are] masked" in lines[-1]
