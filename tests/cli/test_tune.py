"""A search from the command line leaves recipes to train with."""

import sys
from pathlib import Path

import pytest
from tiny import save_encoder, save_reviews

from unfooled.cli.main import main


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["unfooled", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 40)
    monkeypatch.chdir(tmp_path)
    start = ["tune", "--data", "reviews.csv", "--model", "encoder", "--bounds", "carl-table8", "--out", "s"]
    return [*start, "--set", "plan.max_steps=1"]


def test_the_papers_bounds_are_searched(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optuna")
    assert call(monkeypatch, *command, "--methods", "freelb", "--trials", "2") == 0
    said = capsys.readouterr().out
    assert "freelb: validation" in said and "unfooled train --recipe s/freelb/best.toml --out s/freelb-final" in said
    assert (tmp_path / "s" / "freelb" / "best.toml").is_file()


def test_without_optuna_it_is_exit_code_2(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert call(monkeypatch, *command, "--methods", "freelb") == 2
    assert "pip install 'unfooled[tune]'" in capsys.readouterr().err
