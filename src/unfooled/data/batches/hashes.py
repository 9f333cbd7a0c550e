"""The SHA-256 of files: of their whole content, remembered for as long as they stay as they are; and of samples of it.

A corpus is hashed at every start, to find what was made of it. What a file's hash was is kept in a small JSON, with all
that the system says of the file when its content changes; whoever finds it so again need not read it.
"""

import hashlib
import time
from collections.abc import Iterable
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import Any

from unfooled.data.phrases import place
from unfooled.errors import BadInput
from unfooled.files import lock_beside, turn, write_whole
from unfooled.parsing import json_file

REMEMBERED = "hashes.json"
MOST = 10_000  # files that are remembered, the latest: some two megabytes of JSON
SETTLED = 2 * 10**9  # nanoseconds since a file's last change, so that the next one cannot bear the same time
SAMPLES, SAMPLE = 256, 2**18  # pieces of a large file, and their bytes: 64 MB, read in well under a second


def content_hashes(files: Iterable[Path], folder: Path) -> dict[Path, str]:
    """The SHA-256 of each file as it lies there, packed or not; what the folder remembers is not read again."""
    known, found, new = remembered(folder / REMEMBERED), dict[Path, str](), dict[str, list[Any]]()
    for file in files:
        begun = time.time_ns()
        try:
            name, state = str(file.resolve()), state_of(file)
            if known.get(name, [])[:-1] == state:
                found[file] = known[name][-1]
                continue
            found[file] = whole_hash(file)
            if state_of(file) == state and file.stat().st_mtime_ns < begun - SETTLED:
                new[name] = [*state, found[file]]
        except OSError as error:
            reason = error.strerror or error
            raise BadInput(f"{place(file)}: cannot be read ({reason}); check the path and permissions") from None
    if new:
        remember(folder / REMEMBERED, new)
    return found


def state_of(file: Path) -> list[int]:
    """What changes when a file does: its size, the times of its last change and of that of its entry, which entry."""
    state = file.stat()
    return [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]


def remembered(path: Path) -> dict[str, list[Any]]:
    """States and hashes of files by their paths; what is not written so is forgotten."""
    try:
        held = json_file(path)
    except (OSError, ValueError, BadInput):
        return {}
    return {name: entry for name, entry in held.items() if is_entry(entry)} if isinstance(held, dict) else {}


def is_entry(entry: Any) -> bool:
    """Whether this is a state and a hash."""
    if not isinstance(entry, list) or len(entry) != 5:
        return False
    return all(isinstance(number, int) for number in entry[:-1]) and isinstance(entry[-1], str) and len(entry[-1]) == 64


def remember(path: Path, new: dict[str, list[Any]]) -> None:
    """Add what was found out to what is remembered; where that cannot be written, it is found out again."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with turn(lock_beside(path)):
            every = {name: entry for name, entry in remembered(path).items() if name not in new} | new
            write_whole(path, dumps(dict([*every.items()][-MOST:])) + "\n")


def whole_hash(file: Path) -> str:
    """The SHA-256 of every byte of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def sampled_hash(file: Path) -> str:
    """The SHA-256 of a file up to 64 MB, of a larger one that of pieces all through it, from its first to its last."""
    size = file.stat().st_size
    if size <= SAMPLES * SAMPLE:
        return whole_hash(file)
    sha = hashlib.sha256()
    with file.open("rb") as content:
        for number in range(SAMPLES):
            content.seek(number * (size - SAMPLE) // (SAMPLES - 1))
            sha.update(content.read(SAMPLE))
    return sha.hexdigest()
