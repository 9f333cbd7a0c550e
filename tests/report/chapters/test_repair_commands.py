"""The commands of the repair are taken off a page and run, one after the other, by the command line itself."""

import re
import shlex
import sys
import tomllib
from html import unescape
from pathlib import Path

import pytest
from exchange_ground import save_neighbours
from tiny import save_encoder, save_reviews

from unfooled.cli.main import main


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a network to begin from."""
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path)))
    monkeypatch.chdir(tmp_path)
    save_encoder(tmp_path / "encoder", dropout=0.0)
    return tmp_path


def call(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """Run a command line, which must end well."""
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code, command


def printed(page: Path) -> list[str]:
    """The commands that the page's repair box shows."""
    [shown] = re.findall(r"<code>(unfooled train .*?)</code>", page.read_text(encoding="utf-8"), re.DOTALL)
    return unescape(shown).splitlines()


def test_a_run_of_guessed_columns_is_repaired_by_the_commands_of_its_page(
    ground: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_reviews(ground / "train.csv", 60)
    save_reviews(ground / "unseen.csv", 20, seed=9)
    call(monkeypatch, "unfooled train --data train.csv --model encoder --set plan.max_steps=4 --out run")
    assert 'text = "none"' in (ground / "run" / "recipe.toml").read_text()
    call(monkeypatch, "unfooled evaluate run/model --data unseen.csv --trials clean --out results")
    call(monkeypatch, "unfooled report results --out page.html")
    for command in printed(ground / "page.html"):
        call(monkeypatch, command.replace("--out repaired-results", "--trials clean --out repaired-results"))
    assert "repaired/model" in (ground / "repaired.html").read_text(encoding="utf-8")
    repaired = tomllib.loads((ground / "repaired" / "recipe.toml").read_text())
    assert repaired["method"]["name"] == "worst_words" and repaired["plan"]["max_steps"] == 4
    assert (repaired["plan"]["average"], repaired["plan"]["choose_by"]) == (0.99, "robust")  # as it was measured
