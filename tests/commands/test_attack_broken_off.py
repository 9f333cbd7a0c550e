"""A log of any attack, cut at any byte, goes on to the records of a run that was never broken off."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from attack_ground import save_ground
from killed_attack import ATTACKS, attack

from unfooled.journal import JOURNAL
from unfooled.results.log import read_log

EXAMPLES, CUTS = 8, 3
CLOSE = 1e-5  # a batch's shape may move the last digits


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("broken-off"))


@pytest.mark.parametrize("name", ATTACKS)
def test_a_log_cut_anywhere_goes_on_to_the_records_of_an_unbroken_run(
    name: str, ground: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    attack(str(ground), str(tmp_path / "whole"), name, limit=EXAMPLES)
    [path] = (tmp_path / "whole").glob(f"*/{name}/{JOURNAL}")
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1  # what is before it is the header
    for cut in np.random.default_rng(3).integers(first, len(whole), CUTS).tolist():
        shutil.copytree(tmp_path / "whole", tmp_path / str(cut))
        broken = tmp_path / str(cut) / path.relative_to(tmp_path / "whole")
        broken.write_bytes(whole[:cut])
        attack(str(ground), str(tmp_path / str(cut)), name, limit=EXAMPLES)
        kept = whole[: whole.rfind(b"\n", 0, cut) + 1]
        assert broken.read_bytes().startswith(kept)  # nothing that was there is done again
        (exact, numbers), (expected, close) = told(broken), told(path)
        assert exact == expected and numbers == pytest.approx(close, abs=CLOSE)
    record_property("cuts", CUTS)


def told(path: Path) -> tuple[list[dict[str, object]], list[float]]:
    """Every field of every record by index, and apart from them the numbers whose last digits may differ."""
    log = read_log(path)
    assert log is not None and len(log[1]) == EXAMPLES  # read_log refuses an example that is there twice
    fields = [dict(vars(record)) for record in sorted(log[1], key=lambda one: one.index)]
    numbers = [number for own in fields for name in ("before", "after") for number in own.pop(name)]
    similar = [own.pop("similarity") for own in fields]
    return fields, [*numbers, *(-1.0 if one is None else one for one in similar)]
