"""Journals: a header that says what a file holds, then one line of JSON per record as it is finished.

A journal is only ever appended to, and it is the checkpoint: what is in it need not be computed again.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import JsonValue

from unfooled import parsing
from unfooled.errors import BadInput, either, measuring
from unfooled.files import naming, refuse_link

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Entry = TypeVar("Entry", bound="DataclassInstance")
JOURNAL = "examples.jsonl"
BLOCK = 2**16  # bytes at the end of a journal that are looked through at once
KIND, SCHEMA = "unfooled evaluation", 2
KINDS = (KIND, "unfooled attack")  # what evaluations and attacks have called themselves


def again() -> str:
    """How results are made anew."""
    return f"{measuring('evaluate', 'FOLDER')}, or {either('unfooled attack', 'uf.attack')}"


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """The header and the records as they stand; None where not even the header was finished."""
    lines = entries(path)
    header = next(lines, None)
    return None if header is None else (header, list(lines))


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """The header, then one record after another, none of which is kept; nothing where the header was not finished.

    A last line without its end is what a killed process leaves behind: it is not there yet.
    """
    return (entry for _, entry in placed_entries(path))


def placed_entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The same, each with the byte at which its line begins."""
    start = 0
    with parsing.opened(path) as file:
        for number, line in enumerate(parsing.whole_lines(file, str(path)), start=1):
            if number == 1:
                yield 0, checked_header(path, line)
            else:
                record = record_in(line)
                if record is None:
                    raise BadInput(f"{path}, line {number} is no record; delete the file to compute it again")
                yield start, record
            start += len(line)


def record_in(line: bytes) -> dict[str, Any] | None:
    """The plain values of a record; None where a line holds none."""
    try:
        record = parsing.json_value(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("index"), int) else None


def first_line(path: Path) -> dict[str, Any] | None:
    """The header alone; None where it was not finished."""
    with parsing.opened(path) as file:
        first = next(parsing.whole_lines(file, str(path)), None)
    return None if first is None else checked_header(path, first)


def checked_header(path: Path, line: bytes) -> dict[str, Any]:
    """The header, if it is one of an evaluation and of this schema version."""
    try:
        header = parsing.json_value(line)
    except ValueError:
        header = None
    require_schema(path, header)
    assert isinstance(header, dict)
    return header


def require_schema(path: Path, stored: JsonValue) -> None:
    """Refuse JSON that is not from an evaluation, or of another schema version."""
    if not isinstance(stored, dict) or stored.get("kind") not in KINDS:
        raise BadInput(f"{path} is not from an evaluation; choose another folder")
    if stored.get("schema") != SCHEMA or stored.get("kind") != KIND:
        raise BadInput(
            f"{path} has schema version {stored.get('schema')}, this unfooled reads {SCHEMA}; "
            f"measure again into a new folder: {again()}"
        )


def begin(path: Path, header: "DataclassInstance") -> None:
    """Make a journal ready to be appended to: a half-written last line is cut off, a missing header is written."""
    if path.parent.exists() and not path.parent.is_dir():
        raise BadInput(f"{path.parent} is a file; give a folder for the results")
    path.parent.mkdir(parents=True, exist_ok=True)
    refuse_link(path)
    with naming(path):
        if not cut(path):
            with path.open("ab") as file:
                file.write(line(header))


def cut(path: Path) -> int:
    """Cut off a last line without its end, which is what a killed process leaves behind; the bytes that are left."""
    with path.open("a+b") as file:
        whole = file.seek(0, os.SEEK_END)
        while whole:
            start = max(0, whole - BLOCK)
            file.seek(start)
            end = file.read(whole - start).rfind(b"\n") + 1
            whole = start + end
            if end:
                break
        file.truncate(whole)
    return whole


def append(path: Path, records: Iterable[Entry]) -> Iterator[Entry]:
    """Pass the records on, each once it is in the journal.

    Every line is handed to the system at once, so that a killed process loses nothing it has passed on.
    """
    with naming(path), path.open("ab") as file:
        for record in records:
            file.write(line(record))
            file.flush()
            yield record


def line(entry: "DataclassInstance") -> bytes:
    """One line of strict JSON."""
    return json.dumps(asdict(entry), allow_nan=False).encode() + b"\n"


def strict(value: JsonValue) -> JsonValue:
    """The value, or None for a number JSON cannot write.

    >>> strict(float("nan")), strict(0.5)
    (None, 0.5)
    """
    return None if isinstance(value, float) and not math.isfinite(value) else value


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are equal, numbers up to rounding.

    >>> same({"a": [1.0, None]}, {"a": [1.0 + 1e-15, None]}), same([1], [1, 2]), same(True, 2)
    (True, False, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def flat(values: Mapping[str, JsonValue], above: str = "") -> dict[str, JsonValue]:
    """Values by their full names: what stands in a mapping is called after it too.

    >>> flat({"settings": {"attack": {"pos": "any"}}, "seed": 1})
    {'settings.attack.pos': 'any', 'seed': 1}
    """
    named: dict[str, JsonValue] = {}
    for name, value in values.items():
        named |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return named


def disagreements(here: Mapping[str, JsonValue], asked: Mapping[str, JsonValue]) -> list[str]:
    """The names, with both values, on which two flat mappings disagree."""
    names = dict.fromkeys([*here, *asked])
    return [
        f"{name} ({short(here.get(name))} there, {short(asked.get(name))} now)"
        for name in names
        if here.get(name) != asked.get(name)
    ]


def short(value: JsonValue) -> str:
    """A value as it fits into a sentence."""
    text = ", ".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"
