"""Builds the wheel into dist/ and says its SHA-256: ``python tools/wheel.py``. The same tree gives the same bytes."""

import hashlib
import os
import sys
from pathlib import Path

from hatchling.build import build_wheel

ROOT = Path(__file__).parents[1]


def main(out: str = "dist") -> None:
    """Build it, print where it is and its hash."""
    folder = Path(out).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    wheel = folder / build_wheel(str(folder))
    print(wheel)
    print(hashlib.sha256(wheel.read_bytes()).hexdigest(), file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
