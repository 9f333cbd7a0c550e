"""A stream in segments: every token is asked for once, given those before it in its segment."""

import numpy as np
import pytest
import torch

from sequences import marked_text
from unfooled.data.batches.segments import Segments
from unfooled.types import NO_LABEL


def loader(**other):
    return Segments(marked_text([9, 7, 6]), **{"length": 5, "ending": 1, "batch_size": 2, "seed": 0, **other})


def test_every_token_is_asked_for_once_behind_the_one_before_it():
    some = loader()
    ids = some.text.ids.tolist()
    asked, read, words = [], [], []
    for batch in some.in_order():
        for row in range(len(batch)):
            real = batch.label[row] != NO_LABEL
            asked += batch.label[row][real].tolist()
            read += batch.tokens.ids[row][real].tolist()
            words += batch.targets["words"][row][real].tolist()
            assert torch.equal(real, batch.tokens.mask[row])
    assert asked == ids
    assert read == [1, *ids[:-1]]
    assert words == [False, *some.text.words[:-1].tolist()]


def test_the_last_segment_is_padded_and_nothing_is_asked_there():
    batch = list(loader().in_order())[-1]
    assert batch.tokens.mask.sum(dim=1).tolist() == [2]
    assert (batch.label[0, 2:] == NO_LABEL).all() and not batch.targets["words"][0, 2:].any()
    assert batch.counts["targets"] == 2 and batch.counts["examples"] == 1


def test_counts_are_those_of_the_batch():
    for (batch,) in loader().updates(0):
        assert batch.counts["targets"] == int((batch.label != NO_LABEL).sum()) == batch.counts["tokens"]
        assert batch.counts["anchors"] == int(batch.targets["words"].any(dim=1).sum())
        assert batch.kind == "tokens"


@pytest.mark.parametrize("accumulation", [1, 2])
def test_an_epoch_holds_every_segment_once_and_begins_anywhere(accumulation):
    some = loader(accumulation=accumulation)
    for epoch in (0, 1):
        updates = list(some.updates(epoch))
        assert len(updates) == some.updates_per_epoch
        rows = [int(row) for update in updates for batch in update for row in batch.index]
        assert sorted(rows) == list(range(5))
        later = [batch.index.tolist() for update in some.updates(epoch, 1) for batch in update]
        assert later == [batch.index.tolist() for update in updates[1:] for batch in update]
    orders = {tuple(int(row) for (batch,) in loader().updates(epoch) for row in batch.index) for epoch in range(6)}
    assert len(orders) > 1
    assert sorted(int(row) for batch in some.sweep() for row in batch.index) == list(range(5))


def test_processes_share_a_batch_out():
    alone = [batch for (batch,) in loader(batch_size=4).updates(0)]
    shares = [[batch for (batch,) in loader(batch_size=4, rank=rank, processes=2).updates(0)] for rank in (0, 1)]
    for whole, first, second in zip(alone, *shares, strict=True):
        assert sorted([*first.index.tolist(), *second.index.tolist()]) == sorted(whole.index.tolist())
        assert first.counts["targets"] + second.counts["targets"] == whole.counts["targets"]
    looked = [index for rank in (0, 1) for batch in loader(rank=rank, processes=2).in_order() for index in batch.index]
    assert sorted(map(int, looked)) == list(range(5))


def test_a_stream_as_long_as_a_segment_is_one():
    assert len(Segments(marked_text([5]), 5, 1, 2, 0)) == 1
    assert np.array_equal(next(Segments(marked_text([5]), 5, 1, 2, 0).in_order()).tokens.mask, [[True] * 5])
