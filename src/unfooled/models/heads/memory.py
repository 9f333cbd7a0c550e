"""What a model has said of every training example, kept by example index.

A bank takes examples · width · bytes per entry of memory (4, or 2 in half precision): 1,000,000 examples of width 384
are 1.5 GB, 0.8 GB in half precision. Where an encoder is shared out over processes, each keeps its share of the rows,
and reading m of them is an all-reduce of m · width numbers. With a file behind it the operating system keeps in memory
what it has room for. What a file held before is never read: a row counts from its first writing on, and a checkpoint
brings all rows along.
"""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn

from unfooled.errors import BadInput
from unfooled.files import write_whole
from unfooled.gather import added_up, first_row, gather, together
from unfooled.parsing import json_file
from unfooled.seeds import generator

BANKS = ("original", "adversarial")  # of a text and of its adversary


def bank_files(folder: Path, labels: Tensor, width: int, half: bool) -> list[Path]:
    """A file for each bank, in a folder that belongs to these training texts and no others.

    Each process has files of its own: two that write one row would apply the momentum twice.
    """
    folder = folder / f"process-{dist.get_rank()}" if together() else folder
    owner, files = folder / "banks.json", [folder / name for name in BANKS]
    mark = hashlib.sha256(labels.cpu().numpy().tobytes()).hexdigest()
    facts = {"schema": 1, "examples": len(labels), "width": width, "half_precision": half, "labels": mark}
    if owner.is_file():
        try:
            stored = json_file(owner)
        except ValueError:
            stored = None
        if stored != facts:
            raise BadInput(
                f"{folder} holds the memory of other training texts than these {len(labels):,} (other data, another "
                "seed, or another width or precision); give each run a method.bank_folder of its own, or delete it"
            )
    elif any(file.exists() for file in files):
        raise BadInput(f"{folder} holds files that are no memory of unfooled; name another method.bank_folder")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(owner, json.dumps(facts, indent=2) + "\n")
    return files


def mapped(file: Path, examples: int, width: int, dtype: torch.dtype) -> Tensor:
    """Rows [N, H] that live in a file, its size set aside at once: a mapped write to a full disk ends the process."""
    size = examples * width * dtype.itemsize
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as handle:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(handle.fileno(), 0, size)
    except OSError as error:
        raise BadInput(
            f"a memory bank of {size:,} bytes cannot be set aside in {file} ({error.strerror}); make room, "
            "or name another method.bank_folder"
        ) from None
    return torch.from_file(str(file), shared=True, size=examples * width, dtype=dtype).view(examples, width)


def untouched(examples: int, width: int, half: bool) -> Tensor:
    """Rows [N, H] of 0 that take no memory before they are written: most of a shared bank never are here."""
    return torch.from_numpy(np.zeros((examples, width), dtype=np.float16 if half else np.float32))


class MemoryBank(nn.Module):
    """Unit-length representations [N, H] by example index, the same in all processes or shared out over them.

    >>> bank = MemoryBank(3, 2)
    >>> bank.write(torch.tensor([1]), torch.tensor([[3.0, 4.0]]), momentum=0.0)
    >>> [round(value, 2) for value in bank.read(torch.tensor([1]))[0].tolist()], bank.written.tolist()
    ([0.6, 0.8], [False, True, False])
    """

    rows: Tensor
    written: Tensor

    def __init__(self, examples: int, width: int, half: bool = False, file: Path | None = None) -> None:
        super().__init__()
        dtype = torch.float16 if half else torch.float32
        rows = untouched(examples, width, half) if file is None else mapped(file, examples, width, dtype)
        self.register_buffer("rows", rows)
        self.register_buffer("written", torch.zeros(examples, dtype=torch.bool))  # of all processes
        self.file, self.shared, self.start = file, False, 0

    def share_out(self, rank: int, count: int) -> None:
        """Keep the rows of one of ``count`` processes alone; from now on all read and write together."""
        each = -(-len(self.rows) // count)
        self.start = min(each * rank, len(self.rows))
        own, width = self.rows[self.start : self.start + each].clone(), self.rows.shape[1]
        if self.file is not None:  # which is as large as the share from now on
            self.rows = own
            os.truncate(self.file, own.nbytes)
            self.rows = mapped(self.file, len(own), width, own.dtype)
            self.rows.copy_(own)
        else:
            self.rows = own
        self.shared = True

    def read(self, index: Tensor) -> Tensor:
        """The rows of these examples in single precision, as constants; where shared, all processes ask for the same.

        A row is sent as it is: the processes that do not have it add 0.
        """
        if not self.shared:
            return self.rows[index].float()
        here = self.holds(index)
        found = torch.zeros(len(index), self.rows.shape[1], device=self.rows.device)
        found[here] = self.rows[index[here] - self.start].float()
        return added_up(found)

    def read_own(self, index: Tensor) -> Tensor:
        """The rows of this process's examples, where others ask for theirs."""
        if not self.shared:
            return self.read(index)
        first = first_row(index)
        return self.read(gather(index))[first : first + len(index)]

    def holds(self, index: Tensor) -> Tensor:
        """Which of these examples have their rows in this process."""
        return (index >= self.start) & (index < self.start + len(self.rows))

    def write(self, index: Tensor, features: Tensor, momentum: float) -> None:
        """row ← normalise(momentum · row + (1 - momentum) · normalise(features)), for the examples of all processes.

        A row's first writing is normalise(features), whatever was there before. Every process writes every row of the
        global batch that it holds, so that banks agree without ever being sent around.
        """
        index, features = gather(index), gather(F.normalize(features.detach().float(), dim=1, eps=1e-12))
        here = self.holds(index)
        held, mixed = index[here], features[here]
        places = held - self.start
        if momentum:
            kept = momentum * self.rows[places].float() + (1 - momentum) * mixed
            mixed = torch.where(self.written[held, None], kept, mixed)
        self.rows[places] = F.normalize(mixed, dim=1, eps=1e-12).to(self.rows.dtype)
        self.written[index] = True


class OtherLabels(nn.Module):
    """Draws training examples whose label differs from a given one, in time that does not grow with their number."""

    order: Tensor
    starts: Tensor
    sizes: Tensor

    def __init__(self, labels: Tensor, classes: int) -> None:
        super().__init__()
        sizes = torch.bincount(labels, minlength=classes)
        # Kept out of checkpoints: they follow from the labels.
        self.register_buffer("order", labels.argsort(stable=True), persistent=False)
        self.register_buffer("starts", sizes.cumsum(0) - sizes, persistent=False)
        self.register_buffer("sizes", sizes, persistent=False)

    def pool(self, label: int) -> int:
        """How many examples have another label."""
        return len(self.order) - int(self.sizes[label])

    def draw(self, label: int, count: int, replacement: bool, *key: int | str) -> Tensor:
        """``count`` example indices, uniform over the other labels, a function of the key.

        Without replacement no more are drawn than there are.
        """
        pool, random = self.pool(label), generator(0, *key, label, "negatives")
        if replacement:
            places = torch.randint(pool, (count,), generator=random)
        else:
            places = torch.randperm(pool, generator=random)[:count]
        places = places.to(self.order.device)
        # Sorted by label, the examples of one label are one stretch: whatever falls into or behind it steps over it.
        return self.order[places + (places >= self.starts[label]) * self.sizes[label]]
