"""The package's WordNet file: its digest is checked, its tables are opened, nothing in it is run.

The file is WordNet 3.0 without glosses, packed by ``tools/build_lexicon.py``, where its layout is described;
WordNet's licence notice lies beside it.
"""

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unfooled.errors import BadInput

FILE = Path(__file__).with_name("wordnet.npz")
SHA256 = "8d398220ac422e72d9fecfe5cd9b506b09eb588c9bb68805d2f1933575e85b56"
POS = "nvar"


@dataclass(frozen=True)
class Rows:
    """Rows of whole numbers, of different lengths, in one flat array."""

    starts: memoryview
    values: memoryview

    def __getitem__(self, row: int) -> list[int]:
        return self.values[self.starts[row] : self.starts[row + 1]].tolist()


@dataclass(frozen=True)
class Tables:
    """WordNet: a synset is a number, a word in it is (synset, place), a key is a word of the index.

    Row ``POS.index(pos) * len(keys) + key`` of ``senses`` holds the synsets of a key, most frequent first, and
    ``tag_counts`` how often each was met. ``heads`` leads from satellite adjectives to the heads of their clusters.
    """

    names: list[str]
    keys: dict[str, int]
    senses: Rows
    tag_counts: memoryview
    kinds: str
    offsets: memoryview
    lemmas: Rows
    hypernyms: Rows
    instances: Rows
    heads: Rows
    antonyms: dict[tuple[int, int], list[tuple[int, int]]]
    exceptions: dict[str, dict[str, tuple[str, ...]]]


def open_tables(path: Path = FILE) -> Tables:
    """The tables of the file, unless a single bit of it has changed."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"WordNet cannot be read from {path} ({error.strerror}); install unfooled again") from None
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise BadInput(f"the WordNet file {path} is damaged or of another version; install unfooled again")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return tables({name: arrays[name] for name in arrays.files})


def tables(arrays: dict[str, np.ndarray]) -> Tables:
    """The tables of the file's arrays."""
    names = text(arrays["names"]).split("\n")
    return Tables(
        names=names,
        keys=dict(zip(names, range(int(arrays["key_count"])), strict=False)),
        senses=rows(arrays, "sense"),
        tag_counts=arrays["tag_counts"].data,
        kinds=text(arrays["kinds"]),
        offsets=arrays["offsets"].data,
        lemmas=rows(arrays, "lemma"),
        hypernyms=rows(arrays, "hypernym"),
        instances=rows(arrays, "instance"),
        heads=rows(arrays, "head"),
        antonyms=pairs(arrays["antonyms"]),
        exceptions=exceptions(text(arrays["exceptions"])),
    )


def text(characters: np.ndarray) -> str:
    """Bytes as a text."""
    return characters.tobytes().decode()


def rows(arrays: dict[str, np.ndarray], name: str) -> Rows:
    """Rows from their lengths and their values."""
    lengths = arrays[f"{name}_lengths"]
    starts = np.zeros(len(lengths) + 1, dtype=np.uint32)
    np.cumsum(lengths, out=starts[1:])
    return Rows(starts.data, arrays[f"{name}s"].data)


def pairs(antonyms: np.ndarray) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Each word's antonyms, in the file's order."""
    by_place: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for synset, place, other, other_place in antonyms.tolist():
        by_place.setdefault((synset, place), []).append((other, other_place))
    return by_place


def exceptions(listed: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Irregular forms and their base forms, by part of speech."""
    by_pos: dict[str, dict[str, tuple[str, ...]]] = {}
    here: dict[str, tuple[str, ...]] = {}
    for line in listed.split("\n"):
        form, *bases = line.split("\t")
        if bases:
            here[form] = tuple(bases)
        else:
            here = by_pos[form] = {}
    return by_pos
