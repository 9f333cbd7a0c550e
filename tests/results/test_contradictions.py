"""An attack on a text that was wrong anyway, and what else cannot be, is said before everything else."""

from dataclasses import replace
from pathlib import Path

from results_ground import finished, save_trial, word_attack

from unfooled.results.contradictions import IMPOSSIBLE, contradictions
from unfooled.results.folder import Finished, open_folder
from unfooled.results.open import open_results
from unfooled.trials.clean import CleanRecord
from unfooled.trials.inputs import drawn

ATTACK = word_attack(3, 2, 1)
CLEAN = [CleanRecord(one.index, 1, 1 if one.outcome != "already wrong" else 0, 0.8, 0.2) for one in ATTACK]


def both(clean: list[CleanRecord], same_units: bool = True, model: str = "m") -> list[Finished]:
    shared = {"examples_hash": "e"} if same_units else {}
    return [finished("m", "pwws", ATTACK, **shared), finished(model, "clean", clean, **shared)]


def test_what_agrees_is_not_mentioned() -> None:
    assert contradictions(both(CLEAN)) == []


def test_an_attack_cannot_find_right_what_is_wrong_as_it_is() -> None:
    false = [replace(one, prediction=0) if one.index in (0, 4) else one for one in CLEAN]
    [said] = contradictions(both(false))
    assert said.startswith(
        f"{IMPOSSIBLE}m: what is said of pwws and clean together cannot be so in 2 cases (example 0 is"
    )
    assert contradictions(both(false, same_units=False)) == []  # example 0 is then another text
    assert contradictions(both(false, model="another")) == []


def test_a_close_call_is_no_contradiction() -> None:
    false = [replace(CLEAN[0], prediction=0), *CLEAN[1:]]
    close = [replace(ATTACK[0], before=(0.4999, 0.5001)), *ATTACK[1:]]
    trials = [finished("m", "pwws", close, examples_hash="e"), finished("m", "clean", false, examples_hash="e")]
    assert contradictions(trials) == []


def test_an_attack_that_contradicts_itself_is_named_once() -> None:
    edited = [replace(ATTACK[-1], outcome="held"), *ATTACK[:-1]]
    trials = [finished("m", "pwws", edited), finished("m", "clean", CLEAN), finished("m", "random", ATTACK)]
    [said] = contradictions(trials)
    assert "m: what is said of pwws cannot be so in 1 cases" in said


def test_it_is_said_wherever_results_are_read(tmp_path: Path) -> None:
    false = [replace(CLEAN[0], prediction=0), *CLEAN[1:]]
    save_trial(tmp_path, "demo/plain/model", "pwws", ATTACK, examples_hash="e")
    save_trial(tmp_path, "demo/plain/model", "clean", false, examples_hash="e")
    assert open_folder(tmp_path).warnings[0].startswith(f"{IMPOSSIBLE}demo/plain/model: what is said of pwws and clean")
    found = [warning for warning in open_results([tmp_path]).warnings if warning.startswith(IMPOSSIBLE)]
    assert len(found) == 1 and found[0].startswith(f"{IMPOSSIBLE}plain: what is said of pwws and clean")


def test_examples_that_an_attack_drew_are_held_against_the_same_texts() -> None:
    rows = drawn(20, len(ATTACK), seed=0)
    clean = [CleanRecord(index, 1, 1, 0.8, 0.2) for index in range(20)]
    for one in ATTACK:
        clean[rows[one.index]] = replace(clean[rows[one.index]], prediction=CLEAN[one.index].prediction)
    attack = finished("m", "pwws", ATTACK, examples_hash="drawn", settings={"most": len(ATTACK)})
    assert contradictions([attack, finished("m", "clean", clean, examples_hash="all")]) == []
    clean[rows[4]] = replace(clean[rows[4]], prediction=0)
    [said] = contradictions([attack, finished("m", "clean", clean, examples_hash="all")])
    assert f"in 1 cases (example {rows[4]} is" in said
    other = finished("m", "clean", clean, examples_hash="all", data_hash="other")
    assert contradictions([attack, other]) == []
