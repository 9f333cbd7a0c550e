"""How much memory is free, as Linux tells it."""

from pathlib import Path

PROC, GROUP = Path("/proc"), Path("/sys/fs/cgroup")


def free_bytes(proc: Path = PROC, group: Path = GROUP) -> int | None:
    """The memory that is free on the machine and in the group of processes that this one belongs to."""
    machine = kilobytes(proc / "meminfo", "MemAvailable")
    try:
        most, taken = (int((group / name).read_text()) for name in ("memory.max", "memory.current"))
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        left = max(most - taken + int(stat["inactive_file"]), 0)  # files that are kept at hand make way
    except (OSError, ValueError, KeyError):  # no group, or one without a bound
        return machine
    return left if machine is None else min(machine, left)


def kilobytes(path: Path, name: str) -> int | None:
    """A number that Linux tells in kB, in bytes."""
    try:
        line = next(line for line in path.read_text().splitlines() if line.startswith(f"{name}:"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return None
