"""Another Python that finds what this one finds, and nothing of the folder it is begun in.

``python -m`` looks into the current folder first, before the standard library. A console script does not: so a
``json.py`` that somebody was sent, and that lies where they work, must not be run by what a command begins either.
"""

import os
import sys


def module_command(module: str, *arguments: str) -> list[str]:
    """What runs a module in another Python; to be begun in ``same_places``."""
    return [sys.executable, "-P", "-m", module, *arguments]


def same_places() -> dict[str, str]:
    """This process's environment, with the places in which it looks for modules, in their order."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)}
