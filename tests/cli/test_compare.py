"""Methods and seeds become one report, from the command line."""

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


def test_a_comparison_ends_in_a_report_and_a_second_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 40)
    save_reviews(tmp_path / "test.csv", 20, seed=1)
    monkeypatch.chdir(tmp_path)
    command = ["compare", "--data", "reviews.csv", "--test", "test.csv", "--model", "encoder", "--out", "c"]
    command += ["--set", "plan.max_steps=1", "--trials", "clean,pgd", "--limit", "12"]
    assert call(monkeypatch, *command, "--methods", "finetune,freelb", "--seeds", "2") == 0
    assert "report: c/report.html" in capsys.readouterr().out
    page = (tmp_path / "c" / "report.html").read_text()
    assert "finetune · freelb" in page and "2 seeds a method" in page and "seconds a training" in page
    began = (tmp_path / "c/runs/freelb-1/model/model.safetensors").stat().st_mtime_ns
    assert call(monkeypatch, *command, "--methods", "finetune, freelb", "--seeds", "2") == 0
    assert (tmp_path / "c/runs/freelb-1/model/model.safetensors").stat().st_mtime_ns == began
    assert call(monkeypatch, *command, "--methods", "finetune,frelb") == 2
    assert "did you mean freelb?" in capsys.readouterr().err
