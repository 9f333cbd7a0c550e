"""The command line of shards: measured apart, joined, printed; bad input is one sentence."""

import json
from pathlib import Path

import pytest
from attack_ground import save_ground
from typer.testing import CliRunner

from unfooled.cli.main import app
from unfooled.errors import BadInput


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("ground"), 12)


def called(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(part) for part in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_shards_say_what_comes_next_and_merge_prints_the_table(ground: Path, tmp_path: Path) -> None:
    how = (ground / "model", "--data", ground / "reviews.csv", "--seed", 3)
    for number in (1, 2):
        place = ("--out", tmp_path / f"{number}", "--shard", f"{number}/2")
        told = called("evaluate", *how, "--trials", "clean,pgd", "--batch-size", 4, *place)
        assert f"shard {number}/2" in told and "unfooled merge SHARDS" in told
    assert "accuracy" in called("merge", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "joined")
    summary = json.loads(called("merge", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "joined", "--json"))
    assert summary["data"]["examples"] == 12
    own = ("--attack", "random", "--similarity", "none", "--out", tmp_path / "a")
    told = called("attack", *how, *own, "--shard", "1/2", "--json")
    assert json.loads(told[told.index("{") :]) == {"shard": "1/2", "records": str(tmp_path / "a")}
    with pytest.raises(BadInput, match=r"missing: shard 2/2"):
        called("merge", tmp_path / "a", "--out", tmp_path / "b")
    with pytest.raises(BadInput, match=r"--shard 3/2: there is no part 3 of 2"):
        called("attack", *how, "--out", tmp_path / "c", "--shard", "3/2")
