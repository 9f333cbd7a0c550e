"""What a process holds of a tensor, and tensors read from files that hold their pieces.

Where an encoder is shared out over processes, each has some rows of every weight, of its average and of what the
optimiser keeps of it. A checkpoint then has a file for each process: the rows that it holds, and in the first one also
what all of them hold alike. The pieces of one name follow each other in the order of the files, so that any number of
processes, also one alone, reads what any number has written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import safe_open
from torch import Tensor

# What safetensors calls the kinds of numbers that a run keeps.
TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "BOOL": torch.bool}
TYPES |= {"I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8}


@dataclass(frozen=True)
class Piece:
    """A tensor that this process holds: its rows of a larger one from ``start`` on; None: all of it, as all do."""

    tensor: Tensor
    shape: torch.Size  # of the whole
    start: int | None = None

    @property
    def dtype(self) -> torch.dtype:
        """The kind of its numbers."""
        return self.tensor.dtype

    def of(self, whole: "Tensor | StoredTensor") -> Tensor:
        """The same rows of another tensor; of one in files these alone are read.

        >>> Piece(torch.zeros(2), torch.Size([5]), start=3).of(torch.arange(5)).tolist()
        [3, 4]
        """
        if isinstance(whole, StoredTensor):
            return whole.read() if self.start is None else whole.read(self.start, len(self.tensor))
        return whole if self.start is None else whole[self.start : self.start + len(self.tensor)]

    def take(self, whole: "Tensor | StoredTensor") -> None:
        """Put the same rows of another tensor in the place of these."""
        with torch.no_grad():
            self.tensor.copy_(self.of(whole))

    def beside(self, other: Tensor) -> "Piece":
        """What is kept of this piece, as its average, row by row."""
        return Piece(other, self.shape, self.start)


def entire(tensor: Tensor) -> Piece:
    """A tensor that every process holds."""
    return Piece(tensor, tensor.shape)


def unshared(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors with each storage once: tied weights are stored under their first name."""
    seen: set[tuple[int, int]] = set()
    kept = {}
    for name, tensor in tensors.items():
        key = (tensor.data_ptr(), tensor.numel())
        if tensor.numel() == 0 or key not in seen:
            seen.add(key)
            kept[name] = tensor.detach().contiguous()
    return kept


def moved_pieces(kept: Mapping[str, Piece], moments: Mapping[str, Tensor]) -> dict[str, Piece]:
    """An optimiser's tensors, each as much of the whole as is kept of the parameter it belongs to."""
    return {key: entire(one) if one.ndim == 0 else kept[owner(key)].beside(one) for key, one in moments.items()}


def own_moments(kept: Mapping[str, Piece], stored: Mapping[str, "StoredTensor"]) -> dict[str, Tensor]:
    """Of an optimiser's whole tensors, what belongs to what is kept here."""
    return {key: kept[owner(key)].of(one) if one.shape else one.read() for key, one in stored.items()}


def owner(key: str) -> str:
    """The parameter that a tensor of the optimiser belongs to.

    >>> owner("exp_avg/model.network.classifier.bias")
    'model.network.classifier.bias'
    """
    return key.partition("/")[2]


def written(pieces: Mapping[str, Piece], first: bool) -> dict[str, Tensor]:
    """What of its pieces a process writes: its own rows, and the first one all that is held by everybody."""
    return {
        name: piece.tensor
        for name, piece in pieces.items()
        if (first if piece.start is None else piece.tensor.numel() > 0)
    }


class StoredTensor:
    """A tensor in one or several files, its pieces one behind the other; nothing of it is read before it is wanted."""

    def __init__(self, pieces: Sequence[Any]) -> None:
        self.pieces = pieces
        first, *others = [piece.get_shape() for piece in pieces]
        rows = [sum(shape[0] for shape in (first, *others)), *first[1:]] if first else []
        self.shape = torch.Size(rows)
        self.dtype: torch.dtype = TYPES[pieces[0].get_dtype()]

    def read(self, start: int = 0, count: int | None = None) -> Tensor:
        """All of it, or so many rows from one on."""
        if not self.shape:
            number: Tensor = self.pieces[0][...]
            return number
        parts, first = [], 0
        stop = self.shape[0] if count is None else start + count
        for piece in self.pieces:
            rows = piece.get_shape()[0]
            low, high = max(start - first, 0), min(stop - first, rows)
            if low < high:
                parts.append(piece[low:high])
            first += rows
        if not parts:
            return torch.empty(0, *self.shape[1:], dtype=self.dtype)
        return parts[0] if len(parts) == 1 else torch.cat(parts)


class Stored(Mapping[str, StoredTensor]):
    """The tensors of safetensors files; pieces of one name are joined in the order of the files."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.places: dict[str, list[Any]] = {}
        for path in files:
            opened = safe_open(path, "pt")  # mapped: what is deleted meanwhile can still be read
            for name in opened.keys():  # noqa: SIM118 (no mapping)
                self.places.setdefault(name, []).append(opened)

    def __getitem__(self, name: str) -> StoredTensor:
        return StoredTensor([opened.get_slice(name) for opened in self.places[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


class Writers(Protocol):
    """Processes that write one checkpoint together, each its pieces."""

    @property
    def rank(self) -> int:
        """The number of this process."""

    @property
    def count(self) -> int:
        """How many there are."""

    def any(self, here: bool) -> bool:
        """Whether something is so in any of the processes; asked by all of them."""


def piece_file(kind: str, rank: int, count: int) -> str:
    """What the tensors of one process are called, among those of so many.

    >>> piece_file("objective", 0, 1), piece_file("objective", 0, 2)
    ('objective.safetensors', 'objective-1-of-2.safetensors')
    """
    return f"{kind}.safetensors" if count == 1 else f"{kind}-{rank + 1}-of-{count}.safetensors"


def piece_files(place: Path, kind: str) -> list[Path]:
    """The files of a checkpoint's tensors in order, however many processes wrote it; the manifest names them all."""
    count = max(1, len(list(place.glob(f"{kind}-*-of-*.safetensors"))))
    return [place / piece_file(kind, rank, count) for rank in range(count)]
