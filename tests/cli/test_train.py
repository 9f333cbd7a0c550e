import subprocess
import sys
from pathlib import Path

import pytest
from task_ground import questions, sets
from tiny import save_encoder, save_reviews

from unfooled.cli.main import main
from unfooled.models import load


def test_torchrun_and_accelerate_train_one_model_on_two_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_encoder(tmp_path / "encoder", dropout=0.0)
    save_reviews(tmp_path / "reviews.csv", 61)
    train = ["unfooled", "train", "--data", "reviews.csv", "--model", "encoder", "--method", "freelb"]
    train += ["--set", "plan.max_steps=5", "--set", "plan.batch_size=8", "--set", "model.dropout=0.0"]
    train += ["--set", "plan.learning_rate=1e-4"]  # AdamW makes of a gradient that is but rounding up to a whole step
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", "-m"]
    accelerate = [
        sys.executable,
        "-m",
        "accelerate.commands.launch",
        "--cpu",
        "--num_processes=2",
        "--num_machines=1",
    ]
    accelerate += ["--mixed_precision=no", "--dynamo_backend=no", "--num_cpu_threads_per_process=1"]
    accelerate += ["--main_process_port=0", "-m"]
    monkeypatch.setattr(sys, "argv", [*train, "--out", "one"])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    one = load("one").classifier.state_dict()
    for name, launcher in {"torchrun": torchrun, "accelerate": accelerate}.items():
        command = [*launcher, *train, "--out", name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        model = load(name).classifier.state_dict()
        assert max(float((model[key] - one[key]).abs().max()) for key in one) < 1e-4, name


def test_a_model_that_has_learnt_nothing_says_so_below_its_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / "reviews.csv", 40)
    monkeypatch.chdir(tmp_path)
    given = ["train", "--data", "reviews.csv", "--model", "encoder", "--out", "run", "--set", "plan.max_steps=1"]
    monkeypatch.setattr(sys, "argv", ["unfooled", *given])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    out = capsys.readouterr().out
    assert out.index("validation accuracy") < out.index("WARNING: the model has learnt nothing") < out.index("model:")


def test_task_and_fraction_are_options_and_the_opening_line_fits_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save_encoder(tmp_path / "encoder")
    questions(tmp_path / "questions.jsonl", 40)
    sets(tmp_path / "sets.jsonl", 40)
    monkeypatch.chdir(tmp_path)

    def command(data: str, out: str, *more: str) -> tuple[int, str, str]:
        given = ["train", "--data", data, "--model", "encoder", "--out", out, "--set", "plan.max_steps=1", *more]
        monkeypatch.setattr(sys, "argv", ["unfooled", *given])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    code, out, err = command("questions.jsonl", "span", "--fraction", "0.5")
    assert code == 0 and 'open:  transformers.AutoModelForQuestionAnswering.from_pretrained("span/model")' in out
    assert "task: span, because" in err and "rows (fraction 0.5), drawn by seed 0" in err
    assert "next:  unfooled evaluate span/model --data " in out
    code, _, err = command("sets.jsonl", "sets", "--task", "regression")
    assert code == 2 and "column label: holds a list" in err.splitlines()[-1]
    code, _, err = command("sets.jsonl", "more", "--fraction", "0")
    assert code == 2 and "data.fraction = 0.0 cannot be used" in err
    code, _, err = command("sets.jsonl", "none", "--task", "regresion")
    assert code == 2 and "there is no task called regresion; did you mean regression?" in err
