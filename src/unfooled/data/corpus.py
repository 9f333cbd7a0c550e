"""A name becomes running text without labels: paragraphs to pre-train on, or every line for a language model.

Running text holds a paragraph a line, a table one in a column. A folder holds train and perhaps validation and test,
each in one file or in shards, or any number of files that make up one corpus.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from unfooled.data.files.formats import ending, format_of
from unfooled.data.files.lines import text_lines
from unfooled.data.files.links import discreet
from unfooled.data.files.texts import TextFile
from unfooled.data.memory import MEMORY
from unfooled.data.phrases import listed, place, shown
from unfooled.data.shards import folder_splits
from unfooled.data.sources import SPELLINGS, DataSettings, folders_below, only_file, places, split_files
from unfooled.data.splits import parts_hash
from unfooled.errors import BadInput, nearest
from unfooled.text.languages import refuse_foreign

Piece = TypeVar("Piece")  # a line, or a pair of them
HEADING = re.compile(r"\s*(=+) .* \1\s*")  # as WikiText marks them


@dataclass(frozen=True)
class Corpus:
    """Lines by split, in the order of the text; ``fingerprint`` names them as found, before any limit."""

    name: str
    splits: Mapping[str, list[str]]
    fingerprint: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunningText:
    """The files of a corpus, whose paragraphs are read anew whenever they are gone through: none is held."""

    name: str
    files: Mapping[str, list[Path]]
    column: str | None
    validation_fraction: float
    notes: tuple[str, ...] = ()

    def lines(self, split: str, notes: list[str] | None = None) -> Iterator[str]:
        """Every line of a split, without its end; ``notes`` grow in the end."""
        return split_lines(split, self.files[split], self.column, notes)

    def paragraphs(self, split: str) -> Iterator[str]:
        """What a split holds besides headings and empty lines."""
        return (line.strip() for line in self.lines(split) if is_paragraph(line))

    def counted(self) -> tuple[dict[str, int], list[str]]:
        """How many paragraphs each split has, and what is to be said of the rest; a split without any is refused."""
        counts: dict[str, int] = {}
        notes: list[str] = []
        for split, some in self.files.items():
            lines = kept = 0
            for line in self.lines(split, notes):
                lines, kept = lines + 1, kept + is_paragraph(line)
            if kept < lines:
                notes.append(f"{split}: {lines - kept:,} of {lines:,} lines are empty or headings and left out")
            if not kept:
                refuse_empty([], some[0])
            counts[split] = kept
        return counts, notes


def is_paragraph(line: str) -> bool:
    """Whether a line is neither empty nor a heading."""
    return bool(line.strip()) and not HEADING.fullmatch(line)


def open_corpus(settings: DataSettings) -> RunningText:
    """A corpus for pre-training, found and not yet read."""
    name, files, notes = corpus_files(settings)
    for file in (file for some in files.values() for file in some):
        if ending(file) or not file.is_file():
            TextFile(file, settings.text)  # refused where it is not there, or no kind of file
    return RunningText(name, files, settings.text, settings.validation_fraction, tuple(notes))


@discreet
def load_corpus(settings: DataSettings) -> Corpus:
    """Paragraphs without headings, all held; validation is the end of train where there is none."""
    text = open_corpus(settings)
    notes = [*text.notes, *text.counted()[1]]
    splits = {split: list(text.paragraphs(split)) for split in text.files}
    mark = paragraphs_hash(splits)
    notes += cut_off(splits, settings.validation_fraction, text.name)
    return Corpus(text.name, splits, mark, tuple(notes))


@discreet
def load_lines(settings: DataSettings) -> Corpus:
    """Every line, blank ones included: what a language model is measured on is the whole split."""
    name, files, notes = corpus_files(settings)
    splits = {}
    for split, some in files.items():
        splits[split] = list(split_lines(split, some, settings.text, notes))
        refuse_empty(splits[split], some[0])
    mark = lines_hash(splits)
    notes += cut_off(splits, settings.validation_fraction, name) + shorten(splits, settings.limit, "lines")
    return Corpus(name, splits, mark, tuple(notes))


def split_lines(split: str, files: Iterable[Path], column: str | None, notes: list[str] | None = None) -> Iterator[str]:
    """The lines of all files of a split; that their texts are from columns of different names is told in the end."""
    columns: dict[str, list[str]] = {}
    for file in files:
        yield from read_lines(file, column, notes, columns)
    if notes is not None and len(columns) > 1:
        each = "; ".join(f"{shown(name)} of {listed(some, 3)}" for name, some in columns.items())
        notes.append(f"{split}: its files are joined though their texts are from different columns ({each})")


def read_lines(
    path: Path,
    column: str | None = None,
    notes: list[str] | None = None,
    columns: dict[str, list[str]] | None = None,
) -> Iterator[str]:
    """The texts of a file, or the lines of one whose name says nothing, without ends.

    In the end ``notes`` grow, and files by the ``columns`` that their texts are from.
    """
    file = TextFile(path, column) if ending(path) else None
    texts = text_lines(path) if file is None else (text for _, text in file)
    for text in texts:
        yield text.rstrip("\r\n")
    if notes is not None and file is not None:
        notes += file.notes
    if columns is not None and file is not None and file.read_from:
        columns.setdefault(file.read_from, []).append(path.name)


def refuse_empty(lines: list[str], file: Path) -> None:
    """Refuse a split without a word."""
    if not any(map(str.strip, lines)):
        raise BadInput(f"{place(file)}: no text in it; give a corpus with at least a few lines of text")


def paragraphs_hash(splits: Mapping[str, list[str]]) -> str:
    """The SHA-256 of all paragraphs by split, one after the other: a corpus is not held twice for it."""
    sha = hashlib.sha256()
    for split in sorted(splits):
        for _ in hashed(sha, split, len(splits[split]), splits[split]):
            pass
    return sha.hexdigest()


def hashed(sha: Any, split: str, count: int, paragraphs: Iterable[str]) -> Iterator[str]:
    """The paragraphs of a split as they are, each added to a hash on its way."""
    sha.update(f"{split} {count}\n".encode())
    for line in paragraphs:
        sha.update(f"{len(line)} {line}".encode(errors="surrogatepass"))
        yield line


def lines_hash(splits: Mapping[str, list[str]]) -> str:
    """SHA-256 of all lines, split by split: the same text gives the same 64 digits.

    >>> lines_hash({"train": ["a b"]}) == lines_hash({"train": ["a", "b"]})
    False
    """
    return parts_hash({name: (len(lines), lines) for name, lines in splits.items()})


def cut_off(splits: dict[str, list[Piece]], fraction: float, name: str, unit: str = "paragraphs") -> list[str]:
    """Make the end of train the validation split where there is none: neighbours stay on one side."""
    if "validation" in splits:
        return []
    whole = splits["train"]
    kept, note = before_cut(len(whole), fraction, name, unit)
    splits["train"], splits["validation"] = whole[:kept], whole[kept:]
    return [note]


def before_cut(count: int, fraction: float, name: str, unit: str = "paragraphs") -> tuple[int, str]:
    """How much of train stays train where its end is validation, and a sentence on that."""
    kept = count - max(round(count * fraction), 1)
    if kept < 1:
        raise BadInput(f"{shown(name)}: too few lines to cut off a validation split; give more, or a validation file")
    return kept, f"validation: the last {count - kept:,} of {count:,} {unit} of train"


def shorten(splits: dict[str, list[Piece]], limit: int | None, unit: str) -> list[str]:
    """Keep the beginning of train where there is a limit."""
    whole = splits["train"]
    if limit is None or limit >= len(whole):
        return []
    splits["train"] = whole[:limit]
    return [f"train: the first {limit:,} of {len(whole):,} {unit}"]


def check_english(corpus: RunningText, remedy: str) -> None:
    """Refuse a corpus whose first paragraphs are mostly not English."""
    refuse_foreign(enumerate(corpus.paragraphs("train")), corpus.name, "paragraph", remedy)


def corpus_files(settings: DataSettings) -> tuple[str, dict[str, list[Path]], list[str]]:
    """The name of a corpus, the files of each of its splits, and what is to be said of them."""
    path = find_corpus(settings.source)
    both = {"validation": settings.validation, "test": settings.test}
    given = {split: Path(file).expanduser() for split, file in both.items() if file is not None}
    files, notes = ({"train": [path]}, []) if path.is_file() else folder_splits(path, given)
    if path.is_file():
        same = [split for split, file in given.items() if file.resolve() == path.resolve()]
        notes = [f"{split}: {path.name} is also what is trained on" for split in same]
    files |= {split: [file] for split, file in given.items()}
    return path.resolve().name, files, notes


def corpus_file(name: str | Path, split: str | None = None) -> Path:
    """The one file of a corpus: a path, or that of a split (train unless told) in a folder."""
    path, wanted = find_corpus(str(name)), split or "train"
    if path.is_file():
        return path
    files = split_files(path)
    spelled = SPELLINGS.get(wanted.lower(), wanted)
    if spelled not in files:
        raise BadInput(f"{place(path)}: has no {shown(wanted)} split (it has {listed(files)}); name a file")
    return only_file(spelled, files[spelled])


def find_corpus(name: str) -> Path:
    """The file or folder of a corpus: a path, or a name below UNFOOLED_DATA; there is something to read in it."""
    path = next(iter(places(name)), None)
    if name.startswith(MEMORY):
        raise BadInput("a corpus is read from files, not from memory; save the texts as .txt, a paragraph a line")
    if path is None:
        ways = "a file of text or a table, a folder of them, or a folder below UNFOOLED_DATA"
        raise BadInput(f"no corpus called {shown(name, 300)}; name {ways}; {nearest(name, folders_below())}")
    if path.is_file():
        format_of(path)
    elif not split_files(path):
        inside = listed(sorted(entry.name for entry in path.iterdir())) or "nothing"
        raise BadInput(f"{place(path)}: no text and no table in the folder; it holds {inside}")
    return path
