"""Compares the package's lexicon with nltk's reader on the same WordNet files, synset by synset.

    python tools/check_lexicon.py DICT_FOLDER

Prints how many of each were compared and how many differ; exit code 1 where any does. Needs nltk.
"""

import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unfooled.text.english.lexicon import Lexicon, lexicon
from unfooled.text.english.wordnet import POS

Difference = tuple[str, object, object]


def nltk_reader(folder: Path, scratch: Path) -> Any:
    """nltk's reader of a copy of the files: nltk only opens folders of its own layout that it was told of."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    corpus = scratch / "corpora" / "wordnet"
    shutil.copytree(folder, corpus)
    nltk.data.path.insert(0, str(scratch))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it misses the other languages
        return WordNetCorpusReader(str(corpus), None)


def address(synset: Any) -> tuple[str, int]:
    """A synset's name that both readers know."""
    return synset.pos(), synset.offset()


def synsets(ours: Lexicon, reader: Any) -> Iterator[Difference]:
    """What the readers say of every synset, side by side."""
    tables = ours.tables
    of = list(zip(tables.kinds, tables.offsets, strict=True))
    theirs = [synset for pos in POS for synset in reader.all_synsets(pos)]
    yield "synsets", of, [address(synset) for synset in theirs]
    for number, synset in enumerate(theirs):
        names = [tables.names[name] for name in tables.lemmas[number]]
        yield "lemma names", names, [name.replace("_", " ") for name in synset.lemma_names()]
        # nltk sorts hypernyms by name; here they stand as in WordNet's files.
        above, instances = tables.hypernyms[number], tables.instances[number]
        yield "hypernyms", sorted(of[up] for up in above), sorted(map(address, synset.hypernyms()))
        yield (
            "instance hypernyms",
            sorted(of[up] for up in instances),
            sorted(map(address, synset.instance_hypernyms())),
        )
        if synset.pos() == "s":
            heads = [address(head) for head in synset.similar_tos() if head.pos() == "a"]
            yield "heads of satellites", [of[head] for head in tables.heads[number]], heads
        for place, lemma in enumerate(synset.lemmas()):
            ours_here = [
                (of[other], tables.lemmas[other][at]) for other, at in tables.antonyms.get((number, place), [])
            ]
            mine = [(where, tables.names[name]) for where, name in ours_here]
            yield "antonyms", mine, [(address(one.synset()), one.name().replace("_", " ")) for one in lemma.antonyms()]


def words(ours: Lexicon, reader: Any) -> Iterator[Difference]:
    """Senses and base forms of every index word and every irregular form, and of regular forms made of them."""
    tables = ours.tables
    forms = sorted({*tables.keys, *(form for table in tables.exceptions.values() for form in table)})
    endings = ("s", "es", "ed", "ing", "er", "est", "men", "ves")
    for form in [*forms, *(form + ending for form in forms if " " not in form for ending in endings)]:
        wanted = form.replace(" ", "_")
        for pos in POS:
            yield (
                "base forms",
                ours.lemmas(form, pos),
                tuple(base.replace("_", " ") for base in reader._morphy(wanted, pos)),
            )
    for key, number in tables.keys.items():
        for part, pos in enumerate(POS):
            row = tables.senses[part * len(tables.keys) + number]
            offsets = reader._lemma_pos_offset_map[key.replace(" ", "_")].get(pos, [])
            yield "senses in order", [tables.offsets[synset] for synset in row], offsets


def counts(ours: Lexicon, folder: Path) -> Iterator[Difference]:
    """Tag counts against cntlist.rev, which nltk reads and the package's file was not built from.

    Some satellites' sense keys differ between the two files, so only keys that both have are compared; where a sense
    has another rank in each, index.sense is right.
    """
    tables = ours.tables
    lines = (line.split() for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines())
    rank = {fields[0]: int(fields[2]) for fields in lines}
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        sense, _, count = line.split()
        if sense in rank:
            word, rest = sense.split("%")
            row = (0, 1, 2, 3, 2)[int(rest[0]) - 1] * len(tables.keys) + tables.keys[word.replace("_", " ")]
            yield "tag counts", tables.tag_counts[tables.senses.starts[row] + rank[sense] - 1], int(count)


def compare(folder: Path) -> tuple[Counter[str], Counter[str]]:
    """How many facts of each kind were compared, and how many differ; the first of each kind is printed."""
    with tempfile.TemporaryDirectory() as scratch:
        return tally(lexicon(), nltk_reader(folder, Path(scratch)), folder)


def tally(ours: Lexicon, reader: Any, folder: Path) -> tuple[Counter[str], Counter[str]]:
    """Count the facts of all kinds."""
    compared: Counter[str] = Counter()
    different: Counter[str] = Counter()
    for source in (synsets(ours, reader), words(ours, reader), counts(ours, folder)):
        for what, mine, theirs in source:
            compared[what] += 1
            if mine != theirs:
                different[what] += 1
                if different[what] == 1:
                    print(f"{what}: {mine!s:.200} here, {theirs!s:.200} in nltk")
    return compared, different


if __name__ == "__main__":
    compared, different = compare(Path(sys.argv[1]))
    for what, count in compared.items():
        print(f"{what:20} {count:>9,} compared {different[what]:>6,} differ")
    sys.exit(bool(different))
