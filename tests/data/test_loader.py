import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfooled.data.loader import Loader, count_batches, global_batches
from unfooled.tokens import Encoded


def encoded(lengths: list[int]) -> Encoded:
    ids = np.concatenate([np.full(length, number + 1) for number, length in enumerate(lengths)]).astype(np.int32)
    return Encoded(ids, None, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), padding=0)


def loader(count: int = 21, batch_size: int = 8, **options: int) -> Loader:
    lengths = [1 + (7 * number) % 13 for number in range(count)]
    return Loader(encoded(lengths), [number % 3 for number in range(count)], batch_size, seed=3, **options)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=300), st.integers(1, 20), st.integers(0, 5))
def test_every_row_is_met_once_an_epoch(lengths: list[int], batch_size: int, epoch: int) -> None:
    batches = global_batches(np.array(lengths), batch_size, 0, epoch)
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(lengths)))
    assert len(batches) == count_batches(len(lengths), batch_size)
    assert len(batches) == 1 or min(map(len, batches)) * 4 >= batch_size


def test_the_order_is_a_function_of_seed_and_epoch() -> None:
    lengths = np.arange(1, 200) % 17 + 1
    first = [batch.tolist() for batch in global_batches(lengths, 8, 0, 0)]
    assert first == [batch.tolist() for batch in global_batches(lengths, 8, 0, 0)]
    assert first != [batch.tolist() for batch in global_batches(lengths, 8, 0, 1)]
    assert first != [batch.tolist() for batch in global_batches(lengths, 8, 1, 0)]


def test_length_buckets_leave_little_padding() -> None:
    lengths = np.random.default_rng(0).integers(5, 60, size=5000)

    def padded(batches: list[np.ndarray]) -> int:
        return sum(int(lengths[batch].max()) * len(batch) for batch in batches)

    bucketed = padded(global_batches(lengths, 32, 0, 0))
    shuffled = np.random.default_rng(1).permutation(5000)
    plain = padded([shuffled[start : start + 32] for start in range(0, 5000, 32)])
    assert bucketed < 1.05 * lengths.sum() < plain


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
