"""The blocks of the pages are run, from the first to the last of a page, with tiny stand-ins for models and data.

``make test`` runs the pages in ``SAMPLE``, ``make test-docs`` all. What is not run stands in a table, with the reason.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from doc_blocks import PAGES, ROOT, Block, blocks_of, commands_in
from doc_stand_ins import StandIns, cut, fill, provide, stand_ins

from unfooled.cli.main import app

SAMPLE = {"README.md", "docs/ci.md", "docs/data.md", "docs/loop.md", "docs/quickstart.md"}
RUN = {"python", "bash", "toml"}
APART = {"README.md", "docs/generate.md"}  # pages whose blocks are of different readers: a folder each
# Commands that are not run, by how they begin, and why; the parser takes them all the same (test_blocks.py).
NOT_RUN = {
    "make": "it would run the suite, the demo or an experiment; that there is such a target is tested",
    "pip": "it would change the environment of tests; that there is such an extra is tested; test_wheel.py installs",
    "export": "the stand-ins have a UNFOOLED_DATA of their own",
    "hf": "it would ask for a key of the hub",
    "unfooled demo": "seven minutes; tests/cli/test_demo.py runs it on few rows",
    "unfooled push": "it sends a model away; tests/commands/test_push.py sends one to a hub on this machine",
    "unfooled play": "it serves until it is stopped; tests/play starts and asks it",
    "unfooled evaluate owner/model": "owner/model is a model of the hub, and no test asks the hub",
    "unfooled evaluate runs/words/mr/{": "the models of make results-words and make results-cline, hours of training",
    "unfooled evaluate runs/finetuning/": "the same",
    "unfooled report runs/pages/mr": "the page of these",
    "unfooled generate --from-rar": "needs the head that a run of rar keeps; tests/generate trains one",
    "unfooled evaluate runs/robust --data unseen.csv --out runs/results --ray": (
        "there is no such cluster; tests/workers/test_cluster.py makes one of this machine"
    ),
    "unfooled attack runs/robust --data unseen.csv --out runs/shard-$SLURM_ARRAY_TASK_ID": (
        "a job of Slurm; tests/results and tests/cli/test_merge.py make shards and join them"
    ),
    "unfooled merge runs/shard-*": "the same",
    "unfooled train --recipe adversarial_text-cola-cpu": "needs adversaries; tests/methods has some",
}
# Python that is not run, by page and first line.
NOT_RUN_PYTHON = {
    ("docs/generate.md", "# A Ray dataset: pip install 'unfooled[ray]'"): (
        "it starts a cluster; tests/generate/test_lines.py starts one and does this"
    ),
}
# What a block takes for granted, by page and first line.
GRANTED = {
    ("README.md", "from transformers import pipeline"): "provide(['runs/robust'], stand, 'evaluate')",
    ("docs/generate.md", "from unfooled import VersionLines"): (
        "import datasets\n"
        "rows = [{'text': 'A good film.'}, {'text': 'A dull story was told.'}]\n"
        "dataset = datasets.Dataset.from_list(rows)"
    ),
    ("docs/tour.md", "from transformers import pipeline"): "provide(['runs/robust'], stand, 'evaluate')",
    ("docs/loop.md", "import pandas as pd"): (  # whose labels are 0 and 1
        "import shutil, pandas\n"
        "shutil.copytree(stand.data / 'minilm', 'my-model')\n"
        "rows = pandas.read_csv('reviews.csv')\n"
        "rows.assign(label=(rows['label'] == 'positive').astype(int)).to_csv('reviews.csv', index=False)"
    ),
    ("docs/victims.md", "from peft import PeftModel"): "provide(['runs/encoder'], stand, 'train')",
}
# What is laid over a command so that it ends soon.
SHORT = {
    "train": ["--set", "plan.max_steps=2"],
    "compare": ["--set", "plan.max_steps=2", "--limit", "4"],
    "tune": ["--set", "plan.max_steps=2", "--trials", "2"],
    "evaluate": ["--limit", "4"],
    "attack": ["--limit", "3"],
}
READS = {"evaluate", "attack", "predict", "report", "gate", "verify", "translate"}  # what is there already


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIns]:
    with stand_ins(tmp_path_factory.mktemp("stand-ins")) as all_of_them:
        yield all_of_them


@pytest.fixture
def place(tmp_path: Path, stand: StandIns, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a reader's files, where commands are run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UNFOOLED_DATA", str(stand.data))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    fill(tmp_path)
    return tmp_path


def reason_not_to(words: list[str]) -> str | None:
    """Why a command is not run, where it is not."""
    line = " ".join(words)
    return next(
        (
            reason
            for begin, reason in NOT_RUN.items()
            if f"{line} ".startswith(f"{begin} ") or (begin.endswith(("{", "/")) and line.startswith(begin))
        ),
        None,
    )


def run_command(words: list[str], stand: StandIns) -> None:
    """A command as a reader would call it, made short."""
    if words[0] != "unfooled":
        subprocess.run(words, check=True, capture_output=True)
        return
    name, *given = words[1:]
    named = [one for one in given[: 2 if name == "evaluate" else 1] if name in READS and not one.startswith("-")]
    named += [value for option, value in pairwise(given) if option == "--model" and "/" in value]
    provide(named, stand, name)
    short = [] if name == "attack" and "--text" in given else SHORT.get(name, [])
    with redirect_stdout(StringIO()):
        code = app(args=[name, *given, *short], standalone_mode=False)
    assert not code or (name == "gate" and code == 1), f"{' '.join(words)} ended with {code}"


def run_block(block: Block, stand: StandIns, known: dict[str, Any]) -> str:
    """Run a block of a page; what Python printed."""
    code = block.code.replace("http://127.0.0.1:8000", stand.classifier).replace("http://127.0.0.1:8080", stand.chat)
    printed = StringIO()
    if block.language == "python" and (block.page, block.first) not in NOT_RUN_PYTHON:
        exec(GRANTED.get((block.page, block.first), ""), {**globals(), "stand": stand}, known)
        with redirect_stdout(printed):
            exec(compile(code, f"{block.page}:{block.line}", "exec"), known)
    elif block.language == "toml":
        run_settings(code, stand)
    elif block.language == "bash":
        cut(Path.cwd())
        for words in commands_in(code):
            if reason_not_to(words) is None:
                run_command(words, stand)
    return printed.getvalue()


def run_settings(code: str, stand: StandIns) -> None:
    """A file of settings, given to the command that reads it."""
    if "base_url" in code:
        Path("chat.toml").write_text(code, encoding="utf-8")
        [words] = commands_in("unfooled attack chat.toml --data unseen.csv --attack pwws --out runs/by-file")
    else:
        Path("bounds.toml").write_text(code, encoding="utf-8")
        [words] = commands_in("unfooled tune --data reviews.csv --methods freelb --bounds bounds.toml --out tuned")
    run_command(words, stand)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All pages that have something to run, or the sample of them."""
    if "page" in metafunc.fixturenames:
        every = [page for page in PAGES if any(block.language in RUN for block in blocks_of(page))]
        chosen = every if metafunc.config.getoption("--all-docs") else [page for page in every if page in SAMPLE]
        metafunc.parametrize("page", chosen)


