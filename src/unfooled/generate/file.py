"""A file of versions while it grows: its lines, a note of how far they are good, and at the end its summary.

Until it is finished the file is called ``….part``. Whoever is killed goes on from the note. Lines stand in the order of
the corpus, so the file is the same for any number of workers and kills.
"""

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from unfooled.data.files.texts import TextFile
from unfooled.errors import BadInput, option
from unfooled.files import forget, naming, refuse_link, summary_beside, synchronise, versions, write_whole
from unfooled.generate.lines import FORMS
from unfooled.generate.workers import Rows, made_in_order
from unfooled.journal import disagreements, flat
from unfooled.parsing import json_file
from unfooled.progress import Display
from unfooled.text.english.wordnet import SHA256
from unfooled.text.versions import VersionSettings

SCHEMA = 1
BATCH_ROWS, BATCH_LETTERS = 256, 1 << 16  # what a worker is given at a time
SAVE_SECONDS = 1.0  # of work that a killed process may lose
COUNTS = {
    "texts": "rows with a text; each is one line of the file, but for those left out",
    "empty": "rows without one, left out",
    "not_english": "texts with too many words that are in no English list; passed through unless english_only is false",
    "unreplaceable": "English texts without any candidate; passed through",
    "left_out": "texts of which a version is the text itself, and so no triplet; versions of such are written",
    "words": "words of all texts but those passed through for their language",
    "candidates": "of these, nouns, verbs, adjectives and adverbs that may be replaced",
    "synonym_replaced": "words replaced in synonym versions, and of each kind",
    "antonym_replaced": "words replaced in antonym versions, and of each kind",
}
RATIOS = {"synonym_ratio": "synonym_replaced / words", "antonym_ratio": "antonym_replaced / words"}


@dataclass(frozen=True)
class Written:
    """What was written: the file of lines, its summary, and the numbers in it."""

    file: Path
    summary: Path
    counts: Mapping[str, int]
    ratios: Mapping[str, float]


