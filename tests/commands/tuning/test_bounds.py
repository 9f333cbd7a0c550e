"""Bounds are read or refused, and what is drawn within them becomes a recipe."""

from pathlib import Path
from typing import Any

import pytest

from unfooled.commands.tuning.bounds import Bound, read_bounds, recipe_of
from unfooled.errors import BadInput


def test_table_8_of_the_paper() -> None:
    base = {"data": {"source": "reviews.csv"}}
    bounds = read_bounds("carl-table8")
    ends = {name.split(".")[1]: (bound.low, bound.high) for name, bound in bounds.items()}
    assert ends == {"spread": (0.0, 0.8), "step_size": (0.01, 0.2), "radius": (0.0, 0.5), "passes": (2, 4)}
    for method in ("freelb", "carl", "rar"):
        values = {"method.spread": 0.8, "method.step_size": 0.01, "method.radius": 0.0, "method.passes": 4}
        built = recipe_of(base, method, bounds, values, 0).to_mapping()["method"]
        assert (built["spread"], built["passes"], built["radius"]) == (0.8, 4, "none")


@pytest.mark.parametrize(
    "values",
    [{}, {"low": 1}, {"low": 2, "high": 1}, {"low": 0, "high": 1, "log": True}, {"low": 0, "high": 1, "choices": [1]}],
)
def test_bounds_that_make_no_sense_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Bound.model_validate(values)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no bounds"),
        ("[method.radius]\nlow = 2\nhigh = 1\n", "method.radius .*low must be below high"),
        ("[method", "cannot be read as TOML"),
    ],
)
def test_bad_files_of_bounds_are_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(BadInput, match=words):
        read_bounds(str(tmp_path / "b.toml"))
    with pytest.raises(BadInput, match="no bounds at"):
        read_bounds(str(tmp_path / "nothing.toml"))


@pytest.mark.parametrize("name", ["model.name", "model.tokenizer", "data.source", "data.test"])
def test_a_file_of_bounds_never_chooses_what_is_read_or_fetched(tmp_path: Path, name: str) -> None:
    (tmp_path / "b.toml").write_text(f'[{name}]\nchoices = ["owner/model"]\n')
    with pytest.raises(BadInput, match=f"{name} says what is read or fetched, which a file of bounds never chooses"):
        read_bounds(str(tmp_path / "b.toml"))
