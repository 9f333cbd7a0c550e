"""A gate's exit code is what continuous integration reads."""

import sys
from pathlib import Path

import pytest
from results_ground import save_results

from unfooled.cli.main import main


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["unfooled", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_exit_codes_and_junit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = save_results(tmp_path / "r", "plain", right=90, left={0.1: 30})
    assert call(monkeypatch, "gate", folder, "--require", "accuracy.clean >= 0.8") == 0
    assert "ok     plain: accuracy.clean is 0.9000" in capsys.readouterr().out
    assert 'failures="0"' in (folder / "gate.xml").read_text()
    bad = ["--require", "accuracy.clean >= 0.8", "--require", "accuracy_under_attack.pgd.0.1 >= 0.3"]
    assert call(monkeypatch, "gate", folder, *bad, "--junit", tmp_path / "own.xml") == 1
    assert "FAILED plain: accuracy_under_attack.pgd.0.1 is 0.3000" in capsys.readouterr().out
    assert 'failures="1"' in (tmp_path / "own.xml").read_text()


@pytest.mark.parametrize(
    ("requirements", "words"),
    [([], "nothing is required"), (["accuracy > 1"], "cannot be read"), (["x >= 1"], "no number called x")],
)
def test_bad_requirements_are_exit_code_2(
    requirements: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = save_results(tmp_path / "r", "plain", right=90, left={0.1: 30})
    options = [part for text in requirements for part in ("--require", text)]
    assert call(monkeypatch, "gate", folder, *options) == 2
    assert words in capsys.readouterr().err and not (folder / "gate.xml").exists()
