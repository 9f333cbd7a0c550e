"""What is planned is what is computed, by whoever computes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toy_results import TEXTS, job, measure

from unfooled.results.planned import Planned, here


def test_a_job_is_one_trial_of_one_model_and_knows_its_size(tmp_path: Path) -> None:
    one = job(tmp_path, "deepwordbug")
    assert (one.label, one.total, one.of_others) == ("deepwordbug toy", len(TEXTS), frozenset())
    assert one.path == tmp_path / "toy" / "deepwordbug" / "examples.jsonl"
    done = frozenset({0, 3})
    assert {record.index for record in here(one, done)} == set(range(len(TEXTS))) - done


def test_records_are_written_here_whoever_computes_them(tmp_path: Path) -> None:
    asked: list[tuple[str, frozenset[int]]] = []

    def backwards(job: Planned, done: frozenset[int]) -> Iterator[Any]:
        asked.append((job.header.trial, done))
        return iter(sorted(here(job, done), key=lambda record: -record.index))

    whole, other = measure(tmp_path / "whole"), measure(tmp_path / "other", compute=backwards)
    assert asked == [("clean", frozenset()), ("deepwordbug", frozenset())]
    assert [one.records for one in other.trials] == [one.records for one in whole.trials]
    measure(tmp_path / "other", compute=backwards)  # finished: nobody is asked
    assert len(asked) == 2
