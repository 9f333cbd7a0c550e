"""The rules of docs/map.md on tables, files on disk, and what reading results may import; executed."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from results_ground import save_results

from unfooled.attacks.table import ATTACKS
from unfooled.methods.table import METHODS
from unfooled.table import Table
from unfooled.tasks import TASKS
from unfooled.trials import TRIALS
from unfooled.victims import VICTIMS

PACKAGE = Path(__file__).parents[1] / "src" / "unfooled"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TABLES: Mapping[str, Table] = {
    "methods": METHODS, "attacks": ATTACKS, "trials": TRIALS, "tasks": TASKS, "victims": VICTIMS,
}  # fmt: skip
# Rooms that know of no table: a word of theirs that is also a name in one means something else.
UNAWARE = {"text", "losses", "data", "models", "scores", "perturb"}
# Where entries may be named, and why.
NAMED = {
    "attacks/table.py": "the table",
    "methods/table.py": "the table",
    "tasks/__init__.py": "the table",
    "trials/__init__.py": "the table, and the suites",
    "victims/__init__.py": "the table",
    "cli/demo.py": "the demo",
    "report/leaderboard.py": "titles of its columns, and their order",
    "results/run.py": "trials that are run unless told",
    "report/chapters/repair.py": "what is recommended unless told",
    "training/jobs/__init__.py": "the table of jobs, by kind of task",
    "commands/evaluate.py": "contrast is what was given, not the trial",
    "commands/translate.py": "translators translate",
    "victims/sequence.py": "its own two tasks",
    "generate/reconstruction.py": "reads what one paper's head learnt",
}
FILE_NAME = re.compile(r"[\w.-]+\.(json|jsonl|toml|safetensors)")
OTHERS = {"config.json", "meta.json"}  # files that others write and we read


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def names_in(node: ast.AST) -> Iterator[str]:
    """The texts in a piece of code."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def named_entries(tree: ast.AST, names: set[str]) -> Iterator[str]:
    """Comparisons with an entry's name, and collections of two or more; what something says of its tasks is none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if (isinstance(node, ast.keyword) and node.arg == "tasks") or (
            isinstance(node, ast.AnnAssign) and ast.unparse(node).startswith("tasks: ClassVar")
        ):
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Compare):
            yield from (ast.unparse(node) for name in names_in(node) if name in names)
        elif isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
            parts = node.keys if isinstance(node, ast.Dict) else node.elts
            own = {part.value for part in parts if isinstance(part, ast.Constant)} & names
            yield from [ast.unparse(node)[:80]] if len(own) > 1 else []


@pytest.mark.parametrize("room", TABLES)
def test_no_code_outside_a_table_branches_on_its_entries_or_lists_them(room: str) -> None:
    named = {}
    for path in SOURCES:
        place = path.relative_to(PACKAGE)
        if place.parts[0] in UNAWARE or str(place) in NAMED or (place.parts[0] == "methods" and room == "tasks"):
            continue
        own = list(named_entries(tree_of(path), set(TABLES[room])))
        named |= {str(place): own} if own else {}
    assert not named


@pytest.mark.parametrize("room", ["methods", "attacks"])
def test_the_line_of_a_table_is_the_first_of_the_docstring(room: str) -> None:
    table = TABLES[room]
    assert table.lines == {name: (table[name].__doc__ or "").strip().splitlines()[0] for name in table}


@pytest.mark.parametrize("room", TABLES)
def test_every_line_of_a_table_says_something_and_leads_somewhere(room: str) -> None:
    assert all(line.endswith(".") for line in TABLES[room].lines.values())
    assert all(TABLES[room][name] is not None for name in TABLES[room])


def test_a_name_of_a_file_on_disk_stands_in_one_module() -> None:
    places = defaultdict(set)
    for path in SOURCES:
        for text in names_in(tree_of(path)):
            if FILE_NAME.fullmatch(text) and text not in OTHERS:
                places[text].add(str(path.relative_to(PACKAGE)))
    assert {name: sorted(files) for name, files in places.items() if len(files) > 1} == {}


READS_RESULTS = """
import sys
from unfooled.commands.gate import gate
from unfooled.commands.report import report
from unfooled.report.chapters import CHAPTERS
from unfooled.trials import TRIALS
assert all(TRIALS[name] for name in TRIALS) and all(CHAPTERS[name] for name in CHAPTERS)
folder, page = sys.argv[1:]
report([folder], page)
assert gate(folder, ["accuracy.clean >= 0"])
print(sorted({"torch", "transformers", "accelerate"} & set(sys.modules)))
"""


def test_reading_results_needs_no_torch(tmp_path: Path) -> None:
    save_results(tmp_path / "results", "plain", 80, {0.1: 50})
    command = [sys.executable, "-c", READS_RESULTS, str(tmp_path / "results"), str(tmp_path / "page.html")]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.stdout.strip() == "[]", told.stderr
