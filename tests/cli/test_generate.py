"""``unfooled generate`` from the command line: files, summaries, and one sentence for what cannot be."""

import json
import sys
from pathlib import Path

import pytest
from tiny import save_encoder, save_reviews
from village import TEXTS

import unfooled as uf
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


@pytest.fixture
def village(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("village.txt").write_text("\n\n".join([*TEXTS, "It is."]), encoding="utf-8")
    return tmp_path


def test_a_corpus_becomes_versions(
    village: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["generate", "village.txt", "--out", "triplets.jsonl", "--workers", "1", "--seed", "5"]
    assert call(monkeypatch, *command) == 0
    shown, summary = capsys.readouterr(), json.loads(Path("triplets.summary.json").read_text())
    assert "41 texts, " in shown.out and "40 empty rows left out" in shown.out and "41 texts" in shown.err
    assert "0 not English, 1 without a word to replace" in shown.out
    assert f"synonym versions: {summary['ratios']['synonym_ratio']:.1%} of the words replaced (hypernym " in shown.out
    assert "triplets.jsonl" in shown.out and len(Path("triplets.jsonl").read_text().splitlines()) == 41
    assert call(monkeypatch, *command) == 0  # nothing is left to do
    assert capsys.readouterr().out == shown.out
    assert call(monkeypatch, *command[:-1], "6") == 2
    assert "triplets.jsonl is there already and differs in seed (5 there, 6 now)" in capsys.readouterr().err


def test_versions_are_made_as_the_options_say(
    village: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data.csv").write_text("said,title\nGood films,x\n")
    options = ["--policy", "released", "--reinflect", "--text", "said", "--limit", "1", "--workers", "1"]
    assert call(monkeypatch, "generate", "data.csv", "--out", "a.jsonl", *options) == 0
    summary = json.loads(Path("a.summary.json").read_text())
    assert summary["settings"] | {"policy": "released", "reinflect": True} == summary["settings"]
    assert (summary["column"], summary["limit"], summary["seed"]) == ("said", 1, 0)
    assert (
        call(monkeypatch, "generate", "village.txt", "--out", "t.jsonl", "--format", "triplets", "--workers", "1") == 0
    )
    assert "triplets: t.jsonl" in capsys.readouterr().out
    assert list(json.loads(Path("t.jsonl").read_text().splitlines()[0])) == ["anchor", "positive", "negative"]
    Path("german.txt").write_text("Ein Mann fährt mit dem Rad\n", encoding="utf-8")
    german = ["generate", "german.txt", "--out", "b.jsonl", "--workers", "1"]
    assert call(monkeypatch, *german) == 2
    assert "german.txt is not English" in capsys.readouterr().err
    assert call(monkeypatch, *german, "--other-languages", "pass") == 0
    assert "1 not English" in capsys.readouterr().out


def test_a_corpus_and_a_run_exclude_each_other(
    village: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = {
        (): "give a corpus to make versions of, or --from-rar",
        ("village.txt", "--from-rar", "run"): "and not both",
        ("village.txt", "--batch-size", "3"): "--batch-size belongs to --from-rar",
        ("village.txt", "--data", "village.txt"): "--data belongs to --from-rar",
        ("--from-rar", "run", "--data", "d", "--policy", "paper"): "--policy belongs to a corpus",
        ("--from-rar", "run"): "name them with --data",
        ("village.txt", "--policy", "mine"): "policy",
        ("village.txt", "--workers", "0"): "workers",
        ("village.txt", "--format", "pairs"): "format",
        ("--from-rar", "run", "--data", "d", "--format", "triplets"): "--format belongs to a corpus",
        ("nowhere.txt",): "no corpus called nowhere.txt",
    }
    for arguments, sentence in cases.items():
        assert call(monkeypatch, "generate", *arguments, "--out", "a.jsonl") == 2
        said = capsys.readouterr().err.splitlines()
        assert len(said) == 1 and sentence in said[0], arguments
        assert not list(village.glob("a.*"))
