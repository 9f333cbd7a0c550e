import pytest

from unfooled.cli.tables import cell, print_first, print_results, print_scores
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.results import Results, Row
from unfooled.evaluation.verdict import Axis, Verdict

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


def test_parts_are_named_details_left_out_and_verdicts_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    rows = (
        Row("m", "hits", None, "hits", SCORE, "cls, layer 2"),
        Row("m", "hits", None, "hits_by_layer", SCORE, "cls, layer 1", detail=True),
    )
    verdict = Verdict("m", Axis(SCORE, {"word attacks": SCORE}), Axis(None, {}))
    print_results(Results(rows, (), (), (verdict,)))
    shown = capsys.readouterr().out
    assert "hits cls, layer 2: hits" in shown and "layer 1" not in shown
    assert "fickleness: moves though meaning holds   0.500 [0.250, 0.750]" in shown and "word attacks" in shown
    print_results(Results(rows, (), (), (Verdict("m", Axis(None, {}), Axis(None, {})),)))
    assert "verdict" not in capsys.readouterr().out


def test_what_comes_first_is_accuracy_under_each_attack_and_both_axes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    rows = [
        Row(model, trial, eps, metric, SCORE, part)
        for model in ("runs/plain/model", "runs/robust/model")
        for trial, eps, metric, part in (
            ("clean", None, "accuracy", None),
            ("clean", None, "mean_confidence", None),
            ("pgd", 0.0, "accuracy_under_attack", None),
            ("pgd", 0.1, "accuracy_under_attack", None),
            ("pgd", 0.1, "attack_success", None),
            ("pwws", None, "accuracy_under_attack", None),
            ("pwws", None, "queries", None),
            ("transfer", None, "accuracy_under_attack", None),
            ("invariance", None, "failure_rate", "INV typos"),
        )
    ]
    verdict = Verdict("runs/robust/model", Axis(SCORE, {"word attacks": SCORE}), Axis(None, {}))
    print_first(Results(tuple(rows), ("gradients [are] masked",), (), (verdict,)))
    lines = capsys.readouterr().out.splitlines()
    numbers = [line for line in lines if "0.500 [0.250, 0.750]" in line]
    assert [line.split("  ")[1] for line in numbers] == [
        "clean: accuracy", "pgd 0.1: accuracy", "pwws: accuracy", "transfer: accuracy", "fickleness",
    ]  # fmt: skip
    assert [line.count("0.500") for line in numbers] == [2, 2, 2, 2, 1] and all(len(line) <= 80 for line in lines)
    assert lines[-1] == "warning: gradients [are] masked"
