"""What another Python finds, and what it leaves alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from unfooled.interpreter import module_command, same_places


def run(module: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        module_command(module), cwd=folder, env=same_places(), capture_output=True, text=True, timeout=120, check=False
    )


def test_what_lies_in_the_current_folder_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('a stranger was run')")
    assert "stranger" not in run("json.tool", tmp_path).stderr


def test_what_stands_beside_a_script_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_module_of_a_script.py").write_text("print('found')")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "found" not in run("own_module_of_a_script", elsewhere).stdout
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert run("own_module_of_a_script", elsewhere).stdout == "found\n"
