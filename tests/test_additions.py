"""One of everything is added by the lists of CONTRIBUTING.md, and is trained, measured, judged, printed and shown."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import additions
import pytest


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command said in a copy of the source that has all additions."""
    folder = tmp_path_factory.mktemp("additions")
    additions.enlarged(folder)
    env = {**os.environ, "PYTHONPATH": str(folder / "src"), "OMP_NUM_THREADS": "1", "UNFOOLED_DATA": ""}
    command = [sys.executable, additions.__file__, str(folder)]
    told = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    found = json.loads((folder / "said.json").read_text())
    assert Path(found["source"]).is_relative_to(folder)
    return found


def test_each_addition_is_one_file_and_one_line() -> None:
    blocks = additions.additions()
    files = [file for file, how, *_ in blocks if not how]
    lines = [code for _, how, _, _, code in blocks if how == "in"]
    assert len(files) == 7 and len(lines) == 8  # a metric's function stands in its trial's file
    assert all(len(line.strip().splitlines()) == 1 for line in lines)


@pytest.mark.parametrize("command", ["train", "evaluate", "gate", "report", "train stars", "evaluate stars", "list"])
def test_every_command_takes_them(said: dict[str, str], command: str) -> None:
    assert said[command].startswith("0\n"), said[command]


def test_a_paper_a_format_and_a_task_are_trained(said: dict[str, str]) -> None:
    assert "run/model" in said["train"]
    assert "task: stars, because it has a column of stars" in said["train stars"]
    assert "Pearson correlation" in said["evaluate stars"]


def test_a_trial_a_metric_an_attack_and_a_victim_are_measured_and_printed_by_their_units(said: dict[str, str]) -> None:
    told = said["evaluate"]
    assert "clean: loss" in told and "shouting: answered otherwise in capitals" in told
    assert "backwards: accuracy under attack" in told and "always:negative,positive" in told
    loss = next(line for line in told.splitlines() if "clean: loss" in line)
    assert "%" not in loss
    shouted = next(line for line in told.splitlines() if "answered otherwise" in line)
    assert "%" in shouted


def test_an_attack_and_a_trial_are_judged(said: dict[str, str]) -> None:
    verdict = said["evaluate"].partition("fickleness")[2]
    assert "word attacks" in verdict and "shouting" in verdict


def test_the_page_shows_them_and_no_loss_is_bold_that_no_test_shows(said: dict[str, str]) -> None:
    page = said["page"]
    for shown in ("records are behind this page", "backwards", "shouting", "same in capitals", ">loss<"):
        assert shown in page, shown
    row = page.partition(">loss</th>")[2].partition("</tr>")[0]
    values = {float(value): tag for tag, value in re.findall(r"<(span|b)>([\d.]+)</", row)}
    assert len(values) == 2 and set(values.values()) == {"span"}


def test_what_was_added_is_listed(said: dict[str, str]) -> None:
    assert all(name in said["list"] for name in ("unsure", "backwards", "shouting"))
