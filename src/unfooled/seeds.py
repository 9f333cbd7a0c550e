"""Randomness as a function of what is drawn, not a state that is carried along.

Every draw of this package is keyed by (seed, epoch, example index, purpose) or (seed, step, rank), so it is the
same for any number of workers or processes and after any restart: there is no generator state to save.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported where something is drawn: whoever only needs a digest does not wait for torch
    import torch

Key = int | str


def digest(*keys: Key) -> int:
    """A 63-bit number that is a function of the keys alone, on every machine and Python.

    >>> digest(7, "order", 0) == digest(7, "order", 0) != digest(7, "order", 1)
    True
    """
    words = [("text", key) if isinstance(key, str) else ("number", str(int(key))) for key in keys]
    text = "".join(f"{kind}:{len(word)}:{word};" for kind, word in words)  # lengths keep ("a", "b") from being ("ab",)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def generator(seed: int, *keys: Key) -> torch.Generator:
    """A fresh CPU generator for one purpose, e.g. ``generator(seed, epoch, index, "noise")``."""
    import torch

    return torch.Generator().manual_seed(digest(seed, *keys))


def begin_pass(seed: int, *keys: Key) -> None:
    """Set what torch's own layers draw next (dropout), as a function of the keys."""
    import torch

    torch.manual_seed(digest(seed, *keys))


def replay(times: int, share: bool = True) -> Iterator[int]:
    """Count passes 0 … times-1; with ``share`` every pass meets the dropout masks of the first.

    >>> import torch
    >>> torch.nn.Dropout().train()(torch.ones(3)).shape
    torch.Size([3])
    >>> drawn = [torch.rand(2).tolist() for _ in replay(3)]
    >>> drawn[0] == drawn[1] == drawn[2]
    True
    """
    import torch

    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else range(0)
    start = (torch.get_rng_state(), [torch.cuda.get_rng_state(device) for device in devices])
    for turn in range(times):
        if turn and share:
            torch.set_rng_state(start[0])
            for device, state in zip(devices, start[1], strict=True):
                torch.cuda.set_rng_state(state, device)
        yield turn


@contextmanager
def isolated(seed: int, *keys: Key) -> Iterator[None]:
    """Run a block under its own keyed randomness and put torch's state back afterwards."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(digest(seed, *keys))
        yield
