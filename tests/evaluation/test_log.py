"""The log survives being cut anywhere, and refuses to be continued as something else."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.evaluation.log import append, begin, disagreements, flat, line, read
from unfooled.evaluation.records import Attack, Record
from unfooled.evaluation.trial_log import FORM, Header

HIT = Attack(0.1, 0, 0.25, 1.5, (0.5, 1.0, 1.5), 0.75, 0.125, 0.1, 1)
RECORDS = [Record(index, 1, index % 2, 0.5, 0.625, 0.25, (HIT,)) for index in (3, 0, 2, 1)]
HEADER = Header(
    "pgd", "tiny", "ab" * 32, ("no", "yes"), 16, "mr", "cd" * 32, 4, "ef" * 32, 7, {"steps": 3, "eps": [0.1]}
)


def written(path: Path, records: list[Record] = RECORDS) -> Path:
    log = path / "examples.jsonl"
    assert begin(log, HEADER, FORM) == []
    assert list(append(log, records)) == records
    return log


def test_what_is_written_is_read_back_by_index(tmp_path: Path) -> None:
    found = read(written(tmp_path), FORM)
    assert found == (HEADER, sorted(RECORDS, key=lambda record: record.index))


def test_the_header_names_schema_versions_seed_and_hashes(tmp_path: Path) -> None:
    header = json.loads(written(tmp_path).read_text().splitlines()[0])
    assert header["schema"] == 1
    assert set(header["versions"]) >= {"unfooled", "torch", "transformers", "python"}
    assert (header["seed"], header["model_hash"], header["data_hash"]) == (7, "ab" * 32, "cd" * 32)


def test_a_log_cut_at_any_byte_resumes_without_loss_or_repetition(tmp_path: Path) -> None:
    whole = written(tmp_path).read_bytes()
    log = tmp_path / "cut.jsonl"
    for length in [*range(0, len(whole), 7), len(whole) - 1, len(whole)]:
        log.write_bytes(whole[:length])
        ends = whole[:length].count(b"\n")
        done = {record.index for record in begin(log, HEADER, FORM)}
        assert len(done) == max(ends - 1, 0)
        list(append(log, [record for record in RECORDS if record.index not in done]))
        assert log.read_bytes() == whole


def test_a_record_is_in_the_file_before_it_is_passed_on(tmp_path: Path) -> None:
    log = tmp_path / "examples.jsonl"
    begin(log, HEADER, FORM)
    for count, _ in enumerate(append(log, RECORDS), start=1):
        assert log.read_bytes().count(b"\n") == 1 + count


def test_numbers_json_cannot_write_are_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        line(replace(RECORDS[0], loss=float("nan")))


@pytest.mark.parametrize(
    "extra",
    [b"{}\n", b"\x00\x00\n", b'{"index": "x"}\n', line(RECORDS[0]), line(replace(RECORDS[0], index=4))],
)
def test_a_damaged_log_is_refused_by_line(tmp_path: Path, extra: bytes) -> None:
    log = written(tmp_path)
    log.write_bytes(log.read_bytes() + extra)
    with pytest.raises(BadInput, match="line 6"):
        read(log, FORM)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (b'{"a": 1}', "not from an evaluation"),
        (b"[]", "not from an evaluation"),
        (b"garbage", "not from an evaluation"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, first: bytes, message: str) -> None:
    log = tmp_path / "examples.jsonl"
    log.write_bytes(first + b"\n")
    with pytest.raises(BadInput, match=message):
        begin(log, HEADER, FORM)


def test_another_schema_version_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "examples.jsonl"
    log.write_bytes(line(replace(HEADER, schema=99)))
    with pytest.raises(BadInput, match="schema version 99, this unfooled reads 1"):
        begin(log, HEADER, FORM)
    with pytest.raises(BadInput, match="schema version 99"):
        read(log, FORM)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(BadInput, match="taken is a file; give a folder for an evaluation"):
        begin(tmp_path / "taken" / "examples.jsonl", HEADER, FORM)


def test_disagreements_name_what_is_deep_inside() -> None:
    one, other = {"a": {"b": {"c": 1}}, "d": [1, 2]}, {"a": {"b": {"c": 2}}, "d": [1, 2], "e": 3}
    assert disagreements(flat(one), flat(other)) == ["a.b.c (1 there, 2 now)", "e (None there, 3 now)"]
