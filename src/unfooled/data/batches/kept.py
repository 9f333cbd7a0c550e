"""The blocks of a corpus, cut by its tokens once and memory-mapped ever after: shared by processes and restarts.

They lie in a folder named after the hashes of corpus and tokenizer, written beside its place and renamed into it: what
is there is whole, and what happens to it later is seen by the hashes in its header. Of a large corpus only as much is
tokenised as is wanted (``stretches``). Of each split the folder holds the texts of all blocks as UTF-8, where each
ends, and how many tokens each has. Texts and not tokens are kept, because versions are made of words; a batch's tokens
are made with its views.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from unfooled.data.batches.blocks import Blocks, blocks_of
from unfooled.data.batches.hashes import content_hashes, sampled_hash, whole_hash
from unfooled.data.batches.stretches import ALL, Stretches
from unfooled.data.corpus import RunningText, before_cut, hashed
from unfooled.data.phrases import place
from unfooled.errors import BadInput
from unfooled.files import cache_folder, synchronise, turn, write_whole
from unfooled.parsing import json_file
from unfooled.progress import Display

SCHEMA = 1  # of what is kept, and of how blocks are cut: a new one makes all folders anew
HEADER = "header.json"
UNFIT = "damaged, not whole, or of another corpus or tokenizer"
AT_ONCE = 4096  # blocks that are written together
PARTS: dict[str, type] = {"texts": np.uint8, "ends": np.int64, "tokens": np.int32}


@dataclass(frozen=True)
class MappedTexts:
    """Texts in a mapped file; text i ends at ``ends[i]``, where the next begins."""

    letters: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int, /) -> str:
        start = int(self.ends[row - 1]) if row else 0
        try:
            return self.letters[start : int(self.ends[row])].tobytes().decode(errors="surrogatepass")
        except UnicodeDecodeError:
            file = Path(getattr(self.letters, "filename", "the kept blocks"))
            raise BadInput(
                f"{place(file)}: block {row:,} is damaged, where no sample was taken at the start; "
                f"delete the folder {place(file.parent)} and start again: what is made anew is the same"
            ) from None


@dataclass(frozen=True)
class KeptCorpus:
    """A corpus in blocks by split; ``fingerprint`` is that of its paragraphs."""

    blocks: Mapping[str, Blocks]
    fingerprint: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Wanted:
    """What is to be kept: a text, cut by a tokenizer into blocks of so many tokens, for training and for looks.

    Of the paragraphs that are trained on ``part`` is kept.
    """

    text: RunningText
    tokenizer: Any
    length: int
    look_length: int
    part: Stretches = ALL

    def key(self) -> str:
        """The SHA-256 of all that decides what the blocks are: files, tokenizer, lengths."""
        text = self.text
        found = content_hashes([file for some in text.files.values() for file in some], blocks_folder())
        decides = {
            "schema": SCHEMA,
            "files": {split: [found[file] for file in some] for split, some in sorted(text.files.items())},
            "read as": [text.column, text.validation_fraction],
            "tokenizer": tokenizer_hash(self.tokenizer),
            "lengths": [self.length, self.look_length],
            **({"part": [self.part.share, self.part.seed]} if self.part.share < 1 else {}),
        }
        return hashlib.sha256(json.dumps(decides).encode()).hexdigest()

    @property
    def splits(self) -> list[str]:
        """The splits that are kept."""
        return sorted({*self.text.files, "validation"})

    def blocks(self, split: str, paragraphs: Iterable[str]) -> Iterator[tuple[str, int]]:
        """The blocks of a split, as long as its use wants them, and of train the part that is wanted."""
        if split == "train":
            return blocks_of(self.part.of(paragraphs), self.tokenizer, self.length)
        return blocks_of(paragraphs, self.tokenizer, self.look_length)


def kept_blocks(wanted: Wanted) -> KeptCorpus:
    """The blocks of a corpus, as they are kept, or made now; who comes meanwhile waits and shares them."""
    key = wanted.key()
    root = blocks_folder()
    folder = root / key[:32]
    try:
        root.mkdir(parents=True, exist_ok=True)
        with turn(root / f".{folder.name}.lock"):
            header = whole_header(folder, key, wanted.splits)
            said = f"blocks: as kept in {folder}"
            if header is None:
                reason = f"what was there is {UNFIT}; " if folder.exists() else ""
                header = make(wanted, folder, key)
                said = f"blocks: {reason}tokenised now and kept in {folder}, for later starts"
    except OSError as error:
        raise BadInput(
            f"the blocks of {wanted.text.name} could not be kept in {root} ({error.strerror or error}); "
            "make room there, or let UNFOOLED_CACHE name a folder on another disk"
        ) from error
    blocks = {split: mapped(folder, split) for split in header["sizes"]}
    return KeptCorpus(blocks, header["fingerprint"], (*wanted.text.notes, *header["notes"], said))


def blocks_folder() -> Path:
    """Where blocks are kept, each corpus in a folder of its own, and what is remembered of files."""
    return cache_folder() / "blocks"


def whole_header(folder: Path, key: str, splits: list[str]) -> dict[str, Any] | None:
    """The header of a folder that is as it was made, for this key; None where there is none such."""
    try:
        header: dict[str, Any] = json_file(folder / HEADER)
        said = {name: header[name] for name in ("key", "fingerprint", "sizes", "marks", "notes")}
        as_made = header["seal"] == seal(said) and header["key"] == key
        as_made = as_made and header["sizes"] == sizes_of(folder, splits)  # first, for it takes no time
        return said if as_made and header["marks"] == marks_of(folder, splits) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def seal(said: Mapping[str, Any]) -> str:
    """The SHA-256 of what a header says."""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def sizes_of(folder: Path, splits: list[str]) -> dict[str, list[int]]:
    """The bytes of each part of each split."""
    return {split: [part_of(folder, split, part).stat().st_size for part in PARTS] for split in splits}


def marks_of(folder: Path, splits: list[str]) -> dict[str, list[str]]:
    """The hashes of the parts: of where blocks end and how long they are in full, of large texts by samples.

    To read all of a large corpus again would take longer than a start may.
    """
    return {
        split: [(sampled_hash if part == "texts" else whole_hash)(part_of(folder, split, part)) for part in PARTS]
        for split in splits
    }


def make(wanted: Wanted, folder: Path, key: str) -> dict[str, Any]:
    """Go through the corpus twice, to count and to cut; the folder is there at the end or not at all."""
    beside = folder.with_name(f".{folder.name}.writing")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir()
        header = {"key": key, **write_splits(wanted, beside), "marks": marks_of(beside, wanted.splits)}
        header["sizes"] = sizes_of(beside, wanted.splits)
        if wanted.key() != key:
            raise BadInput(f"{wanted.text.name} was changed while it was read; start again when it stays as it is")
        write_whole(beside / HEADER, json.dumps({**header, "seal": seal(header)}, indent=2) + "\n")
        synchronise(beside)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)  # renamed by now, or not whole
    return header


def write_splits(wanted: Wanted, folder: Path) -> dict[str, Any]:
    """Write the blocks of every split; what the header says of them."""
    text = wanted.text
    counts, notes = text.counted()
    sha = hashlib.sha256()
    with Display("tokenising paragraphs", sum(counts.values())) as display:
        done = 0
        for split in sorted(counts):  # in the order of the fingerprint
            stream = told(hashed(sha, split, counts[split], text.paragraphs(split)), display, done)
            if split == "train" and "validation" not in counts:
                kept, note = before_cut(counts[split], text.validation_fraction, text.name)
                notes.append(note)
                write_blocks(folder, "train", wanted.blocks("train", islice(stream, kept)))
                write_blocks(folder, "validation", wanted.blocks("validation", stream))
            else:
                write_blocks(folder, split, wanted.blocks(split, stream))
            done += counts[split]
    return {"fingerprint": sha.hexdigest(), "notes": [*notes, *wanted.part.told()]}


def told(paragraphs: Iterator[str], display: Display, done: int) -> Iterator[str]:
    """The paragraphs as they are, counted on a bar."""
    for number, paragraph in enumerate(paragraphs, start=done + 1):
        if number % AT_ONCE == 0:
            display.at(number)
        yield paragraph


def write_blocks(folder: Path, split: str, blocks: Iterator[tuple[str, int]]) -> None:
    """Write blocks as they come, and put them on the disk."""
    paths = {part: part_of(folder, split, part) for part in PARTS}
    end = 0
    with paths["texts"].open("wb") as texts, paths["ends"].open("wb") as ends, paths["tokens"].open("wb") as tokens:
        while some := list(islice(blocks, AT_ONCE)):
            written = [text.encode(errors="surrogatepass") for text, _ in some]
            places = end + np.cumsum([len(one) for one in written], dtype=np.int64)
            end = int(places[-1])
            texts.write(b"".join(written))
            ends.write(places.tobytes())
            tokens.write(np.array([count for _, count in some], dtype=np.int32).tobytes())
    for path in paths.values():
        synchronise(path)


def mapped(folder: Path, split: str) -> Blocks:
    """The blocks of a split, of which nothing is read yet."""
    files = {part: part_of(folder, split, part) for part in PARTS}
    letters, ends, tokens = (
        np.memmap(file, PARTS[part], "r") if file.stat().st_size else np.zeros(0, PARTS[part])  # of no block at all
        for part, file in files.items()
    )
    return Blocks(MappedTexts(letters, ends), tokens)


def part_of(folder: Path, split: str, part: str) -> Path:
    """The file of one part of a split."""
    return folder / f"{split}.{part}"


def tokenizer_hash(tokenizer: Any) -> str:
    """The SHA-256 of a fast tokenizer: all that decides how it cuts texts, but not how many tokens were asked for."""
    copied = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    copied.no_truncation()
    copied.no_padding()
    return hashlib.sha256(f"{version('tokenizers')} {copied.to_str()}".encode()).hexdigest()
