"""Results made by hand: which trials claim something, what is missing, and what a summary says otherwise."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from results_ground import plain, save_results, save_trial, shifted, transferred, word_attack

import unfooled as uf
from unfooled.commands.verify import claims, misstated, numbers
from unfooled.errors import BadInput
from unfooled.files import SUMMARY
from unfooled.journal import JOURNAL
from unfooled.results.folder import logs, open_folder, write_summary


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_results(tmp_path, "plain", right=90, left={0.1: 30})
    save_trial(tmp_path, "plain", "pwws", word_attack(3, 5, 2))
    save_trial(tmp_path, "plain", "transfer", transferred(4, 3))
    save_trial(tmp_path, "plain", "shift", shifted(4))
    write_summary(tmp_path, open_folder(tmp_path))
    return tmp_path


def calm(texts: list[str]) -> np.ndarray:
    return np.array([[0.2, 0.8] if "decent" not in text else [0.7, 0.3] for text in texts])


def test_only_trials_of_adversaries_claim_some(folder: Path) -> None:
    assert [path.parent.name for path in logs(folder) if claims(path)] == ["pwws", "transfer"]


def test_trials_broken_off_are_counted_even_before_their_first_record(tmp_path: Path) -> None:
    whole = {"model_hash": "", "settings": {"column": None}, "examples": 10}
    save_trial(tmp_path, "calm", "pwws", word_attack(3, 5, 2), **whole)
    save_trial(tmp_path, "calm", "random", [], **whole)
    save_trial(tmp_path, "calm", "deepwordbug", word_attack(2, 0, 0), **whole)
    (tmp_path / "calm" / "textfooler").mkdir()
    (tmp_path / "calm" / "textfooler" / JOURNAL).write_text('{"kind": "unf')
    found = uf.verify(tmp_path, calm)
    assert {name: one.missing for name, one in found.trials.items()} == {
        "calm, pwws": 0, "calm, random": 10, "calm, deepwordbug": 8,
    }  # fmt: skip
    assert found.missing == 18 and found.checked == 5 and found.summary == ()  # nothing can be added up yet


def test_folders_without_attacks_are_refused_and_a_comparison_is_read_from_its_results(tmp_path: Path) -> None:
    save_trial(tmp_path / "results", "plain", "clean", plain(9, {}, 10)[0])
    for place in (tmp_path, tmp_path / "results"):
        with pytest.raises(BadInput, match="holds no attack; run: uf.attack"):
            uf.verify(place)
    save_trial(tmp_path / "results", "calm", "pwws", word_attack(3, 5, 2), model_hash="")
    assert uf.verify(tmp_path, calm).checked == 5


def test_the_attacked_column_is_that_of_the_settings_or_the_last(tmp_path: Path) -> None:
    def victim(texts: list[tuple[str, str]]) -> np.ndarray:
        return calm([" ".join(text) for text in texts])

    pairs = [
        replace(one, texts=("premise", *one.texts), adversary=one.adversary and ("premise", *one.adversary))
        for one in word_attack(0, 2, 0)
    ]
    save_trial(tmp_path, "a", "pwws", pairs, settings={"column": None}, model_hash="")
    save_trial(tmp_path, "a", "random", pairs, settings={"column": 0}, model_hash="")
    found = uf.verify(tmp_path, victim).trials
    assert found["a, pwws"].disagreeing == () and found["a, random"].disagreeing == (0, 1)


def test_the_summary_is_added_up_again(folder: Path) -> None:
    assert list(misstated(folder)) == []
    stored = json.loads((folder / SUMMARY).read_text())
    scores = stored["models"]["plain"]["trials"]["pwws"]["scores"]
    next(one for one in scores if one["metric"] == "attack_success")["value"] += 0.01
    stored["verdict"]["plain"]["fickleness"]["score"]["value"] += 0.01
    del stored["models"]["plain"]["trials"]["pgd"]["scores"][0]
    stored["models"]["made up"] = {"trials": {"pwws": {"scores": [{"metric": "attack_success", "value": 0, "n": 1}]}}}
    (folder / SUMMARY).write_text(json.dumps(stored))
    assert list(misstated(folder)) == [
        "plain, pgd: accuracy_under_attack 0.1", "plain, pwws: attack_success", "plain: fickleness",
        "made up, pwws: attack_success",
    ]  # fmt: skip
    for text in ("[", '{"kind": "something"}', '{"kind": "unfooled evaluation", "schema": 2, "models": [1]}'):
        (folder / SUMMARY).write_text(text)
        assert list(misstated(folder))
    (folder / SUMMARY).unlink()
    assert list(misstated(folder)) == [f"{SUMMARY} is not there or cannot be read"]


def test_damaged_summaries_have_no_numbers() -> None:
    for whole in ({}, {"models": 3}, {"models": {"a": {"trials": {"b": {"scores": [4]}}}}}, {"verdict": {"a": 1}}):
        assert all(value in (None, [None, None]) for value in numbers(whole).values())  # type: ignore[arg-type]
