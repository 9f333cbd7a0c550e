"""A name becomes a corpus: running text, paragraph by paragraph, without labels.

A .txt file holds a paragraph a line; .jsonl and the other tables hold one in a column called text. A folder holds train
and perhaps validation and test, or any number of files that make up one corpus. All of them may be gzipped.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from unfooled.data.datasets import DataSettings
from unfooled.data.phrases import listed, place, shown
from unfooled.data.raw import Lines, bounded, opened
from unfooled.data.readers import READERS, read_table, table_suffix
from unfooled.data.sources import SPELLINGS, data_root
from unfooled.errors import BadInput, nearest
from unfooled.text.languages import refuse_foreign

TEXT_ENDINGS = (".txt", ".txt.gz")
LONGEST_LINE = 32 * 2**20  # bytes; what is longer is hardly a paragraph, and would have to be held whole
HEADING = re.compile(r"\s*(=+) .* \1\s*")  # as WikiText marks them


@dataclass(frozen=True)
class Corpus:
    """Paragraphs by split, in the order of the text; ``fingerprint`` names them as found, before any limit."""

    name: str
    splits: Mapping[str, list[str]]
    fingerprint: str
    notes: tuple[str, ...] = ()


def load_corpus(settings: DataSettings) -> Corpus:
    """Running text for pre-training; validation is the end of train where there is none."""
    name, files = find_files(settings)
    notes, splits = [], {}
    for split, some in files.items():
        lines = [line for file in some for line in paragraphs(file, settings.text)]
        splits[split] = [line.strip() for line in lines if line.strip() and not HEADING.fullmatch(line)]
        dropped = len(lines) - len(splits[split])
        if dropped:
            notes.append(f"{split}: {dropped:,} of {len(lines):,} lines are empty or headings and left out")
        if not splits[split]:
            raise BadInput(f"{place(some[0])}: no text in it; give a corpus with at least a few lines of text")
    mark = fingerprint(splits)
    if "validation" not in splits:
        notes.append(cut_off(splits, settings.validation_fraction, name))
    return Corpus(name, splits, mark, tuple(notes))


def fingerprint(splits: Mapping[str, list[str]]) -> str:
    """The SHA-256 of all paragraphs by split, one after the other: a corpus is not held twice for it."""
    sha = hashlib.sha256()
    for split in sorted(splits):
        sha.update(f"{split} {len(splits[split])}\n".encode())
        for line in splits[split]:
            sha.update(f"{len(line)} {line}".encode(errors="surrogatepass"))
    return sha.hexdigest()


def cut_off(splits: dict[str, list[str]], fraction: float, name: str) -> str:
    """Make the end of train the validation split: neighbouring paragraphs stay on one side."""
    whole = splits["train"]
    kept = len(whole) - max(round(len(whole) * fraction), 1)
    if kept < 1:
        raise BadInput(f"{shown(name)}: too few lines to cut off a validation split; give more, or a validation file")
    splits["train"], splits["validation"] = whole[:kept], whole[kept:]
    return f"validation: the last {len(whole) - kept:,} of {len(whole):,} paragraphs of train"


def check_english(corpus: Corpus, remedy: str) -> None:
    """Refuse a corpus whose first paragraphs are mostly not English."""
    refuse_foreign(enumerate(corpus.splits["train"]), corpus.name, "paragraph", remedy)


def find_files(settings: DataSettings) -> tuple[str, dict[str, list[Path]]]:
    """The name of a corpus and the files of each of its splits."""
    root, name = data_root(), settings.source
    tried = [Path(name).expanduser(), *([root / name] if root and name else [])]
    path = next((path for path in tried if path.exists()), None) if name.strip() else None
    if path is None:
        ways = "a .txt or .jsonl file, a folder of them, or a folder below UNFOOLED_DATA"
        raise BadInput(f"no corpus called {shown(name)}; name {ways}; {nearest(name, corpus_names(root))}")
    if path.is_file() and not ending(path):
        raise BadInput(
            f"{place(path)}: unknown kind of corpus; the name must end in .txt, {', '.join(READERS)} (or that with .gz)"
        )
    files = {"train": [path]} if path.is_file() else in_folder(path)
    given = {"validation": settings.validation, "test": settings.test}
    files |= {split: [Path(file).expanduser()] for split, file in given.items() if file is not None}
    return path.resolve().name, files


def corpus_names(root: Path | None) -> list[str]:
    """The folders below UNFOOLED_DATA that hold something to read."""
    folders = sorted(folder for folder in root.iterdir() if folder.is_dir()) if root else []
    return [folder.name for folder in folders if any(ending(file) for file in folder.iterdir())]


def in_folder(folder: Path) -> dict[str, list[Path]]:
    """The files of a folder by split; where none is called train, all of them are."""
    found = [file for file in sorted(folder.iterdir()) if ending(file) and file.name != "meta.json"]
    splits: dict[str, list[Path]] = {}
    for file in found:
        split = SPELLINGS.get(file.name[: -len(ending(file))].lower())
        if split:
            splits.setdefault(split, []).append(file)
    for split, some in splits.items():
        if len(some) > 1:
            names = listed(file.name for file in some)
            raise BadInput(f"{place(folder)}: {names} could each be the {split} split; keep one of them")
    if not found:
        inside = listed(sorted(entry.name for entry in folder.iterdir())) or "nothing"
        raise BadInput(f"{place(folder)}: no .txt, .jsonl or other table in the folder; it holds {inside}")
    return splits if "train" in splits else {"train": found}


def ending(file: Path) -> str:
    """How a file's name ends, if it is one that can be read."""
    name = file.name.lower()
    own = next((end for end in reversed(TEXT_ENDINGS) if name.endswith(end)), "")
    return own or (table_suffix(file) if file.is_file() else "")


def paragraphs(file: Path, column: str | None = None) -> Iterator[str]:
    """The paragraphs of a file: its lines, or the texts of a table's column."""
    yield from text_lines(file) if file.name.lower().endswith(TEXT_ENDINGS) else column_of(file, column)


def text_lines(file: Path) -> Iterator[str]:
    """The lines of a file of any name, unpacked where it ends in .gz, none too long to be held."""
    with opened(file) as handle:
        lines = Lines(file, bounded(file, handle, LONGEST_LINE))
        for line in lines:
            yield line
            lines.row += 1


def column_of(file: Path, column: str | None) -> Iterable[str]:
    """The texts in one column of a table."""
    table = read_table(file)
    wanted = column or "text"
    if wanted not in table.columns:
        raise BadInput(
            f"{place(file)}: no column called {shown(wanted)} (there are {listed(table.columns)}); name one with --text"
        )
    for number, row in enumerate(table.rows):
        value = row.get(wanted)
        if value is not None and not isinstance(value, str):
            raise BadInput(
                f"{table.at(number, wanted)}: {shown(value)} is no text; make it one, or name another column"
            )
        yield value or ""
