import subprocess
import sys
from pathlib import Path

import pytest

from unfooled.cli.first_look import first_look
from unfooled.errors import BadInput

QUICK = """
import sys, time
sys.argv = ["unfooled", *sys.argv[1:]]
from unfooled.cli.main import main
try:
    main()
finally:
    assert not {"torch", "transformers"} & set(sys.modules), "torch was loaded"
    assert time.process_time() < 1, "it took too long"
"""
COMMANDS = {
    "train": ("train", "--data", "bad.csv", "--out", "run", "--method", "carl"),
    "evaluate": ("evaluate", "minilm", "--data", "bad.csv", "--out", "results"),
    "attack": ("attack", "minilm", "--data", "bad.csv", "--out", "records"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_table_is_refused_in_a_second_and_without_torch(command: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("text,label\nfine,1\nbad,0,extra\n")
    line = [sys.executable, "-c", QUICK, *COMMANDS[command]]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("unfooled: bad.csv, row 3: too many fields"), done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_only_what_is_a_table_by_its_name_is_looked_at(tmp_path: Path) -> None:
    first_look({"source": "no/such/folder"}, None)
    (tmp_path / "one.csv").write_text("text,label\nfine,1\n")
    first_look({"source": str(tmp_path / "one.csv")}, None)
    with pytest.raises(BadInput, match="has no test split"):
        first_look({"source": str(tmp_path / "one.csv")}, "test")
    with pytest.raises(BadInput, match="no such file"):
        first_look({"source": str(tmp_path / "two.csv.gz")}, None)
