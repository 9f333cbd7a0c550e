from pathlib import Path

import pytest

from tiny import save_encoder
from unfooled.cli import demo


def test_the_demo_tells_its_story_and_a_second_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real demo, real reviews, with a tiny encoder in MiniLM's place and few rows; make demo runs it whole."""
    monkeypatch.setattr(demo, "MODEL", {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 16})
    monkeypatch.setattr(demo, "DATA", {**demo.DATA, "limit": 60})
    monkeypatch.setattr(demo, "PLAN", {"epochs": 1})
    monkeypatch.setenv("COLUMNS", "140")
    demo.run(tmp_path / "demo")
    first = capsys.readouterr().out
    assert "plain" in first and "robust" in first and "pgd 0.1: accuracy" in first
    assert "unfooled train --data your.csv" in first
    demo.run(tmp_path / "demo")
    assert "pgd 0.1: accuracy" in capsys.readouterr().out
