"""Files that are there whole or not at all, folders that one process writes to at a time, and what wrote them."""

import os
import platform
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from unfooled.errors import BadInput, Taken, either, option

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # opening what is a link fails, where the system can tell
RECIPE, METRICS = "recipe.toml", "metrics.jsonl"  # of a run
SUMMARY = "summary.json"  # of a run, a results folder, a search: what each holds in numbers


def write_whole(path: Path, text: str) -> None:
    """Write a text file beside its place, put it on the disk, and rename it into its place."""
    beside = half_written(path)
    try:
        with naming(path):
            beside.unlink(missing_ok=True)  # what a kill left, or a link that somebody put there
            with beside.open("x", encoding="utf-8") as file:
                file.write(text)
            synchronise(beside)
            os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


def refuse_link(path: Path) -> None:
    """Refuse a link in the place of a file that is written to: it may lead anywhere."""
    if path.is_symlink():
        raise BadInput(f"{path} is a link, and what is written to it would go elsewhere; delete it")


def half_written(path: Path) -> Path:
    """Where a file is while it is being written."""
    return path.with_name(f".{path.name}.writing")


def forget(path: Path) -> None:
    """Take a file away, if it is there, and what a kill may have left of writing it."""
    path.unlink(missing_ok=True)
    half_written(path).unlink(missing_ok=True)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of the system name the file that was being written: that of a full disk names none."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


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
def owned(folder: Path, when: bool = True, wait: bool = False) -> Iterator[None]:
    """Have a folder to oneself, made where there is none; refuse one that another process is writing to, or wait.

    The system lets go of the lock when its process ends, however that ends.
    """
    if not when or (folder.exists() and not folder.is_dir()):  # whoever wants a folder refuses a file
        yield
        return
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with held(folder / LOCK, wait):
            yield
    finally:
        with suppress(OSError):  # a folder that is gone
            if new and not any(folder.iterdir()):  # whoever was refused leaves no trace
                folder.rmdir()


def alone(file: Path, wait: bool = False) -> AbstractContextManager[None]:
    """Have a file to oneself: a second process that would write it is refused, or waits."""
    return held(lock_beside(file), wait)


def lock_beside(file: Path) -> Path:
    """The lock of whoever has a file, or a folder with what stands beside it, to itself."""
    return file.with_name(f".{file.name}{LOCK}")


def in_other_hands(folder: Path) -> bool:
    """Whether another process has a folder to itself at this moment."""
    return taken(lock_beside(folder)) or taken(folder / LOCK)


def taken(path: Path) -> bool:
    """Whether another process holds a lock file at this moment; one that a killed process left behind is free."""
    try:
        handle = os.open(path, os.O_RDWR | NO_LINK)
    except OSError:
        return False
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(handle)
    return False


@contextmanager
def held(path: Path, wait: bool = False) -> Iterator[None]:
    """Have a lock file, which is taken away at the end."""
    handle = locked(path, wait)
    try:
        yield
    finally:
        with suppress(OSError):  # a file that is gone, or a system that removes nothing that is open
            path.unlink()  # before it is let go of: afterwards it may be another's
        os.close(handle)


def locked(path: Path, wait: bool = False) -> int:
    """A lock file, open and locked, with the number of this process in it."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        refuse_link(path)
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o644)
        except FileNotFoundError:  # whoever had it has taken the folder away in between
            continue
        try:
            take(handle, path, wait)
        except BaseException:
            os.close(handle)
            raise
        if is_there(handle, path):
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
            return handle
        os.close(handle)


def take(handle: int, path: Path, wait: bool) -> None:
    """Lock an open lock file; where another process has it, refuse, or say so and wait."""
    if fcntl is None:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(handle, 20).decode(errors="replace") or "unknown"
        busy = f"another process ({owner}) is writing to {path.parent}"
        if not wait:
            again = either("--wait", "wait=True")
            raise Taken(f"{busy}; wait until it ends ({again}), or choose another place") from None
        from unfooled.progress import Display

        Display("", 0).say(f"{busy}; waiting until it ends")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks: as good as it gets
        return


def is_there(handle: int, path: Path) -> bool:
    """Whether an open file still stands in its place: whoever had it locked before us may have removed it."""
    with suppress(FileNotFoundError):
        return os.fstat(handle).st_ino in [
            entry.inode() for entry in os.scandir(path.parent) if entry.name == path.name
        ]
    return False


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait until no other process holds this lock file, and hold it; the file stays, for others may wait for it."""
    refuse_link(path)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o644)
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
