"""A hundred thousand rows, trained on and attacked in one process: memory is that of the model and a gigabyte."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import reviews, save_encoder

ROWS = 100_000
RUN = """
import json, sys
from pathlib import Path
import unfooled as uf

def peak():  # of this process alone: what getrusage says begins with the peak of whoever started it
    [line] = [one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith("VmHWM")]
    return int(line.split()[1]) / 1000

data, encoder, out = sys.argv[1:]
plan = {"max_steps": 2, "batch_size": 32, "learning_rate": 1e-3}
run = uf.train(data, out + "/run", {"name": encoder, "max_length": 32}, "finetune", plan)
after_training = peak()
uf.attack(run.model, data, "random", out + "/attack", similarity=None, limit=50)
print(json.dumps([after_training, peak()]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the peak of a process")
def test_a_hundred_thousand_rows_fit_into_a_gigabyte(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    encoder = save_encoder(tmp_path / "encoder")
    some, drawn = reviews(500, seed=1), random.Random(0)
    with (tmp_path / "many.csv").open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        file.writelines(f"{text} {number},{label}\n" for number in range(ROWS) for text, label in [drawn.choice(some)])
    command = [sys.executable, "-c", RUN, str(tmp_path / "many.csv"), str(encoder), str(tmp_path)]
    done = subprocess.run(
        command, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    training, attack = json.loads(done.stdout.splitlines()[-1])
    model = sum(path.stat().st_size for path in (tmp_path / "run" / "model").iterdir()) / 1e6
    record_property("rows", ROWS)
    record_property("peak megabytes", round(max(training, attack)))
    assert max(training, attack) <= 2 * model + 1000
