"""Sentences in two languages, line by line: ``train.en.txt`` beside ``train.de.txt``, or files of any other kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from unfooled.data.corpus import cut_off, lines_hash, read_lines, shorten
from unfooled.data.files.formats import ending
from unfooled.data.phrases import listed, place, shown
from unfooled.data.sources import SPELLINGS, DataSettings, places
from unfooled.errors import BadInput, option

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
    sides = [language_files(folder, language) for language in (source, target)]
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
    name = folder.resolve().name
    notes = cut_off(splits, settings.validation_fraction, name, "pairs") + shorten(splits, settings.limit, "pairs")
    return Parallel(name, (source, target), splits, mark, tuple(notes))


def languages(settings: DataSettings) -> Pair:
    """From which language into which: ``text`` and ``label`` name them."""
    if settings.text is None or settings.label is None:
        raise BadInput(
            "translation goes from one language into another; name them, as in "
            + f"{option('text', 'en')} {option('label', 'de')}"
        )
    if settings.text == settings.label:
        raise BadInput(f"source and target are both {shown(settings.text)}; name two languages")
    return settings.text, settings.label


def find_folder(name: str) -> Path:
    """The folder of a name: a path, or below UNFOOLED_DATA."""
    folder = next((path for path in places(name) if path.is_dir()), None)
    if folder is None:
        raise BadInput(
            f"no folder called {shown(name) or '(nothing)'}; translation reads a folder of files such as train.en.txt "
            "and train.de.txt, given by its path or its name below UNFOOLED_DATA"
        )
    return folder


def language_files(folder: Path, language: str) -> dict[str, Path]:
    """The file of each split in a language, of any kind; dev, val and valid are validation."""
    files: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        stem = file.name[: -len(ending(file))] if ending(file) else file.name.removesuffix(".gz")
        split = stem.removesuffix(f".{language}")
        if split != stem and "." not in split and file.is_file():
            files.setdefault(SPELLINGS.get(split.lower(), split), file)
    return files


def measured_split(names: Sequence[str], wanted: str | None, folder: Path) -> str | None:
    """The split to be measured on: as named, or test, or the first whose name begins so."""
    if wanted is not None and wanted not in names:
        raise BadInput(f"{place(folder)}: no split called {shown(wanted)} in both languages; there are {listed(names)}")
    tests = [name for name in sorted(names) if name.startswith("test")]
    return wanted or ("test" if "test" in tests else tests[0] if tests else None)


def read_pairs(source: Path, target: Path) -> list[Pair]:
    """The lines of two files, which must belong together and must all hold words."""
    sides = [[*read_lines(path)] for path in (source, target)]
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