class VersionFile:
    """One corpus on its way into one file."""

    def __init__(
        self,
        corpus: TextFile,
        file: Path,
        settings: VersionSettings,
        seed: int,
        limit: int | None,
        form: str = "versions",
    ) -> None:
        self.corpus, self.file, self.settings, self.seed, self.limit = corpus, file, settings, seed, limit
        self.form, self.kind = form, FORMS[form].kind
        self.summary = summary_beside(file)
        self.part = file.with_name(f"{file.name}.part")
        self.note = file.with_suffix(".progress.json")
        self.counts: Counter[str] = Counter()
        self.header = {
            "kind": self.kind,
            "schema": SCHEMA,
            "settings": settings.model_dump(mode="json"),
            "seed": seed,
            "column": corpus.column,
            "limit": limit,
            "wordnet": SHA256,
            "versions": {name: versions()[name] for name in ("unfooled", "lemminflect", "textblob")},
        }

    def finished(self) -> Written | None:
        """What an earlier call has finished, if it was asked for the same; None where there is nothing yet."""
        if not self.file.exists():
            return None
        stored = loaded(self.summary)
        self.refuse_other(self.file, stored, {**self.header, "corpus_bytes": self.corpus.size})
        self.refuse_changed(stored)
        forget(self.note)  # of a call that was killed at its very end
        return Written(self.file, self.summary, stored["counts"], stored["ratios"])

    def refuse_changed(self, stored: Mapping[str, Any]) -> None:
        """Refuse a finished file whose corpus has other texts by now; reading them is quick beside making versions."""
        for _ in islice(self.corpus, self.limit):
            pass
        if self.corpus.digest != stored["corpus_sha256"]:
            raise BadInput(
                f"{self.file} was made from other texts than {self.corpus.path} now holds; "
                f"choose another {option('out')}, or delete it"
            )

    def refuse_other(self, path: Path, stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        """Refuse what was written for something else."""
        if stored.get("kind") != self.kind:
            raise BadInput(f"{path} is there already and not from this command; choose another {option('out')}")
        asked = flat(wanted)
        names = disagreements({name: value for name, value in flat(stored).items() if name in asked}, asked)
        if names:
            raise BadInput(
                f"{path} is there already and differs in {'; '.join(names)}; "
                f"choose another {option('out')}, or delete it"
            )

    @property
    def fresh(self) -> bool:
        """Whether no earlier call has left anything worth keeping."""
        return not loaded(self.note).get("rows")

    def grow(self, workers: int) -> Written:
        """Go through the corpus, from where the last call has come to; what comes to nothing is taken away."""
        start = self.begun()
        try:
            self.write(start, workers)
            if not self.counts["texts"]:
                raise BadInput(f"{self.corpus.path} has no text in it; give a corpus with at least one")
            if self.counts["texts"] == self.counts["left_out"]:
                raise BadInput(f"no text of {self.corpus.path} has words to replace, so there is no triplet to write")
        except BadInput:
            if self.fresh:
                self.part.unlink()
                forget(self.note)
            raise
        return self.end()

    def write(self, start: int, workers: int) -> None:
        """Write the lines of the rows from a number on."""
        with (
            naming(self.part),
            self.part.open("r+b") as part,
            Display("generating, kB", self.corpus.size // 1024 + 1) as display,
        ):
            part.seek(0, os.SEEK_END)
            saved = time.monotonic()
            batches = self.batches(start)
            for (rows, digest, done), (body, counts) in made_in_order(
                batches, self.settings, self.seed, workers, self.form
            ):
                part.write(body)
                self.counts.update(counts)
                display.at(done // 1024, f"{self.counts['texts']:,} texts")
                if time.monotonic() - saved > SAVE_SECONDS:
                    self.save(part, rows, digest)
                    saved = time.monotonic()
            display.at(self.corpus.size // 1024 + 1, f"{self.counts['texts']:,} texts")

    def begun(self) -> int:
        """The number of rows that are done; the file is cut to what belongs to them."""
        refuse_link(self.part)
        if not self.note.exists() and self.part.exists():
            raise BadInput(f"{self.part} is there already and not from this command; delete it")
        if self.fresh and loaded(self.note).get("kind", self.kind) == self.kind:
            self.write_note(0, 0, "")
        stored = loaded(self.note)
        self.refuse_other(self.note, stored, self.header)
        with self.part.open("ab") as part:
            if part.tell() < stored["bytes"]:
                raise BadInput(f"{self.part} has lost lines; delete it and {self.note} to begin again")
            part.truncate(stored["bytes"])
        self.counts = Counter(stored["counts"])
        self.expected = stored["corpus_read"]
        return int(stored["rows"])

    def batches(self, start: int) -> Iterator[tuple[tuple[int, str, int], Rows]]:
        """The rows from a number on in batches, each with where the corpus then stands."""
        rows: list[tuple[int, str]] = []
        letters = 0
        number = -1
        for number, text in islice(self.corpus, self.limit):
            if number < start:
                if number == start - 1 and self.corpus.digest != self.expected:
                    raise BadInput(
                        f"{self.corpus.path} is no longer what {self.part} was begun with; delete {self.note} and "
                        f"{self.part} to begin again"
                    )
                continue
            rows.append((number, text))
            letters += len(text)
            if len(rows) == BATCH_ROWS or letters > BATCH_LETTERS:
                yield (number + 1, self.corpus.digest, self.corpus.done), rows
                rows, letters = [], 0
        self.rows, self.digest = number + 1, self.corpus.digest
        if rows:
            yield (number + 1, self.digest, self.corpus.size), rows

    def save(self, part: BinaryIO, rows: int, digest: str) -> None:
        """Put what is done on the disk, and then the note that it is."""
        part.flush()
        os.fsync(part.fileno())
        self.write_note(rows, part.tell(), digest)

    def write_note(self, rows: int, size: int, digest: str) -> None:
        """Note how many rows are done, and how many bytes they made."""
        state = {"rows": rows, "bytes": size, "corpus_read": digest, "counts": dict(self.counts)}
        write_whole(self.note, json.dumps({**self.header, **state}) + "\n")

    def end(self) -> Written:
        """Write the summary and give the file its name."""
        counts = {name: self.counts[name] for name in [*COUNTS, *sorted(set(self.counts) - set(COUNTS))]}
        words = max(counts["words"], 1)
        with self.part.open("rb") as part:
            made = hashlib.file_digest(part, "sha256").hexdigest()
        ratios = {name: counts[f"{name.partition('_')[0]}_replaced"] / words for name in RATIOS}
        summary = {
            **self.header,
            "versions": versions(),
            "corpus": str(self.corpus.path),
            "corpus_bytes": self.corpus.size,
            "corpus_sha256": self.digest,
            "rows": self.rows,
            "file_sha256": made,
            "counts": counts,
            "ratios": ratios,
            "definitions": {
                "counts": COUNTS,
                "ratios": RATIOS,
                "lines": FORMS[self.form].fields,
                "corpus_sha256": "of the corpus's content, unpacked, up to the last row read",
                "rows": "rows read, the empty ones among them",
            },
        }
        synchronise(self.part)
        write_whole(self.summary, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
        os.replace(self.part, self.file)  # last but for the note: where it is, the summary is too
        forget(self.note)
        return Written(self.file, self.summary, counts, ratios)


def loaded(path: Path) -> dict[str, Any]:
    """What a JSON file says; nothing where it is missing or none."""
    try:
        values = json_file(path)
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
