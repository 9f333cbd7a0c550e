"""Hostile archives: workbooks of Excel that somebody trains on, and .skops files that somebody attacks."""

import gzip
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from hostile.grounds_of import copied
from hostile.hostile_input import Hostile, Make

Part = bytes | Iterable[bytes]
SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
END = b"</sheetData></worksheet>"
WORDS = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
NAMES = b'<row><c t="inlineStr"><is><t>text</t></is></c><c t="inlineStr"><is><t>label</t></is></c></row>'
ROW = b'<row><c t="inlineStr"><is><t>a film</t></is></c><c><v>%d</v></c></row>'
CELL = b'<c t="inlineStr"><is><t>c%d</t></is></c>'
MEGABYTE = b"0" * 2**20


def archive(parts: Mapping[str, Part]) -> bytes:
    """A packed folder; of parts that are many pieces none is ever held whole."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in parts.items():
            with packed.open(name, "w", force_zip64=True) as file:
                for piece in [part] if isinstance(part, bytes) else part:
                    file.write(piece)
    return out.getvalue()


def workbook(changed: Mapping[str, Part]) -> bytes:
    """A workbook as openpyxl saves it, some of its parts exchanged."""
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in (["text", "label"], *(["a film", n % 2] for n in range(30))):
        book.active.append(row)
    book.save(out)
    with zipfile.ZipFile(out) as packed:
        return archive({**{name: packed.read(name) for name in packed.namelist()}, **changed})


def sheet(*rows: Part) -> dict[str, Part]:
    def pieces() -> Iterable[bytes]:
        yield SHEET
        for row in rows:
            yield from [row] if isinstance(row, bytes) else row
        yield END

    return {"xl/worksheets/sheet1.xml": pieces()}


def smaller(content: bytes) -> bytes:
    """An archive whose table says of every part that it unpacks to ten bytes."""
    found, raw = content.find(b"PK\x01\x02"), bytearray(content)
    while found >= 0:
        raw[found + 24 : found + 28] = struct.pack("<I", 10)
        found = content.find(b"PK\x01\x02", found + 4)
    return bytes(raw)


def endless() -> bytes:
    """An archive whose list of half a million parts is where only a reader of large numbers looks."""
    part = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"a"
    listed = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    many, start, size = 500_000, len(part), 500_000 * len(listed)
    large = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, many, many, size, start)
    pointer = struct.pack("<4sIQI", b"PK\6\7", 0, start + size, 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 2**16 - 1, 2**16 - 1, 100, 2**32 - 1, 0)
    return part + listed * many + large + pointer + end


def behind_ballast() -> bytes:
    """A million words, and noise beside them that keeps the whole from growing much."""
    words = [WORDS, *[b"<si><t/></si>" * 10**5] * 10]
    return workbook({"xl/sharedStrings.xml": words, "xl/media/noise.bin": random.Random(0).randbytes(300_000)})


def laughs(before: bytes = b"") -> bytes:
    """Words that are ten of the word before, nine times over."""
    words = b"".join(b'<!ENTITY w%d "%b">' % (n, b"&w%d;" % (n - 1) * 10) for n in range(1, 10))
    return b'<?xml version="1.0"?>' + before + b'<!DOCTYPE s [<!ENTITY w0 "ha">' + words + b"]><s>&w9;</s>"


BOOKS: dict[str, Callable[[], bytes]] = {
    "a part of zeros": lambda: workbook({"xl/media/a.bin": [MEGABYTE] * 300}),
    "a word of 300 MB": lambda: workbook({"xl/sharedStrings.xml": [WORDS, b"<si><t>", *[MEGABYTE] * 300]}),
    "ten million words": lambda: workbook({"xl/sharedStrings.xml": [WORDS, *[b"<si><t/></si>" * 10**5] * 100]}),
    "a text of 100 MB": lambda: workbook(sheet(NAMES, b'<row><c t="inlineStr"><is><t>', [MEGABYTE] * 100)),
    "a million rows": lambda: workbook(sheet(NAMES, [ROW % 1 * 10**4] * 100)),
    "ten million empty rows": lambda: workbook(sheet(NAMES, [b"<row/>" * 10**5] * 100)),
    "a row at the end of all numbers": lambda: workbook(sheet(NAMES, b'<row r="999999999"><c><v>1</v></c></row>')),
    "a row below zero": lambda: workbook(sheet(NAMES, b'<row r="-7"><c r="A-7"><v>1</v></c></row>')),
    "a column at the end of all letters": lambda: workbook(sheet(b'<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>')),
    "a million columns": lambda: workbook(sheet(b"<row>", [CELL % 1 * 10**4] * 100, b"</row>")),
    "deep XML": lambda: workbook(sheet(NAMES, b"<row>" * 10**6)),
    "words of words": lambda: workbook({"xl/sharedStrings.xml": laughs()}),
    "words of words behind a remark": lambda: workbook(
        {"xl/sharedStrings.xml": laughs(b"<!--" + bytes(range(97, 123)) * 10_000 + b"-->")}
    ),
    "words of words in wide letters": lambda: workbook(
        {"xl/sharedStrings.xml": laughs().replace(b"?>", b' encoding="utf-16"?>').decode().encode("utf-16")}
    ),
    "100,000 parts": lambda: workbook({f"xl/{n}": b"" for n in range(10**5)}),
    "parts that say they are small": lambda: smaller(workbook({})),
    "a bomb that says it is small": lambda: smaller(workbook({"xl/sharedStrings.xml": [MEGABYTE] * 300})),
    "a sheet that is elsewhere": lambda: workbook(
        {"xl/_rels/workbook.xml.rels": b'<Relationships><Relationship Target="../../../etc/passwd"/></Relationships>'}
    ),
    "no XML": lambda: workbook({"xl/workbook.xml": b"\xff\xfe\x00"}),
    "cut": lambda: workbook({})[:-200],
    "nothing": lambda: archive({}),
    "half a million parts, told elsewhere": endless,
    "a million words behind ballast": behind_ballast,
}


def schema(text: Part) -> bytes:
    return archive({"schema.json": text})


ESTIMATORS: dict[str, Callable[[], bytes]] = {
    "a schema of zeros": lambda: schema([b'{"a": "', *[MEGABYTE] * 300]),
    "a part of zeros": lambda: archive({"schema.json": b"{}", "1.npy": [MEGABYTE] * 300}),
    "a deep schema": lambda: schema(b'{"a":' * 5000 + b"0" + b"}" * 5000),
    "a schema that is a list": lambda: schema(b"[]"),
    "no schema": lambda: archive({"a.json": b"{}"}),
    "no archive": lambda: b"\x80\x04\x95",
    "half a million parts, told elsewhere": endless,
    "code": lambda: schema(
        json.dumps(
            {
                "__class__": "system",
                "__module__": "os",
                "__loader__": "FunctionNode",
                "__id__": 1,
                "content": {"function": "system", "module_path": "os"},
                "protocol": 2,
            }
        ).encode()
    ),
}


def trained_on(name: str, content: Callable[[], bytes]) -> Make:
    def make(root: Path) -> Sequence[str | Path]:
        (copied(root, "encoder") / name).write_bytes(content())
        return ["train", "--data", name, "--model", "encoder", "--out", "made", "--set", "plan.max_steps=1"]

    return make


def attacked(content: Callable[[], bytes]) -> Make:
    def make(root: Path) -> Sequence[str | Path]:
        (copied(root, "reviews.csv") / "a.skops").write_bytes(content())
        return ["attack", "a.skops", "--data", "reviews.csv", "--out", "made", "--attack", "deepwordbug"]

    return make


def inputs() -> list[Hostile]:
    found = [Hostile(f"workbook: {name}", trained_on("a.xlsx", content)) for name, content in BOOKS.items()]
    packed = lambda: gzip.compress(workbook({"xl/media/a.bin": [MEGABYTE] * 300}))  # noqa: E731
    found += [Hostile("workbook: packed once more", trained_on("a.xlsx.gz", packed))]
    return found + [Hostile(f"skops: {name}", attacked(content), heavy=True) for name, content in ESTIMATORS.items()]
