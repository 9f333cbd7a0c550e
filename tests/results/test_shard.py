"""A shard is a part of the units and all of what is fitted to them."""

from pathlib import Path
from typing import Any

import pytest
from toy_results import TEXTS, measure

from unfooled.errors import BadInput
from unfooled.results.folder import open_folder
from unfooled.results.log import read_log
from unfooled.results.shard import Share, share_of

REFUSED = [
    ("0/4", "there is no part 0 of 4"),
    ("5/4", "counted from 1 to 4"),
    ("1/0", "no part 1 of 0"),
    ("2", 'write it as in "2/8"'),
    ("-1/4", "write it as in"),
    ("a/b", "write it as in"),
    (1, 'shard= 1 is no part .* write it as in "2/8"'),
    ((1, 2), r"shard= \(1, 2\) is no part of a whole"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_is_no_part_is_refused(text: Any, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        share_of(text)


def test_shards_hold_every_unit_once_and_one_temperature(tmp_path: Path) -> None:
    whole = measure(tmp_path / "whole")
    indices: list[int] = []
    for number in (1, 2, 3):
        assert measure(tmp_path / str(number), shard=Share(number, 3)).trials == ()
        log = read_log(tmp_path / str(number) / "toy" / "deepwordbug" / "examples.jsonl")
        assert log is not None
        header, records = log
        assert (header.shard, header.shard_examples) == (f"{number}/3", len(records))
        assert header.examples == len(TEXTS) and header.temperature == whole.trials[1].header.temperature
        indices += [record.index for record in records]
    assert sorted(indices) == list(range(len(TEXTS)))


def test_a_folder_of_one_shard_takes_no_other_and_is_no_result(tmp_path: Path) -> None:
    measure(tmp_path, shard=Share(1, 2))
    with pytest.raises(BadInput, match=r"differs in shard \(1/2 there, 2/2 now\)"):
        measure(tmp_path, shard=Share(2, 2))
    with pytest.raises(BadInput, match=r"differs in shard \(1/2 there, None now\)"):
        measure(tmp_path)
    with pytest.raises(BadInput, match=r"is shard 1/2 of an evaluation; join all of them first: uf.merge"):
        open_folder(tmp_path)


def test_a_shard_broken_off_goes_on(tmp_path: Path) -> None:
    measure(tmp_path, shard=Share(1, 2))
    path = tmp_path / "toy" / "deepwordbug" / "examples.jsonl"
    before = read_log(path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    shown: list[tuple[str, int, int]] = []
    measure(tmp_path, shard=Share(1, 2), show=lambda label, done, total, note: shown.append((label, done, total)))
    assert read_log(path) == before
    assert [step[1:] for step in shown if step[0] == "deepwordbug toy"] == [(1, 4), (2, 4), (3, 4), (4, 4)]
