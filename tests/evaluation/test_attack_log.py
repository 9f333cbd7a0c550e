import json
from dataclasses import replace
from pathlib import Path

import pytest
from toys import Bag, attacked, labelled, sentences

from unfooled.attacks import PWWS, AttackRecord
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import LOG, AttackHeader, differences, read_attack, resume
from unfooled.evaluation.log import append

HEADER = AttackHeader(
    attack="pwws", settings={"pos": "same"}, target=None, column=0, budget={"queries": 5000, "seconds": None},
    parts={"similarity": None}, model="toy", model_hash="abc", labels=("no", "yes"), max_length=None, data="toys",
    data_hash="def", examples=12, examples_hash="ghi", seed=0, batches={"in_flight": 4, "batch_size": 8},
)  # fmt: skip


def records() -> list[AttackRecord]:
    texts = sentences(12)
    return attacked(PWWS(), Bag(), texts, labelled(Bag(), texts))


def test_records_come_back_as_they_went_in(tmp_path: Path) -> None:
    path = tmp_path / LOG
    assert resume(path, HEADER) == []
    written = records()
    assert list(append(path, written[::-1])) == written[::-1]
    assert read_attack(path) == (HEADER, written)
    assert resume(path, HEADER) == written


def test_a_torn_last_line_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / LOG
    resume(path, HEADER)
    list(append(path, records()))
    whole = path.read_bytes()
    for cut in range(len(whole) - 1, len(whole) - 40, -3):
        path.write_bytes(whole[:cut])
        assert resume(path, HEADER) == records()[:-1]
        list(append(path, records()[-1:]))
        assert path.read_bytes() == whole


def test_a_torn_header_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / LOG
    resume(path, HEADER)
    whole = path.read_bytes()
    for cut in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert resume(path, HEADER) == [] and path.read_bytes() == whole


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 1}, r"seed \(0 there, 1 now\)"),
        ({"settings": {"pos": "any"}}, r"settings.pos \(same there, any now\)"),
        ({"model_hash": "xyz"}, "model_hash"),
        ({"data_hash": "xyz"}, "data_hash"),
        ({"examples": 13}, "examples"),
        ({"attack": "random"}, "attack"),
        ({"target": "no"}, "target"),
        ({"column": 1}, "column"),
        ({"budget": {"queries": 1, "seconds": None}}, "budget.queries"),
        ({"parts": {"similarity": "minilm"}}, "parts.similarity"),
    ],
)
def test_another_attack_is_refused_by_what_differs(tmp_path: Path, change: dict[str, object], words: str) -> None:
    path = tmp_path / LOG
    resume(path, HEADER)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=words):
        resume(path, replace(HEADER, **change))
    assert path.read_bytes() == before


def test_batches_names_and_versions_may_differ(tmp_path: Path) -> None:
    path = tmp_path / LOG
    resume(path, HEADER)
    other = replace(HEADER, batches={"in_flight": 1, "batch_size": 1}, model="elsewhere", versions={"torch": "9"})
    assert differences(HEADER, other) == [] and resume(path, other) == []


def test_what_is_no_attack_is_refused(tmp_path: Path) -> None:
    path = tmp_path / LOG
    for content, words in (
        ('{"kind": "unfooled evaluation"}\n', "not from an attack"),
        ("nothing\n", "not from an attack"),
        ('{"kind": "unfooled attack", "schema": 99}\n', "schema version 99"),
        ('{"kind": "unfooled attack", "schema": 1}\n', "header is damaged"),
    ):
        path.write_text(content)
        with pytest.raises(BadInput, match=words):
            resume(path, HEADER)
    path.unlink()
    resume(path, HEADER)
    with path.open("a") as file:
        file.write("{}\n")
    with pytest.raises(BadInput, match="line 2 is no record"):
        read_attack(path)


def test_no_example_may_be_there_twice(tmp_path: Path) -> None:
    path = tmp_path / LOG
    resume(path, HEADER)
    list(append(path, [records()[0]] * 2))
    with pytest.raises(BadInput, match="example 0 is there twice"):
        read_attack(path)
    lines = path.read_text().splitlines()
    assert json.loads(lines[0])["kind"] == "unfooled attack" and len(lines) == 3


def test_half_a_character_does_not_spoil_a_log(tmp_path: Path) -> None:
    path = tmp_path / LOG
    resume(path, HEADER)
    odd = replace(records()[0], texts=("good \ud800 film",))
    list(append(path, [odd]))
    assert resume(path, HEADER) == [odd]


def test_another_callable_is_another_attack(tmp_path: Path) -> None:
    path, mine = tmp_path / LOG, replace(HEADER, model="mine", model_hash="")
    resume(path, mine)
    with pytest.raises(BadInput, match=r"model \(mine there, yours now\)"):
        resume(path, replace(mine, model="yours"))
