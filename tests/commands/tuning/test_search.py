"""A study that several processes share: trainings are taken once, resumed under their numbers, and told once."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from unfooled.commands.tuning.bounds import Bound, recipe_of
from unfooled.commands.tuning.search import Search, score
from unfooled.errors import BadInput
from unfooled.files import alone

optuna = pytest.importorskip("optuna")
BASE = {"data": {"source": "reviews.csv"}}
BOUNDS = {
    "method.step_size": Bound(low=0.01, high=0.2, log=True),
    "method.passes": Bound(low=2, high=4),
    "plan.learning_rate": Bound(choices=(1e-3, 1e-4)),
}


def search(folder: Path, trials: int = 3) -> Search:
    return Search(BASE, "freelb", BOUNDS, folder, trials, 0)


def train(one: Search, number: int, value: float = 0.5) -> None:
    """What a training leaves."""
    (one.run(number) / "model").mkdir(parents=True)
    (one.run(number) / "summary.json").write_text(json.dumps({"scores": {"validation accuracy": {"value": value}}}))


def taken(one: Search) -> int:
    found = one.take()
    assert found is not None
    return found[0]


def trials_in(folder: Path) -> list[Any]:
    backend = optuna.storages.journal.JournalFileBackend(str(folder / "search.jsonl"))
    return list(optuna.load_study(study_name="freelb", storage=optuna.storages.JournalStorage(backend)).trials)


def test_two_processes_take_different_trainings_and_one_that_is_left_keeps_its_number(tmp_path: Path) -> None:
    one, other = search(tmp_path), search(tmp_path)
    assert taken(one) == 0
    with alone(one.run(0)):  # as whoever trains it holds it
        assert taken(other) == 1
        with alone(other.run(1)):
            assert taken(one) == 2 and one.others == [1]
            with alone(one.run(2)):
                assert other.take() is None and other.others == [0, 2] and not other.complete
    train(other, 1)
    other.finish(1)
    number, recipe = other.take() or (None, None)  # the first is free: whoever had it is gone
    assert number == 0 and recipe == recipe_of(BASE, "freelb", BOUNDS, trials_in(tmp_path)[0].params, 0)
    train(other, 0, 0.9)
    other.finish(0)
    assert other.done == 2 and len(trials_in(tmp_path)) == 3


def test_a_training_is_told_once_though_two_have_ended_it(tmp_path: Path) -> None:
    one, other = search(tmp_path, 1), search(tmp_path, 1)
    assert taken(one) == taken(other) == 0
    train(one, 0, 0.7)
    one.finish(0)
    other.finish(0)
    assert one.complete and other.complete and [trial.value for trial in trials_in(tmp_path)] == [0.7]
    assert (tmp_path / "search.jsonl").read_text().count('"values":[0.7]') == 1
    before = (tmp_path / "search.jsonl").read_bytes()
    assert one.take() is None and one.best()[:2] == (0.7, 1)
    assert (tmp_path / "search.jsonl").read_bytes() == before  # who only looks writes nothing


def test_the_model_of_a_training_whose_score_is_not_told_yet_is_kept(tmp_path: Path) -> None:
    one = search(tmp_path)
    assert [taken(one) for _ in range(3)] == [0, 1, 2]
    for number, value in enumerate((0.5, 0.4, 0.6)):
        train(one, number, value)
    kept = lambda: sorted(path.parent.name for path in tmp_path.glob("trial-*/model"))  # noqa: E731
    one.finish(0)
    assert kept() == ["trial-0", "trial-1", "trial-2"]
    one.finish(1)
    assert kept() == ["trial-0", "trial-2"]
    one.finish(2)
    assert kept() == ["trial-2"] and one.best()[0] == 0.6


def finished(one: Search) -> None:
    """Train all that is left; a score is what was drawn."""
    while (found := one.take()) is not None:
        number, recipe = found
        if not one.run(number).exists():
            train(one, number, float(recipe.to_mapping()["method"]["passes"]))
        one.finish(number)


def test_the_first_draws_hang_on_their_numbers_alone(tmp_path: Path) -> None:
    finished(search(tmp_path / "one", 6))
    many = search(tmp_path / "many", 6)
    assert [taken(many) for _ in range(6)] == list(range(6))  # as six workers would
    params = [[trial.params for trial in trials_in(tmp_path / name)] for name in ("one", "many")]
    assert params[0][:5] == params[1][:5] and len({str(drawn) for drawn in params[0]}) == 6


@pytest.mark.parametrize("share", [0.3, 0.6, 0.85])
def test_a_search_killed_in_the_midst_of_a_draw_or_a_line_draws_what_an_unbroken_one_does(
    share: float, tmp_path: Path
) -> None:
    finished(search(tmp_path, 7))
    path = tmp_path / "search.jsonl"
    whole, content = [trial.params for trial in trials_in(tmp_path)], path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])  # no share is the end of a line
    assert not path.read_bytes().endswith(b"\n")
    path.with_name(f"{path.name}.lock").symlink_to(path)  # as of optuna's own lock, held by a process that was killed
    finished(search(tmp_path, 7))
    path.with_name(f"{path.name}.lock").unlink()
    assert [trial.params for trial in trials_in(tmp_path)] == whole


def test_a_killed_process_leaves_no_lock_on_the_study(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        with search(tmp_path).study() as study:
            study.ask()
            os._exit(0)  # with the file in its hands
    os.waitpid(child, 0)
    assert taken(search(tmp_path)) == 0


def test_a_search_is_scored_by_validation_though_there_is_a_test_split(tmp_path: Path) -> None:
    scores = {"test accuracy": {"value": 0.9}, "validation accuracy": {"value": 0.4}}
    (tmp_path / "summary.json").write_text(json.dumps({"scores": scores}))
    assert score(tmp_path) == 0.4
    (tmp_path / "summary.json").write_text("{}")
    with pytest.raises(BadInput, match="has no validation score; delete that training"):
        score(tmp_path)
