"""What contrast and reconstruction cannot use, through the command: exit code 2 and a sentence, or finite numbers."""

import json
import math
import shutil
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file
from slow import save_slow
from tiny import save_encoder, save_reviews

from unfooled.cli.main import main

THREE = pytest.mark.parametrize("method", ["carl", "rar", "clld"])


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """A command that trains a tiny encoder here: its exit code and the last line it printed for people."""
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 24)
    monkeypatch.chdir(tmp_path)

    def call(method: str, *settings: str, data: str = "reviews.csv", out: str = "run", more: tuple[str, ...] = ()):
        given = [part for setting in settings for part in ("--set", setting)]
        arguments = ["train", "--data", data, "--model", "encoder", "--method", method, "--out", out, *given, *more]
        monkeypatch.setattr(sys, "argv", ["unfooled", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr().err.splitlines()
        return int(left.value.code or 0), said[-1] if said else ""

    return call


@pytest.mark.parametrize("kind", ["bytes", "letters"])
def test_a_slow_tokenizer_says_no_places_of_words_and_trains_what_needs_none(train, kind: str) -> None:
    shutil.rmtree("encoder")
    save_slow(Path("encoder"), kind)
    code, said = train("worst_words", "plan.max_steps=2")
    assert code == 2 and said.startswith("unfooled: ")
    assert "does not say which characters a token stands for" in said and "a fast tokenizer" in said
    assert not (Path("run") / "model").exists()
    assert train("finetune", "plan.max_steps=2", "plan.batch_size=8", out="plain")[0] == 0


@pytest.mark.parametrize("method", ["worst_words", "finetune"])
def test_a_network_without_token_vectors(train, method: str) -> None:
    shutil.rmtree("encoder")
    save_slow(Path("encoder"), "canine")
    code, said = train(method, "plan.max_steps=2")
    assert code == 2 and said.startswith("unfooled: encoder has no table of token vectors")


def numbers(run: str) -> list[float]:
    """Every number of the log."""
    lines = [json.loads(line) for line in (Path(run) / "metrics.jsonl").read_text().splitlines()]
    found = [value for line in lines for value in line.values() if isinstance(value, float)]
    assert len(found) > 10
    return found


def report(run: str) -> dict[str, object]:
    return json.loads((Path(run) / "summary.json").read_text())


@THREE
def test_one_class(train, method: str) -> None:
    Path("one.csv").write_text("text,label\n" + "good film,1\n" * 12)
    code, said = train(method, data="one.csv")
    assert code == 2 and "only one class (1)" in said and "training needs rows of two or more" in said


@THREE
def test_a_class_seen_only_in_validation(train, method: str) -> None:
    Path("validation.csv").write_text("text,label\ngood film,splendid\nbad film,negative\n")
    code, said = train(method, more=("--validation", "validation.csv"))
    assert code == 2 and "label splendid does not occur in train (negative, positive)" in said
    assert not (Path("run") / "model").exists()


@pytest.mark.parametrize("method", ["carl", "rar", "clld", "supcon", "rdrop"])
def test_a_batch_of_one_trains_with_finite_numbers(train, method: str) -> None:
    settings = ["plan.batch_size=1", "plan.max_steps=8", "plan.log_every=1"]
    settings += ["method.start=0.0", "method.negatives=8"] if method == "carl" else []
    assert train(method, *settings)[0] == 0
    assert all(math.isfinite(number) for number in numbers("run"))
    weights = load_file("run/model/model.safetensors")
    assert all(bool(tensor.isfinite().all()) for tensor in weights.values())
    if method == "carl":
        assert report("run")["contrasted_updates"] == 8


def test_more_negatives_than_there_are(train) -> None:
    """Drawn with replacement they are as many as asked for; without, as many as the smallest pool holds."""
    settings = ["method.start=0.0", "plan.max_steps=6", "plan.log_every=1", "plan.batch_size=8"]
    hashes = {}
    for replacement, wanted in (("true", 5000), ("true", 11), ("false", 5000), ("false", 11), ("false", 10)):
        more, out = [f"method.negatives={wanted}", f"method.replacement={replacement}"], f"{replacement}-{wanted}"
        assert train("carl", *settings, *more, out=out)[0] == 0
        assert all(math.isfinite(number) for number in numbers(out))
        assert report(out)["contrasted_updates"] == 6
        hashes[out] = report(out)["model_hash"]
    assert (
        hashes["false-5000"] == hashes["false-11"] != hashes["false-10"]
    )  # 24 rows, 2 of them for validation: 11 of either label
    assert hashes["true-5000"] != hashes["true-11"] != hashes["false-11"]


def test_a_static_pair_with_an_unknown_label(train) -> None:
    pairs = 'method.pairs=[["positive", "negativ"]]'
    code, said = train("clld", "method.distance=static", pairs)
    assert code == 2
    assert "the label negativ, which the data do not have; did you mean negative?" in said


def test_a_bank_of_another_data_set_is_refused_at_the_start_and_on_resume(train) -> None:
    carl = ["method.start=0.0", "method.negatives=8", "plan.max_steps=4", "plan.batch_size=8"]
    carl.append("method.bank_folder=banks")
    assert train("carl", *carl)[0] == 0
    save_reviews(Path("other.csv"), 30, seed=5)
    code, said = train("carl", *carl, data="other.csv", out="other")
    assert code == 2 and "banks holds the memory of other training texts" in said and "method.bank_folder" in said
    shutil.move("banks", "mine")
    assert train("carl", *carl, data="other.csv", out="other")[0] == 0
    code, said = train("carl", *carl, more=("--resume",))
    assert code == 2 and "banks holds the memory of other training texts" in said
    shutil.rmtree("banks")
    shutil.move("mine", "banks")
    assert train("carl", *carl, more=("--resume",))[0] == 0


def test_what_a_bank_file_held_before_is_never_read(train) -> None:
    """A second run over the files of a first, equal in size and labels, ends in the bits of one without files."""
    carl = ["method.start=0.5", "method.negatives=8", "method.fill=online", "method.momentum=0.9"]
    carl += ["plan.max_steps=12", "plan.epochs=4", "plan.batch_size=8", "plan.log_every=1"]
    assert train("carl", *carl, out="memory")[0] == 0
    assert train("carl", *carl, "plan.learning_rate=1e-2", "method.bank_folder=banks", out="before")[0] == 0
    assert train("carl", *carl, "method.bank_folder=banks", out="after")[0] == 0
    assert report("after")["contrasted_updates"] == 6
    assert report("memory")["model_hash"] == report("after")["model_hash"] != report("before")["model_hash"]


def test_a_folder_of_something_else_is_left_alone(train) -> None:
    Path("banks").mkdir()
    Path("banks/original").write_text("my thesis")
    code, said = train("carl", "method.bank_folder=banks")
    assert code == 2 and "no memory of unfooled" in said
    assert Path("banks/original").read_text() == "my thesis"
