from dataclasses import replace
from pathlib import Path

import pytest
from results_ground import header, save_trial, word_attack

from unfooled.errors import BadInput
from unfooled.results.folder import open_folder
from unfooled.results.ticks import TICKS, read_ticks, ticked, write_tick

OWN = header("pwws", "plain", 10)


def test_ticks_come_and_go_and_leave_the_others_alone(tmp_path: Path) -> None:
    assert read_ticks(tmp_path) == {}
    for index, changed in ((3, True), (1, True), (3, False), (5, True)):
        write_tick(tmp_path, "plain", OWN, index, changed)
    write_tick(tmp_path, "robust", OWN, 2, True)
    ticks = read_ticks(tmp_path)
    assert ticked(ticks, "plain", OWN) == {1, 5} and ticked(ticks, "robust", OWN) == {2}
    assert ticked(ticks, "other", OWN) == frozenset()


def test_ticks_of_another_model_or_of_other_examples_do_not_count(tmp_path: Path) -> None:
    write_tick(tmp_path, "plain", OWN, 3, True)
    ticks = read_ticks(tmp_path)
    assert ticked(ticks, "plain", replace(OWN, model_hash="other")) is None
    assert ticked(ticks, "plain", replace(OWN, examples_hash="other")) is None


def test_results_are_opened_with_their_ticks_and_strange_ones_are_said(tmp_path: Path) -> None:
    save_trial(tmp_path, "plain", "pwws", word_attack(2, 2, 0))
    (one,) = open_folder(tmp_path).trials
    write_tick(tmp_path, one.slug, one.header, 3, True)
    assert open_folder(tmp_path).trials[0].ticked == {3}
    write_tick(tmp_path, one.slug, replace(one.header, examples_hash="other"), 3, True)
    results = open_folder(tmp_path)
    assert results.trials[0].ticked == frozenset()
    assert any("has ticks of other records" in warning for warning in results.warnings)


@pytest.mark.parametrize("text", ["{", "[]", '{"says": "", "schema": 1, "logs": {"a": 3}}'])
def test_a_file_that_holds_no_ticks_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / TICKS).write_text(text)
    with pytest.raises(BadInput, match="holds no ticks that can be read"):
        read_ticks(tmp_path)
