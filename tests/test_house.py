"""The rules of docs/map.md, executed."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "unfooled"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

BOTTOM = {"errors", "files", "gather", "progress", "seeds", "settings", "table", "types", "tokens"}
# What each room may import besides itself and the bottom row.
ROOMS: dict[str, set[str]] = {
    "text": set(),
    "losses": set(),
    "perturb": set(),
    "models": set(),
    "data": {"text"},
    "methods": {"attacks", "data", "evaluation", "losses", "models", "perturb", "text"},
    "attacks": {"text"},
    "evaluation": {"models", "perturb", "attacks", "text"},
    "training": {"data", "methods"},
    "report": set(),
    "recipe": {"data", "models", "methods", "training"},
    "tasks": {"data", "losses", "models", "methods", "training", "evaluation", "recipe"},
}
BELOW = set(ROOMS)
ROOMS["generate"] = BELOW
ROOMS["commands"] = BELOW | {"generate"}
ROOMS["cli"] = BELOW | {"generate", "commands"}
# Whoever only reads results must not wait for torch.
WITHOUT_TORCH = [
    "attacks/label_sets.py",
    "evaluation/agreement.py",
    "evaluation/answered.py",
    "evaluation/answers.py",
    "evaluation/asking.py",
    "evaluation/attack_log.py",
    "evaluation/attack_summary.py",
    "evaluation/behaviour.py",
    "evaluation/contrast.py",
    "evaluation/hit_scores.py",
    "evaluation/language_results.py",
    "evaluation/log.py",
    "evaluation/measures.py",
    "evaluation/metrics.py",
    "evaluation/passages.py",
    "evaluation/records.py",
    "evaluation/significance.py",
    "evaluation/results.py",
    "evaluation/shift_scores.py",
    "evaluation/task_scores.py",
    "evaluation/transfer.py",
    "evaluation/trial_log.py",
    "evaluation/verdict.py",
    "errors.py",
    "files.py",
    "recipe/card.py",
]
FORBIDDEN_NAMES = {"utils", "common", "helpers", "misc", "core", "base", "util"}
UNSAFE = re.compile(
    r"\b(pickle|dill|cloudpickle|joblib)\b|\beval\(|\bexec\(|torch\.load\(|yaml\.load\(|shell=True"
    r"|trust_remote_code\"?\s*[=:]\s*True|allow_pickle=True"
)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The rooms of this package that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "unfooled":
            parts = node.module.split(".")[1:]
            names |= {parts[0]} if parts else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("unfooled.")}
    return names


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down_only(path: Path) -> None:
    room = room_of(path)
    if room in ("__init__", "__main__"):
        return
    above = BOTTOM if room in BOTTOM else ROOMS[room] | BOTTOM
    reached = imported(path) - {room, "__version__"}
    assert reached <= above, f"{room} may not import {sorted(reached - above)}"
    if room == "training":
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"from unfooled\.data(\S*)", text) in ([], [".loader"])


def test_the_bottom_row_and_the_rooms_are_all_there_is() -> None:
    rooms = {room_of(path) for path in SOURCES} - {"__init__", "__main__"}
    assert rooms == BOTTOM | set(ROOMS)


@pytest.mark.parametrize("path", SOURCES + TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert path.stem not in FORBIDDEN_NAMES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 40 + options(node), f"{node.name} is too long"


def options(node: ast.FunctionDef) -> int:
    """Lines of a signature that only lists options, such as a command's."""
    return max(node.body[0].lineno - node.lineno - 2, 0)


def test_the_median_file_is_short() -> None:
    sizes = sorted(len(path.read_text().splitlines()) for path in SOURCES if path.name != "__init__.py")
    assert sizes[len(sizes) // 2] <= 120


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_source_file_has_its_test(path: Path) -> None:
    if path.name in ("__init__.py", "__main__.py"):
        return
    place = path.relative_to(PACKAGE)
    assert (ROOT / "tests" / place.with_name(f"test_{place.name}")).is_file()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_loads_pickles_or_runs_strings(path: Path) -> None:
    code = "\n".join(line for line in path.read_text().splitlines() if not line.strip().startswith("#"))
    allowed = {"locate.py": "pickle"}.get(path.name, "")
    found = [match.group() for match in UNSAFE.finditer(code) if match.group() != allowed]
    assert not found, found


@pytest.mark.parametrize("name", WITHOUT_TORCH)
def test_reading_results_needs_no_torch(name: str) -> None:
    tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
    tops = {alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    tops |= {(node.module or "").split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not tops & {"torch", "transformers", "accelerate"}
    assert not imported(PACKAGE / name) & {"types", "seeds", "tokens", "models", "perturb"}


def test_accelerate_has_one_door() -> None:
    doors = [path.name for path in SOURCES if re.search(r"^(from|import) accelerate", path.read_text(), re.MULTILINE)]
    assert doors == ["engine.py"]


def test_inheritance_is_two_deep_at_most() -> None:
    parents: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                parents[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]

    def depth(name: str) -> int:
        return (
            1 + max((depth(parent) for parent in parents[name] if parent in parents), default=0)
            if name in parents
            else 0
        )

    deep = {name: depth(name) for name in parents if depth(name) > 3}  # Settings ← Method ← a paper
    assert not deep


def test_dependencies_are_few_and_each_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[<>=]", entry)[0] for entry in project["dependencies"]]
    reasons = (ROOT / "docs" / "map.md").read_text(encoding="utf-8")
    assert len(names) <= 15
    assert all(f"`{name}`" in reasons for name in names)


def test_every_method_has_a_recipe_a_page_and_a_test() -> None:
    from unfooled.methods import METHODS

    recipes = [tomllib.loads(path.read_text()) for path in (ROOT / "recipes").glob("*.toml")]
    used = {recipe["method"]["name"] for recipe in recipes}
    pages = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "papers").glob("*.md"))
    for name, kind in METHODS.items():
        module = kind.__module__.rsplit(".", 1)[1]
        assert name in used, f"no recipe uses {name}"
        assert f"`{name}`" in pages, f"no page in docs/papers tells of {name}"
        assert (ROOT / "tests" / "methods" / f"test_{module}.py").is_file()
