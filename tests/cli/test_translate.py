"""``unfooled translate``: a text, a file, or what comes in."""

import gzip
import io

import pytest
from typer.testing import CliRunner

from sequences import save_translator
from unfooled.cli.main import app
from unfooled.cli.translate import lines_of
from unfooled.errors import BadInput


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(save_translator(tmp_path_factory.mktemp("translator") / "model"))


def test_a_text_a_file_and_what_comes_in_are_translated_alike(folder, tmp_path, monkeypatch):
    run = CliRunner()
    (tmp_path / "lines.txt").write_text("the dog ran\n\na cat\n")
    with gzip.open(tmp_path / "lines.en.gz", "wt") as file:
        file.write("the dog ran\n\na cat\n")
    one = run.invoke(app, ["translate", folder, "the dog ran", "--beams", "1"])
    assert one.exit_code == 0 and one.output.count("\n") == 1
    whole = run.invoke(app, ["translate", folder, str(tmp_path / "lines.txt"), "--beams", "1"])
    assert whole.output.splitlines()[:2] == [one.output.rstrip("\n"), ""] and len(whole.output.splitlines()) == 3
    assert run.invoke(app, ["translate", folder, str(tmp_path / "lines.en.gz"), "--beams", "1"]).output == whole.output
    given = run.invoke(app, ["translate", folder, "-", "--beams", "1"], input="the dog ran\n\na cat\n")
    assert given.output == whole.output


def test_what_comes_in_is_read_line_by_line(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a\r\nb\n"))
    assert list(lines_of("-")) == ["a", "b"]
    assert list(lines_of("x" * 5000)) == ["x" * 5000]  # too long for a file's name
    with pytest.raises(BadInput, match="nothing to translate"):
        lines_of("  ")


def test_a_folder_without_a_model_is_one_sentence(tmp_path):
    found = CliRunner().invoke(app, ["translate", str(tmp_path), "a text"])
    assert isinstance(found.exception, BadInput) and "no config.json" in str(found.exception)
