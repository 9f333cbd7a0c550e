import sys
from pathlib import Path

import pytest
import torch
from attack_ground import save_ground, tiny_model

from unfooled.attacks.records import AttackRecord, Change
from unfooled.cli.attack import attack, attack_settings, marked
from unfooled.cli.main import main
from unfooled.errors import BadInput
from unfooled.models import save


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("cli-attack"))


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["unfooled", *arguments])
    monkeypatch.setenv("COLUMNS", "160")
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code


def test_data_is_attacked_and_can_be_verified(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--similarity", "none", "--limit", "20", "--set", "attack.pos=any", "--set", "limits.in_flight=4"]
    command = ["attack", str(ground / "model"), "--data", str(ground / "reviews.csv"), "--out", str(tmp_path / "a")]
    assert not called(monkeypatch, *command, *options)
    shown = capsys.readouterr().out
    for word in ("accuracy under attack", "fooled of all", "without candidates", "summary.json", "verify"):
        assert word in shown
    assert not called(monkeypatch, "verify", str(tmp_path / "a"))
    assert "claimed adversaries fool the model as the log says" in capsys.readouterr().out


def test_texts_without_candidates_fail_unless_allowed(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "bare.csv"
    data.write_text("text,label\nthe of and,negative\nit was,positive\nthe of and,positive\nit was,negative\n")
    command = ["attack", str(ground / "model"), "--data", str(data), "--similarity", "none"]
    assert called(monkeypatch, *command, "--out", str(tmp_path / "a")) == 1
    assert "no candidates: " in capsys.readouterr().out
    assert not called(monkeypatch, *command, "--out", str(tmp_path / "a"), "--allow-no-candidates")


def test_one_text_is_answered_with_what_was_changed(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "the good film was a bright story with a fine actor"
    command = ["attack", str(ground / "model"), "--text", text, "--attack", "deepwordbug", "--similarity", "none"]
    assert not called(monkeypatch, *command)
    shown = capsys.readouterr().out
    assert "the model says" in shown and "texts asked about" in shown and ("→" in shown or "held" in shown)
    assert "\x1b" not in shown  # no colour where there is no terminal


def test_one_text_that_cannot_be_attacked_is_exit_code_1_and_says_why(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tiny_model(ground)
    table = model.classifier.network.get_input_embeddings()
    with torch.no_grad():  # too large to be added up: it cannot answer for a word that it does not know
        table.weight[model.tokenizer.unk_token_id] = 3e38
    save(model, tmp_path / "model", "# blind")
    text = "the good film was a bright story"
    command = ["attack", str(tmp_path / "model"), "--text", text, "--similarity", "none"]
    assert called(monkeypatch, *command, "--attack", "deepwordbug") == 1
    shown = capsys.readouterr().out
    assert "error: the attack could not be run (ValueError: the victim does not answer with probabilities" in shown


def test_nothing_to_attack_and_strange_settings_are_sentences(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(monkeypatch, "attack", str(ground / "model"), "--workers", "2") == 2
    assert "nothing to attack" in capsys.readouterr().err
    assert called(monkeypatch, "attack", str(ground / "model"), "--data", "x.csv") == 2
    assert "give --out" in capsys.readouterr().err
    with pytest.raises(BadInput, match="attack.name=value"):
        attack_settings(["plan.epochs=2"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--workers", "2", "--ray", "local", "--shard", "1/2"], "--workers, --ray and --shard part"),
        (["--ray", "local"], "--ray parts"),
    ],
)
def test_what_parts_data_is_refused_without_data(
    options: list[str], told: str, ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["attack", str(ground / "model"), "--text", "a good film", "--similarity", "none", *options]
    assert called(monkeypatch, *command) == 2
    assert f"{told} data, and there is one text; leave that out, or give --data" in capsys.readouterr().err


def test_a_label_may_be_called_none(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    def refuse(model: str, text: str, label: str, name: str, **how: object) -> None:
        seen.update(how, label=label)
        raise BadInput("seen")

    monkeypatch.setattr("unfooled.commands.attack.attack_text", refuse)
    with pytest.raises(BadInput, match="seen"):
        attack("model", text="a text", label="none", target="none", similarity="none")
    assert (seen["label"], seen["target"], seen["similarity"]) == ("none", "none", None)


def test_changed_words_are_coloured_and_nothing_else() -> None:
    record = AttackRecord(
        0, 1, ("a pair", "One, two three."), "fooled", 1, (), ("a pair", "One, zwei three."), 0, (),
        (Change(1, "two", "zwei"),), 3, 1, 2, 0, None, None,
    )  # fmt: skip
    text = marked(record)
    assert text.plain == "a pair\nOne, zwei three."
    assert [text.plain[span.start : span.end] for span in text.spans] == ["zwei"]
