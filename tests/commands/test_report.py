"""Folders become one page; the same folders, the same bytes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from results_ground import behaviour, save_results, save_trial, word_attack

from unfooled.commands.comparison import FILE, Comparison, Cost, Entry, keep
from unfooled.commands.report import last_day, report, told
from unfooled.errors import BadInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_results(tmp_path / "r", "plain", right=90, left={0.1: 30})
    save_results(tmp_path / "r", "robust", right=80, left={0.1: 60})
    save_trial(tmp_path / "r", "plain", "pwws", word_attack(3, 5, 2))
    save_trial(tmp_path / "r", "robust", "pwws", word_attack(6, 2, 2))
    save_trial(tmp_path / "r", "plain", "invariance", behaviour(3, 7))
    return tmp_path / "r"


def test_a_page_is_written_whole_and_twice_the_same(folder: Path, tmp_path: Path) -> None:
    first = report(folder, tmp_path / "new" / "report.html").read_bytes()
    assert first == report([folder], tmp_path / "again.html").read_bytes()
    page = first.decode()
    said = "Texts as they are: plain 90.0 %, robust 80.0 % right. Under pgd, eps 0.1: plain 30.0 %, robust 60.0 %."
    assert said.replace(" %", "\u00a0%") in page  # no line ends before a per cent sign
    assert f" · measured until {last_day([folder])}<" in page
    assert all(f'id="{name}"' in page for name in ("verdict", "numbers", "differences", "fooled", "checks", "record"))


def test_the_day_is_that_of_the_last_log(folder: Path) -> None:
    logs = sorted(folder.glob("*/*/examples.jsonl"))
    for number, path in enumerate(logs):
        os.utime(path, (86_400 * number, 86_400 * number))
    assert last_day([folder]) == f"{len(logs)}\u00a0January\u00a01970"


def test_what_is_required_is_answered_on_the_page(folder: Path, tmp_path: Path) -> None:
    page = report(folder, tmp_path / "x.html", require=["accuracy.clean >= 0.8"]).read_text()
    assert "plain holds all that was required" in page and "robust misses 1 of 1 requirements" in page
    with pytest.raises(BadInput, match="no number called accuracy.clear"):
        report(folder, tmp_path / "y.html", require=["accuracy.clear >= 0.8"])
    assert not (tmp_path / "y.html").exists()
    (tmp_path / "board.jsonl").write_text("")
    with pytest.raises(BadInput, match="nothing can be required"):
        report(tmp_path / "board.jsonl", tmp_path / "y.html", require=["accuracy.clean >= 0.8"])


@pytest.fixture
def compared(tmp_path: Path) -> Path:
    entries = []
    for method, counts in (("finetune", (90, 88, 91)), ("freelb", (92, 93, 91))):
        for seed, right in enumerate(counts):
            name = f"runs/{method}-{seed}/model"
            save_results(tmp_path / "results", name, right=right, left={0.1: 30 if method == "finetune" else 70})
            entries.append(Entry(method, seed, name, Cost(40.0 + seed + 60 * (method == "freelb"), 900.0)))
    keep(tmp_path, Comparison(("finetune", "freelb"), (0, 1, 2), tuple(entries)))
    return tmp_path


def test_a_comparison_is_told_by_method_with_what_its_seeds_cost(compared: Path, tmp_path: Path) -> None:
    first, second = told([compared]).groups
    assert (first.name, second.name) == ("finetune", "freelb")
    assert first.members == ("finetune-0", "finetune-1", "finetune-2")
    assert second.seconds == (100.0, 101.0, 102.0) and second.megabytes == (900.0, 900.0, 900.0)
    page = report(compared, tmp_path / "x.html").read_text()
    assert "3 seeds a method" in page and "can never show a difference" in page
    assert "What each way of training costs and gains, in points" in page and "freelb-2, " not in page


def test_a_comparison_without_results_is_refused(compared: Path) -> None:
    text = (compared / FILE).read_text().replace("runs/", "elsewhere/")
    (compared / FILE).write_text(text)
    with pytest.raises(BadInput, match="measured yet"):
        told([compared])


def test_bad_places_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        report(folder, tmp_path)
    with pytest.raises(BadInput, match="there is no folder"):
        report(tmp_path / "nothing", tmp_path / "x.html")


def test_a_report_needs_no_torch(folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from unfooled.commands.report import report; "
        f"report({str(folder)!r}, {str(tmp_path / 'x.html')!r}); "
        "assert not {'torch', 'transformers', 'accelerate'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not re.search("Traceback", done.stderr)
