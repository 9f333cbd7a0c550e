"""Results become a page from the command line; bad folders one sentence."""

import sys
from pathlib import Path

import pytest
from results_ground import plain, save_results, save_trial

from unfooled.cli.main import main


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["unfooled", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_a_page_of_two_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = save_results(tmp_path / "one", "plain", right=90, left={0.1: 30})
    two = save_results(tmp_path / "two", "robust", right=80, left={0.1: 60})
    assert call(monkeypatch, "report", one, two, "--out", tmp_path / "report.html") == 0
    assert "wrote" in capsys.readouterr().out
    assert "plain · robust" in (tmp_path / "report.html").read_text()


def test_what_cannot_be_shown_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = save_results(tmp_path / "one", "plain", right=90, left={0.1: 30})
    two = save_results(tmp_path / "two", "robust", right=80, left={0.1: 60}, data_hash="other")
    half = tmp_path / "half"
    save_trial(half, "plain", "clean", plain(9, {}, 10)[0][:5], examples=10)
    old = tmp_path / "old"
    save_trial(old, "plain", "clean", plain(9, {}, 10)[0], schema=0)
    page = tmp_path / "report.html"
    for folders, words in (
        ([one, two], "cannot be compared"),
        ([tmp_path / "nothing"], "there is no folder"),
        ([half], "holds no finished evaluation"),
        ([old], "schema version 0"),
    ):
        assert call(monkeypatch, "report", *folders, "--out", page) == 2
        assert words in capsys.readouterr().err
    assert not page.exists()
