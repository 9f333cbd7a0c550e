"""Readers fed by a fuzzer that watches which lines its inputs reach: ``make fuzz``, ten minutes.

A reader may take what it is given or refuse it in a sentence (``BadInput``); anything else is a find, which atheris
keeps as a file ``crash-…``. ``python tools/fuzz.py crash-…`` tries one again.
"""

import gzip
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["unfooled", "json", "tomllib", "csv"]):
    from unfooled import journal, parsing
    from unfooled.data.files.tables import read_table
    from unfooled.errors import BadInput
    from unfooled.models.refused import settings_in
    from unfooled.models.weights import header_of, indexed
    from unfooled.report.runs import metrics_of
    from unfooled.results.log import read_log
    from unfooled.settings import assignments
    from unfooled.terminal import visible

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


def written(name: str, content: bytes) -> Path:
    """The content as a file of that name."""
    path = FOLDER / name
    path.write_bytes(content)
    return path


def parsed(content: bytes) -> None:
    """JSON and TOML, which may say that they are none."""
    for read in (parsing.json_value, lambda raw: parsing.toml_value(raw.decode())):
        with suppress(ValueError):
            read(content)


def log(content: bytes) -> None:
    """The log of a trial: a whole header, then what the fuzzer thinks of."""
    journal.read(written("examples.jsonl", content))
    read_log(written("examples.jsonl", HEADER + content))


HEADER = (
    b'{"trial": "pwws", "model": "m", "model_hash": "h", "labels": ["a", "b"], "max_length": 8, "data": "d", '
    b'"data_hash": "d", "examples": 9, "examples_hash": "e", "seed": 0, "settings": {"attack": {"name": "pwws"}}, '
    b'"unit": "attacked example", "schema": 2, "kind": "unfooled evaluation"}\n'
)
READERS: tuple[Callable[[bytes], object], ...] = (
    parsed,
    log,
    lambda content: read_table(written("a.csv", content)),
    lambda content: read_table(written("a.tsv", content)),
    lambda content: read_table(written("a.json", content)),
    lambda content: read_table(written("a.jsonl", content)),
    lambda content: read_table(written("a.csv.gz", content)),
    lambda content: read_table(written("b.csv.gz", gzip.compress(content, 1))),
    lambda content: read_table(written("a.parquet", b"PAR1" + content + b"PAR1")),
    lambda content: header_of(written("model.safetensors", content)),
    lambda content: header_of(written("b.safetensors", len(content).to_bytes(8, "little") + content)),
    lambda content: indexed(written("model.safetensors.index.json", content)),
    lambda content: settings_in(written("config.json", content)),
    lambda content: metrics_of(written("metrics.jsonl", content).parent),
    lambda content: assignments([content.decode("utf-8", "surrogateescape")]),
    lambda content: visible(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"),
)


def one_input(given: bytes) -> None:
    """One input, whose first byte says who reads it."""
    if given:
        with suppress(BadInput):
            READERS[given[0] % len(READERS)](given[1:])


def main() -> None:
    """Begin with something of every kind."""
    seeds = FOLDER / "seeds"
    seeds.mkdir()
    whole = (
        b'{"a": [1, {"b": null}]}',
        b"text,label\ngood,1\n",
        b"[plan]\nepochs = 2\n",
        b'[{"text": "a"}]',
        b"\x1f\x8b",
    )
    for place in range(len(READERS)):
        for number, content in enumerate(whole):
            (seeds / f"{place}-{number}").write_bytes(bytes([place]) + content)
    corpus = [] if any(Path(word).is_file() for word in sys.argv[1:]) else [str(seeds)]
    atheris.Setup([*sys.argv, *corpus], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
