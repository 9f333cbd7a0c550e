import tomllib
from typing import Literal, get_args, get_origin

import pytest
import tomli_w

from unfooled.errors import BadInput
from unfooled.methods import METHODS, FreeLB
from unfooled.recipe.config import Recipe, recipe_from
from unfooled.recipe.file import find_recipe, overlaid, read_recipe, recipe_folder
from unfooled.settings import assignments

MINIMAL = {"data": {"source": "reviews.csv"}}


@pytest.mark.parametrize("name", METHODS)
def test_a_resolved_recipe_written_as_toml_and_read_back_is_the_same(name: str) -> None:
    raw = {**MINIMAL, "method": {"name": name}, "plan": {"clip": None, "patience": 3}, "seed": 7}
    recipe = recipe_from(raw)
    assert recipe.plan.clip is None
    again = recipe_from(tomllib.loads(tomli_w.dumps(recipe.to_mapping())))
    assert again == recipe and again.method == recipe.method
    assert again.to_mapping() == recipe.to_mapping()


CHOICES = [
    (name, field, choice)
    for name, kind in METHODS.items()
    for field, info in kind.model_fields.items()
    if get_origin(info.annotation) is Literal
    for choice in get_args(info.annotation)
]


@pytest.mark.parametrize(("name", "field", "choice"), CHOICES)
def test_every_choice_of_every_method_can_be_set_and_comes_back(name: str, field: str, choice: str) -> None:
    raw = overlaid(MINIMAL, assignments([f"method.name={name}", f"method.{field}={choice}"]))
    recipe = recipe_from(raw)
    assert getattr(recipe.method, field) == choice
    again = recipe_from(tomllib.loads(tomli_w.dumps(recipe.to_mapping())))
    assert getattr(again.method, field) == choice


def test_none_is_among_the_choices() -> None:
    assert {("dcl", "norm", "none"), ("clld", "distance", "none")} <= set(CHOICES)


def test_a_method_takes_its_own_settings() -> None:
    recipe = recipe_from({**MINIMAL, "method": {"name": "freelb", "passes": 5, "radius": 0.4}})
    assert recipe.method == FreeLB(passes=5, radius=0.4)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"method": {"name": "frelb"}}, "there is no method called frelb; did you mean freelb?"),
        ({"plan": {"epoch": 3}}, "unknown setting plan.epoch; did you mean epochs?"),
        ({"method": {"name": "freelb", "pass": 3}}, "unknown setting method.pass; did you mean passes?"),
        ({"pln": {}}, "unknown setting pln; did you mean plan?"),
        (
            {"plan": {"epochs": 0}},
            "setting plan.epochs = 0 cannot be used: input should be greater than or equal to 1",
        ),
        (
            {"plan": {"epochs": "two"}},
            "setting plan.epochs = 'two' cannot be used: input should be a valid integer",
        ),
        (
            {"method": {"name": "smart", "norm": "l3"}},
            "setting method.norm = 'l3' cannot be used: input should be",
        ),
        ({"data": {}}, "no data was named; give data="),
        ({"data": {"source": "x", "max_length": 9}}, "unknown setting data.max_length; did you mean model.max_length?"),
        ({"data": "x", "plan": {"max_length": 9}}, "unknown setting plan.max_length; did you mean model.max_length?"),
        ({"data": "x", "model": {"epochs": 9}}, "unknown setting model.epochs; did you mean plan.epochs?"),
        ({"data": "x", "plan": {"limit": 9}}, "unknown setting plan.limit; did you mean data.limit?"),
    ],
)
def test_what_is_wrong_is_one_sentence(raw: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput) as error:
        recipe_from({**MINIMAL, **raw})
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_assignments_read_numbers_truths_lists_and_words() -> None:
    given = [
        "plan.epochs=2",
        "method.share_dropout=false",
        "data.source=my file.csv",
        "a.b.c=[1, 2]",
        "plan.clip=none",
    ]
    assert assignments(given) == {
        "plan": {"epochs": 2, "clip": "none"},
        "method": {"share_dropout": False},
        "data": {"source": "my file.csv"},
        "a": {"b": {"c": [1, 2]}},
    }
    with pytest.raises(BadInput, match="not of the form"):
        assignments(["plan.epochs"])


def test_every_recipe_that_comes_along_is_valid() -> None:
    paths = sorted(recipe_folder().glob("*.toml"))
    assert paths
    for path in paths:
        assert isinstance(recipe_from(read_recipe(path)), Recipe)
        assert find_recipe(path.stem) == path
        assert path.read_text(encoding="utf-8").startswith("# ")


def test_a_lone_text_stands_for_the_name_of_a_part() -> None:
    assert recipe_from({"data": "reviews.csv", "method": "freelb"}).method == FreeLB()
    assert overlaid({"method": "freelb"}, {"method": {"name": "freelb", "passes": 2}})["method"]["passes"] == 2


@pytest.mark.parametrize("raw", [{"data": 3}, {"plan": "fast"}, {"method": ["freelb"]}])
def test_a_part_that_is_no_table_is_one_sentence(raw: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="is a table of settings"):
        recipe_from({**MINIMAL, **raw})


def test_a_setting_below_a_value_is_refused() -> None:
    with pytest.raises(BadInput, match="goes below a setting"):
        assignments(["plan.epochs=2", "plan.epochs.x=1"])


def test_a_method_outside_the_table_is_named() -> None:
    class Mine(FreeLB):
        pass

    with pytest.raises(BadInput, match="Mine is not in the table"):
        Recipe(data={"source": "x"}, method=Mine()).to_mapping()
