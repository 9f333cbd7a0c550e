"""What is handed out: the wheel's bytes, its bill of materials, locked dependencies, licence, citation."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from types import ModuleType

import browser
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import unfooled

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
APACHE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"  # SHA256 of Apache's own file


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tool_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(tree: Path, out: Path, mask: int) -> Path:
    """The wheel of a tree, built by its own tool in a process with other habits."""
    command = [sys.executable, str(tree / "tools" / "wheel.py"), str(out)]
    environment = {**os.environ, "PYTHONHASHSEED": str(mask), "TZ": "Asia/Tokyo" if mask else "UTC"}
    done = subprocess.run(command, env=environment, umask=mask, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two wheels of two copies of the tree that differ in place, times and what a umask allows."""
    folder = tmp_path_factory.mktemp("wheels")
    built = []
    for number, mask in enumerate((0o022, 0o077)):
        tree = folder / f"tree-{number}"
        for room in ("src", "recipes", "tools"):
            shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", ".gitignore"):
            shutil.copy(ROOT / name, tree / name)
        for path in tree.rglob("*"):
            os.utime(path, (1e9 + 1e6 * number, 1e9 + 1e6 * number))
        built.append(build(tree, folder / f"out-{number}", mask))
    return built


def test_the_wheel_built_twice_has_the_same_bytes(wheels: list[Path], record_property) -> None:
    hashes = {hashlib.sha256(path.read_bytes()).hexdigest() for path in wheels}
    assert len(hashes) == 1
    record_property("builds", len(wheels))
    record_property("megabytes", round(wheels[0].stat().st_size / 1e6, 1))


def test_the_wheel_holds_the_package_its_recipes_and_its_licences_and_nothing_else(wheels: list[Path]) -> None:
    names = set(zipfile.ZipFile(wheels[0]).namelist())
    info = f"unfooled-{unfooled.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"unfooled", info}
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "unfooled").rglob("*.py")}
    recipes = {f"unfooled/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "recipes").rglob("*.toml")}
    licences = {f"{info}/licenses/{name}" for name in PROJECT["license-files"]}
    assert sources | recipes | licences <= names
    assert {Path(name).suffix for name in names - sources - recipes - licences if info not in name} <= {
        ".css", ".html", ".js", ".json", ".npz", ".svg", ".txt", ".typed",
    }  # fmt: skip


def test_the_bill_names_what_running_needs_and_no_more(wheels: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    installed = [(one.metadata["Name"], one.version) for one in metadata.distributions()]
    parts = [{"bom-ref": f"{name}=={version}", "name": name, "version": version} for name, version in installed]
    bill = {"metadata": {"component": {"bom-ref": "root-component"}}, "components": parts, "dependencies": []}
    path = wheels[0].with_name("environment.json")
    path.write_text(json.dumps(bill))
    tool("sbom").main(str(path), str(wheels[0]))
    cut = json.loads(wheels[0].with_suffix(".cdx.json").read_text())
    names = {canonicalize_name(one["name"]) for one in cut["components"]}
    direct = {canonicalize_name(Requirement(entry).name) for entry in PROJECT["dependencies"]}
    assert direct <= names and {"tokenizers", "huggingface-hub"} <= names and not {"pytest", "ruff", "mypy"} & names
    assert cut["metadata"]["component"]["version"] == unfooled.__version__
    assert cut["metadata"]["component"]["hashes"][0]["content"] == hashlib.sha256(wheels[0].read_bytes()).hexdigest()
    [whole] = [one for one in cut["dependencies"] if one["ref"] == "root-component"]
    assert len(whole["dependsOn"]) == len(direct) and f"{len(direct)} of them direct" in capsys.readouterr().out


def pins(name: str) -> dict[str, tuple[str, int]]:
    """The version and the number of hashes of each distribution in a lock."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    entries = re.findall(r"^([\w.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE)
    return {canonicalize_name(one): (version, hashes.count("sha256:")) for one, version, hashes in entries}


@pytest.mark.parametrize("name", ["dev.txt", "audit.txt"])
def test_every_line_of_a_lock_is_a_version_with_hashes_and_names_no_index(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(heads) == len(pins(name)) > 20 and all(count for _, count in pins(name).values())
    assert not re.search(r"://|index|find-links|trusted-host|file:/|^/", text, re.MULTILINE)


def test_the_lock_holds_every_dependency_but_torch_in_a_version_that_is_allowed() -> None:
    locked = pins("dev.txt")
    wanted = [Requirement(one) for one in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"])]
    others = [one for one in wanted if one.name != "torch"]
    missing = [one.name for one in others if canonicalize_name(one.name) not in locked]
    assert not missing, f"run make lock: requirements/dev.txt lacks {missing}"
    refused = [str(one) for one in others if locked[canonicalize_name(one.name)][0] not in one.specifier]
    assert not refused, f"run make lock: requirements/dev.txt holds versions that pyproject.toml refuses, {refused}"
    # The build at hand depends on the machine (with or without a GPU), and so does its hash.
    assert "torch" not in locked and "torch==" in (ROOT / "constraints.txt").read_text()


def test_every_floor_is_a_pin_of_the_lowest_versions() -> None:
    lowest = dict(one.split("==") for one in tool("lowest").lowest(PROJECT))
    for entry in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]):
        name = Requirement(entry).name
        assert name == "torch" or "==" in entry or lowest[name] in Requirement(entry).specifier, entry


def test_the_licence_is_apaches_own_text_and_the_citation_is_of_this_version() -> None:
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {unfooled.__version__}\n" in citation and f"license: {PROJECT['license']}\n" in citation
    assert PROJECT["authors"][0]["name"] in citation and PROJECT["license"] == "Apache-2.0"


def test_a_missing_browser_is_a_failure_where_one_is_required_and_a_skip_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert re.search(r"^export UNFOOLED_BROWSER=required$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
    monkeypatch.setenv("PATH", "")
    for required, skipped in (("required", False), ("", True)):
        monkeypatch.setenv("UNFOOLED_BROWSER", required)
        spec = importlib.util.spec_from_file_location("browser_again", browser.__file__)
        assert spec is not None and spec.loader is not None
        again = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(again)
        assert again.needs_browser.mark.args == (skipped,) and "Chromium" in again.needs_browser.mark.kwargs["reason"]
