"""A journal survives being cut anywhere, and refuses what is no journal or of another schema."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.journal import (
    JOURNAL,
    KIND,
    SCHEMA,
    append,
    begin,
    disagreements,
    entries,
    first_line,
    flat,
    line,
    read,
    same,
)


@dataclass(frozen=True)
class Head:
    seed: int = 7
    schema: int = SCHEMA
    kind: str = KIND
    settings: dict[str, object] = field(default_factory=lambda: {"eps": [0.1]})


@dataclass(frozen=True)
class Note:
    index: int
    text: str = "a good film"
    loss: float = 0.5


NOTES = [Note(index, loss=index / 8) for index in (3, 0, 2, 1)]


def written(folder: Path) -> Path:
    path = folder / JOURNAL
    begin(path, Head())
    assert list(append(path, NOTES)) == NOTES
    return path


def test_what_is_written_is_read_back_in_its_order(tmp_path: Path) -> None:
    header, records = read(written(tmp_path)) or ({}, [])
    assert header == {"seed": 7, "schema": SCHEMA, "kind": KIND, "settings": {"eps": [0.1]}}
    assert [Note(**record) for record in records] == NOTES
    assert first_line(tmp_path / JOURNAL) == header


def test_a_journal_cut_at_any_byte_goes_on_without_loss_or_repetition(tmp_path: Path) -> None:
    whole = written(tmp_path).read_bytes()
    path = tmp_path / "cut.jsonl"
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        here = read(path)
        begin(path, Head())
        records = [] if here is None else here[1]
        assert len(records) == max(whole[:length].count(b"\n") - 1, 0)
        done = {record["index"] for record in records}
        list(append(path, [note for note in NOTES if note.index not in done]))
        assert path.read_bytes() == whole


def test_a_torn_header_is_none_and_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    begin(path, Head())
    whole = path.read_bytes()
    for cut in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert read(path) is None and first_line(path) is None
        begin(path, Head())
        assert path.read_bytes() == whole


def test_a_record_is_in_the_file_before_it_is_passed_on(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    begin(path, Head())
    for count, _ in enumerate(append(path, NOTES), start=1):
        assert path.read_bytes().count(b"\n") == 1 + count


def test_numbers_json_cannot_write_are_never_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        line(Note(0, loss=float("nan")))


def test_half_a_character_does_not_spoil_a_journal(tmp_path: Path) -> None:
    path, odd = tmp_path / JOURNAL, Note(0, "good \ud800 film")
    begin(path, Head())
    list(append(path, [odd]))
    assert [Note(**record) for record in (read(path) or ({}, []))[1]] == [odd]


@pytest.mark.parametrize("extra", [b"{}\n", b"\x00\x00\n", b"[1]\n", b'{"index": "x"}\n', b'{"index": 3\n'])
def test_a_damaged_line_is_named(tmp_path: Path, extra: bytes) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes() + extra)
    with pytest.raises(BadInput, match="line 6 is no record; delete the file to compute it again"):
        read(path)


@pytest.mark.parametrize("first", ['{"a": 1}', "[]", "garbage", '{"kind": "unfooled search", "schema": 1}', "null"])
def test_a_foreign_file_is_refused(tmp_path: Path, first: str) -> None:
    path = tmp_path / JOURNAL
    path.write_text(f"{first}\n")
    for reads in (read, first_line):
        with pytest.raises(BadInput, match="is not from an evaluation; choose another folder"):
            reads(path)


@pytest.mark.parametrize("kind", [KIND, "unfooled attack"])
@pytest.mark.parametrize("schema", [1, 99, None])
def test_another_schema_is_refused_with_how_to_measure_again(tmp_path: Path, kind: str, schema: int | None) -> None:
    path = tmp_path / JOURNAL
    path.write_text(json.dumps({"kind": kind, "schema": schema, "trial": "clean"}) + "\n")
    words = f"has schema version {schema}, this unfooled reads {SCHEMA}; measure again into a new folder: uf.evaluate"
    for reads in (read, first_line):
        with pytest.raises(BadInput, match=words):
            reads(path)


def test_an_attack_of_its_own_kind_is_refused_whatever_its_schema(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    path.write_text(json.dumps({"kind": "unfooled attack", "schema": SCHEMA}) + "\n")
    with pytest.raises(BadInput, match="measure again into a new folder"):
        read(path)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(BadInput, match="taken is a file; give a folder for the results"):
        begin(tmp_path / "taken" / JOURNAL, Head())


def test_disagreements_name_what_is_deep_inside() -> None:
    one, other = {"a": {"b": {"c": 1}}, "d": [1, 2]}, {"a": {"b": {"c": 2}}, "d": [1, 2], "e": 3}
    assert disagreements(flat(one), flat(other)) == ["a.b.c (1 there, 2 now)", "e (None there, 3 now)"]


def test_long_values_are_cut_in_sentences() -> None:
    [told] = disagreements({"hash": "a" * 64}, {"hash": "b" * 64})
    assert told == f"hash ({'a' * 12}… there, {'b' * 12}… now)"


def test_values_are_the_same_up_to_rounding_and_not_beyond() -> None:
    assert same([0.1 + 0.2, {"a": 0.0}], [0.3, {"a": 1e-13}])
    assert not same([0.3], [0.3001]) and not same({"a": 1}, {"b": 1}) and not same(None, 0)


def test_entries_come_one_at_a_time_and_none_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path)
    with path.open("ab") as file:
        file.write(b"no record\n")
    lines = entries(path)
    assert next(lines)["kind"] == KIND and "index" in next(lines)  # before anybody has seen that a later line is broken
    with pytest.raises(BadInput, match="is no record"):
        list(lines)
