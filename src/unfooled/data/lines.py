"""Running text line by line, every line kept: what a language model is measured on is the whole split."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from unfooled.data.corpora import cut_off, find_files, paragraphs, text_lines
from unfooled.data.datasets import DataSettings
from unfooled.data.phrases import place
from unfooled.data.readers import table_suffix
from unfooled.errors import BadInput


@dataclass(frozen=True)
class RunningText:
    """Lines by split, in the order of the text; ``fingerprint`` names them as found."""

    name: str
    splits: Mapping[str, list[str]]
    fingerprint: str
    notes: tuple[str, ...] = ()


def load_lines(settings: DataSettings) -> RunningText:
    """The lines of train, validation (the end of train where there is none) and test, blank ones included."""
    name, files = find_files(settings)
    splits = {
        split: [line for file in some for line in read_lines(file, settings.text)] for split, some in files.items()
    }
    for split, lines in splits.items():
        if not any(line.strip() for line in lines):
            raise BadInput(f"{place(files[split][0])}: no words in it; give a file with text")
    fingerprint = lines_hash(splits)
    notes = [] if "validation" in splits else [cut_off(splits, settings.validation_fraction, name)]
    if settings.limit is not None and settings.limit < len(splits["train"]):
        notes.append(f"train: the first {settings.limit:,} of {len(splits['train']):,} lines")
        splits["train"] = splits["train"][: settings.limit]
    return RunningText(name, splits, fingerprint, tuple(notes))


def read_lines(path: Path, column: str | None = None) -> list[str]:
    """The lines of a text file, or the texts of a table's column, without line ends."""
    if not path.is_file():
        raise BadInput(f"{place(path)}: no such file; check the spelling and the folder")
    return [line.rstrip("\r\n") for line in (paragraphs(path, column) if table_suffix(path) else text_lines(path))]


def lines_hash(parts: Mapping[str, list[str]]) -> str:
    """SHA-256 of all lines, part by part: the same text gives the same 64 digits.

    >>> lines_hash({"train": ["a b"]}) == lines_hash({"train": ["a", "b"]})
    False
    """
    whole = sha256()
    for name in sorted(parts):
        whole.update(f"{name}\x1e{len(parts[name])}\x1e".encode())
        for line in parts[name]:
            content = line.encode()
            whole.update(b"%d\x1f" % len(content) + content)
    return whole.hexdigest()
