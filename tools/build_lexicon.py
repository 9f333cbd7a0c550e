"""Packs WordNet's dict folder into the one file the package carries: facts only, no glosses.

    python tools/build_lexicon.py DICT_FOLDER

DICT_FOLDER holds data.noun, index.noun, noun.exc, …, index.sense of WordNet 3.0. The file is written beside the
package's code, with WordNet's licence notice; the digest printed at the end belongs into ``text/english/wordnet.py``.

The arrays of the file, with ``K`` keys (lower-case words of the index) and ``S`` synsets (order of the data files):

    names           every spelling, UTF-8, one a line; the first K are the keys, sorted
    key_count       K
    sense_lengths   [4·K] how many senses a key has as noun, verb, adjective, adverb: row = pos·K + key
    senses          their synsets, most frequent first
    tag_counts      how often each sense was tagged in WordNet's texts
    kinds           [S] n, v, a, s (satellite adjective) or r, as characters' codes
    offsets         [S] the place in WordNet's data file, by which other readers call the synset
    lemma_lengths   [S] and lemmas: the spellings of each synset
    hypernym_lengths, hypernyms, instance_lengths, instances, head_lengths, heads: synsets each points to
    antonyms        [n, 4] synset, word (from 0), synset, word: "the first word is an antonym of the second"
    exceptions      form and base forms, a line each, UTF-8, under a line with the part of speech
"""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
PACKAGE = Path(__file__).parents[1] / "src" / "unfooled" / "text" / "english"


@dataclass
class Synset:
    """One line of a data file; pointers as (symbol, part of speech, offset, from word, to word)."""

    pos: str
    kind: str
    offset: int
    words: list[str]
    pointers: list[tuple[str, str, int, int, int]] = field(repr=False)


def spelled(word: str) -> str:
    """A word as people write it: no underscores, no marker of an adjective's position such as (p)."""
    return word.split("(")[0].replace("_", " ")


def lines(path: Path) -> Iterator[str]:
    """A dict file's lines after the licence."""
    return (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  "))


def synset(pos: str, line: str) -> Synset:
    """The synset of a line of a data file."""
    fields = iter(line.split(" | ")[0].split())
    offset, _, kind = int(next(fields)), next(fields), next(fields)
    words = [(spelled(next(fields)), next(fields))[0] for _ in range(int(next(fields), 16))]
    pointers = []
    for _ in range(int(next(fields))):
        symbol, target, kind_of_target, ends = (next(fields) for _ in range(4))
        pointers.append((symbol, kind_of_target, int(target), int(ends[:2], 16), int(ends[2:], 16)))
    return Synset(pos, kind, offset, words, pointers)


def senses(folder: Path, place: dict[tuple[str, int], int]) -> dict[tuple[str, str], list[int]]:
    """(part of speech, key) → synsets, most frequent first."""
    found = {}
    for pos, name in FILES.items():
        for line in lines(folder / f"index.{name}"):
            fields = line.split()
            offsets = fields[-int(fields[2]) :]
            found[pos, spelled(fields[0])] = [place[pos, int(offset)] for offset in offsets]
    return found


def tag_counts(folder: Path) -> dict[tuple[str, str, int], int]:
    """(part of speech, key, number of the sense from 1) → how often it was tagged."""
    counts = {}
    for line in lines(folder / "index.sense"):
        key, _, number, count = line.split()
        word, rest = key.split("%")
        counts["nvara"[int(rest[0]) - 1], spelled(word), int(number)] = int(count)
    return counts


def ragged(rows: Sequence[Sequence[int]], name: str) -> dict[str, np.ndarray]:
    """Rows of different lengths as two flat arrays."""
    lengths = np.array([len(row) for row in rows])
    assert lengths.max() < 256
    flat = np.array([value for row in rows for value in row], dtype=np.uint32)
    return {f"{name}_lengths": lengths.astype(np.uint8), f"{name}s": flat}


def relations(synsets: list[Synset], place: dict[tuple[str, int], int]) -> dict[str, np.ndarray]:
    """The pointers that are kept: hypernyms, instance hypernyms, heads of satellites, antonyms."""
    at = {number: {} for number in range(len(synsets))}
    antonyms = []
    for number, one in enumerate(synsets):
        for symbol, pos, offset, source, target in one.pointers:
            other = place["a" if pos == "s" else pos, offset]
            if symbol == "!":
                antonyms.append((number, source - 1, other, target - 1))
            elif symbol != "&" or (one.kind == "s" and synsets[other].kind == "a"):
                at[number].setdefault(symbol, []).append(other)
    tables = [
        ragged([at[number].get(symbol, []) for number in at], name)
        for symbol, name in (("@", "hypernym"), ("@i", "instance"), ("&", "head"))
    ]
    return tables[0] | tables[1] | tables[2] | {"antonyms": np.array(antonyms, dtype=np.uint32)}


def exceptions(folder: Path) -> str:
    """The irregular forms; of a form listed twice the last line counts, as in WordNet's readers."""
    parts = []
    for pos, name in FILES.items():
        table = {fields[0]: fields[1:] for fields in map(str.split, lines(folder / f"{name}.exc"))}
        parts += [pos, *("\t".join(map(spelled, [form, *bases])) for form, bases in table.items())]
    return "\n".join(parts)


def tables(folder: Path) -> dict[str, np.ndarray]:
    """Everything the file holds."""
    synsets = [synset(pos, line) for pos, name in FILES.items() for line in lines(folder / f"data.{name}")]
    place = {(one.pos, one.offset): number for number, one in enumerate(synsets)}
    sense, count = senses(folder, place), tag_counts(folder)
    keys = sorted({key for _, key in sense})
    others = sorted({word for one in synsets for word in one.words} - set(keys))
    name_of = {name: number for number, name in enumerate([*keys, *others])}
    rows = [sense.get((pos, key), []) for pos in FILES for key in keys]
    tagged = [
        count[pos, key, number + 1] for pos in FILES for key in keys for number in range(len(sense.get((pos, key), [])))
    ]
    return {
        "names": characters("\n".join(name_of)),
        "key_count": np.array(len(keys)),
        **ragged(rows, "sense"),
        "tag_counts": np.array(tagged, dtype=np.uint16),
        "kinds": characters("".join(one.kind for one in synsets)),
        "offsets": np.array([one.offset for one in synsets], dtype=np.uint32),
        **ragged([[name_of[word] for word in one.words] for one in synsets], "lemma"),
        **relations(synsets, place),
        "exceptions": characters(exceptions(folder)),
    }


def characters(text: str) -> np.ndarray:
    """A text as bytes."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def licence(folder: Path) -> str:
    """The notice at the head of every data file, without its line numbers."""
    head = [line for line in (folder / "data.noun").read_text().splitlines()[:40] if line.startswith("  ")]
    return "\n".join(line.strip().partition(" ")[2].strip() for line in head) + "\n"


def main(folder: Path) -> None:
    """Write the file and the notice."""
    path = PACKAGE / "wordnet.npz"
    np.savez_compressed(path, **tables(folder))
    (PACKAGE / "WORDNET-LICENSE.txt").write_text(licence(folder), encoding="utf-8")
    content = path.read_bytes()
    print(f"{path.name}: {len(content):,} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
