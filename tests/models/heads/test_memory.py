from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
import torch
from bank_memory import EXAMPLES, WIDTH, growths
from scipy.stats import chisquare

from unfooled.errors import BadInput
from unfooled.models.heads.memory import MemoryBank, OtherLabels, bank_files


def test_oracle_5_6_3_only_the_rows_named_change_and_stay_at_unit_length() -> None:
    bank = MemoryBank(5, 3)
    first, second = torch.tensor([[3.0, 0, 4], [0, 2, 0]]), torch.tensor([[0.0, 5, 0], [1, 1, 1]])
    bank.write(torch.tensor([1, 4]), first, momentum=0.0)
    before = bank.rows.clone()
    bank.write(torch.tensor([1, 3]), second, momentum=0.5)
    for row, old, new in ((1, before[1], second[0]), (3, before[3], second[1])):
        mixed = 0.5 * old + 0.5 * new / new.norm()
        assert torch.allclose(bank.rows[row], mixed / mixed.norm(), atol=1e-7)
    assert torch.equal(bank.rows[[0, 2, 4]], before[[0, 2, 4]])
    assert bank.written.tolist() == [False, True, False, True, True]


def test_a_bank_takes_no_gradient() -> None:
    bank = MemoryBank(2, 3)
    features = torch.randn(1, 3, requires_grad=True)
    bank.write(torch.tensor([0]), features, momentum=0.5)
    assert not bank.rows.requires_grad and not bank.read(torch.tensor([0])).requires_grad
    assert not list(bank.parameters())


def test_half_precision_and_files_hold_the_same(tmp_path: Path) -> None:
    features = torch.randn(4, 6)
    banks = [MemoryBank(4, 6), MemoryBank(4, 6, half=True), MemoryBank(4, 6, file=tmp_path / "bank" / "rows")]
    for bank in banks:
        bank.write(torch.arange(4), features, momentum=0.0)
    assert torch.allclose(banks[0].rows, banks[1].rows.float(), atol=1e-3)
    assert banks[1].rows.element_size() == 2
    assert torch.equal(banks[0].rows, banks[2].rows)
    assert (tmp_path / "bank" / "rows").stat().st_size == 4 * 6 * 4
    assert torch.equal(banks[0].state_dict()["rows"], banks[2].state_dict()["rows"])


@pytest.mark.parametrize("replacement", [True, False])
def test_oracle_5_6_4_negatives_have_other_labels_and_are_uniform(replacement: bool) -> None:
    labels = torch.tensor([2, 0, 1, 0, 2, 2, 1, 0, 0, 1])
    others = OtherLabels(labels, 3)
    for label in range(3):
        pool = (labels != label).nonzero().flatten().tolist()
        assert others.pool(label) == len(pool)
        drawn = torch.cat([others.draw(label, 4, replacement, key) for key in range(2000)])
        counts = torch.bincount(drawn, minlength=10)
        assert set(drawn.tolist()) == set(pool)
        assert chisquare([int(counts[place]) for place in pool]).pvalue > 1e-4


def test_without_replacement_none_comes_twice_and_no_more_than_there_are() -> None:
    others = OtherLabels(torch.tensor([0, 1, 1, 1, 0]), 2)
    assert sorted(others.draw(0, 10, False, 7).tolist()) == [1, 2, 3]
    assert torch.equal(others.draw(0, 2, True, 7), others.draw(0, 2, True, 7))
    assert not torch.equal(others.draw(0, 50, True, 7), others.draw(0, 50, True, 8))


def test_what_was_there_before_is_not_mixed_in(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"\xff" * 24)  # not numbers
    bank = MemoryBank(2, 3, file=tmp_path / "rows")
    bank.write(torch.tensor([1]), torch.tensor([[0.0, 3, 4]]), momentum=0.9)
    assert torch.allclose(bank.rows[1], torch.tensor([0.0, 0.6, 0.8]))
    bank.write(torch.tensor([1]), torch.tensor([[1.0, 0, 0]]), momentum=0.5)
    assert torch.allclose(bank.rows[1], torch.tensor([0.5, 0.3, 0.4]) / 0.5**0.5)


def test_a_folder_belongs_to_the_training_texts_it_was_made_for(tmp_path: Path) -> None:
    labels = torch.tensor([0, 1, 1, 0])
    files = bank_files(tmp_path / "banks", labels, 8, half=False)
    assert bank_files(tmp_path / "banks", labels.clone(), 8, half=False) == files
    for other in (
        (torch.tensor([0, 1, 0, 1]), 8, False),
        (labels[:3], 8, False),
        (labels, 9, False),
        (labels, 8, True),
    ):
        with pytest.raises(BadInput, match="other training texts"):
            bank_files(tmp_path / "banks", *other)
    (tmp_path / "banks" / "banks.json").write_text("{")
    with pytest.raises(BadInput, match="other training texts"):
        bank_files(tmp_path / "banks", labels, 8, half=False)


def test_a_bank_for_which_there_is_no_room_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"bytes cannot be set aside in .*rows \("):
        MemoryBank(2**50, 384, file=tmp_path / "rows")


@pytest.mark.parametrize(("rank", "rows"), [(0, [0, 1, 2]), (1, [3, 4])])
def test_a_bank_in_a_file_that_is_shared_out_keeps_its_own_rows_alone(
    tmp_path: Path, rank: int, rows: list[int]
) -> None:
    bank, said = MemoryBank(5, 4, file=tmp_path / "rows"), torch.randn(5, 4)
    bank.write(torch.arange(5), said, momentum=0.0)
    wanted = bank.read(torch.arange(5))[rows].clone()
    bank.share_out(rank, 2)
    assert torch.equal(bank.rows, wanted) and (tmp_path / "rows").stat().st_size == wanted.nbytes
    bank.rows[0] = 7.0
    assert torch.from_file(str(tmp_path / "rows"), size=len(rows) * 4).view(-1, 4)[0].tolist() == [7.0] * 4


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs Linux's account of a process's memory")
def test_the_banks_of_a_run_take_the_memory_of_the_formula(tmp_path: Path) -> None:
    """2 · N · H · bytes for N = 200,000 and H = 384, and next to nothing in files.

    Measured in a process of its own: this one may give back meanwhile what other tests took.
    """
    formula, room = 2 * EXAMPLES * WIDTH, 40_000_000
    half = {"half_precision_bank": True}
    with ProcessPoolExecutor(1, get_context("spawn")) as alone:
        in_files, halved, whole = alone.submit(growths, [{**half, "bank_folder": tmp_path}, half, {}]).result()
    assert in_files < room
    assert sum(file.stat().st_size for file in tmp_path.glob("*al")) == 2 * formula
    assert formula < halved < 2 * formula + room
    assert 2 * formula < whole < 4 * formula + room
