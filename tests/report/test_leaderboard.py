"""Measurements become a leaderboard: seeds one number, what was not measured nothing, and no text becomes code."""

import json
from pathlib import Path

import pytest

from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.report.leaderboard import (
    Leaderboard,
    clear_best,
    leaderboard_page,
    leaderboard_text,
    measured,
    read_leaderboard,
)
from unfooled.scores.intervals import proportion


def line(entry: str, what: str, value: float, seed: int = 0, data: str = "mr", **more: object) -> str:
    return json.dumps({"data": data, "entry": entry, "seed": seed, "what": what, "value": value, "n": 200, **more})


def board(*lines: str) -> Leaderboard:
    return Leaderboard(tuple(measured(one, "here") for one in lines))


def test_a_cell_is_the_mean_of_its_seeds_and_one_seed_has_the_interval_of_its_examples() -> None:
    made = board(
        *(line("plain", "pwws", value, seed) for seed, value in enumerate((0.1, 0.2, 0.3))), line("carl", "pwws", 0.25)
    )
    several, one = made.score("mr", "plain", "pwws"), made.score("mr", "carl", "pwws")
    assert several is not None and one is not None
    assert (several.value, several.n, round(several.high, 3)) == (pytest.approx(0.2), 3, 0.448)  # Student's, 3 seeds
    assert (one.value, one.n, round(one.low, 3)) == (0.25, 200, 0.195)  # Wilson's, 200 examples


def test_what_was_not_measured_is_empty_and_its_column_crowns_nobody() -> None:
    made = board(line("plain", "clean", 0.9), line("carl", "clean", 0.8), line("plain", "pwws", 0.1))
    assert "| carl | 80.0 % [73.9 – 85.0] |  |" in leaderboard_text(made)
    page = leaderboard_page(made)
    assert "<b>90.0" in page and "<b>10.0" not in page and 'aria-label="not measured"' in page


def test_only_what_is_better_beyond_its_interval_is_bold() -> None:
    near = board(line("plain", "clean", 0.9), line("carl", "clean", 0.88))
    assert "<b>" not in leaderboard_page(near)
    few, many = proportion(2, 9, "").called("", better="less"), proportion(90, 100, "").called("", better="less")
    assert clear_best([many, few]) is few and clear_best([few, few]) is None and clear_best([few, None]) is None


def test_cost_is_counted_in_the_first_way_of_training_on_the_same_data() -> None:
    made = board(
        line("plain", "cost", 50),
        line("plain", "cost", 150, 1),
        line("carl", "cost", 400),
        line("carl", "cost", 9, 0, "imdb"),
    )
    cost = made.score("mr", "carl", "cost")
    assert cost is not None and cost.value == 4.0
    assert made.score("imdb", "carl", "cost") is None  # plain was not measured there


def test_columns_stand_in_one_order_and_unknown_ones_at_the_end() -> None:
    made = board(line("plain", "elsewhere", 0.5), line("plain", "pwws", 0.1), line("plain", "clean", 0.9))
    assert made.columns("mr") == ["clean", "pwws", "elsewhere"]


def test_names_become_neither_html_nor_markup_of_a_table() -> None:
    made = board(line("<script>alert(1)</script>|x", "clean", 0.5, data="[a](javascript:b)"))
    assert "<script>alert" not in leaderboard_page(made)
    text = leaderboard_text(made)
    assert "&lt;script>" in text and "\\|x" in text and "\\[a](javascript" in text


def test_files_become_a_page_and_the_same_in_markdown(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(line("plain", "clean", 0.9, extra="left alone") + "\n\n")
    (tmp_path / "two.jsonl").write_text(line("carl", "clean", 0.8) + "\n")
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    page = report(files, tmp_path / "new" / "board.html")
    assert "script-src &#x27;none&#x27;" in page.read_text()
    assert "| carl | 80.0 %" in page.with_suffix(".md").read_text()
    assert page.read_bytes() == report(files, tmp_path / "again.html").read_bytes()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no measurement"),
        ("{", "line 1: no JSON"),
        ("[1]", "line 1: no measurement"),
        ('{"data": "mr", "entry": "plain", "what": "clean"}', "line 1: value is missing"),
        (line("plain", "clean", True), "line 1: value or n"),
        (line("plain", "clean", 90.0), "no share"),
        (line("plain", "clean", 0.5, n=-1), "value or n"),
        (line("plain", "clean", float("nan")), "value or n"),
    ],
)
def test_a_line_that_is_no_measurement_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "rows.jsonl").write_text(text)
    with pytest.raises(BadInput, match=said):
        read_leaderboard([tmp_path / "rows.jsonl"])


def test_measurements_and_results_are_not_mixed_and_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(line("plain", "clean", 0.9))
    with pytest.raises(BadInput, match="report them apart"):
        report([tmp_path / "rows.jsonl", tmp_path], tmp_path / "page.html")
    with pytest.raises(BadInput, match="cannot be read"):
        report(tmp_path / "none.jsonl", tmp_path / "page.html")
