"""Files of trials come back as they were written, older ones too; damaged ones are one sentence."""

import json
from pathlib import Path

import pytest
from language_ground import continued, near, perplexities, save_found, sides

from unfooled.errors import BadInput
from unfooled.evaluation.language_results import (
    kind_of_trial,
    language_files,
    open_language,
    read_found,
    read_stored,
    write_summary,
)

FOUND = continued("runs/a", [("the old", "old", "man ran", "dog ran")])
HEADER = {"model_hash": "hash of runs/a", "data_hash": "d test 40", "settings": {"radius": 3.0, "count": 3}}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = save_found(tmp_path, FOUND)
    stored = read_stored(path)
    assert stored.found == FOUND and (stored.data, stored.split, stored.examples) == ("ptb", "test", 40)
    assert read_found(path, HEADER) == FOUND and "unfooled" in stored.versions
    assert read_found(tmp_path / "nothing.json", HEADER) is None


def test_files_that_do_not_name_their_data_are_read(tmp_path: Path) -> None:
    path = save_found(tmp_path, FOUND)
    old = {name: value for name, value in json.loads(path.read_text()).items() if name in {*HEADER, "schema"}}
    path.write_text(json.dumps({**old, "model": "m", "trial": "continuation", "scores": {}, "texts": []}))
    stored = read_stored(path)
    assert (stored.data, stored.split, stored.examples, stored.versions) == ("", "", None, {})


@pytest.mark.parametrize("key", ["model_hash", "data_hash", "settings"])
def test_what_was_asked_otherwise_is_refused(tmp_path: Path, key: str) -> None:
    path = save_found(tmp_path, FOUND)
    with pytest.raises(BadInput, match="was found with another model, other data or settings"):
        read_found(path, {**HEADER, key: {"radius": 1.0} if key == "settings" else "other"})


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "model": 3}', "\udcff"])
def test_damaged_files_are_one_sentence(tmp_path: Path, text: str) -> None:
    path = save_found(tmp_path, FOUND)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput, match=r"continuation\.json is damaged; delete it"):
        read_stored(path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = save_found(tmp_path, FOUND)
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": 9}))
    with pytest.raises(BadInput, match="schema version 9, this unfooled reads 1"):
        read_stored(path)


def test_a_folder_is_read_in_the_order_it_was_filled_in(tmp_path: Path) -> None:
    found = [perplexities("b", 20.0, []), near("b", dog=[("cat", 1.0)]), perplexities("a", 10.0, [])]
    for one in found:
        save_found(tmp_path, one)
    order = [("a", "perplexity"), ("b", "perplexity"), ("b", "neighbours")]
    assert [(one.model, one.trial) for one in open_language(tmp_path)] == order  # unknown, so by name
    write_summary(tmp_path, found)
    assert [(one.model, one.trial) for one in open_language(tmp_path)] == [*order[1:], order[0]]
    (tmp_path / "summary.json").write_text("[1]")
    assert [(one.model, one.trial) for one in open_language(tmp_path)] == order


def test_folders_of_something_else_have_no_such_files(tmp_path: Path) -> None:
    (tmp_path / "model" / "clean").mkdir(parents=True)
    (tmp_path / "model" / "clean" / "examples.jsonl").write_text("{}")
    (tmp_path / "model" / "summary.json").write_text("{}")
    assert language_files(tmp_path) == [] == language_files(tmp_path / "nowhere")
    assert kind_of_trial("neighbours") == "lm" and kind_of_trial(sides("a", []).trial) == "translation"
