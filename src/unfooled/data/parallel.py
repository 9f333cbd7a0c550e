"""Sentences in two languages, line by line: files such as ``train.en.txt`` and ``train.de.txt``, perhaps gzipped.

Batches hold about as many padded tokens, not as many pairs. Pairs are cut into batches by the longer of their sides,
and pairs that are as long as each other change places in every epoch: so batches differ between epochs, but never in
number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from unfooled.data.datasets import DataSettings
from unfooled.data.lines import lines_hash, read_lines
from unfooled.data.loader import SMALLEST_LAST
from unfooled.data.phrases import listed, place, shown
from unfooled.data.sources import SPELLINGS, data_root
from unfooled.data.vocabulary import Marked
from unfooled.errors import BadInput
from unfooled.seeds import generator
from unfooled.types import NO_LABEL, Batch, Tokens

Pair = tuple[str, str]


@dataclass(frozen=True)
class Parallel:
    """Pairs of sentences by split; ``fingerprint`` names them as found."""

    name: str
    languages: Pair
    splits: Mapping[str, list[Pair]]
    fingerprint: str
    notes: tuple[str, ...] = ()


def load_parallel(settings: DataSettings) -> Parallel:
    """The pairs of train, validation (the end of train where there is none) and the test split that is named."""
    source, target = languages(settings)
    folder = find_folder(settings.source)
    sides = [split_files(folder, language) for language in (source, target)]
    names = [name for name in sides[0] if name in sides[1]]
    if "train" not in names:
        raise BadInput(
            f"{place(folder)}: no train.{source}.txt and train.{target}.txt (or .gz) in it; "
            f"splits in both languages: {listed(names) or 'none'}"
        )
    test = measured_split(names, settings.test, folder)
    wanted = ["train", *(["validation"] if "validation" in names else []), *([test] if test else [])]
    splits = {name: read_pairs(sides[0][name], sides[1][name]) for name in wanted}
    mark = lines_hash(
        {f"{name}.{side}": [pair[side] for pair in pairs] for name, pairs in splits.items() for side in (0, 1)}
    )
    notes = []
    if "validation" not in splits:
        whole = splits["train"]
        kept = len(whole) - max(round(len(whole) * settings.validation_fraction), 1)
        splits["train"], splits["validation"] = whole[:kept], whole[kept:]
        notes.append(f"validation: the last {len(whole) - kept:,} of {len(whole):,} pairs of train")
    if settings.limit is not None and settings.limit < len(splits["train"]):
        notes.append(f"train: the first {settings.limit:,} of {len(splits['train']):,} pairs")
        splits["train"] = splits["train"][: settings.limit]
    return Parallel(folder.resolve().name, (source, target), splits, mark, tuple(notes))


def languages(settings: DataSettings) -> Pair:
    """From which language into which: ``text`` and ``label`` name them."""
    if settings.text is None or settings.label is None:
        raise BadInput("translation goes from one language into another; name them, as in --text en --label de")
    if settings.text == settings.label:
        raise BadInput(f"source and target are both {shown(settings.text)}; name two languages")
    return settings.text, settings.label


def find_folder(name: str) -> Path:
    """The folder of a name: a path, or below UNFOOLED_DATA."""
    root = data_root()
    tried = [Path(name).expanduser(), *([root / name] if root and name else [])]
    found = next((path for path in tried if path.is_dir()), None)
    if found is None or not name.strip():
        raise BadInput(
            f"no folder called {shown(name) or '(nothing)'}; translation reads a folder of files such as train.en.txt "
            "and train.de.txt, given by its path or its name below UNFOOLED_DATA"
        )
    return found


def split_files(folder: Path, language: str) -> dict[str, Path]:
    """The file of each split in a language; dev, val and valid are validation."""
    found: dict[str, Path] = {}
    endings = [f".{language}{end}" for end in (".txt", ".txt.gz", "", ".gz")]
    for file in sorted(folder.iterdir()):
        stem = next((file.name.removesuffix(end) for end in endings if file.name.endswith(end)), "")
        if stem and "." not in stem and file.is_file():
            found.setdefault(SPELLINGS.get(stem.lower(), stem), file)
    return found


def measured_split(names: Sequence[str], wanted: str | None, folder: Path) -> str | None:
    """The split to be measured on: as named, or test, or the first whose name begins so."""
    if wanted is not None and wanted not in names:
        raise BadInput(f"{place(folder)}: no split called {shown(wanted)} in both languages; there are {listed(names)}")
    tests = [name for name in sorted(names) if name.startswith("test")]
    return wanted or ("test" if "test" in tests else tests[0] if tests else None)


def read_pairs(source: Path, target: Path) -> list[Pair]:
    """The lines of two files, which must belong together and must all hold words."""
    sides = [read_lines(path) for path in (source, target)]
    if len(sides[0]) != len(sides[1]):
        longer = 0 if len(sides[0]) > len(sides[1]) else 1
        row = len(sides[1 - longer]) + 1
        raise BadInput(
            f"{place((source, target)[longer], row)}: {shown(sides[longer][row - 1], 40)!r} has no partner, since "
            f"{place((target, source)[longer])} ends at row {row - 1} ({len(sides[0]):,} lines against "
            f"{len(sides[1]):,}); align the files"
        )
    for path, lines in zip((source, target), sides, strict=True):
        for row, line in enumerate(lines, start=1):
            if not line.strip():
                raise BadInput(f"{place(path, row)}: an empty side of a pair; take the line out of both files")
    if not sides[0]:
        raise BadInput(f"{place(source)}: the file is empty; give one with sentences")
    return list(zip(*sides, strict=True))


@dataclass(frozen=True)
class Pairs:
    """Tokenised pairs as a function (epoch, update) → this process's batches of about ``batch_tokens`` tokens.

    A pair counts as the longer of its sides; a batch costs its longest pair times its pairs. ``start`` is what the
    decoder reads first.
    """

    source: Marked
    target: Marked
    batch_tokens: int
    paddings: tuple[int, int]
    start: int
    seed: int
    smoothing: float = 0.0
    accumulation: int = 1
    rank: int = 0
    processes: int = 1

    @cached_property
    def lengths(self) -> np.ndarray:
        """The longer side of each pair."""
        return np.maximum(self.source.lengths, self.target.lengths)

    @cached_property
    def cuts(self) -> list[tuple[int, int]]:
        """Where batches begin and end among the pairs in order of length."""
        ordered, found, start = np.sort(self.lengths), [], 0
        for end in range(1, len(ordered) + 1):
            if end == len(ordered) or (end + 1 - start) * ordered[end] > self.batch_tokens:
                found.append((start, end))
                start = end
        smallest = SMALLEST_LAST * self.processes
        if len(found) > 1 and found[-1][1] - found[-1][0] < smallest:
            found[-2:] = [(found[-2][0], found[-1][1])]
        if any(end - start < smallest for start, end in found) and self.processes > 1:
            raise BadInput(
                f"a batch has fewer than {smallest} pairs for {self.processes} processes; raise plan.batch_tokens"
            )
        return found

    @property
    def updates_per_epoch(self) -> int:
        """Optimiser steps per epoch, the last perhaps of fewer passes."""
        return -(-len(self.cuts) // self.accumulation)

    def order(self, epoch: int) -> list[np.ndarray]:
        """The rows of every global batch of an epoch."""
        random = generator(self.seed, "order", epoch)
        shuffled = torch.randperm(len(self.lengths), generator=random).numpy()
        ordered = shuffled[np.argsort(self.lengths[shuffled], kind="stable")]
        turns = torch.randperm(len(self.cuts), generator=random).tolist()
        return [ordered[slice(*self.cuts[turn])] for turn in turns]

    def updates(self, epoch: int, start: int = 0) -> Iterator[list[Batch]]:
        """The updates of an epoch from the ``start``-th on, each a list of this process's batches."""
        order = self.order(epoch)
        for first in range(start * self.accumulation, len(order), self.accumulation):
            yield [self.batch(rows, epoch) for rows in order[first : first + self.accumulation]]

    def sweep(self) -> Iterator[Batch]:
        """Every pair once; epoch -1, so that its draws are its own."""
        for rows in self.order(-1):
            yield self.batch(rows, -1)

    def in_order(self) -> Iterator[Batch]:
        """This process's share of all pairs from short to long, for measuring: whole batches by turns."""
        ordered = np.argsort(self.lengths, kind="stable")
        for turn, cut in enumerate(self.cuts):
            if turn % self.processes == self.rank:
                yield self.pairs(ordered[slice(*cut)], -1)

    def batch(self, rows: np.ndarray, epoch: int) -> Batch:
        """This process's share of a global batch."""
        return self.pairs(rows[self.rank :: self.processes], epoch)

    def pairs(self, rows: np.ndarray, epoch: int) -> Batch:
        """These pairs as tensors; ``targets["words"]`` marks complete words of the source."""
        read, mask, words = padded(self.source, rows, self.paddings[0])
        asked, real, _ = padded(self.target, rows, self.paddings[1])
        before = np.concatenate([np.full((len(rows), 1), self.start), asked[:, :-1]], axis=1)
        tokens = Tokens(torch.from_numpy(read), torch.from_numpy(mask), decoder=torch.from_numpy(before))
        return Batch(
            index=torch.from_numpy(rows.astype(np.int64)),
            label=torch.from_numpy(np.where(real, asked, NO_LABEL)),
            views={"original": tokens},
            key=(self.seed, epoch),
            counts={
                "examples": len(rows),
                "tokens": int(mask.sum()),
                "targets": int(real.sum()),
                "anchors": int(words.any(axis=1).sum()),
            },
            kind="token",
            smoothing=self.smoothing,
            targets={"words": torch.from_numpy(words)},
        )


def padded(text: Marked, rows: np.ndarray, padding: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lines as one rectangle: ids, which of them are real, which are complete words."""
    lengths = text.lengths[rows]
    columns = np.arange(int(lengths.max()))
    real = columns < lengths[:, None]
    places = np.minimum(text.offsets[rows][:, None] + columns, len(text.ids) - 1)
    return np.where(real, text.ids[places], padding).astype(np.int64), real, text.words[places] & real
