"""Logs come back as they were written, and those of one folder agree on what they must and may differ in the rest."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toys import Bag, attacked, labelled, sentences

from unfooled.attacks import PWWS, AttackRecord
from unfooled.errors import BadInput
from unfooled.journal import JOURNAL, append, begin, line
from unfooled.results.log import Header, differences, read_header, read_log, refuse_different
from unfooled.trials.kept.climbs import PGDRecord, WorstPoint

POINT = WorstPoint(0.1, 0, 0.25, 1.5, (0.5, 1.0, 1.5), 0.75, 0.125, 0.1, 1)
RECORDS = [PGDRecord(index, 1, index % 2, 0.5, 0.625, 0.25, (POINT,)) for index in (3, 0, 2, 1)]
HEADER = Header(
    "pgd", "tiny", "ab" * 32, ("no", "yes"), 16, "mr", "cd" * 32, 4, "ef" * 32, 7, {"steps": 3, "eps": [0.1]}
)
WORDS = replace(
    HEADER, trial="pwws", model_hash="abc", examples=12, examples_hash="ghi", unit="attacked example",
    settings={
        "most": None, "column": None, "target": None, "queries": 5000, "seconds": None, "similarity": None,
        "attack": {"pos": "same"}, "parts": {"similarity": None},
    },
)  # fmt: skip


def written(folder: Path, header: Header = HEADER, records: list[Any] = RECORDS) -> Path:
    path = folder / JOURNAL
    begin(path, header)
    assert list(append(path, records)) == records
    return path


def attack_records() -> list[AttackRecord]:
    texts = sentences(12)
    return attacked(PWWS(), Bag(), texts, labelled(Bag(), texts))


def test_what_is_written_is_read_back_by_index(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert read_log(path) == (HEADER, sorted(RECORDS, key=lambda record: record.index))
    assert read_header(path) == HEADER


def test_records_of_an_attack_come_back_as_they_went_in(tmp_path: Path) -> None:
    records = attack_records()
    assert read_log(written(tmp_path, WORDS, records[::-1])) == (WORDS, records)


def test_the_header_names_kind_schema_versions_seed_and_hashes(tmp_path: Path) -> None:
    header = json.loads(written(tmp_path).read_text().splitlines()[0])
    assert (header["kind"], header["schema"]) == ("unfooled evaluation", 2)
    assert set(header["versions"]) >= {"unfooled", "torch", "transformers", "python"}
    assert (header["seed"], header["model_hash"], header["data_hash"]) == (7, "ab" * 32, "cd" * 32)


def test_a_torn_last_line_is_not_there_yet(tmp_path: Path) -> None:
    records = attack_records()
    path = written(tmp_path, WORDS, records)
    whole = path.read_bytes()
    for cut in range(len(whole) - 1, len(whole) - 40, -3):
        path.write_bytes(whole[:cut])
        assert read_log(path) == (WORDS, records[:-1])
        begin(path, WORDS)
        list(append(path, records[-1:]))
        assert path.read_bytes() == whole


def test_a_torn_header_is_no_log_yet(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL
    path.write_bytes(line(HEADER)[:-1])
    assert read_log(path) is None and read_header(path) is None


@pytest.mark.parametrize(
    "extra",
    [
        b"{}\n",
        b"\x00\x00\n",
        b'{"index": "x"}\n',
        b'{"index": 1}\n',
        line(RECORDS[0]),
        line(replace(RECORDS[0], index=4)),
    ],
)
def test_a_damaged_log_is_refused_by_line(tmp_path: Path, extra: bytes) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes() + extra)
    with pytest.raises(BadInput, match="line 6"):
        read_log(path)


@pytest.mark.parametrize("change", [{"vector": (0.5, 1e101)}, {"vector": (-1e101,)}, {"loss": 1e300}, {"loss": -1e300}])
def test_numbers_that_are_too_far_from_zero_are_refused_at_any_depth(tmp_path: Path, change: dict[str, Any]) -> None:
    far = replace(RECORDS[0], attacks=(replace(POINT, losses=(0.5, 1e101)),))
    for record in (replace(RECORDS[0], **change), far):
        (tmp_path / JOURNAL).unlink(missing_ok=True)
        with pytest.raises(BadInput, match="line 2 is no record"):
            read_log(written(tmp_path, records=[record]))


def test_no_example_may_be_there_twice(tmp_path: Path) -> None:
    path = written(tmp_path, WORDS, [attack_records()[0]] * 2)
    with pytest.raises(BadInput, match="line 3: example 0 is there twice"):
        read_log(path)


def test_a_damaged_header_is_named_by_its_place(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"seed": 7', b'"seed": "x"'))
    for reads in (read_log, read_header):
        with pytest.raises(BadInput, match="line 1: the header is damaged at seed; delete the file"):
            reads(path)


@pytest.mark.parametrize("schema", [1, 99])
def test_another_schema_version_is_refused(tmp_path: Path, schema: int) -> None:
    path = tmp_path / JOURNAL
    path.write_bytes(line(replace(HEADER, schema=schema)))
    for reads in (read_log, read_header):
        with pytest.raises(BadInput, match=f"schema version {schema}, this unfooled reads 2"):
            reads(path)
    with pytest.raises(BadInput, match=f"schema version {schema}"):
        refuse_different(path, HEADER, same_model=True)


def test_a_trial_of_another_version_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"trial": "pgd"', b'"trial": "telepathy"'))
    with pytest.raises(BadInput, match="a trial called telepathy, which this unfooled does not know"):
        read_log(path)


def test_a_trial_of_another_task_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, replace(HEADER, trial="perplexity"), [])
    with pytest.raises(BadInput, match="perplexity is no trial of a classifier"):
        read_log(path)


def test_an_attack_that_is_in_no_table_is_read_as_any_attack(tmp_path: Path) -> None:
    own, records = replace(WORDS, trial="somebodys_own"), attack_records()
    header, found = read_log(written(tmp_path, own, records)) or (None, [])
    assert header == own and found == records and own.form.unit == "attacked example"


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"model_hash": "x"}, "model_hash"),
        ({"max_length": 8}, "max_length"),
        ({"labels": ("yes", "no")}, "labels"),
        ({"data_hash": "x"}, "data_hash"),
        ({"examples_hash": "x"}, "examples_hash"),
        ({"examples": 5}, "examples"),
        ({"seed": 8}, r"seed \(7 there, 8 now\)"),
        ({"task": "multilabel"}, "task"),
        ({"settings": {"steps": 3, "eps": [0.2]}}, r"settings\.eps \(0\.1 there, 0\.2 now\)"),
        ({"settings": {"steps": 3}}, r"settings\.eps"),
    ],
)
def test_a_log_of_something_else_is_refused_by_key(tmp_path: Path, change: dict, key: str) -> None:
    path = written(tmp_path)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=f"is from another evaluation, which differs in .*{key}"):
        refuse_different(path, replace(HEADER, **change), same_model=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"attack": {"pos": "any"}}, r"settings.attack.pos \(same there, any now\)"),
        ({"target": "no"}, r"settings.target \(None there, no now\)"),
        ({"column": 1}, "settings.column"),
        ({"queries": 1}, r"settings.queries \(5000 there, 1 now\)"),
        ({"parts": {"similarity": "minilm"}}, "settings.parts.similarity"),
    ],
)
def test_another_attack_is_refused_by_what_differs(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = written(tmp_path, WORDS, attack_records())
    other = replace(WORDS, settings={**WORDS.settings, **change})
    with pytest.raises(BadInput, match=words):
        refuse_different(path, other, same_model=True)
    refuse_different(path, replace(other, trial="random"), same_model=True)  # an attack of its own


def test_what_may_differ_is_not_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    refuse_different(path, replace(HEADER, versions={}, data="renamed", model="moved"), same_model=True)
    refuse_different(path, replace(HEADER, model_hash="x", labels=("a", "b")), same_model=False)
    refuse_different(path, replace(HEADER, trial="clean", settings={}), same_model=True)
    path.write_bytes(b'{"half a header')
    refuse_different(path, replace(HEADER, seed=8), same_model=True)


def test_a_model_that_reads_otherwise_is_refused_where_both_logs_say_how_and_of_the_same_versions() -> None:
    one, other = (replace(HEADER, rules_hash=mark) for mark in ("one", "other"))
    assert differences(one, other, same_model=True) == ["rules_hash (one there, other now)"]
    assert differences(one, other, same_model=False) == differences(HEADER, other, same_model=True) == []
    assert differences(one, replace(other, versions={"transformers": "6"}), same_model=True) == []


def test_all_differences_are_named() -> None:
    assert len(differences(HEADER, replace(HEADER, seed=1, data_hash="x", settings={}), same_model=True)) == 4


def test_other_units_may_be_more_or_fewer_and_other_sources_other_data() -> None:
    triples = replace(HEADER, trial="hits", settings={}, unit="triple", examples=3, examples_hash="x")
    assert differences(HEADER, triples, same_model=True) == []
    assert differences(HEADER, replace(triples, data_hash="x"), same_model=True) != []
    pairs = replace(triples, trial="contrast", unit="text", source="contrast", data_hash="x")
    assert differences(HEADER, pairs, same_model=True) == []
    assert differences(pairs, replace(pairs, data_hash="y"), same_model=False) != []


def test_a_callable_is_told_by_its_name() -> None:
    mine = replace(HEADER, model="mine", model_hash="")
    assert differences(mine, replace(mine, model="yours"), same_model=True) == ["model (mine there, yours now)"]


def test_settings_inside_settings_are_compared_one_by_one() -> None:
    one = replace(HEADER, settings={"attack": {"pos": "same"}, "most": 5})
    other = replace(HEADER, settings={"attack": {"pos": "any"}, "most": 5})
    assert differences(one, other, same_model=True) == ["settings.attack.pos (same there, any now)"]
