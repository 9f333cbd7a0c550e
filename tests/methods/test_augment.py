"""Copies with synonyms: keyed, label for label, and only where words may change."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from safetensors.torch import load_file
from tiny import save_encoder

import unfooled as uf
from unfooled.methods.augment import Augment
from unfooled.methods.objective import TrainingRows
from unfooled.text.document import read

TEXTS = [
    ("The quick dog watched a beautiful movie in the large house.",),
    ("Xyzzy!",),
    ("A terrible story about an old doctor and his strange children.",),
]


def rows(texts: list[tuple[str, ...]] = TEXTS, free: tuple[int, ...] = (0,), **more: bool) -> TrainingRows:
    return TrainingRows(texts, ["a"] * len(texts), free, 7, **more)


def test_every_text_that_can_change_gets_its_copies() -> None:
    found = Augment(copies=2).more_rows(rows())
    assert found.rows == [0, 0, 2, 2] and found.facts == {"copies_without_a_change": 2}
    assert found.note == "augment adds 4 synonym versions to 3 training texts; 2 had no word to replace"
    for text, row in zip(found.texts, found.rows, strict=True):
        before, after = read(TEXTS[row][0]), read(text[0])
        gone = (Counter(before.words) - Counter(after.words)).total()
        assert 1 <= gone <= math.ceil(0.3 * len(before))
    assert found.texts[0] != found.texts[1]


def test_copies_are_a_function_of_the_seed() -> None:
    first, again = (Augment().more_rows(rows()) for _ in range(2))
    assert first == again
    other = Augment().more_rows(TrainingRows(TEXTS, ["a"] * 3, (0,), 8))
    assert first.texts != other.texts


def test_texts_that_are_not_free_and_names_that_are_asked_for_stay() -> None:
    pairs = [("The large dog saw the beautiful movie", "dog; movie")] * 12
    for version in Augment(ratio=1.0).more_rows(rows(pairs, pair_stays=True)).texts:
        assert version[1] == "dog; movie"
        assert {"dog", "movie"} <= set(version[0].split()) and version[0] != pairs[0][0]
    loose = [version[0].split() for version in Augment(ratio=1.0).more_rows(rows(pairs)).texts]
    assert any("dog" not in words or "movie" not in words for words in loose)


def test_switched_off_adds_nothing() -> None:
    found = Augment().switched_off().more_rows(rows())
    assert not found.texts and not found.note


@pytest.fixture
def encoder(tmp_path: Path) -> str:
    return str(save_encoder(tmp_path / "encoder"))


def save(path: Path, word: str, count: int = 24) -> str:
    lines = [f"the {word} film number {n} was {'good' if n % 2 else 'bad'},{n % 2}\n" for n in range(count)]
    path.write_text("text,label\n" + "".join(lines))
    return str(path)


def test_copies_are_made_of_the_training_rows_alone(tmp_path: Path, encoder: str) -> None:
    data = {"source": save(tmp_path / "train.csv", "large"), "validation": save(tmp_path / "v.csv", "strange")}
    uf.train(data, tmp_path / "run", encoder, "augment", {"max_steps": 1, "batch_size": 4})
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["added_rows"] == 24 and summary["scores"]["validation accuracy"]["n"] == 24
    begun = json.loads((tmp_path / "run" / "begun_with.json").read_text())
    assert len(begun["added_rows_hash"]) == 64


def test_an_epoch_is_as_long_as_texts_and_copies(tmp_path: Path, encoder: str) -> None:
    data = {"source": save(tmp_path / "train.csv", "large"), "validation": save(tmp_path / "v.csv", "strange")}
    for copies, steps in ((0, 6), (1, 12)):
        out = tmp_path / f"run {copies}"
        uf.train(data, out, encoder, Augment(copies=copies), {"epochs": 1, "batch_size": 4})
        assert json.loads((out / "summary.json").read_text())["steps"] == steps


def test_no_copies_is_plain_training_to_the_bit(tmp_path: Path, encoder: str) -> None:
    data = {"source": save(tmp_path / "train.csv", "large"), "validation": save(tmp_path / "v.csv", "strange")}
    for name, method in (("off", Augment(copies=0)), ("plain", uf.Finetune())):
        uf.train(data, tmp_path / name, encoder, method, {"max_steps": 4, "batch_size": 4})
    one, two = (load_file(tmp_path / name / "model" / "model.safetensors") for name in ("off", "plain"))
    assert all((one[key] == two[key]).all() for key in two)
