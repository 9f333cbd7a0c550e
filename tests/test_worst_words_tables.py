"""The tables of worst_words' page are what its rows say, and an aim holds where its mean and each part hold."""

import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def experiments() -> Iterator[None]:
    sys.path.insert(0, str(ROOT / "experiments"))
    before = set(sys.modules)
    yield
    sys.path.remove(str(ROOT / "experiments"))
    for name in set(sys.modules) - before:
        if name.startswith(("worst_words", "fair")) or name in ("grid", "other_forms"):
            del sys.modules[name]


@pytest.fixture
def tables(experiments: None) -> ModuleType:
    return import_module("worst_words_tables")


def row(entry: str, what: str, held: str, seed: int = 0, **more: Any) -> dict[str, Any]:
    share = held.count("1") / len(held)
    key = {"entry": entry, "what": what, "seed": seed}
    return {**key, "value": share, "low": 0.0, "high": 1.0, "n": len(held), "held": held, **more}


def pwws(*gains: int) -> dict[str, list[dict[str, Any]]]:
    """Rows in which worst_words holds so many of 100 texts more than plain on each data set."""
    names = ("mr", "sst2", "agnews", "imdb")
    return {
        name: [row("plain", "pwws", "0" * 100), row("worst_words", "pwws", "1" * gain + "0" * (100 - gain))]
        for name, gain in zip(names, gains, strict=False)
    }


@pytest.mark.parametrize(
    ("gains", "measured", "said"),
    [
        ((30, 30, 30, 15), "+26.2", "holds"),
        ((30, 30, 30, 14), "+26.0", "missed"),  # by one of them
        ((20, 20, 20, 20), "+20.0", "missed"),  # by the mean
        ((30, 30), "+30.0", "holds so far, without agnews, imdb"),
    ],
)
def test_an_aim_holds_where_its_mean_and_each_data_set_hold(tables, gains, measured: str, said: str) -> None:
    line = tables.aimed(tables.AIMS[0], pwws(*gains))
    assert (line[2], line[4]) == (measured, said)


def test_what_was_not_run_is_said(tables) -> None:
    assert tables.aimed(tables.AIMS[0], {})[2:] == ["", "", "not run"]


def test_of_several_rivals_the_best_counts(tables) -> None:
    rows = pwws(30)
    rows["mr"] += [row("freelb", "pwws", "1" * 5 + "0" * 95), row("carl", "pwws", "1" * 12 + "0" * 88)]
    aim = next(one for one in tables.AIMS if "freelb" in one.rivals)
    assert tables.differences(aim, rows) == {("mr", "pwws"): pytest.approx(0.18)}


def test_differences_are_of_the_seeds_that_both_have(tables) -> None:
    plain = [row("plain", "clean", "1000"), row("plain", "clean", "1111", seed=1)]
    own = [row("worst_words", "clean", "1100")]
    assert tables.cell(own, plain).startswith("50.0 (+25.0 [")
    assert tables.cell(plain, plain) == "62.5"


def test_pairs_of_one_group_are_drawn_together(tables) -> None:
    def width(groups: list[int] | None) -> float:
        more = {} if groups is None else {"groups": groups}
        plain, own = (row(name, "cad_snli", held, **more) for name, held in (("plain", "0" * 40), ("own", "10" * 20)))
        found = tables.apart([own], [plain])
        return found.high - found.low

    alone, together = width(None), width([number // 4 for number in range(40)])
    assert together < alone / 10  # each group of four has two of them, so nothing differs between groups


def test_the_most_telling_cells_come_first_and_those_of_one_training_are_one_processs(experiments: None) -> None:
    experiment = import_module("worst_words")
    cells = [cell for ground in experiment.GROUNDS.values() for cell in experiment.shared(ground)]
    trainings = [(cell.key["data"], cell.key["entry"], cell.key["seed"]) for cell in cells]
    asked = [(*training, cell.key["what"]) for cell, training in zip(cells, trainings, strict=True)]
    assert len(set(asked)) == len(asked)
    first = {training for cell, training in zip(cells, trainings, strict=True) if cell.tier == 1}
    assert first == set(product(("mr", "sst2", "agnews", "imdb"), ("plain", "worst_words"), [0]))
    second = {cell.key["data"] for cell in cells if cell.tier == 2}
    assert second >= {"perspectrum", "snli", "mr", "sst2", "agnews"} and max(cell.tier for cell in cells) == 7
    runs = {(cell.run, training) for cell, training in zip(cells, trainings, strict=True)}
    assert len(runs) == len({cell.run for cell in cells}) == len(set(trainings))


def test_the_page_is_what_the_rows_say(tables) -> None:
    experiment, grid = import_module("worst_words"), import_module("grid")
    rows = {name: grid.read(ROOT / ground.rows_file) for name, ground in experiment.GROUNDS.items()}
    assert tables.page(rows) == tables.PAGE.read_text(encoding="utf-8"), "experiments/worst_words.py --table writes it"
