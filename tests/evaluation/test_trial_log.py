"""Logs of one folder agree on what they must, and may differ in the rest."""

from dataclasses import replace
from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.evaluation.log import begin
from unfooled.evaluation.trial_log import FORM, Header, differences, refuse_different

HEADER = Header(
    "pgd", "tiny", "ab" * 32, ("no", "yes"), 16, "mr", "cd" * 32, 4, "ef" * 32, 7, {"steps": 3, "eps": [0.1]}
)


def written(path: Path) -> Path:
    log = path / "examples.jsonl"
    begin(log, HEADER, FORM)
    return log


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"model_hash": "x"}, "model_hash"),
        ({"max_length": 8}, "max_length"),
        ({"labels": ("yes", "no")}, "labels"),
        ({"data_hash": "x"}, "data_hash"),
        ({"examples_hash": "x"}, "examples_hash"),
        ({"examples": 5}, "examples"),
        ({"seed": 8}, "seed"),
        ({"settings": {"steps": 3, "eps": [0.2]}}, r"settings\.eps \(0\.1 there, 0\.2 now\)"),
        ({"settings": {"steps": 3}}, r"settings\.eps"),
    ],
)
def test_a_log_of_something_else_is_refused_by_key(tmp_path: Path, change: dict, key: str) -> None:
    with pytest.raises(BadInput, match=key):
        refuse_different(written(tmp_path), replace(HEADER, **change), same_model=True)


def test_what_may_differ_is_not_refused(tmp_path: Path) -> None:
    log = written(tmp_path)
    refuse_different(log, replace(HEADER, versions={}, data="renamed", model="moved"), same_model=True)
    refuse_different(log, replace(HEADER, model_hash="x", labels=("a", "b")), same_model=False)
    refuse_different(log, replace(HEADER, trial="clean", settings={}), same_model=True)
    log.write_bytes(b'{"half a header')
    refuse_different(log, replace(HEADER, seed=8), same_model=True)


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


def test_a_trial_of_another_version_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "examples.jsonl"
    begin(log, HEADER, FORM)
    log.write_bytes(log.read_bytes().replace(b'"trial": "pgd"', b'"trial": "telepathy"'))
    with pytest.raises(BadInput, match="a trial called telepathy, which this unfooled does not know"):
        begin(log, HEADER, FORM)
