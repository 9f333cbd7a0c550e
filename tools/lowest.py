"""Prints the lowest version of each direct dependency that pyproject.toml allows, as constraints for pip.

    python tools/lowest.py > lowest.txt

torch is left out: constraints.txt says which build of it there is.
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
FLOOR = re.compile(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)")


def lowest(project: dict) -> list[str]:
    """A pin for every requirement that has a floor, of the package itself and of its developers.

    >>> developers = {"dev": ["ray[data]>=2.50"]}
    >>> lowest({"dependencies": ["torch>=2.10", "rich>=13.9,<15"], "optional-dependencies": developers})
    ['rich==13.9', 'ray==2.50']
    """
    entries = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    floors = dict(match.groups() for entry in entries if (match := FLOOR.match(entry)))
    return [f"{name}=={version}" for name, version in floors.items() if name != "torch"]


if __name__ == "__main__":
    print("\n".join(lowest(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"])))
