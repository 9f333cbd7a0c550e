"""The rules of docs/map.md, executed."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from unfooled.attacks.table import ATTACKS
from unfooled.methods.table import METHODS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "unfooled"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

BOTTOM = {
    *("device", "errors", "files", "free_memory", "gather", "heads", "hub", "interpreter", "journal", "limits"),
    *("parsing", "progress", "seeds", "settings", "stopping", "table", "terminal", "tokens", "types"),
}
# What each room may import besides itself and the bottom row; a room stands below those that name it.
ROOMS: dict[str, set[str]] = {
    "text": set(),
    "losses": set(),
    "perturb": set(),
    "models": set(),
    "scores": set(),
    "substitution": {"models", "text"},
    "victims": {"losses", "models", "scores", "substitution"},
    "data": {"text"},
    "methods": {"data", "losses", "models", "perturb", "substitution", "text"},
    "recipe": {"data", "methods", "models"},
    "tasks": {"data", "models", "recipe", "scores", "text"},
    "attacks": {"substitution", "text", "victims"},
    "training": {"data", "losses", "methods", "models", "recipe", "scores", "substitution", "tasks"},
    "trials": {"attacks", "data", "models", "perturb", "scores", "substitution", "tasks", "text", "victims"},
    "results": {"attacks", "scores", "tasks", "trials", "victims"},
    "workers": {"attacks", "results", "tasks", "trials", "victims"},
    "report": {"attacks", "results", "scores", "tasks", "text", "trials"},
}
BELOW = set(ROOMS)
ROOMS["generate"] = BELOW
ROOMS["commands"] = BELOW | {"generate"}
ROOMS["loops"] = BELOW | {"commands"}
ROOMS["play"] = BELOW | {"commands"}
ROOMS["cli"] = BELOW | {"generate", "commands", "play"}
FORBIDDEN_NAMES = {"utils", "common", "helpers", "misc", "core", "base", "util"}
UNSAFE = re.compile(
    r"\b(pickle|dill|cloudpickle|joblib)\b|\beval\(|\bexec\(|torch\.load\(|yaml\.load\(|shell=True"
    r"|trust_remote_code\"?\s*[=:]\s*True|allow_pickle=True"
)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    """The rooms of this package that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(tree_of(path)):
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
    if path.parent == PACKAGE / "training":
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"from unfooled\.data(\S*)", text) in ([], [".batches.address"])


def test_the_bottom_row_and_the_rooms_are_all_there_is() -> None:
    rooms = {room_of(path) for path in SOURCES} - {"__init__", "__main__"}
    assert rooms == BOTTOM | set(ROOMS)


def test_no_import_goes_round_in_a_circle_though_it_be_inside_a_function() -> None:
    modules = {module_of(path): path for path in SOURCES}
    reached = {name: imported_modules(path) & set(modules) - {name} for name, path in modules.items()}
    while free := {name for name, below in reached.items() if not below}:
        reached = {name: below - free for name, below in reached.items() if name not in free}
    assert not reached, f"these import each other, or what does: {sorted(reached)}"


def module_of(path: Path) -> str:
    """A file as Python names it."""
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")


def imported_modules(path: Path) -> set[str]:
    """The modules, and packages, a file imports anywhere but for a type checker."""
    names, waiting = set(), [tree_of(path)]
    while waiting:
        node: ast.AST = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            modules = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {module if module_file(module) else f"{node.module}" for module in modules}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        waiting += [] if for_types else ast.iter_child_nodes(node)
    return names


def module_file(module: str) -> bool:
    """Whether a name of Python's is a file or a package here, and not what stands in one."""
    place = ROOT.joinpath("src", *module.split("."))
    return place.with_suffix(".py").is_file() or place.is_dir()


def test_folders_hold_twenty_files_at_most() -> None:
    folders = [str(path.parent.relative_to(PACKAGE)) for path in SOURCES if path.name != "__init__.py"]
    assert not {folder for folder, files in Counter(folders).items() if files > 20}


