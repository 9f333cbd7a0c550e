import subprocess
import sys
from pathlib import Path

from tiny import save_encoder, save_reviews
from unfooled.models import load


def test_torchrun_and_accelerate_train_one_model_on_two_processes(tmp_path: Path) -> None:
    save_encoder(tmp_path / "encoder", dropout=0.0)
    save_reviews(tmp_path / "reviews.csv", 61)
    train = ["unfooled", "train", "--data", "reviews.csv", "--model", "encoder", "--method", "freelb"]
    train += ["--set", "plan.max_steps=5", "--set", "plan.batch_size=8", "--set", "model.dropout=0.0"]
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
    launches = {"one": [sys.executable, "-m"], "torchrun": torchrun, "accelerate": accelerate}
    models = {}
    for name, launcher in launches.items():
        command = [*launcher, *train, "--out", name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr[-3000:]
        models[name] = load(str(tmp_path / name)).classifier.state_dict()
    for name in ("torchrun", "accelerate"):
        worst = max(float((models[name][key] - models["one"][key]).abs().max()) for key in models["one"])
        assert worst < 1e-4, name
