"""Scripts and pages name what there is: no run of them is cheap enough to be a test."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path for room in ("bench", "experiments", "tools") for path in (ROOT / room).glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def file_of(module: str) -> Path | None:
    base = ROOT / "src" / Path(*module.split("."))
    return next((path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()), None)


def has(module: str, name: str) -> bool:
    """Whether a module names something, or holds a module of that name; of a package, whether one of its files does."""
    path = file_of(module)
    if path is None or file_of(f"{module}.{name}"):
        return path is not None
    files = path.parent.glob("*.py") if path.name == "__init__.py" else [path]
    return any(re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) for file in files)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_a_script_imports_is_there(script: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    wanted = [(node.module, one.name) for node in imports for one in node.names if node.module.startswith("unfooled")]
    assert [f"{module}.{name}" for module, name in wanted if not has(module, name)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = set(re.findall(r"`([a-z_]+/[\w/.-]+\.py)`", text))
    rooms = (ROOT, ROOT / "src" / "unfooled", ROOT / "tests")
    assert [name for name in files if not any((room / name).is_file() for room in rooms)] == []
    modules = set(re.findall(r"(?:from|import) (unfooled(?:\.\w+)+)", text))
    assert [name for name in modules if file_of(name) is None] == []
