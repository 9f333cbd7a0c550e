"""Batches of views are a function of their address."""

import numpy as np
import torch
from support_text import piece_tokenizer

from unfooled.data.blocks import Blocks
from unfooled.data.view_loader import ViewLoader
from unfooled.data.views import Reader, ViewSettings
from unfooled.types import Batch

TEXTS = [f"The good film number {number} was very warm and the long plot bright." for number in range(13)]
BLOCKS = Blocks(TEXTS, np.array([20 + number % 3 for number in range(13)]))
ALL = ViewSettings(synonym=True, antonym="words", labels="binary_all")


def loader(views: ViewSettings = ALL, batch_size: int = 4, **given: int) -> ViewLoader:
    return ViewLoader(BLOCKS, Reader.of(piece_tokenizer(), 64), views, batch_size, 7, **given)


def same(first: Batch, second: Batch) -> bool:
    views = all(torch.equal(first.views[name].ids, second.views[name].ids) for name in first.views)
    targets = all(torch.equal(first.targets[name], second.targets[name]) for name in first.targets)
    return views and targets and torch.equal(first.index, second.index) and first.counts == second.counts


def test_an_epoch_holds_every_text_once_and_can_begin_anywhere() -> None:
    whole = list(loader(accumulation=2).updates(1))
    assert sorted(int(row) for update in whole for batch in update for row in batch.index) == list(range(13))
    assert len(whole) == loader(accumulation=2).updates_per_epoch == 2
    (later,) = loader(accumulation=2).updates(1, start=1)
    assert all(same(*pair) for pair in zip(later, whole[1], strict=True))
    swept = list(loader().sweep())
    assert sorted(int(row) for batch in swept for row in batch.index) == list(range(13))


def test_leaving_early_is_fine() -> None:
    updates = loader().updates(0)
    first = next(updates)
    updates.close()
    assert same(first[0], next(loader().updates(0))[0])


def test_processes_share_the_batches_of_one() -> None:
    one = [batch for (batch,) in loader(batch_size=8).updates(0)]
    two = [[batch for (batch,) in loader(batch_size=8, rank=rank, processes=2).updates(0)] for rank in range(2)]
    for whole, first, second in zip(one, *two, strict=True):
        assert (
            first.index.tolist() == whole.index[0::2].tolist() and second.index.tolist() == whole.index[1::2].tolist()
        )
        for name in ("examples", "masked", "synonym_tokens", "antonym_tokens", "tokens"):
            assert first.counts[name] + second.counts[name] == whole.counts[name]
        width = first.views["synonym"].ids.shape[1]
        assert torch.equal(first.views["synonym"].ids, whole.views["synonym"].ids[0::2, :width])


def test_another_text_is_never_the_text_itself_and_any_of_the_rest() -> None:
    found = {loader().other(3, epoch) for epoch in range(200)}
    assert found == set(range(13)) - {3}
    (batch,) = next(loader(ViewSettings(synonym=True, antonym="other text")).updates(0))
    assert batch.kind == "masked" and "antonym" in batch.views
