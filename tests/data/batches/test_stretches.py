"""A part of a corpus: as much as is wanted, evenly drawn in stretches, the same for the same seed."""

import gzip
from itertools import pairwise
from pathlib import Path

import pytest

from unfooled.data.batches import stretches
from unfooled.data.batches.stretches import ALL, STRETCH, Stretches, enough

PARAGRAPHS = [str(number) for number in range(STRETCH * 100)]


@pytest.mark.parametrize("share", [0.01, 0.13, 0.5, 0.97])
def test_stretches_are_whole_spread_and_as_many_as_wanted(share: float) -> None:
    found = [int(one) for one in Stretches(share, 3).of(PARAGRAPHS)]
    drawn = sorted({number // STRETCH for number in found})
    assert found == [number for stretch in drawn for number in range(stretch * STRETCH, (stretch + 1) * STRETCH)]
    assert abs(len(drawn) - 100 * share) <= 1
    gaps = [two - one for one, two in pairwise(drawn)]
    assert max(gaps, default=0) <= 1 / share + 1  # no part of the corpus is left out
    assert found == [int(one) for one in Stretches(share, 3).of(PARAGRAPHS)]


def test_another_seed_draws_others() -> None:
    assert len({tuple(Stretches(0.1, seed).of(PARAGRAPHS)) for seed in range(5)}) > 1


def test_as_much_is_taken_as_a_limit_or_a_fraction_wants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "SMALL", 1000)
    file = tmp_path / "corpus.txt"
    file.write_text("x" * 100_000)
    assert enough([file], 10, None, 1.0, 0) is ALL
    assert enough([file], 10, None, 0.25, 0).share == pytest.approx(0.25)
    assert enough([file], 10, 100, 1.0, 0).share == pytest.approx(100 * 10 * 8 / 100_000)
    assert enough([file], 10, 100, 0.01, 0).share == pytest.approx(0.01)
    assert enough([file], 10, 2, 1.0, 0).share == pytest.approx(0.01)  # so much in any case
    assert enough([file, file], 10, None, 0.25, 0).share == pytest.approx(0.25)
    packed = tmp_path / "corpus.txt.gz"
    packed.write_bytes(gzip.compress(file.read_bytes(), 1) + b"0" * 2000)
    assert enough([packed], 10, 40, 1.0, 0).share == pytest.approx(3200 / (packed.stat().st_size * 2))
    monkeypatch.setattr(stretches, "SMALL", 10**6)
    assert enough([file], 10, 2, 0.5, 0) is ALL  # a small text is tokenised once, for whatever is wanted of it
    assert ALL.told() == [] and "12.50% of the paragraphs" in Stretches(0.125).told()[0]
