from pathlib import Path
from typing import Any

import pytest

from unfooled.cli import demo, play


def test_the_models_that_are_named_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []
    monkeypatch.setattr("unfooled.play.serve.serve", lambda *given: served.append(given))
    play.play(["a", "b"], port=0, open_=False)
    assert served == [(["a", "b"], "127.0.0.1", 0, False, False)]


def test_without_a_model_the_two_of_the_demo_are_served_and_trained_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trained: list[str] = []

    def train(out: Path, method: object) -> None:
        trained.append(out.name)
        (out / "model").mkdir(parents=True)
        (out / "model" / "config.json").write_text("{}")

    served: list[Any] = []
    monkeypatch.setattr(demo, "trained", train)
    monkeypatch.setattr("unfooled.play.serve.serve", lambda *given: served.append(given[0]))
    for _ in range(2):
        play.play(None, demo=tmp_path / "demo", open_=False)
    assert trained == ["plain", "robust"]
    assert served == [[str(tmp_path / "demo" / "plain"), str(tmp_path / "demo" / "robust")]] * 2
    assert capsys.readouterr().out.count("about five minutes") == 1
