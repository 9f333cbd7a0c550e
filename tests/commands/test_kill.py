"""Everything that measures or writes, under fire: real processes, real signals at random moments, the same results.

``make test-kill`` sends each signal 25 times to each command, ``make test`` once.
"""

import json
from pathlib import Path

import pytest
from attack_ground import save_ground
from kills import Command, Kills, require_like, same_bytes, same_results, survives
from tiny import save_encoder, save_reviews
from village import TEXTS

from unfooled.attacks.table import ATTACKS

STEPS = ("--set", "plan.max_steps=3", "--set", "plan.batch_size=8", "--set", "plan.save_every=1")
BOUNDS = "[method.step_size]\nlow = 0.01\nhigh = 0.2\nlog = true\n[method.passes]\nlow = 2\nhigh = 4\n"


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_ground(tmp_path_factory.mktemp("ground"))
    save_encoder(folder / "fresh")
    save_reviews(folder / "learnt.csv", 40)
    (folder / "bounds.toml").write_text(BOUNDS)
    (folder / "village.txt").write_text("".join(f"{text}\n" for text in TEXTS * 6), encoding="utf-8")
    return folder


def measured(ground: Path, *arguments: str) -> Command:
    """A command on the model and the reviews that it answers rightly."""
    return Command((arguments[0], f"{ground}/model", "--data", f"{ground}/reviews.csv", "--out", "OUT", *arguments[1:]))


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack(attack: str, ground: Path, tmp_path: Path, kills: Kills) -> None:
    judged = ATTACKS[attack].needs_similarity or attack == "pwws"
    similarity = f"{ground}/encoder" if judged else "none"
    small = ("--set", "limits.in_flight=3", "--set", "limits.batch_size=8", "--seed", "3")
    run = measured(ground, "attack", "--attack", attack, "--similarity", similarity, "--allow-no-candidates", *small)
    survives(run, tmp_path, kills, same_results)


def test_evaluate(ground: Path, tmp_path: Path, kills: Kills) -> None:
    trials = ("--trials", "clean,pgd,invariance,deepwordbug", "--eps", "0,.1", "--batch-size", "4")
    run = measured(ground, "evaluate", *trials, "--set", "deepwordbug.similarity=none")
    survives(run, tmp_path, kills, same_results)


def trained_here(ground: Path, *arguments: str) -> Command:
    """A command that trains on reviews of its own."""
    files = ("--data", f"{ground}/learnt.csv", "--model", f"{ground}/fresh", "--out", "OUT")
    return Command((arguments[0], *files, *STEPS, *arguments[1:]))


def same_comparison(whole: Path, broken: Path) -> None:
    """Models to the byte, records within rounding, and the same story but for what the trainings cost."""
    same_bytes("runs/*/model/model.safetensors", "runs/*/recipe.toml")(whole, broken)
    same_results(whole / "results", broken / "results")
    stories = [json.loads((out / "comparison.json").read_text()) for out in (whole, broken)]
    for story in stories:
        for entry in story["entries"]:
            del entry["cost"]
    require_like(*stories, "comparison.json")
    assert (broken / "report.html").is_file()


def test_compare(ground: Path, tmp_path: Path, kills: Kills) -> None:
    how = ("--methods", "finetune,fgm", "--seeds", "1", "--test", f"{ground}/reviews.csv", "--trials", "clean,pgd")
    survives(trained_here(ground, "compare", *how), tmp_path, kills, same_comparison)


def same_search(whole: Path, broken: Path) -> None:
    """The same settings were drawn, trained with to the same bits, and found best; all other weights are gone."""
    same_bytes("*/trial-*/recipe.toml", "*/trial-*/model/model.safetensors", "*/best.toml", "*.json")(whole, broken)


def test_tune(ground: Path, tmp_path: Path, kills: Kills) -> None:
    pytest.importorskip("optuna")
    how = ("--methods", "freelb", "--bounds", f"{ground}/bounds.toml", "--trials", "2")
    survives(trained_here(ground, "tune", *how), tmp_path, kills, same_search)


@pytest.mark.parametrize("workers", [1, 2])
def test_generate(workers: int, ground: Path, tmp_path: Path, kills: Kills) -> None:
    run = Command(("generate", f"{ground}/village.txt", "--out", "OUT", "--workers", str(workers), "--seed", "3"))

    def same(whole: Path, broken: Path) -> None:
        same_bytes("out.jsonl", "out.summary.json")(whole.parent, broken.parent)
        assert not [path for path in broken.parent.iterdir() if path.suffix in (".part", ".progress")]

    survives(run, tmp_path, kills, same, "out.jsonl")


def test_report(ground: Path, tmp_path: Path, kills: Kills) -> None:
    results = tmp_path / "measured" / "results"
    results.parent.mkdir()
    measured(ground, "evaluate", "--trials", "clean,pgd,deepwordbug", "--set", "deepwordbug.similarity=none").finish(
        results
    )
    run = Command(("report", str(results), "--out", "OUT"))
    page = lambda whole, broken: same_bytes(whole.name)(whole.parent, broken.parent)  # noqa: E731
    survives(run, tmp_path / "pages", kills, page, "page.html")
