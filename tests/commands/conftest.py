"""A small trained run that the tests of this room share."""

from pathlib import Path

import pytest
from tiny import save_encoder, save_reviews

import unfooled as uf

PLAN = {"epochs": 10, "batch_size": 8, "learning_rate": 1e-2}


@pytest.fixture(scope="package")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    save_encoder(folder / "encoder", dropout=0.0)
    save_reviews(folder / "train.csv", 160)
    save_reviews(folder / "test.csv", 60, seed=9)
    uf.train(
        {"source": str(folder / "train.csv"), "test": str(folder / "test.csv")},
        folder / "run",
        str(folder / "encoder"),
        uf.FreeLB(passes=2),
        PLAN,
        seed=4,
    )
    return folder
