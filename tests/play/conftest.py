"""The tiny models that all tests of the page play with, made once, and one program that serves them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from play_ground import Client, save_model, save_number_model, save_set_model, save_stubborn, serving

from unfooled.play.players import Player, open_players


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models: plain, stubborn, number, sets, and three, which has labels of its own."""
    folder = tmp_path_factory.mktemp("models")
    save_model(folder)
    save_stubborn(folder)
    save_stubborn(folder, "three", ("negative", "neutral", "positive"))
    save_number_model(folder)
    save_set_model(folder)
    return folder


@pytest.fixture(scope="session")
def plain(models: Path) -> Player:
    return open_players([str(models / "plain")], print)[0]


@pytest.fixture(scope="session")
def stubborn(models: Path) -> Player:
    return open_players([str(models / "stubborn")], print)[0]


@pytest.fixture(scope="module")
def client(models: Path) -> Iterator[Client]:
    """Asks a program that serves plain and stubborn."""
    with serving(models / "plain", models / "stubborn") as (own, _, _):
        yield own
