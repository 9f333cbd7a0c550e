from pathlib import Path

import numpy as np
import pytest
from tiny import save_encoder

from unfooled.attacks import PWWS, Parts, run_attack
from unfooled.cli import demo
from unfooled.text.document import Document


def test_the_demo_tells_its_story_and_a_second_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real demo, real reviews, with a tiny encoder in MiniLM's place and few rows; make demo runs it whole."""
    monkeypatch.setattr(demo, "MODEL", {"name": str(save_encoder(tmp_path / "encoder")), "max_length": 16})
    monkeypatch.setattr(demo, "DATA", {**demo.DATA, "limit": 60})
    monkeypatch.setattr(demo, "PLAN", {"epochs": 1})
    monkeypatch.setattr(demo, "MEASURED", 40)
    few = {"most": 6, "similarity": None}
    monkeypatch.setattr(demo, "SETTINGS", {**demo.SETTINGS, "pwws": few, "deepwordbug": few})
    monkeypatch.setenv("COLUMNS", "140")
    demo.demo(tmp_path / "demo")
    first = capsys.readouterr().out
    assert "plain" in first and "robust" in first and "deepwordbug: accuracy" in first
    assert "pwws: accuracy" in first and "report.html" in first
    rows = [line.split("  ")[1] for line in first.splitlines() if line.startswith("  ") and "% [" in line]
    assert rows == [
        *("clean: accuracy", "pwws: accuracy", "deepwordbug: accuracy", "worst_case: accuracy"),
        *("fickleness", "obstinacy"),
    ]
    page = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "plain" in page and "robust" in page
    assert all(word in page for word in ("confidence", "meaning kept (INV)", "words changed", "typos", "fickleness"))
    assert "unfooled train --data your.csv" in first
    demo.demo(tmp_path / "demo")
    assert "pwws: accuracy" in capsys.readouterr().out


def test_the_review_that_is_shown_is_the_one_with_the_fewest_changes(capsys: pytest.CaptureFixture[str]) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        glad = np.array([0.2 + 0.35 * text.count("good") for text in texts])
        return np.stack([glad, 1 - glad], axis=1)

    def substitutes(document: Document) -> list[tuple[str, ...]]:
        return [("fine",) if word == "good" else () for word in document.words]

    records = tuple(run_attack(PWWS(), victim, ["good, good", "a good one"], [0, 0], parts=Parts(substitutes)))
    assert [record.outcome for record in sorted(records, key=lambda record: record.index)] == ["fooled", "fooled"]
    held = tuple(run_attack(PWWS(), lambda texts: [[0.9, 0.1]] * len(texts), ["good, good", "a good one"], [0, 0]))
    demo.tell({"plain": records, "robust": held}, ("glad", "sad"))
    said = capsys.readouterr().out
    assert "The plain model calls this glad:\n  a good one\nand this sad:\n  a fine one" in said
    assert "The robust model was attacked on the same review and held." in said
    demo.tell({"plain": records, "robust": records}, ("glad", "sad"))
    assert capsys.readouterr().out == ""
