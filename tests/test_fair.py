"""The walk over the fair test's cells, shared by processes, and the differences its tables are made of."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("fair", "worst_words")) or name == "grid":
            del sys.modules[name]


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_cells_are_filled_in_order_once_and_what_breaks_stops_no_other(capsys) -> None:
    from fair_cells import FairCell, Place, walk

    place, asked = Place("paper"), []

    def found(name: str):
        def find() -> dict:
            asked.append(name)
            if name == "odd":
                raise ValueError("odd")
            return {"value": len(asked)}

        return find

    second = FairCell(place, {"what": "second"}, found("second"), needs=[{"what": "first"}])
    cells = [second, *(FairCell(place, {"what": name}, found(name)) for name in ("odd", "first"))]
    done = walk(cells)
    assert asked == ["odd", "first", "second"]  # the second had to wait for the first
    assert [cell.key["what"] for cell in done.left] == ["odd"] == [cell.key["what"] for cell in done.broken]
    assert "ValueError: odd" in capsys.readouterr().out
    assert [row["what"] for row in rows(place.rows)] == ["first", "second"]
    walk(cells[:1] + cells[2:])
    assert len(asked) == 3  # nothing is filled twice


def test_no_cell_is_begun_after_the_time_and_a_request_to_stop_is_one() -> None:
    from fair_cells import FairCell, Place, walk

    from unfooled.errors import Stopped

    def stopped() -> dict:
        raise Stopped("asked to")

    cell = FairCell(Place("paper"), {"what": "one"}, stopped)
    assert walk([cell], until=0).left == [cell]
    with pytest.raises(Stopped):
        walk([cell])


def test_a_cell_in_another_process_hands_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    import fair_cells
    from fair_cells import FairCell, Place, add, walk

    from unfooled.files import held

    place = Place("paper")
    cells = [FairCell(place, {"what": name}, lambda: {"value": 1}) for name in ("theirs", "mine")]
    slept = []

    def sleep(seconds: float) -> None:  # the other process ends meanwhile
        slept.append(seconds)
        add(place.rows, {"what": "theirs", "value": 2})

    monkeypatch.setattr(fair_cells.time, "sleep", sleep)
    with held(cells[0].lock):
        assert walk(cells, pause=7.0).left == []
    assert slept == [7.0]
    assert [(row["what"], row["value"]) for row in rows(place.rows)] == [("mine", 1), ("theirs", 2)]


def test_cells_of_one_training_are_filled_together_and_what_is_taken_breaks_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import fair_cells
    from fair_cells import FairCell, Place, attempt, walk

    from unfooled.errors import Taken
    from unfooled.files import held

    place, tries = Place("paper"), []

    def taken() -> dict:
        tries.append("taken")
        if len(tries) == 1:
            raise Taken("another process trains it")
        return {"value": 1}

    cells = [FairCell(place, {"what": name}, lambda: {"value": 1}, run="one") for name in ("clean", "attacked")]
    cells += [FairCell(place, {"what": "other"}, lambda: {"value": 1}, run="two")]
    assert cells[0].lock == cells[1].lock != cells[2].lock
    with held(cells[0].lock):  # another process is at the training of the first two
        assert [attempt(cell, []) for cell in cells] == [False, False, True]
    monkeypatch.setattr(fair_cells.time, "sleep", lambda seconds: None)
    done = walk([FairCell(place, {"what": "shared"}, taken)])
    assert done.broken == [] and done.left == [] and len(tries) == 2


def test_runs_from_one_encoder_are_one_seed() -> None:
    from fair_differences import compared, compared_by_origin

    random = np.random.default_rng(0)

    def rows(shares: tuple[float, ...]) -> list[dict]:
        return [
            {"seed": f"{origin}-{seed}", "held": "".join(str(int(one)) for one in random.random(200) < share)}
            for origin, share in enumerate(shares)
            for seed in range(5)
        ]

    plain, own = rows((0.5, 0.5)), rows((0.5, 0.65))  # one of two encoders is better, whoever is fine-tuned from it
    assert compared(plain, own).low > 0  # ten seeds would show it
    found = compared_by_origin(plain, own)
    assert found.seeds == 2 and found.low < 0 < found.high


def test_pairs_of_one_group_are_drawn_together() -> None:
    from fair_differences import compared

    one = {"seed": 0, "held": "0" * 40}
    two = {"seed": 0, "held": "1111000000" * 4}
    groups = [number // 10 for number in range(40)]  # each group has four of them
    alone, together = compared([one], [two]), compared([{**one, "groups": groups}], [{**two, "groups": groups}])
    assert together.value == pytest.approx(alone.value) and together.high - together.low < 1e-9 < alone.high - alone.low


def test_paired_differences_see_what_is_shared_and_stretch_few_seeds() -> None:
    from fair_differences import mean_of, over_seeds, paired

    random = np.random.default_rng(1)
    hard = random.random(400) < 0.5  # texts that both sides miss: pairing takes them out
    first = [mean_of((~hard).astype(float)) for _ in range(3)]
    gains = [hard & (random.random(400) < share) for share in (0.05, 0.06, 0.07)]
    second = [mean_of((~hard | gain).astype(float)) for gain in gains]
    one = paired(first, second, 400)
    assert one.value == pytest.approx(np.mean([gain.mean() for gain in gains])) and one.low > 0
    alone = paired(first[:1], second[:1], 400)
    assert alone.seeds == 1 and alone.high - alone.low < one.high - one.low + 0.05
    assert one.least == pytest.approx(2.8016 * (one.high - one.low) / (2 * 1.96), rel=1e-3)
    assert over_seeds([1.0, 2.0, 3.0], 9).low == pytest.approx(2 - 4.3027 / np.sqrt(3), rel=1e-4)


def test_an_interval_covers_no_difference_as_often_as_it_says() -> None:
    from fair_differences import mean_of, paired

    random, missed = np.random.default_rng(0), 0
    for trial in range(40):
        effects = random.normal(0, 0.06, size=(2, 3))
        sides = [[mean_of((random.random(50) < 0.6 + effect).astype(float)) for effect in own] for own in effects]
        found = paired(*sides, 50, seed=trial)
        missed += not found.low <= 0 <= found.high
    assert missed <= 7  # 5 % of 40 are 2


def test_the_f1_of_some_classes_is_theirs_alone() -> None:
    from fair_differences import macro_f1

    truth, said = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 0]
    weights = np.full((1, 6), 1 / 6)
    assert macro_f1(truth, said, [1])(weights)[0] == pytest.approx(4 / 5)
    assert macro_f1(truth, said, [0, 2])(weights)[0] == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_rows_of_different_examples_cannot_be_paired() -> None:
    from fair_differences import compared

    one, two = ({"seed": 0, "held": held, "value": 1.0} for held in ("11", "111"))
    with pytest.raises(ValueError, match="cannot be paired"):
        compared([one], [two])
    assert compared([one], [{**two, "seed": 1}]) is None


def test_rows_of_two_precisions_cannot_be_paired() -> None:
    from fair_differences import compared

    one, two = ({"seed": 0, "held": "11", "value": 1.0, "precision": precision} for precision in ("fp32", "bf16"))
    with pytest.raises(ValueError, match="trained in bf16 and in fp32 cannot be paired"):
        compared([one], [two])
    untrained = {name: value for name, value in two.items() if name != "precision"}
    assert compared([one], [untrained]) is not None


def test_a_table_is_trained_in_the_precision_of_its_first_row(monkeypatch: pytest.MonkeyPatch) -> None:
    import fair_precision
    from fair_cells import Place, add

    decisions = iter(["bf16", "fp32"])
    monkeypatch.setattr(fair_precision, "decided", lambda plan, where: (next(decisions), "as it happens"))
    place = Place("paper")
    own = [fair_precision.precision_of(place, setting=name) for name in ("one", "one", "two")]
    assert own == ["bf16", "bf16", "fp32"]  # decided once for a table, whoever asks, before there is any row
    add(place.rows, {"setting": "one", "value": 1.0})  # of what was never trained
    assert fair_precision.precision_of(place, setting="one") == "bf16"
    add(place.rows, {"setting": "one", "precision": "fp32"})
    assert fair_precision.precision_of(place, setting="one") == "fp32"  # what is there counts, wherever it was made


@pytest.mark.parametrize(
    ("paper", "claimed"),
    [
        ("dcl", lambda key: key["encoder"] == "trained" and key["entry"] in ("power", "none")),
        ("clld", lambda key: key.get("entry") in ("plain", "adaptive")),
        ("atcl", lambda key: key["entry"] in ("baseline", "ATCL")),
        ("cline", lambda key: key["entry"] in ("mlm", "cline")),
        ("carl", lambda key: key["entry"] in ("plain", "freelb", "carl") and key.get("seed", 0) < 3),
    ],
)
def test_of_a_paper_what_its_first_claim_reads_comes_first(paper: str, claimed, monkeypatch) -> None:
    pytest.importorskip("sacrebleu")
    from fair import cells_of

    keys = [dict(cell.key) for cell in cells_of(paper, False) if cell.tier == 1]
    first = [
        key for key in keys if claimed(key) and not (paper == "carl" and key["entry"] == "plain" and "seed" in key)
    ]
    assert 0 < len(first) < len(keys) and keys[: len(first)] == first


def test_the_first_claims_have_seeds_enough_to_be_told() -> None:
    pytest.importorskip("sacrebleu")
    from fair import cells_of

    def seeds(paper: str, **key: str) -> list[int]:
        cells = [dict(cell.key) for cell in cells_of(paper, False) if cell.tier == 1]
        return sorted(cell["seed"] for cell in cells if key.items() <= cell.items())

    assert seeds("cline", entry="mlm", what="hits, cls") == seeds("cline", entry="cline", what="hits, cls") == [0, 1, 2]
    for entry in ("freelb", "carl"):
        assert seeds("carl", data="sst2", entry=entry, what="clean") == [0, 1, 2, 3, 4]


def test_the_papers_come_tier_by_tier_and_every_one_before_any_second(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sacrebleu")
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    from fair import PAPERS, asked_for, in_order, told_left

    asked, _ = asked_for([])
    cells = in_order(asked)
    tiers = [cell.tier for cell in cells]
    assert tiers == sorted(tiers)
    firsts = {cell.place.paper for cell in cells if cell.tier == 1}
    assert firsts == set(PAPERS) - {"leaderboard"}
    assert len({(cell.place.paper, json.dumps(dict(cell.key), sort_keys=True)) for cell in cells}) == len(cells)
    for cell in cells:  # whatever a cell needs comes before it, or at least comes
        needs = [{name: value for name, value in need.items() if name != "learnt_nothing"} for need in cell.needs]
        assert all(any(need.items() <= dict(other.key).items() for other in cells) for need in needs)
    assert f"{len(cells)} cells are left" in told_left(cells) and told_left([]) == "nothing is left"
