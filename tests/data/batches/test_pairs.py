"""Pairs of lines in batches of about as many tokens."""

import numpy as np
import pytest
import torch

from sequences import marked_text
from unfooled.data.batches.pairs import Pairs
from unfooled.errors import BadInput
from unfooled.types import NO_LABEL

LENGTHS = [[2, 9, 4, 4, 7, 3, 4, 2, 5, 4, 6, 4], [3, 8, 4, 2, 7, 5, 4, 2, 3, 1, 6, 4]]


def loader(**other):
    sides = [marked_text(lengths, seed) for seed, lengths in enumerate(LENGTHS)]
    return Pairs(*sides, **{"batch_tokens": 16, "paddings": (0, 0), "start": 0, "seed": 0, **other})


def test_a_batch_holds_no_more_padded_tokens_than_asked():
    for epoch in range(3):
        rows = []
        for (batch,) in loader().updates(epoch):
            longest = max(batch.tokens.ids.shape[1], batch.label.shape[1])
            assert len(batch) * longest <= 16 or len(batch) == 1 or 9 in [LENGTHS[0][row] for row in batch.index]
            rows += batch.index.tolist()
        assert sorted(rows) == list(range(12))


def test_epochs_differ_in_their_batches_and_never_in_their_number():
    some = loader()
    epochs = [[sorted(batch.index.tolist()) for (batch,) in some.updates(epoch)] for epoch in range(6)]
    assert {len(epoch) for epoch in epochs} == {some.updates_per_epoch}
    assert len({tuple(map(tuple, sorted(epoch))) for epoch in epochs}) > 1
    later = [batch.index.tolist() for (batch,) in some.updates(2, 2)]
    assert later == [batch.index.tolist() for (batch,) in some.updates(2)][2:]
    assert sorted(int(row) for batch in some.sweep() for row in batch.index) == list(range(12))
    assert sorted(int(row) for batch in some.in_order() for row in batch.index) == list(range(12))


def test_the_decoder_reads_what_comes_before_what_is_asked():
    some = loader(smoothing=0.1)
    batch = some.tensors(np.array([1, 3, 0]), 0)
    assert batch.smoothing == 0.1 and batch.kind == "tokens"
    for place, row in enumerate((1, 3, 0)):
        source, target = some.source.line(row).tolist(), some.target.line(row).tolist()
        assert batch.tokens.ids[place][batch.tokens.mask[place]].tolist() == source
        assert batch.label[place][batch.label[place] != NO_LABEL].tolist() == target
        assert batch.tokens.decoder[place, : len(target)].tolist() == [0, *target[:-1]]
        words = batch.targets["words"][place]
        begin = some.source.offsets[row]
        assert words[: len(source)].tolist() == some.source.words[begin : begin + len(source)].tolist()
        assert not words[len(source) :].any()
    assert batch.counts["targets"] == sum(LENGTHS[1][row] for row in (1, 3, 0))
    assert batch.counts["anchors"] == int(batch.targets["words"].any(dim=1).sum())


def test_processes_share_a_batch_out_or_say_that_they_cannot():
    alone = [batch for (batch,) in loader(batch_tokens=60).updates(0)]
    shares = [[b for (b,) in loader(batch_tokens=60, rank=rank, processes=2).updates(0)] for rank in (0, 1)]
    assert len(alone) == len(shares[0]) == len(shares[1])
    for whole, first, second in zip(alone, *shares, strict=True):
        assert sorted([*first.index.tolist(), *second.index.tolist()]) == sorted(whole.index.tolist())
        assert torch.equal(whole.index[0::2], first.index)
    with pytest.raises(BadInput, match="raise plan.batch_tokens"):
        list(loader(processes=2).updates(0))
