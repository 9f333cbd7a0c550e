"""``unfooled predict``: texts, a file, or what comes in; a line of JSON each."""

import json
from pathlib import Path

import pytest
from attack_ground import save_ground
from typer.testing import CliRunner

from unfooled.cli.main import app
from unfooled.errors import BadInput


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("predict"))


def told(ground: Path, *arguments: str, given: str | None = None) -> list[dict]:
    done = CliRunner().invoke(app, ["predict", str(ground / "model"), *arguments], input=given)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_texts_a_file_and_what_comes_in_are_answered_alike(ground: Path, tmp_path: Path) -> None:
    texts = ["the film was good", "a dull plot"]
    lines = told(ground, *texts)
    assert [line["text"] for line in lines] == texts and set(lines[0]["probabilities"]) == {"negative", "positive"}
    assert lines[0]["label"] in lines[0]["probabilities"] and lines[0]["calibrated"] is False
    (tmp_path / "a.csv").write_text("id;review\n" + "".join(f"{n};{text}\n" for n, text in enumerate(texts)))
    assert told(ground, str(tmp_path / "a.csv"), "--text", "review", "--quiet") == lines
    (tmp_path / "a.txt").write_text("\n\n".join(texts))
    assert told(ground, str(tmp_path / "a.txt")) == lines
    assert told(ground, "-", given="\n".join([*texts, ""])) == lines
    (tmp_path / "pairs.csv").write_text("a,b\nthe film,was good\n")
    [pair] = told(ground, str(tmp_path / "pairs.csv"), "--text", "a,b", "--labels", "negative=bad,positive=good")
    assert pair["text"] == ["the film", "was good"] and set(pair["probabilities"]) == {"bad", "good"}


def test_raw_probabilities_are_said_unless_all_is_quiet(ground: Path) -> None:
    loud = CliRunner().invoke(app, ["predict", str(ground / "model"), "good"])
    assert "not calibrated" in loud.stderr and "not calibrated" not in loud.stdout
    assert not CliRunner().invoke(app, ["predict", str(ground / "model"), "good", "--quiet"]).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([" "], "nothing to predict"),
        (["good", "--labels", "negative"], "negative is not of the form LABEL_0=bad"),
        (["good", "--labels", "a=b,a=c"], "a is given two names"),
        (["good", "--device", "abacus"], "--device abacus: torch finds no such device"),
        (["good", "--batch-size", "0"], "batch size is 0"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(ground: Path, arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["predict", str(ground / "model"), *arguments])
    assert isinstance(done.exception, BadInput) and said in str(done.exception)
