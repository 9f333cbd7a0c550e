import json
from pathlib import Path

import numpy as np
import pytest

import unfooled as uf
from unfooled.attacks import AttackRecord
from unfooled.commands.adversary_sets import stored_adversaries
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.transfer import Adversary

LABELS = ("negative", "positive")
TEXTS = [("A large good film.",), ("A large bad film.",), ("The big good one.",)]


def fickle(texts: list[str]) -> np.ndarray:
    return np.array(
        [[0.1, 0.9] if ("good" in text) == ("large" in text or "big one" in text) else [0.9, 0.1] for text in texts]
    )


def attacked(folder: Path) -> list[AttackRecord]:
    split = Split(list(TEXTS), [1, 0, 0])
    found = uf.attack(fickle, split, "pwws", folder, labels=LABELS, similarity=None)
    return [record for record in found.records if record.outcome == "fooled"]


def test_an_attacks_folder_gives_what_fooled_its_victim(tmp_path: Path) -> None:
    fooled = attacked(tmp_path / "attack")
    assert fooled
    found, source = stored_adversaries(tmp_path / "attack", LABELS)
    assert found == [Adversary(record.texts, record.adversary or (), record.label) for record in fooled]
    other, _ = stored_adversaries(str(tmp_path / "attack"), ("Positive", "Negative"))
    assert [one.label for one in other] == [1 - one.label for one in found]
    assert len(source.hash) == 64


def test_an_attack_as_a_trial_gives_them_too(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    rows = [{"text": text[0], "label": LABELS[label]} for text, label in zip(TEXTS, (1, 0, 0), strict=True)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    uf.evaluate(
        fickle, str(data), tmp_path / "out", ["clean", "pwws"], settings={"pwws": {"similarity": None}}, labels=LABELS
    )
    found, _ = stored_adversaries(tmp_path / "out" / "fickle" / "pwws", LABELS)
    assert found == stored_adversaries((attacked(tmp_path / "attack"), tmp_path / "attack")[1], LABELS)[0]
    with pytest.raises(BadInput, match="of the trial clean, which makes no adversaries"):
        stored_adversaries(tmp_path / "out" / "fickle" / "clean", LABELS)


def test_files_of_texts_and_of_pairs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    rows = [
        {"original": "A good film.", "adversary": "A nice film.", "label": "positive"},
        {"original": "A bad film.", "adversary": "A poor film.", "label": "negative"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert stored_adversaries(path, LABELS)[0] == [
        Adversary(("A good film.",), ("A nice film.",), 1),
        Adversary(("A bad film.",), ("A poor film.",), 0),
    ]
    path.write_text(json.dumps({"original": ["a", "b"], "adversary": ["a", "c"], "label": 0}) + "\n")
    assert stored_adversaries(path, LABELS)[0] == [Adversary(("a", "b"), ("a", "c"), 0)]


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
        stored_adversaries(path, LABELS)


def test_folders_without_adversaries_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no attack"):
        stored_adversaries(tmp_path, LABELS)
    steady = Split(list(TEXTS), [1, 1, 1])
    uf.attack(
        lambda texts: np.tile([0.2, 0.8], (len(texts), 1)),
        steady,
        "pwws",
        tmp_path / "held",
        labels=LABELS,
        similarity=None,
    )
    with pytest.raises(BadInput, match="holds no adversary"):
        stored_adversaries(tmp_path / "held", LABELS)
