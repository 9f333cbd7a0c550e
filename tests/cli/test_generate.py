"""``unfooled generate`` from the command line: a file, a summary, and one sentence for what cannot be."""

import json
import sys
from pathlib import Path

import pytest

import unfooled as uf
from tiny import save_encoder, save_reviews
from unfooled.cli.main import main


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["unfooled", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 40)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_writes_what_it_says(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = {"max_steps": 30, "epochs": 20, "batch_size": 8, "learning_rate": 3e-3}
    uf.train("reviews.csv", "run", "encoder", "rar", plan)
    uf.train("reviews.csv", "plain", "encoder", "finetune", {"max_steps": 2})
    generate = ["generate", "--from-rar", "run", "--data", "reviews.csv"]
    assert call(monkeypatch, *generate, "--out", "a.jsonl", "--limit", "20", "--eps", "9", "--steps", "2") == 0
    shown, summary = capsys.readouterr(), json.loads(Path("a.summary.json").read_text())
    assert summary["settings"] | {"eps": 9.0, "steps": 2, "limit": 20, "seed": 0} == summary["settings"]
    assert "20 texts" in shown.out and f"{summary['counts']['kept']} fool the victim" in shown.out
    assert "generating: 20/20" in shown.err and "a.summary.json" in shown.out
    assert len(Path("a.jsonl").read_text().splitlines()) == summary["counts"]["kept"]
    assert call(monkeypatch, *generate, "--out", "b.jsonl", "--victim", "plain", "--text", "text") == 0
    assert json.loads(Path("b.summary.json").read_text())["victim"] == "plain"
    capsys.readouterr()
    for run, sentence in (("plain", "plain has no reconstructor"), ("nowhere/at/all", "no model folder at nowhere")):
        assert call(monkeypatch, "generate", "--from-rar", run, "--data", "reviews.csv", "--out", "c.jsonl") == 2
        assert capsys.readouterr().err.splitlines()[-1].startswith(f"unfooled: {sentence}")
    assert call(monkeypatch, *generate, "--out", "a.jsonl") == 2
    assert "a.jsonl is there already" in capsys.readouterr().err
    assert call(monkeypatch, *generate, "--out", "c.jsonl", "--batch-size", "0") == 2
    assert "batch_size = 0" in capsys.readouterr().err
    assert not Path("c.jsonl").exists()


def test_a_victim_with_other_labels_is_refused(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    uf.train("reviews.csv", "run", "encoder", "rar", {"max_steps": 1})
    other = Path("reviews.csv").read_text().replace("positive", "yes").replace("negative", "no")
    Path("other.csv").write_text(other)
    uf.train("other.csv", "other", "encoder", "finetune", {"max_steps": 1})
    arguments = ["--data", "reviews.csv", "--out", "a.jsonl", "--victim", "other"]
    assert call(monkeypatch, "generate", "--from-rar", "run", *arguments) == 2
    assert "the victim's labels ['no', 'yes'] are not the model's" in capsys.readouterr().err
    assert not Path("a.jsonl").exists()
