"""What can stand on one page does, what cannot is refused with its reason."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from results_ground import header, plain, save_results, save_trial, word_attack

from unfooled.errors import BadInput
from unfooled.results.folder import open_folder, write_summary
from unfooled.results.open import display_names, open_results, results_in, short_name, without_what_all_share


def test_evaluations_and_attacks_stand_together(tmp_path: Path) -> None:
    save_results(tmp_path / "r", "plain", right=90, left={0.1: 30})
    save_results(tmp_path / "r2", "robust", right=80, left={0.1: 60})
    save_trial(tmp_path / "a", "plain", "pwws", word_attack(3, 5, 2))
    results = open_results([tmp_path / "r", tmp_path / "r2", tmp_path / "a"])
    assert results.models == ["plain", "robust"]
    assert [(one.model, one.trial) for one in results.trials][-1] == ("plain", "pwws")
    assert results.of("robust", "pwws") is None
    rows = {(row.model, row.trial, row.metric): row.score.value for row in results.rows if row.eps is None}
    assert rows["plain", "pwws", "accuracy_under_attack"] == 0.3


def test_a_trial_that_two_folders_hold_is_read_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_results(tmp_path / name, "plain", right=90, left={0.1: 30})
    assert [one.trial for one in open_results([tmp_path / "one", tmp_path / "two"]).trials] == ["clean", "pgd"]


def test_a_comparison_is_read_from_its_results(tmp_path: Path) -> None:
    save_results(tmp_path / "results", "plain", right=9, left={0.1: 3})
    assert open_results([tmp_path]).models == ["plain"] and results_in(tmp_path) == tmp_path / "results"


def test_the_verdict_reads_all_trials(tmp_path: Path) -> None:
    save_trial(tmp_path, "plain", "pwws", word_attack(3, 5, 2))
    (verdict,) = open_results([tmp_path]).verdicts
    assert verdict.fickleness.score is not None and verdict.fickleness.score.value == 5 / 8


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"data_hash": "other"}, "data_hash"),
        ({"examples_hash": "other"}, "examples_hash"),
        ({"seed": 3}, "seed"),
        ({"settings": {"steps": 9}}, "settings.steps"),
    ],
)
def test_different_data_or_settings_are_not_compared(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    save_results(tmp_path / "one", "plain", right=9, left={0.1: 3})
    save_results(tmp_path / "two", "robust", right=9, left={0.1: 3}, **changes)
    with pytest.raises(BadInput, match=f"two cannot be compared with .*one: they differ in .*{words}"):
        open_results([tmp_path / "one", tmp_path / "two"])


def test_bad_folders_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no results were named"):
        open_results([])
    with pytest.raises(BadInput, match="there is no folder"):
        open_results([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="holds no finished evaluation"):
        open_results([tmp_path / "empty"])
    save_trial(tmp_path / "half", "plain", "pwws", word_attack(3, 5, 2), examples=11)
    with pytest.raises(BadInput, match="holds no finished evaluation"):
        open_results([tmp_path / "half"])


def test_half_written_results_are_left_out_and_said_so(tmp_path: Path) -> None:
    clean, pgd = plain(9, {0.1: 3}, 10)
    save_trial(tmp_path, "plain", "clean", clean)
    save_trial(tmp_path, "plain", "pgd", pgd[:4], examples=10)
    results = open_results([tmp_path])
    assert [one.trial for one in results.trials] == ["clean"]
    assert "unfinished (4 examples done)" in results.warnings[0]


def test_results_of_another_version_are_refused(tmp_path: Path) -> None:
    save_trial(tmp_path, "plain", "clean", plain(9, {}, 10)[0], schema=99)
    with pytest.raises(BadInput, match="schema version 99"):
        open_results([tmp_path])


def test_names_are_short_where_that_tells_models_apart() -> None:
    one, two = header("clean", "runs/a/model", 1), header("clean", "runs/b/model", 1)
    assert set(display_names([one, two]).values()) == {"a", "b"}
    other = header("clean", "other/a/model", 1)
    assert set(display_names([one, other]).values()) == {"runs/a/model", "other/a/model"}
    same = replace(one, model_hash="another hash")
    assert len(set(display_names([one, same]).values())) == 2
    assert short_name("model") == "model"


def test_models_stand_in_the_order_they_were_measured_in(tmp_path: Path) -> None:
    for name in ("robust", "plain"):
        save_results(tmp_path, name, right=9, left={0.1: 3})
    assert open_results([tmp_path]).models == ["plain", "robust"]  # unknown, so by name
    write_summary(tmp_path, open_folder(tmp_path, ["robust", "plain"]))
    assert open_results([tmp_path]).models == ["robust", "plain"]


def test_shortened_names_still_tell_models_apart() -> None:
    draw = random.Random(0)
    for _ in range(2000):
        names = {"-".join(draw.choices(["a", "bb", "7", "ccc", ""], k=draw.randint(1, 9))) for _ in range(4)}
        assert len(set(without_what_all_share(list(names)))) == len(names)
    assert without_what_all_share(["mr-minilm-plain-0.1-0", "mr-minilm-free-0.1-0"]) == ["plain", "free"]
