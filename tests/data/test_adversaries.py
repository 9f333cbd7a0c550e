"""Adversaries of an attack's folder, of a trial's, and of a file are the same things; whatever else is one sentence."""

import json
from pathlib import Path

import numpy as np
import pytest

import unfooled as uf
from unfooled.attacks import AttackRecord
from unfooled.data.adversaries import StoredAdversary, attacked_texts, read_adversaries, stored_adversaries
from unfooled.data.splits import Split
from unfooled.errors import BadInput

LABELS = ("negative", "positive")
TEXTS = [("A large good film.",), ("A large bad film.",), ("The big good one.",)]


def fickle(texts: list[str]) -> np.ndarray:
    return np.array(
        [[0.1, 0.9] if ("good" in text) == ("large" in text or "big one" in text) else [0.9, 0.1] for text in texts]
    )


def attacked(folder: Path, name: str = "pwws") -> list[AttackRecord]:
    split = Split(list(TEXTS), [1, 0, 0])
    found = uf.attack(fickle, split, name, folder, labels=LABELS, similarity=None)
    return [record for record in found.records if record.outcome == "fooled"]


def test_an_attacks_folder_gives_what_fooled_its_victim(tmp_path: Path) -> None:
    fooled = attacked(tmp_path)
    assert fooled
    found = stored_adversaries(tmp_path, LABELS)
    assert found == [StoredAdversary(record.texts, record.adversary or (), record.label) for record in fooled]
    other = stored_adversaries(str(tmp_path), ("Positive", "Negative"))
    assert [one.label for one in other] == [1 - one.label for one in found]
    name, texts = attacked_texts(tmp_path)
    assert name == "pwws" and [one.texts for one in texts] == TEXTS
    assert [one.label for one in texts] == ["positive", "negative", "negative"]
    assert [one.adversary for one in texts if one.adversary is not None] == [one.adversary for one in fooled]


def test_an_attack_as_a_trial_gives_them_too_and_need_not_be_named_where_it_is_the_only_one(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    rows = [{"text": text[0], "label": LABELS[label]} for text, label in zip(TEXTS, (1, 0, 0), strict=True)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    how = {"settings": {"pwws": {"similarity": None}}, "labels": LABELS}
    uf.evaluate(fickle, str(data), tmp_path / "out", ["clean", "pwws"], **how)
    attacked(tmp_path / "attack")
    expected = stored_adversaries(tmp_path / "attack", LABELS)
    assert stored_adversaries(tmp_path / "out", LABELS) == expected
    assert stored_adversaries(tmp_path / "out" / "fickle" / "pwws", LABELS) == expected
    with pytest.raises(BadInput, match="there is no attack in .*clean; run: uf.attack"):
        stored_adversaries(tmp_path / "out" / "fickle" / "clean", LABELS)


def test_one_of_several_attacks_has_to_be_named(tmp_path: Path) -> None:
    attacked(tmp_path, "pwws")
    attacked(tmp_path, "random")
    with pytest.raises(
        BadInput, match=r"several attacks; name the folder of one of them in it \(fickle/pwws, fickle/random\)"
    ):
        stored_adversaries(tmp_path, LABELS)
    name, _ = attacked_texts(tmp_path / "fickle" / "random")
    assert name == "random"


def test_folders_without_adversaries_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no attack in"):
        stored_adversaries(tmp_path, LABELS)
    steady = Split(list(TEXTS), [1, 1, 1])
    uf.attack(
        lambda texts: np.tile([0.2, 0.8], (len(texts), 1)), steady, "pwws", tmp_path, labels=LABELS, similarity=None
    )
    with pytest.raises(BadInput, match="holds no adversary"):
        stored_adversaries(tmp_path, LABELS)
    [path] = tmp_path.glob("*/pwws/examples.jsonl")
    lines = path.read_text().splitlines()
    path.write_text(lines[0] + "\n")
    with pytest.raises(BadInput, match="has not finished one text; let it go on first"):
        stored_adversaries(tmp_path, LABELS)
    path.write_text(f'{lines[0]}\n{{"index": 0, "label": "x"}}\n')
    with pytest.raises(BadInput, match="holds something else than an attack's records; attack again"):
        stored_adversaries(tmp_path, LABELS)


def test_a_text_and_its_label_of_a_callable_without_names_are_numbers(tmp_path: Path) -> None:
    uf.attack(fickle, Split(list(TEXTS), [1, 0, 0]), "pwws", tmp_path, similarity=None)
    assert [one.label for one in attacked_texts(tmp_path)[1]] == ["1", "0", "0"]


def test_files_of_texts_and_of_pairs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    rows = [
        {"original": "A good film.", "adversary": "A nice film.", "label": "positive"},
        {"original": "A bad film.", "adversary": "A poor film.", "label": "negative"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert stored_adversaries(path, LABELS) == read_adversaries(path, LABELS)
    assert read_adversaries(path, LABELS) == [
        StoredAdversary(("A good film.",), ("A nice film.",), 1),
        StoredAdversary(("A bad film.",), ("A poor film.",), 0),
    ]
    path.write_text(json.dumps({"original": ["a", "b"], "adversary": ["a", "c"], "label": 0}) + "\n")
    assert read_adversaries(path, LABELS) == [StoredAdversary(("a", "b"), ("a", "c"), 0)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"original": "a", "label": 0}, "no column called adversary"),
        ({"adversary": "a", "label": 0}, "no column called original"),
        ({"original": "a", "adversary": "b"}, "no column called label"),
        ({"original": "a", "adversary": "", "label": 0}, "column adversary: is empty"),
        ({"original": ["a", "b"], "adversary": "c", "label": 0}, "not both single texts or both pairs"),
        ({"original": "a", "adversary": "b", "label": "sport"}, "not those of the model"),
        ({"original": "a", "adversary": "b", "label": ["x"]}, "is no label"),
    ],
)
def test_what_is_no_set_of_adversaries_is_one_sentence(tmp_path: Path, row: dict, message: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(BadInput, match=message):
        read_adversaries(path, LABELS)
