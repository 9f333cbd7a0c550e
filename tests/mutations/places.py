"""Failures and their tests that are not where the table says, and where they are now.

``python -m mutations.places`` in the folder tests lists them; with ``--mend`` it writes what there is no doubt about
into the table. Then look through what it wrote, make docs/mutations.md anew and see that all are caught.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from mutations.change import Definition, Quote, Swap, definitions
from mutations.mutation import ROOT, SOURCE, Mutation
from mutations.planted import PLANTED
from mutations.planting import TRYING

Found = list[tuple[str, Definition]]
MOST = 5  # places named where there are many


@cache
def defined(file: Path) -> Found:
    """What a file defines, by qualified name."""
    return list(definitions(ast.parse(file.read_text(encoding="utf-8"))))


@cache
def places() -> Found:
    """Every definition of the package, by its place."""
    files = {".".join(file.relative_to(SOURCE).with_suffix("").parts): file for file in sorted(SOURCE.rglob("*.py"))}
    return [
        (f"{module.removesuffix('.__init__')}:{name}", node)
        for module, file in files.items()
        for name, node in defined(file)
    ]


def fitting(change: Swap, some: Iterable[tuple[str, Definition]]) -> list[str]:
    """Where a change can be made; of definitions inside each other only the inner ones."""
    able = [place for place, node in some if not change.missing(node)]
    return [one for one in able if not any(other.startswith(f"{one}.") for other in able)]


def place_now(mutation: Mutation) -> list[str]:
    """Where its change can be made: in what has its name, else the last part of it, else anywhere; else its name."""
    if isinstance(mutation.change, Quote):
        files = sorted(SOURCE.rglob(f"*{Path(mutation.place).suffix}"))
        return [
            file.relative_to(SOURCE).as_posix()
            for file in files
            if file.read_text(encoding="utf-8").count(mutation.change.old) == 1
        ]
    name = mutation.place.partition(":")[2]
    same = [one for one in places() if one[0].partition(":")[2] == name]
    alike = [one for one in places() if re.split("[:.]", one[0])[-1] == name.rpartition(".")[2]]
    able = fitting(mutation.change, same) or fitting(mutation.change, alike)
    return able or fitting(mutation.change, places()) or [place for place, _ in same if place != mutation.place]


def catcher_now(mutation: Mutation) -> list[str] | None:
    """Where a test of that name is; None if where it was."""
    file, _, name = mutation.test.partition("::")
    tests = ROOT / "tests"

    def here(path: Path) -> bool:
        return path.is_file() and any(known == name.split("[")[0] for known, _ in defined(path))

    if here(tests / file):
        return None
    return [f"{path.relative_to(tests).as_posix()}::{name}" for path in sorted(tests.rglob("test_*.py")) if here(path)]


def astray(mutation: Mutation) -> Iterator[tuple[str, str, list[str]]]:
    """What is written of a failure and is not so: the place or the test, what is wrong, and what it may be now."""
    try:
        mutation.planted_in(mutation.file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        yield mutation.place, "there is no such file", place_now(mutation)
    except ValueError as error:
        yield mutation.place, str(error), place_now(mutation)
    if (now := catcher_now(mutation)) is not None:
        yield mutation.test, "there is no such test", now


def mend(mutation: Mutation, written: str, now: str) -> None:
    """Write another place or test into the table."""
    for path in Path(__file__).parent.glob("*.py"):
        before, name, after = path.read_text(encoding="utf-8").partition(f'"{mutation.name}",')
        if name:
            path.write_text(before + name + after.replace(f'"{written}"', f'"{now}"', 1), encoding="utf-8")


if __name__ == "__main__":
    for mutation in (*TRYING, *PLANTED):
        for written, wrong, now in astray(mutation):
            print(f"{mutation.name}: {written}: {wrong}")
            print(f"    now {' or '.join(now[:MOST]) or '?'}{' or others' if len(now) > MOST else ''}")
            if "--mend" in sys.argv and len(now) == 1:
                mend(mutation, written, now[0])
