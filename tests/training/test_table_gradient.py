"""The table's gradient in memory that is kept: the same bits as PyTorch's own, and no table made anew."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from forked import run_two
from safetensors.torch import load_file
from table_ground import BUSY, in_two, pair, weights_after
from torch import nn
from two_processes import eager, prepared

from unfooled.training.table_gradient import TableGradient, table_of


@pytest.mark.parametrize("name", ["finetune", "freelb", "smart", "carl", "rar", "worst_words"])
@pytest.mark.parametrize("plan", [{}, BUSY, {**BUSY, "accumulation": 2}], ids=["", "clipped", "accumulated"])
def test_weights_are_the_same_to_the_bit(name: str, plan: Mapping[str, Any], tmp_path: Path) -> None:
    kept, own = pair(eager(name), tmp_path, plan)
    assert kept.keys() == own.keys() and all(torch.equal(kept[key], own[key]) for key in own)
    table = kept["exp_avg/model.network.bert.embeddings.word_embeddings.weight"]
    assert 5 < int(table.any(dim=1).sum()) < len(table)  # some rows were met, and not all


@pytest.mark.parametrize("clip", [None, 1e6])
def test_a_gradient_that_is_not_clipped_is_left_alone(clip: float | None, tmp_path: Path) -> None:
    kept, own = pair(eager("finetune"), tmp_path, {"clip": clip})
    assert all(torch.equal(kept[key], own[key]) for key in own) and kept["norms"].min() > 0.01


def test_two_processes_come_to_the_same_bits_too(tmp_path: Path) -> None:
    run_two(in_two, tmp_path)
    found = load_file(tmp_path / "two.safetensors")
    names = [name[5:] for name in found if name.startswith("kept/")]
    assert len(names) > 20 and all(torch.equal(found[f"kept/{name}"], found[f"own/{name}"]) for name in names)


def test_the_memory_stays_and_is_all_zero_between_updates(tmp_path: Path) -> None:
    run = prepared(eager("freelb"), tmp_path)
    table = run.engine.table
    assert table is not None
    seen, step = [], run.engine.optimizer.step

    def watch(closure: Any = None) -> None:
        assert table.weight.grad is not None and table.weight.grad.any()
        seen.append(table.weight.grad.data_ptr())
        step(closure)

    run.engine.optimizer.step = watch  # type: ignore[method-assign]
    weights_after(run)
    assert len(seen) == 4 and len(set(seen)) == 1
    assert table.dense is not None and not table.dense.any() and table.weight.grad is None


def test_an_update_that_is_left_out_leaves_nothing_behind(tmp_path: Path) -> None:
    run = prepared(eager("finetune"), tmp_path)
    table, (batch,) = run.engine.table, next(run.loader.updates(0))
    assert table is not None
    run.engine.begin([batch])
    run.objective.step(run.engine, batch)
    table.weight.grad._values().fill_(torch.nan)  # type: ignore[union-attr]
    with pytest.raises(FloatingPointError):
        run.engine.update(1e-2)
    run.engine.leave_out()
    assert table.dense is not None and not table.dense.any() and table.weight.grad is None
    run.objective.step(run.engine, batch)
    run.engine.spoil()
    with pytest.raises(FloatingPointError):
        run.engine.update(1e-2)


def test_once_closed_the_lookup_is_as_it_was(tmp_path: Path) -> None:
    run = prepared(eager("finetune"), tmp_path)
    run.engine.close()
    (batch,) = next(run.loader.updates(0))
    run.engine.begin([batch])
    run.objective.step(run.engine, batch)
    assert run.engine.table is not None and not run.engine.table.weight.grad.is_sparse  # type: ignore[union-attr]


class Owner(nn.Module):
    """An objective of a lookup alone."""

    def __init__(self, lookup: nn.Module, **more: nn.Module) -> None:
        super().__init__()
        self.model = nn.Module()
        self.model.lookup = lookup
        for name, module in more.items():
            self.model.add_module(name, module)


def test_tables_that_are_not_plain_are_left_to_pytorch(tmp_path: Path) -> None:
    assert isinstance(table_of(Owner(nn.Embedding(9, 4))), TableGradient)  # type: ignore[arg-type]
    frozen, tied = nn.Embedding(9, 4).requires_grad_(False), nn.Embedding(9, 4)
    decoder = nn.Linear(4, 9)
    decoder.weight = tied.weight
    scaled = type("Scaled", (nn.Embedding,), {})(9, 4)
    others = [nn.Embedding(9, 4, max_norm=1.0), nn.Embedding(9, 4, sparse=True)]
    others += [nn.Embedding(9, 4, scale_grad_by_freq=True), frozen, scaled]
    assert [table_of(Owner(one)) for one in others] == [None] * 5  # type: ignore[arg-type]
    assert table_of(Owner(tied, decoder=decoder)) is None  # type: ignore[arg-type]
    assert prepared(eager("mlm"), tmp_path).engine.table is None  # its head guesses by the same table
