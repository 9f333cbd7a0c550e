"""A .skops file is opened where all its types are trusted, and else refused with their names."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from tiny import reviews, save_reviews

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.victims import open_victim
from unfooled.victims.objects.skops_file import SKOPS, SkopsFile

skops = pytest.importorskip("skops.io")


def words(text: str) -> list[str]:
    """A tokenizer of one's own, which skops cannot know."""
    return text.split()


def saved(path: Path, tokenizer: Any = None) -> Any:
    texts, labels = zip(*reviews(40), strict=True)
    pattern = None if tokenizer else r"\w+"
    first = TfidfVectorizer(tokenizer=tokenizer, token_pattern=pattern)
    model = make_pipeline(first, LogisticRegression()).fit(texts, labels)
    skops.dump(model, path)
    return model


def test_a_file_of_known_types_is_a_victim_with_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    model = saved(path)
    victim = open_victim(str(path))
    assert np.allclose(victim.answer([("a dull plot",)]), model.predict_proba(["a dull plot"]))
    assert victim.labels == ("negative", "positive") and len(victim.hash) == 64 and victim.name == str(path)


def test_strange_types_are_named_and_opened_only_for_whoever_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.skops"
    saved(path, words)
    with pytest.raises(BadInput, match=r"types that nobody trusts: .*words; .*set UNFOOLED_TRUSTED=") as refused:
        open_victim(path)
    named = str(refused.value).partition("UNFOOLED_TRUSTED=")[2].partition(" ")[0]
    monkeypatch.setitem(__import__("sys").modules, __name__, __import__("sys").modules.get(__name__) or module())
    assert open_victim(SkopsFile(path, named.split(","))).labels == ("negative", "positive")
    monkeypatch.setenv("UNFOOLED_TRUSTED", named)
    assert open_victim(path).answer([("a dull plot",)]).shape == (1, 2)


def module() -> Any:
    """This file as a module that can be imported by its name."""
    import types

    made = types.ModuleType(__name__)
    made.words = words  # type: ignore[attr-defined]
    return made


def test_what_is_no_estimator_or_no_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    path.write_bytes(b"nothing")
    with pytest.raises(BadInput, match="cannot be read by skops"):
        open_victim(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("schema.json", b" " * 10**7)
    with pytest.raises(BadInput, match="unpacks to .* times its size"):
        open_victim(path)
    skops.dump({"a": 1}, path)
    with pytest.raises(BadInput, match="holds a dict, which predicts no classes; save a whole pipeline"):
        open_victim(path)
    with pytest.raises(BadInput, match="there is no file"):
        open_victim(SkopsFile(tmp_path / "none.skops"))
    assert not SKOPS.takes(tmp_path / "none.skops") and SKOPS.takes(path)


def test_it_is_attacked_twice_and_beside_another(tmp_path: Path) -> None:
    """It has a hash and no logits: nothing of it says how sure the log's model was."""
    files, data = [tmp_path / "one.skops", tmp_path / "two.skops"], str(save_reviews(tmp_path / "reviews.csv", 12))
    for file in files:
        saved(file)
    first = uf.attack(files[0], data, out=tmp_path / "attacked", similarity=None)
    assert uf.attack(files[0], data, out=tmp_path / "attacked", similarity=None).records == first.records
    results = uf.evaluate(files, data, tmp_path / "results", ["pwws"], settings={"pwws": {"similarity": None}})
    assert len(results.models) == 2


@pytest.mark.parametrize(("attack", "asked"), [("random", False), ("pwws", True)])
def test_that_confidence_flatters_is_said_where_an_attack_asks_for_it(tmp_path: Path, attack: str, asked: bool) -> None:
    def certain(texts: list[str]) -> np.ndarray:
        return np.array([[0.0, 1.0] if "good" in text else [1.0, 0.0] for text in texts])

    data = str(save_reviews(tmp_path / "reviews.csv", 20))
    found = uf.attack(certain, data, attack, labels=("negative", "positive"), similarity=None)
    assert any("saturated" in warning for warning in found.warnings) is asked
