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
        if name.startswith(("worst_words", "fair")) or name in ("grid", "other_forms", "random_order"):
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


def test_the_page_is_what_the_rows_say(tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    rows = import_module("worst_words").every_row()
    assert tables.page(rows) == tables.PAGE.read_text(encoding="utf-8"), "experiments/worst_words.py --table writes it"


def test_what_the_leaderboard_measured_counts_among_the_rivals(
    tables: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = import_module("worst_words")
    found = [{**row("carl", "pwws", "1" * 12 + "0" * 88), "data": "mr"}]
    monkeypatch.setattr(experiment, "FILES", {"mr": Path("none.jsonl"), "sst2": Path("none.jsonl")})
    monkeypatch.setattr(experiment.Place, "found", lambda place: found if place.paper == "leaderboard" else [])
    assert experiment.every_row() == {"mr": found, "sst2": []}


def masked(entry: str, what: str, **found: Any) -> dict[str, Any]:
    return {"entry": entry, "what": what, **found}


def held(some: str) -> dict[str, Any]:
    """The first of twenty examples, as they came out."""
    return {"value": some.count("1") / 20, "held": some.ljust(20, "0")}


def under_pwws(plain: float, own: float) -> list[dict[str, Any]]:
    shares = {"plain": plain, "worst_words": own}
    between = {"low": 0, "high": 1}
    return [
        masked(name, "own", value=value, fooled=1 - value, held=first_of_twenty(value), **between)
        for name, value in shares.items()
    ]


def first_of_twenty(share: float) -> str:
    """What became of twenty examples of which the first were held."""
    return "1" * round(20 * share) + "0" * (20 - round(20 * share))


@pytest.mark.parametrize(
    ("what", "plain", "own", "verdict"),
    [
        ("gradients", held("1" * 2), held("1" * 4), "passes"),  # half of +.2
        ("gradients", held("1" * 2), held("1" * 3), "**does not pass**"),
        ("gradients", held("1" * 2), held("1" * 3 + "0" * 7 + "1" * 10), "**does not pass**"),  # fools others than PWWS
        ("orders", {"value": 0.1}, {"value": 0.2}, "passes"),
        ("orders", {"value": 0.1}, {"value": 0.19}, "**does not pass**"),
        ("adversaries of plain", {"attack_success": {"value": 0.9}}, {"attack_success": {"value": 0.6}}, "passes"),
        ("adversaries of plain", {"attack_success": {"value": 0.9}}, {"attack_success": {"value": 0.7}}, "not pass"),
        ("k-PGD", {"accuracy 0.0": 0.8, "accuracy 1.0": 0.0}, {"accuracy 0.0": 0.8, "accuracy 1.0": 0.04}, "passes"),
        ("k-PGD", {"accuracy 0.0": 0.8, "accuracy 1.0": 0.0}, {"accuracy 0.0": 0.8, "accuracy 1.0": 0.4}, "not pass"),
    ],
)
def test_a_test_of_masking_passes_where_it_says(
    experiments: None, what: str, plain: Any, own: Any, verdict: str
) -> None:
    tables = import_module("worst_words_masking_tables")
    between = {"low": 0.0, "high": 1.0}
    rows = [masked(name, what, **deepened(found, between)) for name, found in (("plain", plain), ("worst_words", own))]
    lines = tables.masking([*under_pwws(0.15, 0.35), *rows])
    assert verdict in lines[1][-1] and len(lines[1]) == len(tables.MASKING_HEAD)
    assert tables.masking([*under_pwws(0.15, 0.35), rows[0]])[1][-1] == "not run in full"


def deepened(found: dict[str, Any], between: dict[str, float]) -> dict[str, Any]:
    """Shares with an interval."""
    return {**between, **{name: {**one, **between} if isinstance(one, dict) else one for name, one in found.items()}}


def test_every_combination_may_not_fall_further_than_plain(experiments: None) -> None:
    tables = import_module("worst_words_masking_tables")

    def verdict(plain: float, own: float) -> str:
        falls = {"plain": plain, "worst_words": own}
        rows = [
            masked(name, "every combination", accuracy_under_greedy={"value": 0.5, "n": 9},
                   accuracy_under_exhaustive={"value": 0.5 - fall, "n": 9})
            for name, fall in falls.items()
        ]  # fmt: skip
        return str(tables.masking([*under_pwws(0.1, 0.3), *rows])[1][-1])

    assert verdict(0.1, 0.1) == "passes" and verdict(0.1, 0.2) == "**does not pass**"


def test_half_of_the_gain_stays_where_a_source_was_held_out(experiments: None) -> None:
    tables = import_module("worst_words_masking_tables")
    shares = {("plain", "pwws"): 0.2, ("without wordnet", "pwws"): 0.3, ("worst_words", "pwws"): 0.5}
    rows = [{"entry": entry, "what": what, "seed": 0, "value": value} for (entry, what), value in shares.items()]
    assert tables.held_out(rows) == [["without wordnet", "pwws", "20.0", "30.0", "50.0", "33%", "missed"]]
    assert tables.held_out(rows[:2]) == []
    rows[2]["value"] = 0.2
    assert tables.held_out(rows) == [["without wordnet", "pwws", "20.0", "30.0", "20.0", "", "no gain to keep"]]
