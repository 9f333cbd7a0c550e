import pytest
from results_ground import contrast_pairs, finished, plain, results_of, transferred, word_attack

from unfooled.cli.printed.tables import cell, print_first, print_results, print_scores
from unfooled.results.folder import Finished, Results
from unfooled.scores.score import Score
from unfooled.trials.hits import HitRecord

SCORE = Score(0.5, 0.25, 0.75, 12, "share of something")


def test_scores_stand_with_interval_and_n(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    print_scores("run", {"test accuracy": SCORE, "loss": Score(1.25, 1.0, 1.5, 7, "", unit="")})
    shown = capsys.readouterr().out.splitlines()
    for words in (("test accuracy", "50.0 %", "25.0 – 75.0", " 12 "), ("loss", " 1.25 ", " 1 – 1.5 ", " 7 ")):
        assert any(all(word in line for word in words) for line in shown)


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (SCORE, "50.0 % [25.0 – 75.0]"),
        (Score(0.81, 0.75, 0.858, 200, ""), "81.0 % [75.0 – 85.8]"),
        (Score(123.456, 120.0, 130.0, 9, "", unit="texts"), "123.5 [120 – 130]"),
        (Score(-0.25, -0.5, 0.1, 9, "", unit=""), "-0.25 [-0.5 to 0.1]"),
        (Score(0.5, 0.25, float("inf"), 1, "", unit=""), "0.5"),
        (Score(float("nan"), 0.0, 1.0, 0, ""), "unknown"),
    ],
)
def test_numbers_are_printed_by_their_unit(score: Score, text: str) -> None:
    assert cell(score) == text


def test_models_stand_side_by_side_and_warnings_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    trials = [finished(model, "pgd", plain(9, {0.1: 5}, 10)[1]) for model in ("plain", "robust")]
    print_results(Results(tuple(trials), ("gradients [are] masked",)))
    lines = capsys.readouterr().out.splitlines()
    assert any("pgd 0.1: accuracy" in line and line.count("50.0 % [23.7 – 76.3]") == 2 for line in lines)
    assert any("plain" in line and "robust" in line and line.endswith(" n  ") for line in lines)
    assert "warning: gradients [are] masked" in lines[-1]


def test_parts_are_named_details_left_out_and_verdicts_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    near = ((0.9, 0.1), (0.9, 0.1))  # two layers
    hits = [HitRecord(index, index, "a", "b", "c", near, near, near) for index in range(3)]
    print_results(results_of(finished("m", "hits", hits), finished("m", "pwws", word_attack(5, 5, 0))))
    shown = capsys.readouterr().out
    assert "hits cls: hits" in shown and "hits bertscore: hits" in shown and "layer" not in shown
    assert "pwws: queries" in shown and "clean accuracy" not in shown and "errors" not in shown
    assert "fickleness: moves though meaning holds   50.0 % [23.7 – 76.3]" in shown and "  word attacks" in shown
    print_results(results_of(finished("m", "hits", hits)))
    assert "verdict" not in capsys.readouterr().out


def test_what_comes_first_is_accuracy_under_each_attack_and_both_axes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    clean, pgd = plain(5, {0.0: 5, 0.1: 5}, 10)
    trials: list[Finished] = []
    for model in ("runs/plain/model", "runs/robust/model"):
        trials += [finished(model, "clean", clean), finished(model, "pgd", pgd)]
        trials += [finished(model, "pwws", word_attack(5, 5, 0)), finished(model, "transfer", transferred(5, 5))]
    trials.append(finished("runs/robust/model", "contrast", contrast_pairs(5, 5)))
    print_first(Results(tuple(trials), ("gradients [are] masked",)))
    lines = capsys.readouterr().out.splitlines()
    numbers = [line for line in lines if "50.0 % [" in line]
    assert [line.split("  ")[1] for line in numbers] == [
        "clean: accuracy", "pgd 0.1: accuracy", "pwws: accuracy", "transfer: accuracy", "fickleness", "obstinacy",
    ]  # fmt: skip
    assert [line.count("50.0 %") for line in numbers] == [2, 2, 2, 2, 2, 1] and all(len(line) <= 80 for line in lines)
    assert lines[-1] == "warning: gradients [are] masked"
