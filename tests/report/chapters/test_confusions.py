"""Confusions count, and label distances are those a run kept."""

import json
import re
from pathlib import Path

from results_ground import finished, plain, word_attack
from stories import told_of, words

from unfooled.report.chapters.confusions import Matrix, content, figure, matrices, matrix_table, shade
from unfooled.report.groups import Group


def test_confusions_count_over_all_seeds() -> None:
    trials = [finished(name, "clean", plain(90, {})[0]) for name in ("a", "b")]
    (matrix,) = matrices(told_of(trials[0]))
    assert matrix.rows == ((45.0, 5.0), (5.0, 45.0)) and matrix.title == "a: what is taken for what"
    (both,) = matrices(told_of(*trials, groups=[Group("both", ("a", "b"))]))
    assert both.rows == ((90.0, 10.0), (10.0, 90.0))
    assert content(told_of(finished("a", "pwws", word_attack(3, 5, 2)))) == ""


def test_label_distances_are_those_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("seed = 0\n")
    summary = {"label_distance": [[1, 2], [3, 1]], "label_names": ["a", "b"]}
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    distances = matrices(told_of(finished(str(tmp_path / "model"), "clean", plain(9, {}, 10)[0])))[1]
    assert distances.rows == ((1.0, 2.0), (3.0, 1.0)) and not distances.counts


def test_a_matrix_is_shaded_by_row_and_rows_are_true_classes() -> None:
    found = matrix_table(Matrix("t", ("neg", "pos"), ((90.0, 10.0), (0.0, 5.0))))
    assert [int(one) for one in re.findall(r"shade-(\d)", found)] == [9, 1, 0, 9]
    assert "neg 90 10 pos 0 5" in words(found)
    assert "1.00 2.50" in words(matrix_table(Matrix("d", ("a", "b"), ((1.0, 2.5), (2.0, 1.0)), counts=False)))
    assert [shade(part) for part in (-1.0, 0.0, 0.05, 0.999, 1.0)] == [0, 0, 0, 9, 9]


def test_many_classes_are_a_picture() -> None:
    many = tuple(f"<c{number}>" for number in range(13))
    drawn = figure(Matrix("many", many, tuple(tuple(float(a == b) for b in many) for a in many), False))
    assert "<svg" in drawn and "<table" not in drawn and "<c1>" not in drawn