def test_no_two_classes_have_one_name() -> None:
    trees = [tree_of(path) for path in SOURCES]
    names = [node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    twice = {name for name, times in Counter(names).items() if times > 1 and not name.startswith("_")}
    assert not twice, sorted(twice)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_paper_and_no_attack_is_named_outside_its_file_and_its_table(path: Path) -> None:
    places = {name: place.partition(":")[0] for table in (METHODS, ATTACKS) for name, place in table.exports.items()}
    homes = {*places.values(), "unfooled", "unfooled.attacks", "unfooled.methods"}
    named = {
        alias.name
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module in homes
        for alias in node.names
        if places.get(alias.name, module_of(path)) != module_of(path)
    }
    assert not named, sorted(named)


@pytest.mark.parametrize("path", SOURCES + TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert path.stem not in FORBIDDEN_NAMES
    for node in ast.walk(tree_of(path)):
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
    allowed = {"weights.py": "pickle"}.get(path.name, "")
    found = [match.group() for match in UNSAFE.finditer(code) if match.group() != allowed]
    assert not found, found


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# What prints commands for a terminal, whoever reads it; and the ways to say a thing in both languages.
# Of commands alone, or shown as a command line to copy.
SPEAKS_OPTIONS = {"errors.py", "report/chapters/repair.py", "settings.py", "stopping.py"}
SPEAKS_OPTIONS |= {"play/copying.py", "play/serve.py", "report/chapters/ship.py"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_sentences_name_options_on_the_command_line_alone(path: Path) -> None:
    """Whoever speaks to people in Python too says ``option(name)`` or ``either(…)``, outside ``cli``."""
    place = str(path.relative_to(PACKAGE))
    if place.startswith("cli/") or place in SPEAKS_OPTIONS:
        return
    tree = tree_of(path)
    both = {id(part) for node in ast.walk(tree) if is_either(node) for part in ast.walk(node)}
    pairs = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Tuple) for part in node.elts}
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    told = [node.value for node in texts if OPTION.search(node.value) and id(node) not in both | docs | pairs]
    assert not told


def is_either(node: ast.AST) -> bool:
    """Whether a piece of code says a thing in both languages."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "either"


def test_accelerate_has_two_doors() -> None:
    doors = [path.name for path in SOURCES if re.search(r"^(from|import) accelerate", path.read_text(), re.MULTILINE)]
    assert doors == ["engine.py", "trackers.py"]


def test_inheritance_is_two_deep_at_most() -> None:
    parents: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
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
    recipes = [tomllib.loads(path.read_text()) for path in (ROOT / "recipes").glob("*.toml")]
    used = {recipe["method"]["name"] for recipe in recipes}
    pages = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "papers").glob("*.md"))
    for name, kind in METHODS.items():
        module = kind.__module__.rsplit(".", 1)[1]
        assert name in used, f"no recipe uses {name}"
        assert f"`{name}`" in pages, f"no page in docs/papers tells of {name}"
        assert (ROOT / "tests" / "methods" / f"test_{module}.py").is_file()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_everything_printed_goes_one_way_and_everything_parsed_another(path: Path) -> None:
    calls = [ast.unparse(node.func) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
    printing = {"print", "Console", "typer.echo", "sys.stdout.write", "sys.stderr.write"} & set(calls)
    assert not printing or path.name == "terminal.py", f"{sorted(printing)}: print by unfooled.terminal"
    unpacking = {"tomllib.loads", "tomllib.load", "gzip.open", "gzip.decompress", "zipfile.ZipFile", "json.load"}
    bounded = {"parsing.py", "excel.py"}  # what unpacks, and how much of it at most
    assert path.name in bounded or not unpacking & set(calls), "read by unfooled.parsing or data.files.lines"
    readers = {"parsing.py", "log.py", "workers.py", "lines.py", "tune.py"}  # but for the first: words of our own
    assert "json.loads" not in calls or path.name in readers, "files of others are read by unfooled.parsing"
