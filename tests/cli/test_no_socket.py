"""What a person waits for and what leaves the machine: little processor time, and no socket at all."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny import save_encoder, save_reviews

# Every address family but Unix's own is refused, wherever in Python a socket is made or a name is looked up.
GUARD = """
import socket, sys
def refuse(event, given):
    made = event == "socket.__new__" and given[1] != socket.AF_UNIX
    if made or event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname"):
        raise SystemExit(f"OPENED A SOCKET: {event}")
sys.addaudithook(refuse)
"""
HELP = "import sys; sys.argv = ['unfooled', '--help']; from unfooled.cli.main import main; main()"
MODEL, DATA = "run/model", "reviews.csv"
RANDOM = ["attack", MODEL, "--data", DATA, "--attack", "random", "--similarity", "none", "--limit", "4"]
SHORT = ["--data", DATA, "--model", "encoder", "--set", "plan.max_steps=1"]
COMMANDS = [
    ["--help"],
    ["list"],
    ["train", "--data", DATA, "--model", "encoder", "--out", "run", "--set", "plan.max_steps=2"],
    ["attack", MODEL, "--data", DATA, "--attack", "pwws", "--out", "pwws", "--similarity", "none", "--limit", "3"],
    ["evaluate", MODEL, "--data", DATA, "--out", "results", "--trials", "clean,pgd", "--limit", "8"],
    ["verify", "pwws"],
    ["report", "results", "--out", "page.html"],
    ["gate", "results", "--require", "accuracy.clean >= 0"],
    ["predict", MODEL, "a good film"],
    ["generate", DATA, "--text", "text", "--out", "versions.jsonl", "--other-languages", "pass"],
    [*RANDOM, "--out", "one", "--shard", "1/2"],
    [*RANDOM, "--out", "two", "--shard", "2/2"],
    ["merge", "one", "two", "--out", "merged"],
    [
        "compare",
        *SHORT,
        "--test",
        DATA,
        "--methods",
        "finetune,freelb",
        "--seeds",
        "1",
        "--trials",
        "clean",
        "--out",
        "compared",
    ],
    ["tune", *SHORT, "--methods", "freelb", "--bounds", "bounds.toml", "--trials", "1", "--out", "tuned"],
]
SERIES = """
from unfooled.cli.main import main
for command in sys.argv[1:]:
    sys.argv = ["unfooled", *command.split("|")]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
print("all ended")
"""


def started(code: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A fresh process in which nothing says that the hub is out of reach."""
    environment = {name: value for name, value in os.environ.items() if name not in ("HF_HUB_OFFLINE", "UNFOOLED_DATA")}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_no_command_opens_a_socket_where_none_can_be_opened(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    save_encoder(tmp_path / "encoder")
    save_reviews(tmp_path / DATA, 40)
    (tmp_path / "bounds.toml").write_text("[method.step_size]\nlow = 0.1\nhigh = 0.2\n")
    done = started(GUARD + SERIES, *("|".join(command) for command in COMMANDS), folder=tmp_path)
    assert done.returncode == 0 and "all ended" in done.stdout, done.stderr[-2000:]
    assert (tmp_path / "page.html").is_file() and "OPENED A SOCKET" not in done.stderr
    record_property("commands", len(COMMANDS))
    caught = started(GUARD + "socket.socket()", folder=tmp_path)
    assert "OPENED A SOCKET: socket.__new__" in caught.stderr  # the guard is one


@pytest.mark.parametrize("code", ["import unfooled", HELP], ids=["import", "help"])
def test_import_and_help_cost_little(code: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Processor time, the least of three fresh processes; ``make bench-start`` measures what a person waits."""
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert started(code, folder=tmp_path).returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    record_property("largest processor seconds", round(min(spent), 2))
    assert min(spent) <= 0.5
