import json
from pathlib import Path

import pytest
import typer
from attack_ground import save_ground

import unfooled as uf
from unfooled.cli.verify import verify
from unfooled.journal import JOURNAL


def log_of(out: Path) -> Path:
    [path] = out.glob(f"*/random/{JOURNAL}")
    return path


def test_a_claim_that_does_not_hold_is_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ground = save_ground(tmp_path)
    out = tmp_path / "attack"
    uf.attack(str(ground / "model"), str(ground / "reviews.csv"), "random", out, similarity=None, limit=20)
    verify(out, None)
    assert "claimed adversaries fool the model as the log says" in capsys.readouterr().out
    lines = [json.loads(line) for line in log_of(out).read_text().splitlines()]
    false = next(line for line in lines if line.get("outcome") == "fooled")
    false["adversary"] = false["texts"]
    log_of(out).write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(typer.Exit) as left:
        verify(out, str(ground / "model"))
    assert left.value.exit_code == 1
    assert f"not so: examples {false['index']}" in capsys.readouterr().out


def test_what_is_unfinished_or_not_as_logged_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ground, out = save_ground(tmp_path), tmp_path / "attack"
    uf.attack(str(ground / "model"), str(ground / "reviews.csv"), "random", out, similarity=None, limit=20)
    whole = log_of(out).read_bytes().splitlines(keepends=True)
    log_of(out).write_bytes(b"".join(whole[:-3]))
    verify(out, None)
    assert "unfinished: 3 examples have no record yet" in capsys.readouterr().out
    lines = [json.loads(line) for line in whole]
    other = next(line for line in lines if line.get("outcome") == "fooled")
    other["after"] = other["after"][::-1]
    log_of(out).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (out / "summary.json").write_text("{}")
    with pytest.raises(typer.Exit) as left:
        verify(out, None)
    shown = capsys.readouterr().out
    assert left.value.exit_code == 1 and f"than logged: examples {other['index']}\n" in shown
    assert "summary.json is not what the records give: summary.json is not there or cannot be read" in shown


def test_what_a_summary_says_otherwise_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ground, out = save_ground(tmp_path), tmp_path / "attack"
    uf.attack(str(ground / "model"), str(ground / "reviews.csv"), "random", out, similarity=None, limit=20)
    stored = json.loads((out / "summary.json").read_text())
    [(slug, model)] = stored["models"].items()
    next(one for one in model["trials"]["random"]["scores"] if one["metric"] == "attack_success")["value"] = 0.123
    (out / "summary.json").write_text(json.dumps(stored))
    with pytest.raises(typer.Exit) as left:
        verify(out, None)
    shown = capsys.readouterr().out
    assert left.value.exit_code == 1
    assert f"summary.json is not what the records give: {slug}, random: attack_success" in shown


def test_every_attack_of_a_results_folder_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ground, out = save_ground(tmp_path), tmp_path / "results"
    settings = {name: {"similarity": None, "most": 8} for name in ("random", "deepwordbug")}
    uf.evaluate(str(ground / "model"), str(ground / "reviews.csv"), out, ["clean", *settings], settings=settings)
    verify(out, None)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and all("claimed adversaries fool the model as the log says" in line for line in lines)
    path = log_of(out)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    false = next(line for line in records if line.get("outcome") == "fooled")
    false["adversary"] = false["texts"]
    path.write_text("".join(json.dumps(line) + "\n" for line in records))
    with pytest.raises(typer.Exit) as left:
        verify(out, None)
    assert left.value.exit_code == 1
    assert f"{path.parent.parent.name}, random: not so: examples {false['index']}" in capsys.readouterr().out