@pytest.mark.filterwarnings("ignore:'pin_memory' argument:UserWarning")  # of transformers' trainer without a GPU
def test_the_blocks_of_a_page_run(page: str, place: Path, stand: StandIns) -> None:
    known: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for number, block in enumerate(blocks_of(page)):
        if (page, block.language) == ("docs/ci.md", "text"):  # its numbers depend on nothing that stands in
            assert block.code == printed
        if page in APART:
            (place / str(number)).mkdir()
            os.chdir(place / str(number))
            fill(Path.cwd())
        printed = run_block(block, stand, known)


def test_what_is_not_run_is_on_some_page() -> None:
    blocks = [block for page in PAGES for block in blocks_of(page)]
    lines = [" ".join(words) for block in blocks if block.language == "bash" for words in commands_in(block.code)]
    assert [begin for begin in NOT_RUN if not any(line.startswith(begin) for line in lines)] == []
    firsts = {(block.page, block.first) for block in blocks if block.language == "python"}
    assert set(NOT_RUN_PYTHON) | set(GRANTED) <= firsts


def test_a_block_that_fails_fails(place: Path, stand: StandIns) -> None:
    with pytest.raises(AssertionError):
        run_block(Block("page.md", 1, "python", "assert False"), stand, {})
    with pytest.raises(Exception, match="no file nobody.csv|nobody.csv"):
        run_block(Block("page.md", 1, "bash", "unfooled train --data nobody.csv --out runs/a"), stand, {})


@pytest.mark.parametrize("step", ["Measure", "Gate"])
def test_the_steps_of_the_action_run(step: str, place: Path, stand: StandIns, request: pytest.FixtureRequest) -> None:
    if step == "Measure" and not request.config.getoption("--all-docs"):
        pytest.skip("make test-docs runs it")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    [wanted] = [one for one in action["runs"]["steps"] if one["name"] == step]
    ours = place / "bin" / "unfooled"
    ours.parent.mkdir()
    ours.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unfooled "$@"\n', encoding="utf-8")
    ours.chmod(0o755)
    provide(["out/results"] if step == "Gate" else ["model"], stand, "gate" if step == "Gate" else "evaluate")
    inputs = {
        "MODEL": "model",
        "DATA": "unseen.csv",
        "TRIALS": "clean",
        "LIMIT": "4",
        "ARGUMENTS": "--seed=1\n",
        "OUT": "out",
    }
    environment = {**os.environ, **inputs, "PATH": f"{ours.parent}:{os.environ['PATH']}"}
    for requirement, code in (("accuracy.clean >= 0.0\n\naccuracy.clean <= 1\n", 0), ("accuracy.clean >= 1.5", 1)):
        told = {**environment, "REQUIRE": requirement}
        done = subprocess.run(["bash", "-ec", wanted["run"]], env=told, capture_output=True, text=True, check=False)
        assert done.returncode == (code if step == "Gate" else 0), done.stderr
    assert (place / "out" / ("gate.xml" if step == "Gate" else "report.html")).is_file()
