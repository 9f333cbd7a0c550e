"""A name becomes tables: a path, a folder below UNFOOLED_DATA, embedded data, or the Hugging Face hub."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from pydantic import Field, SkipValidation, field_validator

from unfooled.data.embedded import MOVIE_REVIEWS, NAMES, movie_reviews
from unfooled.data.files.formats import FORMATS, ending, tables
from unfooled.data.files.tables import DataTable, read_table
from unfooled.data.labels import Names, read_names
from unfooled.data.memory import MEMORY, Tables, dataset_rows, splits_in
from unfooled.data.phrases import listed, place, shown
from unfooled.data.splits import SPELLINGS as SPELLINGS
from unfooled.errors import BadInput, nearest, option
from unfooled.hub import hub_answers, may_fetch, parted, revision_of
from unfooled.parsing import content
from unfooled.settings import Settings

WAYS = f"a path, a folder below UNFOOLED_DATA, or the embedded {MOVIE_REVIEWS}"
HUB_NAME = re.compile(r"([\w.-]+/[\w.-]+|hub:[\w.-]+(/[\w.-]+)?)(@[\w.-]+)?", re.ASCII)
FOREIGN_FILE = re.compile(r"\.(gz|zip|xls|xlsm|ods|pkl|arrow|xml|ya?ml)$", re.IGNORECASE)
REMEMBERED = 4  # tables, so that whoever looks at data first and reads it then does not wait for it twice


class DataSettings(Settings):
    """Which data: a path, a name below UNFOOLED_DATA, ``movie-reviews``, or a hub name; and which columns."""

    source: str
    validation: str | None = None
    test: str | None = None
    text: str | None = None
    label: str | None = None
    validation_fraction: float = Field(default=0.1, gt=0, lt=1)
    fraction: float = Field(default=1.0, gt=0, le=1)  # of the training rows, drawn by seed; validation stays whole
    limit: int | None = Field(default=None, ge=1)
    subset: str | None = None
    # Tables in memory by the names that stand for them above; no part of a recipe, which keeps the names alone.
    held: SkipValidation[Mapping[str, Tables]] = Field(default_factory=dict, exclude=True, repr=False)

    @field_validator("held", mode="before")
    @classmethod
    def _tables_alone(cls, held: Any) -> Any:
        """Refuse what a recipe or an option may try to put there."""
        every = list(held.values()) if isinstance(held, Mapping) else [held]
        tables = [table for one in every for table in (one.values() if isinstance(one, Mapping) else [one])]
        if not all(isinstance(table, DataTable) for table in tables):
            raise ValueError("it is for data from memory; give that as the data itself")
        return held


@dataclass(frozen=True)
class Source:
    """Splits by name, each read when it is called for; label names where the source knows them."""

    name: str
    splits: Mapping[str, Callable[[], DataTable]]
    names: Names = ()
    notes: tuple[str, ...] = ()
    is_one_file: bool = False


def source_of(settings: DataSettings) -> Source:
    """The tables that settings name, none read yet."""
    if settings.source.startswith(MEMORY):
        splits = splits_in(settings.held, settings.source)
        source = Source(settings.source, splits, is_one_file=len(splits) == 1)
    else:
        source = find(settings.source, settings.subset)
    files = {"validation": settings.validation, "test": settings.test}
    given = {split: beside(settings, file) for split, file in files.items() if file is not None}
    return replace(source, splits={**source.splits, **given})


def beside(settings: DataSettings, name: str) -> Callable[[], DataTable]:
    """A split that is given apart from the others: a file, or the one table of data in memory."""
    if not name.startswith(MEMORY):
        return partial(remembered, Path(name).expanduser())
    splits = splits_in(settings.held, name)
    if len(splits) > 1:
        raise BadInput(f"one split is wanted where {listed(splits)} were given; give that one alone")
    return next(iter(splits.values()))


def find(name: str, subset: str | None = None) -> Source:
    """The data called ``name``; nothing is asked of the network unless it can only be a hub name."""
    source = _on_disk(name)
    if source is not None:
        if subset is not None:
            raise BadInput(f"{shown(name)} has no subsets; leave out the subset {shown(subset)}")
        return source
    if name == MOVIE_REVIEWS:
        splits, note = movie_reviews(subset)
        return Source(name, splits, NAMES[name], (note,))
    path = Path(name)
    inside_a_folder = path.parent != Path() and _is(Path.is_dir, path.parent)
    if HUB_NAME.fullmatch(name) and not inside_a_folder and not _looks_like_a_file(name):
        return _from_hub(name.removeprefix("hub:"), subset)
    raise BadInput(_nothing_called(name))


def remembered(path: Path) -> DataTable:
    """The table of a file, read once as long as the file stays as it is and ``forget`` is not called."""
    if not path.is_file():
        return read_table(path)  # which says what is wrong
    state = path.stat()
    return _as_it_is(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=REMEMBERED)
def _as_it_is(path: Path, changed: int, size: int) -> DataTable:
    return read_table(path)


def forget() -> None:
    """Let go of the tables that were read: whoever has made examples of them needs the memory for other things."""
    _as_it_is.cache_clear()
    movie_reviews.cache_clear()
    _from_hub.cache_clear()


def known_names() -> dict[str, str]:
    """Names that work on this machine without a network, each with where it comes from."""
    folders = folders_below(tables(), SPELLINGS.values())
    return dict.fromkeys(folders, "UNFOOLED_DATA") | {MOVIE_REVIEWS: "embedded"}


def folders_below(kinds: Collection[str] = FORMATS, splits: Iterable[str] = ()) -> list[str]:
    """The folders below UNFOOLED_DATA that hold files of these kinds, and where splits are named, one of those."""
    root, wanted = data_root(), set(splits)
    held = {folder.name: split_files(folder, kinds).keys() for folder in sorted(root.iterdir())} if root else {}
    return [name for name, names in held.items() if names and (not wanted or names & wanted)]


def data_root() -> Path | None:
    """The folder that the environment variable UNFOOLED_DATA names, if it exists."""
    named = os.environ.get("UNFOOLED_DATA", "")
    return Path(named).expanduser() if named and Path(named).expanduser().is_dir() else None


def places(name: str, endings: Collection[str] = ("",)) -> list[Path]:
    """What there is of a name: a path, and what lies below UNFOOLED_DATA, there perhaps with one of these endings."""
    root = data_root()
    below = [root / f"{name}{end}" for end in endings] if root else []
    return [path for path in (Path(name).expanduser(), *below) if _is(Path.exists, path)] if name.strip() else []


def split_files(folder: Path, kinds: Collection[str] = FORMATS) -> dict[str, list[Path]]:
    """The files of a folder that can be read, by name without ending; dev, val and valid are validation."""
    files: dict[str, list[Path]] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else []:
        end = ending(file)
        if end.removesuffix(".gz") in kinds and file.name != "meta.json" and file.is_file():
            stem = file.name[: -len(end)]
            files.setdefault(SPELLINGS.get(stem.lower(), stem), []).append(file)
    return files


def only_file(split: str, files: list[Path]) -> Path:
    """The file of a split, refused where there are several."""
    if len(files) > 1:
        names = listed(file.name for file in files)
        raise BadInput(f"{place(files[0].parent)}: {names} could each be the {split} split; keep one of them")
    return files[0]


def _is(question: Callable[[Path], bool], path: Path) -> bool:
    try:
        return question(path)
    except (OSError, ValueError):  # a name too long for a file, or with a NUL in it
        return False


def _on_disk(name: str) -> Source | None:
    endings = ["", *(kind + end for kind in tables() for end in ("", ".gz"))]
    for candidate in places(name, endings):
        if candidate.is_file():
            table = {"train": partial(remembered, candidate)}
            return Source(candidate.name, table, _names_beside(candidate), is_one_file=True)
        files = split_files(candidate, tables())
        splits = {split: partial(_read_only, split, some) for split, some in files.items()}
        if splits and (candidate / "meta.json").is_file():
            return Source(candidate.resolve().name, splits, read_names(candidate / "meta.json"))
        if splits.keys() & set(SPELLINGS.values()):
            return Source(candidate.resolve().name, splits)
    return None


def _read_only(split: str, files: list[Path]) -> DataTable:
    return remembered(only_file(split, files))


def _names_beside(file: Path) -> Names:
    """Label names for one split of a data folder, if the folder's meta.json lists that file."""
    meta = file.parent / "meta.json"
    known = (
        file.name.split(".")[0].lower() in SPELLINGS
        and meta.is_file()
        and f'"{file.name}"' in content(meta).decode("utf-8", errors="replace")
    )
    return read_names(meta) if known else ()


