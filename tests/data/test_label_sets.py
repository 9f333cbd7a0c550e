import json
from pathlib import Path

import pytest

from unfooled.data.examples import load_examples
from unfooled.data.label_sets import SETS
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput


def written(path: Path, rows: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def lists(count: int) -> list[dict[str, object]]:
    sets: list[list[object]] = [["a"], ["b", "a", "b"], [], [3]]
    return [{"text": f"text {n}", "labels": sets[n % 4]} for n in range(count)]


def test_lists_of_labels(tmp_path: Path) -> None:
    data = load_examples(DataSettings(source=written(tmp_path / "a.jsonl", lists(40))), 0, SETS)
    assert data.labels == ("3", "a", "b")
    found = dict(zip(data.train.texts + data.validation.texts, data.train.labels + data.validation.labels, strict=True))
    assert found[("text 0",)] == (1,) and found[("text 1",)] == (1, 2)
    assert found[("text 2",)] == () and found[("text 3",)] == (0,)


def test_names_come_from_all_of_train_though_a_fraction_is_learnt_from(tmp_path: Path) -> None:
    rows = [*lists(40), {"text": "the only one", "labels": ["rare"]}]
    train = written(tmp_path / "a.jsonl", rows)
    data = load_examples(DataSettings(source=train, validation=train, fraction=0.1), 0, SETS)
    assert data.labels == ("3", "a", "b", "rare") and len(data.train) == 4 and len(data.validation) == 41


def dialogues(count: int) -> list[dict[str, object]]:
    pairs = [("Ann", "Bob", ["friends", "boss"]), ("Bob", "Rome", ["unanswerable"])]
    related = [{"x": x, "y": y, "r": r} for x, y, r in pairs]
    return [{"dialogue": [f"Ann: hello {n}", "Bob: hi"], "relations": related} for n in range(count)]


def test_a_dialogue_becomes_one_example_per_pair_and_stays_together(tmp_path: Path) -> None:
    data = load_examples(DataSettings(source=written(tmp_path / "a.jsonl", dialogues(20))), 2, SETS)
    assert data.labels == ("boss", "friends", "unanswerable")
    assert data.train.texts[:2] == [("Ann: hello 0\nBob: hi", "Ann; Bob"), ("Ann: hello 0\nBob: hi", "Bob; Rome")]
    assert data.train.labels[:2] == [(0, 1), (2,)] and len(data.validation) == 4
    assert not {texts[0] for texts in data.train.texts} & {texts[0] for texts in data.validation.texts}


def test_names_of_the_data_folder_give_the_order(tmp_path: Path) -> None:
    written(tmp_path / "train.jsonl", dialogues(10))
    (tmp_path / "meta.json").write_text(json.dumps({"labels": ["unanswerable", "friends", "boss", "never"]}))
    data = load_examples(DataSettings(source=str(tmp_path)), 0, SETS)
    assert data.labels == ("unanswerable", "friends", "boss", "never")
    assert "no row of train is labelled never" in data.notes


@pytest.mark.parametrize("bad", ["a", 3, [["a"]], [None], {"a": 1}])
def test_one_row_without_a_list_is_named(tmp_path: Path, bad: object) -> None:
    rows = lists(12)
    rows[4]["labels"] = bad
    with pytest.raises(BadInput, match="row 5, column labels: holds .*, not a list of labels; write a list"):
        load_examples(DataSettings(source=written(tmp_path / "a.jsonl", rows)), 0, SETS)


def test_a_label_that_train_lacks_is_refused(tmp_path: Path) -> None:
    other = written(tmp_path / "b.jsonl", [{"text": "x", "labels": ["new"]}])
    with pytest.raises(BadInput, match="b.jsonl, column labels: label new does not occur in train"):
        load_examples(DataSettings(source=written(tmp_path / "a.jsonl", lists(12)), validation=other), 0, SETS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dialogue": "hello"}, "dialogue and relations must be lists"),
        ({"relations": [{"x": "a", "y": "b"}]}, "a relation needs x, y and r"),
    ],
)
def test_a_dialogue_that_is_none_is_named(tmp_path: Path, change: dict[str, object], said: str) -> None:
    rows = dialogues(5)
    rows[2] |= change
    with pytest.raises(BadInput, match=f"row 3.*{said}"):
        load_examples(DataSettings(source=written(tmp_path / "a.jsonl", rows)), 0, SETS)


def test_one_label_is_nothing_to_learn(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"text": f"t {n}", "labels": ["a"] if n % 2 else []} for n in range(20)]
    with pytest.raises(BadInput, match="1 different label; training needs two"):
        load_examples(DataSettings(source=written(tmp_path / "a.jsonl", rows)), 0, SETS)
