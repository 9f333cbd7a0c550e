"""Shards that are joined are what one process would have written; whatever does not fit is named."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from attack_ground import LABELS, read_otherwise, save_ground
from kills import same_results
from toy_results import INPUTS, SETTINGS, measure, toy

from unfooled.errors import BadInput
from unfooled.files import owned
from unfooled.results.log import read_header, refuse_different
from unfooled.results.merge import merge
from unfooled.results.run import evaluate
from unfooled.results.shard import Share


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Three shards of one evaluation; the third has no record of the trial that asks everything at once."""
    folders = [tmp_path / f"shard-{number}" for number in (1, 2, 3)]
    for number, folder in enumerate(folders, start=1):
        measure(folder, shard=Share(number, 3))
    return folders


def test_joined_in_any_order_they_are_the_whole(shards: list[Path], tmp_path: Path) -> None:
    whole = measure(tmp_path / "whole")
    joined = merge(shards[::-1], tmp_path / "joined")
    assert joined.rows == whole.rows and joined.warnings == whole.warnings
    same_results(tmp_path / "whole", tmp_path / "joined")
    assert merge(shards, tmp_path / "joined").rows == whole.rows  # again into the same folder
    assert measure(tmp_path / "joined").rows == whole.rows  # which goes on like any other
    assert not list((tmp_path / "joined").rglob(".*"))


def test_a_shard_that_is_missing_or_there_twice_is_named(shards: list[Path], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"missing: shard 2/3; give the folders of all 3"):
        merge([shards[0], shards[2]], tmp_path / "out")
    shutil.copytree(shards[0], tmp_path / "copy")
    with pytest.raises(BadInput, match=r"copy and .*shard-1 are both shard 1/3; give each once"):
        merge([*shards, tmp_path / "copy"], tmp_path / "out")
    with pytest.raises(BadInput, match="no shards were named"):
        merge([], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_record_that_is_in_two_shards_is_named(shards: list[Path], tmp_path: Path) -> None:
    one, other = (folder / "toy" / "deepwordbug" / "examples.jsonl" for folder in shards[:2])
    record = one.read_text().splitlines()[1]
    other.write_text(other.read_text() + record + "\n")
    with pytest.raises(BadInput, match=r"example \d+ of .*deepwordbug.* is in another shard too"):
        merge(shards, tmp_path / "out")
    assert not (tmp_path / "out" / "toy" / "deepwordbug" / "examples.jsonl").exists()


def test_shards_of_other_runs_are_named_by_what_differs(shards: list[Path], tmp_path: Path) -> None:
    measure(tmp_path / "other", seed=1, shard=Share(3, 3))
    with pytest.raises(BadInput, match=r"other is a shard of another run than .*shard-1: they differ in seed \(0 ther"):
        merge([*shards[:2], tmp_path / "other"], tmp_path / "out")
    measure(tmp_path / "scaled", scale=2.0, shard=Share(3, 3))
    with pytest.raises(BadInput, match=r"scaled is a shard of another run .* differ in model_hash"):
        merge([*shards[:2], tmp_path / "scaled"], tmp_path / "out")
    measure(tmp_path / "four", shard=Share(3, 4))
    with pytest.raises(BadInput, match=r"four is shard 3/4, and .*shard-1 is one of 3"):
        merge([*shards[:2], tmp_path / "four"], tmp_path / "out")
    measure(tmp_path / "whole")
    with pytest.raises(BadInput, match=r"is no shard of an evaluation"):
        merge([*shards[:2], tmp_path / "whole"], tmp_path / "out")
    shutil.rmtree(shards[2] / "toy" / "deepwordbug")
    with pytest.raises(BadInput, match=r"shard-1 has deepwordbug of toy and .*shard-3 has not; finish both"):
        merge(shards, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_shards_of_a_model_that_read_otherwise_are_refused(tmp_path: Path) -> None:
    model = save_ground(tmp_path, 1) / "model"
    inputs = replace(INPUTS, names=LABELS)
    for number, how in enumerate(("", "activation"), start=1):
        if how:
            read_otherwise(model, how)
        evaluate([model], inputs, tmp_path / f"{number}", ["clean"], shard=Share(number, 2), batch_size=4)
    with pytest.raises(BadInput, match=r"2 is a shard of another run than .*1: they differ in rules_hash"):
        merge([tmp_path / "1", tmp_path / "2"], tmp_path / "out")
    for path in tmp_path.glob("1/*/*/examples.jsonl"):  # as it was before logs said so
        path.write_text(re.sub(r'"rules_hash": "\w+", ', "", path.read_text(), count=1))
    assert merge([tmp_path / "1", tmp_path / "2"], tmp_path / "out").rows


def test_a_shard_that_is_not_finished_is_named(shards: list[Path], tmp_path: Path) -> None:
    path = shards[1] / "toy" / "deepwordbug" / "examples.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(BadInput, match=r"shard-2/toy/deepwordbug/examples.jsonl is unfinished: 1 of 2 records"):
        merge(shards, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*deepwordbug/*"))
    measure(shards[1], shard=Share(2, 3))
    assert merge(shards, tmp_path / "out").rows


def test_what_is_in_the_way_is_refused(shards: list[Path], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is one of the shards; choose another folder"):
        merge(shards, shards[0])
    measure(tmp_path / "other", seed=1)
    with pytest.raises(BadInput, match=r"is from another evaluation, which differs in seed"):
        merge(shards, tmp_path / "other")
    with owned(tmp_path / "out"), pytest.raises(BadInput, match="another process .* is writing to"):
        merge(shards, tmp_path / "out")
    elsewhere = tmp_path / "elsewhere"
    evaluate([replace(toy(), name="another")], replace(INPUTS, texts=INPUTS.texts[::-1]), elsewhere, SETTINGS)
    before = sorted(elsewhere.rglob("*"))
    with pytest.raises(BadInput, match=r"is from another evaluation, which differs in .*examples_hash"):
        merge(shards, elsewhere)
    assert sorted(elsewhere.rglob("*")) == before  # nothing was written that would spoil it


def test_a_log_that_somebody_is_writing_is_not_replaced(shards: list[Path], tmp_path: Path) -> None:
    measure(tmp_path / "whole")
    with owned(tmp_path / "whole" / "toy" / "clean"), pytest.raises(BadInput, match="whole/toy/clean"):
        merge(shards, tmp_path / "whole")


def test_a_shard_of_very_many_is_one_sentence(shards: list[Path], tmp_path: Path) -> None:
    for path in shards[0].rglob("examples.jsonl"):
        path.write_text(path.read_text().replace('"1/3"', '"1/999999999"', 1))
    with pytest.raises(BadInput, match=r"shard 2/999999999, .* and 999999988 more; give"):
        merge(shards[:1], tmp_path / "out")


def test_a_shard_of_other_examples_is_not_gone_on_with(shards: list[Path]) -> None:
    path = shards[0] / "toy" / "clean" / "examples.jsonl"
    header = read_header(path)
    assert header is not None and header.shard_hash
    with pytest.raises(BadInput, match=r"has other examples of shard 1/3: .* begun with another batch_size="):
        refuse_different(path, replace(header, shard_hash="0" * 16), same_model=True)


def test_a_damaged_part_leaves_nothing_behind(shards: list[Path], tmp_path: Path) -> None:
    path = shards[2] / "toy" / "deepwordbug" / "examples.jsonl"
    path.write_text(path.read_text() + "{}\n")
    with pytest.raises(BadInput, match="is no record"):
        merge(shards, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.writing"))
