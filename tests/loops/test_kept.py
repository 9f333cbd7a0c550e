"""A method's tensors go with its settings; those of another method are refused."""

from pathlib import Path

import pytest
import torch

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.loops.kept import OWN_STATE, stored_state, write_state


def test_tensors_come_back_to_the_same_method_alone(tmp_path: Path) -> None:
    state = {"head": torch.tensor([1.5]), "filled": torch.tensor(True)}
    write_state(str(tmp_path), state, uf.FreeLB(passes=2))
    found = stored_state(str(tmp_path), uf.FreeLB(passes=2))
    assert found["head"].tolist() == [1.5] and bool(found["filled"])
    with pytest.raises(BadInput, match='was trained by .*"name": "freelb".*"passes": 2.*, not by .*"passes": 3'):
        stored_state(str(tmp_path), uf.FreeLB(passes=3))


def test_a_checkpoint_of_another_trainer_or_a_broken_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=f"holds no {OWN_STATE}: no RobustTrainer wrote it; begin without resuming"):
        stored_state(str(tmp_path), uf.FreeLB())
    (tmp_path / OWN_STATE).write_bytes(b"broken")
    with pytest.raises(BadInput, match="cannot be read .*; resume from an earlier checkpoint"):
        stored_state(str(tmp_path), uf.FreeLB())
