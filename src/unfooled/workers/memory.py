"""How many workers the memory that is free holds: each takes about what this process has taken."""

from pathlib import Path

from unfooled.free_memory import PROC, kilobytes
from unfooled.free_memory import free_bytes as free_bytes

KEPT = 0.1  # of what is free: other programs want some too


def affordable(wanted: int, each: int, free: int) -> int:
    """How many of so many workers fit into what is free.

    >>> affordable(4, each=10**9, free=3 * 10**9), affordable(2, each=10**9, free=10**8)
    (2, 0)
    """
    return min(wanted, int((1 - KEPT) * free // max(each, 1)))


def own_bytes(proc: Path = PROC) -> int | None:
    """The memory that this process has taken; None where the system does not say."""
    return kilobytes(proc / "self" / "status", "VmRSS")
