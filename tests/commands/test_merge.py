"""Shards of an attack, joined from Python; what else is refused is in tests/results."""

from pathlib import Path

import pytest
from attack_ground import save_ground
from kills import same_results

import unfooled as uf


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("ground"), 12)


def test_an_attack_in_shards_is_the_whole_attack(ground: Path, tmp_path: Path) -> None:
    how = {"similarity": None, "seed": 3}
    model, data = str(ground / "model"), str(ground / "reviews.csv")
    whole = uf.attack(model, data, "deepwordbug", tmp_path / "whole", **how)
    parts = [
        uf.attack(model, data, "deepwordbug", tmp_path / f"{number}", shard=f"{number}/2", **how) for number in (1, 2)
    ]
    assert [len(part.records) for part in parts] == [6, 6] and not any(part.scores for part in parts)
    assert {part.header.temperature for part in parts} == {whole.header.temperature}
    joined = uf.merge([tmp_path / "2", tmp_path / "1"], tmp_path / "joined")
    assert {row.metric: row.score for row in joined.rows} == dict(whole.scores)
    same_results(tmp_path / "whole", tmp_path / "joined")
    with pytest.raises(uf.BadInput, match="a shard is nothing without its folder; give out="):
        uf.attack(model, data, "deepwordbug", shard="1/2", **how)
