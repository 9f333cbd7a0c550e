"""Hostile data: bombs, broken files, names that steer, files that are none."""

import gzip
import io
import json
import os
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hostile.grounds_of import copied
from hostile.hostile_input import Hostile, Make, taken


def training(data: str | Path) -> list[str | Path]:
    return ["train", "--data", data, "--model", "encoder", "--out", "made", "--set", "plan.max_steps=1"]


def file(name: str, content: bytes | str | Callable[[], bytes]) -> Make:
    """A file of data that somebody trains on."""

    def make(root: Path) -> Sequence[str | Path]:
        raw = content() if callable(content) else content.encode() if isinstance(content, str) else content
        (copied(root, "encoder") / name).write_bytes(raw)
        return training(name)

    return make


def placed(name: str, put: Callable[[Path], Any]) -> Make:
    def make(root: Path) -> Sequence[str | Path]:
        put(copied(root, "encoder") / name)
        return training(name)

    return make


def sparse(path: Path) -> None:
    with path.open("wb") as handle:
        handle.write(b"text,label\n")
        handle.truncate(1 << 33)


@cache
def hundred_megabytes() -> bytes:
    """So much of one letter, packed without ever being held."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(b"0" * 2**20) for _ in range(100)), packer.flush()])


def zeros(megabytes: int, before: bytes = b"") -> bytes:
    """So many megabytes of one letter, packed."""
    return gzip.compress(before) * bool(before) + hundred_megabytes() * (megabytes // 100)


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    out = io.BytesIO()
    write_table(pa.table(columns), out, **options)
    return out.getvalue()


def repeated(text: str, rows: int) -> Any:
    """A column of one text, held once."""
    import numpy as np
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, dtype=np.int8)), pa.array([text]))


def cut(content: bytes, share: float) -> bytes:
    return content[: int(len(content) * share)]


GOOD = "text,label\n" + "".join(f"some text {n},{'ab'[n % 2]}\n" for n in range(30))
BOMBS: dict[str, Make] = {
    "3 GB of zeros in 3 MB": file("a.csv.gz", lambda: zeros(3000)),
    "3 GB behind a header": file("a.csv.gz", lambda: zeros(3000, b"text,label\n")),
    "zeros in JSON": file("a.json.gz", lambda: zeros(2000, b'[{"text": "')),
    "zeros in lines of JSON": file("a.jsonl.gz", lambda: zeros(2000, b'{"text": "')),
    "zeros in TSV": file("a.tsv.gz", lambda: zeros(2000, b'text\tlabel\n"')),
    "zeros in a Parquet that is packed": file("a.parquet.gz", lambda: zeros(2000, b"PAR1")),
    "a bomb in a bomb": file("a.csv.gz", lambda: gzip.compress(zeros(3000))),
    "3 million rows in 23 kB": file("a.csv.gz", lambda: gzip.compress(b"text,label\n" + b"a,0\n" * 3_000_000)),
    "3 million rows of Parquet": file(
        "a.parquet", lambda: parquet({"text": repeated("a film", 3 * 10**6), "label": repeated("a", 3 * 10**6)})
    ),
    "a megabyte a row in Parquet": file(
        "a.parquet", lambda: parquet({"text": repeated("x" * 2**20, 10**5), "label": repeated("a", 10**5)})
    ),
    "zeros in Parquet": file("a.parquet", lambda: parquet({"text": ["0" * 2**27], "label": ["a"]}, compression="zstd")),
    "a million columns": file("a.csv", lambda: (",".join(f"c{n}" for n in range(10**6)) + "\n1\n").encode()),
    "a million columns of one letter": file("a.csv", "a," * 10**6 + "\n"),
    "a million tabs": file("a.tsv", "a\t" * 10**6 + "\n"),
    "20,000 columns of JSON": file(
        "a.jsonl", "\n".join(json.dumps({f"c{n + 50 * m}": 0 for n in range(50)}) for m in range(400))
    ),
    "12,000 columns of Parquet": file("a.parquet", lambda: parquet({f"c{n}": [1] for n in range(12_000)})),
    "a field of 100 MB": file("a.csv", lambda: b'text,label\n"' + b"x" * 10**8 + b'",0\n'),
    "a field of 100 MB in lines": file("a.csv", lambda: b'text,label\n"' + b"x\n" * (5 * 10**7) + b'",0\n'),
    "a line of a gigabyte": placed("a.csv", sparse),
    "a line of a gigabyte in JSON": placed("a.jsonl", sparse),
    "a gigabyte of JSON": placed("a.json", sparse),
    "an array without end": file("a.json", lambda: b"[" + b"[]," * 10**7),
    "an object without end": file("a.json", lambda: b'{"a":[' + b"[]," * 10**7),
    "an object of a million keys": file("a.jsonl", lambda: json.dumps({f"k{n}": n for n in range(10**6)}).encode()),
    "deep JSON": file("a.json", "[" * 5000 + "]" * 5000),
    "deep lines": file("a.jsonl", '{"text": ' + "[" * 5000 + "]" * 5000 + "}"),
    "deep objects in an array": file("a.json", "[" + '{"a":' * 5000 + "0" + "}" * 5000 + "]"),
    "a number of a million digits": file("a.jsonl", '{"text": ' + "9" * 10**6 + "}"),
    "100,000 labels": file("a.csv", "text,label\n" + "".join(f"text {n},label {n}\n" for n in range(100_000))),
    "a million quotation marks": file("a.csv", 'text,label\n"' + '""' * 10**6),
}
BROKEN: dict[str, Make] = {
    "gzip that is cut": file("a.csv.gz", cut(gzip.compress(GOOD.encode() * 50), 0.5)),
    "no gzip": file("a.csv.gz", GOOD),
    "gzip and then something": file("a.csv.gz", gzip.compress(GOOD.encode()) + b"junk"),
    "a wrong sum": file("a.csv.gz", gzip.compress(GOOD.encode())[:-8] + b"\1" * 8),
    "no Parquet": file("a.parquet", GOOD),
    "Parquet that is cut": file("a.parquet", lambda: cut(parquet({"text": ["a"] * 100}), 0.7)),
    "Parquet of two marks": file("a.parquet", b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1"),
    "Parquet with junk inside": file(
        "a.parquet", lambda: parquet({"text": ["a"] * 9}).replace(b"text", b"\xff\xfe\xfd\xfc")
    ),
    "Parquet of lists": file("a.parquet", lambda: parquet({"text": [["a"]] * 30, "label": ["a", "b", "c"] * 10})),
    "NUL": file("a.csv", "text,label\na\0b,0\n"),
    "no text": file("a.csv", bytes(range(256)) * 100),
    "a byte that is no letter anywhere": file("a.csv", GOOD.encode() + b"\x81,a\n"),
    "halves of letters": file(
        "a.jsonl", "".join(f'{{"text": "good \\ud800 {n}", "label": "{n % 2}"}}\n' for n in range(30))
    ),
    "a quotation mark left open": file("a.csv", GOOD + '"open,a\n' + "line\n" * 99),
    "bare carriage returns": file("a.csv", GOOD.replace("\n", "\r")),
    "too many fields": file("a.csv", GOOD + "a,b,c\n"),
    "columns twice": file("a.csv", "text,text,label\na,b,0\n"),
    "no names": file("a.csv", ",,\n1,2,3\n"),
    "nothing": file("a.csv", ""),
    "nothing but ends of lines": file("a.csv", "\n" * 10_000),
    "only a header": file("a.csv", "text,label\n"),
    "one class": file("a.csv", "text,label\n" + "a text,0\n" * 30),
    "JSON that is a number": file("a.json", "7"),
    "JSON that is an array of numbers": file("a.json", "[1, 2, 3]"),
    "an array left open": file("a.json", '[{"text": "a", "label": 0}'),
    "an array and then something": file("a.json", '[{"text": "a", "label": 0}] x'),
    "an array of commas": file("a.json", "[,,,]"),
    "an array with a comma too many": file("a.json", '[{"text": "a", "label": 0},]'),
    "texts that are objects": file("a.jsonl", '{"text": {"a": 1}, "label": 0}\n' * 30),
    "labels that are lists": file("a.jsonl", '{"text": "a film", "label": [[1]]}\n' * 30),
    "labels that are NaN": file("a.jsonl", '{"text": "a film", "label": NaN}\n' * 30),
    "labels beyond all numbers": file(
        "a.jsonl", '{"text": "a film", "label": 1e400}\n{"text": "b", "label": -1e400}\n' * 30
    ),
    "a pipe": placed("a.csv", os.mkfifo),
    "a device": placed("a.csv", lambda path: path.symlink_to("/dev/zero")),
    "random without end": placed("a.csv", lambda path: path.symlink_to("/dev/urandom")),
    "a terminal": placed("a.csv", lambda path: path.symlink_to("/dev/tty")),
    "a folder": placed("a.csv", Path.mkdir),
    "a link to itself": placed("a.csv", lambda path: path.symlink_to("a.csv")),
    "a link to nowhere": placed("a.csv", lambda path: path.symlink_to("nowhere")),
    "a pickle": file("a.pkl", b"\x80\x04\x95"),
    "meta.json that is deep": placed(
        "a",
        lambda path: (path.mkdir(), (path / "train.csv").write_text(GOOD), (path / "meta.json").write_text("[" * 5000)),
    ),
    "meta.json that is a pipe": placed(
        "a", lambda path: (path.mkdir(), (path / "train.csv").write_text(GOOD), os.mkfifo(path / "meta.json"))
    ),
    "a split that is a pipe": placed("a", lambda path: (path.mkdir(), os.mkfifo(path / "train.csv"))),
}
STEERING = "\x1b]0;owned\x07\x1b[2J\u202e"


def inputs() -> list[Hostile]:
    found = [Hostile(f"data, bomb: {name}", make) for name, make in BOMBS.items()]
    odd = {"halves of letters", "bare carriage returns", "gzip and then something", "labels beyond all numbers"}
    odd |= {"meta.json that is a pipe", "Parquet of lists", "Parquet with junk inside", "labels that are lists"}
    found += [
        taken(f"data: {name}", make, heavy=True) if name in odd else Hostile(f"data: {name}", make)
        for name, make in BROKEN.items()
    ]
    names = file("a.csv", f"text,{STEERING}\n" + "a film,x\nb film,y\n" * 9)
    found += [
        taken("data: a column that steers", names, heavy=True),
        Hostile("data: labels that steer", file("a.csv", "text,label\n" + f"a film,{STEERING}\n" * 40)),
        Hostile("data: a name that steers", lambda root: training(f"{STEERING}.csv")),
        Hostile("data: a name that is no text", lambda root: ["train", "--data", b"a\xff.csv", "--out", "made"]),
        Hostile("data: a name with a line end", lambda root: training("a\nb.csv")),
        Hostile("data: a name without end", lambda root: training("x" * 5000 + ".csv")),
    ]
    return found
