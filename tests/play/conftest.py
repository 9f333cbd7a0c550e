"""The tiny models that all tests of the page play with, made once, and one program that serves them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Tab, browsing
from play_ground import TOKEN, Client, save_model, save_number_model, save_set_model, save_stubborn, serving
from play_page import opened

from unfooled.play.game import Game
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


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browsing(tmp_path_factory.mktemp("browser")) as open_tab:
        yield open_tab


@pytest.fixture(scope="module")
def served(models: Path) -> Iterator[tuple[str, Game]]:
    """The address of a page for plain and stubborn, and the game behind it."""
    with serving(models / "plain", models / "stubborn") as (client, game, _):
        yield f"http://127.0.0.1:{client.port}/{TOKEN}/", game


@pytest.fixture
def page(tab: Tab, served: tuple[str, Game]) -> Tab:
    """The page afresh, with nothing remembered."""
    opened(tab, served[0])
    tab.run("sessionStorage.clear()")
    tab.events.clear()
    opened(tab, served[0])
    return tab
