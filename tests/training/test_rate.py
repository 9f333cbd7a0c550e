import json
import re
import tomllib
from pathlib import Path

import pytest
from sequence_runs import prepared
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
from unfooled.recipe.config import Recipe
from unfooled.training.rate import suited_rate, with_rate


def test_the_rate_falls_with_updates_and_width() -> None:
    by_updates = [suited_rate(384, updates) for updates in (1, 57, 150, 600, 3000, 20_000)]
    assert by_updates == sorted(by_updates, reverse=True) and by_updates[0] == by_updates[2] > by_updates[3]
    by_width = [suited_rate(width, 500) for width in (32, 128, 192, 384, 768, 1024)]
    assert by_width == sorted(by_width, reverse=True) and by_width[0] == by_width[2] > by_width[3]
    assert suited_rate(384, 4000) > 5e-5
    assert 1e-5 < suited_rate(1024, 10_000) < suited_rate(768, 10_000) < 5e-5  # what BERT's authors searched among


def test_a_network_made_from_nothing_gets_another_rate() -> None:
    rates = [suited_rate(300, updates, from_nothing=True) for updates in (1, 50, 250, 1000, 100_000)]
    assert rates == [4.5e-3, 4.5e-3, 2e-3, 1e-3, 1e-3] and rates[3] > 5 * suited_rate(300, 1000)


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 40)
    return tmp_path


def test_the_choice_is_said_and_kept(ground: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, encoder, out = str(ground / "reviews.csv"), str(ground / "encoder"), ground / "run"
    uf.train(data, out, encoder, plan={"max_steps": 3})
    rate = suited_rate(32, 3)
    said = rf"learning rate: {rate:g}, for a network of width \d+ and 3 updates \(plan="
    assert re.search(said, capsys.readouterr().err)
    assert tomllib.loads((out / "recipe.toml").read_text())["plan"]["learning_rate"] == rate
    assert f"learning_rate = {rate}" in (out / "model" / "README.md").read_text()
    assert json.loads((out / "summary.json").read_text())["learning_rate"] == rate
    uf.train(data, out, encoder, plan={"max_steps": 3}, resume=True)
    uf.train(data, out, encoder, plan={"max_steps": 3, "learning_rate": rate}, resume=True)
    with pytest.raises(BadInput, match=r"plan.learning_rate: .* → 0.1"):
        uf.train(data, out, encoder, plan={"max_steps": 3, "learning_rate": 0.1}, resume=True)


def test_a_rate_that_was_named_stays(ground: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = {"max_steps": 2, "learning_rate": 3e-4}
    uf.train(str(ground / "reviews.csv"), ground / "run", str(ground / "encoder"), plan=plan)
    assert "learning rate:" not in capsys.readouterr().err
    assert json.loads((ground / "run" / "summary.json").read_text())["learning_rate"] == 3e-4
    with pytest.raises(BadInput, match=r"plan.learning_rate: 0.0003 → "):
        uf.train(
            str(ground / "reviews.csv"), ground / "run", str(ground / "encoder"), plan={"max_steps": 2}, resume=True
        )


def test_convolutions_are_made_from_nothing(ground: Path) -> None:
    model = {"name": "textcnn", "tokenizer": str(ground / "encoder")}
    uf.train(str(ground / "reviews.csv"), ground / "run", model, plan={"max_steps": 2})
    summary = json.loads((ground / "run" / "summary.json").read_text())
    assert summary["learning_rate"] == suited_rate(300, 2, from_nothing=True)
    uf.train(str(ground / "reviews.csv"), ground / "more", str(ground / "run" / "model"), plan={"max_steps": 2})
    summary = json.loads((ground / "more" / "summary.json").read_text())
    assert summary["learning_rate"] == suited_rate(300, 2)  # it has learnt something by now


@pytest.mark.parametrize("task", ["lm", "translation"])
@pytest.mark.parametrize("from_nothing", [True, False])
def test_networks_that_write_have_a_width_too(task: str, from_nothing: bool, tmp_path: Path) -> None:
    network = prepared(task, uf.Finetune(), tmp_path).objective.model.network
    undecided = Recipe(data=DataSettings(source="anything"))
    recipe, (note,) = with_rate(undecided, network, 10, from_nothing)
    assert recipe.plan.learning_rate == suited_rate(16, 10, from_nothing)
    assert ("made from nothing" in note) == from_nothing and "10 updates" in note
