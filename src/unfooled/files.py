"""Files that are there whole or not at all, folders that one process writes to at a time, and what wrote them."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from unfooled.errors import BadInput, option

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
RECIPE, METRICS = "recipe.toml", "metrics.jsonl"  # of a run
SUMMARY = "summary.json"  # of a run, a results folder, a search: what each holds in numbers


def write_whole(path: Path, text: str) -> None:
    """Write a text file beside its place, put it on the disk, and rename it into its place."""
    beside = path.with_name(f".{path.name}.writing")
    beside.write_text(text, encoding="utf-8")
    synchronise(beside)
    os.replace(beside, path)


def json_lines(out: str | Path) -> Path:
    """The file that lines of JSON go to; its summary has the name without .jsonl, so that no two share one."""
    file = Path(out)
    if not file.name.endswith(".jsonl"):
        raise BadInput(
            f"{option('out')} {out}: what is written are JSON lines, not packed; name a file that ends in .jsonl"
        )
    return file


def summary_beside(file: Path) -> Path:
    """The summary of a file of lines, beside it."""
    return file.with_suffix(f".{SUMMARY}")


def synchronise(path: Path) -> None:
    """Have the operating system put a file or folder on the disk now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def owned(folder: Path, when: bool = True) -> Iterator[None]:
    """Have a folder to oneself, made where there is none; refuse one that another process is writing to.

    The system lets go of the lock when its process ends, however that ends.
    """
    if not when or (folder.exists() and not folder.is_dir()):  # whoever wants a folder refuses a file
        yield
        return
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with held(folder / LOCK):
            yield
    finally:
        with suppress(OSError):  # a folder that is gone
            if new and not any(folder.iterdir()):  # whoever was refused leaves no trace
                folder.rmdir()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Have a lock file, which is taken away at the end."""
    handle = locked(path)
    try:
        yield
    finally:
        with suppress(OSError):  # a file that is gone, or a system that removes nothing that is open
            path.unlink()  # before it is let go of: afterwards it may be another's
        os.close(handle)


def locked(path: Path) -> int:
    """A lock file, open and locked, with the number of this process in it."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(handle, 20).decode(errors="replace")
            os.close(handle)
            raise BadInput(
                f"another process ({owner or 'unknown'}) is writing to {path.parent}; wait until it ends, or choose "
                "another folder"
            ) from None
        except OSError:  # a file system without locks: as good as it gets
            pass
        # Whoever had it may have removed it between our two calls; then what is locked here is no longer there.
        if [os.fstat(handle).st_ino] == [entry.inode() for entry in os.scandir(path.parent) if entry.name == path.name]:
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
            return handle
        os.close(handle)


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait until no other process holds this lock file, and hold it; the file stays, for others may wait for it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with suppress(OSError):  # a file system without locks: as good as it gets
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def cache_folder() -> Path:
    """Where what can be made again is kept: UNFOOLED_CACHE, or else below the user's own cache."""
    named = os.environ.get("UNFOOLED_CACHE") or os.environ.get("XDG_CACHE_HOME")
    below = Path(named).expanduser() if named else Path.home() / ".cache"
    return below if os.environ.get("UNFOOLED_CACHE") else below / "unfooled"


def versions() -> dict[str, str]:
    """The versions of what computes the numbers."""
    names = ("unfooled", "torch", "transformers", "tokenizers", "accelerate", "lemminflect", "textblob")
    packages = {name: version(name) for name in names}
    return {"python": platform.python_version(), **packages}
