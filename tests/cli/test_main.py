"""Bad input gets exit code 2 and one clear sentence; nothing is lost."""

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny import save_encoder, save_reviews

from unfooled.cli.main import main, tell_fault, tell_warning


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The exit code of a command run in this process."""
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


def write(path: Path, content: str | bytes) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


BAD_FILES = {
    "missing file": (None, ["bad.csv", "no such file"]),
    "wrong columns": ("a,b,c\n1,2,3\n", ["bad.csv", "--text"]),
    "ambiguous columns": ("review,comment,label\nx,y,1\n", ["review", "comment", "--text"]),
    "not UTF-8": (b"text,label\ncaf\xc3\xa9,1\ncaf\xe9,0\n", ["bad.csv", "UTF-8", "row 3"]),
    "too many fields": ("text,label\nfine,1\nbad,0,extra\n", ["bad.csv", "row 3"]),
    "one class": ("text,label\n" + "good film,1\n" * 9, ["one class"]),
    "fewer rows than classes": ("text,label\na,1\nb,2\nc,3\nd,4\n", ["bad.csv"]),
    "empty texts": ("text,label\n ,1\n,0\n", ["bad.csv", "text"]),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_data_is_exit_code_2_and_one_sentence(
    case: str, ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content, words = BAD_FILES[case]
    if content is not None:
        write(ground / "bad.csv", content)
    assert call(monkeypatch, "train", "--data", "bad.csv", "--model", "encoder", "--out", "run") == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("unfooled: ")
    assert all(word in message for word in words), message
    assert not (ground / "run" / "model").exists()


def test_labels_in_test_that_train_never_showed(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(ground / "test.csv", "text,label\ngood film,splendid\n")
    arguments = ["train", "--data", "reviews.csv", "--test", "test.csv", "--model", "encoder", "--out", "run"]
    assert call(monkeypatch, *arguments) == 2
    assert "splendid" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--method", "frelb"], "there is no method called frelb; did you mean freelb?"),
        (["--set", "plan.epoch=2"], "unknown setting plan.epoch; did you mean epochs?"),
        (["--set", "method.radius=-1", "--method", "pgd"], "method.radius = -1"),
        (["--model", "nowhere/at/all"], "no model folder at nowhere/at/all"),
        (["--model", "bert-base-uncased"], "the Hugging Face hub cannot be reached"),
        (["--recipe", "nothing.toml"], "no recipe at nothing.toml"),
    ],
)
def test_bad_settings_are_exit_code_2_and_one_sentence(
    arguments: list[str],
    words: str,
    ground: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert call(monkeypatch, "train", "--data", "reviews.csv", "--out", "run", *arguments) == 2
    assert words in capsys.readouterr().err.splitlines()[-1]


def test_a_folder_with_another_run_is_kept(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train = [
        "train",
        "--data",
        "reviews.csv",
        "--model",
        "encoder",
        "--out",
        "run",
        "--set",
        "plan.max_steps=2",
    ]
    monkeypatch.setattr(sys, "argv", ["unfooled", *train])
    with pytest.raises(SystemExit) as done:
        main()
    assert not done.value.code
    assert "next:  unfooled evaluate run/model --data FILE-IT-HAS-NOT-SEEN" in capsys.readouterr().out
    kept = (ground / "run" / "model" / "model.safetensors").read_bytes()
    assert call(monkeypatch, *train) == 2
    assert "holds a run already" in capsys.readouterr().err
    assert call(monkeypatch, *train, "--resume", "--seed", "3") == 2
    assert "seed: 0 → 3" in capsys.readouterr().err
    assert (ground / "run" / "model" / "model.safetensors").read_bytes() == kept


def test_wild_texts_and_very_long_ones_train(ground: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wild = ["😀 good 👩‍👩‍👧", "שלום bad עולם", "e\u0301\u0301 good", "good " * 20_000, "\u202e bad \u202c"]
    rows = "".join(f'"{text}",{"good" in text}\n' for text in wild * 4)
    write(ground / "wild.csv", "text,label\n" + rows)
    train = ["train", "--data", "wild.csv", "--model", "encoder", "--out", "run", "--set", "plan.max_steps=2"]
    assert call(monkeypatch, *train) == 0


def test_what_cannot_be_evaluated_is_named(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "evaluate", "encoder", "--data", "reviews.csv", "--out", "r") == 2
    assert "no trained classifier" in capsys.readouterr().err
    assert call(monkeypatch, "evaluate", "encoder", "--data", "reviews.csv", "--out", "r", "--eps", "x") == 2
    assert "--eps x is not a list of numbers" in capsys.readouterr().err
    train = ["train", "--data", "reviews.csv", "--model", "encoder", "--out", "run", "--set", "plan.max_steps=1"]
    assert call(monkeypatch, *train) == 0
    evaluate = ["evaluate", "run", "--data", "reviews.csv", "--out", "r"]
    assert call(monkeypatch, *evaluate, "--trials", "clen") == 2
    assert "did you mean clean?" in capsys.readouterr().err
    assert call(monkeypatch, *evaluate, "--trials", "clean") == 0
    assert "these are the texts run learnt from" in capsys.readouterr().err


def test_resume_alone_goes_on_with_the_recipe_left_behind(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train = ["train", "--data", "reviews.csv", "--model", "encoder", "--out", "run", "--set", "plan.max_steps=1"]
    assert call(monkeypatch, *train, "--resume") == 0
    assert "nothing to resume in run; starting" in capsys.readouterr().err
    assert call(monkeypatch, "train", "--out", "run", "--resume") == 0
    shown = capsys.readouterr()
    assert "nothing to resume" not in shown.err
    assert "--data FILE-IT-HAS-NOT-SEEN" in shown.out and "truncation=True" in shown.out


def test_a_file_that_cannot_be_written_is_one_sentence(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("unfooled.training.run_folder.write_whole", full)
    assert call(monkeypatch, "train", "--data", "reviews.csv", "--model", "encoder", "--out", "run") == 2
    assert "recipe.toml cannot be read or written (No space left on device)" in capsys.readouterr().err


def test_a_full_disk_names_the_file_and_leaves_nothing_half_written(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train = ["train", "--data", "reviews.csv", "--model", "encoder", "--out", "run", "--set", "plan.max_steps=1"]
    assert call(monkeypatch, *train) == 0
    evaluate = ["evaluate", "run", "--data", "reviews.csv", "--trials", "clean", "--out"]
    assert call(monkeypatch, *evaluate, "results") == 0
    commands = {
        "other/checkpoints": ([*train[:6], "other", *train[7:]], 10_000),
        "examples.jsonl": ([*evaluate, "more"], 3000),
        "summary.json": ([*evaluate, "results"], 3000),
        "report.html": (["report", "results", "--out", "report.html"], 3000),
    }
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for name, (command, size) in commands.items():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            assert call(monkeypatch, *command) == 2, name
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        said = capsys.readouterr().err.splitlines()[-1]
        assert name in said and "too large" in said.lower(), said
        assert not [path for path in ground.rglob(".*") if path.name != "__pycache__"], name


def test_a_disk_that_is_full_for_a_worker_is_the_sentence_of_one_process(
    ground: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_reviews(ground / "test.csv", 20, seed=9)
    compare = ["compare", "--data", "reviews.csv", "--test", "test.csv", "--methods", "finetune,fgm", "--seeds", "1"]
    compare += ["--model", "encoder", "--set", "plan.max_steps=1", "--out", "compared", "--workers"]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for workers in ("1", "2"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))  # workers inherit it
        try:
            assert call(monkeypatch, *compare, workers) == 2
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        told = capsys.readouterr().err
        end = r"-0/recipe\.toml cannot be read or written \(File too large\); what was finished is kept\n"
        assert re.search(rf"^unfooled: compared/runs/(finetune|fgm){end}\Z", told, re.MULTILINE), told
        assert "Traceback" not in told


@pytest.fixture
def signals_as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_loading_says_how_to_go_on(
    number: int,
    code: int,
    ground: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    signals_as_before: None,
) -> None:
    monkeypatch.setattr("unfooled.cli.main.end", sys.exit)  # this process is to live on
    monkeypatch.setattr("unfooled.commands.train.prepare", lambda *_: os.kill(os.getpid(), number))
    assert call(monkeypatch, "train", "--data", "reviews.csv", "--model", "encoder", "--out", "run") == code
    assert "stopped; the same command goes on" in capsys.readouterr().err


def test_help_is_plain_and_needs_no_torch() -> None:
    code = (
        "import sys; sys.argv = ['unfooled', '--help']\n"
        "from unfooled.cli.main import main\n"
        "try: main()\n"
        "finally: assert not {'torch', 'pydantic', 'numpy', 'optuna', 'rich'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ})
    assert done.returncode == 0, done.stderr
    listed = [line.split()[0] for line in done.stdout.partition("Commands:")[2].splitlines() if line.startswith("  ")]
    known = ["demo", "play", "train", "evaluate", "predict", "generate", "attack", "verify", "translate", "list"]
    assert [name for name in listed if name.islower()] == [*known, "compare", "tune", "merge", "report", "gate", "push"]


def test_the_version_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.strip() == "0.1.0"


def test_warnings_of_libraries_and_faults_of_ours_steer_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\nall is well"
    tell_warning(UserWarning(evil), UserWarning, "a.py", 1)
    try:
        raise RuntimeError(evil)
    except RuntimeError as error:
        tell_fault(type(error), error, error.__traceback__)
    said = capsys.readouterr().err
    assert "\x1b" not in said and said.startswith("UserWarning: ⟨U+001B⟩[2J⟨U+000A⟩all is well\n")
    assert "RuntimeError: ⟨U+001B⟩[2J" in said
