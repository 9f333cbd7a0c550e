import json
from pathlib import Path

import pytest
from play_results import save_results

from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.play.evaluation import is_results, open_evaluation, players_of
from unfooled.play.players import Player
from unfooled.results.ticks import TICKS, read_ticks


def test_the_model_of_a_log_is_opened_with_its_temperature(tmp_path: Path, plain: Player) -> None:
    folder = save_results(tmp_path / "results", plain)
    assert is_results(str(folder)) and not is_results(plain.source)
    evaluation, results = open_evaluation(str(folder))
    players, notes = players_of(results, [], print)
    assert [player.temperature for player in players] == [2.0] and notes == []
    assert len(evaluation.cases) == 4


def test_only_local_folders_whose_hash_agrees_are_opened(
    tmp_path: Path, plain: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} was opened")

    _, results = open_evaluation(str(save_results(tmp_path / "other", plain, mark="another hash")))
    players, notes = players_of(results, [], print)
    assert players == () and "not the model that was measured any more" in notes[0]
    monkeypatch.setattr("unfooled.play.players.open_victim", refuse)
    for number, name in enumerate(("distilbert/hub-name", "minilm", "https://example.org/model", "../nowhere")):
        _, results = open_evaluation(str(save_results(tmp_path / str(number), plain, name=name)))
        players, notes = players_of(results, [], print)
        assert players == () and "is no folder here, so it is not opened" in notes[0]


def test_a_model_that_was_named_is_taken_and_said_to_be_another(
    tmp_path: Path, plain: Player, stubborn: Player
) -> None:
    _, results = open_evaluation(str(save_results(tmp_path / "results", plain, name="gone/model")))
    players, notes = players_of(results, [plain.source], print)
    assert [player.name for player in players] == ["plain"] and notes == []
    _, notes = players_of(results, [stubborn.source], print)
    assert notes == ["stubborn is none of the models that were measured here."]


def test_ticks_are_kept_beside_the_results_and_recompute_the_rates(tmp_path: Path, plain: Player) -> None:
    folder = save_results(tmp_path / "results", plain)
    evaluation, _ = open_evaluation(str(folder))
    assert not (folder / TICKS).exists()
    before = evaluation.rates()[0]
    assert before["found"][0].startswith("50.0 %") and before["found"] == before["fair"] and before["ticked"] == 0
    after = evaluation.tick(1, True)["rates"][0]
    assert after["fair"][0].startswith("37.5 %") and after["fair"][1].startswith("50.0 %") and after["ticked"] == 1
    evaluation.tick(2, True)
    evaluation.tick(2, False)
    again, _ = open_evaluation(str(folder))
    assert again.rates() == evaluation.rates() == [after]
    assert [case["ticked"] for case in again.told()["cases"]] == [False, True, False, False]
    assert len(read_ticks(folder)) == 1
    with pytest.raises(BadInput, match="no such sentence"):
        evaluation.tick(4, True)


def test_the_report_reads_the_ticks(tmp_path: Path, plain: Player) -> None:
    folder = save_results(tmp_path / "results", plain)
    first = report(folder, tmp_path / "first.html").read_text(encoding="utf-8")
    open_evaluation(str(folder))[0].tick(2, True)
    second = report(folder, tmp_path / "second.html").read_text(encoding="utf-8")
    assert '"ticked":[]' in first and '"ticked":[2]' in second


def test_hostile_texts_of_a_log_are_shown_and_nothing_else(tmp_path: Path, plain: Player) -> None:
    told = json.dumps(open_evaluation(str(save_results(tmp_path / "results", plain)))[0].told()["cases"][3]["pieces"])
    assert "script" in told and "\\u202e" not in told and "U+202E" in told
