from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from unfooled.training.pieces import Piece, Stored, entire, moved_pieces, own_moments, piece_file, piece_files, written


def rows(start: int, count: int) -> Piece:
    return Piece(torch.full((count, 2), float(start)), torch.Size([5, 2]), start)


def test_pieces_of_any_number_of_processes_are_joined_in_their_order(tmp_path: Path) -> None:
    whole = torch.arange(24.0).view(12, 2)
    for rank, part in enumerate(whole.split(1)):  # twelve: the tenth follows the ninth, not the first
        save_file(
            {"weight": part, **({"bias": torch.ones(3)} if rank == 0 else {})}, tmp_path / piece_file("x", rank, 12)
        )
    stored = Stored(piece_files(tmp_path, "x"))
    assert torch.equal(stored["weight"].read(), whole) and torch.equal(stored["bias"].read(), torch.ones(3))
    assert (stored["weight"].shape, stored["weight"].dtype) == (whole.shape, torch.float32)
    for start, count in ((0, 12), (3, 4), (11, 1), (5, 0)):
        assert torch.equal(stored["weight"].read(start, count), whole[start : start + count])
    assert set(stored) == {"weight", "bias"} and len(stored) == 2


def test_what_one_process_wrote_is_read_as_it_is(tmp_path: Path) -> None:
    save_file({"weight": torch.ones(2, 2)}, tmp_path / "x.safetensors")
    assert piece_files(tmp_path, "x") == [tmp_path / "x.safetensors"]
    assert torch.equal(Stored(piece_files(tmp_path, "x"))["weight"].read(), torch.ones(2, 2))


def test_a_process_writes_its_rows_and_the_first_what_all_have() -> None:
    pieces = {"mine": rows(3, 2), "nothing": rows(5, 0), "all": entire(torch.ones(2))}
    assert set(written(pieces, first=False)) == {"mine"}
    assert set(written(pieces, first=True)) == {"mine", "all"}


def test_a_piece_takes_its_own_rows_of_a_whole() -> None:
    piece, whole = rows(3, 2), torch.arange(10.0).view(5, 2)
    piece.take(whole)
    assert torch.equal(piece.tensor, whole[3:])
    every = entire(torch.zeros(5, 2))
    every.take(whole)
    assert torch.equal(every.tensor, whole)


def test_moments_go_the_way_of_their_parameter(tmp_path: Path) -> None:
    kept, moment = {"weight": rows(3, 2)}, torch.arange(10.0).view(5, 2)
    save_file({"exp_avg/weight": moment, "step/weight": torch.tensor(4.0)}, tmp_path / "x.safetensors")
    own = own_moments(kept, Stored(piece_files(tmp_path, "x")))
    assert torch.equal(own["exp_avg/weight"], moment[3:]) and own["step/weight"] == 4
    pieces = moved_pieces(kept, own)
    assert (pieces["exp_avg/weight"].start, pieces["step/weight"].start) == (3, None)


@pytest.mark.parametrize("name", ["exp_avg/unknown"])
def test_a_moment_of_nothing_that_is_kept_is_no_piece(name: str) -> None:
    with pytest.raises(KeyError):
        moved_pieces({}, {name: torch.ones(2)})
