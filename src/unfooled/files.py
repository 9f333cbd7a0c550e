"""Files that are there whole or not at all, and what wrote them."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from unfooled import __version__


def write_whole(path: Path, text: str) -> None:
    """Write a text file beside its place, put it on the disk, and rename it into its place."""
    beside = path.with_name(f".{path.name}.writing")
    beside.write_text(text, encoding="utf-8")
    synchronise(beside)
    os.replace(beside, path)


def synchronise(path: Path) -> None:
    """Have the operating system put a file or folder on the disk now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def versions() -> dict[str, str]:
    """The versions of what computes the numbers."""
    packages = {name: version(name) for name in ("torch", "transformers", "tokenizers", "accelerate")}
    return {"unfooled": __version__, "python": platform.python_version(), **packages}
