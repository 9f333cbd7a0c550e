"""The commands of the repair are taken off a page and run, one after the other, by the command line itself."""

import json
import re
import shlex
import sys
import tomllib
from html import unescape
from pathlib import Path

import pytest
from exchange_ground import save_neighbours
from tiny import reviews, save_encoder, save_reviews

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


@pytest.mark.parametrize(
    ("labels", "turns"),
    [
        (("contradiction", "entailment", "neutral"), {"entailment": "contradiction"}),
        (("SUPPORT", "UNDERMINE"), {"SUPPORT": "UNDERMINE", "UNDERMINE": "SUPPORT"}),
    ],
    ids=["entailment", "stance"],
)
def test_pairs_are_turned_as_the_command_or_the_sentence_below_it_tells(
    ground: Path, monkeypatch: pytest.MonkeyPatch, labels: tuple[str, ...], turns: dict[str, str]
) -> None:
    texts = [text for text, _ in reviews(60)]
    rows = [f"{text},the {text},{labels[place % len(labels)]}" for place, text in enumerate(texts)]
    (ground / "train.csv").write_text("\n".join(["premise,hypothesis,label", *rows]))
    (ground / "unseen.csv").write_text("\n".join(["premise,hypothesis,label", *rows[:12]]))
    call(monkeypatch, "unfooled train --data train.csv --model encoder --set plan.max_steps=4 --out run")
    attack = "--trials pwws --set pwws.most=4 --set pwws.similarity=none"
    call(monkeypatch, f"unfooled evaluate run/model --data unseen.csv {attack} --out results")
    call(monkeypatch, "unfooled report results --out page.html")
    train = printed(ground / "page.html")[0]
    told = re.search(r"(--set 'method\.turns=.*?')", unescape((ground / "page.html").read_text(encoding="utf-8")))
    assert told is not None
    call(monkeypatch, train if told[1] in train else f"{train} {told[1]}")
    repaired = tomllib.loads((ground / "repaired" / "recipe.toml").read_text())["method"]
    assert repaired["turns"] == turns and repaired["of_pairs"] == ("last" if len(labels) == 3 else "both")
    assert repaired["sisters"] is (len(labels) == 3) and repaired["turned"] == (0.3 if len(labels) == 3 else 0.1)
    assert json.loads((ground / "repaired" / "summary.json").read_text())["turns"] == turns
