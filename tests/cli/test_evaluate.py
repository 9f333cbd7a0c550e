import json
import sys
from pathlib import Path

import pytest
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.cli.evaluate import evaluate, radii
from unfooled.cli.main import main
from unfooled.errors import BadInput

SHOWN = (
    "clean",
    "pgd 0: accuracy",
    "pgd 0.5: distance",
    "fooled",
    "cosine",
    " 20",
    "summary.json",
    "invariance INV typos: failures",
    "verdict",
    "fickleness: moves though meaning holds",
    "unchanged meaning",
)


def test_the_table_shows_every_number_with_its_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    encoder = save_encoder(tmp_path / "encoder")
    data = save_reviews(tmp_path / "reviews.csv", 40)
    run = uf.train(str(data), tmp_path / "run", str(encoder), plan={"max_steps": 3})
    arguments = [
        "evaluate",
        run.model,
        "--data",
        str(data),
        "--out",
        str(tmp_path / "results"),
        "--eps",
        "0,.5",
        "--trials",
        "clean,pgd,invariance",
        "--set",
        "invariance.templates=false",
    ]
    monkeypatch.setattr(sys, "argv", ["unfooled", *arguments, "--limit", "20"])
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    shown = capsys.readouterr().out
    for word in (*SHOWN, f"next:    unfooled report {tmp_path / 'results'} --out {tmp_path / 'results.html'}"):
        assert word in shown
    monkeypatch.setattr(sys, "argv", ["unfooled", *arguments, "--limit", "20", "--json", "--quiet"])
    with pytest.raises(SystemExit) as left:
        main()
    out, err = capsys.readouterr()
    assert not left.value.code and json.loads(out)["kind"] == "unfooled evaluation"
    assert [line for line in err.splitlines() if not line.startswith("warning")] == []


def test_radii_are_numbers() -> None:
    assert radii("0,.02") == (0.0, 0.02)
    with pytest.raises(BadInput, match="not a list of numbers"):
        radii("0,x")


def test_settings_belong_to_trials() -> None:
    with pytest.raises(BadInput, match="--set most=… names no trial"):
        evaluate(["model"], "x", Path("out"), trials="clean", set_=["most=3"])
