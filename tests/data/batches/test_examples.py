"""Batches of labelled texts are a function of their address."""

import numpy as np
import pytest

from unfooled.data.batches.examples import ExampleBatches
from unfooled.tokens import Encoded


def encoded(lengths: list[int]) -> Encoded:
    ids = np.concatenate([np.full(length, number + 1) for number, length in enumerate(lengths)]).astype(np.int32)
    return Encoded(ids, None, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), padding=0)


def loader(count: int = 21, batch_size: int = 8, **options: int) -> ExampleBatches:
    lengths = [1 + (7 * number) % 13 for number in range(count)]
    return ExampleBatches(encoded(lengths), [number % 3 for number in range(count)], batch_size, seed=3, **options)


def test_updates_begin_at_any_address() -> None:
    whole = [[batch.index.tolist() for batch in update] for update in loader(accumulation=2).updates(1)]
    assert len(whole) == loader(accumulation=2).updates_per_epoch
    for start in range(len(whole)):
        rest = [[batch.index.tolist() for batch in update] for update in loader(accumulation=2).updates(1, start)]
        assert rest == whole[start:]


@pytest.mark.parametrize("processes", [2, 3])
def test_processes_share_out_the_same_global_batches(processes: int) -> None:
    alone = [update[0] for update in loader().updates(0)]
    parts = [list(loader(rank=rank, processes=processes).updates(0)) for rank in range(processes)]
    for number, batch in enumerate(alone):
        mine = [parts[rank][number][0] for rank in range(processes)]
        assert sorted(row for part in mine for row in part.index.tolist()) == sorted(batch.index.tolist())
        assert all(len(part) for part in mine)
        assert sum(part.counts["tokens"] for part in mine) == batch.counts["tokens"]


def test_a_batch_holds_what_its_rows_say() -> None:
    for (batch,) in loader().updates(0):
        for place, row in enumerate(batch.index.tolist()):
            length = 1 + (7 * row) % 13
            assert batch.label[place] == row % 3
            assert batch.tokens.mask[place].sum() == length
            assert batch.tokens.ids[place].tolist() == [row + 1] * length + [0] * (batch.tokens.ids.shape[1] - length)
        assert batch.counts == {"examples": len(batch), "tokens": int(batch.tokens.mask.sum())}
        assert batch.key == (3, 0)


@pytest.mark.parametrize("processes", [2, 3, 4])
@pytest.mark.parametrize("count", range(16, 60))
def test_no_process_is_left_without_examples(processes: int, count: int) -> None:
    """As long as a batch holds four examples for each process, which training insists on."""
    for rank in range(processes):
        for (batch,) in loader(count, 4 * processes, rank=rank, processes=processes).updates(0):
            assert len(batch)
