"""What two real processes come to is tested with every method (tests/methods/test_contract.py)."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from unfooled.gather import first_row, gather, together

SCRIPT = """
import torch, torch.distributed as dist
from unfooled.gather import first_row, gather
dist.init_process_group("gloo")
rank = dist.get_rank()
mine = torch.arange(6.0).reshape(3, 2)[rank * 2 : 2 + rank].clone().requires_grad_()   # 2 rows and 1
every = gather(mine)
assert every.tolist() == [[0, 1], [2, 3], [4, 5]], every
assert first_row(mine) == 2 * rank
weights = torch.tensor([[1.0], [10.0], [100.0]]) * (rank + 1)
(every * weights).sum().backward()
expected = torch.tensor([[3.0], [30.0], [300.0]]).expand(3, 2)[rank * 2 : 2 + rank]
assert torch.equal(mine.grad, expected), mine.grad
assert gather(torch.tensor([rank])).tolist() == [0, 1]
dist.destroy_process_group()
"""


def test_alone_a_tensor_is_all_there_is() -> None:
    rows = torch.randn(3, 2, requires_grad=True)
    assert not together() and gather(rows) is rows and first_row(rows) == 0


def test_rows_that_fill_up_a_smaller_process_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process of two, the other with a row less: what is sent is filled up to the larger number."""
    mine, theirs = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0, 6.0], [0.0, 0.0]])

    def all_gather(every: list[torch.Tensor], sent: torch.Tensor) -> None:
        other = torch.tensor([1]) if sent.dtype == torch.int64 else theirs
        for place, part in zip(every, (sent, other), strict=True):
            place.copy_(part)

    for name, found in (("together", lambda: True), ("dist.get_world_size", lambda: 2), ("dist.get_rank", lambda: 0)):
        monkeypatch.setattr(f"unfooled.gather.{name}", found)
    monkeypatch.setattr("unfooled.gather.dist.all_gather", all_gather)
    assert gather(mine).tolist() == [[1, 2], [3, 4], [5, 6]]


def test_two_processes_see_all_rows_and_get_all_gradients(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
