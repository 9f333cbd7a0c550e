"""Texts to JSON lines, each with a text's two versions: the one function that every engine calls.

In this process, in worker processes of ours (``python -m unfooled.generate.lines``), in ``datasets.map`` or in Ray
Data the lines are the same bytes, because all randomness is keyed by the number of the text. No torch is loaded.
"""

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring as quoted
from typing import Any, BinaryIO

from unfooled.errors import BadInput
from unfooled.text.versions import DEFAULT, Version, Versions, VersionSettings, versions

LINES = {
    "index": "number of the text's row in its corpus, from 0",
    "original": "the text",
    "synonym": "its version by synonyms, hypernyms and inflections",
    "antonym": "its version by antonyms and random words",
    "text": "a version's text",
    "replacements": "the words replaced, in the order of the text",
    "word": "number of the word in the original text, from 0",
    "old, new": "the word in the original, and in the version",
    "kind": "hypernym, synonym, inflection, antonym or random",
    "span, new_span": "first character and the one after the last, in the original text and in the version's",
}
TRIPLET = {
    "anchor": "the text",
    "positive": "its version by synonyms, hypernyms and inflections, which keeps the meaning",
    "negative": "its version by antonyms and random words, which does not",
}


class VersionLines:
    """A function of batches, for engines: rows with a text and a number in, rows with an index and a line out.

    ``datasets``: ``dataset.map(VersionLines(seed=1), batched=True, with_indices=True, num_proc=4,
    remove_columns=dataset.column_names)``. Ray Data: ``dataset.map_batches(VersionLines(seed=1))`` on rows that have
    their number in a column ``index``; Ray may give rows back in another order, ``sort("index")`` mends it.
    Rows without any text give no line.
    """

    def __init__(
        self, settings: VersionSettings = DEFAULT, seed: int = 0, text: str = "text", index: str = "index"
    ) -> None:
        self.settings, self.seed, self.text, self.index = settings, seed, text, index

    def __call__(self, batch: Mapping[str, Any], numbers: Sequence[int] | None = None) -> dict[str, list[Any]]:
        """The lines of a batch; the numbers are those of the rows where the batch has no column of them."""
        needed = [self.text] if numbers is not None else [self.text, self.index]
        for name in needed:
            if name not in batch:
                raise BadInput(f"the rows have no column {name}; they have {', '.join(batch)}")
        own = batch[self.index] if numbers is None else numbers
        rows = [(int(number), self.text_of(number, text)) for number, text in zip(own, batch[self.text], strict=True)]
        kept, made, _ = lines(rows, self.settings, self.seed)
        return {"index": kept, "line": made}

    def text_of(self, number: int, value: Any) -> str:
        """The text of a row; one without is empty, as in a file."""
        if value is None:
            return ""
        if not isinstance(value, str):
            raise BadInput(f"row {int(number) + 1}, {self.text}: {value!r} is no text; mend the row, or leave it out")
        return str(value)


def lines(
    rows: Iterable[tuple[int, str]], settings: VersionSettings, seed: int, form: str = "versions"
) -> tuple[list[int], list[str], Counter[str]]:
    """The numbers and lines of the rows that have a text, and what is to be counted about all of them."""
    numbers, made, counts = [], [], Counter[str]()
    line_of = FORMS[form].line
    for number, text in rows:
        if not text or text.isspace():
            counts["empty"] += 1
            continue
        both = versions(text, settings, seed, number)
        count(counts, both)
        own = line_of(number, both)
        if own is None:
            counts["left_out"] += 1
            continue
        numbers.append(number)
        made.append(own)
    return numbers, made, counts


def count(counts: Counter[str], both: Versions) -> None:
    """Count one text's versions."""
    counts["texts"] += 1
    counts["not_english"] += not both.english
    counts["unreplaceable"] += both.english and not both.candidates
    if both.english or both.candidates:
        counts["words"] += len(both.original)
        counts["candidates"] += len(both.candidates)
    for name, version in (("synonym", both.synonym), ("antonym", both.antonym)):
        counts[f"{name}_replaced"] += len(version.replacements)
        for one in version.replacements:
            counts[f"{name}_replaced.{one.kind}"] += 1


def triplet(number: int, both: Versions) -> str | None:
    """A text, its synonym and its antonym version as one line; None where a version is the text itself."""
    anchor, positive, negative = both.original.text, both.synonym.text, both.antonym.text
    if anchor in (positive, negative):  # nothing can be learnt of it, or the wrong thing
        return None
    return safe(f'{{"anchor": {quoted(anchor)}, "positive": {quoted(positive)}, "negative": {quoted(negative)}}}')


def line(number: int, both: Versions) -> str:
    """A text and its versions as one line of JSON; written out by hand, because a corpus has many."""
    original, same, other = quoted(both.original.text), written(both.synonym), written(both.antonym)
    row = f'{{"index": {number}, "original": {original}, "synonym": {same}, "antonym": {other}}}'
    return row if row.isascii() else safe(row)


def written(version: Version) -> str:
    """A version as JSON."""
    replaced = ", ".join(
        [
            f'{{"word": {word}, "old": {quoted(old)}, "new": {quoted(new)}, "kind": "{kind}", '
            f'"span": [{start}, {end}], "new_span": [{new_start}, {new_end}]}}'
            for word, old, new, kind, (start, end), (new_start, new_end) in version.replacements
        ]
    )
    return f'{{"text": {quoted(version.text)}, "replacements": [{replaced}]}}'


def safe(line: str) -> str:
    """JSON that can be written as UTF-8: half characters, which JSON itself may bring in, are escaped."""
    try:
        line.encode()
    except UnicodeEncodeError:
        return json.dumps(json.loads(line))
    return line


@dataclass(frozen=True)
class LineForm:
    """A form of lines: what a file of them is called in its summary, how one is written, what stands in it."""

    kind: str
    line: Callable[[int, Versions], str | None]
    fields: Mapping[str, str]


FORMS = {
    "versions": LineForm("unfooled versions", line, LINES),
    "triplets": LineForm("unfooled triplets", triplet, TRIPLET),
}


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer batches of rows until there are no more: the settings first, then one batch a line."""
    opening = questions.readline()
    if not opening.endswith(b"\n"):
        return  # who asks is gone
    first = json.loads(opening)
    settings, seed = VersionSettings.model_validate(first["settings"]), int(first["seed"])
    form = str(first.get("form", "versions"))
    for question in questions:
        if not question.endswith(b"\n"):
            return
        _, made, counts = lines(json.loads(question), settings, seed, form)
        body = "".join(f"{one}\n" for one in made).encode()
        answers.write(json.dumps({"bytes": len(body), "counts": counts}).encode() + b"\n" + body)
        answers.flush()


def serve_quietly() -> None:
    """Answer whoever started this process; when they are gone, so are we, without a word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us decides; without them there are no more questions
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:  # nobody takes the answer
        os._exit(1)  # at once: Python would try to write what is left, and complain


if __name__ == "__main__":
    serve_quietly()