def _nothing_called(name: str) -> str:
    path = Path(name).expanduser()
    root = data_root()
    if name and root and not _is(Path.is_dir, path) and _is(Path.is_dir, root / name):
        path = root / name
    if name and _is(Path.is_dir, path):
        inside = listed(sorted(entry.name for entry in path.iterdir())) or "nothing"
        return (
            f"{place(path)}: the folder holds no train, validation or test file that can be read "
            f"(ending in {', '.join(tables())}, or that with .gz); it holds {inside}"
        )
    if _looks_like_a_file(name) or name.startswith(("/", ".", "~")) or name.count("/") > 1 or "\\" in name:
        return f"{place(path)}: no such file; check the spelling and the folder"
    named = os.environ.get("UNFOOLED_DATA", "")
    lost = f" (UNFOOLED_DATA names {shown(named)}, which is no folder)" if named and root is None else ""
    return (
        f"no file, folder or dataset called {shown(name) or '(nothing)'}; the ways to name data are {WAYS}, "
        f"or a hub name like owner/name{lost}; {nearest(name, known_names())}"
    )


def _looks_like_a_file(name: str) -> bool:
    return bool(ending(Path(name)) or FOREIGN_FILE.search(name))


@lru_cache(maxsize=1)
def _from_hub(name: str, subset: str | None) -> Source:
    if not may_fetch(name) and not may_fetch(f"hub:{name}"):
        raise BadInput(
            f"{shown(name)} is no data on this machine, and it was read from a file, which never chooses what is "
            f"fetched; if it is data of the hub that you trust, name it yourself"
        )
    try:
        from datasets import load_dataset
    except ImportError:
        raise BadInput(
            f"{shown(name)} is no file or folder here, and reading it from the hub needs the extra: "
            f"pip install 'unfooled[hub]'; other ways to name data are {WAYS}"
        ) from None
    dataset_name, wanted = parted(name)
    try:
        revision = revision_of(dataset_name, wanted) if hub_answers() else wanted  # offline: as it was fetched
        dataset = load_dataset(dataset_name, subset, revision=revision)
    except Exception as error:  # whatever the network or that library raises is one sentence here
        reason = f"{type(error).__name__}: {shown(error, width=120)}"
        raise BadInput(
            f"{shown(name)} could not be had from the hub ({reason}); offline, name data by {WAYS}"
        ) from None
    pinned = f"{dataset_name}@{revision}" if revision else dataset_name
    parts = {split: cache(partial(_hub_table, f"{name}:{split}", part)) for split, part in dataset.items()}
    note = f"{dataset_name} is taken from the hub at revision {revision}; {option('data', pinned)} takes the same again"
    splits = {SPELLINGS.get(split, split): part for split, part in parts.items()}
    return Source(pinned, splits, notes=() if wanted == revision else (note,))


def _hub_table(title: str, part: Any) -> DataTable:
    """A hub split as rows; numbers that the hub itself names are replaced by their names."""
    columns, rows = dataset_rows(part, title)
    return DataTable(Path(title), columns, rows, 1)
