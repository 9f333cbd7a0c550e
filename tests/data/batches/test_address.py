"""The order of rows: every one once an epoch, by seed and epoch, with little padding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unfooled.data.batches.address import count_batches, global_batches


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
