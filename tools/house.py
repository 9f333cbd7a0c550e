"""Prints how the house is built: lines by room, import chains, and the files a value passes through in each command.

    python tools/house.py [SRC]

SRC is the folder that holds the package, by default this tree's. Every command is run in a process of its own, on data
made here; a file counts where one of its functions was called.
"""

import ast
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

WORDS = {"no": "bad", "yes": "good"}
COMMANDS = {
    "list attacks": ["list", "attacks"],
    "list methods": ["list", "methods"],
    "refusal of a bad CSV": ["train", "--data", "bad.csv", "--out", "refused"],
    "train": [
        *("train", "--data", "reviews.csv", "--model", "textcnn", "--out", "run"),
        *("--set", "plan.max_steps=2", "--set", "model.max_length=16"),
    ],
    "attack": ["attack", "run/model", "--data", "reviews.csv", "--out", "attacked", "--similarity", "none"],
    "evaluate": ["evaluate", "run/model", "--data", "reviews.csv", "--out", "results", "--trials", "clean,pgd"],
    "report": ["report", "results", "--out", "page.html"],
}
# Runs a command and writes down which files of the package had a function called.
PROFILED = """
import atexit, json, runpy, sys
package, told, *sys.argv = sys.argv[1:]
files = set()
def called(frame, event, argument):
    if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(package):
        files.add(frame.f_code.co_filename[len(package) + 1:])
atexit.register(lambda: open(told, "w").write(json.dumps(sorted(files))))
sys.argv.insert(0, "unfooled")
sys.setprofile(called)
runpy.run_module("unfooled", run_name="__main__")
"""


def rooms(package: Path) -> None:
    """Files and lines of every folder."""
    files, lines = Counter[str](), Counter[str]()
    for path in sorted(package.rglob("*.py")):
        room = str(path.parent.relative_to(package))
        files[room] += 1
        lines[room] += len(path.read_text(encoding="utf-8").splitlines())
    for room in files:
        print(f"{room:24} {files[room]:4} files {lines[room]:7,} lines")
    print(f"{'in all':24} {files.total():4} files {lines.total():7,} lines")


def imports(package: Path) -> dict[str, set[str]]:
    """The modules of the package that each module imports, anywhere in it."""
    names = {module(package, path): path for path in package.rglob("*.py")}
    graph = {}
    for name, path in names.items():
        found = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                own = {f"{node.module}.{alias.name}" for alias in node.names} & set(names)
                found |= own or {node.module}
        graph[name] = found & set(names) - {name}
    return graph


def module(package: Path, path: Path) -> str:
    """A file as Python names it."""
    return ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def chains(graph: dict[str, set[str]]) -> None:
    """The longest chain of imports, and how many modules are knotted together."""
    reached: dict[str, set[str]] = {}
    for name in graph:
        waiting, known = list(graph[name]), set[str]()
        while waiting:
            one = waiting.pop()
            if one not in known:
                known.add(one)
                waiting += graph[one]
        reached[name] = known
    knot = {name for name in graph if name in reached[name]}
    longest: dict[str, list[str]] = {}

    def chain(name: str) -> list[str]:
        if name not in longest:
            below = [chain(one) for one in graph[name] if one not in knot and name not in knot]
            longest[name] = [name, *max(below, key=len, default=[])]
        return longest[name]

    best = max((chain(name) for name in graph), key=len)
    print(f"longest import chain outside knots: {len(best)} modules: {' > '.join(best)}")
    print(f"modules that import each other in a circle, lazy imports counted: {len(knot)}")


def walked(package: Path) -> None:
    """The files that each command passes through, and the processor seconds it takes."""
    with tempfile.TemporaryDirectory() as timed, tempfile.TemporaryDirectory() as profiled:
        for folder in (timed, profiled):
            reviews = [f"a {word} film number {row},{label}" for row in range(40) for label, word in WORDS.items()]
            Path(folder, "reviews.csv").write_text("\n".join(["text,label", *reviews, ""]))
            Path(folder, "bad.csv").write_text('text,label\n"never closed,1\n')
        for name, command in COMMANDS.items():
            seconds = ran([sys.executable, "-m", "unfooled", *command], timed, package)
            told = Path(profiled, "files.json")
            ran([sys.executable, "-c", PROFILED, str(package), str(told), *command], profiled, package)
            files = json.loads(told.read_text()) if told.is_file() else []
            print(f"{name:24} {seconds:6.1f} processor seconds, {len(files):4} files")


def ran(command: list[str], folder: str, package: Path) -> float:
    """The processor seconds that a command took in a folder."""
    env = {**os.environ, "PYTHONPATH": str(package.parent), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print all of it."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src"
    package = (source / "unfooled").resolve()
    rooms(package)
    chains(imports(package))
    walked(package)


if __name__ == "__main__":
    main()
